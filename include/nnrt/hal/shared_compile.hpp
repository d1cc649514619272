// shared_compile: runs a model on a device, and on the processor where the device refuses nodes.
// Flow: compile(model, driver) cuts the graph into segments, prepares each in its place, and returns one prepared
// model.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/hal/cpu_driver.hpp>
#include <nnrt/hal/device.hpp>
#include <nnrt/passes/check_graph.hpp>
#include <nnrt/passes/partition.hpp>

#include <algorithm>
#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// Where a node of a partitioned model runs; for the processor, why the device refused it.
struct placed_node {
  std::string name;  // the node's name, else its operator's
  bool on_device = false;
  int segment = 0;     // index in order of execution
  std::string reason;  // the device's reason, for nodes on the processor
};

namespace detail {

/// A prepared segment and the ids of its inputs and outputs in the whole graph.
struct prepared_segment {
  prepared_model_handle model;
  std::vector<std::int32_t> inputs, outputs;
};

/// State shared by all executions of a partitioned model. Value ids are the whole graph's.
struct partition_parts {
  ir::graph graph;
  std::vector<prepared_segment> segments;
  std::vector<const std::byte*> data;  // bytes of constants and weights, by value id
  bound_weights weights;
  std::vector<placed_node> nodes;
};

/// Runs the segments in order; tensors between segments have memory in `between_`.
class partitioned_execution final : public execution {
 public:
  partitioned_execution(std::shared_ptr<const partition_parts> parts, std::shared_ptr<const model_io> ends)
      : parts_(std::move(parts)), ends_(std::move(ends)), between_(parts_->graph.values.size()) {}

  result<void> ready() {
    for (const prepared_segment& s : parts_->segments) {
      auto made = s.model.make_execution();
      if (!made) return fail(std::move(made.error()));
      runs_.push_back(std::move(*made));
      for (const std::int32_t id : s.outputs)
        between_[at(id)].resize(static_cast<std::size_t>(parts_->graph.at(id).desc.bytes()));
    }
    return {};
  }
  result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) override {
    const ir::graph& g = parts_->graph;
    if (auto ok = ends_->check(inputs, outputs); !ok) return ok;
    if (auto ok = ends_->check_room(outputs); !ok) return ok;
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].shape = g.at(g.outputs[i].value).desc.shape;
    for (std::size_t s = 0; s < runs_.size(); ++s)
      if (auto done = run_segment(s, inputs, deadline); !done) return done;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const std::size_t bytes = bytes_of(g.outputs[i].value); bytes != 0)
        std::memcpy(outputs[i].data, where(g.outputs[i].value, inputs), bytes);
    return {};
  }

 private:
  static std::size_t at(std::int32_t id) { return static_cast<std::size_t>(id); }
  std::size_t bytes_of(std::int32_t id) const { return static_cast<std::size_t>(parts_->graph.at(id).desc.bytes()); }
  const std::byte* where(std::int32_t id, array_ref<const argument> inputs) const {
    const ir::graph& g = parts_->graph;
    if (parts_->data[at(id)] != nullptr) return parts_->data[at(id)];
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (g.inputs[i] == id) return inputs[i].data;
    return between_[at(id)].data();
  }
  result<void> run_segment(std::size_t s, array_ref<const argument> inputs, std::int64_t deadline) {
    const prepared_segment& segment = parts_->segments[s];
    std::vector<argument> in, out;
    for (const std::int32_t id : segment.inputs)
      // a run only reads its inputs
      in.push_back({const_cast<std::byte*>(where(id, inputs)), bytes_of(id), parts_->graph.at(id).desc.shape});
    for (const std::int32_t id : segment.outputs) out.push_back({between_[at(id)].data(), bytes_of(id), {}});
    // a checked execution: the driver may have reported other inputs and outputs at preparation
    return runs_[s]->run(in, out, deadline);
  }

  std::shared_ptr<const partition_parts> parts_;
  std::shared_ptr<const model_io> ends_;
  std::vector<std::vector<std::byte>> between_;  // by value id
  std::vector<std::unique_ptr<checked_execution>> runs_;
};

}  // namespace detail

/// A model that runs partly on a device and partly on the processor.
class partitioned_model final : public prepared_model {
 public:
  explicit partitioned_model(std::shared_ptr<const detail::partition_parts> parts)
      : parts_(std::move(parts)), ends_(std::make_shared<const model_io>(*this)) {}

  /// Every node, in graph order.
  const std::vector<placed_node>& nodes() const { return parts_->nodes; }

  std::size_t input_count() const override { return graph().inputs.size(); }
  std::size_t output_count() const override { return graph().outputs.size(); }
  const tensor_desc& input_desc(std::size_t i) const override { return graph().at(graph().inputs[i]).desc; }
  const tensor_desc& output_desc(std::size_t i) const override { return graph().at(graph().outputs[i].value).desc; }
  std::string_view input_name(std::size_t i) const override {
    return graph().name_of(graph().at(graph().inputs[i]).name);
  }
  std::string_view output_name(std::size_t i) const override { return graph().name_of(graph().outputs[i].name); }
  result<extent_range> input_range(std::size_t i) const override {
    return extent_range{input_desc(i).shape, input_desc(i).shape};
  }
  result<std::unique_ptr<execution>> make_execution() override {
    auto made = std::make_unique<detail::partitioned_execution>(parts_, ends_);
    if (auto ok = made->ready(); !ok) return fail(std::move(ok.error()));
    return made;
  }

 private:
  const ir::graph& graph() const { return parts_->graph; }

  std::shared_ptr<const detail::partition_parts> parts_;
  std::shared_ptr<const model_io> ends_;
};

namespace detail {

/// Builds a model for each segment of a graph. Values of other segments become inputs, weights become constants.
class segment_builder {
 public:
  segment_builder(const partition_parts& parts, const passes::segmentation& cut)
      : from_(parts),
        nodes_of_(cut.place_of_segment.size()),
        is_wanted_(parts.graph.values.size(), 0),
        ids_(parts.graph.values.size(), ir::none) {
    const ir::graph& g = parts.graph;
    std::vector<std::int32_t> maker(g.values.size(), -1);  // by value id: the segment that makes it
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const std::int32_t segment = cut.segment_of[i];
      if (segment >= 0) nodes_of_[static_cast<std::size_t>(segment)].push_back(i);
      for (const std::int32_t id : g.outputs_of(g.nodes[i])) maker[static_cast<std::size_t>(id)] = segment;
      for (const std::int32_t id : g.inputs_of(g.nodes[i]))
        if (id != ir::none && maker[static_cast<std::size_t>(id)] != segment)
          is_wanted_[static_cast<std::size_t>(id)] = 1;
    }
    for (const ir::output& out : g.outputs) is_wanted_[static_cast<std::size_t>(out.value)] = 1;
  }

  /// Ids in the whole graph of a segment's inputs and outputs.
  struct ends {
    std::vector<std::int32_t> inputs, outputs;
  };

  model build(std::size_t segment, ends& at) {
    for (const std::size_t i : nodes_of_[segment]) add(from_.graph.nodes[i], at);
    for (const std::size_t i : nodes_of_[segment])
      for (const std::int32_t id : from_.graph.outputs_of(from_.graph.nodes[i])) {
        if (is_wanted_[static_cast<std::size_t>(id)] == 0) continue;
        at.outputs.push_back(id);
        made_.graph.outputs.push_back(
            {ids_[static_cast<std::size_t>(id)], made_.graph.add_text(joined({"value ", id}))});
      }
    for (const std::int32_t id : added_) ids_[static_cast<std::size_t>(id)] = ir::none;
    added_.clear();
    return std::exchange(made_, model{});
  }

 private:
  std::int32_t add(std::int32_t id, bool is_made_here, ends& at) {
    if (id == ir::none) return id;
    std::int32_t& known = ids_[static_cast<std::size_t>(id)];
    if (known != ir::none) return known;
    ir::graph& g = made_.graph;
    ir::value v = from_.graph.at(id);
    const std::byte* const data = from_.data[static_cast<std::size_t>(id)];
    if (v.scales != ir::none) v.scales = add(v.scales, false, at);
    v.name = g.add_text(joined({"value ", id}));
    v.is = is_made_here ? ir::kind::result : data != nullptr ? ir::kind::constant : ir::kind::input;
    if (v.is == ir::kind::constant) {
      while (g.bytes.size() % 64 != 0) g.bytes.push_back(std::byte{});
      v.first_byte = static_cast<std::int64_t>(g.bytes.size());
      g.bytes.insert(data, data + v.desc.bytes());
    }
    known = g.add_value(v);
    added_.push_back(id);
    if (v.is == ir::kind::input) g.inputs.push_back(known), at.inputs.push_back(id);
    return known;
  }
  void add(const ir::node& n, ends& at) {
    pool<std::int32_t> in, out;
    for (const std::int32_t id : from_.graph.inputs_of(n)) in.push_back(add(id, false, at));
    for (const std::int32_t id : from_.graph.outputs_of(n)) out.push_back(add(id, true, at));
    ir::node made = n;
    made.attrs = made_.graph.add_words(from_.graph.attrs_of(n));
    made.inputs = made_.graph.add_operands(in);
    made.outputs = made_.graph.add_operands(out);
    made.name = made_.graph.add_text(from_.graph.name_of(n.name));
    made_.graph.nodes.push_back(made);
  }

  const partition_parts& from_;
  std::vector<std::vector<std::size_t>> nodes_of_;  // of each segment
  // by value id: read by a segment other than its maker's, or an output of the graph
  std::vector<char> is_wanted_;
  std::vector<std::int32_t> ids_;    // by value id of the whole graph: id in the segment being built, or none
  std::vector<std::int32_t> added_;  // value ids that `ids_` knows
  model made_;
};

/// Checks the graph, infers its descs and binds its weights into `parts`. All extents must be known.
inline result<void> take_in(const model& network, partition_parts& parts) {
  if (auto ok = check_graph(network.graph); !ok) return ok;
  if (auto ok = infer_declared(network.graph, parts.graph); !ok) return ok;
  for (const ir::value& v : parts.graph.values)
    if (!v.desc.shape.is_known())
      return fail(error_code::not_supported, joined({"partition: ", v.desc.shape, " has an unknown extent"}));
  auto bound = bind_weights(network.weights, weight_specs_of(parts.graph));
  if (!bound) return fail(std::move(bound.error()));
  parts.weights = std::move(*bound);
  return {};
}

/// Addresses of the bytes of constants and weights, by value id; null for other values.
inline std::vector<const std::byte*> known_data(const partition_parts& parts) {
  static constexpr std::byte nothing{};  // address for tensors without elements
  std::vector<const std::byte*> data;
  std::size_t next = 0;
  for (const ir::value& v : parts.graph.values) {
    const bool is_weight = v.is == ir::kind::weight;
    const std::byte* const weight = is_weight ? parts.weights.pointers()[next++] : nullptr;
    data.push_back(is_weight                    ? (weight != nullptr ? weight : &nothing)
                   : v.is != ir::kind::constant ? nullptr
                   : parts.graph.bytes.empty()  ? &nothing
                                                : parts.graph.bytes.data() + v.first_byte);
  }
  return data;
}

/// Asks the device about each node and cuts the graph: place 0 is the device, 1 the processor.
inline result<passes::segmentation> place_nodes(const model& network, const device& on, partition_parts& parts) {
  const ir::graph& g = parts.graph;
  auto refused = on.refusals({g, network.weights});
  if (!refused) return fail(std::move(refused.error()));
  std::vector<int> places;
  for (const std::string& reason : *refused) places.push_back(reason.empty() ? 0 : 1);
  passes::segmentation cut = passes::cut_into_segments(g, places);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const std::string_view own = g.name_of(g.nodes[i].name);
    parts.nodes.push_back({std::string(own.empty() ? g.nodes[i].op->name : own), places[i] == 0, cut.segment_of[i],
                           std::move((*refused)[i])});
  }
  return cut;
}

/// Checks that a prepared model has its segment's inputs and outputs; extents may be open. Error: device_failed.
inline result<void> check_ends(const prepared_model& made, const ir::graph& part) {
  if (made.input_count() != part.inputs.size() || made.output_count() != part.outputs.size())
    return fail(error_code::device_failed,
                {"the driver prepared ", made.input_count(), " inputs and ", made.output_count(), " outputs, expected ",
                 part.inputs.size(), " and ", part.outputs.size()});
  const auto check = [](std::string_view what, std::size_t i, const tensor_desc& got,
                        const tensor_desc& expected) -> result<void> {
    if (got.type == expected.type && model_io::is_one_of(expected.shape, got.shape)) return {};
    return fail(error_code::device_failed, {"the driver prepared ", what, i, ": got ", name_of(got.type), " ",
                                            got.shape, ", expected ", name_of(expected.type), " ", expected.shape});
  };
  for (std::size_t i = 0; i < part.inputs.size(); ++i)
    if (auto ok = check("input ", i, made.input_desc(i), part.at(part.inputs[i]).desc); !ok) return ok;
  for (std::size_t i = 0; i < part.outputs.size(); ++i)
    if (auto ok = check("output ", i, made.output_desc(i), part.at(part.outputs[i].value).desc); !ok) return ok;
  return {};
}

/// Prepares each segment in its place.
inline result<void> prepare_segments(const passes::segmentation& cut, const device& on, const preferences& wanted,
                                     partition_parts& parts) {
  const device processor(std::make_shared<cpu_driver>());
  segment_builder builder(parts, cut);
  for (std::size_t s = 0; s < cut.place_of_segment.size(); ++s) {
    segment_builder::ends at;
    const model part = builder.build(s, at);
    if (at.outputs.empty()) continue;  // no result is used
    auto made = (cut.place_of_segment[s] == 0 ? on : processor).prepare(part, wanted);
    if (!made) return fail(std::move(made.error()).in(joined({"segment ", s})));
    if (auto ok = check_ends(made->model(), part.graph); !ok)
      return fail(std::move(ok.error()).in(joined({"segment ", s})));
    parts.segments.push_back({std::move(*made), std::move(at.inputs), std::move(at.outputs)});
  }
  return {};
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::hal

namespace nnrt { inline namespace NNRT_ISA {

/// Prepares a model on a device, and on the processor where the device refuses nodes. Nodes keep their order in each
/// place; consecutive nodes of one place form one segment. All extents must be known.
/// The driver's answers are checked as by hal::device; it must outlive the result.
///
/// Errors: as compile(model) for the network; not_supported (an input has an unknown extent); as
/// hal::device::refusals() and prepare() for its segments.
inline result<std::shared_ptr<hal::partitioned_model>> compile(const model& network, hal::driver& driver,
                                                               const hal::preferences& wanted = {}) {
  const hal::device device(std::shared_ptr<hal::driver>(std::shared_ptr<void>(), &driver));  // non-owning
  auto parts = std::make_shared<hal::detail::partition_parts>();
  if (auto ok = hal::detail::take_in(network, *parts); !ok) return fail(std::move(ok.error()));
  parts->data = hal::detail::known_data(*parts);
  auto cut = hal::detail::place_nodes(network, device, *parts);
  if (!cut) return fail(std::move(cut.error()));
  if (auto ok = hal::detail::prepare_segments(*cut, device, wanted, *parts); !ok) return fail(std::move(ok.error()));
  return std::make_shared<hal::partitioned_model>(std::move(parts));
}

}}  // namespace nnrt::NNRT_ISA
