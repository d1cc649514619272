// hdi_fuzz: any bytes as a model of HDI's, with one file of shared memory. What read_model() accepts is
// in order, can be written again, and what was written is read as the same number of nodes.
#include <nnrt/hdi.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Memory of 4 KiB, the same for every input.
const nnrt::hal::shared_memory& constants() {
  static const nnrt::hal::shared_memory memory = *nnrt::hal::shared_memory::allocate(4096);
  return memory;
}

void read(const nnrt::hdi::Model& m, nnrt::hdi::version v) {
  const auto network = nnrt::hdi::read_model(m, v);
  if (!network) return require(!network.error().message().empty());
  require(nnrt::check_graph(network->graph).has_value());
  const auto again = nnrt::hdi::write_model(*network, {v});
  if (!again) return require(!again.error().message().empty());
  const auto back = nnrt::hdi::read_model(again->model, v);
  require(back && back->graph.nodes.size() == network->graph.nodes.size());
  for (std::size_t i = 0; i < back->graph.nodes.size(); ++i)
    require(back->graph.nodes[i].op == network->graph.nodes[i].op);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const int beside[] = {constants().fd()};
  nnrt::hdi::reader in({reinterpret_cast<const std::int8_t*>(bytes), size}, beside);
  nnrt::hdi::Model m;
  if (auto ok = nnrt::hdi::unmarshal(in, m); !ok) {
    require(!ok.error().message().empty());
    return 0;
  }
  nnrt::hdi::writer out;  // what was read is written in the same number of bytes, but for those that mean nothing
  nnrt::hdi::marshal(out, m);
  require(out.bytes.size() == in.next);
  for (const auto v : {nnrt::hdi::version::v1_0, nnrt::hdi::version::v2_1}) read(m, v);
  return 0;
}
