// graph_builder: a graph that the compiler builds node by node, and constants that come as bytes.
#include <nnrt/io/graph_builder.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/relu.hpp>

namespace {

using namespace nnrt;

/// y = relu(x), and a second output of that name: how many nodes there are, or how many letters the refusal has.
constexpr std::size_t built(bool is_refused) {
  graph_builder b;
  const std::int32_t in[] = {*b.input("x", {f32, {1, 4}})};
  pool<word> words;
  pack(ops::relu::attrs{}, words);
  const auto y = b.apply(static_operator<ops::relu, f32>, words, in);
  const auto first = b.output("y", (*y)[0]), second = b.output("y", (*y)[0]);
  if (is_refused) return second.error().letters().size();
  return first && !second ? b.graph().nodes.size() : 0;
}
static_assert(built(false) == 1);
static_assert(built(true) == std::string_view("two outputs are called \"y\"").size());

TEST_CASE("graph_builder: a constant of bytes has the elements that they are, and as many as its desc says") {
  model_builder b;
  const std::byte two[] = {std::byte{7}, std::byte{255}};
  const auto id = b.constant_bytes({i8, {2}}, two);
  REQUIRE(id);
  CHECK(b.graph().element<std::int8_t>(b.graph().at(*id), 1) == -1);
  const auto few = b.constant_bytes({i8, {3}}, two);
  REQUIRE_FALSE(few);
  CHECK(few.error().message() == "constant: got 2 bytes, expected 3 for i8 [3]");
  const auto truth = b.constant_bytes({boolean, {2}}, two);
  REQUIRE_FALSE(truth);
  CHECK(truth.error().message() == "constant: got a boolean that is neither 0 nor 1 at element 0");
}

}  // namespace
