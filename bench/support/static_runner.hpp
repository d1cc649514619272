// static_runner: registers a workload, whose network is a function of a builder, with nnrt's executor for it.
// Flow: CMake makes a source of each header in bench/workloads that includes both and calls registered_workload.
#pragma once

#include "support/lines.hpp"
#include "support/workload.hpp"

#include <nnrt/nnrt.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace bench {

template <class G> class static_runner final : public runner {
 public:
  static std::unique_ptr<runner> make(const nnrt::weights& file, int threads) {
    auto executor = nnrt::executor<G>::create(file, {.threads = threads});
    if (!executor) throw cannot_run(executor.error().message());
    return std::make_unique<static_runner>(std::move(*executor));
  }
  explicit static_runner(nnrt::executor<G> made) : executor_(std::move(made)) {
    for (std::size_t i = 0; i < G::inputs.size(); ++i)
      inputs_[i] = lines(static_cast<std::size_t>(G::inputs[i].desc.bytes()));
  }
  void set_input(std::size_t i, const std::byte* elements) override { inputs_[i].assign(elements); }
  void run() override { run_many(1); }
  void run_many(std::int64_t times) override {
    for (std::int64_t i = 0; i < times; ++i) {
      call(std::make_index_sequence<G::inputs.size()>{});
      asm volatile("" : : : "memory");  // results and inputs are anybody's: no run can be left out or joined
    }
  }
  void get_output(std::size_t i, std::byte* elements) override {
    copy_output(i, elements, std::make_index_sequence<G::outputs.size()>{});
  }

 private:
  template <std::size_t I> auto input() const {
    using type = nnrt::element_t<G::inputs[I].desc.type>;
    return std::span<const type, static_cast<std::size_t>(G::inputs[I].desc.elements())>(
        reinterpret_cast<const type*>(inputs_[I].data()), static_cast<std::size_t>(G::inputs[I].desc.elements()));
  }
  template <std::size_t... I> void call(std::index_sequence<I...>) { executor_(input<I>()...); }
  template <std::size_t... I> void copy_output(std::size_t wanted, std::byte* to, std::index_sequence<I...>) {
    const auto copy = [&](const auto& from) { std::memcpy(to, from.data(), from.size_bytes()); };
    if constexpr (sizeof...(I) == 1) copy(executor_.outputs());
    else ((I == wanted ? copy(std::get<I>(executor_.outputs())) : void()), ...);
  }

  nnrt::executor<G> executor_;
  std::array<lines, G::inputs.size()> inputs_;
};

template <auto Network> static_network planned_network() {
  using graph = nnrt::graph<Network>;
  return {[] { return graph::ir(); }, &static_runner<graph>::make, graph::is_micro};
}

/// A workload whose header says `group`, `name`, `network` and perhaps `network_of_bytes`.
struct registered_workload {
  registered_workload(const char* key, const char* group, const char* name, static_network floats,
                      static_network bytes = {}) {
    workloads().push_back({key, group, name, floats, bytes});
  }
};

}  // namespace bench
