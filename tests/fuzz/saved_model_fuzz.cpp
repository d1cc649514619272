// saved_model_fuzz: any bytes as a saved model, with the header's digest made anew. What load_models() accepts must
// pass the checks of compile(), come back from a file, and small networks must run.
#include "small_network.hpp"

#include "support/same_graph.hpp"
#include "support/signed_model.hpp"

#include <nnrt/dynamic.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

using namespace nnrt_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto as_it_is = std::as_bytes(std::span(bytes, size));
  nnrt::byte_list file(as_it_is.begin(), as_it_is.end());
  nnrt_test::sign(file);
  const auto loaded = nnrt::load_models(std::span<const std::byte>(file));
  if (!loaded) {
    require(!loaded.error().message().empty());
    return 0;
  }
  const auto again = nnrt::models_to_bytes(*loaded);
  if (!again) {  // "a/b" may be two tensors' name, with the prefixes "a" and "a/b"
    require(!again.error().message().empty() && loaded->size() > 1);
    return 0;
  }
  const auto same = nnrt::load_models(std::span<const std::byte>(*again));
  require(same && same->size() == loaded->size());
  for (std::size_t i = 0; i < loaded->size(); ++i) {
    const nnrt::saved_model& one = (*loaded)[i];
    require(nnrt_test::difference_of(one.network.graph, (*same)[i].network.graph).empty());
    require(nnrt::check_graph(one.network.graph).has_value());
    if (is_small(one.network.graph)) run(one.network);
  }
  return 0;
}
