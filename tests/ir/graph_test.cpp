// graph_test: pools of a graph - names, operands, attributes, constants - and what rules see of a node's operands.
#include <nnrt/ir/graph.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace {

using namespace nnrt;

template <class T> constexpr bool keeps(dtype type, const std::array<T, 3>& elements) {
  ir::graph g;
  g.bytes.push_back(std::byte{1});  // so that the constant has to be aligned
  const std::int32_t id = g.add_constant<T>({type, {3}}, elements);
  const ir::value& v = g.at(id);
  if (v.is != ir::kind::constant || v.first_byte != 64 || v.scales != ir::none) return false;
  for (std::int64_t i = 0; i < 3; ++i)
    if (g.element<T>(v, i) != elements[static_cast<std::size_t>(i)]) return false;
  return true;
}
static_assert(keeps<float>(f32, {1.5F, -2, 0}) && keeps<std::int64_t>(i64, {-1, 2, std::int64_t{1} << 62}));
static_assert(keeps<bool>(boolean, {true, false, true}) && keeps<std::uint8_t>(u8, {0, 255, 7}));

TEST_CASE("graph: constants of every size keep their elements, aligned to 64 bytes") {
  CHECK(keeps<std::int8_t>(i8, {-128, 0, 127}));
  CHECK(keeps<std::int16_t>(i16, {-32768, 0, 1}));
  CHECK(keeps<float16>(f16, {float16(0.5F), float16(-1.0F), float16(65504.0F)}));
  CHECK(keeps<double>(f64, {0.1, -1e300, 0}));
  CHECK(keeps<bool>(boolean, {true, false, true}));
}

TEST_CASE("graph: any byte but 0 of a boolean constant is true") {
  ir::graph g;
  const std::int32_t id = g.add_constant<std::uint8_t>({boolean, {3}}, std::array<std::uint8_t, 3>{0, 1, 0x82});
  CHECK(!g.element<bool>(g.at(id), 0));
  CHECK(g.element<bool>(g.at(id), 1));
  CHECK(g.element<bool>(g.at(id), 2));
}

TEST_CASE("graph: ranges of the pools are what was put in") {
  ir::graph g;
  const ir::range first = g.add_text("conv1"), second = g.add_text(""), third = g.add_text("fc");
  CHECK(g.name_of(first) == "conv1");
  CHECK(g.name_of(second).empty());
  CHECK(g.name_of(third) == "fc");
  ir::node n;
  n.inputs = g.add_operands(std::array<std::int32_t, 3>{4, ir::none, 2});
  n.outputs = g.add_operands(std::array<std::int32_t, 1>{7});
  n.attrs = g.add_words(std::array<word, 2>{11, -1});
  CHECK(g.inputs_of(n).size() == 3);
  CHECK(g.inputs_of(n)[1] == ir::none);
  CHECK(g.outputs_of(n)[0] == 7);
  CHECK(g.attrs_of(n)[1] == -1);
  g.inputs_of(n)[0] = 5;
  CHECK(g.operands[0] == 5);
}

TEST_CASE("graph: rules see the integers of short constants, of nothing else") {
  ir::graph g;
  const std::int32_t list = g.add_constant<std::int32_t>({i32, {2}}, std::array<std::int32_t, 2>{3, -4});
  const std::int32_t real = g.add_constant<float>({f32, {1}}, std::array<float, 1>{1});
  const std::vector<std::int64_t> many(257, 9);
  const std::int32_t table = g.add_constant<std::int64_t>({i64, {257}}, many);
  const std::int32_t input = g.add_value({{i32, {2}}, ir::kind::input, {}, 0, ir::none});
  const std::int32_t weight = g.add_value({{i32, {2}}, ir::kind::weight, {}, 0, ir::none});
  const ir::operand_list seen(g, std::array<std::int32_t, 6>{list, real, table, input, weight, ir::none});
  REQUIRE(seen.operands.size() == 6);
  CHECK(seen.operands[0].has_values());
  CHECK(seen.operands[0].values[1] == -4);
  for (std::size_t i = 1; i < 6; ++i) CHECK(seen.operands[i].values.empty());
  const bool constant[] = {true, true, true, false, true, false};
  for (std::size_t i = 0; i < 6; ++i) CHECK(seen.operands[i].constant == constant[i]);
  CHECK(!seen.operands[5]);
  CHECK(seen.operands[3].desc == g.at(input).desc);
}

}  // namespace
