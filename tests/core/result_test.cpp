// result_test: errors are values with a code and a message, to which a place can be put in front.
#include <nnrt/core/result.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

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

}  // namespace
