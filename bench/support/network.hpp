// network: a network with weights and inputs of plausible size, and what its references make of them.
// Flow: measured.hpp checks an executor against it before it times it; profile.cpp takes its weights.
#pragma once

#include <nnrt/io/make_weights.hpp>
#include <nnrt/nnrt.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bench {

/// Ends the program when a result is none.
template <class T> T value_of(nnrt::result<T> made) {
  if (made) return std::move(*made);
  std::fprintf(stderr, "%s\n", made.error().message().c_str());
  std::exit(1);
}

/// Numbers that follow from the name, spread so that results keep their size from layer to layer: weights by the number
/// of inputs, factors and variances of normalisation around 1, everything else within 1.
inline std::vector<float> numbers_for(const nnrt::tensor_info& info) {
  const bool is_factor = info.name.ends_with("running_var") || (info.name.ends_with("weight") && info.desc.rank() == 1);
  const double inputs = info.desc.rank() < 2 ? 1.0 : static_cast<double>(info.desc.elements() / info.desc.shape[0]);
  const bool is_weight = info.name.ends_with("weight") && info.desc.rank() > 1;
  const double width = is_weight ? std::sqrt(6.0 / inputs) : is_factor ? 0.5 : 1.0, middle = is_factor ? 1.0 : 0.0;
  std::uint32_t state = 12345;
  for (const char letter : info.name) state = (state ^ static_cast<unsigned char>(letter)) * 16777619U;
  std::vector<float> numbers(static_cast<std::size_t>(info.desc.elements()));
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = static_cast<float>(middle + width * (static_cast<double>(state >> 8U) * 0x1p-23 - 1.0));
  }
  return numbers;
}

/// A tensor of such numbers that begins with a cache line. Where vectors of an input straddle lines, as in most vectors of
/// C++, kernels that read it only once or twice lose up to a third of their speed: that would measure the allocator.
/// Stored numbers take all of their range, sums of 32 bits some thousands, whatever the name.
class filled_tensor {
 public:
  explicit filled_tensor(const nnrt::tensor_info& info)
      : bytes_(static_cast<std::size_t>(info.desc.bytes())), lines_(bytes_ / 64 + 1) {
    nnrt::with_element<nnrt::types_of(nnrt::f32, nnrt::i8, nnrt::i32)>(info.desc.type, [&]<class T>(T) {
      auto* to = reinterpret_cast<T*>(lines_.front().of);
      const std::vector<float> numbers = numbers_for(info);
      const float largest = std::abs(*std::max_element(
          numbers.begin(), numbers.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
      const float factor = sizeof(T) == 1 ? 127 / largest : 3000 / largest;
      for (const float number : numbers)
        *to++ = static_cast<T>(std::is_same_v<T, float> ? number : std::round(number * factor));
    });
  }
  template <class T> std::span<const T> as() const {
    return {reinterpret_cast<const T*>(lines_.front().of), bytes_ / sizeof(T)};
  }

 private:
  struct alignas(64) line {
    std::byte of[64];
  };
  std::size_t bytes_;
  std::vector<line> lines_;
};

/// Network G, whose inputs and outputs are all f32 or all i8, with its weights, inputs and right answers, made once.
template <class G> class network {
 public:
  static constexpr nnrt::dtype type = G::inputs[0].desc.type;
  using element = nnrt::element_t<type>;

  static const network& get() {
    static const network only;
    return only;
  }

  const nnrt::weights& weights() const { return weights_; }
  std::span<const element> input(std::size_t i) const { return inputs_[i].template as<element>(); }

  /// Runs an executor on the inputs.
  template <class Executor> auto run(Executor& executor) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return executor(input(I)...); }
    (std::make_index_sequence<G::inputs.size()>{});
  }
  /// The largest difference from the references over the largest number of the first output; NaN counts as one.
  double error_of(std::span<const element> output) const {
    double worst = 0, largest = 1e-30;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const double difference = std::abs(static_cast<double>(output[i]) - static_cast<double>(expected_[i]));
      worst = std::max(worst, std::isfinite(difference) ? difference : 1e30);
      largest = std::max(largest, std::abs(static_cast<double>(expected_[i])));
    }
    return worst / largest;
  }

  /// Bytes that one inference cannot do without reading or writing: inputs, weights, outputs.
  static constexpr std::size_t bytes() {
    std::int64_t all = 0;
    for (const auto& list :
         {std::span<const nnrt::tensor_info>(G::inputs), std::span<const nnrt::tensor_info>(G::weights),
          std::span<const nnrt::tensor_info>(G::outputs)})
      for (const nnrt::tensor_info& info : list) all += info.desc.bytes();
    return static_cast<std::size_t>(all);
  }

 private:
  network() {
    std::vector<filled_tensor> numbers;
    std::vector<nnrt::tensor_entry> entries;
    for (const nnrt::tensor_info& info : G::weights) numbers.emplace_back(info);
    for (std::size_t i = 0; i < G::weights.size(); ++i)
      entries.push_back(
          {G::weights[i].name, G::weights[i].desc.type, G::weights[i].desc.shape, numbers[i].as<std::byte>()});
    weights_ = value_of(nnrt::make_weights(entries));
    for (const nnrt::tensor_info& info : G::inputs) inputs_.emplace_back(info);
    compute_expected();
  }

  void compute_expected() {
    nnrt::detail::evaluation e(G::ir());
    const auto put = [&](std::int32_t id, const void* from) {
      const nnrt::typed_buffer& to = e.buffers[static_cast<std::size_t>(id)];
      std::memcpy(to.data().raw(), from, static_cast<std::size_t>(e.g.at(id).desc.bytes()));
    };
    for (std::size_t i = 0; i < inputs_.size(); ++i) put(e.g.inputs[i], input(i).data());
    for (std::size_t id = 0; id < e.g.values.size(); ++id)
      if (e.g.values[id].is == nnrt::ir::kind::weight)
        put(static_cast<std::int32_t>(id),
            weights_.find(e.g.name_of(e.g.values[id].name))->bytes.data());
    e.run();
    const auto out = e.buffers[static_cast<std::size_t>(e.g.outputs[0].value)].template as<element>();
    expected_.assign(out.begin(), out.end());
  }

  nnrt::weights weights_;
  std::vector<filled_tensor> inputs_;
  std::vector<element> expected_;
};

}  // namespace bench
