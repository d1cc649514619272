#include <policy/limits.hpp>

#include <nnrt/ops/registry.hpp>

using namespace nnrt_test;

namespace {

constexpr const accelerator &x3 = bernoulli2::table, &ultra = bayes::table, &x5 = bayes_e::table;

template <class Op> constexpr ir::graph unary(shape_t x) { return single<Op>({of(x)}); }
template <class Op> constexpr ir::graph unary_of(dtype type, shape_t x) {
  node_operand o = of(type, x);
  o.desc.quantised = quant{0.25F, 0};
  return single<Op>({}, {o}, tensor_desc{type, nhwc, {}, quant{0.25F, 0}});
}
template <class Op> constexpr ir::graph both(shape_t a, shape_t b) { return single<Op>({of(a), of(b)}); }
template <class Op> constexpr ir::graph constant(shape_t a, shape_t b) { return single<Op>({of(a), weight_of(b)}); }
template <class Op> constexpr ir::graph constants(shape_t a, shape_t b) {
  return single<Op>({weight_of(a), weight_of(b)});
}
/// x times a constant of two numbers.
constexpr ir::graph times(float first, float second) {
  ir::graph g;
  const float numbers[] = {first, second};
  const std::int32_t x = add(g, of({1, 4, 4, 2})), by = g.add_constant<float>(tensor_desc{f32, {2}}, numbers);
  g.outputs.push_back({append<ops::mul>(g, {}, {x, by}), {}});
  return g;
}
/// times() of i8.
constexpr ir::graph times_quantised(std::int8_t first, std::int8_t second) {
  ir::graph g;
  const std::int8_t numbers[] = {first, second};
  node_operand stored = of(i8, {1, 4, 4, 2});
  stored.desc.quantised = quant{0.25F, 0};
  const std::int32_t x = add(g, stored),
                     by = g.add_constant<std::int8_t>(tensor_desc{i8, nhwc, {2}, quant{0.25F, 0}}, numbers);
  g.outputs.push_back({append<ops::mul>(g, {}, {x, by}, "node", tensor_desc{i8, nhwc, {}, quant{0.25F, 0}}), {}});
  return g;
}
constexpr ir::graph eltwise(eltwise_mode mode, shape_t a, shape_t b) {
  return single<ops::eltwise>(with<ops::eltwise>([&](auto& attrs) { attrs.mode = mode; }), {of(a), of(b)});
}

constexpr limit_row on_x3[] = {
    {"sum, channels", x3,
     [] {
       return both<ops::add>({1, 4, 4, 2048}, {1, 4, 4, 2048});
     },
     [] {
       return both<ops::add>({1, 4, 4, 2049}, {1, 4, 4, 2049});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"sum with a constant", x3,
     [] {
       return both<ops::add>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     [] {
       return constant<ops::add>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     constants_must_not_be_too_many, 1, 0},
    {"sum with a pixel", x3,
     [] {
       return both<ops::add>({2, 4, 4, 8}, {2, 1, 1, 8});
     },
     [] {
       return both<ops::add>({2, 4, 4, 8}, {2, 4, 1, 8});
     },
     operands_must_have_one_shape_or_one_be_a_pixel, 64, 8},
    {"sum of a row with an image", x3,
     [] {
       return both<ops::add>({2, 1, 1, 8}, {2, 4, 4, 8});
     },
     [] {
       return both<ops::add>({2, 4, 1, 8}, {2, 4, 4, 8});
     },
     operands_must_have_one_shape_or_one_be_a_pixel, 64, 8},
    {"sum with a number", x3,
     [] {
       return both<ops::add>({1, 4, 4, 1}, {1, 1, 1, 1});
     },
     [] {
       return both<ops::add>({1, 4, 4, 8}, {1, 1, 1, 1});
     },
     operands_must_have_one_shape_or_one_be_a_pixel, 1, 8},
    {"eltwise as a sum", x3,
     [] {
       return eltwise(eltwise_mode::sum, {1, 4, 4, 2048}, {1, 4, 4, 2048});
     },
     [] {
       return eltwise(eltwise_mode::sum, {1, 4, 4, 2049}, {1, 4, 4, 2049});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"product, channels", x3,
     [] {
       return both<ops::mul>({1, 4, 4, 2048}, {1, 1, 1, 1});
     },
     [] {
       return both<ops::mul>({1, 4, 4, 2049}, {1, 1, 1, 1});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"product, batch", x3,
     [] {
       return both<ops::mul>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     [] {
       return both<ops::mul>({2, 4, 4, 8}, {2, 4, 4, 8});
     },
     batch_must_lie_within_the_limits, 2, 1},
    {"product with a row", x3,
     [] {
       return both<ops::mul>({1, 4, 4, 8}, {1, 1, 1, 8});
     },
     [] {
       return both<ops::mul>({1, 4, 4, 8}, {1, 4, 1, 8});
     },
     operands_must_have_one_shape_or_one_be_a_pixel_or_a_number, 32, 8},
    {"product with 0", x3, [] { return times(0.5F, -1); }, [] { return times(0.5F, 0); }, constants_must_not_hold_0, 1,
     0},
    {"product with 0 first", x3, [] { return times(0.5F, -1); }, [] { return times(0, 0.5F); },
     constants_must_not_hold_0, 1, 0},
    {"product with stored 0", x3, [] { return times_quantised(2, -1); }, [] { return times_quantised(0, 2); },
     constants_must_not_hold_0, 1, 0},
    {"quotient, channels", x3,
     [] {
       return both<ops::div>({1, 4, 4, 2048}, {1, 1, 1, 1});
     },
     [] {
       return both<ops::div>({1, 4, 4, 2049}, {1, 1, 1, 1});
     },
     channels_must_lie_within_the_limits, 2049, 2048},
    {"quotient, batch", x3,
     [] {
       return both<ops::div>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     [] {
       return both<ops::div>({2, 4, 4, 8}, {2, 4, 4, 8});
     },
     batch_must_lie_within_the_limits, 2, 1},
    {"quotient with a constant", x3,
     [] {
       return both<ops::div>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     [] {
       return constant<ops::div>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     constants_must_not_be_too_many, 1, 0},
    {"quotient by a row", x3,
     [] {
       return both<ops::div>({1, 4, 4, 8}, {1, 1, 1, 8});
     },
     [] {
       return both<ops::div>({1, 4, 4, 8}, {1, 4, 1, 8});
     },
     operands_must_have_one_shape_or_one_be_a_pixel_or_a_number, 32, 8},
    {"sigmoid, wide order", x3,
     [] {
       return unary<ops::sigmoid>({1, 32, 8, 32});
     },
     [] {
       return unary<ops::sigmoid>({1, 32, 9, 32});
     },
     aligned_elements_must_lie_within_the_limits, 9216, 8192},
    {"sigmoid, wide order of narrow images", x3,
     [] {
       return unary<ops::sigmoid>({1, 256, 4, 4});
     },
     [] {
       return unary<ops::sigmoid>({1, 257, 4, 4});
     },
     aligned_elements_must_lie_within_the_limits, 8224, 8192},
    {"sigmoid, deep order", x3,
     [] {
       return unary<ops::sigmoid>({1, 256, 1, 32});
     },
     [] {
       return unary<ops::sigmoid>({1, 257, 1, 32});
     },
     aligned_elements_must_lie_within_the_limits, 8224, 8192},
    {"tanh", x3,
     [] {
       return unary<ops::tanh>({2, 32, 32, 8});
     },
     [] {
       return unary<ops::tanh>({1, 33, 32, 8});
     },
     elements_of_an_image_must_lie_within_the_limits, 8448, 8192},
    {"cos", x3,
     [] {
       return unary<ops::cos>({1, 32, 32, 8});
     },
     [] {
       return unary<ops::cos>({1, 33, 32, 8});
     },
     elements_of_an_image_must_lie_within_the_limits, 8448, 8192},
    {"sin", x3,
     [] {
       return unary<ops::sin>({1, 32, 32, 8});
     },
     [] {
       return unary<ops::sin>({1, 33, 32, 8});
     },
     elements_of_an_image_must_lie_within_the_limits, 8448, 8192},
    {"sqrt", x3,
     [] {
       return unary<ops::sqrt>({1, 32, 32, 8});
     },
     [] {
       return unary<ops::sqrt>({1, 33, 32, 8});
     },
     elements_of_an_image_must_lie_within_the_limits, 8448, 8192},
    {"power", x3,
     [] {
       return constant<ops::pow>({1, 4, 4, 8}, {1});
     },
     [] {
       return constant<ops::pow>({1, 4, 4, 8}, {8});
     },
     exponent_must_be_one_number, 8, 1},
    {"rank", x3,
     [] {
       return unary<ops::relu>({1, 2, 3, 4});
     },
     [] {
       return unary<ops::relu>({1, 1, 2, 3, 4});
     },
     rank_must_lie_within_the_limits, 5, 4},
    {"batch", x3,
     [] {
       return unary<ops::relu>({128, 2, 3, 4});
     },
     [] {
       return unary<ops::relu>({129, 2, 3, 4});
     },
     batch_must_lie_within_the_limits, 129, 128},
};

constexpr limit_row on_ultra[] = {
    {"sum, constants", ultra,
     [] {
       return constant<ops::add>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     [] {
       return constants<ops::add>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     constants_must_not_be_too_many, 2, 1},
    {"sum, lowest rank", ultra,
     [] {
       return both<ops::add>({4, 8}, {4, 8});
     },
     [] { return both<ops::add>({8}, {8}); }, rank_must_lie_within_the_limits, 1, 2},
    {"sum, highest rank", ultra,
     [] {
       return both<ops::add>({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5});
     },
     [] {
       return both<ops::add>({1, 1, 2, 3, 4, 5}, {1, 1, 2, 3, 4, 5});
     },
     rank_must_lie_within_the_limits, 6, 5},
    {"sum, batch", ultra,
     [] {
       return both<ops::add>({2, 4, 1, 8}, {2, 1, 4, 8});
     },
     [] {
       return both<ops::add>({2, 4, 4, 8}, {1, 4, 4, 8});
     },
     batch_must_not_be_broadcast, 1, 2},
    {"difference, batch", ultra,
     [] {
       return both<ops::sub>({2, 4, 1, 8}, {2, 1, 4, 8});
     },
     [] {
       return both<ops::sub>({2, 4, 4, 8}, {1, 4, 4, 8});
     },
     batch_must_not_be_broadcast, 1, 2},
    {"product, batch", ultra,
     [] {
       return both<ops::mul>({2, 4, 1, 8}, {2, 1, 4, 8});
     },
     [] {
       return both<ops::mul>({2, 4, 4, 8}, {1, 4, 4, 8});
     },
     batch_must_not_be_broadcast, 1, 2},
    {"quotient, batch", ultra,
     [] {
       return both<ops::div>({2, 4, 1, 8}, {2, 1, 4, 8});
     },
     [] {
       return both<ops::div>({2, 4, 4, 8}, {1, 4, 4, 8});
     },
     batch_must_not_be_broadcast, 1, 2},
    {"sum, collapsed", ultra,
     [] {
       return both<ops::add>({2, 3, 4, 5, 6}, {2, 3, 1, 5, 1});
     },
     [] {
       return both<ops::add>({2, 3, 1, 5, 6}, {2, 1, 4, 5, 1});
     },
     collapsed_rank_must_lie_within_the_limits, 5, 4},
    {"maximum, one-sided", ultra,
     [] {
       return both<ops::maximum>({1, 4, 4, 8}, {1, 1, 4, 1});
     },
     [] {
       return both<ops::maximum>({1, 4, 1, 8}, {1, 1, 4, 8});
     },
     one_operand_alone_may_be_broadcast, 2, 1},
    {"minimum, one-sided", ultra,
     [] {
       return both<ops::minimum>({1, 4, 4, 8}, {1, 1, 4, 1});
     },
     [] {
       return both<ops::minimum>({1, 4, 1, 8}, {1, 1, 4, 8});
     },
     one_operand_alone_may_be_broadcast, 2, 1},
    {"maximum, rank", ultra,
     [] {
       return both<ops::maximum>({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5});
     },
     [] {
       return both<ops::maximum>({1, 1, 2, 3, 4, 5}, {1, 1, 2, 3, 4, 5});
     },
     rank_must_lie_within_the_limits, 6, 5},
    {"maximum, lowest rank of an operand", ultra,
     [] {
       return both<ops::maximum>({4, 8}, {4, 8});
     },
     [] {
       return both<ops::maximum>({4, 8}, {8});
     },
     rank_must_lie_within_the_limits, 1, 2},
    {"equal, one-sided", ultra,
     [] {
       return both<ops::equal>({1, 4, 4, 8}, {1, 1, 4, 1});
     },
     [] {
       return both<ops::equal>({1, 4, 1, 8}, {1, 1, 4, 8});
     },
     one_operand_alone_may_be_broadcast, 2, 1},
    {"greater, rank", ultra,
     [] {
       return both<ops::greater>({1, 2, 3, 4, 5}, {1, 2, 3, 4, 5});
     },
     [] { return both<ops::greater>({5}, {5}); }, rank_must_lie_within_the_limits, 1, 2},
    {"less, one-sided", ultra,
     [] {
       return both<ops::less>({1, 4, 4, 8}, {1, 1, 4, 1});
     },
     [] {
       return both<ops::less>({1, 4, 1, 8}, {1, 1, 4, 8});
     },
     one_operand_alone_may_be_broadcast, 2, 1},
    {"power", ultra,
     [] {
       return constant<ops::pow>({1, 4, 4, 8}, {1});
     },
     [] {
       return constant<ops::pow>({1, 4, 4, 8}, {8});
     },
     exponent_must_be_one_number, 8, 1},
    {"sigmoid, first extent", ultra,
     [] {
       return unary<ops::sigmoid>({4096, 1, 2, 3, 2});
     },
     [] {
       return unary<ops::sigmoid>({4097, 1, 2, 3, 2});
     },
     first_extent_must_lie_within_the_limits, 4097, 4096},
    {"exp, first extent of three", ultra,
     [] {
       return unary<ops::exp>({4096, 2, 3});
     },
     [] {
       return unary<ops::exp>({4097, 2, 3});
     },
     first_extent_must_lie_within_the_limits, 4097, 4096},
    {"power, the only extent", ultra, [] { return constant<ops::pow>({4096}, {1}); },
     [] { return constant<ops::pow>({4097}, {1}); }, first_extent_must_lie_within_the_limits, 4097, 4096},
    {"relu, lowest rank", ultra, [] { return unary<ops::relu>({3}); }, [] { return unary<ops::relu>({}); },
     rank_must_lie_within_the_limits, 0, 1},
    {"exp, other extents", ultra,
     [] {
       return unary<ops::exp>({2, 65536});
     },
     [] {
       return unary<ops::exp>({2, 65537});
     },
     extents_must_lie_within_the_limits, 65537, 65536},
};

constexpr limit_row on_x5[] = {
    {"sum, constants", x5,
     [] {
       return constant<ops::add>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     [] {
       return constants<ops::add>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     constants_must_not_be_too_many, 2, 1},
    {"sum, collapsed", x5,
     [] {
       return both<ops::add>({2, 1, 2, 3, 1, 4, 5, 6}, {2, 1, 2, 3, 1, 4, 1, 1});
     },
     [] {
       return both<ops::add>({2, 3, 1, 5, 6}, {1, 3, 4, 5, 1});
     },
     collapsed_rank_must_lie_within_the_limits, 5, 4},
    {"slopes, rank", x5,
     [] {
       return constant<ops::prelu>({1, 4, 4, 8}, {8});
     },
     [] {
       return constant<ops::prelu>({1, 1, 4, 4, 8}, {8});
     },
     rank_must_lie_within_the_limits, 5, 4},
    {"power", x5,
     [] {
       return constant<ops::pow>({1, 4, 4, 8}, {1});
     },
     [] {
       return constant<ops::pow>({1, 4, 4, 8}, {8});
     },
     exponent_must_be_one_number, 8, 1},
    {"erf, first extent", x5,
     [] {
       return unary<ops::erf>({4096, 3});
     },
     [] {
       return unary<ops::erf>({4097, 3});
     },
     first_extent_must_lie_within_the_limits, 4097, 4096},
    {"sum, lowest rank", x5, [] { return both<ops::add>({3}, {3}); }, [] { return both<ops::add>({}, {}); },
     rank_must_lie_within_the_limits, 0, 1},
    {"maximum, lowest rank", x5, [] { return both<ops::maximum>({3}, {3}); }, [] { return both<ops::maximum>({}, {}); },
     rank_must_lie_within_the_limits, 0, 1},
    {"less, lowest rank", x5, [] { return both<ops::less>({3}, {3}); }, [] { return both<ops::less>({}, {}); },
     rank_must_lie_within_the_limits, 0, 1},
};

static_assert(first_wrong(on_x3) == -1);
static_assert(first_wrong(on_ultra) == -1);
static_assert(first_wrong(on_x5) == -1);

// Broadcasting that X5 takes and the older ones do not.
static_assert(is_taken(x5, both<ops::add>({2, 4, 4, 8}, {1, 4, 4, 8})) &&
              is_taken(x5, both<ops::maximum>({1, 4, 1, 8}, {1, 1, 4, 8})));
static_assert(is_taken(x5, both<ops::add>({8}, {8})) && !is_taken(ultra, both<ops::add>({8}, {8})));

/// What only some of the tables have: by operator whether X3, RDK Ultra and X5 take it.
struct presence_row {
  const char* what;
  ir::graph (*node)();
  bool on_x3, on_ultra, on_x5;
};
constexpr presence_row presences[] = {
    {"sub",
     [] {
       return both<ops::sub>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     false, true, true},
    {"maximum",
     [] {
       return both<ops::maximum>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     false, true, true},
    {"equal",
     [] {
       return both<ops::equal>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     false, true, true},
    {"less_equal",
     [] {
       return both<ops::less_equal>({1, 4, 4, 8}, {1, 4, 4, 8});
     },
     false, true, true},
    {"relu",
     [] {
       return unary<ops::relu>({1, 4, 4, 8});
     },
     true, true, true},
    {"leaky_relu",
     [] {
       return unary<ops::leaky_relu>({1, 4, 4, 8});
     },
     true, true, true},
    {"clip",
     [] {
       return single<ops::clip>(with<ops::clip>([](auto& a) {
                                  a.min = 0;
                                  a.max = 4;
                                }),
                                {of({1, 4, 4, 8})});
     },
     true, true, true},
    {"prelu",
     [] {
       return constant<ops::prelu>({1, 4, 4, 8}, {8});
     },
     true, false, true},
    {"exp",
     [] {
       return unary<ops::exp>({1, 4, 4, 8});
     },
     true, true, true},
    {"reciprocal",
     [] {
       return unary<ops::reciprocal>({1, 4, 4, 8});
     },
     true, true, true},
    {"gelu",
     [] {
       return unary<ops::gelu>({1, 4, 4, 8});
     },
     true, true, true},
    {"swish",
     [] {
       return unary<ops::swish>({1, 4, 4, 8});
     },
     true, true, true},
    {"hswish",
     [] {
       return unary<ops::hswish>({1, 4, 4, 8});
     },
     false, true, true},
    {"log",
     [] {
       return unary<ops::log>({1, 4, 4, 8});
     },
     false, true, true},
    {"abs",
     [] {
       return unary<ops::abs>({1, 4, 4, 8});
     },
     false, true, true},
    {"ceil",
     [] {
       return unary<ops::ceil>({1, 4, 4, 8});
     },
     false, true, true},
    {"floor",
     [] {
       return unary<ops::floor>({1, 4, 4, 8});
     },
     false, true, true},
    {"hard_sigmoid",
     [] {
       return unary<ops::hard_sigmoid>({1, 4, 4, 8});
     },
     false, true, true},
    {"erf",
     [] {
       return unary<ops::erf>({1, 4, 4, 8});
     },
     false, false, true},
    {"round",
     [] {
       return unary<ops::round>({1, 4, 4, 8});
     },
     false, false, true},
    {"neg",
     [] {
       return unary<ops::neg>({1, 4, 4, 8});
     },
     false, false, false},
    {"logical_not",
     [] {
       return single<ops::logical_not>({of(boolean, {1, 4, 4, 8})});
     },
     false, false, false},
    {"log_softmax",
     [] {
       return unary<ops::log_softmax>({1, 4, 4, 8});
     },
     false, false, false},
    {"layer of i16",
     [] {
       return unary_of<ops::sigmoid>(i16, {1, 4, 4, 8});
     },
     false, true, true},
};
constexpr bool presences_hold() {
  for (const presence_row& r : presences) {
    const ir::graph g = r.node();
    if (is_taken(x3, g) != r.on_x3 || is_taken(ultra, g) != r.on_ultra || is_taken(x5, g) != r.on_x5) return false;
  }
  return true;
}
static_assert(presences_hold());

// Channels of NCHW images are those of axis 1.
constexpr ir::graph in_nchw(shape_t shape) {
  return single<ops::add>({}, {{tensor_desc{f32, nchw, shape}}, {tensor_desc{f32, nchw, shape}}});
}
static_assert(is_taken(x3, in_nchw({1, 2048, 4, 2049})) &&
              check(x3, in_nchw({1, 2049, 4, 4})).breaks(channels_must_lie_within_the_limits));

// With an extent of 0 the others may have any product: it is counted as the largest number, and never overflows.
static_assert(check(x3, unary<ops::sigmoid>({0, max_elements, max_elements, max_elements})) ==
              accelerator_verdict{static_cast<int>(aligned_elements_must_lie_within_the_limits), unit::number,
                                  std::numeric_limits<std::int64_t>::max(), 8192});
static_assert(check(x3, unary<ops::tanh>({0, max_elements, max_elements, max_elements})) ==
              accelerator_verdict{static_cast<int>(elements_of_an_image_must_lie_within_the_limits), unit::number,
                                  std::numeric_limits<std::int64_t>::max(), 8192});
static_assert(is_absent(x3, both<ops::sub>({1, 4, 4, 8}, {1, 4, 4, 8})) && is_absent(ultra, unary<ops::erf>({1, 4})) &&
              is_absent(x5, unary<ops::neg>({1, 4})));

}  // namespace

TEST_CASE("limits: element by element work on X3") { check_at_run_time(on_x3); }
TEST_CASE("limits: element by element work on RDK Ultra") { check_at_run_time(on_ultra); }
TEST_CASE("limits: element by element work on X5") { check_at_run_time(on_x5); }

TEST_CASE("limits: each accelerator has the operators of its list and no others") {
  for (const presence_row& r : presences) {
    CAPTURE(r.what);
    const ir::graph g = r.node();
    REQUIRE(g.nodes.size() == 1);
    CHECK(is_taken(x3, g) == r.on_x3);
    CHECK(is_taken(ultra, g) == r.on_ultra);
    CHECK(is_taken(x5, g) == r.on_x5);
  }
}

TEST_CASE("limits: every name in the tables is an operator's") {
  for (const accelerator* table : {&x3, &ultra, &x5})
    for (const accelerator_operator& row : table->operators) {
      CAPTURE(row.name.data());
      CHECK(ops::find(row.name) != nullptr);
    }
}
