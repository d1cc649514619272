// quantised_pairs_test: dequantise, operator and quantise become one operator, or stay where a real number is needed.
#include <nnrt/passes/quantised_pairs.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/exp.hpp>
#include <nnrt/ops/list.hpp>
#include <nnrt/passes/eliminate.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

constexpr auto even = quantised_rounding::half_to_even;
inline constexpr quant of_x{0.02F, 3, even}, of_y{0.05F, -7, even}, bytes_of_y{0.05F, 121, even},
    at_zero{0.05F, -128, even};

constexpr auto pair_of_x(builder& g) { return dequantise(quantise(g.input<f32, shape<1, 4, 4, 3>>("x"), into<of_x>)); }
template <class X> constexpr auto output(builder& g, X x) { g.output("y", dequantise(quantise(x, into<of_y>))); }

/// The operators of these networks, for every dtype, as readers of files have them.
template <class... Ops> constexpr const operator_info* found_in(op_code code) {
  const operator_info* found = nullptr;
  const auto look_at = [&]<class Op>(const Op*) {
    if (Op::code == code) found = &dynamic_operator<Op>;
  };
  (look_at(static_cast<const Ops*>(nullptr)), ...);
  return found;
}
constexpr const operator_info* find(op_code code) {
  return found_in<ops::quant_dtype_cast, ops::mul, ops::div, ops::round, ops::cast, ops::sigmoid, ops::conv2d,
                  ops::relu, ops::tanh, ops::transpose, ops::reshape, ops::erf, ops::exp, ops::add, ops::clip>(code);
}
template <class Function> constexpr ir::graph written_for_all_dtypes(Function network) {
  ir::graph g = written(network);
  for (ir::node& n : g.nodes) n.op = find(n.op->code), n.label = n.op->label;
  return g;
}

struct row {
  const char* what;
  ir::graph (*network)();
  int casts;     // that remain, those at the ends included
  int on_reals;  // nodes that compute f32 of f32, apart from those on weights; a quantisation that stays has four
};
#define NNRT_NETWORK(...) [] { return written_for_all_dtypes([](builder& g) { __VA_ARGS__; }); }

const row rows[] = {
    {"an operator of one operand", NNRT_NETWORK(output(g, sigmoid(pair_of_x(g)))), 2, 0},
    {"an operator of two operands", NNRT_NETWORK(auto x = pair_of_x(g); output(g, x* x)), 2, 0},
    {"a layer with a real bias",
     NNRT_NETWORK(auto w = dequantise(g.weight<i8, shape<2, 1, 1, 3>, nhwc, of_x>("w"));
                  output(g, conv2d(pair_of_x(g), w, g.weight<f32, shape<2>>("bias")))),
     2, 0},
    {"relu to the lowest value disappears",
     NNRT_NETWORK(g.output("y", dequantise(quantise(relu(tanh(pair_of_x(g))), into<at_zero>)))), 2, 0},
    {"relu to another value", NNRT_NETWORK(output(g, relu(tanh(pair_of_x(g))))), 2, 0},
    {"moves before and after an operator",
     NNRT_NETWORK(auto x = transpose(pair_of_x(g), perm<0, 3, 1, 2>); output(g, reshape(sigmoid(x), shape<48>))), 2, 0},
    {"values of u8 in the middle",
     NNRT_NETWORK(auto h = dequantise(quantise<u8>(tanh(pair_of_x(g)), into<bytes_of_y>)); output(g, sigmoid(h))), 2,
     0},
    {"another scale without an operator", NNRT_NETWORK(output(g, pair_of_x(g))), 3, 0},
    {"a real result that is an output", NNRT_NETWORK(auto y = sigmoid(pair_of_x(g)); g.output("real", y); output(g, y)),
     4, 5},
    {"an operator that takes no quantised values", NNRT_NETWORK(output(g, erf(exp(pair_of_x(g))))), 4, 6},
    {"a real operand", NNRT_NETWORK(output(g, pair_of_x(g) + g.input<f32, shape<3>>("other"))), 4, 5},
    {"a result that is rounded as in TFLite",
     NNRT_NETWORK(g.output("y", dequantise(quantise(sigmoid(pair_of_x(g)), into<quant{0.05F, -7}>)))), 4, 1},
};

int nodes_on_reals(const ir::graph& g) {
  const auto known = passes::known_values(g);
  int count = 0;
  for (const ir::node& n : g.nodes) {
    const std::int32_t x = g.inputs_of(n)[0], y = g.outputs_of(n)[0];
    count += known[static_cast<std::size_t>(y)] == 0 && g.at(x).desc.type == f32 && g.at(y).desc.type == f32 ? 1 : 0;
  }
  return count;
}
int casts_of(const ir::graph& g) {
  const auto known = passes::known_values(g);
  int count = 0;
  for (const ir::node& n : g.nodes)
    count += n.op->code == ops::quant_dtype_cast::code && known[static_cast<std::size_t>(g.outputs_of(n)[0])] == 0;
  return count;
}

}  // namespace

TEST_CASE("quantised_pairs: operators between pairs run on quantised values, others stay") {
  for (const row& r : rows) {
    CAPTURE(r.what);
    ir::graph g = r.network();
    REQUIRE(passes::merge_common_nodes(g));
    passes::join_quantised_pairs(g, &find);
    REQUIRE(passes::remove_dead_nodes(g));
    CHECK(casts_of(g) == r.casts);
    CHECK(nodes_on_reals(g) == r.on_reals);
    // every value is made before it is read
    pool<char> is_made;
    for (const ir::value& v : g.values) is_made.push_back(v.is == ir::kind::result ? 0 : 1);
    for (const ir::node& n : g.nodes) {
      for (const std::int32_t id : g.inputs_of(n))
        CHECK((id == ir::none || is_made[static_cast<std::size_t>(id)] != 0));
      for (const std::int32_t id : g.outputs_of(n)) is_made[static_cast<std::size_t>(id)] = 1;
    }
  }
}

/// Results on quantised values are within one step of those on real numbers.
TEST_CASE("quantised_pairs: results differ by one step at most") {
  for (const row& r : rows) {
    if (r.what == std::string_view("a layer with a real bias")) continue;  // its weight is no f32
    CAPTURE(r.what);
    ir::graph g = r.network();
    const outputs_of_graph before = computed_by_references(g);
    passes::join_quantised_pairs(g, &find);
    const outputs_of_graph after = computed_by_references(g);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i)
      for (std::size_t k = 0; k < after[i].size(); ++k) CHECK(std::fabs(after[i][k] - before[i][k]) <= 0.05F * 1.001F);
  }
}

// In constant evaluation, too.
static_assert([] {
  ir::graph g = written_for_all_dtypes([](builder& b) { output(b, sigmoid(pair_of_x(b))); });
  passes::join_quantised_pairs(g, &find);
  passes::remove_dead_nodes(g);
  return g.nodes.size() == 3;
}());

TEST_CASE("quantised_pairs: operators for real numbers alone stay") {
  ir::graph g = written([](builder& b) { output(b, sigmoid(pair_of_x(b))); });
  passes::join_quantised_pairs(g, &find);
  REQUIRE(passes::remove_dead_nodes(g));
  CHECK(nodes_on_reals(g) == 1);
}
