// name_set_test: a name is there once it was added, whatever else is.
#include <nnrt/io/name_set.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace nnrt;

TEST_CASE("name_set: has the names that were added and no others") {
  std::vector<std::string> names;
  const auto name_of = [&](std::size_t i) { return std::string_view(names[i]); };
  nnrt::detail::name_set set;
  CHECK_FALSE(set.has("", name_of));
  for (int i = 0; i < 3000; ++i) {
    const std::string name = i == 0 ? "" : "x" + std::to_string(i);
    CHECK_FALSE(set.has(name, name_of));
    names.push_back(name);
    set.add(name, name_of);
    CHECK(set.has(name, name_of));
  }
  for (const std::string& name : names) CHECK(set.has(name, name_of));
  CHECK_FALSE(set.has("x3000", name_of));
  CHECK_FALSE(set.has("x0", name_of));
}

TEST_CASE("name_slots: borrowed slots give the index of each name, in constant evaluation, too") {
  constexpr std::string_view names[] = {"a", "b", "", "a1"};
  const auto name_of = [&](std::size_t i) { return names[i]; };
  CHECK(nnrt::detail::name_slots().find("a", name_of) == -1);
  pool<std::int32_t> slots;
  for (std::size_t i = 0; i < 4; ++i) nnrt::detail::add_to_slots(slots, i, names[i], name_of);
  const nnrt::detail::name_slots all(slots);
  for (std::int32_t i = 0; i < 4; ++i) CHECK(all.find(names[i], name_of) == i);
  CHECK(all.find("c", name_of) == -1);
  static_assert([] {
    pool<std::int32_t> made;
    for (std::size_t i = 0; i < 40; ++i) {
      const char letters[] = {'n', static_cast<char>('0' + i)};
      const auto letter_of = [](std::size_t k) {
        constexpr std::string_view all =
            "n0n1n2n3n4n5n6n7n8n9n:n;n<n=n>n?n@nAnBnCnDnEnFnGnHnInJnKnLnMnNnOnPnQnRnSnTnUnVnW";
        return all.substr(2 * k, 2);
      };
      nnrt::detail::add_to_slots(made, i, std::string_view(letters, 2), letter_of);
      if (nnrt::detail::name_slots(made).find("n0", letter_of) != 0) return false;
    }
    return made.size() == 128;
  }());
}

}  // namespace
