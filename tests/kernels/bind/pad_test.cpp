#include <nnrt/kernels/bind/pad.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

ops::pad::attrs with(border mode, float value = 0.0F) {
  ops::pad::attrs attrs;
  attrs.mode = mode;
  attrs.pad_value = value;
  return attrs;
}

struct row {
  shape_t x;
  std::vector<std::int64_t> paddings;
};

const row table[] = {
    {{5}, {2, 3}},
    {{5}, {0, 0}},
    {{}, {}},
    {{3, 4, 5}, {0, 0, 0, 0, 0, 0}},
    {{3, 4, 5}, {1, 2, 0, 0, 0, 0}},
    {{3, 4, 5}, {0, 0, 3, 1, 0, 0}},
    {{3, 4, 5}, {0, 0, 0, 0, 1, 4}},
    {{3, 4, 5}, {2, 0, 0, 3, 4, 1}},
    {{1, 6, 7, 3}, {0, 0, 1, 1, 2, 2, 0, 0}},
    {{1, 6, 1, 3}, {0, 0, 1, 1, 0, 0, 0, 0}},
};

}  // namespace

TEST_CASE("pad: every kind of border, every axis, every size of element") {
  for (const border mode : {border::constant, border::reflect, border::symmetric})
    for (const dtype type : {boolean, i8, f16, f32, i64})
      for (const row& r : table) {
        CAPTURE(static_cast<int>(mode));
        CAPTURE(r.x.rank);
        check_kernel<ops::pad>(with(mode), {pattern(type, r.x), integers_of(r.paddings)});
        check_kernel<ops::pad>(with(mode, 2.5F), {pattern(type, r.x), integers_of(r.paddings)});
      }
}

TEST_CASE("pad: a quantised tensor gets the number that stands for the value") {
  for (const float value : {0.0F, -1.0F, 100.0F}) {
    given_operand x = pattern(i8, {2, 3, 4});
    x.desc.quantised = quant{.scale = 0.5F, .zero_point = -3};
    check_kernel<ops::pad>(with(border::constant, value), {x, integers_of({0, 0, 1, 1, 2, 2})});
  }
}

TEST_CASE("pad: parts of a large image") {
  check_kernel<ops::pad>(with(border::constant),
                         {pattern(f32, {1, 60, 60, 32}), integers_of({0, 0, 1, 1, 1, 1, 0, 0})});
}
