// model: a network at run time, before it is compiled - a graph and the weights that it names.
// Flow: readers and to_model<graph<f>>() make it, compile() checks it and turns it into a program.
#pragma once

// First: operators must find their kernels wherever they are named, and alike in all units of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/result.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/ir/graph.hpp>

#include <span>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// A graph with its weights. Plain data: readers fill it, users may look at it and change it; compile() checks
/// everything.
struct model {
  ir::graph graph;
  nnrt::weights weights;

  // These three are defined in io/saved_model.hpp, which dynamic.hpp includes.

  /// Writes the network as a safetensors file whose metadata have the graph. Errors as save_models().
  inline result<void> save(std::string_view path) const;
  /// The network of such a file, which stays mapped, or of its bytes in memory, of which a copy is kept. Errors as
  /// load_models(); invalid_argument (a file with several networks).
  static inline result<model> load(std::string_view path);
  static inline result<model> load(std::span<const std::byte> file);
};

/// The scales of a value that has one for each channel; empty where it has not, or where nobody has them.
[[gnu::cold]] inline std::span<const float> channel_scales(const model& of, std::int32_t id) {
  const ir::graph& g = of.graph;
  if (g.at(id).scales == ir::none) return {};
  const ir::value& scales = g.at(g.at(id).scales);
  if (scales.is == ir::kind::constant)
    return {reinterpret_cast<const float*>(g.bytes.data() + scales.first_byte),
            static_cast<std::size_t>(scales.desc.elements())};
  const tensor_entry* const found = of.weights.find(g.name_of(scales.name));
  if (found == nullptr || found->type != f32) return {};
  return {reinterpret_cast<const float*>(found->bytes.data()), found->bytes.size() / sizeof(float)};
}

/// The network of a static graph as a model, for compile(), saving and tools. `file` has the weights that it names;
/// compile() binds them. Its operators compute on the dtypes that the network gave them: who changes the dtypes of the
/// model's values also puts dynamic_operator<Op>, or what ops::find(code) finds, into its nodes. (Doing so here would
/// compile every operator for every dtype into each program.)
template <class G> result<model> to_model(const weights& file = {}) { return model{G::ir(), file}; }

}}  // namespace nnrt::NNRT_ISA
