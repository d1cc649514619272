// read_subgraphs_test: the compiler reads .tflite files with a variable, a loop, and lists, and unrolls loops, as a
// program does.
#include <nnrt/io/tflite/read.hpp>

#include "../../support/literals/listed.inc"
#include "../../support/literals/streaming.inc"

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/registry.hpp>
#include <nnrt/ops/stack.hpp>

#include <string>

namespace {

using namespace nnrt;

constexpr std::string_view bytes{model_bytes<"streaming">, sizeof model_bytes<"streaming"> - 1};

/// The operators that these files become. Those of numbers that count trips run in the compiler.
constexpr const operator_info* find_few(op_code code) {
  constexpr const operator_info* few[] = {&static_operator<ops::add, i32>, &static_operator<ops::less, i32>,
                                          &static_operator<ops::mul, f32>, &static_operator<ops::gather, f32>,
                                          &static_operator<ops::stack, f32>};
  for (const operator_info* const op : few)
    if (op->code == code) return op;
  return nullptr;
}

/// The codes of all nodes as one number, and what the state is.
struct outline {
  std::size_t nodes = 0, states = 0;
  op_code first{}, second{}, last{};
  float begins = 0;
  bool becomes_the_output = false;
  friend constexpr bool operator==(const outline&, const outline&) = default;
};
constexpr outline outline_of(const ir::graph& g) {
  if (g.nodes.size() != 3 || g.states.size() != 1) return {g.nodes.size(), g.states.size()};
  const ir::state& s = g.states[0];
  return {3,
          1,
          g.nodes[0].op->code,
          g.nodes[1].op->code,
          g.nodes[2].op->code,
          g.element<float>(g.at(s.initial), 1),
          s.next == g.outputs[0].value};
}
constexpr outline in_compiler = outline_of((*tflite::read(bytes, find_few)).graph);
static_assert(in_compiler == outline{3, 1, ops::mul::code, ops::mul::code, ops::add::code, 2, true});

constexpr std::size_t words_about(std::size_t size) {
  const auto made = tflite::read(bytes.substr(0, size), find_few);
  return made ? 0 : made.error().letters().size();
}
static_assert(words_about(2000) > 0 && words_about(bytes.size() - 97) > 0);

constexpr std::string_view listed{model_bytes<"listed">, sizeof model_bytes<"listed"> - 1};
/// Whether the graph takes two rows, triples each, and stacks them.
constexpr bool takes_rows_and_stacks(const ir::graph& g) {
  constexpr op_code expected[] = {ops::gather::code, ops::mul::code, ops::gather::code, ops::mul::code,
                                  ops::stack::code};
  if (g.nodes.size() != std::size(expected)) return false;
  for (std::size_t i = 0; i < std::size(expected); ++i)
    if (g.nodes[i].op->code != expected[i]) return false;
  const auto parts = g.inputs_of(g.nodes[4]);
  return parts[0] == g.outputs_of(g.nodes[1])[0] && parts[1] == g.outputs_of(g.nodes[3])[0];
}
static_assert(takes_rows_and_stacks((*tflite::read(listed, find_few)).graph));

TEST_CASE("read: a program reads a file with lists as the compiler does") {
  const auto read = tflite::read(listed, [](op_code code) { return ops::find(code); });
  REQUIRE(read);
  CHECK(takes_rows_and_stacks(read->graph));
}

TEST_CASE("read: a program reads a file with a loop as the compiler does") {
  const auto read = tflite::read(bytes, [](op_code code) { return ops::find(code); });
  REQUIRE(read);
  CHECK(outline_of(read->graph) == in_compiler);
}

TEST_CASE("read: a file with subgraphs that is cut at any byte is refused with words") {
  for (std::size_t size = 0; size + 4 < bytes.size(); ++size) {
    CAPTURE(size);
    const std::string cut(bytes.substr(0, size));
    CHECK_FALSE(tflite::read(cut, [](op_code code) { return ops::find(code); }));
  }
}

}  // namespace
