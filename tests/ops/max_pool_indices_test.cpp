// max_pool_indices_test: rules, shapes, and which pixels are found.
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/max_pool_indices.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::max_pool_indices;
using rule = op::rule;

constexpr op::attrs form(extent2 kernel, extent2 stride = {1, 1}, pads pad = {}, bool in_window = false) {
  op::attrs a;
  a.kernel = kernel, a.stride = stride, a.pad = pad, a.in_window = in_window;
  return a;
}
constexpr pads same_pads{pad_mode::same, 0, 0, 0, 0};
constexpr pads around(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {pad_mode::explicit_pads, top, bottom, left, right};
}
constexpr operand x = computed(f32_of({1, 8, 8, 4}));

struct outcome {
  std::vector<float> y;
  std::vector<std::int32_t> indices;
};
template <class T = float> constexpr outcome run_on(const op::attrs& a, const filled<T>& image, shape_t out) {
  filled<T> y(out), input = image;
  filled<std::int32_t> indices(out);
  const view in[] = {input.as_view()}, made[] = {y.as_view(), indices.as_view()};
  op::reference<T>(a, in, made);
  return {std::vector<float>(y.elements.begin(), y.elements.end()), indices.elements};
}
/// i * 7 % 11 - 5.
filled<float> pattern(shape_t shape) {
  filled<float> t(shape);
  for (std::size_t i = 0; i < t.elements.size(); ++i)
    t.elements[i] = static_cast<float>(static_cast<int>(i) * 7 % 11 - 5);
  return t;
}

}  // namespace

TEST_CASE("max_pool_indices: both results have the shape of max_pool's, and indices no scale") {
  const verdict v = infer<op>(form({3, 2}, {2, 2}), {computed({i8, nhwc, {2, 9, 8, 3}, quant{0.5F, 3}})});
  REQUIRE(bool(v));
  CHECK(v.output(0) == tensor_desc{i8, nhwc, {2, 4, 4, 3}, quant{0.5F, 3}});
  CHECK(v.output(1) == tensor_desc{i32, nhwc, {2, 4, 4, 3}});
  CHECK(shape_of(infer<op>(form({2, 2}, {2, 2}, same_pads), {computed(f32_of({1, -1, 7, 3}))}), 1) ==
        shape_t{1, -1, 4, 3});
}

TEST_CASE("max_pool_indices: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"rank 3", form({2, 2}), {computed(f32_of({8, 8, 4}))}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(op, {"nchw",
                          form({2, 2}),
                          {computed({f32, nchw, {1, 4, 8, 8}})},
                          {},
                          rule::input_must_be_nhwc,
                          int(nchw),
                          int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"no kernel", {}, {x}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"stride 0", form({2, 2}, {0, 1}), {x}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative pad", form({2, 2}, {1, 1}, around(0, -1, 0, 0)), {x}, {}, rule::pads_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"hostile stride",
                          form({2, 2}, {1, max_window_length + 1}),
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          max_window_length + 1,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"kernel above the image", form({9, 1}), {x}, {}, rule::padded_input_must_cover_kernel, 8, 9});
  NNRT_CHECK_REFUSED(op, {"window of padding",
                          form({2, 2}, {1, 1}, around(2, 0, 0, 0)),
                          {x},
                          {},
                          rule::pads_must_be_smaller_than_kernel,
                          2,
                          1});
  NNRT_CHECK_REFUSED(op, {"image of more pixels than i32 counts",
                          form({1, 1}),
                          {computed(f32_of({1, 65536, 32768, 1}))},
                          {},
                          rule::pixels_must_be_countable_in_31_bits,
                          std::int64_t{1} << 31,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"window of more places",
                          form({65536, 65536}, {1, 1}, same_pads, true),
                          {x},
                          {},
                          rule::pixels_must_be_countable_in_31_bits,
                          std::int64_t{1} << 32,
                          max_window_length});
}

static_assert(run_on(form({1, 2}, {1, 2}), filled<float>({1, 1, 4, 1}, {1, 2, 4, 3}), {1, 1, 2, 1}).indices ==
              std::vector<std::int32_t>{1, 2});

TEST_CASE("max_pool_indices: an index counts the pixels of the image, or those of the window") {
  // One channel, [3, 4]; windows 2x2 with stride 2 and SAME padding, a row of which lies after the image.
  const filled<float> image({1, 3, 4, 1}, {1, 2, 7, 7, 3, 4, 5, 7, 9, 8, -1, 0});
  const outcome in_image = run_on(form({2, 2}, {2, 2}, same_pads), image, {1, 2, 2, 1});
  CHECK(in_image.y == std::vector<float>{4, 7, 9, 0});
  CHECK(in_image.indices == std::vector<std::int32_t>{5, 2, 8, 11});
  const outcome in_window = run_on(form({2, 2}, {2, 2}, same_pads, true), image, {1, 2, 2, 1});
  CHECK(in_window.y == in_image.y);
  CHECK(in_window.indices == std::vector<std::int32_t>{3, 0, 0, 1});
  // Padding in front: a window's places in the padding are counted, though none of them is found.
  const outcome padded = run_on(form({2, 2}, {2, 2}, around(1, 0, 1, 1), true), image, {1, 2, 3, 1});
  CHECK(padded.y == std::vector<float>{1, 7, 7, 9, 8, 7});
  CHECK(padded.indices == std::vector<std::int32_t>{3, 3, 2, 3, 2, 0});
}

// Python: x = [i * 7 % 11 - 5 for i in range(2 * 5 * 4 * 3)], [2, 5, 4, 3]; kernel (3, 2), stride (2, 1), pads 1 all
// around; max(((h, w) for h, w in window if inside), key=lambda p: x[...]), which is the first of equal ones; h * 4 +
// w.
constexpr int found[] = {4,  0,  4,  1,  0,  4,  1,  1,  5,  2,  2,  6,  3,  3,  7,  12, 8,  4,  12, 8,  4,  13, 9,
                         5,  14, 10, 15, 15, 11, 15, 12, 12, 16, 12, 12, 16, 13, 13, 17, 14, 19, 15, 15, 19, 15, 4,
                         0,  0,  4,  0,  0,  5,  1,  6,  3,  2,  6,  3,  3,  7,  4,  12, 8,  4,  12, 8,  14, 10, 6,
                         14, 10, 6,  15, 11, 7,  16, 12, 12, 16, 12, 17, 14, 13, 17, 14, 14, 18, 15, 15, 19};

TEST_CASE("max_pool_indices: indices of windows over two images, of each channel") {
  const outcome got = run_on(form({3, 2}, {2, 1}, around(1, 1, 1, 1)), pattern({2, 5, 4, 3}), {2, 3, 5, 3});
  CHECK(got.indices == std::vector<std::int32_t>(std::begin(found), std::end(found)));
  ops::max_pool::attrs a;
  a.kernel = {3, 2}, a.stride = {2, 1}, a.pad = around(1, 1, 1, 1);
  CHECK(got.y == run<ops::max_pool, float>(a, {2, 3, 5, 3}, pattern({2, 5, 4, 3})).elements);
}

TEST_CASE("max_pool_indices: a NaN is found, the first of several; the least number is found in a window of its like") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const outcome got = run_on(form({1, 3}, {1, 3}),
                             filled<float>({1, 1, 9, 1}, {1, nan, nan, -inf, -inf, -inf, nan, inf, 2}), {1, 1, 3, 1});
  CHECK(got.indices == std::vector<std::int32_t>{1, 3, 6});
  CHECK(got.y[0] != got.y[0]);
  CHECK(got.y[1] == -inf);
  const outcome bytes =
      run_on(form({1, 2}, {1, 2}), filled<std::int8_t>({1, 1, 4, 1}, {-128, -128, 3, 127}), {1, 1, 2, 1});
  CHECK(bytes.indices == std::vector<std::int32_t>{0, 3});
}

TEST_CASE("max_pool_indices: a fused activation changes the maximum, and not its index") {
  op::attrs a = form({1, 2}, {1, 2});
  a.fused = activation::relu6;
  const outcome got = run_on(a, filled<float>({1, 1, 4, 1}, {-3, -2, 7, 9}), {1, 1, 2, 1});
  CHECK(got.y == std::vector<float>{0, 6});
  CHECK(got.indices == std::vector<std::int32_t>{1, 3});
}
