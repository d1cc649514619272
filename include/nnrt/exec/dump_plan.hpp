// dump_plan: a plan as a table for people - the changes by passes, each step, and where its result is in memory.
// Flow: graph<f>::text() and tools; run time only.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/exec/plan_view.hpp>
#include <nnrt/ir/dump.hpp>

#include <string>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Pads `line`, which holds one line, to a column; at least two spaces.
[[gnu::cold]] inline void pad_to(pool<char>& line, std::size_t column) {
  if (line.size() >= column) return append(line, {"  "});
  while (line.size() < column) line.push_back(' ');
}

[[gnu::cold]] inline void append_place(pool<char>& line, const operand_slot& slot) {
  switch (static_cast<base>(slot.base)) {
    case in_arena: return append(line, {"arena+", slot.offset});
    case in_prepared: return append(line, {"prepared+", slot.offset});
    case in_stripe: return append(line, {"band+", slot.offset});
    case in_prepare_scratch: return append(line, {"scratch+", slot.offset});
    case no_memory:
    case in_constants:
    case first_input: break;
  }
  append(line, {"-"});  // inputs and weights too, whose numbers follow first_input
}

[[gnu::cold]] inline void append_step(pool<char>& out, const ir::graph& g, const plan_view& plan, const step& s,
                                      std::string_view indent = "  ") {
  pool<char> line;
  append(line, {indent});
  if (s.node >= 0) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(s.node)];
    ir::detail::append_title(line, g, *n.label, n.name);
    pad_to(line, 36);
    const operand_slot& result = plan.slots[static_cast<std::size_t>(s.outputs.first)];
    ir::detail::append_desc(line, plan.desc_of(result));
    pad_to(line, 64);
    append(line, {s.kernel});
    pad_to(line, 92);
    append_place(line, result);
    pad_to(line, 112);
    ir::detail::append_attributes(line, g, n);
  } else {
    append(line, {s.kernel});
  }
  while (line.back() == ' ') line.pop_back();
  append(out, {letters_of(line), "\n"});
}

/// Name, desc and place of each state, and whether its next value is made in place.
[[gnu::cold]] inline void append_states(pool<char>& out, const plan_view& plan) {
  if (plan.states.empty()) return;
  append(out, {"states, from run to run\n"});
  for (const state_port& s : plan.states) {
    pool<char> line;
    append(line, {"  \"", plan.name_of(s), "\""});
    pad_to(line, 36);
    ir::detail::append_desc(line, plan.desc_of(plan.slot_of(s)));
    pad_to(line, 64);
    append(line, {s.is_copied ? "copied at the end" : "in place"});
    pad_to(line, 92);
    append_place(line, plan.slot_of(s));
    append(out, {letters_of(line), "\n"});
  }
}

}  // namespace detail

/// Passes, prepare steps, steps, states and memory of a planned graph.
[[gnu::cold]] inline std::string dump_plan(const ir::graph& optimised, const plan_view& plan,
                                           std::int64_t lower_bound) {
  pool<char> out;
  append(out, {"passes\n"});
  ir::detail::append_log(out, optimised, "  ");
  if (!plan.prepare.empty()) append(out, {"prepare, once\n"});
  for (const step& s : plan.prepare) detail::append_step(out, optimised, plan, s);
  append(out, {"steps\n"});
  for (std::size_t next = 0; next < plan.steps.size();) {
    const std::int32_t of = plan.steps[next].group;
    if (of < 0) {
      detail::append_step(out, optimised, plan, plan.steps[next++], "  ");
      continue;
    }
    const stripe_group& group = plan.stripes[static_cast<std::size_t>(of)];
    if (group.rows == 0) append(out, {"  rows shared out together\n"});
    else
      append(out, {"  in stripes of ", group.rows, group.rows == 1 ? " row" : " rows", ", ", group.scratch_bytes,
                   " bytes between\n"});
    for (std::int32_t left = group.steps.count; left > 0; --left)
      detail::append_step(out, optimised, plan, plan.steps[next++], "    ");
  }
  detail::append_states(out, plan);
  append(out, {"memory\n  arena ", plan.arena_bytes, " bytes (lower bound ", lower_bound, "), prepared weights ",
               plan.prepared_bytes, " bytes\n"});
  return string_of(out);
}

}}  // namespace nnrt::NNRT_ISA
