// model: builds a graph from a C program's tensors, operations, inputs and outputs.
// Flow: the OH_NNModel functions fill it; a compilation passes its graph to a device.
#pragma once

#include <nnrt/c_api/operations.hpp>
#include <nnrt/c_api/tensors.hpp>
#include <nnrt/core/boolean_bytes.hpp>
#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/passes/node_order.hpp>
#include <nnrt/passes/shapes.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// A tensor of a model.
struct model_tensor {
  dtype type = dtype::none;
  int tensor_type = OH_NN_TENSOR;
  std::vector<std::int32_t> shape;  // -1: unknown until the model runs
  std::vector<float> scales;        // one for the tensor or one per channel; empty: not quantised
  std::vector<std::int32_t> zero_points;
  std::vector<std::byte> data;
  bool has_data = false;

  bool is_dynamic() const { return std::find(shape.begin(), shape.end(), -1) != shape.end(); }
  std::size_t elements() const {
    std::size_t count = 1;
    for (const std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
    return count;
  }
  std::size_t bytes() const { return is_dynamic() ? 0 : elements() * static_cast<std::size_t>(size_of(type)); }
};

/// An operation of a model. `refusal`: why no device can run it, whatever its shapes.
struct model_operation {
  const operation_kind* kind = nullptr;
  std::vector<std::uint32_t> inputs, outputs;
  pool<word> words;
  std::string refusal;
  std::string missing;  // a parameter that must be set before the model is finished
};

/// Why a tensor's type and shape are invalid; empty: they are valid. Source: the checks of OH_NNModel_AddTensor.
inline std::string fault_of_tensor(int data_type, const std::int32_t* shape, std::size_t rank) {
  if (!is_data_type(data_type)) return joined({"got data type ", data_type, ", expected 0 to 12"});
  if ((shape == nullptr) != (rank == 0))
    return joined({"got ", shape == nullptr ? "no extents" : "extents", " and a count of ", rank});
  if (rank > max_list) return joined({"got ", rank, " extents, expected at most ", max_list});
  std::size_t bytes = size_of_type(static_cast<OH_NN_DataType>(data_type));
  for (std::size_t i = 0; i < rank; ++i) {
    if (shape[i] < 1 && shape[i] != -1)
      return joined({"extent ", i, ": got ", shape[i], ", expected 1 or more, or -1"});
    bytes *= shape[i] < 0 ? 1 : static_cast<std::size_t>(shape[i]);
    if (bytes > std::numeric_limits<std::uint32_t>::max()) return joined({"has more than 4294967295 bytes"});
  }
  return {};
}

/// Why the quantisation of an API 9 tensor is invalid; empty: it is valid, or there is none. Source: as above.
inline std::string fault_of_quantisation(const OH_NN_QuantParam* q) {
  if (q == nullptr) return {};
  if (q->numBits == nullptr || q->scale == nullptr || q->zeroPoint == nullptr)
    return "quantisation without widths, scales or zero points";
  for (std::uint32_t i = 0; i < q->quantCount; ++i)
    if (q->numBits[i] != 8) return joined({"got ", q->numBits[i], " bits, expected 8"});
  return {};
}

/// Why a list of indices from C is invalid for `count` items; empty: it is valid.
inline std::string fault_of_indices(const OH_NN_UInt32Array& list, std::size_t count) {
  if ((list.data == nullptr) != (list.size == 0))
    return joined({list.data == nullptr ? "no indices" : "indices", " and a size of ", list.size});
  for (std::uint32_t i = 0; i < list.size; ++i)
    if (list.data[i] >= count) return joined({"index ", list.data[i], " of ", count, " tensors"});
  return {};
}

namespace detail {

/// The tensor's desc in a graph. Invalid parts are omitted (the rank is cut to ours), and `refusal` says what is
/// invalid.
inline tensor_desc desc_of(const model_tensor& t, std::string& refusal) {
  shape_t shape;
  for (const std::int32_t extent : t.shape) shape.push_back(extent);
  if (t.shape.size() > static_cast<std::size_t>(max_rank))
    refusal = joined({"has ", t.shape.size(), " axes, expected at most ", max_rank});
  tensor_desc desc(t.type, shape);
  // Upstream accepts scales of any tensor and lets the device interpret them; scales of float tensors are ignored here.
  if (t.scales.empty() || !types::quantised.contains(t.type)) return desc;
  if (t.scales.size() == 1) {
    desc.quantised = quant{t.scales[0], t.zero_points[0]};
    return desc;
  }
  desc.quantised.mode = quantisation::kind::per_channel;
  // The first axis with that extent, else the first of unknown extent. Weights have output channels first.
  // passes::infer_scale_axes() corrects the axis by the operation that reads the tensor.
  int axis = ir::none;
  for (const std::int64_t extent : {std::int64_t{-1}, static_cast<std::int64_t>(t.scales.size())})
    for (int i = shape.rank - 1; i >= 0; --i)
      if (shape[i] == extent && (extent >= 0 || axis == ir::none || shape[axis] < 0)) axis = i;
  desc.quantised.axis = axis == ir::none ? 0 : axis;
  if (axis == ir::none) refusal = joined({"has ", t.scales.size(), " scales, and no axis of that extent"});
  for (const std::int32_t zero : t.zero_points)
    if (zero != 0) refusal = joined({"has a scale per channel and zero point ", zero, ", expected 0"});
  return desc;
}

/// Whether a graph has no repeated input and only outputs that nodes make. Upstream finishes other models, too, as its
/// devices see only operations.
inline bool can_have_its_ends(const ir::graph& g) {
  std::vector<char> is_listed(g.values.size(), 0), is_made(g.values.size(), 0);
  for (const std::int32_t id : g.inputs)
    if (std::exchange(is_listed[static_cast<std::size_t>(id)], char{1}) != 0) return false;
  for (const ir::node& n : g.nodes)
    for (const std::int32_t id : g.outputs_of(n)) is_made[static_cast<std::size_t>(id)] = 1;
  return std::all_of(g.outputs.begin(), g.outputs.end(), [&](const ir::output& out) {
    return g.at(out.value).is != ir::kind::result || is_made[static_cast<std::size_t>(out.value)] != 0;
  });
}

/// Replaces the inputs and outputs by valid ones: each input once, and all results as outputs.
inline model with_ends_of_nodes(model of) {
  ir::graph& g = of.graph;
  g.inputs.clear(), g.outputs.clear();
  for (std::size_t id = 0; id < g.values.size(); ++id)
    if (g.values[id].is == ir::kind::input) g.inputs.push_back(static_cast<std::int32_t>(id));
  for (const ir::node& n : g.nodes)
    for (const std::int32_t id : g.outputs_of(n)) g.outputs.push_back({id, g.at(id).name});
  return of;
}

}  // namespace detail

/// OH_NNModel.
class model_under_construction {
 public:
  static constexpr object kind = object::model;

  model_under_construction() = default;
  model_under_construction(const model_under_construction&) = delete;
  model_under_construction& operator=(const model_under_construction&) = delete;

  // Compilations share it: a program may destroy the handle after it has made a compilation.
  void hold(std::shared_ptr<model_under_construction> self) noexcept { self_ = std::move(self); }
  void let_go() noexcept { const auto last = std::move(self_); }
  std::shared_ptr<const model_under_construction> shared() const { return self_; }

  /// A finished model with a given graph.
  explicit model_under_construction(model made)
      : is_finished_(true), has_ends_(true), made_(std::move(made)), constants_(digest_of(made_.graph.bytes)) {
    refusals_.resize(made_.graph.nodes.size());
    for (std::size_t i = 0; i < refusals_.size(); ++i) node_of_.push_back(static_cast<std::int32_t>(i));
  }

  bool is_finished() const { return is_finished_; }

  OH_NN_ReturnCode add_tensor(model_tensor&& t) {
    tensors_.push_back(std::move(t));
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode set_data(std::uint32_t index, const void* data, std::size_t length) {
    constexpr const char* me = "OH_NNModel_SetTensorData";
    if (is_finished_) return finished(me);
    if (index >= tensors_.size()) return no_tensor(me, index);
    model_tensor& t = tensors_[index];
    if (t.has_data) return fails(OH_NN_INVALID_PARAMETER, {me, ": tensor ", index, " has its data already"});
    if (t.is_dynamic())
      return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": tensor ", index, " has an extent that only a run knows"});
    if (length != t.bytes())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": tensor ", index, ": got ", length, " bytes, expected ", t.bytes()});
    const auto* const first = static_cast<const std::byte*>(data);
    t.data.assign(first, first + length);
    if (t.type == boolean) make_booleans(t.data);
    t.has_data = true;
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode set_quantisation(std::uint32_t index, const quant_param& given) {
    constexpr const char* me = "OH_NNModel_SetTensorQuantParams";
    if (is_finished_) return finished(me);
    if (index >= tensors_.size()) return no_tensor(me, index);
    model_tensor& t = tensors_[index];
    t.scales.clear(), t.zero_points.clear();
    if (given.scales.size() != given.zero_points.size() || given.scales.size() != given.bits.size())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", given.scales.size(), " scales, ", given.zero_points.size(),
                                             " zero points and ", given.bits.size(), " widths"});
    for (const std::uint32_t bits : given.bits)
      if (bits != 8) return fails(OH_NN_INVALID_PARAMETER, {me, ": got ", bits, " bits, expected 8"});
    t.zero_points = given.zero_points;
    t.scales.assign(given.scales.size(), 0);
    for (std::size_t i = 0; i < given.scales.size(); ++i) t.scales[i] = static_cast<float>(given.scales[i]);
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode set_type(std::uint32_t index, int tensor_type) {
    constexpr const char* me = "OH_NNModel_SetTensorType";
    if (!is_tensor_type(tensor_type))
      return fails(OH_NN_INVALID_PARAMETER, {me, ": got type ", tensor_type, ", expected 0 to 162"});
    if (is_finished_) return finished(me);
    if (index >= tensors_.size()) return no_tensor(me, index);
    tensors_[index].tensor_type = tensor_type;
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode add_operation(int number, const OH_NN_UInt32Array& parameters, const OH_NN_UInt32Array& inputs,
                                 const OH_NN_UInt32Array& outputs) {
    constexpr const char* me = "OH_NNModel_AddOperation";
    if (is_finished_) return finished(me);
    if (const std::string fault = fault_of_ends(inputs, outputs); !fault.empty())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
    if (const std::string fault = fault_of_indices(parameters, tensors_.size()); !fault.empty())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": parameters: ", fault});
    const operation_kind* const known = find_operation(number);
    if (known == nullptr) return fails(OH_NN_INVALID_PARAMETER, {me, ": there is no operation ", number});
    model_operation added;
    added.kind = known;
    added.inputs.assign(inputs.data, inputs.data + inputs.size);
    added.outputs.assign(outputs.data, outputs.data + outputs.size);
    if (const std::string fault = fill(added, parameters); !fault.empty())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": ", known->op->name, ": ", fault});
    operations_.push_back(std::move(added));
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode specify_ends(const OH_NN_UInt32Array& inputs, const OH_NN_UInt32Array& outputs) {
    constexpr const char* me = "OH_NNModel_SpecifyInputsAndOutputs";
    if (is_finished_) return finished(me);
    if (has_ends_) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": inputs and outputs are known already"});
    if (const std::string fault = fault_of_ends(inputs, outputs); !fault.empty())
      return fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
    inputs_.assign(inputs.data, inputs.data + inputs.size);
    outputs_.assign(outputs.data, outputs.data + outputs.size);
    has_ends_ = true;
    return OH_NN_SUCCESS;
  }

  OH_NN_ReturnCode finish() {
    constexpr const char* me = "OH_NNModel_Finish";
    if (is_finished_) return finished(me);
    if (tensors_.empty()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the model has no tensors"});
    if (operations_.empty()) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the model has no operations"});
    if (!has_ends_) return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the model's inputs and outputs are not specified"});
    for (const model_operation& operation : operations_)
      if (!operation.missing.empty()) {
        is_finished_ = true;  // as upstream: the model remains closed
        return fails(OH_NN_FAILED, {me, ": ", operation.kind->op->name, " has no ", operation.missing});
      }
    made_ = {}, constants_ = 0, node_of_.clear();  // of an attempt that ran out of memory
    make_graph();
    is_finished_ = true;
    return OH_NN_SUCCESS;
  }

  /// The finished model's graph, with nodes in a valid order of execution.
  const model& graph() const { return made_; }
  /// Hash of the graph's constants. It is computed with the graph, while they are in the CPU's caches; a build does not
  /// read them.
  std::uint64_t constants_digest() const { return constants_; }

  /// Why no device, or this one, can run operation i, in the order of addition; empty: it can. Invalid inputs and
  /// outputs of the graph are not attributed to operations.
  result<std::vector<std::string>> refusals(const hal::device& device) const {
    std::vector<std::string> all = refusals_;
    if (made_.graph.nodes.empty()) return all;
    auto answered = detail::can_have_its_ends(made_.graph) ? device.refusals(made_)
                                                           : device.refusals(detail::with_ends_of_nodes(made_));
    if (!answered) return answered;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i].empty() && node_of_[i] != ir::none)
        all[i] = std::move((*answered)[static_cast<std::size_t>(node_of_[i])]);
    return all;
  }

  /// Result of the last OH_NNModel_GetAvailableOperations; the program reads it in place.
  std::unique_ptr<bool[]> available;

 private:
  OH_NN_ReturnCode finished(const char* me) const {
    return fails(OH_NN_OPERATION_FORBIDDEN, {me, ": the model is finished"});
  }
  OH_NN_ReturnCode no_tensor(const char* me, std::uint32_t index) const {
    return fails(OH_NN_INVALID_PARAMETER, {me, ": tensor ", index, " of ", tensors_.size()});
  }

  std::string fault_of_ends(const OH_NN_UInt32Array& inputs, const OH_NN_UInt32Array& outputs) const {
    const auto look = [&](const char* what, const OH_NN_UInt32Array& list) -> std::string {
      if (list.size == 0 || list.size > max_list)
        return joined({what, ": got ", list.size, ", expected 1 to ", max_list});
      if (const std::string fault = fault_of_indices(list, tensors_.size()); !fault.empty())
        return joined({what, ": ", fault});
      for (std::uint32_t i = 0; i < list.size; ++i)
        if (tensors_[list.data[i]].tensor_type != OH_NN_TENSOR)
          return joined(
              {what, ": tensor ", list.data[i], " is a parameter, of type ", tensors_[list.data[i]].tensor_type});
      return {};
    };
    if (std::string fault = look("inputs", inputs); !fault.empty()) return fault;
    if (std::string fault = look("outputs", outputs); !fault.empty()) return fault;
    std::vector<char> is_output(tensors_.size(), 0);
    for (std::uint32_t k = 0; k < outputs.size; ++k) is_output[outputs.data[k]] = 1;
    for (std::uint32_t i = 0; i < inputs.size; ++i)
      if (is_output[inputs.data[i]] != 0) return joined({"tensor ", inputs.data[i], " is both input and output"});
    return {};
  }

  parameter parameter_of(const operation_kind& operation, const model_tensor& t) const {
    parameter p;
    p.tensor_type = t.tensor_type;
    p.type = t.type;
    p.rank = static_cast<int>(t.shape.size());
    p.count = t.is_dynamic() ? 0 : static_cast<std::int64_t>(t.elements());
    if (t.has_data) p.bytes = t.data;
    p.row = parameter_row_of(operation, p);
    return p;
  }

  /// Decodes the parameters into the operation. Returns why it cannot be added; empty: it can.
  std::string fill(model_operation& added, const OH_NN_UInt32Array& indices) const {
    const operation_kind& operation = *added.kind;
    if (std::string fault = fault_of_counts(operation, added.inputs.size(), added.outputs.size()); !fault.empty())
      return fault;
    if (const std::size_t most = max_parameters(operation); indices.size > most)
      return joined({"got ", indices.size, " parameters, expected at most ", most});
    std::vector<parameter> given;
    std::vector<nnrt_given> firsts;
    for (std::uint32_t i = 0; i < indices.size; ++i) {
      given.push_back(parameter_of(operation, tensors_[indices.data[i]]));
      if (std::string fault = fault_of(operation, given.back()); !fault.empty()) return fault;
      firsts.push_back({given.back().tensor_type, given.back().integer(0)});
    }
    for (const nnrt_parameter& row : operation.parameters)
      if (row.is_required && !detail::is_given(given, row)) added.missing = std::string(row.attribute);
    decoded_attributes decoded = operation.decode(given, api_level);
    added.words = std::move(decoded.words);
    added.refusal = std::move(decoded.refusal);
    pool<operand> operands;
    std::vector<std::vector<std::int64_t>> integers;
    for (const std::uint32_t index : added.inputs) operands.push_back(operand_of(tensors_[index], integers));
    if (const nnrt_fault fault = operation.refuses(operands, added.words, firsts); !fault.of.empty())
      return joined({fault.of, ": got ", fault.actual, ", expected ", fault.expected});
    return {};
  }

  /// A declared operand. Integers with data are copied to `integers`.
  static operand operand_of(const model_tensor& t, std::vector<std::vector<std::int64_t>>& integers) {
    std::string refusal;
    operand made{detail::desc_of(t, refusal), {}, t.has_data, false};
    if (!t.has_data || t.elements() > static_cast<std::size_t>(ir::max_read_list)) return made;
    parameter p;
    p.type = t.type;
    p.bytes = t.data;
    std::vector<std::int64_t>& list = integers.emplace_back();
    if ((types::integer | types::logical).contains(t.type))
      for (std::size_t i = 0; i < t.elements(); ++i) list.push_back(p.integer(static_cast<std::int64_t>(i)));
    made.values = list;
    return made;
  }

  void make_graph();
  void add_values(std::vector<std::int32_t>& ids, std::vector<std::string>& faults);
  std::vector<std::size_t> runnable_order();

  std::shared_ptr<model_under_construction> self_;  // set while the handle exists
  std::vector<model_tensor> tensors_;
  std::vector<model_operation> operations_;
  std::vector<std::uint32_t> inputs_, outputs_;
  bool is_finished_ = false;
  bool has_ends_ = false;
  model made_;
  std::uint64_t constants_ = 0;
  std::vector<std::int32_t> node_of_;  // by operation: its node; none: it can never run
  std::vector<std::string> refusals_;  // by operation
};

// --- the graph --------------------------------------------------------------

/// Adds a value for each used tensor: an input, a constant if it has data, else a result. `faults`: of each tensor.
inline void model_under_construction::add_values(std::vector<std::int32_t>& ids, std::vector<std::string>& faults) {
  ir::graph& g = made_.graph;
  std::vector<char> is_input(tensors_.size(), 0), is_used(tensors_.size(), 0), is_operand(tensors_.size(), 0);
  for (const std::uint32_t index : inputs_) is_input[index] = is_used[index] = 1;
  for (const std::uint32_t index : outputs_) is_used[index] = 1;
  for (const model_operation& o : operations_) {
    for (const std::uint32_t index : o.inputs) is_used[index] = is_operand[index] = 1;
    for (const std::uint32_t index : o.outputs) is_used[index] = is_operand[index] = 1;
  }
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (is_used[i] == 0) continue;
    const model_tensor& t = tensors_[i];
    const std::size_t before = g.bytes.size();
    ir::value made;
    made.desc = detail::desc_of(t, faults[i]);
    if (t.type == dtype::none && is_operand[i] != 0) {
      faults[i] = "has no data type";
      // A valid type lets devices judge the other operations; they refuse the graph as a whole.
      made.desc.type = f32;
    }
    if (made.desc.quantised.mode == quantisation::kind::per_channel && faults[i].empty())
      made.scales = g.add_constant<float>({f32, {static_cast<std::int64_t>(t.scales.size())}}, t.scales);
    if (!faults[i].empty()) made.desc.quantised = {};
    made.name = g.add_text(joined({"Tensor: ", i}));
    if (is_input[i] != 0) made.is = ir::kind::input;
    else if (t.has_data) {
      while (g.bytes.size() % 64 != 0) g.bytes.push_back(std::byte{});
      made.is = ir::kind::constant;
      made.first_byte = static_cast<std::int64_t>(g.bytes.size());
      g.bytes.insert(t.data.begin(), t.data.end());
    }
    if (g.bytes.size() > before)
      constants_ = constants_ * 0x9E3779B97F4A7C15U + digest_of({g.bytes.data() + before, g.bytes.size() - before});
    ids[i] = g.add_value(made);
  }
}

/// Operations in a valid order of execution. Operations whose inputs are never made, or that write an existing tensor,
/// are refused.
inline std::vector<std::size_t> model_under_construction::runnable_order() {
  constexpr std::size_t is_there = passes::never_made - 1;
  std::vector<std::size_t> maker(tensors_.size(), passes::never_made);
  for (std::size_t i = 0; i < tensors_.size(); ++i)
    if (tensors_[i].has_data) maker[i] = is_there;
  for (const std::uint32_t index : inputs_) maker[index] = is_there;
  for (std::size_t i = 0; i < operations_.size(); ++i)
    for (const std::uint32_t index : operations_[i].outputs)
      if (maker[index] == passes::never_made) maker[index] = i;
  const std::vector<std::size_t> order = passes::node_order(operations_.size(), [&](std::size_t i, auto give) {
    for (const std::uint32_t index : operations_[i].inputs)
      if (maker[index] != is_there) give(maker[index]);
  });
  std::vector<char> is_ordered(operations_.size(), 0);
  std::vector<std::size_t> runnable;
  for (const std::size_t i : order) {
    is_ordered[i] = 1;
    const std::vector<std::uint32_t>& out = operations_[i].outputs;
    const auto taken = std::find_if(out.begin(), out.end(), [&](std::uint32_t index) { return maker[index] != i; });
    if (taken == out.end()) runnable.push_back(i);
    else
      refusals_[i] =
          joined({"writes tensor ", *taken, ", which is an input, a constant, or made by another operation"});
  }
  for (std::size_t i = 0; i < operations_.size(); ++i)
    for (const std::uint32_t index : operations_[i].inputs)
      if (const std::size_t by = maker[index]; is_ordered[i] == 0 && refusals_[i].empty() && by != is_there &&
                                               (by == passes::never_made || is_ordered[by] == 0))
        refusals_[i] =
            joined({"reads tensor ", index, ", which has no data, is no input, and is made by no operation before it"});
  return runnable;
}

inline void model_under_construction::make_graph() {
  ir::graph& g = made_.graph;
  refusals_.assign(operations_.size(), {});
  node_of_.assign(operations_.size(), ir::none);
  std::vector<std::int32_t> ids(tensors_.size(), ir::none);
  std::vector<std::string> faults(tensors_.size());
  add_values(ids, faults);
  for (const std::size_t i : runnable_order()) {
    const model_operation& o = operations_[i];
    refusals_[i] = o.refusal;
    pool<std::int32_t> inputs, outputs;
    const auto refuse_faulty = [&](std::uint32_t index) {
      if (refusals_[i].empty() && !faults[index].empty()) refusals_[i] = joined({"tensor ", index, " ", faults[index]});
    };
    for (const std::uint32_t index : o.inputs) inputs.push_back(ids[index]), refuse_faulty(index);
    for (const std::uint32_t index : o.outputs) outputs.push_back(ids[index]), refuse_faulty(index);
    ir::node made;
    made.op = o.kind->op;
    made.label = o.kind->op->label;
    made.attrs = g.add_words(o.words);
    made.inputs = g.add_operands(inputs);
    made.outputs = g.add_operands(outputs);
    made.name = g.add_text(joined({i}));
    node_of_[i] = static_cast<std::int32_t>(g.nodes.size());
    g.nodes.push_back(made);
    if (refusals_[i].empty()) passes::infer_scale_axes(g, made);
  }
  for (std::size_t i = 0; i < refusals_.size(); ++i)  // as devices name an operation
    if (!refusals_[i].empty()) refusals_[i] = joined({operations_[i].kind->op->name, " \"", i, "\": ", refusals_[i]});
  for (const std::uint32_t index : inputs_) g.inputs.push_back(ids[index]);
  for (const std::uint32_t index : outputs_) g.outputs.push_back({ids[index], g.add_text(joined({"Tensor: ", index}))});
}

}}}  // namespace nnrt::NNRT_ISA::c_api
