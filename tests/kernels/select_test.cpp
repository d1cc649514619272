#include <nnrt/kernels/select.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/ops/squeeze.hpp>

#include <support/operators.hpp>

#include <doctest/doctest.h>

using namespace nnrt_test;

namespace {

/// The name of the kernel that is chosen in constant evaluation, as static graphs ask for it; empty: the reference.
template <class Op>
constexpr std::string_view chosen(const typename Op::attrs& attrs, std::initializer_list<operand> in,
                                  std::initializer_list<tensor_desc> wanted = {}, winograd use = winograd::automatic) {
  const verdict v = infer<Op>(attrs, in, wanted);
  if (!v) return "refused";
  std::vector<word> words;
  pack(attrs, words);
  return kernels::select_for<Op, reference_types<Op>()>(
             {words, std::span(in.begin(), in.size()), v.outputs, false, use})
      .name;
}

constexpr operand image = computed(f32_of({1, 8, 8, 16})), channels = weight(f32_of({16})),
                  integral = computed({i32, {1, 8, 8, 16}});

template <class Op> constexpr bool is_unary() { return chosen<Op>({}, {image}) == "unary"; }
static_assert(is_unary<ops::relu>() && is_unary<ops::relu6>() && is_unary<ops::sigmoid>() && is_unary<ops::tanh>() &&
              is_unary<ops::hswish>());
static_assert(is_unary<ops::gelu>());
static_assert(chosen<ops::relu>({}, {integral}).empty());

template <class Op> constexpr bool is_binary() {
  return chosen<Op>({}, {image, image}) == "binary" && chosen<Op>({}, {image, channels}) == "binary channels" &&
         chosen<Op>({}, {integral, integral}) == "binary elements";
}
static_assert(is_binary<ops::add>() && is_binary<ops::sub>() && is_binary<ops::mul>() && is_binary<ops::div>() &&
              is_binary<ops::maximum>());
static_assert(is_binary<ops::eltwise>() && is_binary<ops::squared_difference>() && is_binary<ops::less_equal>());
static_assert(chosen<ops::pow>({}, {image, channels}) == "binary elements");
static_assert(chosen<ops::bias_add>({}, {image, channels}) == "binary channels" &&
              chosen<ops::prelu>({}, {image, channels}) == "binary channels");
static_assert(chosen<ops::scale>({}, {image, channels, channels}) == "scale channels");
static_assert(is_unary<ops::sqrt>() && is_unary<ops::rsqrt>());
static_assert(chosen<ops::batch_norm>({}, {image, channels, channels, channels, channels}) == "normalise channels");
static_assert(chosen<ops::layer_norm>(
                  [] {
                    ops::layer_norm::attrs a;
                    a.begin_norm_axis = a.begin_param_axis = 3;
                    return a;
                  }(),
                  {image, channels, channels}) == "layer norm rows");

static_assert(chosen<ops::softmax>({}, {image}) == "softmax rows");
static_assert(chosen<ops::reduce_mean>({}, {image, integers(numbers<1, 2>)}) == "reduce columns");
static_assert(chosen<ops::reduce_mean>({}, {image}) == "reduce rows" &&
              chosen<ops::reduce_mean>({}, {image, integers(numbers<1, 3>)}).empty());

template <class Op> constexpr typename Op::attrs global_pool() {
  typename Op::attrs a;
  a.global = true;
  return a;
}
constexpr operand wide_image = computed(f32_of({1, 56, 56, 64})), filters = weight(f32_of({64, 3, 3, 64}));
static_assert(chosen<ops::max_pool>(global_pool<ops::max_pool>(), {wide_image}) == "pool channels" &&
              chosen<ops::avg_pool>(global_pool<ops::avg_pool>(), {image}) == "pool channels");
constexpr operand narrow_image = computed(f32_of({1, 8, 8, 4 * kernels::f32_lanes - 1}));
static_assert(chosen<ops::max_pool>(global_pool<ops::max_pool>(), {narrow_image}) == "pool rows",
              "fewer than four whole vectors");
static_assert(chosen<ops::conv2d>({}, {wide_image, filters}) == "winograd 4x4");
static_assert(chosen<ops::conv2d>({}, {wide_image, filters}, {}, winograd::off) == "gemm windows");
constexpr ops::conv2d::attrs by_2 = [] {
  ops::conv2d::attrs a;
  return a.stride = {2, 2}, a;
}();
static_assert(chosen<ops::conv2d>(by_2, {wide_image, filters}) == "winograd 4x4 by 2");
static_assert(chosen<ops::conv2d>(by_2, {wide_image, filters}, {}, winograd::off) == "gemm windows");
static_assert(chosen<ops::conv2d>({}, {wide_image, computed(filters.desc)}) == "gemm windows",
              "transforming costs more than it saves");
static_assert(chosen<ops::conv2d>({}, {computed(f32_of({1, 28, 4 * kernels::f32_lanes, 1})),
                                       weight(f32_of({1, 3, 3, 1}))}) ==
                  (kernels::f32_lanes > 1 ? "spatial" : "gemm windows"),
              "vectors of one lane hold pixels as they hold channels");

// Single rows of large layers read weights that are not packed.
constexpr operand classes = weight(f32_of({1000, 1280}));
static_assert(chosen<ops::full_connection>({}, {computed(f32_of({1, 1280})), classes}) == "dot rows");
static_assert(chosen<ops::full_connection>({}, {computed(f32_of({2, 1280})), classes}) == "gemm rows",
              "a second row reads them again");
static_assert(chosen<ops::full_connection>({}, {computed(f32_of({1, 1280})), weight(f32_of({200, 1280}))}) ==
                  "gemm rows",
              "L2 keeps them");

// Quantised values are no plain ones, and no floats.
template <dtype Type, int ZeroPoint> constexpr bool has_kernels_of_its_own() {
  const quantisation q = quant{0.1F, 3};
  const operand x = computed({Type, nhwc, {1, 8, 8, 16}, q});
  tensor_desc wish, share;
  wish.quantised = q, share.quantised = quant{1.0F / 256, ZeroPoint};
  const operand filters = weight({Type, nhwc, {16, 1, 1, 16}, per_channel<0>}),
                taps = weight({Type, nhwc, {16, 3, 3, 1}, per_channel<0>}),
                rows = weight({Type, nd, {10, 16}, per_channel<0>}), columns = computed({Type, nd, {16, 4}, q});
  return chosen<ops::conv2d>({}, {x, filters}, {wish}) == "dot pixels" &&
         chosen<ops::depthwise_conv2d>({}, {x, taps}, {wish}) == "dot taps" &&
         chosen<ops::full_connection>({}, {x, rows}, {wish}) == "dot rows" &&
         chosen<ops::matmul>({}, {x, columns}, {wish}) == "dot batch" &&
         chosen<ops::max_pool>(global_pool<ops::max_pool>(), {x}) == "pool int8" &&
         chosen<ops::avg_pool>(global_pool<ops::avg_pool>(), {x}) == "pool int8" &&
         chosen<ops::softmax>({}, {x}, {share}) == "softmax quantised" &&
         chosen<ops::reduce_mean>({}, {x, integers(numbers<1, 2>)}, {wish}) == "reduce int8";
}
static_assert(has_kernels_of_its_own<i8, -128>() && has_kernels_of_its_own<u8, 0>());

static_assert(chosen<ops::transpose>({}, {image, integers(numbers<0, 3, 1, 2>)}) == "transpose planes");
static_assert(chosen<ops::transpose>({}, {integral, integers(numbers<0, 2, 1, 3>)}) == "copy rows");
static_assert(chosen<ops::concat>({}, {image, image}) == "copy rows");
static_assert(chosen<ops::slice>({}, {image, integers(numbers<0, 1, 1, 0>), integers(numbers<1, 4, 4, 16>)}) ==
              "copy rows");
static_assert(chosen<ops::pad>({}, {image, integers(numbers<0, 0, 1, 1, 1, 1, 0, 0>)}) == "pad rows");
static_assert(chosen<ops::split>(
                  [] {
                    ops::split::attrs a;
                    a.axis = 3;
                    a.output_num = 2;
                    return a;
                  }(),
                  {image}) == "copy rows");

}  // namespace

TEST_CASE("select: a shape that is not known yet is left to the reference") {
  const tensor_desc unknown = f32_of({-1, 8, 8, 16});
  const operand x = computed(unknown);
  CHECK_FALSE(bool(kernels::binding<ops::relu>::select({{}, std::span(&x, 1), std::span(&unknown, 1)})));
}

TEST_CASE("select: in a static graph layers have no names of rules, at run time all operators have") {
  CHECK(static_operator<ops::conv2d, f32>.rules.empty());
  CHECK(at_run_time<&static_operator<ops::conv2d, f32>>.rules.size() == ops::of<ops::conv2d>().rules.size());
  CHECK(at_run_time<&static_operator<ops::squeeze, f32>>.rules.size() == ops::of<ops::squeeze>().rules.size());
  CHECK(static_operator<ops::gather, f32>.rules.size() == ops::of<ops::gather>().rules.size());
}

TEST_CASE("select: at run time a static graph's operator computes, and chooses functions, as the one for every dtype") {
  constexpr const operator_info& relu = static_operator<ops::relu, f32>;
  float x[] = {-1, 2}, y[] = {-3, -3};
  const tensor_desc two = f32_of({2});
  const view in(&two, x), out(&two, y);
  CHECK_FALSE(bool(relu.reference({}, arguments(std::span(&in, 1)), results(std::span(&out, 1)))));
  CHECK(y[0] == 0);
  CHECK(y[1] == 2);

  const operand given = computed(two);
  const kernel_request request{{}, std::span(&given, 1), std::span(&two, 1)};
  const kernel_choice expected = ops::of<ops::relu>().select(request);
  REQUIRE(bool(expected.run != nullptr));
  CHECK(bool(at_run_time<&relu>.select(request).run == expected.run));
}

TEST_CASE(
    "select: at run time a static graph's operator has its rules and counts its products, and folding finds an "
    "operator that does") {
  constexpr const operator_info& conv2d = static_operator<ops::conv2d, f32>;
  std::vector<word> words;
  pack(ops::conv2d::attrs{}, words);
  const std::vector<operand> fitting{image, weight(f32_of({4, 3, 3, 16}))}, other{image, weight(f32_of({4, 3, 3, 8}))};
  const verdict inferred = conv2d.infer(words, fitting, {});
  REQUIRE(bool(inferred));
  CHECK(inferred.output(0).shape == shape_t{1, 6, 6, 4});
  CHECK(conv2d.macs(words, fitting, inferred.outputs) == 6 * 6 * 4 * 3 * 3 * 16);
  CHECK(breaks(conv2d.infer(words, other, {}), ops::conv2d::rule::input_channels_must_equal_weight_channels_times_group,
               16, 8));

  const operator_info* const folded = static_operator<ops::batch_norm, f32>.folded_as;
  REQUIRE(bool(folded != nullptr));
  CHECK(folded->code == ops::fold_affine::code);
  CHECK(folded->computes_on.contains(f64));
}
