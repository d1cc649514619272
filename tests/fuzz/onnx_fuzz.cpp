// onnx_fuzz: any bytes as an .onnx file. What parse() accepts must pass the checks of compile() and come back from a
// saved model, and small networks must give the same however they run.
#include "oracle.hpp"

#include "support/same_graph.hpp"

#include <nnrt/dynamic.hpp>
#include <nnrt/onnx.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

using namespace nnrt_fuzz;

namespace {

/// What was accepted is the same when it is saved and loaded; a name may be one that no saved model can have.
void check_saved(const nnrt::model& network) {
  nnrt::saved_model one;
  one.network = network;
  const auto saved = nnrt::models_to_bytes(std::span(&one, 1));
  if (!saved) return require(!saved.error().message().empty());
  const auto again = nnrt::load_models(std::span<const std::byte>(*saved));
  require(again && again->size() == 1);
  require(nnrt_test::difference_of(network.graph, (*again)[0].network.graph).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto file = std::as_bytes(std::span(bytes, size));
  const auto loaded = nnrt::onnx::parse(file);
  if (!loaded) {
    require(!loaded.error().message().empty());
    return 0;
  }
  if (loaded->graph.outputs.empty()) return 0;
  const auto checked = nnrt::check_graph(loaded->graph);
  constexpr std::int64_t max_bytes = std::int64_t{1} << 60;
  require(checked || bytes_of(loaded->graph, max_bytes) > max_bytes);
  if (!is_small(loaded->graph)) return 0;
  check_saved(*loaded);
  check_results(*loaded, size % 4 == 0);
  return 0;
}
