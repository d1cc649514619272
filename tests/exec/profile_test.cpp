// profile_test: what a profiled executor and a session that takes times say of a network's steps, and the trace of
// them.
#include <nnrt/dynamic.hpp>
#include <nnrt/profile.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/networks.hpp"

namespace {

using namespace nnrt_test;
using net = graph<branches>;

// Executors of other policies have nothing of it.
template <class Executor>
concept has_times = requires(Executor& e) { e.times(); };
static_assert(has_times<executor<net, profiled<>>> && !has_times<executor<net>> &&
              !has_times<executor<net, cpu_planned>>);
static_assert(std::is_empty_v<nnrt::detail::times_of<cpu>::type>);

std::int64_t macs_of(const pool<profiled_step>& steps) {
  std::int64_t all = 0;
  for (const profiled_step& s : steps) all += s.macs;
  return all;
}

TEST_CASE("profile: a profiled executor gives the same bits, and times for each step") {
  auto plain = executor<net>::create(weights_for<net>()).value();
  auto timed = executor<net, profiled<>>::create(weights_for<net>()).value();
  for (const profiled_step& s : profile(timed)) CHECK(s.time.runs == 0);
  for (int run = 0; run < 3; ++run) CHECK(copied(timed(input_for<net>())) == copied(plain(input_for<net>())));
  const pool<profiled_step> steps = profile(timed);
  REQUIRE(steps.size() == net::steps);
  CHECK(macs_of(steps) == net::macs);
  for (const profiled_step& s : steps) {
    CAPTURE(s.op);
    CHECK(s.time.runs == 3);
    CHECK(s.time.fastest > 0);
    CHECK(s.time.fastest <= s.time.last);
    CHECK(s.time.total >= 3 * s.time.fastest);
    CHECK(s.bytes >= s.output.bytes());
    CHECK(!s.kernel.empty());
  }
  for (std::size_t i = 1; i < steps.size(); ++i)
    CHECK(steps[i].time.begin >= steps[i - 1].time.begin + steps[i - 1].time.last);
  timed.times().clear();
  for (const profiled_step& s : profile(timed)) CHECK(s.time.runs == 0);
}

TEST_CASE("profile: steps are named as the network's layers, and rates follow from their numbers") {
  auto timed = executor<net, profiled<>>::create(weights_for<net>()).value();
  timed(input_for<net>());
  const pool<profiled_step> steps = profile(timed);
  CHECK(steps[0].op == "conv2d");
  CHECK(steps[0].name == "stem");
  CHECK(steps[0].macs == 12 * 12 * 8 * 27);
  CHECK(steps[0].gflops() == 2.0 * static_cast<double>(steps[0].macs) / static_cast<double>(steps[0].time.fastest));
  CHECK(steps[0].gigabytes() == static_cast<double>(steps[0].bytes) / static_cast<double>(steps[0].time.fastest));
}

TEST_CASE("profile: outputs that are inputs are copies of no node") {
  auto timed = executor<graph<several>, profiled<>>::create().value();
  timed(input_for<graph<several>>(0), input_for<graph<several>>(1));
  bool has_copy = false;
  for (const profiled_step& s : profile(timed)) {
    has_copy = has_copy || s.op == "copy";
    CHECK((s.op == "copy") == (s.output.type == dtype::none));
  }
  CHECK(has_copy);
}

TEST_CASE("profile: networks that would be unrolled are walked step by step") {
  executor<graph<affine>, profiled<>> timed;
  const float x[4] = {1, 0, 0, 1};
  CHECK(timed(x)[0] == 5.5F);
  REQUIRE(profile(timed).size() == 1);
  CHECK(profile(timed)[0].time.runs == 1);
  CHECK(profile(timed)[0].macs == 8);
}

TEST_CASE("profile: threads change no bits of a profiled run") {
  auto one = executor<graph<large>, profiled<>>::create(weights_for<graph<large>>()).value();
  auto two = executor<graph<large>, profiled<>>::create(weights_for<graph<large>>(), {.threads = 2}).value();
  CHECK(copied(one(input_for<graph<large>>())) == copied(two(input_for<graph<large>>())));
  CHECK(macs_of(profile(two)) == graph<large>::macs);
}

TEST_CASE("profile: a session takes the times of a run that asks for them") {
  const auto compiled = compile(to_model<net>(weights_for<net>()).value()).value();
  session run(compiled);
  const std::vector<float> input = input_for<net>();
  std::copy(input.begin(), input.end(), run.input<float>(0).begin());
  step_times times;
  REQUIRE(run.run());
  CHECK(times.all().empty());
  REQUIRE(run.run(times));
  REQUIRE(run.run(times));
  const pool<profiled_step> steps = profile(run, times);
  REQUIRE(steps.size() == compiled.steps());
  CHECK(macs_of(steps) == net::macs);
  for (const profiled_step& s : steps) CHECK(s.time.runs == 2);
}

TEST_CASE("profile: the table has a line for each step, and shares of a peak that is given") {
  auto timed = executor<net, profiled<>>::create(weights_for<net>()).value();
  timed(input_for<net>());
  const pool<profiled_step> steps = profile(timed);
  const std::string plain = profile_text(steps), with_peak = profile_text(steps, 100.0);
  CHECK(std::count(plain.begin(), plain.end(), '\n') == static_cast<std::ptrdiff_t>(steps.size()) + 2);
  CHECK(plain.find("conv2d \"stem\" by ") != std::string::npos);
  CHECK(plain.find("of peak") == std::string::npos);
  CHECK(with_peak.find("of peak") != std::string::npos);
}

TEST_CASE("profile: the trace is JSON with an event for each step, one after the other") {
  auto timed = executor<net, profiled<>>::create(weights_for<net>()).value();
  CHECK(chrome_trace(profile(timed)).find("\"ph\"") == std::string::npos);  // nothing has run
  timed(input_for<net>());
  const pool<profiled_step> steps = profile(timed);
  const std::string text = chrome_trace(steps);
  json_reader in(text);
  std::size_t events = 0;
  std::vector<std::string> names;
  for (json_event met = in.next(); met != json_event::end; met = in.next()) {
    REQUIRE(met != json_event::broken);
    if (met == json_event::key && in.string() == "ph") ++events;
    if (met == json_event::key && in.string() == "name") in.next(), names.emplace_back(in.string());
  }
  CHECK(events == steps.size());
  REQUIRE(names.size() == steps.size());
  CHECK(names[0] == "conv2d stem");
}

}  // namespace
