// max_unpool_test: rules, shapes, and where numbers go.
#include <nnrt/ops/max_unpool.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::max_unpool;
using rule = op::rule;

constexpr op::attrs form(extent2 kernel, extent2 stride, pads pad = {}, bool in_window = false) {
  op::attrs a;
  a.kernel = kernel, a.stride = stride, a.pad = pad, a.in_window = in_window;
  return a;
}
constexpr pads around(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {pad_mode::explicit_pads, top, bottom, left, right};
}
constexpr operand x = computed(f32_of({1, 4, 5, 2})), indices = computed({i32, {1, 4, 5, 2}});

}  // namespace

TEST_CASE("max_unpool: the image that a pool with this window makes so small, or the declared one") {
  CHECK(shape_of(infer<op>(form({2, 3}, {2, 3}), {x, indices})) == shape_t{1, 8, 15, 2});
  CHECK(shape_of(infer<op>(form({3, 3}, {2, 2}, around(1, 0, 1, 1)), {x, indices})) == shape_t{1, 8, 9, 2});
  CHECK(shape_of(infer<op>(form({2, 2}, {2, 2}), {x, indices}, {f32_of({1, 9, 11, 2})})) == shape_t{1, 9, 11, 2});
  CHECK(shape_of(infer<op>(form({2, 2}, {2, 2}), {x, indices}, {f32_of({-1, 9, -1, 2})})) == shape_t{1, 9, 10, 2});
  CHECK(shape_of(infer<op>(form({2, 2}, {2, 2}), {computed(f32_of({1, -1, 5, 2})), indices})) == shape_t{1, -1, 10, 2});
  const verdict v = infer<op>(form({2, 2}, {2, 2}), {computed({u8, nhwc, {1, 4, 5, 2}, quant{0.5F, 3}}), indices});
  REQUIRE(bool(v));
  CHECK(v.output(0) == tensor_desc{u8, nhwc, {1, 8, 10, 2}, quant{0.5F, 3}});
}

TEST_CASE("max_unpool: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(
      op,
      {"rank 3", form({2, 2}, {2, 2}), {computed(f32_of({4, 5, 2})), indices}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(op, {"nchw",
                          form({2, 2}, {2, 2}),
                          {computed({f32, nchw, {1, 2, 4, 5}}), indices},
                          {},
                          rule::input_must_be_nhwc,
                          int(nchw),
                          int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"indices of rank 3",
                          form({2, 2}, {2, 2}),
                          {x, computed({i32, {4, 5, 2}})},
                          {},
                          rule::indices_must_have_the_shape_of_the_input,
                          3,
                          4});
  NNRT_CHECK_REFUSED(op, {"other indices",
                          form({2, 2}, {2, 2}),
                          {x, computed({i32, {1, 4, 6, 2}})},
                          {},
                          rule::indices_must_have_the_shape_of_the_input,
                          6,
                          5});
  NNRT_CHECK_REFUSED(op, {"kernel 0", form({2, 0}, {2, 2}), {x, indices}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"kernel -1", form({-1, 2}, {2, 2}), {x, indices}, {}, rule::kernel_must_be_positive, -1, 1});
  NNRT_CHECK_REFUSED(op, {"stride 0", form({2, 2}, {2, 0}), {x, indices}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op,
      {"pad -1", form({2, 2}, {2, 2}, around(-1, 0, 0, 0)), {x, indices}, {}, rule::pads_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"same",
                          form({2, 2}, {2, 2}, {pad_mode::same, 0, 0, 0, 0}),
                          {x, indices},
                          {},
                          rule::pads_must_be_explicit,
                          int(pad_mode::same),
                          int(pad_mode::explicit_pads)});
  NNRT_CHECK_REFUSED(op, {"hostile stride",
                          form({2, 2}, {max_window_length + 1, 2}),
                          {x, indices},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          max_window_length + 1,
                          max_window_length});
  NNRT_CHECK_REFUSED(
      op, {"pads", form({2, 2}, {1, 1}, around(3, 2, 0, 0)), {x, indices}, {}, rule::pads_must_leave_an_output, 0, 1});
}

static_assert(run<op, float>(form({1, 2}, {1, 2}), {1, 1, 4, 1}, filled<float>({1, 1, 2, 1}, {5, 6}),
                             filled<std::int32_t>({1, 1, 2, 1}, {1, 2}))
                  .elements == std::vector<float>{0, 5, 6, 0});

TEST_CASE("max_unpool: numbers go to the pixels of their image and channel, and the rest is 0") {
  // Two channels, whose numbers lie next to each other.
  const filled<float> small({2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const filled<std::int32_t> at({2, 1, 2, 2}, {0, 5, 3, 4, 2, 2, 1, 0});
  const auto y = run<op, float>(form({2, 2}, {2, 2}), {2, 2, 3, 2}, small, at);
  CHECK(y.elements == std::vector<float>{1, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 2, 0, 8, 7, 0, 5, 6, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("max_unpool: an index in a window counts from the window's place, less the pads") {
  const filled<float> small({1, 2, 2, 1}, {1, 2, 3, 4});
  const filled<std::int32_t> at({1, 2, 2, 1}, {3, 2, 1, 0});
  // Windows begin at rows 0, 2 and columns -1, 1: (1, 0), (1, 1), (2, 0), (2, 1).
  const auto y = run<op, float>(form({2, 2}, {2, 2}, around(0, 0, 1, 0), true), {1, 4, 3, 1}, small, at);
  CHECK(y.elements == std::vector<float>{0, 0, 0, 1, 2, 0, 3, 4, 0, 0, 0, 0});
}

TEST_CASE("max_unpool: the last number for a pixel counts, and one without a pixel is left out") {
  const filled<float> small({1, 1, 4, 1}, {1, 2, 3, 4});
  CHECK(run<op, float>(form({1, 1}, {1, 1}), {1, 1, 4, 1}, small, filled<std::int32_t>({1, 1, 4, 1}, {2, 2, -1, 4}))
            .elements == std::vector<float>{0, 0, 2, 0});
  // Windows of 1x2: index 2 is in the row below, -1 is one column before the window, 3 and 5 are below the image.
  CHECK(run<op, float>(form({1, 2}, {1, 1}, {}, true), {1, 2, 4, 1}, small,
                       filled<std::int32_t>({1, 1, 4, 1}, {2, -1, 5, 1}))
            .elements == std::vector<float>{2, 0, 0, 0, 1, 0, 0, 0});
}

TEST_CASE("max_unpool: zeros of quantised values are their zero point") {
  filled<std::int8_t> small({1, 1, 1, 1}, {100}), y(shape_t{1, 1, 2, 1});
  filled<std::int32_t> at({1, 1, 1, 1}, {1});
  y.desc.quantised = quant{0.5F, -7};
  const view in[] = {small.as_view(), at.as_view()}, out[] = {y.as_view()};
  op::reference<std::int8_t>(form({1, 2}, {1, 2}), in, out);
  CHECK(y.elements == std::vector<std::int8_t>{-7, 100});
}
