// rule_names_test: the names of rules are those of their enumerators, wherever the enum stands and however long it is.
#include <nnrt/core/rule_names.hpp>
#include <nnrt/core/signature.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace nnrt;

struct example {
  enum class rule { rank_must_be_at_most_the_limit, second_rule };
};
enum class rule_of_no_name { first, last };  // it stands in a namespace that has no name

// One more and one fewer than the shorter of the texts that names are cut out of.
enum class fourteen { a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, last };
enum class fifteen { a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, last };
enum class sixteen { a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, last };
enum class twenty { a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, last };

static_assert(rule_names<example::rule>()[1] == "second_rule");

TEST_CASE("rule_names: the names of rules are those of their enumerators") {
  const rule_list names = rule_names<example::rule>();
  REQUIRE(names.size() == 2);
  CHECK(names[0] == "rank_must_be_at_most_the_limit");
  CHECK(names[1] == "second_rule");
  const rule_list nameless = rule_names<rule_of_no_name>();
  REQUIRE(nameless.size() == 2);
  CHECK(nameless[1] == "last");
  CHECK(rule_names<signature_rule>()[0] == "required_operand_must_be_given");
}

TEST_CASE("rule_names: a number without an enumerator has no name") {
  CHECK(rule_names<example::rule>()[2].empty());
  CHECK(rule_names<example::rule>()[static_cast<std::size_t>(-1)].empty());
  CHECK(rule_list()[0].empty());
  enum class no_rule {};
  CHECK(rule_names<no_rule>().empty());
  CHECK(rule_list().empty());
}

TEST_CASE("rule_names: lists of any length are whole") {
  const struct {
    std::size_t size;
    rule_list names;
  } rows[] = {{14, rule_names<fourteen>()},
              {15, rule_names<fifteen>()},
              {16, rule_names<sixteen>()},
              {20, rule_names<twenty>()}};
  for (const auto& r : rows) {
    CAPTURE(r.size);
    CHECK(r.names.size() == r.size);
    CHECK(r.names[r.size - 2] == "a" + std::to_string(r.size - 2));
    CHECK(r.names[r.size - 1] == "last");
  }
}

}  // namespace
