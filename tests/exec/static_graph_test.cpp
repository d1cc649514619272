// static_graph_test: what is known of a network at compile time, and its text and picture.
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "support/networks.hpp"

namespace {

using namespace nnrt_test;

using net = graph<branches>;
using many = graph<several>;

static_assert(net::nodes == 13);  // flatten is a reshape
static_assert(net::inputs.size() == 1 && net::inputs[0].name == "image");
static_assert(net::inputs[0].desc == tensor_desc{f32, {1, 12, 12, 3}});
static_assert(net::outputs.size() == 1 && net::outputs[0].name == "probability");
static_assert(net::outputs[0].desc == tensor_desc{f32, {1, 10}});
static_assert(net::weights.size() == 9 && net::weights[0].name == "stem.weight" && net::weights[8].name == "fc.bias");
static_assert(net::weights[0].desc == tensor_desc{f32, {8, 3, 3, 3}});
static_assert(net::macs == 12 * 12 * 8 * 27 + 12 * 12 * 8 * 9 + 10 * 6 * 6 * 8);
static_assert(net::parameters == 8 * 27 + 4 * 8 + 8 * 9 + 8 + 10 * 288 + 10);
static_assert(net::steps < net::nodes);
static_assert(net::arena_bytes >= net::arena_lower_bound && net::arena_lower_bound > 0);
static_assert(many::inputs[1].name == "b" && many::outputs[2].name == "a again" && many::weights.empty());
static_assert(many::is_micro && !graph<large>::is_micro);
static_assert(net::ir().nodes.size() == net::nodes);

TEST_CASE("static_graph: weights say how they are used") {
  CHECK(net::weight_specs[0].use == weight_use::conv2d);
  CHECK(net::weight_specs[1].use == weight_use::plain);
  CHECK(net::weight_specs[5].use == weight_use::depthwise_conv2d);
  CHECK(net::weight_specs[7].use == weight_use::full_connection);
  CHECK(net::weight_specs[7].flattened == shape_t{1, 6, 6, 8});
  CHECK(net::weight_specs[7].name == "fc.weight");
}

/// The function that a code of the network's plan stands for, as this unit compiles it.
template <kernel_code Code> kernel_function function_behind() {
  constexpr kernel_functions functions = kernels::binding_of<Code.op, Code.family>::template functions<Code.method>();
  return Code.packs ? functions.pack : functions.run;
}
kernel_function function_behind(const kernel_code& code) {
  constexpr const auto& codes = nnrt::detail::codes_of<branches, false, winograd::automatic>;
  kernel_function found = nullptr;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    ((found = codes[I] == code ? function_behind<codes[I]>() : found), ...);
  }(std::make_index_sequence<codes.size()>());
  return found;
}

template <class Steps> int check_alike(const Steps& steps, const pool<step>& made) {
  REQUIRE(steps.size() == made.size());
  int in_codes = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(steps[i].kernel);
    CHECK(steps[i].kernel == made[i].kernel);
    CHECK(bool(steps[i].run != nullptr));
    if (steps[i].code) {  // another unit has the function, which this one's goes to
      CHECK(bool(function_behind(steps[i].code) == made[i].run));
      CHECK((steps[i].code.table >= 0) == (made[i].inner != nullptr));  // the latter has all tiles
      ++in_codes;
    } else {
      CHECK(bool(steps[i].run == made[i].run));
    }
  }
  return in_codes;
}

TEST_CASE("static_graph: the compiler's plan calls the very functions that a plan made at run time calls") {
  ir::graph g = net::ir();
  passes::optimise(g);
  const plan made = make_plan(g);
  CHECK(check_alike(net::plan.steps, made.steps) > 3);
  CHECK(check_alike(net::plan.prepare, made.prepare) > 1);
  const auto is_fast = [](const step& s) { return s.inner != nullptr; };
  CHECK(std::any_of(made.steps.begin(), made.steps.end(), is_fast));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_CASE("static_graph: the text says what the passes did, each step, and the memory") {
  const std::string text = net::text();
  CAPTURE(text);
  CHECK(has(text, "folded batch_norm into conv2d \"stem\"\n"));
  CHECK(has(text, "fused relu into conv2d \"stem\"\n"));
  CHECK(has(text, "fused relu6 into add"));
  CHECK(has(text, "fold_affine \"stem\""));
  CHECK(has(text, "depthwise_conv2d \"depthwise\""));
  CHECK(has(text, "f32 [1, 12, 12, 8]"));
  CHECK(has(text, "arena " + std::to_string(net::arena_bytes) + " bytes (lower bound " +
                      std::to_string(net::arena_lower_bound) + ")"));
}

TEST_CASE("static_graph: the picture has a box for each node, and ovals for inputs and outputs") {
  const std::string dot = many::dot();
  CAPTURE(dot);
  CHECK(dot.starts_with("digraph network {\n"));
  CHECK(dot.ends_with("}\n"));
  std::size_t boxes = 0, ovals = 0;
  for (std::size_t at = 0; (at = dot.find("shape=box", at)) != std::string::npos; ++at) ++boxes;
  for (std::size_t at = 0; (at = dot.find("shape=oval", at)) != std::string::npos; ++at) ++ovals;
  CHECK(boxes == many::nodes);
  CHECK(ovals == many::inputs.size() + many::outputs.size());
  CHECK(has(dot, "a again"));
  CHECK(has(dot, "[2, 3]"));
}

}  // namespace
