// stored_weights_fuzz: stored weights of static networks with bytes changed in them, and digests that say that nothing
// was. What is restored must run, give the same on one thread and two, and the same as before where nothing was
// changed.
//
// Input: which network, then changes (changed_bytes.hpp).
// nightly: its seeds take a compiler longer than those of the readers
#include "changed_bytes.hpp"

#include "support/networks.hpp"

#include <nnrt/exec/stored_weights.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

using namespace nnrt_fuzz;
using namespace nnrt;

namespace {

/// A weight that is packed, and two that steps read as they lie in the file.
constexpr auto dense = [](builder& g) {
  auto x = g.input<f32, shape<2, 20>>("x");
  auto h = layers::full_connection<24>(x, "fc");
  g.output("y", h * g.weight<f32, shape<24>>("by") + g.weight<f32, shape<1>>("and"));
};
/// Filters of three kinds, each with its bias.
constexpr auto convolution = [](builder& g) {
  auto x = g.input<f32, shape<1, 6, 6, 3>>("x");
  auto h = layers::conv2d<8, 3, 3>(x, "conv", same, relu);
  g.output("y", layers::conv2d<4, 1, 1>(layers::depthwise_conv2d<3, 3>(h, "depthwise", same), "head"));
};

template <class G> std::optional<tensors> results_of(executor<G>& run) {
  const auto y = run.try_run(nnrt_test::input_for<G>());
  if (!y) return require(!y.error().message().empty()), std::nullopt;
  const auto bytes = std::as_bytes(std::span(y->data(), y->size()));
  return tensors{{bytes.begin(), bytes.end()}};
}

template <class G> const stored_original& original_of() {
  static const stored_original one = [] {
    auto run = executor<G>::create(nnrt_test::weights_for<G>());
    require(run.has_value());
    auto bytes = store_weights(*run);
    require(bytes.has_value());
    return stored_original{std::move(*bytes), results_of(*run)};
  }();
  return one;
}

template <class G> void check(std::span<const std::uint8_t> changes) {
  check_changed(
      original_of<G>(), changes,
      [](const shared_bytes& kept, const options& wanted, bool is_checked) {
        return restore_executor<executor<G>>(kept, wanted, is_checked);
      },
      [](const executor<G>& restored) { return store_weights(restored); }, results_of<G>);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::span changes(bytes + 1, size - 1);
  if (bytes[0] % 2 == 0) check<graph<dense>>(changes);
  else check<graph<convolution>>(changes);
  return 0;
}
