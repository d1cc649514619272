// check_graph_test: a graph that no builder could have made is refused with a reason, and never read past its pools.
#include <nnrt/passes/check_graph.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/constant_of_shape.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/passes/optimise.hpp>

#include "support/random_graph.hpp"
#include "support/spoiler.hpp"

namespace {

using namespace nnrt_test;

/// conv2d "stem" over an image, then a relu: values image 0, stem.weight 1, bias constant 2, conv 3, relu 4.
ir::graph example() {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<1, 4, 4, 3>>("image");
    auto w = b.weight<f32, shape<2, 3, 3, 3>>("stem.weight");
    b.output("y", relu(conv2d(x, w, b.constant<f32, shape<2>>({1, 2}), same)));
  });
  g.nodes[0].op = &dynamic_operator<ops::conv2d, false>;  // without kernels: they take half a minute to compile
  g.nodes[1].op = &dynamic_operator<ops::relu, false>;
  return g;
}

/// What compile() does before it plans.
result<void> check_all(ir::graph& g) {
  if (auto ok = check_graph(g); !ok) return ok;
  if (auto ok = infer_graph(g); !ok) return ok;
  return require_known_extents(g);
}
std::string complaint_about(ir::graph g) {
  const result<void> checked = check_all(g);
  return checked ? "" : checked.error().message();
}

constexpr std::int64_t huge = std::int64_t{1} << 62;

struct row {
  const char* what;
  void (*spoil)(ir::graph&);
  const char* message;
};
const row spoiled[] = {
    {"no output", [](ir::graph& g) { g.outputs.clear(); }, "graph: has no output"},
    {"rank 9", [](ir::graph& g) { g.at(0).desc.shape.rank = 9; }, "graph: value 0 has rank 9, expected 0 to 8"},
    {"rank -1", [](ir::graph& g) { g.at(0).desc.shape.rank = -1; }, "graph: value 0 has rank -1, expected 0 to 8"},
    {"no dtype", [](ir::graph& g) { g.at(3).desc.type = dtype::none; }, "graph: value 3 has no dtype"},
    {"a dtype that is none", [](ir::graph& g) { g.at(3).desc.type = static_cast<dtype>(77); },
     "graph: value 3 has dtype 77, expected 1 to 12"},
    {"a negative dtype", [](ir::graph& g) { g.at(3).desc.type = static_cast<dtype>(-1); },
     "graph: value 3 has dtype -1, expected 1 to 12"},
    {"a format that is none", [](ir::graph& g) { g.at(3).desc.layout = static_cast<format>(9); },
     "graph: value 3 has format 9, expected 0 to 3"},
    {"a quantisation that is none",
     [](ir::graph& g) { g.at(3).desc.quantised.mode = static_cast<quantisation::kind>(3); },
     "graph: value 3 has quantisation 3, expected 0 to 2"},
    {"a rounding that is none",
     [](ir::graph& g) { g.at(3).desc.quantised.rounding = static_cast<quantised_rounding>(2); },
     "graph: value 3 has rounding 2, expected 0 to 1"},
    {"an unknown extent of a weight", [](ir::graph& g) { g.at(1).desc.shape[0] = -1; },
     "graph: value 1 has unknown extents"},
    {"an unknown extent of a constant", [](ir::graph& g) { g.at(2).desc.shape[0] = -1; },
     "graph: value 2 has unknown extents"},
    {"an extent that means nothing", [](ir::graph& g) { g.at(0).desc.shape[0] = -2; },
     "graph: value 0 has extent -2, expected -1 (unknown) or more"},
    {"extents whose product overflows",
     [](ir::graph& g) {
       g.at(0).desc.shape = {huge, huge, huge, huge};
     },
     "graph: value 0 has more elements than memory can hold"},
    {"a kind that is none", [](ir::graph& g) { g.at(4).is = static_cast<ir::kind>(5); },
     "graph: value 4 is of no kind"},
    {"a name after the text",
     [](ir::graph& g) {
       g.at(1).name = {1000, 3};
     },
     "graph: value 1 has a name outside the graph's text"},
    {"a name before the text",
     [](ir::graph& g) {
       g.at(1).name = {-4, 3};
     },
     "graph: value 1 has a name outside the graph's text"},
    {"a constant that ends after the bytes", [](ir::graph& g) { g.at(2).first_byte = 4; },
     "graph: value 2 is a constant outside the graph's bytes"},
    {"a constant that begins before them", [](ir::graph& g) { g.at(2).first_byte = -4; },
     "graph: value 2 is a constant outside the graph's bytes"},
    {"a constant at the largest number",
     [](ir::graph& g) { g.at(2).first_byte = std::numeric_limits<std::int64_t>::max(); },
     "graph: value 2 is a constant outside the graph's bytes"},
    {"a constant between two floats",
     [](ir::graph& g) {
       g.bytes.push_back({});
       g.at(2).first_byte = 1;
     },
     "graph: value 2 is a constant whose bytes are not aligned"},
    {"scales without quantisation", [](ir::graph& g) { g.at(1).scales = 2; },
     "graph: value 1 has scales, but is not quantised per channel"},
    {"an axis of scales that is none", [](ir::graph& g) { g.at(1).desc.quantised = per_channel<4>; },
     "graph: value 1 is quantised along axis 4, which it has not"},
    {"no scales", [](ir::graph& g) { g.at(1).desc.quantised = per_channel<0>; },
     "graph: value 1 is quantised per channel, but its scales are no value"},
    {"scales after all values",
     [](ir::graph& g) {
       g.at(1).desc.quantised = per_channel<0>;
       g.at(1).scales = static_cast<std::int32_t>(g.values.size());
     },
     "graph: value 1 is quantised per channel, but its scales are no value"},
    {"scales of another length",
     [](ir::graph& g) {
       g.at(1).desc.quantised = per_channel<3>;
       g.at(1).scales = 2;
     },
     "graph: value 1 is quantised per channel, but its scales are not one known f32 for each index of the axis"},
    {"scales that have scales",
     [](ir::graph& g) {
       g.at(1).desc.quantised = per_channel<0>, g.at(2).desc.quantised = per_channel<0>;
       g.at(1).scales = g.at(2).scales = 2;
     },
     "graph: value 1 is quantised per channel, but its scales are not one known f32 for each index of the axis"},
    {"a constant scale below 0",
     [](ir::graph& g) {
       g.at(1).desc.quantised = per_channel<0>;
       g.at(1).scales = 2;
       const float scales[] = {1, -0.5F};
       std::memcpy(&g.bytes[static_cast<std::size_t>(g.at(2).first_byte)], scales, sizeof scales);
     },
     "graph: value 1 is quantised per channel by constant 2: scale 1: got -0.5, expected a finite number of at least "
     "0"},
    {"a boolean that is neither",
     [](ir::graph& g) {
       g.at(2).desc.type = boolean;
       g.bytes[1] = std::byte{2};
     },
     "graph: value 2 is a boolean constant with a byte that is neither 0 nor 1"},
    {"an input that is no value", [](ir::graph& g) { g.inputs[0] = 5; },
     "graph: lists value 5 as an input, which it is not"},
    {"an input that is a weight", [](ir::graph& g) { g.inputs[0] = 1; },
     "graph: lists value 1 as an input, which it is not"},
    {"an input twice", [](ir::graph& g) { g.inputs.push_back(0); }, "graph: lists input 0 twice"},
    {"an input that is not listed", [](ir::graph& g) { g.inputs.clear(); },
     "graph: value 0 is an input that the graph does not list"},
    {"no operator", [](ir::graph& g) { g.nodes[1].op = nullptr; }, "graph: node 1 has no operator"},
    {"no operator to print", [](ir::graph& g) { g.nodes[1].label = nullptr; }, "graph: node 1 has no operator"},
    {"a node that a pass removed", [](ir::graph& g) { g.nodes[1].removed = true; }, "graph: node 1 has no operator"},
    {"attributes after the words", [](ir::graph& g) { g.nodes[0].attrs.count += 1; },
     "graph: node 0 (conv2d) points outside the graph's pools"},
    {"operands before the pool", [](ir::graph& g) { g.nodes[1].inputs.first = -1; },
     "graph: node 1 (relu) points outside the graph's pools"},
    {"a negative number of operands", [](ir::graph& g) { g.nodes[1].inputs.count = -1; },
     "graph: node 1 (relu) points outside the graph's pools"},
    {"ranges whose end overflows",
     [](ir::graph& g) {
       g.nodes[1].inputs = {std::numeric_limits<std::int32_t>::max(), 7};
     },
     "graph: node 1 (relu) points outside the graph's pools"},
    {"no results", [](ir::graph& g) { g.nodes[1].outputs.count = 0; }, "graph: node 1 (relu) has no output"},
    {"a node that reads no value", [](ir::graph& g) { g.operands[4] = 5; }, "graph: node 1 (relu) reads value 5 of 5"},
    {"a node that reads value -2", [](ir::graph& g) { g.operands[4] = -2; },
     "graph: node 1 (relu) reads value -2 of 5"},
    {"a node that writes no value", [](ir::graph& g) { g.operands[5] = -1; },
     "graph: node 1 (relu) writes value -1 of 5"},
    {"two nodes over one row of operands", [](ir::graph& g) { g.nodes[1].inputs = g.nodes[0].outputs; },
     "graph: node 1 (relu) shares its operands or attributes with another node"},
    {"a cycle", [](ir::graph& g) { g.operands[0] = 4; }, "graph: node 0 (conv2d) reads value 4 before it is made"},
    {"a node that reads its own result", [](ir::graph& g) { g.operands[4] = 4; },
     "graph: node 1 (relu) reads value 4 before it is made"},
    {"a value made twice", [](ir::graph& g) { g.operands[5] = 3; },
     "graph: node 1 (relu) makes value 3, which is made already"},
    {"a weight that is made", [](ir::graph& g) { g.operands[5] = 1; },
     "graph: node 1 (relu) makes value 1, which is made already"},
    {"an output that is no value", [](ir::graph& g) { g.outputs[0].value = 5; },
     "graph: output \"y\" is not made by any node"},
    {"an output that nobody makes",
     [](ir::graph& g) {
       g.outputs[0].value = g.add_value({{f32, {1}}, ir::kind::result, {}, 0, ir::none});
     },
     "graph: output \"y\" is not made by any node"},
    {"an output's name after the text", [](ir::graph& g) { g.outputs[0].name.count = 1000; },
     "graph: an output has a name outside the graph's text"},
};

TEST_CASE("check_graph: what a builder makes is in order") {
  CHECK(complaint_about(example()).empty());
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    CHECK(complaint_about(random_graph(seed).made()).empty());
  }
}

TEST_CASE("check_graph: scales may be the first value of a graph, as any other") {
  ir::graph g;
  const float steps[] = {0.5F, 0.25F};
  const std::int32_t scales = g.add_constant<float>({f32, {2}}, steps);
  tensor_desc rows{i8, {2, 3}};
  rows.quantised.mode = quantisation::kind::per_channel;
  const std::int32_t x = g.add_value({rows, ir::kind::input, g.add_text("x"), 0, scales});
  g.inputs.push_back(x);
  g.outputs.push_back({x, g.add_text("y")});
  REQUIRE(scales == 0);
  CHECK(complaint_about(g) == "");
  g.at(x).scales = ir::none;
  CHECK(complaint_about(g).find("its scales are no value") != std::string::npos);
}

TEST_CASE("check_graph: each way to spoil a graph has its own error") {
  for (const row& r : spoiled) {
    CAPTURE(r.what);
    ir::graph g = example();
    r.spoil(g);
    const result<void> checked = check_graph(g);
    REQUIRE(!checked);
    CHECK(checked.error().message() == r.message);
    CHECK(checked.error().code() == error_code::invalid_argument);
  }
}

TEST_CASE("check_graph: values that together exceed memory are refused before anything is added up") {
  ir::graph g = example();
  for (int i = 0; i < 200'000; ++i) g.add_value({{f64, {std::int64_t{1} << 40}}, ir::kind::result, {}, 0, ir::none});
  CHECK(complaint_about(g) == "graph: has more bytes in its values than memory can hold");
}

const row broken_rules[] = {
    {"the operator's own rule", [](ir::graph& g) { g.at(1).desc.shape[3] = 4; },
     "conv2d \"stem\": input channels must equal weight channels times group (got 3, expected 4)"},
    {"an operand that must be there", [](ir::graph& g) { g.operands[1] = ir::none; },
     "conv2d \"stem\": required operand must be given (got 1, expected 2)"},
    {"one operand too many",
     [](ir::graph& g) {
       const std::int32_t operands[] = {0, 1, 2, 2};
       g.nodes[0].inputs = g.add_operands(operands);
     },
     "conv2d \"stem\": operands must not exceed the signature (got 4, expected 3)"},
    {"dtypes by name", [](ir::graph& g) { g.at(0).desc.type = boolean; },
     "conv2d \"stem\": operand type must be accepted by the operator (got boolean, expected one of i8, i16, i32, i64, "
     "u8, f16, f32, f64)"},
    {"formats by name", [](ir::graph& g) { g.at(0).desc.layout = nchw; },
     "conv2d \"stem\": input must be nhwc (got nchw, expected nhwc)"},
    {"a declared dtype", [](ir::graph& g) { g.at(4).desc.type = f16; },
     "relu: declared output type must match (got f32, expected f16)"},
    {"a declared rank", [](ir::graph& g) { g.at(4).desc.shape = {32}; },
     "relu: declared output rank must match (got 4, expected 1)"},
    {"a declared rank 0", [](ir::graph& g) { g.at(4).desc.shape = {}; },
     "relu: declared output rank must match (got 4, expected 0)"},
    {"a declared extent", [](ir::graph& g) { g.at(4).desc.shape[1] = 5; },
     "relu: declared output extent must match (got 4, expected 5)"},
    {"two results of an operator that has one",
     [](ir::graph& g) {
       const std::int32_t results[] = {4, g.add_value(g.at(4))};
       g.nodes[1].outputs = g.add_operands(results);
     },
     "relu: output count must match (got 2, expected 1)"},
    {"attributes that are cut short", [](ir::graph& g) { g.nodes[0].attrs.count -= 1; },
     "conv2d \"stem\": attributes must be well formed (got 0, expected 1)"},
    {"an activation that is none", [](ir::graph& g) { g.attrs_of(g.nodes[0]).back() = 7; },
     "conv2d \"stem\": attributes must be well formed (got 0, expected 1)"},
};

TEST_CASE("check_graph: a broken rule is named in the words of its enumerator, with both values") {
  for (const row& r : broken_rules) {
    CAPTURE(r.what);
    ir::graph g = example();
    r.spoil(g);
    REQUIRE(check_graph(g));
    const result<void> checked = infer_graph(g);
    REQUIRE(!checked);
    CHECK(checked.error().message() == r.message);
    CHECK(checked.error().code() == error_code::rule_broken);
  }
}

TEST_CASE("check_graph: unknown extents of a result become known, those of an input are left to the caller") {
  ir::graph g = example();
  g.at(3).desc.shape = {-1, -1, -1, -1};
  g.at(4).desc.shape = {1, -1, 4, 2};
  REQUIRE(check_all(g));
  CHECK(g.at(4).desc.shape == shape_t{1, 4, 4, 2});
  g.at(0).desc.shape[0] = -1;
  g.at(3).desc.shape[0] = g.at(4).desc.shape[0] = -1;
  CHECK(complaint_about(g) == "input \"image\" is f32 [?, 4, 4, 3], expected known extents");
}

TEST_CASE("check_graph: extents that numbers of an input say are unknown") {
  ir::graph g = written([](builder& b) {
    b.output("y", constant_of_shape(b.input<i64, shape<2>>("extents"), with_value<1>, into<shape<4, 5>>));
  });
  g.nodes[0].op = &dynamic_operator<ops::constant_of_shape, false>;
  g.at(g.outputs[0].value).desc.shape = {-1, -1};
  CHECK(complaint_about(g) ==
        "graph: the result of constant_of_shape \"\" has extents that do not follow from the shapes of the inputs");
}

// Rules take it for a constant that is to come, and believe what the graph declares of the result.
TEST_CASE("check_graph: an operand that would have to be known, and that no pass evaluates, is refused") {
  ir::graph g;
  const std::vector<std::int64_t> many(passes::max_evaluated_elements + 1), begin{0}, size{1};
  const std::int32_t x = g.add_value({{f32, {4}}, ir::kind::input, g.add_text("x"), 0, ir::none});
  const auto list = [&](const std::vector<std::int64_t>& numbers) {
    return g.add_constant({i64, {static_cast<std::int64_t>(numbers.size())}}, array_ref<const std::int64_t>(numbers));
  };
  const std::int32_t from = list(many), at = list(begin), of = list(size);
  const std::int32_t extents = g.add_value({{i64, {1}}, ir::kind::result, {}, 0, ir::none});
  const std::int32_t y = g.add_value({{f32, {1000}}, ir::kind::result, {}, 0, ir::none});
  const std::int32_t operands[] = {from, at, of, extents, x, extents, y};
  g.add_operands(operands);
  pool<word> words;
  pack(ops::slice::attrs{}, words);
  g.nodes.push_back(node_of(dynamic_operator<ops::slice, false>, g.add_words(words), {0, 3}, {3, 1}));
  g.nodes.push_back(node_of(dynamic_operator<ops::reshape, false>, {}, {4, 2}, {6, 1}));
  g.inputs.push_back(x);
  g.outputs.push_back({y, g.add_text("y")});
  CHECK(complaint_about(g) == "graph: shape of reshape \"\" is not known before the network runs");
}

TEST_CASE("check_graph: spoiled graphs that pass are planned without harm") {
  int accepted = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    CAPTURE(seed);
    ir::graph g = random_graph(seed % 500).made();
    spoiler s(seed);
    for (std::uint32_t times = 0; times < 1 + seed % 3; ++times) s.spoil(g);
    if (!check_all(g)) continue;
    ++accepted;
    passes::optimise(g);
    const plan made = make_plan(g, {.fast_kernels = seed % 2 == 0});
    CHECK(made.arena_bytes >= made.arena_lower_bound);
  }
  CHECK(accepted > 1000);
}

/// An input x 0, a state h 1 that becomes their sum 2, another state 3 that begins as constant 4 and becomes h.
ir::graph with_states() {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<1, 4>>("x");
    auto h = b.state<f32, shape<1, 4>>("h");
    auto next = add(h, x);
    b.next(h, next);
    auto late = b.state<f32, shape<1, 4>>("late", {1, 2, 3, 4});
    b.next(late, h);
    b.output("y", late);
  });
  g.nodes[0].op = &dynamic_operator<ops::add, false>;
  return g;
}

const row spoiled_states[] = {
    {"nothing", [](ir::graph&) {}, ""},
    {"no value", [](ir::graph& g) { g.states[0].value = 99; }, "graph: lists value 99 as a state, which it is not"},
    {"no state", [](ir::graph& g) { g.states[0].value = 0; }, "graph: lists value 0 as a state, which it is not"},
    {"one twice", [](ir::graph& g) { g.states[1].value = g.states[0].value; }, "graph: lists state 1 twice"},
    {"one left out", [](ir::graph& g) { g.states.erase_if([](const ir::state& s) { return s.value == 1; }); },
     "graph: value 1 is a state that the graph does not list"},
    {"two of one name", [](ir::graph& g) { g.at(g.states[1].value).name = g.at(1).name; },
     "graph: two states are called \"h\""},
    {"no next value", [](ir::graph& g) { g.states[0].next = ir::none; }, "graph: state \"h\" has no next value"},
    {"a next value that no node makes",
     [](ir::graph& g) {
       g.states[0].next = g.add_value({{f32, {1, 4}}, ir::kind::result, {}, 0, ir::none});
     },
     "graph: state \"h\" has no next value"},
    {"a next value beyond all", [](ir::graph& g) { g.states[1].next = 99; }, "graph: state \"late\" has no next value"},
    {"a next value of another shape",
     [](ir::graph& g) {
       g.at(g.states[1].value).desc.shape = {1, 5}, g.states[1].initial = ir::none;
     },
     "graph: state \"late\" is f32 [1, 5], but becomes f32 [1, 4]"},
    {"a next value of another dtype",
     [](ir::graph& g) { g.at(g.states[1].value).desc.type = i32, g.states[1].initial = ir::none; },
     "graph: state \"late\" is i32 [1, 4], but becomes f32 [1, 4]"},
    {"unknown extents", [](ir::graph& g) { g.at(1).desc.shape[0] = -1; }, "graph: value 1 has unknown extents"},
    {"a scale for each channel",
     [](ir::graph& g) {
       const std::int32_t scales = g.add_constant<float>({f32, {4}}, pool<float>{1, 1, 1, 1});
       g.at(1).desc.quantised = per_channel<1>, g.at(1).scales = scales;
     },
     "graph: state \"h\" has a scale for each channel, expected one"},
    {"an initial value that is none", [](ir::graph& g) { g.states[0].initial = 99; },
     "graph: state \"h\" begins as no value"},
    {"an initial value that a run makes", [](ir::graph& g) { g.states[0].initial = 0; },
     "graph: state \"h\" begins as a value that is neither a constant nor a weight"},
    {"an initial value of another shape", [](ir::graph& g) { g.at(g.states[1].initial).desc.shape = {4}; },
     "graph: state \"late\" is f32 [1, 4], but begins as f32 [4]"},
};

TEST_CASE("check_graph: states that no builder could have made are refused, with the state's name") {
  for (const row& r : spoiled_states) {
    CAPTURE(r.what);
    ir::graph g = with_states();
    r.spoil(g);
    CHECK(complaint_about(g) == r.message);
  }
}

}  // namespace
