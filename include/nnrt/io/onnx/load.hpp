// load: loads an .onnx file as a model.
// Flow: read.hpp makes the graph, weights refer to the file's bytes; compile() takes the model.
#pragma once

#include <nnrt/io/model.hpp>
#include <nnrt/io/onnx/read.hpp>
#include <nnrt/io/weights_at.hpp>
#include <nnrt/ops/registry.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// Loads an ONNX file (opsets 7 to 26; older ones where an operator's meaning is known). Weights are read from the
/// mapped file, which is unmapped with the last model or program made from it; those at odd addresses are copied.
///
///   auto model = nnrt::onnx::load("yunet.onnx", {.shapes = {{"input", {1, 3, 96, 128}}}});
///
/// Inputs and outputs have the file's names, shapes and element types: images are [N, C, H, W]. Initializers that are
/// listed among the inputs are constants. Shapes that the file computes (Shape, Gather, Concat, …) are computed while
/// it is read, as far as the inputs' extents are known; what depends on unknown ones follows in session::resize().
/// Functions of the file are inlined, If with a known condition is one branch, Loop and Scan with a known count are
/// unrolled.
///
/// NonMaxSuppression has as many rows as there may be, unless its operands are constants. Rows after the selected ones
/// are 0. If such rows, or what lookups and operators on elements make of them, are an output of the network, a further
/// output "<output>_count" (i32) has the number of valid rows. Other nodes that read them are refused.
///
/// Errors name every node that is refused, with its operator, version and reason: not_found and io_failed;
/// invalid_argument (options that do not fit the file); invalid_file (not an ONNX model, or an inconsistent one);
/// not_supported (unknown operators, versions, element types and attributes); rule_broken (operands that break a rule
/// of nnrt's operators).
[[gnu::cold]] inline result<model> load(std::string_view path, const load_options& wanted = {});
/// Loads a file from memory, for example an embedded one. The bytes must outlive the model and the programs made from
/// it. Errors as load(); not_supported (external data, which needs the file's folder).
[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted = {});

// --- details ---------------------------------------------------------------
namespace detail {

/// Maps the file of external data of a place, copies its bytes, and adds the weight. The location is relative to the
/// model's folder and must not leave it.
[[gnu::cold]] inline result<void> add_external(const weight_place& place, const ir::graph& g, std::string_view location,
                                               std::string_view folder, weights_builder& to) {
  const ir::value& weight = g.at(place.value);
  const std::string_view name = g.name_of(weight.name);
  const auto refusal = [&](error_code code, pieces why) -> result<void> {
    pool<char> text =
        letters({"tensor ", piece::in_quotes(name), ": external data ", piece::in_quotes(location), ": "});
    append(text, why);
    return fail(code, text);
  };
  bool leaves = location.empty() || location[0] == '/' || location.find('\\') != std::string_view::npos;
  for (std::size_t at = 0; at <= location.size();) {
    const std::size_t end = std::min(location.find('/', at), location.size());
    leaves = leaves || location.substr(at, end - at) == "..";
    at = end + 1;
  }
  if (leaves || location.find('\0') != std::string_view::npos)
    return refusal(error_code::invalid_file, {"leaves the model's folder"});
  std::string path(folder);
  path += location;
  const auto file = mapped_file::open(path);
  if (!file) return refusal(file.error().code(), {file.error().letters()});
  const auto bytes = file->bytes();
  if (place.first > bytes.size() || place.size > bytes.size() - place.first)
    return refusal(error_code::invalid_file,
                   {"got ", bytes.size(), " bytes, expected ", place.size, " from ", place.first, " on"});
  const std::span<std::byte> kept = to.allocate(place.size);
  std::memcpy(kept.data(), bytes.data() + place.first, place.size);
  if (weight.desc.type == boolean) make_booleans(kept);
  to.add(name, weight.desc.type, weight.desc.shape, kept);
  return {};
}

/// Reads a file and binds its weights. `weights` keeps the file's memory. `folder` has external data, or is null.
[[gnu::cold]] inline result<model> model_of(std::span<const std::byte> bytes, weights_builder weights,
                                            const load_options& wanted, const std::string_view* folder) {
  auto network = read(
      letters_of(bytes), [](op_code code) { return ops::find(code); }, wanted);
  if (!network) return fail(std::move(network.error()));
  pool<weight_place> inside;
  for (const weight_place& place : network->weights) {
    if (place.file == 0) {
      inside.push_back(place);
      continue;
    }
    const byte_range& name = network->file_names[static_cast<std::size_t>(place.file) - 1];
    if (folder == nullptr)
      return fail(error_code::not_supported, "weights in other files (external data): load the file by its path");
    if (auto ok = add_external(place, network->graph, letters_of(bytes).substr(name.at, name.size), *folder, weights);
        !ok)
      return fail(std::move(ok.error()));
  }
  add_weights_at(inside, network->graph, letters_of(bytes), weights);
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
  const std::size_t slash = path.rfind('/');
  const std::string_view folder = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1);
  auto made = detail::model_of(bytes, std::move(weights), wanted, &folder);
  if (!made) return fail(std::move(made.error()).in(path));
  return made;
}

[[gnu::cold]] inline result<model> parse(std::span<const std::byte> file, const load_options& wanted) {
  return detail::model_of(file, {}, wanted, nullptr);
}

}}}  // namespace nnrt::NNRT_ISA::onnx
