// result_test: errors are values with a code and a message, to which a place can be put in front.
#include <nnrt/core/result.hpp>

#include <doctest/doctest.h>

#include "support/child_process.hpp"

#include <csignal>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace nnrt;
using namespace nnrt_test;

result<int> half(int x) {
  if (x % 2 != 0) return fail(error_code::invalid_argument, "got " + std::to_string(x) + ", expected an even number");
  return x / 2;
}
result<int> quarter(int x) {
  auto once = half(x);
  if (!once) return fail(std::move(once.error()).in("quarter"));
  return half(*once);
}

TEST_CASE("result: it is a value, or a code and a message") {
  CHECK(half(4).value() == 2);
  REQUIRE(!half(3));
  CHECK(half(3).error().code() == error_code::invalid_argument);
  CHECK(half(3).error().message() == "got 3, expected an even number");
}

TEST_CASE("result: a place stands in front of the message, the code stays") {
  REQUIRE(!quarter(5));
  CHECK(quarter(5).error().message() == "quarter: got 5, expected an even number");
  CHECK(quarter(5).error().code() == error_code::invalid_argument);
  CHECK(error(error_code::io_failed, "y").in("x").in("z").message() == "z: x: y");
}

/// Counts the objects that live.
struct counted {
  static inline int alive = 0;
  int number;
  explicit counted(int n) : number(n) { ++alive; }
  counted(const counted& other) : number(other.number) { ++alive; }
  counted(counted&& other) noexcept : number(std::exchange(other.number, 0)) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
};
result<counted> make(int n) {
  if (n < 0) return fail(error_code::invalid_argument, {"got ", n});
  return counted(n);
}

TEST_CASE("result: copies, moves and assignments keep what it is, and destroy what it was") {
  for (const int first : {1, -1})
    for (const int second : {2, -2}) {
      CAPTURE(first);
      CAPTURE(second);
      {
        result<counted> a = make(first), b = make(second), copied = a, moved = std::move(b);
        const auto is = [](const result<counted>& r, int n) {
          if (n < 0) return !r.has_value() && r.error().message() == "got " + std::to_string(n);
          return r.has_value() && r->number == n && (*r).number == n && r.value().number == n;
        };
        CHECK(is(a, first));
        CHECK(is(copied, first));
        CHECK(is(moved, second));
        copied = moved;
        CHECK(is(copied, second));
        CHECK(is(moved, second));
        moved = std::move(a);
        CHECK(is(moved, first));
        const result<counted>& same = moved;
        moved = same;
        CHECK(is(moved, first));
        moved = make(second);
        CHECK(is(moved, second));
        CHECK(counted::alive >= (second > 0 ? 2 : 0));
      }
      CHECK(counted::alive == 0);
    }
}

TEST_CASE("result: a value comes from what converts to it, a move-only one moves out") {
  static_assert(std::is_convertible_v<std::unique_ptr<int>, result<std::unique_ptr<const int>>>);
  static_assert(std::is_constructible_v<result<std::vector<int>>, int> &&
                !std::is_convertible_v<int, result<std::vector<int>>>);
  static_assert(!std::is_constructible_v<result<int>, std::string>);
  static_assert(!std::is_copy_constructible_v<result<std::unique_ptr<int>>> &&
                std::is_nothrow_move_constructible_v<result<std::unique_ptr<int>>>);
  static_assert(std::is_default_constructible_v<result<int>> && !std::is_default_constructible_v<result<counted>>);
  result<std::unique_ptr<const int>> held = std::make_unique<int>(7);
  const std::unique_ptr<const int> out = *std::move(held);
  CHECK(*out == 7);
  CHECK(*held == nullptr);
  CHECK(result<int>().value() == 0);
  CHECK(half(3).value_or(9) == 9);
  CHECK(half(4).value_or(9) == 2);
}

TEST_CASE("result: what follows a value does not follow an error, and the other way round") {
  const auto text = [](int n) { return std::to_string(n); };
  const auto mended = [](const error& e) { return result<int>(static_cast<int>(e.message().size())); };
  CHECK(half(8).and_then(half).value() == 2);
  CHECK(half(6).and_then(half).error().message() == "got 3, expected an even number");
  CHECK(half(8).transform(text).value() == "4");
  CHECK(half(7).transform(text).error().code() == error_code::invalid_argument);
  CHECK(half(8).or_else(mended).value() == 4);
  CHECK(half(7).or_else(mended).value() == 30);
  const result<int> kept = half(8), broken = half(7);
  CHECK(kept.and_then(half).transform(text).value() == "2");
  CHECK(broken.and_then(half).or_else(mended).value() == 30);
  result<std::string> changed = std::string("four");  // what follows may change a value that is kept
  CHECK(changed.and_then([](std::string& s) { return s.pop_back(), result<int>(1); }).value() == 1);
  CHECK(changed.transform([](std::string& s) { return s.size(); }).value() == 3);
  CHECK(*changed == "fou");
  CHECK(!broken);
}

TEST_CASE("result: what follows may give nothing, and an error may become another") {
  int seen = 0;
  const auto look = [&](int n) { seen = n; };
  const auto placed = [](error e) { return std::move(e).in("here"); };
  static_assert(std::is_same_v<decltype(half(8).transform(look)), result<void>>);
  CHECK(half(8).transform(look));
  CHECK(seen == 4);
  CHECK(half(7).transform(look).error().message() == "got 7, expected an even number");
  CHECK(seen == 4);
  const result<int> kept = half(6), broken = half(5);
  CHECK(kept.transform(look).transform([&] { return ++seen; }).value() == 4);
  CHECK(broken.transform(look).transform([&] { ++seen; }).transform_error(placed).error().message() ==
        "here: got 5, expected an even number");
  CHECK(seen == 4);
  CHECK(broken.transform_error(placed).error().message() == "here: got 5, expected an even number");
  CHECK(broken.error().message() == "got 5, expected an even number");
  CHECK(kept.transform_error(placed).value() == 3);
  CHECK(make(2).transform_error(placed)->number == 2);
  CHECK(half(3).transform_error(placed).error().code() == error_code::invalid_argument);
  CHECK(result<std::unique_ptr<int>>(std::make_unique<int>(5))
            .transform([](std::unique_ptr<int> p) { return *p; })
            .value() == 5);
}

TEST_CASE("result: value() of an error ends the program, and says which error") {
  const last_words said = last_words_of([] { static_cast<void>(half(3).value()); });
  CHECK(said.printed == "nnrt: value() of an error: got 3, expected an even number\n");
  CHECK(said.signal == SIGABRT);
}

TEST_CASE("result: without a value to give it says that all is done, or why not") {
  const auto check = [](int n) -> result<void> {
    if (n != 0) return fail(error_code::io_failed, {"status ", n});
    return {};
  };
  result<void> done = check(0), failed = check(2), copied = failed;
  CHECK(done);
  REQUIRE(!failed);
  CHECK(failed.error().message() == "status 2");
  CHECK(copied.error().message() == "status 2");
  CHECK(copied.error().code() == error_code::io_failed);
  done = std::move(failed);
  CHECK(done.error().message() == "status 2");
  CHECK(failed.error().message().empty());
  copied = {};
  CHECK(copied.has_value());
  CHECK(!check(0).and_then([&] { return check(3); }));
  CHECK(check(1).or_else([](const error&) { return result<void>(); }));
}

}  // namespace
