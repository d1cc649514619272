// list_test: the one list of operators holds each once and in order.
#include <nnrt/ops/list.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

using namespace nnrt;

namespace {

template <class List> struct facts;
template <class... Ops> struct facts<ops::type_list<Ops...>> {
  static constexpr std::array<std::int32_t, sizeof...(Ops)> codes{static_cast<std::int32_t>(Ops::code)...};
  static constexpr std::array<std::int32_t, sizeof...(Ops)> nnrt_numbers{Ops::foreign.nnrt...};
  static constexpr std::array<std::string_view, sizeof...(Ops)> names{Ops::name...};
};
using listed = facts<ops::list>;

}  // namespace

static_assert(ops::list::count == static_cast<int>(listed::codes.size()));

TEST_CASE("list: operators ascend by number, so that none stands twice") {
  for (std::size_t i = 1; i < listed::codes.size(); ++i) {
    CAPTURE(listed::names[i]);
    CHECK(listed::codes[i - 1] < listed::codes[i]);
  }
}

TEST_CASE("list: no two operators have one name") {
  auto names = listed::names;
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
}

TEST_CASE("list: an operator has NNRt's number, or one of ours from 1000 on and none there") {
  for (std::size_t i = 0; i < listed::codes.size(); ++i) {
    CAPTURE(listed::names[i]);
    CHECK(listed::nnrt_numbers[i] == (listed::codes[i] < 1000 ? listed::codes[i] : -1));
  }
}

namespace {

constexpr std::string_view words[] = {"–", "unchanged", "broadcast", "layer", "product", "gates", "joined", "image"};

/// What an operator says of weights in files of other frameworks.
struct stated {
  std::string_view name;
  operator_traits traits;
  int operands_for_weights = 0;    // that take real numbers; one that repeats counts twice
  bool has_the_attributes = true;  // that must be said
};
template <class Op> stated stated_by() {
  stated of{Op::name, Op::traits};
  for (const operand_spec& x : Op::inputs)
    if (x.accepts.contains(f32)) of.operands_for_weights += x.given == presence::variadic ? 2 : 1;
  for (const unlike_default& unsaid : of.traits.to_be_said) {
    bool is_there = false;
    for (const attribute_field& field : attribute_fields<typename Op::attrs>())
      is_there = is_there || field.name == unsaid.attribute;
    of.has_the_attributes = of.has_the_attributes && is_there;
  }
  return of;
}
template <class... Ops> std::array<stated, sizeof...(Ops)> all_stated(ops::type_list<Ops...>) {
  return {stated_by<Ops>()...};
}

}  // namespace

TEST_CASE(
    "list: an operator that can take weights in several operands says how files of PyTorch order them, and so does the "
    "page on state dicts") {
  std::ifstream file(NNRT_TEST_DATA "/../../docs/state-dicts.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const stated& op : all_stated(ops::list{})) {
    CAPTURE(op.name);
    const bool says = op.traits.in_files != file_order::unstated;
    CHECK((says || op.operands_for_weights < 2));
    CHECK((says || op.traits.weights == weights_role::none));
    CHECK(op.has_the_attributes);
    const std::string begin = "\n| `" + std::string(op.name) + "` | ";
    const bool has_a_row = says || !op.traits.to_be_said.empty();
    CHECK((page.find(begin) != std::string::npos) == has_a_row);
    if (!has_a_row) continue;
    std::string said;
    for (const unlike_default& unsaid : op.traits.to_be_said)
      said += (said.empty() ? "" : "; ") + std::string(unsaid.attribute) + ": " + std::string(unsaid.theirs);
    CHECK(page.find(begin + std::string(words[static_cast<std::size_t>(op.traits.in_files)]) + " | " + said + " |") !=
          std::string::npos);
  }
}
