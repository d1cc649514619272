// list_test: the one list of operators holds each once and in order.
#include <nnrt/ops/list.hpp>

#include <doctest/doctest.h>

#include <algorithm>

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
