// load: loads a .tflite file as a model.
// Flow: read.hpp makes the graph, weights refer to the file's bytes; compile() takes the model.
#pragma once

#include <nnrt/io/model.hpp>
#include <nnrt/io/tflite/read.hpp>
#include <nnrt/io/weights_at.hpp>
#include <nnrt/ops/registry.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// Loads a TensorFlow Lite or Circle file. Weights are read from the mapped file, which is unmapped with the last model
/// or program made from it. Weights are converted where the graph needs others: depthwise filters, quantised weights of
/// a float network, sparse constants.
///
/// It reads one subgraph with the builtin operators in operators.hpp, float or quantised: the first subgraph, or the
/// one of a signature. Subgraphs that it calls are inlined; variables become states. Inputs and outputs have the names
/// of their tensors or of the signature. Repeated names are numbered in file order: x, x_1, x_2.
///
/// Results are the ones of nnrt's operators where TensorFlow Lite 2.14 depends on the order of operands (NaN) or is
/// undefined (floats far out of range, the lowest integers). A fused TANH is always computed; TensorFlow Lite ignores
/// it in ADD, SUB, MUL, DIV, convolutions and pools.
///
/// Errors name the file, operator and tensor, and the expected and actual values: not_found and io_failed;
/// invalid_argument (no such signature); invalid_file (not a .tflite file, or an inconsistent one); not_supported
/// (unknown operators, versions, types, options and fields of tables); rule_broken (operands that break a rule of
/// nnrt's operators).
[[gnu::cold]] inline result<model> load(std::string_view path, const load_options& wanted = {});
/// Loads a file from memory, for example an embedded one. The bytes must outlive the model and the programs made from
/// it. Bytes that are not aligned to 16 are copied. Errors as load().
[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted = {});

// --- details ---------------------------------------------------------------
namespace detail {

/// Reads a file and binds its weights. `weights` keeps the file's memory.
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
