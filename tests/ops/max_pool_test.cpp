// max_pool: its rules one by one, its shapes, and its meaning against numbers that other code computed.
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/relu.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::max_pool;
using rule = op::rule;

struct form {
  extent2 kernel{2, 2}, stride{1, 1};
  pads pad{};
  bool ceil_mode = false, global = false;
  activation fused = activation::none;

  constexpr operator op::attrs() const {
    op::attrs a;
    a.kernel = kernel, a.stride = stride, a.pad = pad, a.ceil_mode = ceil_mode, a.global = global, a.fused = fused;
    return a;
  }
};
constexpr pads same_pads{pad_mode::same, 0, 0, 0, 0}, valid_pads{pad_mode::valid, 0, 0, 0, 0};
constexpr pads around(std::int64_t top, std::int64_t bottom, std::int64_t left, std::int64_t right) {
  return {pad_mode::explicit_pads, top, bottom, left, right};
}
constexpr std::int64_t bits(float real) { return std::bit_cast<std::int32_t>(real); }
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr operand x = computed(f32_of({1, 8, 8, 4}));

TEST_CASE("max_pool: each rule is broken with its two values") {
  NNRT_CHECK_REFUSED(op, {"rank 3", form{}, {computed(f32_of({8, 8, 4}))}, {}, rule::input_rank_must_be_4, 3, 4});
  NNRT_CHECK_REFUSED(
      op, {"nchw", form{}, {computed({f32, nchw, {1, 4, 8, 8}})}, {}, rule::input_must_be_nhwc, int(nchw), int(nhwc)});
  NNRT_CHECK_REFUSED(op, {"no kernel", {}, {x}, {}, rule::kernel_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"negative kernel", form{.kernel{2, -1}}, {x}, {}, rule::kernel_must_be_positive, -1, 1});
  NNRT_CHECK_REFUSED(op, {"global of nothing",
                          form{.global = true},
                          {computed(f32_of({1, 8, 0, 4}))},
                          {},
                          rule::kernel_must_be_positive,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"stride 0", form{.stride{0, 1}}, {x}, {}, rule::stride_must_be_positive, 0, 1});
  NNRT_CHECK_REFUSED(op, {"hostile stride", form{.stride{1, -huge}}, {x}, {}, rule::stride_must_be_positive, -huge, 1});
  NNRT_CHECK_REFUSED(
      op, {"negative pad", form{.pad = around(0, -1, 0, 0)}, {x}, {}, rule::pads_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"hostile kernel",
                          form{.kernel{huge, 1}},
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"hostile kernel under same",
                          form{.kernel{1, huge}, .pad = same_pads},
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"hostile pads",
                          form{.pad = around(0, 0, huge, huge)},
                          {x},
                          {},
                          rule::window_lengths_must_not_exceed_the_size_limit,
                          huge,
                          max_window_length});
  NNRT_CHECK_REFUSED(op, {"9 rows", form{.kernel{9, 1}}, {x}, {}, rule::padded_input_must_cover_kernel, 8, 9});
  NNRT_CHECK_REFUSED(op, {"no rows",
                          form{.kernel{2, 1}},
                          {computed(f32_of({1, 0, 8, 4}))},
                          {},
                          rule::padded_input_must_cover_kernel,
                          0,
                          2});
  NNRT_CHECK_REFUSED(op, {"11 columns of 10",
                          form{.kernel{1, 11}, .pad = around(0, 0, 1, 1)},
                          {x},
                          {},
                          rule::padded_input_must_cover_kernel,
                          10,
                          11});
  NNRT_CHECK_REFUSED(
      op,
      {"a window of padding", form{.pad = around(0, 2, 0, 0)}, {x}, {}, rule::pads_must_be_smaller_than_kernel, 2, 1});
  constexpr tensor_desc q{i8, nhwc, {1, 8, 8, 4}, quant{0.5F, 5}}, other_zero{i8, nhwc, {1, 7, 7, 4}, quant{0.5F, 4}},
      other_scale{i8, nhwc, {1, 7, 7, 4}, quant{0.25F, 5}};
  CHECK(breaks(infer<op>(form{}, {computed(q)}, {other_zero}), signature_rule::declared_output_quantisation_must_match,
               5, 4));
  CHECK(breaks(infer<op>(form{}, {computed(q)}, {other_scale}), signature_rule::declared_output_quantisation_must_match,
               bits(0.5F), bits(0.25F)));
  CHECK(breaks(infer<op>(form{}, {computed({i8, nhwc, {1, 8, 8, 4}, per_channel<3>})}),
               signature_rule::quantised_operand_must_have_one_scale, 4, 1));
  CHECK(breaks(infer<op>(form{}, {}), signature_rule::required_operand_must_be_given, 0, 1));
  CHECK(breaks(infer<op>(form{}, {x, x}), signature_rule::operands_must_not_exceed_the_signature, 2, 1));
  CHECK(breaks(infer<op>(form{}, {computed({boolean, {1, 8, 8, 4}})}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(boolean), int(i8)));
}

TEST_CASE("max_pool: the output has the extents of the window formula") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, y;
  };
  static constexpr row table[] = {
      {"identity", form{.kernel{1, 1}}, {2, 5, 7, 3}, {2, 5, 7, 3}},
      {"2x2 stride 2, odd edge", form{.stride{2, 2}}, {3, 5, 7, 3}, {3, 2, 3, 3}},
      {"four pads", form{.kernel{3, 2}, .stride{2, 1}, .pad = around(1, 1, 1, 1)}, {2, 5, 4, 3}, {2, 3, 5, 3}},
      {"same", form{.kernel{3, 3}, .stride{2, 2}, .pad = same_pads}, {1, 7, 8, 3}, {1, 4, 4, 3}},
      {"same, kernel above the image", form{.kernel{9, 9}, .pad = same_pads}, {1, 2, 3, 1}, {1, 2, 3, 1}},
      {"same, kernel at the limit", form{.kernel{max_window_length, 1}, .pad = same_pads}, {1, 2, 3, 1}, {1, 2, 3, 1}},
      {"valid", form{.kernel{3, 3}, .stride{2, 2}, .pad = valid_pads}, {1, 8, 8, 3}, {1, 3, 3, 3}},
      {"ceil: one more, in part", form{.kernel{3, 3}, .stride{2, 2}, .ceil_mode = true}, {1, 4, 8, 1}, {1, 2, 4, 1}},
      {"ceil where nothing is left over",
       form{.kernel{3, 3}, .stride{2, 2}, .ceil_mode = true},
       {1, 5, 7, 1},
       {1, 2, 3, 1}},
      {"ceil: a start after the image is dropped",
       form{.kernel{1, 1}, .stride{4, 3}, .ceil_mode = true},
       {1, 6, 6, 1},
       {1, 2, 2, 1}},
      {"ceil: a start in the padding after it is dropped",
       form{.kernel{2, 2}, .stride{3, 3}, .pad = around(0, 1, 1, 1), .ceil_mode = true},
       {1, 3, 3, 1},
       {1, 1, 2, 1}},
      {"ceil: a start on the last pixel stays",
       form{.kernel{2, 2}, .stride{3, 3}, .pad = around(1, 0, 0, 0), .ceil_mode = true},
       {1, 3, 4, 1},
       {1, 2, 2, 1}},
      {"ceil says nothing about valid",
       form{.kernel{3, 3}, .stride{2, 2}, .pad = valid_pads, .ceil_mode = true},
       {1, 8, 8, 3},
       {1, 3, 3, 3}},
      {"global", form{.kernel{0, 0}, .stride{0, 0}, .global = true}, {2, 5, 7, 3}, {2, 1, 1, 3}},
      {"global over unknown extents", form{.global = true}, {-1, -1, -1, 3}, {-1, 1, 1, 3}},
      {"unknown height", form{}, {1, -1, 8, -1}, {1, -1, 7, -1}},
      {"no images", form{}, {0, 8, 8, 4}, {0, 7, 7, 4}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, {computed(f32_of(r.x))});
    REQUIRE(v);
    CHECK(shape_of(v) == r.y);
  }
}

/// A test pattern: element i is i * 7 % 11 - 5.
template <class T> filled<T> pattern(shape_t shape) {
  filled<T> t(shape);
  for (std::size_t i = 0; i < t.elements.size(); ++i) t.elements[i] = static_cast<T>(static_cast<int>(i) * 7 % 11 - 5);
  return t;
}

static_assert(run<op, float>(form{.stride{2, 2}}, {1, 1, 2, 1},
                             filled<float>({1, 2, 4, 1}, {1, 2, -3, -4, 4, 3, -2, -1}))
                  .elements == std::vector<float>{4, -1});

// x: i * 7 % 11 - 5, [2, 5, 4, 3]; kernel (3, 2), stride (2, 1), pads 1 all around. Python: max over the pixels whose
// indices lie in the image.
constexpr int maxima[] = {2, 2, 5, 5, 2, 5, 5, 1, 4, 4, 0, 3, 3, -1, 2, 5, 5, 5,  5, 5, 5, 4, 4, 4, 3, 3, 5, 2, 2, 5,
                          5, 1, 4, 5, 1, 4, 4, 0, 3, 3, 5, 5, 2, 5,  5, 4, 4, 0,  4, 4, 0, 3, 3, 5, 5, 2, 5, 5, 1, 4,
                          4, 3, 3, 4, 3, 3, 5, 5, 5, 5, 5, 5, 4, 4,  4, 3, 3, -1, 3, 3, 5, 5, 2, 5, 5, 1, 4, 4, 0, 3};

TEST_CASE_TEMPLATE("max_pool: the largest pixel of each window, for floats and signed integers", T, float16, float,
                   double, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
  for (const activation fused : {activation::none, activation::relu}) {
    const auto y = run<op, T>(form{.kernel{3, 2}, .stride{2, 1}, .pad = around(1, 1, 1, 1), .fused = fused},
                              {2, 3, 5, 3}, pattern<T>({2, 5, 4, 3}));
    for (std::size_t i = 0; i < y.elements.size(); ++i) {
      CAPTURE(i);
      CHECK(static_cast<double>(y.elements[i]) == (fused == activation::relu && maxima[i] < 0 ? 0 : maxima[i]));
    }
  }
}

TEST_CASE_TEMPLATE("max_pool: padding never wins, not even over the smallest number", T, float, std::int8_t,
                   std::uint8_t, std::uint64_t) {
  const T least = std::numeric_limits<T>::lowest();
  const auto y = run<op, T>(form{.pad = around(1, 1, 1, 1)}, {1, 2, 2, 1}, filled<T>({1, 1, 1, 1}, {least}));
  CHECK(y.elements == std::vector<T>(4, least));
}

TEST_CASE("max_pool: a NaN in a window makes its result one, and infinities are numbers") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const auto y =
      run<op, float>(form{.kernel{1, 2}}, {1, 1, 5, 1}, filled<float>({1, 1, 6, 1}, {-inf, -inf, 1, nan, 2, inf}));
  CHECK(y.elements[0] == -inf);
  CHECK(y.elements[1] == 1);
  CHECK(y.elements[2] != y.elements[2]);
  CHECK(y.elements[3] != y.elements[3]);
  CHECK(y.elements[4] == inf);
}

TEST_CASE("max_pool: large unsigned numbers are compared as such") {
  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  CHECK(run<op, std::uint64_t>(form{.kernel{1, 2}, .fused = activation::relu}, {1, 1, 1, 1},
                               filled<std::uint64_t>({1, 1, 2, 1}, {top, 1}))
            .elements[0] == top);
}

TEST_CASE("max_pool: a quantised image keeps its scale, and activations cut at the stored 0 and 6") {
  const tensor_desc q{i8, nhwc, {1, 8, 8, 4}, quant{0.5F, 5}};
  const verdict v = infer<op>(form{}, {computed(q)});
  REQUIRE(v);
  CHECK(v.output(0).quantised == q.quantised);
  CHECK(infer<op>(form{}, {computed(q)}, {tensor_desc{i8, nhwc, {1, 7, 7, 4}, quant{0.5F, 5}}}).output(0).shape ==
        shape_t{1, 7, 7, 4});

  filled<std::int8_t> pixels({1, 1, 3, 1}, {-100, 10, 100}), y(shape_t{1, 1, 3, 1});
  y.desc.quantised = quant{0.5F, 5};
  const view in[] = {pixels.as_view()}, out[] = {y.as_view()};
  op::reference<std::int8_t>(form{.kernel{1, 1}, .fused = activation::relu6}, in, out);
  CHECK(y.elements == std::vector<std::int8_t>{5, 10, 17});
  CHECK(infer<op>(form{}, {computed({i8, {1, 8, 8, 4}})}).output(0).quantised == quantisation{});  // a plain one, too
}

TEST_CASE("max_pool: of u8 images, two at once") {
  filled<std::uint8_t> pixels({2, 1, 3, 1}, {0, 255, 7, 200, 3, 1}), y(shape_t{2, 1, 2, 1});
  pixels.desc.quantised = y.desc.quantised = quant{0.5F, 128};
  const view in[] = {pixels.as_view()}, out[] = {y.as_view()};
  op::reference<std::uint8_t>(form{.kernel{1, 2}}, in, out);
  CHECK(y.elements == std::vector<std::uint8_t>{255, 255, 200, 3});
  op::reference<std::uint8_t>(form{.kernel{1, 2}, .fused = activation::relu}, in, out);
  CHECK(y.elements == std::vector<std::uint8_t>{255, 255, 200, 128});
  op::reference<std::uint8_t>(form{.kernel{1, 2}, .fused = activation::relu6}, in, out);
  CHECK(y.elements == std::vector<std::uint8_t>{140, 140, 140, 128});
}

TEST_CASE("max_pool: global takes the largest pixel of each channel") {
  const auto y =
      run<op, float>(form{.global = true}, {2, 1, 1, 2}, filled<float>({2, 1, 2, 2}, {1, 8, 3, 4, -5, -6, -7, -2}));
  CHECK(y.elements == std::vector<float>{3, 8, -5, -2});
}

TEST_CASE("max_pool: a huge kernel walks over the image, not over the padding") {
  const auto y = run<op, float>(form{.kernel{max_window_length, max_window_length}, .pad = same_pads}, {1, 1, 2, 1},
                                filled<float>({1, 1, 2, 1}, {1, 2}));
  CHECK(y.elements == std::vector<float>{2, 2});
}

constexpr auto network = [](builder& g) {
  auto input = g.input<f32, nnrt::shape<2, 10, 8, 4>>("x");
  auto y = max_pool(input, kernel<3, 2>, stride<2, 1>, padding<1, 1, 1, 0>, ceil_mode, relu);
  static_assert(y.desc == tensor_desc(f32, {2, 6, 8, 4}));
  g.output("y", max_pool(max_pool(y, same, kernel<3, 3>), global));
};

TEST_CASE("max_pool: keywords arrive as attributes") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 3);
  const auto a = unpack<op::attrs>(g.attrs_of(g.nodes[0]));
  CHECK(a.kernel == extent2{3, 2});
  CHECK(a.stride == extent2{2, 1});
  CHECK(a.pad == around(1, 1, 1, 0));
  CHECK(a.ceil_mode);
  CHECK(!a.global);
  CHECK(a.fused == activation::relu);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[1])).pad.mode == pad_mode::same);
  CHECK(unpack<op::attrs>(g.attrs_of(g.nodes[2])).global);
}

static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size() == 3;
}());

}  // namespace
