// weights_at: the weights of a graph that was read from a file, out of that file's bytes.
// Flow: loaders of model files and networks that the compiler read call it once, before executors prepare their
// kernels.
#pragma once

#include <nnrt/io/weight_place.hpp>
#include <nnrt/io/weights_builder.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Adds the tensor of each place under the name that the graph has for it. Tensors in the graph's form stay in the
/// file, whose bytes must outlive the weights; others are converted into memory of the builder.
[[gnu::cold]] inline void add_weights_at(array_ref<const weight_place> places, const ir::graph& g,
                                         std::string_view file, weights_builder& to) {
  for (const weight_place& place : places) {
    const ir::value& weight = g.at(place.value);
    std::span<const std::byte> bytes = bytes_of(file.substr(place.first, place.size));
    if (!place.is_in_form()) {
      const std::span<std::byte> converted = to.allocate(static_cast<std::size_t>(weight.desc.bytes()));
      convert_elements(file_view(file), place, converted.data());
      bytes = converted;
    }
    to.add(g.name_of(weight.name), weight.desc.type, weight.desc.shape, bytes);
  }
}

}}  // namespace nnrt::NNRT_ISA
