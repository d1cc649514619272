// read_subgraphs_test: the compiler reads a .tflite file with a variable and a loop, and unrolls it, as a program does.
#include <nnrt/io/tflite/read.hpp>

#include "../../support/literals/streaming.inc"

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/less.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/registry.hpp>

#include <string>

namespace {

using namespace nnrt;

constexpr std::string_view bytes{model_bytes<"streaming">, sizeof model_bytes<"streaming"> - 1};

/// The operators that this file becomes. Those of numbers that count trips run in the compiler.
constexpr const operator_info* find_few(op_code code) {
  constexpr const operator_info* few[] = {&static_operator<ops::add, i32>, &static_operator<ops::less, i32>, &static_operator<ops::mul, f32>};
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
  return {3, 1, g.nodes[0].op->code, g.nodes[1].op->code, g.nodes[2].op->code, g.element<float>(g.at(s.initial), 1), s.next == g.outputs[0].value};
}
constexpr outline in_compiler = outline_of((*tflite::read(bytes, find_few)).graph);
static_assert(in_compiler == outline{3, 1, ops::mul::code, ops::mul::code, ops::add::code, 2, true});

constexpr std::size_t words_about(std::size_t size) {
  const auto made = tflite::read(bytes.substr(0, size), find_few);
  return made ? 0 : made.error().letters().size();
}
static_assert(words_about(2000) > 0 && words_about(bytes.size() - 97) > 0);

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
