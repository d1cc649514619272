// calibrate: finds a network's scales from samples, quantises its weights by them, and measures the accuracy.
// Flow: calibrate<graph<f>, Policy>(weights, samples) returns the argument of executor<graph<f>, Policy>::create().
#pragma once

#include <nnrt/core/float_environment.hpp>
#include <nnrt/exec/calibrated_model.hpp>
#include <nnrt/exec/calibration.hpp>
#include <nnrt/exec/calibration_samples.hpp>
#include <nnrt/exec/constant_folded_graph.hpp>
#include <nnrt/exec/partition.hpp>
#include <nnrt/exec/session.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/passes/quantise.hpp>

#include <algorithm>
#include <limits>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Checks that each given name is the name of a node.
[[gnu::cold]] inline result<void> check_names(const ir::graph& g, array_ref<const std::string_view> names,
                                              const char* why) {
  for (const std::string_view name : names) {
    bool is_there = false;
    for (const ir::node& n : g.nodes) is_there = is_there || (!name.empty() && g.name_of(n.name) == name);
    if (!is_there) return fail(error_code::invalid_argument, {"no node is called ", piece::in_quotes(name), why});
  }
  return {};
}

/// Checks the ranges of numeric options.
[[gnu::cold]] inline result<void> check_numbers(const calibration_options& wanted) {
  if (!(wanted.percentile > 0 && wanted.percentile <= 1))
    return fail(error_code::invalid_argument, "calibrate: the percentile must be above 0 and at most 1");
  if (!(wanted.steps > 0) || !math::is_finite(wanted.steps))
    return fail(error_code::invalid_argument, "calibrate: steps must be a finite number above 0");
  return {};
}

/// Checks the floats of sample i in the inputs of a session: NaN is an error. Infinities are allowed in inputs that the
/// accelerator does not read, such as masks; `is_quantised` says for each input whether it reads it.
[[gnu::cold]] inline result<void> check_sample(session& holds, const program& network, std::size_t i,
                                               array_ref<const char> is_quantised) {
  for (std::size_t k = 0; k < network.input_count(); ++k) {
    if (network.input_desc(k).type != f32) continue;
    const std::span<const float> x = holds.input<float>(k);
    const auto wrong = std::find_if(
        x.begin(), x.end(), [&](float v) { return math::is_nan(v) || (is_quantised[k] != 0 && math::is_inf(v)); });
    if (wrong == x.end()) continue;
    const bool is_nan = math::is_nan(*wrong);
    return fail(error_code::invalid_argument,
                {"calibrate: input ", piece::in_quotes(network.input_name(k)), " of sample ", i, ": got ",
                 is_nan ? "nan" : text_of(*wrong), " at element ", wrong - x.begin(),
                 is_nan ? ", expected numbers" : ", expected finite numbers"});
  }
  return {};
}

/// The target of a calibration: the architecture, operators for quantised values, and scales of inputs that need no
/// samples.
struct calibration_target {
  const accelerator& table;
  const operator_info* (*find)(op_code) = nullptr;
  array_ref<const float> input_scales = {};  // by input; 0 or an empty list: taken from the samples
};

/// One calibration.
class calibrator {
 public:
  calibrator(constant_folded_graph floats, const calibration_options& wanted, const calibration_target& target,
             pool<char> on_accelerator)
      : floats_(std::move(floats)),
        wanted_(wanted),
        table_(target.table),
        on_accelerator_(std::move(on_accelerator)),
        find_(target.find),
        input_scales_(target.input_scales) {
    for (const ir::node& n : floats_.graph.nodes) in_16_bits_.push_back(is_in_16_bits(n) ? 1 : 0);
    passes::forget_unread_weights(floats_.graph);
    const ir::graph& g = floats_.graph;
    tensors_.resize(g.values.size());
    scales_.assign(g.values.size(), 0.0F);
    chosen_.assign(g.values.size(), calibration_method::max);
    for (const std::int32_t id : g.inputs) watch(id), is_quantised_.push_back(is_read_on_accelerator(id) ? 1 : 0);
    for (const ir::state& s : g.states) watch(s.value);
    for (const ir::node& n : g.nodes)
      for (const std::int32_t id : g.outputs_of(n)) watch(id);
  }

  [[gnu::cold]] result<void> run(const sample_source& samples, model& made, std::vector<layer_report>& layers) {
    if (samples.count == 0) return fail(error_code::invalid_argument, "calibrate: got 0 samples, expected at least 1");
    if (auto ok = check_numbers(wanted_); !ok) return ok;
    auto of_floats = weights_for(floats_.graph, floats_.bytes);
    if (!of_floats) return fail(std::move(of_floats.error()));
    model watched{floats_.graph, *of_floats};
    add_outputs(watched.graph, watched_);
    const auto program = compile(watched);
    if (!program) return fail(program.error());
    session with_floats(*program);
    if (auto ok = find_scales(samples, with_floats); !ok) return ok;
    if (auto ok = store(made, layers); !ok) return ok;
    return wanted_.report ? compare(samples, with_floats, made, layers) : result<void>();
  }

 private:
  /// Whether the node's activations are i16: requested, and accepted by the table.
  bool is_in_16_bits(const ir::node& n) const {
    const std::size_t row = row_for(table_, n.label->name);
    if (row == table_.operators.size() || !table_.operators[row].accepts.contains(i16)) return false;
    const std::string_view name = floats_.graph.name_of(n.name);
    return std::find(wanted_.in_16_bits.begin(), wanted_.in_16_bits.end(), name) != wanted_.in_16_bits.end() &&
           may_make_16_bits(n);
  }
  /// Whether the node stays within the table's limits with i16 results.
  bool may_make_16_bits(const ir::node& n) const {
    ir::graph wide = floats_.graph;
    for (const std::int32_t id : wide.outputs_of(n))
      wide.at(id).desc.type = i16, wide.at(id).desc.quantised = quant{1.0F, 0, table_.rounding};
    return static_cast<bool>(check_node(
        table_, wide, wide.nodes[static_cast<std::size_t>(&n - floats_.graph.nodes.data())], graph_facts(wide)));
  }
  bool is_read_on_accelerator(std::int32_t id) const {
    for (std::size_t i = 0; i < floats_.graph.nodes.size(); ++i)
      for (const std::int32_t read : floats_.graph.inputs_of(floats_.graph.nodes[i]))
        if (read == id && on_accelerator_[i] != 0) return true;
    return false;
  }
  void watch(std::int32_t id) {
    if (floats_.graph.at(id).desc.type == f32) watched_.push_back(id);
  }
  static void add_outputs(ir::graph& g, const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids) g.outputs.push_back({id, g.add_text(joined({"\n", std::int64_t{id}}))});
  }

  /// Runs the network over all samples; calls see(index of the watched tensor, elements) after each.
  template <class See>
  result<void> for_each_sample(const sample_source& samples, session& network, std::string_view stage, See see) {
    network.reset();
    for (std::size_t i = 0; i < samples.count; ++i) {
      if (wanted_.progress != nullptr) wanted_.progress(wanted_.progress_context, stage, i, samples.count);
      if (auto ok = samples.put(samples.samples, i, network); !ok) return ok;
      if (auto ok = check_sample(network, network.compiled(), i, is_quantised_); !ok) return ok;
      if (auto ok = network.run(); !ok) return ok;
      for (std::size_t k = 0; k < watched_.size(); ++k) see(k, network.output<float>(floats_.graph.outputs.size() + k));
    }
    return {};
  }

  result<void> find_scales(const sample_source& samples, session& network) {
    const auto tensor = [&](std::size_t k) -> magnitudes& { return tensors_[static_cast<std::size_t>(watched_[k])]; };
    auto ok =
        for_each_sample(samples, network, "ranges", [&](std::size_t k, std::span<const float> x) { tensor(k).see(x); });
    if (ok && wanted_.method != calibration_method::max)
      ok = for_each_sample(samples, network, "histograms",
                           [&](std::size_t k, std::span<const float> x) { tensor(k).count(x); });
    if (!ok) return ok;
    if (wanted_.method == calibration_method::mixed) ok = choose(samples, network);
    else
      for (std::size_t k = 0; k < watched_.size(); ++k) set_scale(k, wanted_.method);
    give_states_one_scale();
    for (std::size_t i = 0; i < input_scales_.size(); ++i)
      if (input_scales_[i] != 0) scales_[static_cast<std::size_t>(floats_.graph.inputs[i])] = input_scales_[i];
    return ok;
  }
  /// Gives a state and its next value the larger of their scales. Then requantising a value that the accelerator made
  /// does not change it.
  void give_states_one_scale() {
    for (const ir::state& s : floats_.graph.states) {
      float &of_state = scales_[static_cast<std::size_t>(s.value)],
            &of_next = scales_[static_cast<std::size_t>(s.next)];
      of_state = of_next = std::fmax(of_state, of_next);
    }
  }
  float threshold_of(const magnitudes& m, calibration_method by) const {
    if (by == calibration_method::percentile) return m.percentile(wanted_.percentile);
    return by == calibration_method::kl ? m.min_divergence() : m.largest();
  }
  float scale_by(std::size_t k, calibration_method by) const {
    return scale_of_threshold(threshold_of(tensors_[static_cast<std::size_t>(watched_[k])], by), wanted_.steps,
                              table_.scales);
  }
  void set_scale(std::size_t k, calibration_method by) {
    scales_[static_cast<std::size_t>(watched_[k])] = scale_by(k, by);
    chosen_[static_cast<std::size_t>(watched_[k])] = by;
  }
  /// Selects for each tensor the method whose quantised values have the best cosine similarity.
  result<void> choose(const sample_source& samples, session& network) {
    constexpr calibration_method methods[] = {calibration_method::max, calibration_method::percentile,
                                              calibration_method::kl};
    std::vector<agreement> found(3 * watched_.size());
    std::vector<quantisation> tried(3 * watched_.size());
    for (std::size_t k = 0; k < watched_.size(); ++k)
      for (std::size_t m = 0; m < 3; ++m) tried[3 * k + m] = quant{scale_by(k, methods[m]), 0, table_.rounding};
    auto ok = for_each_sample(samples, network, "choice", [&](std::size_t k, std::span<const float> x) {
      for (std::size_t m = 0; m < 3; ++m)
        for (const float v : x)
          found[3 * k + m].add(double{v},
                               double{real_of(quantised_as<std::int8_t>(v, tried[3 * k + m]), tried[3 * k + m])});
    });
    for (std::size_t k = 0; k < watched_.size() && ok; ++k) {
      std::size_t best = 0;
      for (std::size_t m = 1; m < 3; ++m)
        if (found[3 * k + m].cosine() > found[3 * k + best].cosine()) best = m;
      set_scale(k, methods[best]);
    }
    return ok;
  }

  array_ref<const float> floats_of(std::int32_t id) const {
    const std::vector<std::byte>& bytes = floats_.bytes[static_cast<std::size_t>(id)];
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
  }
  /// Checks that a weight or bias that will be quantised has finite values only.
  result<void> check_finite(std::int32_t id) const {
    if (id == ir::none) return {};
    const array_ref<const float> w = floats_of(id);
    const auto wrong = std::find_if(w.begin(), w.end(), [](float v) { return !math::is_finite(v); });
    if (wrong == w.end()) return {};
    return fail(error_code::invalid_argument,
                {"calibrate: weight ", piece::in_quotes(floats_.graph.name_of(floats_.graph.at(id).name)),
                 " is not finite at element ", wrong - w.begin()});
  }
  /// The range that a layer's int32 accumulators must cover: its bias, its result, and the tensors that are added to
  /// the result. The accumulators' scale is input scale times weight scale.
  struct sum_range {
    float x_scale = 1, reach = 0;
    std::int32_t bias = ir::none;
  };
  /// The ranges of all layers that read this weight.
  std::vector<sum_range> ranges_of(std::int32_t weight) const {
    const ir::graph& g = floats_.graph;
    std::vector<sum_range> found;
    for (const ir::node& n : g.nodes) {
      const array_ref<const std::int32_t> in = g.inputs_of(n);
      if (n.op->traits.weights == weights_role::none || in.size() < 2 || in[1] != weight) continue;
      // then the scale of x is 1/256
      const bool is_wide = in_16_bits_[static_cast<std::size_t>(&n - g.nodes.data())] != 0;
      sum_range range{.x_scale = scales_[static_cast<std::size_t>(in[0])] / (is_wide ? 256.0F : 1.0F),
                      .bias = in.size() > 2 ? in[2] : ir::none};
      const auto take = [&](std::int32_t id) {
        range.reach = std::fmax(range.reach, id == ir::none ? 0.0F : 127 * scales_[static_cast<std::size_t>(id)]);
      };
      const std::int32_t y = g.outputs_of(n)[0];
      take(y);
      for (const ir::node& reader : g.nodes) {
        const array_ref<const std::int32_t> read = g.inputs_of(reader);
        if (std::find(read.begin(), read.end(), y) == read.end()) continue;
        for (const std::int32_t id : read) take(id);
        for (const std::int32_t id : g.outputs_of(reader)) take(id);
      }
      if (range.x_scale > 0) found.push_back(range);
    }
    return found;
  }
  /// The least scale of a channel's weights with which int32 accumulators cover these ranges. Weights of zero, or
  /// nearly zero, would otherwise give the accumulators a scale too small or too large for the bias.
  float min_scale(const std::vector<sum_range>& ranges, std::size_t channel) const {
    constexpr float max_steps = 0x1p29F;
    float least = 0;
    for (const sum_range& range : ranges) {
      const float bias = range.bias == ir::none ? 0.0F : std::fabs(floats_of(range.bias)[channel]);
      least = std::fmax(least, std::fmax(bias, range.reach) / range.x_scale / max_steps);
    }
    return least;
  }
  /// Quantises a layer's weight, with a scale for each output channel.
  void store_weight(const passes::quantised_layer& layer, std::vector<std::int8_t>& stored,
                    std::vector<float>& scales) const {
    const array_ref<const float> w = floats_of(layer.weight);
    const auto channels = static_cast<std::size_t>(floats_.graph.at(layer.weight).desc.shape[0]);
    const std::vector<sum_range> ranges = ranges_of(layer.weight);
    for (std::size_t o = 0; o < channels; ++o) {
      const array_ref<const float> of_channel = w.subspan(o * (w.size() / channels), w.size() / channels);
      float largest = 0;
      for (const float v : of_channel) largest = std::fmax(largest, std::fabs(v));
      const float threshold = std::fmax(largest, 127 * min_scale(ranges, o));
      const quantisation q = quant{scale_of_threshold(threshold, 127, table_.scales), 0, table_.rounding};
      scales.push_back(q.scale);
      for (const float v : of_channel) stored.push_back(quantised_as<std::int8_t>(v, q));
    }
  }
  /// The bias in units of input scale times weight scale.
  std::vector<std::int32_t> quantised_bias(const passes::quantised_layer& layer, float x_scale,
                                           const std::vector<float>& scales) const {
    std::vector<std::int32_t> stored;
    for (std::size_t o = 0; o < floats_of(layer.bias).size(); ++o) {
      const double steps =
          math::round_half_even(double{floats_of(layer.bias)[o]} / (double{x_scale} * double{scales[o]}));
      stored.push_back(math::convert<std::int32_t>(steps));
    }
    return stored;
  }

  result<void> store(model& made, std::vector<layer_report>& layers) {
    passes::quantised_graph q = passes::quantise(
        floats_.graph, {scales_, on_accelerator_, table_.rounding, in_16_bits_, wanted_.int32_tail, find_});
    std::vector<tensor_entry> entries;
    // Entries point into these vectors, which are not reallocated.
    std::vector<std::vector<std::int8_t>> weights(q.layers.size());
    std::vector<std::vector<float>> scales(q.layers.size()), sum_scales(q.layers.size());
    std::vector<std::vector<std::int32_t>> biases(q.layers.size());
    const auto name = [&](std::int32_t id) { return q.graph.name_of(q.graph.at(id).name); };
    for (std::size_t i = 0; i < q.layers.size(); ++i) {
      const passes::quantised_layer& layer = q.layers[i];
      for (const std::int32_t id : {layer.weight, layer.bias})
        if (auto ok = check_finite(id); !ok) return ok;
      store_weight(layer, weights[i], scales[i]);
      bool is_first = true;
      for (std::size_t k = 0; k < i; ++k) is_first = is_first && q.layers[k].stored_weight != layer.stored_weight;
      const tensor_desc& w = q.graph.at(layer.stored_weight).desc;
      if (is_first) entries.push_back(tensor_of<std::int8_t>(name(layer.stored_weight), w.shape, weights[i]));
      if (is_first) entries.push_back(tensor_of<float>(name(layer.weight_scales), {w.shape[0]}, scales[i]));
      if (layer.sum_scales != ir::none) {
        for (const float scale : scales[i])
          sum_scales[i].push_back(static_cast<float>(double{layer.x_scale} * double{scale}));
        entries.push_back(tensor_of<float>(name(layer.sum_scales), {w.shape[0]}, sum_scales[i]));
      }
      if (layer.quantised_bias == ir::none) continue;
      biases[i] = quantised_bias(layer, layer.x_scale, scales[i]);
      entries.push_back(
          tensor_of<std::int32_t>(name(layer.quantised_bias), q.graph.at(layer.quantised_bias).desc.shape, biases[i]));
    }
    auto bound = weights_for(q.graph, floats_.bytes, std::move(entries));
    if (!bound) return fail(std::move(bound.error()));
    quantised_of_ = q.quantised_of;
    if (auto ok = check_seen(); !ok) return ok;
    made = {std::move(q.graph), std::move(*bound)};
    list_layers(made, layers);
    return {};
  }
  /// Checks that each quantised tensor had at least one finite value in the samples. Infinities and NaN alone are no
  /// error, since another operator may discard them.
  result<void> check_seen() const {
    const ir::graph& g = floats_.graph;
    for (const ir::node& n : g.nodes)
      for (const std::int32_t id : g.outputs_of(n)) {
        const auto at = static_cast<std::size_t>(id);
        if (quantised_of_[at] == ir::none || tensors_[at].is_seen || g.at(id).desc.elements() == 0) continue;
        const std::string_view name = g.name_of(n.name);
        return fail(error_code::invalid_argument, {"calibrate: ", n.label->name, name.empty() ? "" : " " + quoted(name),
                                                   ": got no finite number from any sample, expected some"});
      }
    return {};
  }
  void list_layers(const model& stored, std::vector<layer_report>& layers) {
    const ir::graph& g = floats_.graph;
    for (const ir::node& n : g.nodes)
      for (const std::int32_t id : g.outputs_of(n)) {
        const auto at = static_cast<std::size_t>(id);
        if (quantised_of_[at] == ir::none) continue;
        reported_.push_back(id);
        const ir::value& made = stored.graph.at(quantised_of_[at]);
        layers.push_back({std::string(g.name_of(n.name)), std::string(n.label->name), tensors_[at].low,
                          tensors_[at].high, threshold_of(tensors_[at], chosen_[at]), made.desc.quantised.scale,
                          chosen_[at]});
        for (const float scale : channel_scales(stored, quantised_of_[at]))
          layers.back().scale = std::fmax(layers.back().scale, scale);
        layers.back().bits = static_cast<int>(8 * size_of(made.desc.type));
      }
  }

  /// Runs both networks over the samples, and compares each tensor.
  result<void> compare(const sample_source& samples, session& with_floats, const model& made,
                       std::vector<layer_report>& layers) {
    model watched = made;
    std::vector<std::int32_t> ids;
    ids.reserve(reported_.size());
    for (const std::int32_t id : reported_) ids.push_back(quantised_of_[static_cast<std::size_t>(id)]);
    add_outputs(watched.graph, ids);
    const auto program = compile(watched);
    if (!program) return fail(program.error());
    session with_bytes(*program);
    std::vector<agreement> found(ids.size());
    with_floats.reset();
    for (std::size_t i = 0; i < samples.count; ++i) {
      if (wanted_.progress != nullptr) wanted_.progress(wanted_.progress_context, "report", i, samples.count);
      for (session* const each : {&with_floats, &with_bytes}) {
        if (auto ok = samples.put(samples.samples, i, *each); !ok) return ok;
        if (auto ok = each->run(); !ok) return ok;
      }
      for (std::size_t k = 0; k < ids.size(); ++k) {
        std::size_t place = 0;
        while (watched_[place] != reported_[k]) ++place;
        const std::span<const float> x = with_floats.output<float>(floats_.graph.outputs.size() + place);
        with_element<types_of(i8, i16, i32)>(made.graph.at(ids[k]).desc.type, [&]<class T>(T) {
          const std::span<const T> y = with_bytes.output<T>(made.graph.outputs.size() + k);
          compare_elements(x, y, made.graph.at(ids[k]).desc.quantised, channel_scales(made, ids[k]), found[k]);
        });
      }
    }
    for (std::size_t k = 0; k < ids.size(); ++k) {
      layers[k].cosine = found[k].cosine(), layers[k].signal_to_noise = found[k].signal_to_noise();
      layers[k].saturated =
          found[k].elements == 0 ? 0 : static_cast<double>(found[k].saturated) / static_cast<double>(found[k].elements);
    }
    return {};
  }

  /// Compares a tensor of floats with a quantised one. `scales`: of channels, which are the innermost axis; or empty.
  template <class T>
  static void compare_elements(std::span<const float> x, std::span<const T> y, const quantisation& quantised,
                               std::span<const float> scales, agreement& found) {
    for (std::size_t e = 0; e < x.size(); ++e) {
      const quantisation q = scales.empty() ? quantised : quantisation(quant{scales[e % scales.size()]});
      const float low = (static_cast<float>(std::numeric_limits<T>::min()) - 0.5F) * q.scale,
                  high = (static_cast<float>(std::numeric_limits<T>::max()) + 0.5F) * q.scale;
      found.add(double{x[e]}, double{real_of(y[e], q)}, x[e] >= low && x[e] <= high);
    }
  }

  constant_folded_graph floats_;
  const calibration_options& wanted_;
  const accelerator& table_;
  pool<char> on_accelerator_, in_16_bits_;  // by node
  pool<char> is_quantised_;                 // by input
  const operator_info* (*find_)(op_code);
  array_ref<const float> input_scales_;
  std::vector<std::int32_t> watched_, reported_;  // values of the float graph
  std::vector<magnitudes> tensors_;               // by value
  pool<float> scales_;
  std::vector<calibration_method> chosen_;
  pool<std::int32_t> quantised_of_;
};

/// For the nodes that remain after fold_constants() on an optimised graph: whether each is on the accelerator.
[[gnu::cold]] inline pool<char> nodes_on_accelerator(const graph_placement& placed) {
  pool<char> on_accelerator;
  for (const node_placement& n : placed.nodes)
    if (n.place != node_place::before_the_network) on_accelerator.push_back(n.place == node_place::accelerator ? 1 : 0);
  return on_accelerator;
}

/// The operators for every dtype that calibration of G needs: those of the network, of the layers before its inputs
/// (FirstLayers), and of the results of quantise(). Other operators are not compiled.
template <class G, class List, class... FirstLayers> struct operators_for_bytes;
template <class G, class... Ops, class... FirstLayers>
struct operators_for_bytes<G, ops::type_list<Ops...>, FirstLayers...> {
  static constexpr bool has(op_code code) {
    if ((false || ... || (code == FirstLayers::code))) return true;
    for (const ir::node& n : graph_optimised<function_of<G>::value>.nodes)
      if (n.op->code == code) return true;
    return false;
  }
  template <class Op> static constexpr const operator_info* info() {
    if constexpr (has(Op::code) || passes::quantise_makes(Op::code, has)) return &ops::of<Op>();
    else return nullptr;
  }
  static const operator_info* find(op_code code) {
    const operator_info* found = nullptr;
    ((Ops::code == code ? void(found = info<Ops>()) : void()), ...);
    return found;
  }
};

/// Inputs that remain tensors; pixel_inputs.hpp has those that become images.
struct tensor_inputs {
  sample_source samples;

  static result<void> add_layers(const ir::graph&, scale_kind) { return {}; }
  static void fold_layers(const constant_folded_graph&, const pool<char>&) {}
  static std::vector<saved_input> end_with_pixels(const ir::graph&) { return {}; }
  const sample_source& source() const { return samples; }
  static array_ref<const float> scales() { return {}; }
};

/// `calibrate<G, Policy>()` for inputs of either kind, with the operators that they need for int8.
template <class G, class Policy, class Inputs>
result<calibrated<G, Policy>> calibrate_with(const result<weights>& file, Inputs& inputs,
                                             const operator_info* (*find)(op_code), const calibration_options& wanted) {
  if (!file) return fail(file.error());
  [[maybe_unused]] constexpr int on_processor = partition<Policy, G>.on_processor;  // the error of a strict policy
  const float_scope usual{float_environment()};
  auto bound = bind_weights(*file, G::weight_specs);
  if (!bound) return fail(std::move(bound.error()));
  ir::graph optimised = G::ir();
  if (auto ok = inputs.add_layers(optimised, Policy::table.scales); !ok) return fail(std::move(ok.error()));
  const passes::idiom_operators idioms{idiom_operators_at_run_time<graph_as_written<function_of<G>::value>>()};
  passes::optimise(optimised, {}, idioms);
  if (auto ok = check_names(optimised, wanted.in_16_bits, ", which shall have 16 bits"); !ok)
    return fail(std::move(ok.error()));
  auto floats = fold_constants(optimised, *bound);
  if (!floats) return fail(std::move(floats.error()));
  const graph_placement placed = Policy::place(optimised);
  pool<char> on_accelerator = nodes_on_accelerator(placed);
  inputs.fold_layers(*floats, on_accelerator);
  const calibration_target target{Policy::table, find, inputs.scales()};
  calibrated<G, Policy> made;
  calibrator run(std::move(*floats), wanted, target, std::move(on_accelerator));
  if (auto ok = run.run(inputs.source(), made.network, made.layers); !ok) return fail(std::move(ok.error()));
  made.inputs = inputs.end_with_pixels(made.network.graph);
  made.places = places_of(optimised, placed, made.network.graph);
  return made;
}

}  // namespace detail

/// Finds a scale for each tensor of a network from samples, quantises its weights, and compares the quantised network
/// with the float network. A sample is a range for the only input, or a tuple of ranges for several. Samples of a
/// network with states are consecutive runs of one stream.
///
/// Nodes remain float if the policy leaves them to the processor, or if no quantised kernel rounds as the accelerator
/// does. Calibration uses the default floating-point environment, not the caller's.
///
/// Errors: invalid_argument, out_of_memory. invalid_argument means one of these: weights that do not fit, break an
/// operator's rule or are not finite; no samples; a sample of the wrong size or with other inputs; a sample with a NaN,
/// or with an infinity that the accelerator reads; options out of their range.
template <class G, class Policy, class Samples>
result<calibrated<G, Policy>> calibrate(const weights& file, const Samples& samples,
                                        const calibration_options& wanted = {}) {
  detail::tensor_inputs inputs{sample_source::of(samples)};
  return detail::calibrate_with<G, Policy>(file, inputs, &detail::operators_for_bytes<G, ops::list>::find, wanted);
}
/// As above, with the network's included weights: none, or those of a model file (NNRT_MODEL).
template <class G, class Policy, class Samples>
  requires(G::has_own_weights)
result<calibrated<G, Policy>> calibrate(const Samples& samples, const calibration_options& wanted = {}) {
  detail::tensor_inputs inputs{sample_source::of(samples)};
  return detail::calibrate_with<G, Policy>(G::own_weights(), inputs, &detail::operators_for_bytes<G, ops::list>::find,
                                           wanted);
}

}}  // namespace nnrt::NNRT_ISA
