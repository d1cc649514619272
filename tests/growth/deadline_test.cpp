// deadline_test: a deadline that comes within a long pass ends it in one of its next rounds, and compile() within
// milliseconds.
// nightly: every day the passes are counted, which change more often
#include "growth/large_graphs.hpp"

#include <doctest/doctest.h>

#include "support/counted_steps.hpp"

#include <ctime>

namespace {

using namespace nnrt_test;

constexpr int node_count = 16000;

bool is_late(const result<void>& done) { return !done && done.error().code() == error_code::deadline_missed; }

struct ended_row {
  const char* pass;
  bool (*ends)(ir::graph& g, const deadline_watch& watch);  // whether the pass ended before its work was done
  // of its loops, for each node of a chain, at least; in 16ths
  int rounds;
};
const ended_row rows[] = {
    {"check_graph", [](ir::graph& g, const deadline_watch& watch) { return is_late(check_graph<int>(g, watch)); },
     5 * 16},
    {"infer_graph", [](ir::graph& g, const deadline_watch& watch) { return is_late(infer_graph<int>(g, watch)); },
     3 * 16},
    {"judge_nodes",
     [](ir::graph& g, const deadline_watch& watch) {
       std::size_t judged = 0;
       passes::judge_nodes(
           g, [&](std::size_t, const verdict&) { ++judged; }, watch);
       return judged < g.nodes.size();
     },
     16},
    {"remove_dead_nodes",
     [](ir::graph& g, const deadline_watch& watch) { return !passes::remove_dead_nodes(g, watch); }, 16},
    {"evaluate_constants",
     [](ir::graph& g, const deadline_watch& watch) { return !passes::evaluate_constants(g, watch); }, 16},
    {"merge_common_nodes",
     [](ir::graph& g, const deadline_watch& watch) { return !passes::merge_common_nodes(g, watch); }, 16},
    {"fold_into_weights",
     [](ir::graph& g, const deadline_watch& watch) { return !passes::fold_into_weights(g, watch); }, 16},
    {"fuse_activations", [](ir::graph& g, const deadline_watch& watch) { return !passes::fuse_activations(g, watch); },
     16},
    {"f16_emulation",
     [](ir::graph& g, const deadline_watch& watch) {
       return !nnrt::detail::f16_emulation(g, &ops::of<ops::half_cast>(), watch);
     },
     16},
    {"assign_blocks",
     [](ir::graph& g, const deadline_watch& watch) {
       const passes::memory_plan made = passes::assign_blocks(g, passes::known_values(g), watch);
       return made.at(g.outputs[0].value).block == ir::none;
     },
     1},
    {"make_plan",
     [](ir::graph& g, const deadline_watch& watch) { return make_plan(g, {}, watch).steps.empty() && watch.is_over(); },
     3},
};

/// A chain of `nodes` nodes that no pass can make shorter.
ir::graph chain() {
  large_builder g;
  std::int32_t last = g.x;
  for (int i = 0; i < node_count; ++i) last = g.node<ops::softmax>({}, {last});
  return g.done(last);
}

TEST_CASE("deadline: one that is over before a pass begins leaves out its work") {
  const ir::graph network = chain();
  for (const ended_row& row : rows) {
    CAPTURE(row.pass);
    ir::graph whole = network, cut = network;
    bool is_ended = true;
    const std::uint64_t all = steps_of([&] { is_ended = row.ends(whole, {}); });
    CHECK_FALSE(is_ended);
    const std::uint64_t few = steps_of([&] { is_ended = row.ends(cut, deadline_watch(steady_now() - 1)); });
    CHECK(is_ended);
    CHECK(few < all);
  }
}

TEST_CASE("deadline: one that comes in any tenth of a pass ends it there") {
  const ir::graph network = chain();
  for (const ended_row& row : rows)
    for (int tenth = 1; tenth < 10; ++tenth) {
      CAPTURE(row.pass);
      CAPTURE(tenth);
      ir::graph cut = network;
      CHECK(row.ends(cut, deadline_watch(steady_now() - 1, node_count / 16 * row.rounds * tenth / 10)));
    }
}

TEST_CASE("deadline: one that is far away changes nothing") {
  const ir::graph network = chain();
  for (const ended_row& row : rows) {
    CAPTURE(row.pass);
    ir::graph whole = network;
    CHECK_FALSE(row.ends(whole, deadline_watch(steady_now() + 3'600'000'000'000)));
  }
}

double processor_ms() {
  std::timespec at{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) * 1e3 + static_cast<double>(at.tv_nsec) / 1e6;
}

TEST_CASE(
    "deadline: a network of 16,000 nodes that has a millisecond is refused within some milliseconds of processor "
    "time") {
  for (const large_graph& of : large_graphs) {
    CAPTURE(of.shape);
    model network;
    network.graph = of.made(node_count);
    const double before = processor_ms();
    const auto made = compile(network, {.deadline = steady_now() + 1'000'000});
    CHECK(processor_ms() - before < 30);
    REQUIRE_FALSE(made);
    CHECK(made.error().code() == error_code::deadline_missed);
  }
}

}  // namespace
