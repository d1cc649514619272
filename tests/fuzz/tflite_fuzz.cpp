// tflite_fuzz: any bytes as a .tflite file. What parse() accepts must pass the checks of compile(), and small networks
// must run.
#include "small_network.hpp"

#include <nnrt/tflite.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

using namespace nnrt_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto file = std::as_bytes(std::span(bytes, size));
  const auto unknown = nnrt::tflite::parse(file, {.unknown_extents = true});
  require(unknown || !unknown.error().message().empty());
  const auto loaded = nnrt::tflite::parse(file);
  if (!loaded) {
    require(!loaded.error().message().empty());
    return 0;
  }
  if (loaded->graph.outputs.empty()) return 0;
  const auto checked = nnrt::check_graph(loaded->graph);
  constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
  require(checked || bytes_of(loaded->graph, most_bytes) > most_bytes);
  if (is_small(loaded->graph)) run(*loaded);
  return 0;
}
