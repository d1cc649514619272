// plan_sizes_test: what a stage is expected to need, and that a stage which needs more loses nothing.
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include <string>

#include "support/networks.hpp"

namespace {

using namespace nnrt_test;
using nnrt::detail::fits;
using nnrt::detail::graph_sizes;
using nnrt::detail::plan_sizes;

constexpr graph_sizes three{3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static_assert(fits(three, three));
static_assert(!fits({4, 3, 3, 3, 3, 3, 3, 3, 3, 3}, three) && !fits({3, 3, 3, 3, 3, 3, 3, 3, 3, 4}, three));
static_assert(!fits({3, 3, 3, 3, 4, 3, 3, 3, 3, 3}, three) && !fits({3, 3, 3, 3, 3, 4, 3, 3, 3, 3}, three));
constexpr plan_sizes two{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
static_assert(fits(two, two) && fits({}, two));
static_assert(!fits({3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, two));
static_assert(!fits({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 2}, two));  // states
static_assert(!fits({2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3}, two));

/// Two lookups, which may fail, in three nodes: more than a plan is expected to have.
constexpr auto lookups = [](builder& g) {
  auto x = g.input<f32, shape<3>>("x");
  auto i = g.input<i32, shape<3>>("i");
  g.output("y", add(gather(x, i, axis<0>), gather(x, maximum(i, i), axis<0>)));
};
/// Two nodes after a layer become two that compute its weights: more than an optimised graph is expected to have.
constexpr auto normed = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 3>>("x");
  g.output("y", layers::bias_add(layers::batch_norm(layers::conv2d<4, 3, 3>(x, "conv"), "norm"), "more"));
};

template <auto Function> constexpr const auto& optimised = nnrt::detail::roomy_optimised<Function>;
template <auto Function>
constexpr const auto& planned = nnrt::detail::roomy_planned<Function, graph<Function>::is_micro, winograd::automatic>;

// Most networks are evaluated once.
static_assert(optimised<branches>.holds_all() && planned<branches>.holds_all());
static_assert(optimised<large>.holds_all() && planned<large>.holds_all());

template <class Sizes> bool alike(const Sizes& a, const Sizes& b) { return fits(a, b) && fits(b, a); }

/// The frozen graph and plan against those that are made at run time, where nothing has to fit.
template <auto Function> void check_whole() {
  ir::graph g = graph<Function>::ir();
  CHECK(alike(nnrt::detail::sizes_of(g), nnrt::detail::sizes_as_written<Function>.sizes));
  passes::optimise(g);
  CHECK(alike(nnrt::detail::sizes_of(g), nnrt::detail::sizes_of(nnrt::detail::graph_optimised<Function>)));
  CHECK(alike(nnrt::detail::sizes_of(nnrt::detail::graph_optimised<Function>.thaw()), nnrt::detail::sizes_of(g)));
  const plan made = make_plan(g, {.unrolled = graph<Function>::is_micro});
  CHECK(alike(nnrt::detail::sizes_of(made), planned<Function>.sizes));
  const auto& plan = graph<Function>::plan;
  REQUIRE(plan.slots.size() == made.slots.size());
  for (std::size_t i = 0; i < made.slots.size(); ++i) CHECK(plan.slots[i].offset == made.slots[i].offset);
  CHECK(std::string(plan.text.begin(), plan.text.end()) == std::string(made.text.begin(), made.text.end()));
}

TEST_CASE("plan_sizes: what does not fit is evaluated again") {
  static_assert(!planned<lookups>.holds_all() && planned<lookups>.sizes.fallible == 2);
  check_whole<lookups>();
  const float x[] = {10, 20, 30};
  const std::int32_t i[] = {2, 0, 1};
  executor<graph<lookups>> run;
  const auto y = run(x, i);
  CHECK(y[0] == 60);
  CHECK(y[1] == 20);
  CHECK(y[2] == 40);
}

TEST_CASE("plan_sizes: frozen stages have what stages at run time have") {
  check_whole<branches>();
  static_assert(!optimised<normed>.holds_all());
  check_whole<normed>();
}

}  // namespace
