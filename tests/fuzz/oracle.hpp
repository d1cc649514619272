// oracle: what a network computes must not depend on how - by references or kernels, on one thread or two, with
// Winograd's method or without. Flow: fuzzers of formats that hold networks give it those that are accepted and small.
#pragma once

#include "small_network.hpp"

#include <nnrt/exec/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

namespace nnrt_fuzz {

/// Elements that follow from an input's place: multiples of 1/32 between -2 and 2, integers from 0 to 3, bytes of any
/// kind.
inline tensors inputs_for(const nnrt::ir::graph& g) {
  tensors made;
  std::uint32_t state = 12345;
  const auto next = [&] { return (state = state * 1664525U + 1013904223U) >> 16U; };
  for (const std::int32_t id : g.inputs) {
    const nnrt::tensor_desc& desc = g.at(id).desc;
    std::vector<std::byte>& bytes = made.emplace_back(static_cast<std::size_t>(desc.bytes()));
    nnrt::with_element<nnrt::types::any>(desc.type, [&]<class T>(T element) {
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        const int drawn = static_cast<int>(next());
        if constexpr (std::is_same_v<T, bool>) element = drawn % 2 != 0;
        else if constexpr (std::is_integral_v<T>) element = static_cast<T>(desc.quantised ? drawn : drawn % 4);
        else element = static_cast<T>(static_cast<float>(drawn % 129 - 64) / 32);
        std::memcpy(bytes.data() + at, &element, sizeof(T));
      }
    });
  }
  return made;
}

/// One run of the network; nothing when it is refused or ends with an error, which must say something.
inline std::optional<tensors> computed_by_kernels(const nnrt::model& network, const tensors& inputs,
                                                  const nnrt::options& wanted) {
  const auto compiled = nnrt::compile(network, wanted);
  if (!compiled) return require(!compiled.error().message().empty()), std::nullopt;
  nnrt::session session(*compiled);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    require(session.input_bytes(i).size() == inputs[i].size());
    std::ranges::copy(inputs[i], session.input_bytes(i).begin());
  }
  if (const auto ran = session.run(); !ran) return require(!ran.error().message().empty()), std::nullopt;
  tensors made;
  for (std::size_t i = 0; i < network.graph.outputs.size(); ++i)
    made.emplace_back(session.output_bytes(i).begin(), session.output_bytes(i).end());
  return made;
}

/// How near a value must be to what references compute. Exact: integers that no rounded float went into. Near: floats
/// of few steps, all of which pass on differences of their operands no larger than they are. Other values may be
/// anything: a float that is rounded otherwise can change an index.
enum class closeness { exact, near, unknown };

inline bool enlarges_differences(std::string_view op) {
  for (const std::string_view name : {"div",           "rsqrt",
                                      "sqrt",          "log",
                                      "pow",           "exp",
                                      "floor",         "ceil",
                                      "round",         "mod",
                                      "layer_norm",    "batch_norm",
                                      "instance_norm", "l2_normalize",
                                      "reduce_prod",   "log_softmax",
                                      "lrn",           "unstack",
                                      "dynamic_range", "detection_post_process",
                                      "gru",           "lstm",
                                      "sequence_lstm", "sequence_rnn",
                                      "scatter_nd",    "quant_dtype_cast",
                                      "cast",          "select",
                                      "atan2",         "non_max_suppression"})
    if (op == name) return true;
  return false;
}

/// What the references make of a network, and how near others must come.
class computed_by_references {
 public:
  computed_by_references(const nnrt::model& network, const tensors& inputs)
      : evaluated_(network.graph), facts_(network.graph.values.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      std::ranges::copy(inputs[i], bytes_of(network.graph.inputs[i]).begin());
    for (std::size_t id = 0; id < network.graph.values.size(); ++id)
      if (const nnrt::ir::value& v = network.graph.values[id]; v.is == nnrt::ir::kind::weight)
        std::ranges::copy(network.weights.find(network.graph.name_of(v.name))->bytes,
                          bytes_of(static_cast<std::int32_t>(id)).begin());
    for (const nnrt::ir::state& s : network.graph.states)
      if (s.initial != nnrt::ir::none) std::ranges::copy(bytes_of(s.initial), bytes_of(s.value).begin());
    for (const nnrt::ir::node& n : network.graph.nodes)
      if (!run(n)) return;
    is_whole_ = true;
    for (std::size_t id = 0; id < network.graph.values.size(); ++id) measure(static_cast<std::int32_t>(id));
  }
  /// Whether all nodes ran without a fault.
  bool is_whole() const { return is_whole_; }

  bool agrees(std::int32_t id, const std::vector<std::byte>& got) {
    const std::span<const std::byte> expected = bytes_of(id);
    const closeness wanted = facts_[static_cast<std::size_t>(id)].is;
    if (wanted == closeness::unknown) return true;
    if (wanted == closeness::exact) return std::ranges::equal(got, expected);
    if (!(largest_ <= 64)) return true;
    const double allowed = 2e-4 * std::max(1.0, largest_ * largest_);
    bool all = got.size() == expected.size();
    for (std::size_t at = 0; all && at < got.size(); at += sizeof(float)) {
      float a = 0, b = 0;
      std::memcpy(&a, got.data() + at, sizeof a);
      std::memcpy(&b, expected.data() + at, sizeof b);
      all = std::fabs(double{a} - double{b}) <= allowed;
    }
    return all;
  }

 private:
  struct fact {
    closeness is = closeness::exact;
    int steps = 0;  // of rounded floats before it
  };

  const nnrt::ir::graph& graph() const { return evaluated_.g; }
  std::span<std::byte> bytes_of(std::int32_t id) {
    const nnrt::tensor_desc& desc = graph().at(id).desc;
    std::byte* first = nullptr;
    nnrt::with_element<nnrt::types::any>(desc.type, [&]<class T>(T) {
      first = reinterpret_cast<std::byte*>(evaluated_.buffers[static_cast<std::size_t>(id)].as<T>().data());
    });
    return {first, static_cast<std::size_t>(desc.bytes())};
  }
  bool run(const nnrt::ir::node& n) {
    nnrt::pool<nnrt::view> in, out;
    fact made;
    bool reads_floats = false;
    for (const std::int32_t id : graph().inputs_of(n)) {
      in.push_back(evaluated_.view_of(id));
      if (id == nnrt::ir::none) continue;
      const fact& x = facts_[static_cast<std::size_t>(id)];
      made.is = std::max(made.is, x.is), made.steps = std::max(made.steps, x.steps);
      reads_floats = reads_floats || nnrt::types::floating.contains(graph().at(id).desc.type);
    }
    for (const std::int32_t id : graph().outputs_of(n)) out.push_back(evaluated_.view_of(id));
    if (n.op->reference(graph().attrs_of(n), in, out)) return false;
    const bool enlarges = enlarges_differences(n.op->name) || made.steps > 3;
    for (const std::int32_t id : graph().outputs_of(n)) {
      fact& y = facts_[static_cast<std::size_t>(id)] = made;
      const nnrt::dtype type = graph().at(id).desc.type;
      const bool is_float = nnrt::types::floating.contains(type);
      if (made.is == closeness::unknown || (!is_float && !reads_floats)) continue;
      y.steps = made.steps + 1;
      if (!is_float) y.is = made.is == closeness::exact ? closeness::exact : closeness::unknown;
      else y.is = type != nnrt::f32 || (made.is == closeness::near && enlarges) ? closeness::unknown : closeness::near;
    }
    return true;
  }
  void measure(std::int32_t id) {
    nnrt::with_element<nnrt::types::floating>(graph().at(id).desc.type, [&]<class T>(T element) {
      const std::span<const std::byte> bytes = bytes_of(id);
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        std::memcpy(&element, bytes.data() + at, sizeof(T));
        const double size = std::fabs(static_cast<double>(element));
        largest_ = std::isnan(size) ? std::numeric_limits<double>::infinity() : std::max(largest_, size);
      }
    });
  }

  nnrt::detail::evaluation evaluated_;
  std::vector<fact> facts_;  // by value
  double largest_ = 0;
  bool is_whole_ = false;
};

/// All ways to run a network agree: on one thread and two to the bit, with Winograd's method or without and by
/// references as near as they must.
inline void check_results(const nnrt::model& network, bool with_threads) {
  const tensors inputs = inputs_for(network.graph);
  const auto one = computed_by_kernels(network, inputs, {});
  const auto plain = computed_by_kernels(network, inputs, {.winograd = nnrt::winograd::off});
  require(one.has_value() == plain.has_value());
  if (!one) return;
  if (with_threads) require(computed_by_kernels(network, inputs, {.threads = 2}) == one);
  computed_by_references expected(network, inputs);
  if (!expected.is_whole()) return;  // a node whose result nobody reads may be at fault: it does not run
  for (std::size_t i = 0; i < network.graph.outputs.size(); ++i) {
    require(expected.agrees(network.graph.outputs[i].value, (*one)[i]));
    require(expected.agrees(network.graph.outputs[i].value, (*plain)[i]));
  }
}

}  // namespace nnrt_fuzz
