// frozen_members_test: members of a struct as a constant, and back.
#include <nnrt/exec/frozen_members.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

struct base {
  pool<int> first;
};
struct record : base {
  pool<char> second;
  pool<int> third;
  long number = 0;
  bool flag = false;
};
using lists = detail::members<&record::first, &record::second, &record::third>;
using numbers = detail::members<&record::number, &record::flag>;

constexpr record example() {
  record made;
  made.first = {1, 2, 3}, made.second = {'a'};
  made.number = 7, made.flag = true;
  return made;
}
constexpr auto sizes = detail::sizes_of_lists(example(), lists());
static_assert(sizes[0] == 3 && sizes[1] == 1 && sizes[2] == 0);
constexpr detail::frozen_lists<lists, sizes> held(example());
constexpr detail::frozen_numbers<numbers> held_numbers(example());

TEST_CASE("frozen_members: lists and numbers come back as they were, those of base classes, too") {
  record made;
  held.thaw(made, sizes);
  held_numbers.thaw(made);
  REQUIRE(made.first.size() == 3);
  CHECK(made.first[2] == 3);
  REQUIRE(made.second.size() == 1);
  CHECK(made.second[0] == 'a');
  CHECK(made.third.empty());
  CHECK(made.number == 7);
  CHECK(made.flag);
  CHECK(held.get<&record::first>()[1] == 2);
}

TEST_CASE("frozen_members: larger arrays give the elements that are in use, and sizes are compared one by one") {
  constexpr detail::list_sizes<3> room{{5, 5, 1}};
  static_assert(sizes.fit(room) && !room.fit(sizes) && !detail::list_sizes<3>{{0, 0, 2}}.fit(room));
  constexpr detail::frozen_lists<lists, room> roomy(example());
  record made;
  roomy.thaw(made, sizes);
  CHECK(made.first.size() == 3);
  CHECK(made.second.size() == 1);
}

}  // namespace
