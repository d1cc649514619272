// builder_test: what a network's function declares becomes a graph, and rules of the whole graph are noticed.
#include <nnrt/ir/builder.hpp>

#include <doctest/doctest.h>
#include <nnrt/ir/apply.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/relu.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

struct row {
  const char* what;
  void (*network)(builder&);
  bool complains;
  graph_rule rule;
  std::string_view name;
};
constexpr auto x_of(builder& g, std::string_view name = "x") { return g.input<f32, shape<1, 4>>(name); }

constexpr auto h_of(builder& g, std::string_view name = "h") { return g.state<f32, shape<1, 4>>(name); }

constexpr row table[] = {
    {"nothing is wrong", [](builder& g) { g.output("y", x_of(g)); }, false, {}, ""},
    {"names of inputs, weights and outputs are three spaces",
     [](builder& g) { g.output("x", x_of(g) + g.weight<f32, shape<4>>("x")); },
     false,
     {},
     ""},
    {"one weight twice",
     [](builder& g) { g.output("y", x_of(g) + g.weight<f32, shape<4>>("w") + g.weight<f32, shape<4>>("w")); },
     false,
     {},
     ""},
    {"an output twice under two names",
     [](builder& g) {
       auto x = x_of(g);
       g.output("y", x);
       g.output("z", x);
     },
     false,
     {},
     ""},
    {"no output", [](builder& g) { relu(x_of(g)); }, true, graph_rule::graph_must_have_an_output, ""},
    {"nothing at all", [](builder&) {}, true, graph_rule::graph_must_have_an_output, ""},
    {"an unused input",
     [](builder& g) {
       x_of(g, "zoom");
       g.output("y", relu(x_of(g)));
     },
     true, graph_rule::every_input_must_be_used, "zoom"},
    {"the first of two unused inputs",
     [](builder& g) {
       x_of(g, "zoom");
       x_of(g, "zap");
       g.output("y", relu(x_of(g)));
     },
     true, graph_rule::every_input_must_be_used, "zoom"},
    {"two inputs of one name", [](builder& g) { g.output("y", x_of(g) + x_of(g)); }, true,
     graph_rule::input_names_must_differ, "x"},
    {"two outputs of one name",
     [](builder& g) {
       auto x = x_of(g);
       g.output("y", x);
       g.output("y", relu(x));
     },
     true, graph_rule::output_names_must_differ, "y"},
    {"a weight in two shapes",
     [](builder& g) {
       auto x = x_of(g);
       g.output("y", full_connection(x, g.weight<f32, shape<2, 4>>("fc")));
       g.output("z", full_connection(x, g.weight<f32, shape<3, 4>>("fc")));
     },
     true, graph_rule::weights_of_one_name_must_be_alike, "fc"},
    {"another graph's tensor as an output",
     [](builder& g) {
       builder other;
       g.output("y", x_of(other));
     },
     true, graph_rule::tensors_must_belong_to_this_graph, "y"},
    {"another graph's tensor as an operand",
     [](builder& g) {
       builder other;
       auto stranger = x_of(other);
       g.output("y", x_of(g) + stranger);
     },
     true, graph_rule::tensors_must_belong_to_this_graph, ""},
    {"a state, which is no input, and names that have a separate space",
     [](builder& g) {
       auto x = h_of(g, "x");
       g.next(x, relu(x + x_of(g)));
       g.output("x", x);
     },
     false,
     {},
     ""},
    {"an input that a state becomes is used",
     [](builder& g) {
       auto h = h_of(g);
       g.next(h, x_of(g));
       g.output("y", h);
     },
     false,
     {},
     ""},
    {"two states of one name",
     [](builder& g) {
       auto a = h_of(g), b = h_of(g);
       g.next(a, b), g.next(b, a);
       g.output("y", a);
     },
     true, graph_rule::state_names_must_differ, "h"},
    {"a state without a next value", [](builder& g) { g.output("y", h_of(g, "lost")); }, true,
     graph_rule::every_state_must_have_a_next, "lost"},
    {"two next values",
     [](builder& g) {
       auto h = h_of(g, "twice");
       g.next(h, relu(h)), g.next(h, h);
       g.output("y", h);
     },
     true, graph_rule::a_state_must_have_one_next, "twice"},
    {"a next value of an input",
     [](builder& g) {
       auto x = x_of(g);
       g.next(x, relu(x));
       g.output("y", x);
     },
     true, graph_rule::next_must_be_given_to_a_state, "x"},
    {"a next value of another graph's state",
     [](builder& g) {
       builder other;
       g.next(h_of(other), x_of(g));
       g.output("y", x_of(g, "z"));
     },
     true, graph_rule::tensors_must_belong_to_this_graph, ""},
    {"another graph's tensor as a next value",
     [](builder& g) {
       builder other;
       auto h = h_of(g);
       g.next(h, x_of(other));
       g.output("y", h);
     },
     true, graph_rule::tensors_must_belong_to_this_graph, ""},
    {"a state that begins as what only a run knows",
     [](builder& g) {
       auto h = g.state<f32, shape<1, 4>>("h", x_of(g));
       g.next(h, h);
       g.output("y", h);
     },
     true, graph_rule::initial_value_must_be_a_constant_or_a_weight, "h"},
};

constexpr bool complains_as_stated(const row& r) {
  builder g;
  r.network(g);
  g.finish();
  const ir::diagnostic& c = g.diagnostic();
  return c.made == r.complains && (!c.made || (c.rule == r.rule && g.graph().name_of(c.name) == r.name));
}
static_assert(std::all_of(std::begin(table), std::end(table), complains_as_stated));

TEST_CASE("builder: rules of the whole graph are noticed, the first broken one with its name") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(complains_as_stated(r));
  }
}

TEST_CASE("builder: a refused node silences what would follow from it") {
  builder g;
  x_of(g);
  g.refuse();
  g.finish();
  CHECK(!g.diagnostic().made);
}

TEST_CASE("builder: inputs, weights and outputs stand in order of declaration") {
  builder b;
  auto w = b.weight<f32, shape<2, 4>>("fc.weight");
  auto x = x_of(b);
  auto c = b.constant<f32, shape<2>>({1, 2});
  auto y = full_connection(x, w, c, relu);
  static_assert(decltype(y)::desc == tensor_desc{f32, {1, 2}});
  b.output("y", y);
  const ir::graph& g = b.graph();
  REQUIRE(g.inputs.size() == 1);
  CHECK(g.inputs[0] == x.id);
  CHECK(g.at(w.id).is == ir::kind::weight);
  CHECK(g.name_of(g.at(w.id).name) == "fc.weight");
  CHECK(g.at(c.id).is == ir::kind::constant);
  CHECK(g.element<float>(g.at(c.id), 1) == 2);
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.name_of(g.nodes[0].name) == "fc");
  CHECK(g.inputs_of(g.nodes[0])[1] == w.id);
  CHECK(g.outputs[0].value == y.id);
  CHECK(g.name_of(g.outputs[0].name) == "y");
}

TEST_CASE("builder: a weight that is quantised per channel has its scales in a separate weight") {
  builder b;
  auto w = b.weight<i8, shape<16, 3, 3, 1>, nhwc, per_channel<0>>("w");
  const ir::graph& g = b.graph();
  REQUIRE(g.at(w.id).scales != ir::none);
  const ir::value& scales = g.at(g.at(w.id).scales);
  CHECK(g.name_of(scales.name) == "w.scale");
  CHECK(scales.desc == tensor_desc{f32, {16}});
  CHECK(b.weight<i8, shape<16, 3, 3, 1>, nhwc, per_channel<0>>("w").id == w.id);
}

TEST_CASE("builder: hundreds of weights are told apart by their names") {
  builder b;
  std::vector<std::int32_t> ids;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 500; ++i) {
      const std::string name = "layer" + std::to_string(i) + ".weight";
      const std::int32_t id = b.weight<f32, shape<4>>(name).id;
      if (round == 0) ids.push_back(id);
      else CHECK(ids[static_cast<std::size_t>(i)] == id);
    }
  CHECK(b.graph().values.size() == 500);
}

}  // namespace
