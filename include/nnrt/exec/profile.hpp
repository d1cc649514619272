// profile: the time of each step of a network, as data, as a table for people and as a trace for chrome://tracing.
// Flow: executor<graph<f>, profiled<>> or session::run(times) measure; profile() adds descriptions of the steps.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/exec/node_table.hpp>
#include <nnrt/exec/step_times.hpp>
#include <nnrt/io/json.hpp>
#include <nnrt/io/write_file.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/policy/cpu.hpp>

#include <cstdio>

namespace nnrt { inline namespace NNRT_ISA {

/// A policy that runs a network as Base does and measures the time of each step: `executor<graph<f>, profiled<>>`. It
/// runs the table of steps even if Base would unroll them. Executors of other policies have no clock calls and no
/// memory for times.
template <class Base = cpu> struct profiled : Base {
  static constexpr execution_form form = execution_form::planned;
  using times_type = step_times;
};

/// A step of a network's plan and its times.
struct profiled_step {
  std::string_view op;      // "conv2d"; "copy" for copies of inputs or weights to outputs; "copy state" for
                            // copies of next values to states
  std::string_view name;    // of the layer
  std::string_view kernel;  // "pack" for the step that packs operands
  tensor_desc output;
  std::int64_t macs = 0;   // multiply-accumulates
  std::int64_t bytes = 0;  // of the operands that it reads and of the results that it writes
  step_time time;

  /// 10^9 operations on floats or quantised values per second, in the fastest run; a multiply-accumulate counts as two.
  double gflops() const {
    return time.fastest > 0 ? 2.0 * static_cast<double>(macs) / static_cast<double>(time.fastest) : 0;
  }
  /// 10^9 bytes per second of the fastest run.
  double gigabytes() const {
    return time.fastest > 0 ? static_cast<double>(bytes) / static_cast<double>(time.fastest) : 0;
  }
};

/// The steps of a profiled executor in execution order; before the first run their times are 0. Names are static data
/// of the network.
template <class Executor>
  requires requires(const Executor& e) { e.times(); }
pool<profiled_step> profile(const Executor& of);

/// As above for a session, with times that run(times) measured. The names are stored in the session's program.
template <class Session> pool<profiled_step> profile(const Session& of, const step_times& times);

/// The profile as a table: time of the fastest run, percentage of the total, GFLOP/s, GB/s, operator, layer, kernel.
/// `peak_gflops`, the machine's maximum, adds a column with the percentage of it; 0: no such column.
inline std::string profile_text(array_ref<const profiled_step> steps, double peak_gflops = 0);

/// The last run as the JSON of chrome://tracing and Perfetto: one event for each step, with kernel,
/// multiply-accumulates and bytes.
inline std::string chrome_trace(array_ref<const profiled_step> steps);

/// Writes chrome_trace() to a file. Errors: those of write_file.
inline result<void> save_chrome_trace(std::string_view path, array_ref<const profiled_step> steps);

// --- details ---------------------------------------------------------------
namespace detail {

inline std::int64_t bytes_of_step(const plan_view& plan, const step& s) {
  std::int64_t bytes = 0;
  for (const ir::range& operands : {s.inputs, s.outputs})
    for (std::int32_t i = 0; i < operands.count; ++i) {
      const std::int32_t at = operands.first + i;
      const operand_slot& slot = plan.slots[static_cast<std::size_t>(at)];
      if (slot.base != no_memory && slot.desc >= 0) bytes += plan.desc_of(slot).bytes();
    }
  return bytes;
}

/// Joins steps, which have the order of their nodes, with the table. A node may have two steps; the last one counts its
/// work.
inline pool<profiled_step> join_profile(const plan_view& plan, array_ref<const node_info> table,
                                        array_ref<const step_time> times) {
  pool<profiled_step> rows;
  std::size_t node = 0;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const step& s = plan.steps[i];
    profiled_step row;
    row.kernel = s.kernel;
    row.op = s.kernel;
    row.bytes = bytes_of_step(plan, s);
    if (i < times.size()) row.time = times[i];
    if (s.node >= 0) {
      while (table[node].kernel.empty()) ++node;
      const bool ends_node = i + 1 == plan.steps.size() || plan.steps[i + 1].node != s.node;
      row.op = table[node].op;
      row.name = table[node].name;
      row.output = table[node].output;
      if (ends_node) row.macs = table[node].macs, ++node;
    }
    rows.push_back(row);
  }
  return rows;
}

inline std::string fixed(double number, int width, int digits) {
  char text[64];
  const int letters = std::snprintf(text, sizeof text, "%*.*f", width, digits, number);
  return {text, static_cast<std::size_t>(letters)};
}

}  // namespace detail

template <class Executor>
  requires requires(const Executor& e) { e.times(); }
pool<profiled_step> profile(const Executor& of) {
  return detail::join_profile(Executor::plan_of_steps(), Executor::network::table(), of.times().all());
}

template <class Session> pool<profiled_step> profile(const Session& of, const step_times& times) {
  const pool<node_info> table = of.compiled().table();
  return detail::join_profile(of.plan_of_steps(), {table.data(), table.size()}, times.all());
}

inline std::string profile_text(array_ref<const profiled_step> steps, double peak_gflops) {
  std::int64_t whole = 0;
  for (const profiled_step& s : steps) whole += s.time.fastest;
  const bool has_peak = peak_gflops > 0;
  std::string text = joined({"        µs  of all  GFLOP/s", has_peak ? "  of peak" : "", "   GB/s  step\n"});
  for (const profiled_step& s : steps) {
    const double share = whole > 0 ? 100.0 * static_cast<double>(s.time.fastest) / static_cast<double>(whole) : 0;
    text += joined({detail::fixed(static_cast<double>(s.time.fastest) * 1e-3, 10, 2), detail::fixed(share, 6, 1), " %",
                    detail::fixed(s.gflops(), 9, 1)});
    if (has_peak) text += joined({detail::fixed(100 * s.gflops() / peak_gflops, 7, 0), " %"});
    text += joined({detail::fixed(s.gigabytes(), 7, 1), "  ", s.op});
    if (!s.name.empty()) text += joined({" \"", s.name, "\""});
    text += joined({" by ", s.kernel, "\n"});
  }
  return text + joined({detail::fixed(static_cast<double>(whole) * 1e-3, 10, 2), " in all\n"});
}

inline std::string chrome_trace(array_ref<const profiled_step> steps) {
  const std::int64_t begin = steps.empty() ? 0 : steps[0].time.begin;
  json_writer to;
  to.begin_object().key("displayTimeUnit").string("ns").key("traceEvents").begin_array();
  for (const profiled_step& s : steps) {
    if (s.time.runs == 0) continue;
    const std::string name = s.name.empty() ? std::string(s.op) : joined({s.op, " ", s.name});
    to.begin_object()
        .key("ph")
        .string("X")
        .key("pid")
        .integer(1)
        .key("tid")
        .integer(1)
        .key("cat")
        .string(s.op)
        .key("name")
        .string(name);
    to.key("ts")
        .real(static_cast<double>(s.time.begin - begin) * 1e-3)
        .key("dur")
        .real(static_cast<double>(s.time.last) * 1e-3);
    to.key("args").begin_object().key("kernel").string(s.kernel).key("output").string(ir::to_string(s.output));
    to.key("macs").integer(s.macs).key("bytes").integer(s.bytes).end_object().end_object();
  }
  to.end_array().end_object();
  return std::move(to).take();
}

inline result<void> save_chrome_trace(std::string_view path, array_ref<const profiled_step> steps) {
  const std::string text = chrome_trace(steps);
  return write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

}}  // namespace nnrt::NNRT_ISA
