#include <nnrt/kernels/bind/binary.hpp>
#include <nnrt/kernels/bind/choices.hpp>
#include <nnrt/kernels/bind/logical_not.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

given_operand booleans(shape_t shape, std::uint32_t seed) {
  given_operand x = pattern(boolean, shape);
  const std::vector<float> random = random_floats(shape.elements(), seed);
  for (std::size_t i = 0; i < x.bytes.size(); ++i) x.bytes[i] = static_cast<std::byte>(random[i] > 0);
  return x;
}

struct shapes {
  shape_t condition, a, b;
};

}  // namespace

TEST_CASE_TEMPLATE("connectives: the kernel is the reference under broadcasts, at every length", Op, ops::logical_and,
                   ops::logical_or) {
  for (const shapes& row :
       {shapes{{}, {7, 19}, {}}, {{}, {1, 1}, {33}}, {{}, {2, 5, 3, 16}, {16}}, {{}, {2, 5, 1, 16}, {1, 5, 3, 16}}})
    check_kernel<Op>({}, {booleans(row.a, 3), booleans(row.b, 4)});
  for (std::int64_t n = 1; n <= 140; ++n) check_kernel<Op>({}, {booleans({n}, 3), booleans({n}, 4)});
}

TEST_CASE("logical_not: at every length") {
  for (std::int64_t n = 1; n <= 140; ++n) check_kernel<ops::logical_not>({}, {booleans({n}, 3)});
  check_kernel<ops::logical_not>({}, {booleans({3, 5, 71}, 3)});
}

TEST_CASE_TEMPLATE(
    "choices: the kernel is the reference for every dtype, under broadcasts of all three, at every length", Op,
    ops::select, ops::where) {
  for (const dtype type : {boolean, i8, u8, i16, f16, f32, i32, f64, i64}) {
    CAPTURE(name_of(type));
    for (const shapes& row : {shapes{{5, 7}, {5, 7}, {5, 7}},
                              {{5, 1}, {5, 7}, {7}},
                              {{}, {3, 40}, {3, 40}},
                              {{3, 40}, {}, {}},
                              {{3, 40}, {3, 1}, {40}},
                              {{2, 1, 33}, {1, 3, 1}, {2, 3, 33}},
                              {{2, 3, 1}, {33}, {2, 3, 33}},
                              {{1, 1}, {2, 5, 3, 16}, {16}}})
      check_kernel<Op>({}, {booleans(row.condition, 3), pattern(type, row.a), pattern(type, row.b)});
    for (std::int64_t n = 1; n <= 140; n += type == f32 ? 1 : 9) {
      given_operand other = pattern(type, {n});
      std::reverse(other.bytes.begin(), other.bytes.end());
      check_kernel<Op>({}, {booleans({n}, 3), pattern(type, {n}), other});
      check_kernel<Op>({}, {booleans({n}, 3), pattern(type, {n}), pattern(type, {1})});
    }
  }
}
