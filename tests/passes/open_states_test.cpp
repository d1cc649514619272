// open_states_test: states become inputs and outputs of their names, after the others.
#include <nnrt/passes/open_states.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/passes/check_graph.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

TEST_CASE("open_states: each state is an input and an output of one name") {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<1, 4>>("x");
    auto h = b.state<f32, shape<1, 4>>("h");
    auto late = b.state<f32, shape<1, 4>>("late", {1, 2, 3, 4});
    auto next = add(h, x);
    b.next(h, next), b.next(late, h);
    b.output("y", late);
  });
  const std::int32_t h = g.states[0].value, late = g.states[1].value, next = g.states[0].next;
  passes::open_states(g);
  CHECK(g.states.empty());
  REQUIRE(g.inputs.size() == 3);
  REQUIRE(g.outputs.size() == 3);
  CHECK(g.inputs[1] == h);
  CHECK(g.inputs[2] == late);
  CHECK(g.name_of(g.at(h).name) == "h");
  CHECK(g.at(h).is == ir::kind::input);
  CHECK(g.outputs[1].value == next);
  CHECK(g.name_of(g.outputs[1].name) == "h");
  CHECK(g.outputs[2].value == h);
  CHECK(g.name_of(g.outputs[2].name) == "late");
}

}  // namespace
