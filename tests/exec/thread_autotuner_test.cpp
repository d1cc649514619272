// thread_trials_test: small networks keep to the faster of both ways to run, find out when that changes, and have the
// same bits either way.
#include <nnrt/exec/thread_autotuner.hpp>

#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "support/networks.hpp"

namespace {

using namespace nnrt_test;

constexpr std::int64_t us = 1000, ms = 1000 * us;

/// Runs for so long that take these times; the share of it in which they were shared out.
double run(thread_autotuner& trials, std::int64_t duration, std::int64_t shared, std::int64_t alone) {
  std::int64_t shared_out = 0, passed = 0;
  while (passed < duration) {
    const bool is_shared = trials.shares_out();
    const std::int64_t taken = is_shared ? shared : alone;
    if (trials.is_resting()) trials.rested();
    else trials.took(taken);
    passed += taken;
    if (is_shared) shared_out += taken;
  }
  return static_cast<double>(shared_out) / static_cast<double>(passed);
}

struct two_threads final : part_runner {
  int threads() const override { return 2; }
  void run(parallel_phases&, int, int) override {}
};

const step* take_a_while(const step* failed) {
  for (const std::int64_t begin = steady_now(); steady_now() < begin + 200 * us;) {
  }
  return failed;
}

TEST_CASE("thread_autotuner: runs are shared out and not by turns, and then as they take less") {
  for (const std::int64_t shared : {5 * us, 60 * us, 93 * us, 94 * us, 150 * us, 900 * us}) {
    CAPTURE(shared);
    const bool pays = shared < 100 * us - 100 * us / 16;
    thread_autotuner trials;
    CHECK(run(trials, std::max(2 * ms, 8 * shared), shared, 100 * us) == 1);  // long enough for threads to wake up
    CHECK_FALSE(trials.shares_out());
    CHECK(run(trials, 700 * us, shared, 100 * us) == 0);
    run(trials, 400 * ms, shared, 100 * us);
    const double share = run(trials, 1000 * ms, shared, 100 * us);
    CHECK((pays ? share == 1 : share < 0.03));
  }
}

TEST_CASE("thread_autotuner: a few slow runs, or a slow trial, decide nothing") {
  thread_autotuner trials;
  trials.took(4 * ms);
  run(trials, 20 * ms, 60 * us, 100 * us);
  REQUIRE(trials.shares_out());
  CHECK(run(trials, 2 * ms, 130 * us, 100 * us) > 0.7);
  run(trials, 10 * ms, 60 * us, 100 * us);
  CHECK(run(trials, 1000 * ms, 60 * us, 100 * us) == 1);
}

TEST_CASE(
    "thread_autotuner: threads that begin slowly are tried again soon, and less and less often where they stay slow") {
  thread_autotuner trials;
  run(trials, 10 * ms, 150 * us, 100 * us);
  REQUIRE_FALSE(trials.shares_out());
  run(trials, 15 * ms, 60 * us, 100 * us);
  REQUIRE(trials.shares_out());
  CHECK(run(trials, 100 * ms, 60 * us, 100 * us) == 1);

  thread_autotuner slow;
  const double first = run(slow, 50 * ms, 150 * us, 100 * us), later = run(slow, 250 * ms, 150 * us, 100 * us);
  CHECK(first > 0.1);
  CHECK(first < 0.3);
  CHECK(later > 0.01);
  CHECK(later < 0.05);
  run(trials, 50 * ms, 150 * us, 100 * us);  // those that were fast in between are tried again soon, too
  REQUIRE_FALSE(trials.shares_out());
  run(trials, 20 * ms, 60 * us, 100 * us);
  CHECK(trials.shares_out());
}

TEST_CASE("thread_autotuner: threads that became slow are left, and are tried again while they are") {
  thread_autotuner trials;
  run(trials, 100 * ms, 60 * us, 100 * us);
  REQUIRE(trials.shares_out());
  run(trials, 50 * ms, 130 * us, 100 * us);  // the cores lie farther apart now
  CHECK_FALSE(trials.shares_out());
  const double again = run(trials, 4000 * ms, 130 * us, 100 * us);
  CHECK(again > 0.005);
  CHECK(again < 0.03);
  run(trials, 250 * ms, 60 * us, 100 * us);  // and near each other again
  CHECK(trials.shares_out());
  CHECK(run(trials, 1000 * ms, 60 * us, 100 * us) == 1);
}

TEST_CASE("thread_autotuner: runs of milliseconds are always shared out, and are no longer timed") {
  thread_autotuner trials;
  CHECK(run(trials, 1000 * ms, 1 * ms, 10 * us) == 1);
  two_threads threads;
  for (int i = 0; i < 40; ++i) {  // long enough for a trial, which would find them short, and try without threads
    run_context context;
    context.threads = &threads;
    REQUIRE(trials.run(context, [] { return take_a_while(nullptr); }) == nullptr);
    REQUIRE(context.threads == &threads);
  }
}

TEST_CASE("thread_autotuner: without threads there is nothing to find out, and a run that failed is no trial") {
  const step failed;
  thread_autotuner trials;
  for (int i = 0; i < 100; ++i) {
    run_context context;
    REQUIRE(trials.run(context, [&] { return &failed; }) == &failed);
  }
  CHECK(trials.shares_out());
  two_threads threads;
  for (int i = 0; i < 40; ++i) {
    run_context context;
    context.threads = &threads;
    REQUIRE(trials.run(context, [&] { return take_a_while(&failed); }) == &failed);
  }
  CHECK(trials.shares_out());
}

TEST_CASE("thread_autotuner: executors and sessions give the same bits in every run, shared out or not") {
  using net = graph<large>;
  const weights file = weights_for<net>();
  const std::vector<float> x = input_for<net>(0);
  auto alone = executor<net>::create(file), shared = executor<net>::create(file, {.threads = 2});
  REQUIRE((alone && shared));
  const std::vector<float> expected = copied((*alone)(x));
  const auto network = to_model<net>(file);
  REQUIRE(bool(network));
  const auto program = compile(*network, {.threads = 2});
  REQUIRE(bool(program));
  session run(*program);
  std::copy(x.begin(), x.end(), run.input<float>(0).begin());
  int others = 0;
  for (int i = 0; i < 3000; ++i) {  // through trials of both kinds, and again
    const auto y = (*shared)(x);
    REQUIRE(run.run());
    const auto z = run.output<float>(0);
    if (!std::equal(y.begin(), y.end(), expected.begin()) || !std::equal(z.begin(), z.end(), expected.begin()))
      ++others;
  }
  CHECK(others == 0);
}

}  // namespace
