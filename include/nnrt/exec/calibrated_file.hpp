// calibrated_file: calibrated networks of static graphs in files, so that devices need no samples.
// Flow: save_calibrated() writes the result of calibrate(); load_calibrated() reads it for create() of an executor.
#pragma once

#include <nnrt/exec/accelerated.hpp>
#include <nnrt/io/saved_model.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// Writes a calibrated network as a saved model, which the nnrt command and hbDNN's functions also read. `name` is the
/// network's name in the file; if empty, it is the file's name without extension. The layer reports
/// (calibrated_model::layers) are not saved. Errors: those of save_models().
template <class G, class Policy>
[[gnu::cold]] result<void> save_calibrated(std::string_view path, const calibrated<G, Policy>& network,
                                           std::string_view name = {}) {
  const saved_model all[] = {{.network = network.network,
                              .name = name.empty() ? detail::stem_of(path) : std::string(name),
                              .architecture = std::string(Policy::table.name),
                              .places = network.places,
                              .inputs = network.inputs,
                              .made_by = {}}};
  return save_models(path, all);
}

namespace detail {

/// The inputs and outputs of a graph, as check_ends() reads them.
struct ends_of_graph {
  const ir::graph& g;
  std::size_t input_count() const { return g.inputs.size(); }
  std::size_t output_count() const { return g.outputs.size(); }
  const tensor_desc& input_desc(std::size_t i) const { return g.at(g.inputs[i]).desc; }
  const tensor_desc& output_desc(std::size_t i) const { return g.at(g.outputs[i].value).desc; }
};

/// The only network of a file; it must be for this architecture.
[[gnu::cold]] inline result<saved_model> only_one_for(std::string_view architecture, std::vector<saved_model> all) {
  if (all.size() != 1)
    return fail(error_code::invalid_argument, {"got a file of ", all.size(), " networks, expected 1"});
  saved_model& made = all.front();
  if (made.architecture != architecture)
    return fail(
        error_code::invalid_argument,
        {"network ", piece::in_quotes(made.name), " was compiled for ",
         made.is_compiled() ? std::string_view(made.architecture) : "no accelerator", ", expected ", architecture});
  return std::move(made);
}

}  // namespace detail

/// Reads a network that save_calibrated() or the nnrt command wrote for the same graph. Weights are read from the
/// mapped file, which remains mapped while the network or anything made from it exists.
/// Errors, which begin with the path: those of load_models(); invalid_argument (several networks in the file, another
/// architecture, or inputs or outputs that differ from G's).
template <class G, class Policy> [[gnu::cold]] result<calibrated<G, Policy>> load_calibrated(std::string_view path) {
  auto all = load_models(path);
  if (!all) return fail(std::move(all.error()));
  auto only = detail::only_one_for(Policy::table.name, std::move(*all));
  if (!only) return fail(std::move(only.error()).in(path));
  if (auto ok = detail::check_ends<G>(detail::ends_of_graph{only->network.graph}); !ok)
    return fail(std::move(ok.error()).in(path));
  calibrated<G, Policy> made;
  made.network = std::move(only->network), made.inputs = std::move(only->inputs), made.places = std::move(only->places);
  return made;
}

}}  // namespace nnrt::NNRT_ISA
