// tflite_fuzz: any bytes as a .tflite file. What parse() accepts must pass the checks of compile(), and small networks
// must run.
#include <nnrt/tflite.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Bytes of all values; more than `most` counts as most + 1.
std::int64_t bytes_of(const nnrt::ir::graph& g, std::int64_t most) {
  std::int64_t sum = 0;
  for (const nnrt::ir::value& v : g.values) {
    const std::int64_t bytes = v.desc.bytes();
    if (bytes < 0 || bytes > most - sum) return most + 1;
    sum += bytes;
  }
  return sum;
}

/// Whether it is over in a moment: references step through windows pixel by pixel, however large these are.
bool is_small(const nnrt::ir::graph& g) {
  constexpr std::int64_t most = 1 << 16;
  if (g.values.size() > 200 || bytes_of(g, most) > most) return false;
  for (const nnrt::word w : g.words)
    if (w > most || w < -most) return false;
  for (const nnrt::ir::node& n : g.nodes) {
    const nnrt::ir::operand_list in(g, g.inputs_of(n));
    nnrt::pool<nnrt::tensor_desc> out;
    for (const std::int32_t id : g.outputs_of(n)) out.push_back(g.at(id).desc);
    if (n.op->macs(g.attrs_of(n), in.operands, out) > most * 16) return false;
  }
  return true;
}

void run(const nnrt::model& network) {
  const auto compiled = nnrt::compile(network);
  if (!compiled) return require(!compiled.error().message().empty());
  nnrt::session session(*compiled);
  const auto done = session.run();
  require(done || !done.error().message().empty());
}

}  // namespace

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
