// registry_test: every operator is found by its number and by its name, and nothing else is.
// nightly: it compiles every operator, which takes a minute; every day readers and C functions find them
#include <nnrt/ops/registry.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

TEST_CASE("registry: each operator is found by its own number and name") {
  REQUIRE(ops::registered().size() == ops::list::count);
  for (const operator_info* op : ops::registered()) {
    CAPTURE(op->name);
    CHECK(ops::find(op->code) == op);
    CHECK(ops::find(op->name) == op);
  }
}

TEST_CASE("registry: other numbers and names are no operators") {
  for (const std::int32_t number : {0, -1, 999, 1'000'000}) {
    CAPTURE(number);
    CHECK(ops::find(op_code{number}) == nullptr);
  }
  for (const std::string_view name : {"", "conv", "conv2d ", "Conv2D", "no_such_operator"}) {
    CAPTURE(name);
    CHECK(ops::find(name) == nullptr);
  }
}

}  // namespace
