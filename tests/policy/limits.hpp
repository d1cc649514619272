// limits: rows of accelerators' limits, one node within each and one beyond; the same rows at compile time and at run
// time.
#pragma once

#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bayes_e.hpp>
#include <nnrt/policy/bernoulli2.hpp>
#include <nnrt/policy/check_node.hpp>

#include <doctest/doctest.h>
#include <support/single_node.hpp>

namespace nnrt_test {

using enum accelerator_rule;

/// One limit: a node on each side of it, and what is said of the second.
struct limit_row {
  const char* what;
  const accelerator& table;
  ir::graph (*within)();
  ir::graph (*beyond)();
  accelerator_rule rule;
  std::int64_t got, limit;
  unit counted = unit::number;
};

/// What the table says of the first node of a graph.
constexpr accelerator_verdict check(const accelerator& table, const ir::graph& g) {
  return check_node(table, g, g.nodes[0], detail::graph_facts(g));
}

constexpr bool is_accepted(const limit_row& r) {
  const ir::graph g = r.within();
  return !g.nodes.empty() && check(r.table, g);
}
constexpr bool is_refused(const limit_row& r) {
  const ir::graph g = r.beyond();
  return !g.nodes.empty() &&
         check(r.table, g) == accelerator_verdict{static_cast<int>(r.rule), r.counted, r.got, r.limit};
}

/// The first row that does not hold; -1: all do.
template <std::size_t N> constexpr int first_wrong(const limit_row (&rows)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (!is_accepted(rows[i]) || !is_refused(rows[i])) return static_cast<int>(i);
  return -1;
}
template <std::size_t N> void check_at_run_time(const limit_row (&rows)[N]) {
  for (const limit_row& r : rows) {
    CAPTURE(r.what);
    const ir::graph within = r.within(), beyond = r.beyond();
    REQUIRE(within.nodes.size() > 0);
    REQUIRE(beyond.nodes.size() > 0);
    CHECK(check(r.table, within) == accelerator_verdict{});
    const accelerator_verdict refused = check(r.table, beyond);
    CHECK(refused.rule == static_cast<int>(r.rule));
    CHECK(refused.actual == r.got);
    CHECK(refused.expected == r.limit);
    CHECK(refused.counted == r.counted);
  }
}

/// Whether the table takes a node, and why not.
constexpr bool is_taken(const accelerator& table, const ir::graph& g) { return !g.nodes.empty() && check(table, g); }
constexpr bool is_absent(const accelerator& table, const ir::graph& g) {
  return !g.nodes.empty() && check(table, g).breaks(operator_must_be_in_the_table);
}

}  // namespace nnrt_test
