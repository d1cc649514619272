// weights_builder: weights of tensors that lie in a file of another format, in memory, or are computed.
// Flow: readers of models add a tensor for each weight of the graph that they build; the model keeps them.
#pragma once

#include <nnrt/io/weights.hpp>

#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// Puts weights together, tensor by tensor. Nothing is copied but names: the weights keep the file mapped and the
/// memory that they allocated.
class weights_builder {
 public:
  /// From now on tensors may lie in this file, the only one: another call unmaps it.
  void keep(mapped_file file) { state_.file = std::move(file); }
  /// From now on tensors may lie in the memory of these weights, and of no others given before.
  void keep(const weights& others) { state_.others = others.state_; }
  /// The order of axes that the tensors have.
  void order(layout of_axes) { state_.order = of_axes; }
  /// Zeroed memory, aligned to 64 bytes, that lives as long as the weights.
  std::span<std::byte> allocate(std::size_t bytes) { return {state_.memory.allocate(bytes), bytes}; }
  /// A tensor whose bytes lie in the file, in allocated memory, or in memory that outlives the weights.
  void add(std::string_view name, dtype type, const shape_t& shape, std::span<const std::byte> bytes) {
    names_.push_back(name.size());
    state_.found.keep(name);
    state_.found.tensors.push_back({{}, type, shape, bytes});
  }
  /// The weights. Errors: invalid_argument (a name that occurs twice); the message has the name.
  [[gnu::cold]] result<weights> finish() && {
    std::size_t first = 0;  // only now do the letters stay where they are
    for (std::size_t i = 0; i < names_.size(); first += names_[i++])
      state_.found.tensors[i].name = {state_.found.text.data() + first, names_[i]};
    if (const tensor_entry* twice = safetensors::detail::sort_by_name(state_.found.tensors))
      return fail(error_code::invalid_argument, {"two weights are called ", quoted(twice->name)});
    return weights(std::move(state_));
  }

 private:
  weights::state state_;
  std::vector<std::size_t> names_;  // lengths
};

}}  // namespace nnrt::NNRT_ISA
