// weights_at: makes the weights of a graph that was read from a file.
// Flow: loaders of model files and networks read at compile time call it once, before executors prepare their kernels.
#pragma once

#include <nnrt/io/weight_place.hpp>
#include <nnrt/io/weights_builder.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Adds the tensor of each place under its name in the graph. Tensors that already have the graph's desc are not
/// copied, if their address is a multiple of the element size: the file's bytes must outlive the weights. Others are
/// converted into memory that the builder allocates.
[[gnu::cold]] inline void add_weights_at(array_ref<const weight_place> places, const ir::graph& g,
                                         std::string_view file, weights_builder& to) {
  for (const weight_place& place : places) {
    const ir::value& weight = g.at(place.value);
    std::span<const std::byte> bytes = bytes_of(file.substr(place.first, place.size));
    // numbers of some formats have any address
    const bool is_aligned =
        reinterpret_cast<std::uintptr_t>(bytes.data()) % static_cast<std::size_t>(size_of(place.stored.type)) == 0;
    if (!place.needs_no_conversion() || !is_aligned) {
      const std::span<std::byte> converted = to.allocate(static_cast<std::size_t>(weight.desc.bytes()));
      convert_elements(file_view(file), place, converted.data());
      bytes = converted;
    }
    to.add(g.name_of(weight.name), weight.desc.type, weight.desc.shape, bytes);
  }
}

}}  // namespace nnrt::NNRT_ISA
