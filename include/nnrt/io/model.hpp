// model: a run-time network before compilation, that is a graph and its weights.
// Flow: file readers and `to_model<graph<f>>()` make it; compile() checks it and makes a program.
#pragma once

// Included first: all units of a program must find the same kernels for an operator.
#include <nnrt/kernels/select.hpp>

#include <nnrt/core/result.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/ir/graph.hpp>

#include <span>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// A graph with its weights. Plain data: readers fill it, users may inspect and change it. compile() checks everything.
struct model {
  ir::graph graph;
  nnrt::weights weights;

  // These three are defined in io/saved_model.hpp, which dynamic.hpp includes.

  /// Writes the network as a safetensors file with the graph in its metadata. Errors as save_models().
  inline result<void> save(std::string_view path) const;
  /// Loads the only network of a file. The first function maps the file; the second copies its bytes from memory.
  /// Errors as load_models(); invalid_argument (a file with several networks).
  static inline result<model> load(std::string_view path);
  static inline result<model> load(std::span<const std::byte> file);
};

/// The per-channel scales of a value. Empty when it has none, or when the weights do not contain them.
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

/// Makes a model from a static graph, for compile(), saving and tools. `file` has the weights that it names; compile()
/// binds them. The operators support only the dtypes of the static network. If you change the dtypes of the model's
/// values, also set its nodes to `dynamic_operator<Op>` or `ops::find(code)`. (Doing so here would compile every
/// operator for every dtype into each program.)
template <class G> result<model> to_model(const weights& file = {}) { return model{G::ir(), file}; }

}}  // namespace nnrt::NNRT_ISA
