// model_builder: nodes that can be computed while a model is built become constants.
#include <nnrt/io/model_builder.hpp>

#include <doctest/doctest.h>

#include <nnrt/ops/add.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/shape_of.hpp>
#include <nnrt/ops/slice.hpp>

#include <sys/mman.h>
#include <array>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

namespace {

using namespace nnrt;

std::int32_t integers(model_builder& b, std::initializer_list<std::int64_t> list) {
  return *b.constant<std::int64_t>({i64, {static_cast<std::int64_t>(list.size())}},
                                   std::span(list.begin(), list.size()));
}

TEST_CASE("model_builder: a node on constants alone is computed at once, and is gone") {
  model_builder b;
  const std::array<float, 2> one{1, 2}, ten{10, 20};
  const std::int32_t x = *b.constant<float>({f32, {2}}, one), y = *b.constant<float>({f32, {2}}, ten);
  const auto sum = b.apply<ops::add>({}, {x, y});
  REQUIRE(sum);
  b.evaluate_last();
  CHECK(b.graph().nodes.empty());
  const ir::value& made = b.graph().at((*sum)[0]);
  CHECK(made.is == ir::kind::constant);
  CHECK(b.graph().element<float>(made, 1) == 22);
}

TEST_CASE("model_builder: operands come in braces or as any range, and so do wanted descs") {
  model_builder b;
  const std::int32_t x = *b.input("x", {f32, {2}}), y = *b.input("y", {f32, {2}});
  const std::vector<std::int32_t> list{x, y};
  std::array<std::int32_t, 2> array{x, y};
  const std::int32_t plain[] = {x, y};
  const std::list<std::int32_t> scattered{x, y};
  const std::array wanted{tensor_desc{f32, {2}}};
  const tensor_desc wrong{f32, {3}};
  for (const auto& sum :
       {b.apply<ops::add>({}, {x, y}), b.apply<ops::add>({}, list), b.apply<ops::add>({}, array),
        b.apply<ops::add>({}, plain), b.apply<ops::add>({}, std::span(list)), b.apply<ops::add>({}, scattered),
        b.apply<ops::add>({}, list, wanted), b.apply<ops::add>({}, {x, y}, wanted, "sum"),
        b.apply<ops::add>({}, array, {wanted[0]}, "sum"), b.apply<ops::add>({}, scattered, wanted)}) {
    REQUIRE(sum);
    const auto& node = b.graph().nodes[static_cast<std::size_t>((*sum)[0] - 2)];  // one result a node, after two inputs
    CHECK(b.graph().inputs_of(node)[0] == x);
    CHECK(b.graph().inputs_of(node)[1] == y);
  }
  CHECK_FALSE(b.apply<ops::add>({}, list, {wrong}));
  CHECK(b.apply<ops::add>({}, std::vector<std::int32_t>{x, 99}).error().message() == "add: value 99 does not exist");
}

TEST_CASE("model_builder: a shape that is known, and what is computed from it, is read by the rules of later nodes") {
  model_builder b;
  const std::int32_t x = *b.input("x", {f32, {4, 6}});
  const auto shape = b.apply<ops::shape_of>({}, {x});
  REQUIRE(shape);
  b.evaluate_last();
  const auto last = b.apply<ops::slice>({}, {(*shape)[0], integers(b, {1}), integers(b, {1})});
  REQUIRE(last);
  b.evaluate_last();
  CHECK(b.graph().nodes.empty());
  const auto flat = b.apply<ops::reshape>({}, {x, (*last)[0]});
  CHECK(!flat);  // 24 elements do not go into 6
  CHECK(flat.error().message() == "reshape: number of elements must be kept (got 6, expected 24)");
}

TEST_CASE(
    "model_builder: values that do not exist, and descs of more outputs than there are, are refused and change "
    "nothing") {
  model_builder b;
  b.evaluate_last();  // of which there is none
  const std::int32_t x = *b.input("x", {f32, {2}});
  const auto message = [](const auto& refused) { return refused ? std::string("taken") : refused.error().message(); };
  for (const std::int32_t none : {-1, 1, 9}) {
    CAPTURE(none);
    const std::string words = "value " + std::to_string(none) + " does not exist";
    CHECK(message(b.set_scales(none, x)) == "set_scales: " + words);
    CHECK(message(b.set_scales(x, none)) == "set_scales: " + words);
    CHECK(message(b.output("y", none)) == "output \"y\": " + words);
    CHECK(b.desc(none).type == dtype::none);
    CHECK(b.readiness_of(none) == passes::readiness::computed);
  }
  CHECK(message(b.apply<ops::add>({}, {x, 7})) == "add: value 7 does not exist");
  CHECK(message(b.apply<ops::add>({}, {x, x}, {tensor_desc{}, tensor_desc{}})) ==
        "add: got 2 descs of outputs, expected at most 1");
  CHECK(message(b.input("z", {f32, {-2, -1}})) ==
        "\"z\": f32 [-2, ?] has no dtype, or extents that no tensor can have");
  CHECK(b.graph().values.size() == 1);
  CHECK(b.graph().nodes.empty());
  CHECK(b.graph().outputs.empty());
}

TEST_CASE("model_builder: names that a graph has no room for are refused, unread") {
  constexpr std::size_t bytes = (std::size_t{1} << 31U) - 1;  // which the ranges of an empty graph would hold
  void* const zeros = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(zeros != MAP_FAILED);
  const std::string_view name(static_cast<const char*>(zeros), bytes);
  model_builder b;
  const std::int32_t x = *b.input("x", {f32, {2}});
  const std::string_view message = "names: got 1 and 2147483647 bytes, expected at most 2147483647";
  CHECK(b.input(name, {f32, {2}}).error().message() == message);
  CHECK(b.weight(name, {f32, {2}}).error().message() == message);
  CHECK(b.apply<ops::add>({}, {x, x}, {}, name).error().message() == message);
  CHECK(b.output(name, x).error().message() == message);
  CHECK(b.graph().values.size() == 1);
  ::munmap(zeros, bytes);
}

TEST_CASE("model_builder: a node on inputs, or on an input whose shape is unknown, stays") {
  model_builder b;
  const std::int32_t x = *b.input("x", {f32, {-1, 6}}), y = *b.input("y", {f32, {2}});
  REQUIRE(b.apply<ops::shape_of>({}, {x}));
  b.evaluate_last();
  CHECK(b.graph().nodes.size() == 1);
  REQUIRE(b.apply<ops::add>({}, {y, y}));
  b.evaluate_last();
  CHECK(b.graph().nodes.size() == 2);
}

TEST_CASE("model_builder: states by name, and what they become") {
  model_builder b;
  const std::array<float, 2> first{1, 2};
  const std::int32_t x = *b.input("x", {f32, {2}}), begun = *b.constant<float>({f32, {2}}, first);
  const std::int32_t h = *b.state("h", {f32, {2}}, begun), late = *b.state("late", {f32, {2}});
  const std::int32_t sum = (*b.apply<ops::add>({}, {h, x}))[0];
  REQUIRE(b.next(h, sum));
  REQUIRE(b.next(late, h));
  CHECK(b.readiness_of(h) == passes::readiness::computed);
  REQUIRE(b.graph().states.size() == 2);
  const ir::state& made = b.graph().states[0];
  CHECK(b.graph().at(h).is == ir::kind::state);
  CHECK(made.value == h);
  CHECK(made.next == sum);
  CHECK(made.initial == begun);
  CHECK(b.graph().states[1].initial == ir::none);
}

TEST_CASE("model_builder: states that cannot be are refused, and add nothing") {
  model_builder b;
  const std::array<float, 3> three{};
  const std::int32_t x = *b.input("x", {f32, {2}}), wide = *b.constant<float>({f32, {3}}, three);
  const std::int32_t sum = (*b.apply<ops::add>({}, {x, x}))[0], h = *b.state("h", {f32, {2}});
  const auto refusal = [](const auto& made) { return made ? std::string() : made.error().message(); };
  CHECK(refusal(b.state("h", {f32, {2}})) == "two states are called \"h\"");
  CHECK(refusal(b.state("s", {f32, {-1}})) ==
        "\"s\": f32 [?] has unknown extents, or more elements than memory can hold");
  CHECK(refusal(b.state("s", {i8, nd, {2}, per_channel<0>})) ==
        "\"s\": i8 [2] per channel of axis 0: a state has one scale");
  CHECK(refusal(b.state("s", {f32, {2}}, 99)) == "state \"s\": value 99 does not exist");
  CHECK(refusal(b.state("s", {f32, {2}}, x)) == "\"s\": f32 [2]: a state begins as a constant or a weight");
  CHECK(refusal(b.state("s", {f32, {2}}, sum)) == "\"s\": f32 [2]: a state begins as a constant or a weight");
  CHECK(refusal(b.state("s", {f32, {2}}, wide)) == "\"s\": f32 [2] cannot begin as f32 [3]");
  CHECK(b.graph().states.size() == 1);
  CHECK(refusal(b.next(x, sum)) == "next: value 0 is no state");
  CHECK(refusal(b.next(h, 99)) == "next: value 99 does not exist");
  CHECK(refusal(b.next(99, x)) == "next: value 99 does not exist");
  CHECK(refusal(b.next(h, wide)) == "\"h\": f32 [2] cannot become f32 [3]");
  REQUIRE(b.next(h, sum));
  CHECK(refusal(b.next(h, x)) == "state \"h\" has two next values");
  CHECK(b.graph().states[0].next == sum);
}

}  // namespace
