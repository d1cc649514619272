// dump_plan: a plan as a table for people - what the passes did, each step, and where its result lies.
// Flow: graph<f>::text() and tools; run time only.
#pragma once

#include <nnrt/exec/plan_view.hpp>
#include <nnrt/ir/dump.hpp>

namespace nnrt::inline NNRT_ISA {

namespace detail {

inline void pad_to(std::string& line, std::size_t column) {
  if (line.size() < column) line.append(column - line.size(), ' ');
  else line += "  ";
}

[[gnu::cold]] inline std::string place_text(const operand_slot& slot) {
  switch (slot.base) {
    case in_arena: return "arena+" + std::to_string(slot.offset);
    case in_prepared: return "prepared+" + std::to_string(slot.offset);
    case in_band: return "band+" + std::to_string(slot.offset);
    case in_prepare_scratch: return "scratch+" + std::to_string(slot.offset);
    default: return "-";
  }
}

[[gnu::cold]] inline std::string step_line(const ir::graph& g, const plan_view& plan, const step& s, std::size_t indent = 2) {
  std::string line(indent, ' ');
  if (s.node >= 0) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(s.node)];
    line += ir::node_title(g, *n.label, n.name);
    pad_to(line, 36);
    const operand_slot& out = plan.slots[static_cast<std::size_t>(s.outputs.first)];
    line += ir::to_string(plan.desc_of(out));
    pad_to(line, 64);
    line += s.kernel;
    pad_to(line, 92);
    line += place_text(out);
    pad_to(line, 112);
    line += ir::attributes_text(g, n);
  } else {
    line += s.kernel;
  }
  while (line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace detail

/// Passes, prepare steps, steps and memory of a planned graph.
[[gnu::cold]] inline std::string dump_plan(const ir::graph& optimised, const plan_view& plan, std::int64_t lower_bound) {
  std::string out = "passes\n";
  const std::string log = ir::log_text(optimised);
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = log.find('\n', at) + 1;
    out += "  " + log.substr(at, end - at);
    at = end;
  }
  if (!plan.prepare.empty()) out += "prepare, once\n";
  for (const step& s : plan.prepare) out += detail::step_line(optimised, plan, s);
  out += "steps\n";
  std::size_t next = 0;
  const auto add_steps = [&](std::int32_t end, std::size_t indent) {
    for (; next < static_cast<std::size_t>(end); ++next) out += detail::step_line(optimised, plan, plan.steps[next], indent);
  };
  for (const band_group& group : plan.bands) {
    add_steps(group.steps.first, 2);
    out += "  in bands of " + std::to_string(group.rows) + (group.rows == 1 ? " row" : " rows") + ", " + std::to_string(group.scratch_bytes) + " bytes between\n";
    add_steps(group.steps.first + group.steps.count, 4);
  }
  add_steps(static_cast<std::int32_t>(plan.steps.size()), 2);
  out += "memory\n  arena " + std::to_string(plan.arena_bytes) + " bytes (lower bound " + std::to_string(lower_bound) + "), prepared weights " +
         std::to_string(plan.prepared_bytes) + " bytes\n";
  return out;
}

}  // namespace nnrt::inline NNRT_ISA
