// weights_builder: makes weights from tensors in a file of another format, in memory, or computed.
// Flow: readers of models add a tensor for each weight of the graph that they build; the model keeps the weights.
#pragma once

#include <nnrt/io/weights.hpp>

#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// Builds weights tensor by tensor. Only names are copied. The weights keep the file mapped and own the allocated
/// memory.
class weights_builder {
 public:
  /// Keeps this file mapped, so that tensors may point into it. A second call replaces the file and unmaps the first.
  void keep(mapped_file file) { state_.file = std::move(file); }
  /// Keeps these weights alive, so that tensors may point into their memory. A second call replaces them.
  void keep(const weights& others) { state_.others = others.state_; }
  /// Sets the axis order of the tensors.
  void order(layout of_axes) { state_.order = of_axes; }
  /// Allocates zeroed memory, aligned to 64 bytes, that lives as long as the weights.
  std::span<std::byte> allocate(std::size_t bytes) { return {state_.memory.allocate(bytes), bytes}; }
  /// Adds a tensor. Its bytes are in the kept file, in allocated memory, or in memory that outlives the weights.
  void add(std::string_view name, dtype type, const shape_t& shape, std::span<const std::byte> bytes) {
    names_.push_back(name.size());
    state_.found.keep(name);
    state_.found.tensors.push_back({{}, type, shape, bytes});
  }
  /// Makes the weights. Errors: invalid_argument (a repeated name); the message has the name.
  [[gnu::cold]] result<weights> finish() && {
    std::size_t first = 0;  // `text` grows no more, so views of it are valid from here on
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
