// evaluate_test: nodes on small constants are computed while the network is planned, larger ones and those on weights
// are not.
#include <nnrt/passes/evaluate.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/split.hpp>

#include "support/graphs.hpp"

#include <algorithm>

namespace {

using namespace nnrt_test;

constexpr auto row_of_four(builder& g) { return g.constant<f32, shape<4>>({1, -2, 3, -4}); }

struct row {
  const char* what;
  ir::graph (*network)();
  std::size_t left, events;
};
constexpr row small[] = {
    {"a node on constants",
     [] { return written([](builder& g) { g.output("y", g.input<f32, shape<4>>("x") + relu(row_of_four(g))); }); }, 1,
     1},
    {"a chain on constants",
     [] {
       return written([](builder& g) {
         auto c = row_of_four(g);
         g.output("y", g.input<f32, shape<4>>("x") + relu(mul(c, c) + c));
       });
     },
     1, 3},
    {"all results of a node",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(row_of_four(g));
         g.output("y", (g.input<f32, shape<2>>("x") + a) + b);
       });
     },
     2, 1},
    {"an output of the network",
     [] {
       return written([](builder& g) {
         g.output("y", reshape(row_of_four(g), shape<2, 2>));
         g.output("x", g.input<f32, shape<4>>("x"));
       });
     },
     0, 1},
    {"a missing optional operand",
     [] {
       return written([](builder& g) {
         auto y = full_connection(row_of_four(g), g.constant<f32, shape<1, 4>>({1, 1, 1, 1}));
         g.output("y", g.input<f32, shape<1>>("x") + y);
       });
     },
     1, 1},
    {"a result without elements",
     [] {
       return written([](builder& g) {
         g.output("y", relu(g.constant<f32, shape<0>>({})));
         g.output("x", g.input<f32, shape<4>>("x"));
       });
     },
     0, 1},
};
// At run time alone: clang counts the steps of one constant evaluation.
constexpr row large[] = {
    {"operands and a result of as many elements as may be",
     [] {
       return written([](builder& g) {
         g.output("y", g.input<f32, shape<32, 32>>("x") + relu(g.constant<f32, shape<32, 32>>({})));
       });
     },
     1, 1},
    {"as much work as may be",
     [] {
       return written([](builder& g) {
         auto y = full_connection(g.constant<f32, shape<16, 32>>({}), g.constant<f32, shape<2, 32>>({}));
         g.output("y", g.input<f32, shape<16, 2>>("x") + y);
       });
     },
     1, 1},
    {"not a node on a weight",
     [] {
       return written([](builder& g) {
         g.output("y", g.input<f32, shape<4>>("x") + (row_of_four(g) + g.weight<f32, shape<4>>("w")));
       });
     },
     2, 0},
    {"not a result of many elements",
     [] {
       return written([](builder& g) {
         auto wide = g.constant<f32, shape<40, 1>>({}) + g.constant<f32, shape<1, 40>>({});
         g.output("y", g.input<f32, shape<40, 40>>("x") + wide);
       });
     },
     2, 0},
    {"not an operand of many elements",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(g.constant<f32, shape<1026>>({}));
         g.output("y", (g.input<f32, shape<513>>("x") + a) + b);
       });
     },
     3, 0},
    {"not a node of much work",
     [] {
       return written([](builder& g) {
         auto y = full_connection(g.constant<f32, shape<30, 30>>({}), g.constant<f32, shape<2, 30>>({}));
         g.output("y", g.input<f32, shape<30, 2>>("x") + y);
       });
     },
     2, 0},
};

constexpr bool evaluated_as_stated(const row& r) {
  ir::graph g = r.network();
  const outputs_of_graph before = computed_by_references(g);
  passes::evaluate_constants(g);
  bool all_evaluated = true;
  for (const ir::event& e : g.log) all_evaluated = all_evaluated && e.what == ir::change::evaluated;
  return g.nodes.size() == r.left && g.log.size() == r.events && all_evaluated &&
         close(computed_by_references(g), before, 0);
}
static_assert(std::all_of(std::begin(small), std::end(small), evaluated_as_stated));

TEST_CASE("evaluate: what small constants determine is computed at once, and nothing else") {
  for (const std::span<const row> table : {std::span<const row>(small), std::span<const row>(large)}) {
    for (const row& r : table) {
      CAPTURE(r.what);
      CHECK(evaluated_as_stated(r));
    }
  }
}

/// The elements of the constant that a node of this dtype was turned into.
template <dtype Type> constexpr bool reshapes(const std::array<element_t<Type>, 4>& elements) {
  ir::graph g = written([&](builder& b) { b.output("y", reshape(b.constant<Type, shape<4>>(elements), shape<2, 2>)); });
  passes::evaluate_constants(g);
  const ir::value& y = g.at(g.outputs[0].value);
  bool same = g.nodes.empty() && y.is == ir::kind::constant && y.first_byte % 64 == 0;
  for (std::int64_t i = 0; i < 4; ++i)
    same = same && g.element<element_t<Type>>(y, i) == elements[static_cast<std::size_t>(i)];
  return same;
}
static_assert(reshapes<f32>({1, 2, 3, 4}) && reshapes<i64>({1, -2, 3, -4}));

TEST_CASE("evaluate: constants of every dtype keep their elements") {
  CHECK(reshapes<boolean>({true, false, true, true}));
  CHECK(reshapes<i8>({-128, 127, 0, 1}));
  CHECK(reshapes<u16>({1, 2, 3, 65535}));
  CHECK(reshapes<i64>({-1, 2, std::int64_t{1} << 62, 4}));
  CHECK(reshapes<f16>({float16(0.5F), float16(-2.0F), float16(0.0F), float16(1.0F)}));
  CHECK(reshapes<f64>({0.1, -0.2, 1e300, 0}));
}

/// (1, -2) stored with steps of 0.5, and added to 3 and 2.75 in steps of 0.25: what it stands for is 4 and 0.75.
constexpr bool keeps_scales() {
  ir::graph g = written([](builder& b) {
    auto q = quantise(b.constant<f32, shape<2>>({1, -2}), into<quant{.scale = 0.5F, .zero_point = 3}>);
    auto c = b.constant<i8, shape<2>, nd, quant{.scale = 0.25F, .zero_point = -1}>({11, 10});
    auto sum = add(q, c, into<quant{.scale = 0.25F}>);
    b.output("stored", sum);
    b.output("y", dequantise(sum));
  });
  passes::evaluate_constants(g);
  const ir::value &stored = g.at(g.outputs[0].value), &y = g.at(g.outputs[1].value);
  return g.nodes.empty() && g.element<std::int8_t>(stored, 0) == 16 && g.element<std::int8_t>(stored, 1) == 3 &&
         stored.desc.quantised == quantisation(quant{.scale = 0.25F}) && g.element<float>(y, 0) == 4 &&
         g.element<float>(y, 1) == 0.75F;
}
static_assert(keeps_scales());

TEST_CASE("evaluate: quantised constants are computed in their scales") { CHECK(keeps_scales()); }

}  // namespace
