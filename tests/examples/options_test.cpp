// options: what examples/digits makes of its command line.
#include "../../examples/digits/options.hpp"

#include <doctest/doctest.h>
#include <vector>

namespace {

nnrt::result<example::options> parsed(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  return example::parse_options(pointers);
}

}  // namespace

TEST_CASE("options: each option says what is done") {
  struct row {
    std::vector<std::string> words;
    example::task wanted;
    std::size_t digit;
    int threads;
  };
  const row table[] = {
      {{}, example::task::report, 0, 1},
      {{"--help"}, example::task::help, 0, 1},
      {{"--table"}, example::task::table, 0, 1},
      {{"--dot"}, example::task::dot, 0, 1},
      {{"--threads", "3"}, example::task::report, 0, 3},
      {{"--digit", "17"}, example::task::one_digit, 17, 1},
      {{"--digit", "17", "--threads", "2"}, example::task::one_digit, 17, 2},
      {{"--threads", "2", "--digit", "0"}, example::task::one_digit, 0, 2},
  };
  for (const row& r : table) {
    const auto found = parsed(r.words);
    REQUIRE(found);
    CHECK(found->wanted == r.wanted);
    CHECK(found->digit == r.digit);
    CHECK(found->threads == r.threads);
  }
}

TEST_CASE("options: wrong words are refused by name") {
  struct row {
    std::vector<std::string> words;
    const char* message;
  };
  const row table[] = {
      {{"--colour"}, "unknown option \"--colour\"; see --help"},
      {{"7"}, "unknown option \"7\"; see --help"},
      {{"--digit"}, "--digit needs a number"},
      {{"--threads"}, "--threads needs a number"},
      {{"--digit", "seven"}, "--digit: got \"seven\", expected a number"},
      {{"--digit", "7th"}, "--digit: got \"7th\", expected a number"},
      {{"--digit", "-1"}, "--digit: got \"-1\", expected a number"},
      {{"--threads", "99999999999"}, "--threads: got \"99999999999\", expected a number"},
      {{"--table", "--dot"}, "\"--dot\" is one task too many; see --help"},
      {{"--digit", "1", "--digit", "2"}, "\"--digit\" is one task too many; see --help"},
  };
  for (const row& r : table) {
    const auto found = parsed(r.words);
    REQUIRE_FALSE(found);
    CHECK(found.error().message() == r.message);
  }
}
