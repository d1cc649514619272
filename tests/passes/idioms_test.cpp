// idioms_test: what exporters write as several nodes becomes one, and nothing that computes something else.
#include <nnrt/passes/idioms.hpp>

#include <doctest/doctest.h>
#include <nnrt/exec/idiom_operators.hpp>
#include <nnrt/ops/list.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

constexpr auto input(builder& g) { return g.input<f32, shape<2, 3, 8>>("x") * 6.0F; }
constexpr auto image(builder& g) { return g.input<f32, shape<1, 4, 6, 8>>("x"); }
/// The last axis is the one that layers normalise.
constexpr auto gamma_of(builder& g) { return g.weight<f32, shape<8>>("gamma"); }
constexpr auto beta_of(builder& g) { return g.weight<f32, shape<8>>("beta"); }
template <class X> constexpr auto mean_of(X x) { return reduce_mean(x, axes<-1>, keep_dims); }
template <class X> constexpr auto sum_of(X x) { return reduce_sum(x, axes<-1>, keep_dims); }
template <class X> constexpr auto centred(X x) { return x - mean_of(x); }
template <class X> constexpr auto deviation(X x) { return sqrt(mean_of(square(centred(x))) + 1e-3F); }
template <class X> constexpr auto cube(X x) { return x * x * x; }

inline constexpr float root_of_2 = 1.41421356F, root_of_2_over_pi = 0.797884561F;

struct row {
  const char* what;
  ir::graph (*network)();
  op_code into;
  std::size_t left;  // nodes, one of which has this operator
  double bound = 1e-6;
};

#define NNRT_NETWORK(...) [] { return written([](builder& g) { __VA_ARGS__; }); }
#define NNRT_OF_X(...) NNRT_NETWORK(auto x = input(g); g.output("y", __VA_ARGS__))

const row replaced[] = {
    {"gelu as PyTorch exports it", NNRT_OF_X(x*(erf(x / root_of_2) + 1.0F) * 0.5F), ops::gelu::code, 2},
    {"gelu, half of x first", NNRT_OF_X((x * 0.5F) * (1.0F + erf(x * 0.707106781F))), ops::gelu::code, 2},
    {"gelu, half of the sum first", NNRT_OF_X(x*(0.5F * (erf(x * 0.70710677F) + 1.0F))), ops::gelu::code, 2},
    {"gelu of a network input", NNRT_NETWORK(auto x = image(g); g.output("y", 0.5F * x * (1.0F + erf(x / root_of_2)))),
     ops::gelu::code, 1},
    {"gelu by tanh, a power of 3",
     NNRT_OF_X(0.5F * x * (1.0F + tanh(root_of_2_over_pi * (x + 0.044715F * pow(x, 3.0F))))), ops::gelu::code, 2},
    {"gelu by tanh, a product",
     NNRT_OF_X(0.5F * (x * (tanh((x + cube(x) * 0.044715F) * root_of_2_over_pi) + 1.0F))), ops::gelu::code, 2},
    {"gelu by tanh, x outside",
     NNRT_OF_X(x * 0.5F * (1.0F + tanh(x * root_of_2_over_pi * (1.0F + 0.044715F * x * x)))), ops::gelu::code, 2},
    {"swish", NNRT_OF_X(x * sigmoid(x)), ops::swish::code, 2},
    {"swish, the other order", NNRT_OF_X(sigmoid(x) * x), ops::swish::code, 2},
    {"swish by exp", NNRT_OF_X(x / (1.0F + exp(neg(x)))), ops::swish::code, 2},
    {"sigmoid by exp", NNRT_OF_X(reciprocal(exp(neg(x)) + 1.0F)), ops::sigmoid::code, 2},
    {"sigmoid by a quotient", NNRT_OF_X(1.0F / (1.0F + exp(x * -1.0F))), ops::sigmoid::code, 2},
    {"hswish by clip", NNRT_OF_X(x * clip(x + 3.0F, at_least<0>, at_most<6>) / 6.0F), ops::hswish::code, 2},
    {"hswish by relu6", NNRT_OF_X(x * (relu6(x + 3.0F) * 0.166666667F)), ops::hswish::code, 2},
    {"hswish by a sum with relu6", NNRT_OF_X((add(x, g.constant<f32, shape<1>>({3}), relu6) * x) / 6.0F),
     ops::hswish::code, 2},
    {"hswish by hard_sigmoid", NNRT_OF_X(x * hard_sigmoid(x)), ops::hswish::code, 2},
    {"hswish as ONNX's HardSigmoid", NNRT_OF_X(x * clip(x * 0.166666667F + 0.5F, at_least<0>, at_most<1>)),
     ops::hswish::code, 2},
    {"hard_sigmoid by relu6", NNRT_OF_X(relu6(3.0F + x) / 6.0F), ops::hard_sigmoid::code, 2},
    {"hard_sigmoid as ONNX's", NNRT_OF_X(clip(x / 6.0F + 0.5F, at_least<0>, at_most<1>)), ops::hard_sigmoid::code, 2},
    {"layer_norm as PyTorch exports it",
     NNRT_OF_X(centred(x) / sqrt(mean_of(pow(centred(x), 2.0F)) + 1e-5F) * gamma_of(g) + beta_of(g)),
     ops::layer_norm::code, 2},
    {"layer_norm by rsqrt",
     NNRT_OF_X(centred(x) * rsqrt(mean_of(square(centred(x))) + 1e-3F) * gamma_of(g) + beta_of(g)),
     ops::layer_norm::code, 2},
    {"layer_norm by squared_difference",
     NNRT_OF_X(beta_of(g) +
               gamma_of(g) * (centred(x) / sqrt(mean_of(squared_difference(x, mean_of(x))) + 1e-3F))),
     ops::layer_norm::code, 2},
    {"layer_norm as a map of x, as Keras writes it", [] {
       return written([](builder& g) {
         auto x = input(g);
         auto s = rsqrt(mean_of(squared_difference(x, mean_of(x))) + 1e-3F) * gamma_of(g);
         g.output("y", x * s + (beta_of(g) - mean_of(x) * s));
       });
     }, ops::layer_norm::code, 2, 1e-5},
    {"layer_norm without beta", NNRT_OF_X(centred(x) / deviation(x) * gamma_of(g)), ops::layer_norm::code, 2},
    {"layer_norm without beta by squared_difference",
     NNRT_OF_X(gamma_of(g) * (centred(x) / sqrt(mean_of(squared_difference(x, mean_of(x))) + 1e-3F))),
     ops::layer_norm::code, 2},
    {"layer_norm without parameters", NNRT_OF_X(centred(x) / deviation(x)), ops::layer_norm::code, 2},
    {"layer_norm without parameters by squared_difference",
     NNRT_OF_X(centred(x) * rsqrt(mean_of(squared_difference(x, mean_of(x))) + 1e-3F)), ops::layer_norm::code, 2},
    {"layer_norm before a residual sum", NNRT_OF_X(centred(x) / deviation(x) * gamma_of(g) + x), ops::layer_norm::code,
     3},
    {"layer_norm over two axes", NNRT_OF_X((x - reduce_mean(x, axes<1, 2>, keep_dims)) /
                                           sqrt(reduce_mean(square(x - reduce_mean(x, axes<1, 2>, keep_dims)),
                                                            axes<2, 1>, keep_dims) + 1e-3F)),
     ops::layer_norm::code, 2},
    {"softmax", NNRT_OF_X(exp(x - reduce_max(x, axes<1>, keep_dims)) /
                          reduce_sum(exp(x - reduce_max(x, axes<1>, keep_dims)), axes<1>, keep_dims)),
     ops::softmax::code, 2},
    {"softmax without a shift", NNRT_OF_X(exp(x) / sum_of(exp(x))), ops::softmax::code, 2},
    {"a scale before softmax", NNRT_NETWORK(g.output("y", softmax(image(g) / 2.5F))), ops::softmax::code, 1},
    {"a scale before softmax with beta", NNRT_NETWORK(g.output("y", softmax(image(g) * 0.25F, beta<2.0F>, axis<1>))),
     ops::softmax::code, 1},
    {"l2_normalize by reduce_l2", NNRT_OF_X(x / clip(reduce_l2(x, axes<-1>, keep_dims), at_least<1e-12>)),
     ops::l2_normalize::code, 2},
    {"l2_normalize by a broadcast root",
     NNRT_OF_X(x / broadcast_to(maximum(sqrt(sum_of(x * x)), 1e-6F), shape<2, 3, 8>)), ops::l2_normalize::code, 2},
    {"l2_normalize by rsqrt", NNRT_OF_X(x * rsqrt(maximum(sum_of(square(x)), 1e-6F))), ops::l2_normalize::code, 2},
    {"depth_to_space of channels that come second, PyTorch's order",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 12, 3, 5>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 3, 2, 2, 3, 5>), perm<0, 1, 4, 2, 5, 3>),
                                        shape<2, 3, 6, 10>))),
     ops::depth_to_space::code, 3, 0},
    {"depth_to_space of channels that come second, ONNX's order",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 12, 3, 5>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 2, 2, 3, 3, 5>), perm<0, 3, 4, 1, 5, 2>),
                                        shape<2, 3, 6, 10>))),
     ops::depth_to_space::code, 3, 0},
    {"depth_to_space of channels that come last",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 3, 5, 12>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 3, 5, 2, 2, 3>), perm<0, 1, 3, 2, 4, 5>),
                                        shape<2, 6, 10, 3>))),
     ops::depth_to_space::code, 1, 0},
    {"depth_to_space of channels that come last, PyTorch's order",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 3, 5, 12>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 3, 5, 3, 2, 2>), perm<0, 1, 4, 2, 5, 3>),
                                        shape<2, 6, 10, 3>))),
     ops::depth_to_space::code, 1, 0},
    {"space_to_depth of channels that come second",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 3, 6, 10>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 3, 3, 2, 5, 2>), perm<0, 3, 5, 1, 2, 4>),
                                        shape<2, 12, 3, 5>))),
     ops::space_to_depth::code, 3, 0},
    {"space_to_depth of channels that come last",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 6, 10, 3>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 3, 2, 5, 2, 3>), perm<0, 1, 3, 2, 4, 5>),
                                        shape<2, 3, 5, 12>))),
     ops::space_to_depth::code, 1, 0},
    {"shuffled channels",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 12, 3, 5>>("x");
                  g.output("y", reshape(transpose(reshape(x, shape<2, 3, 4, 3, 5>), perm<0, 2, 1, 3, 4>),
                                        shape<2, 12, 3, 5>))),
     ops::gather::code, 1, 0},
};

struct kept_row {
  const char* what;
  ir::graph (*network)();
};
const kept_row kept[] = {
    {"gelu with another half", NNRT_OF_X(x*(erf(x / root_of_2) + 1.0F) * 0.501F)},
    {"gelu with another root", NNRT_OF_X(x*(erf(x / 1.4142F) + 1.0F) * 0.5F)},
    {"gelu with another 1", NNRT_OF_X(x*(erf(x / root_of_2) + 1.001F) * 0.5F)},
    {"gelu of two values", NNRT_OF_X(g.input<f32, shape<2, 3, 8>>("other") * (erf(x / root_of_2) + 1.0F) * 0.5F)},
    {"gelu whose erf is an output", NNRT_OF_X([&] {
       auto e = erf(x / root_of_2);
       g.output("e", e);
       return x * (e + 1.0F) * 0.5F;
     }())},
    {"gelu with an activation inside", NNRT_OF_X(x*(relu(erf(x / root_of_2)) + 1.0F) * 0.5F)},
    {"gelu with a fused activation inside",
     NNRT_OF_X(x* add(erf(x / root_of_2), g.constant<f32, shape<1>>({1}), relu) * 0.5F)},
    {"gelu whose factor is a list",
     NNRT_OF_X(x*(erf(x / root_of_2) + 1.0F) * g.constant<f32, shape<8>>({.5, .5, .5, .5, .5, .5, .5, .5}))},
    {"gelu whose factor adds an axis",
     NNRT_OF_X(x*(erf(x / root_of_2) + 1.0F) * g.constant<f32, shape<1, 1, 1, 1>>({.5}))},
    {"gelu by tanh with another factor",
     NNRT_OF_X(0.5F * x * (1.0F + tanh(root_of_2_over_pi * (x + 0.0447F * pow(x, 3.0F)))))},
    {"gelu by tanh with a square",
     NNRT_OF_X(0.5F * x * (1.0F + tanh(root_of_2_over_pi * (x + 0.044715F * pow(x, 2.0F)))))},
    {"the swish of another slope", NNRT_OF_X(x* sigmoid(x * 1.702F))},
    {"the swish of two values", NNRT_OF_X(g.input<f32, shape<2, 3, 8>>("other") * sigmoid(x))},
    {"the swish whose sigmoid is read again", NNRT_OF_X([&] {
       auto s = sigmoid(x);
       g.output("s", s * s);
       return x * s;
     }())},
    {"sigmoid by another base", NNRT_OF_X(1.0F / (1.0F + exp(x * -1.0F, with_base<2>)))},
    {"sigmoid of x", NNRT_OF_X(1.0F / (1.0F + exp(x)))},
    {"hswish to 5", NNRT_OF_X(x* clip(x + 3.0F, at_least<0>, at_most<5>) / 6.0F)},
    {"hswish of x + 2", NNRT_OF_X(x* relu6(x + 2.0F) / 6.0F)},
    {"hswish over 5", NNRT_OF_X(x* relu6(x + 3.0F) / 5.0F)},
    {"hswish of a difference", NNRT_OF_X(x* relu6(3.0F - x) / 6.0F)},
    {"ONNX's HardSigmoid by default", NNRT_OF_X(clip(x * 0.2F + 0.5F, at_least<0>, at_most<1>))},
    {"layer_norm whose mean is along another axis", NNRT_OF_X((x - reduce_mean(x, axes<1>, keep_dims)) / deviation(x))},
    {"layer_norm along the first axis",
     NNRT_OF_X((x - reduce_mean(x, axes<0>, keep_dims)) /
               sqrt(reduce_mean(square(x - reduce_mean(x, axes<0>, keep_dims)), axes<0>, keep_dims) + 1e-3F))},
    {"layer_norm without epsilon", NNRT_OF_X(centred(x) / (sqrt(mean_of(square(centred(x)))) + 1e-3F))},
    {"layer_norm of sums", NNRT_OF_X(centred(x) / sqrt(sum_of(square(centred(x))) + 1e-3F))},
    {"layer_norm with a reader of its variance", NNRT_OF_X([&] {
       auto d = deviation(x);
       g.output("d", d);
       return centred(x) / d;
     }())},
    {"layer_norm divided by the variance", NNRT_OF_X(centred(x) / (mean_of(square(centred(x))) + 1e-3F))},
    {"softmax whose exponentials are read again", NNRT_OF_X([&] {
       auto e = exp(x);
       g.output("largest", reduce_max(e, axes<2>));
       return e / sum_of(e);
     }())},
    {"softmax below the largest of another axis",
     NNRT_OF_X(exp(x - reduce_max(x, axes<1>, keep_dims)) / sum_of(exp(x - reduce_max(x, axes<1>, keep_dims))))},
    {"softmax over the sum of others", NNRT_OF_X(exp(x) / sum_of(exp(x * 2.0F)))},
    {"softmax of a negative scale", NNRT_OF_X(softmax(x * -2.0F))},
    {"softmax of scales", NNRT_OF_X(softmax(x* gamma_of(g)))},
    {"softmax of scaled numbers that are read again", NNRT_OF_X([&] {
       auto s = x / 2.5F;
       g.output("s", s);
       return softmax(s);
     }())},
    {"l2_normalize without a bound", NNRT_OF_X(x / sqrt(sum_of(x * x)))},
    {"l2_normalize with an addend", NNRT_OF_X(x / sqrt(sum_of(x * x) + 1e-6F))},
    {"l2_normalize bounded by 0", NNRT_OF_X(x / clip(reduce_l2(x, axes<-1>, keep_dims), at_least<0>))},
    {"l2_normalize of two bounds", NNRT_OF_X(x / clip(reduce_l2(x, axes<-1>, keep_dims), at_least<1e-12>, at_most<1>))},
    {"blocks of 2 rows and 3 columns",
     NNRT_NETWORK(auto x = g.input<f32, shape<1, 12, 3, 5>>("x"); g.output(
         "y", reshape(transpose(reshape(x, shape<1, 2, 2, 3, 3, 5>), perm<0, 1, 4, 2, 5, 3>), shape<1, 2, 6, 15>)))},
    {"blocks in another order",
     NNRT_NETWORK(auto x = g.input<f32, shape<1, 12, 3, 5>>("x"); g.output(
         "y", reshape(transpose(reshape(x, shape<1, 3, 2, 2, 3, 5>), perm<0, 1, 4, 3, 5, 2>), shape<1, 3, 6, 10>)))},
    {"blocks whose parts are read again",
     NNRT_NETWORK(auto x = g.input<f32, shape<1, 12, 3, 5>>("x");
                  auto parts = transpose(reshape(x, shape<1, 3, 2, 2, 3, 5>), perm<0, 1, 4, 2, 5, 3>);
                  g.output("parts", relu(parts)); g.output("y", reshape(parts, shape<1, 3, 6, 10>)))},
    {"shuffled rows",
     NNRT_NETWORK(auto x = g.input<f32, shape<2, 12, 3, 4>>("x"); g.output(
         "y", reshape(transpose(reshape(x, shape<2, 4, 3, 3, 4>), perm<0, 1, 3, 2, 4>), shape<2, 12, 3, 4>)))},
};

passes::idiom_operators all_operators() {
  return {nnrt::detail::operators_of_list<nnrt::detail::idiom_results>::at_run_time()};
}

/// The graph after the pass; equal nodes are merged before, as optimise() does.
ir::graph after_pass(const ir::graph& g) {
  ir::graph made = g;
  REQUIRE(passes::merge_common_nodes(made));
  REQUIRE(passes::find_idioms(made, all_operators()));
  REQUIRE(passes::remove_dead_nodes(made));
  return made;
}
int count_of_code(const ir::graph& g, op_code code) {
  int count = 0;
  for (const ir::node& n : g.nodes) count += n.op->code == code ? 1 : 0;
  return count;
}

TEST_CASE("idioms: each becomes its operator, and the result changes by no more than rounding") {
  for (const row& r : replaced) {
    CAPTURE(r.what);
    const ir::graph before = r.network(), after = after_pass(before);
    CHECK(count_of_code(after, r.into) == 1);
    CHECK(after.nodes.size() == r.left);
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
      const outputs_of_graph expected = computed_by_references(before, seed);
      CHECK(close(computed_by_references(after, seed), expected, r.bound));
      CHECK(close(computed_by_plan(after, {.fast_kernels = true}, seed), expected, r.bound + 2e-5));
    }
  }
}

TEST_CASE("idioms: other numbers, axes and readers keep their nodes") {
  for (const kept_row& r : kept) {
    CAPTURE(r.what);
    ir::graph before = r.network();
    REQUIRE(passes::merge_common_nodes(before));
    const ir::graph after = after_pass(before);
    CHECK(after.nodes.size() == before.nodes.size());
    CHECK(after.log.size() == before.log.size());
  }
}

TEST_CASE("idioms: every row of the table is tried") {
  for (const passes::detail::idiom& wanted : passes::detail::idiom_table) {
    bool is_matched = false;
    for (const row& r : replaced) {
      ir::graph g = r.network();
      REQUIRE(passes::merge_common_nodes(g));
      const passes::use_table table(g);
      passes::detail::idiom_matcher matcher(g, table);
      for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto root = static_cast<std::int32_t>(i);
        is_matched = is_matched || (wanted.is_formula() ? matcher.matches(*wanted.written, root)
                                                        : matcher.matches_rearrangement(wanted, root));
      }
    }
    CAPTURE(&wanted - passes::detail::idiom_table);
    CHECK(is_matched);
  }
}

TEST_CASE("idioms: numbers of float16 and float64 are compared in their precision") {
  const auto of_f16 = written([](builder& g) {
    auto x = g.input<f16, shape<4>>("x");
    auto half = g.constant<f16, shape<1>>({float16(0.5F)}), one = g.constant<f16, shape<1>>({float16(1.0F)});
    g.output("y", x * (erf(x * g.constant<f16, shape<1>>({float16(0.7070F)})) + one) * half);
  });
  CHECK(count_of<ops::gelu>(after_pass(of_f16)) == 1);
  const auto gelu_of_f64 = [](double root) {
    return [root](builder& g) {
      auto x = g.input<f64, shape<4>>("x");
      auto half = g.constant<f64, shape<1>>({0.5}), one = g.constant<f64, shape<1>>({1});
      g.output("y", x * (erf(x * g.constant<f64, shape<1>>({root})) + one) * half);
    };
  };
  CHECK(count_of<ops::gelu>(after_pass(written(gelu_of_f64(0.70710678118654752)))) == 1);
  CHECK(count_of<ops::gelu>(after_pass(written(gelu_of_f64(0.70710677)))) == 0);
}

TEST_CASE("idioms: without operators the graph stays as it is, unless it has them itself") {
  for (const row& r : replaced) {
    CAPTURE(r.what);
    ir::graph g = r.network();
    const std::size_t nodes = g.nodes.size();
    const bool has_own = count_of_code(g, r.into) > 0;
    REQUIRE(passes::find_idioms(g, {}));
    CHECK((g.nodes.size() < nodes) == has_own);
  }
}

/// A layer_norm of channels that come second, between convolutions.
constexpr auto between_convolutions = [](builder& g) {
  auto x = conv2d(image(g), g.weight<f32, shape<3, 1, 1, 8>>("first"));
  auto second = transpose(x, perm<0, 3, 1, 2>);
  auto d = second - reduce_mean(second, axes<1>, keep_dims);
  auto n = d / sqrt(reduce_mean(square(d), axes<1>, keep_dims) + 1e-3F);
  auto y = n * g.constant<f32, shape<3, 1, 1>>({1, -2, 0.5F}) + g.constant<f32, shape<3, 1, 1>>({0.25F, 1, -1});
  g.output("y", conv2d(transpose(y, perm<0, 2, 3, 1>), g.weight<f32, shape<2, 1, 1, 3>>("second")));
};

TEST_CASE("idioms: channels that come second are found when their transposes are gone") {
  ir::graph g = written(between_convolutions);
  const outputs_of_graph before = computed_by_references(g);
  const passes::idiom_operators all = all_operators();
  REQUIRE(passes::optimise(g, {}, all));
  CHECK(count_of<ops::layer_norm>(g) == 1);
  CHECK(count_of<ops::transpose>(g) == 0);
  CHECK(close(computed_by_references(g), before, 1e-5));
}

/// What the compiler makes of a static network: its operators are those that the idioms need, and no others.
constexpr auto attention = [](builder& g) {
  auto x = input(g);
  auto n = centred(x) / deviation(x) * gamma_of(g) + beta_of(g);
  auto scores = softmax(matmul(n, n, transpose_b) / 2.828427F);
  auto h = matmul(scores, n);
  g.output("y", h * (erf(h / root_of_2) + 1.0F) * 0.5F);
};
using nnrt::detail::graph_as_written;
template <const auto& Written>
constexpr std::size_t wanted_first = nnrt::detail::further_operators<nnrt::detail::simplified<Written>>::wanted.size;
template <const auto& Written>
constexpr std::size_t wanted_later =
    nnrt::detail::further_operators<nnrt::detail::with_moved_transposes<Written>>::wanted.size;
static_assert(wanted_first<graph_as_written<attention>> == 2 && wanted_later<graph_as_written<attention>> == 0);
static_assert(nnrt::detail::graph_optimised<attention>.nodes.size() == 6);
// First the transpose and reshape that moving transposes may need, then layer_norm.
static_assert(wanted_first<graph_as_written<between_convolutions>> == 2 &&
              wanted_later<graph_as_written<between_convolutions>> == 1);
/// A factor before softmax is found in a static network, too, though it needs no other operator.
constexpr auto scaled = [](builder& g) { g.output("y", softmax(image(g) * 0.25F)); };
static_assert(nnrt::detail::is_optimised_at_once<graph_as_written<scaled>>);
static_assert(nnrt::detail::graph_optimised<scaled>.nodes.size() == 1);

TEST_CASE("idioms: a static network has the operators of its idioms, and computes as written") {
  const ir::graph before = written(attention), after = nnrt::detail::graph_optimised<attention>.thaw();
  CHECK(count_of<ops::layer_norm>(after) == 1);
  CHECK(count_of<ops::gelu>(after) == 1);
  CHECK(count_of<ops::div>(after) == 0);
  CHECK(close(computed_by_references(after), computed_by_references(before), 1e-5));
}

}  // namespace
