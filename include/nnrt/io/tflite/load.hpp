// load: a .tflite file as a model.
// Flow: read.hpp makes the graph; weights stay in the file; compile() takes the model.
#pragma once

#include <nnrt/io/model.hpp>
#include <nnrt/io/tflite/read.hpp>
#include <nnrt/io/weights_at.hpp>
#include <nnrt/ops/registry.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Reads a TensorFlow Lite file, or a Circle file. Weights stay in the file, which is mapped as long as the model or a
/// program made of it lives; what the file keeps in another form (depthwise filters, quantised weights of a float
/// network, sparse constants) is converted.
///
/// Read is one subgraph of the builtin operators in operators.hpp, float or quantised: the first, or that of a
/// signature. Subgraphs that it calls become a part of it, and variables are states. Inputs and outputs have the names
/// of their tensors, or those of the signature; where several are called x, or a tensor is an output twice, they are x,
/// x_1, x_2 in the file's order.
///
/// Where TensorFlow Lite 2.14 leaves NaN to the order of operands, or far floats and the lowest integers undefined,
/// results are those of our operators; a fused TANH is computed everywhere, which it ignores in ADD, SUB, MUL, DIV,
/// convolutions and pools.
///
/// Errors, which name the file, operator and tensor, what was got and what was expected: not_found and io_failed;
/// invalid_argument (no such signature); invalid_file (not a .tflite file, or one that contradicts itself);
/// not_supported (operators, their versions, types, options and fields of tables that nothing here computes or knows);
/// rule_broken (operators whose operands break a rule of ours).
[[gnu::cold]] inline result<model> load(std::string_view path, const load_options& wanted = {});
/// Reads such a file in memory, for example an embedded one. Its bytes must outlive the model and the programs made of
/// it; bytes that do not begin at a multiple of 16 are copied. Errors as those of load.
[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted = {});

// --- details ---------------------------------------------------------------
namespace detail {

/// The network of a file with its weights. `weights` keeps the file.
[[gnu::cold]] inline result<model> model_of(std::span<const std::byte> bytes, weights_builder weights,
                                            const load_options& wanted) {
  auto network = read(
      letters_of(bytes), [](op_code code) { return ops::find(code); }, wanted);
  if (!network) return fail(std::move(network.error()));
  add_weights_at(network->weights, network->graph, letters_of(bytes), weights);
  auto kept = std::move(weights).finish();
  if (!kept) return fail(std::move(kept.error()));
  return model{std::move(network->graph), *kept};
}

}  // namespace detail

[[gnu::cold]] inline result<model> load(std::string_view path, const load_options& wanted) {
  auto file = mapped_file::open(path);
  if (!file) return fail(std::move(file.error()));
  const std::span<const std::byte> bytes = file->bytes();
  weights_builder weights;
  weights.keep(std::move(*file));
  auto made = detail::model_of(bytes, std::move(weights), wanted);
  if (!made) return fail(std::move(made.error()).in(path));
  return made;
}

[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted) {
  weights_builder weights;
  if (reinterpret_cast<std::uintptr_t>(file.data()) % 16 != 0) {
    const std::span<std::byte> copy = weights.allocate(file.size());
    std::memcpy(copy.data(), file.data(), file.size());
    file = copy;
  }
  return detail::model_of(file, std::move(weights), wanted);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
