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

}  // namespace
