// passes_test: no pass takes more than about n log n steps for n nodes, whatever their graph looks like.
#include "growth/large_graphs.hpp"

#include <doctest/doctest.h>
#include <nnrt/exec/idiom_operators.hpp>
#include <nnrt/passes/partition.hpp>
#include <nnrt/passes/quantised_ends.hpp>
#include <nnrt/passes/quantised_pairs.hpp>

#include "support/counted_steps.hpp"

namespace {

using namespace nnrt_test;

struct pass_row {
  const char* pass;
  void (*run)(ir::graph& g);
};

const pass_row passes_to_count[] = {
    {"check_graph", [](ir::graph& g) { REQUIRE(check_graph<int>(g)); }},
    {"infer_graph", [](ir::graph& g) { REQUIRE(infer_graph<int>(g)); }},
    {"require_known_extents", [](ir::graph& g) { REQUIRE(require_known_extents(g)); }},
    {"weight_specs_of", [](ir::graph& g) { (void)weight_specs_of(g); }},
    {"remove_dead_nodes", [](ir::graph& g) { passes::remove_dead_nodes(g); }},
    {"evaluate_constants", [](ir::graph& g) { passes::evaluate_constants(g); }},
    {"merge_common_nodes", [](ir::graph& g) { passes::merge_common_nodes(g); }},
    {"fold_into_weights", [](ir::graph& g) { passes::fold_into_weights(g); }},
    {"fuse_activations", [](ir::graph& g) { passes::fuse_activations(g); }},
    {"find_idioms",
     [](ir::graph& g) {
       using nnrt::detail::idiom_results, nnrt::detail::operators_of_list;
       passes::find_idioms(g, {operators_of_list<idiom_results>::at_run_time()});
     }},
    {"optimise",
     [](ir::graph& g) {
       using nnrt::detail::idiom_results, nnrt::detail::operators_of_list;
       const passes::idiom_operators idioms{operators_of_list<idiom_results>::at_run_time()};
       passes::optimise(g, {}, idioms);
     }},
    {"join_quantised_pairs",
     [](ir::graph& g) { passes::join_quantised_pairs(g, [](op_code code) { return ops::find(code); }); }},
    {"take_off_conversions", [](ir::graph& g) { passes::take_off_conversions(g, {.inputs = true, .outputs = true}); }},
    {"f16_emulation", [](ir::graph& g) { nnrt::detail::f16_emulation(g, &ops::of<ops::half_cast>()); }},
    {"cut_into_segments",
     [](ir::graph& g) {
       std::vector<int> places(g.nodes.size());
       for (std::size_t i = 0; i < places.size(); ++i) places[i] = i % 3 == 0 ? 1 : 0;
       (void)passes::cut_into_segments(g, array_ref<const int>(places.data(), places.size()));
     }},
    {"make_plan", [](ir::graph& g) { (void)make_plan(g); }},
    {"make_plan with groups of steps", [](ir::graph& g) { (void)make_plan(g, {.stripes = {.rows = 2}}); }},
    {"dump_plan and node_table",
     [](ir::graph& g) {
       const plan made = make_plan(g);
       (void)dump_plan(g, plan_view::of(made), 0);
       (void)node_table(g, plan_view::of(made), g.text);
     }},
};

TEST_CASE("growth: sixteen times the nodes take no pass more than forty times the steps") {
  for (const large_graph& of : large_graphs) {
    const ir::graph small = of.made(1000), large = of.made(16000);
    for (const pass_row& row : passes_to_count) {
      CAPTURE(of.shape);
      CAPTURE(row.pass);
      ir::graph few = small, many = large;
      const std::uint64_t steps_of_few = steps_of([&] { row.run(few); }),
                          steps_of_many = steps_of([&] { row.run(many); });
      CHECK(steps_of_few > 0);
      CHECK(steps_of_many <= 40 * steps_of_few);
    }
  }
}

TEST_CASE("growth: sixteen thousand values that live at once lie as close as they can") {
  const ir::graph g = live_at_once(32000, false);
  const plan made = make_plan(g);
  CHECK(made.arena_bytes == made.arena_lower_bound);
  const plan mixed = make_plan(live_at_once(32000, true));
  CHECK(static_cast<double>(mixed.arena_bytes) <= 1.05 * static_cast<double>(mixed.arena_lower_bound));
}

}  // namespace
