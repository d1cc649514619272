// launch_test: work in another thread uses the floating-point environment of the caller, and an answer is
// given exactly once.
#include <nnrt/hal/launch.hpp>

#include "support/float_environments.hpp"

#include <doctest/doctest.h>

#include <future>
#include <utility>

namespace {

using namespace nnrt;
using namespace nnrt_test;

TEST_CASE("launch: a thread computes as the one that began it, whatever that one enters afterwards") {
  for (const named_environment& e : float_environments()) {
    CAPTURE(e.name);
    std::promise<void> may_look;
    std::promise<float_environment> seen;
    {
      const float_scope scope(e.floats);
      REQUIRE(hal::detail::in_a_thread([&seen, ready = may_look.get_future()]() mutable {
        ready.wait();
        seen.set_value(float_environment::of_this_thread());
      }));
    }
    may_look.set_value();
    CHECK(seen.get_future().get() == e.floats);
  }
}

TEST_CASE("launch: an answer that nobody gave is the failure, and one that was given comes once") {
  int calls = 0, last = 0;
  const auto note = [&](int answer) { ++calls, last = answer; };
  { hal::detail::exactly_once<int> unanswered(note, -1); }
  CHECK((calls == 1 && last == -1));
  {
    hal::detail::exactly_once<int> answered(note, -1);
    answered(7);
    answered(8);
    const hal::detail::exactly_once<int> moved(std::move(answered));
  }
  CHECK((calls == 2 && last == 7));
}

}  // namespace
