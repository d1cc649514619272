// quantised_weights: weights with a scale for each channel in another order of axes, at their places in the file.
// Flow: read.hpp gives it to the pass that joins DequantizeLinear, operators and QuantizeLinear.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/io/weight_place.hpp>
#include <nnrt/passes/quantised_pairs.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx { namespace detail {

/// Makes further weights of those of a file. Elements are put in order when the weights are bound.
struct moved_weights {
  pool<weight_place>& places;
  std::int32_t& weights_made;

  /// passes::weight_mover::move. `order` exchanges two groups of axes next to each other, of which the second is last;
  /// empty: the elements stay.
  static constexpr std::int32_t move(void* context, ir::graph& g, std::int32_t weight, const tensor_desc& to,
                                     array_ref<const std::int64_t> order) {
    moved_weights& all = *static_cast<moved_weights*>(context);
    for (const weight_place& of : all.places) {
      if (of.value != weight) continue;
      weight_place made = of;
      if (!set_order(made, g.at(weight).desc.shape, order)) return ir::none;
      if (of.file != 0 && made.rows != 0) return ir::none;  // external data is bound as it is
      pool<char> name = letters({g.name_of(g.at(weight).name), "#", all.weights_made});
      ++all.weights_made;
      made.value = g.add_value({to, ir::kind::weight, g.add_text(letters_of(name)), 0, ir::none});
      all.places.push_back(made);
      return made.value;
    }
    return ir::none;
  }

 private:
  static constexpr bool set_order(weight_place& place, const shape_t& shape, array_ref<const std::int64_t> order) {
    std::size_t first = 0, last = order.size();  // axes from `first` on are exchanged
    while (first < last && order[first] == static_cast<std::int64_t>(first)) ++first;
    if (first == last) return true;
    if (place.rows != 0) return false;
    const auto begun = static_cast<std::size_t>(order[first]);  // of the second group
    std::size_t rows = 1, columns = 1;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t axis =
          i < last - (begun - first) ? begun + (i - first) : first + (i - (last - (begun - first)));
      if (order[i] != static_cast<std::int64_t>(axis)) return false;
      std::size_t& extent = axis < begun ? rows : columns;
      extent *= static_cast<std::size_t>(shape[static_cast<int>(axis)]);
    }
    place.rows = rows, place.columns = columns;
    return true;
  }
};

}}}}  // namespace nnrt::NNRT_ISA::onnx::detail
