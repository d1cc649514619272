// profile: the time of each step of a network's plan, beside the machine's peak - where a network loses against its
// matrix products. Flow: bench/run.sh writes its JSON to build/bench/profile.json; bench/report.py makes the tables.
// Runs the plan step by step as executor does.
#include "networks/lenet.hpp"
#include "networks/mobilenet_v2.hpp"
#include "support/machine.hpp"
#include "support/network.hpp"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

/// Executes a plan one step at a time, on one thread.
template <class G> class stepper {
 public:
  static constexpr nnrt::plan_view plan = nnrt::plan_view::of(G::plan);

  explicit stepper(const bench::network<G>& with)
      : arena_(bench::value_of(nnrt::heap_block::allocate(plan.arena_bytes, "arena"))),
        bases_(plan.base_count()),
        views_(static_cast<std::size_t>(plan.most_operands)) {
    prepared_ =
        bench::value_of(nnrt::prepare(plan, nnrt::shared<nnrt::bound_weights>::make(bench::value_of(nnrt::bind_weights(with.weights(), G::weight_specs)))));
    prepared_.set_bases(plan, bases_);
    bases_[nnrt::in_arena] = arena_.data();
    for (std::size_t i = 0; i < plan.inputs.size(); ++i)
      bases_[nnrt::first_input + i] = reinterpret_cast<std::byte*>(const_cast<float*>(with.input(i).data()));
  }
  void run(const nnrt::step& s) {
    nnrt::run_step(plan, s, {.bases = bases_, .threads = nullptr, .further_scratch = nullptr, .views = views_});
  }
  std::span<const float> output() const {
    const nnrt::operand_slot& slot = plan.slot_of(plan.outputs[0]);
    return {reinterpret_cast<const float*>(bases_[static_cast<std::size_t>(slot.base)] + slot.offset),
            static_cast<std::size_t>(plan.desc_of(plan.outputs[0]).elements())};
  }

 private:
  nnrt::heap_block arena_;
  nnrt::prepared_weights prepared_;
  std::vector<std::byte*> bases_;
  std::vector<nnrt::view> views_;
};

double now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What reading the clock adds to the time of a step.
double clock_seconds() {
  std::vector<double> all;
  for (int i = 0; i < 1000; ++i) {
    const double begin = now();
    all.push_back(now() - begin);
  }
  return median(std::move(all));
}

/// Median seconds of each step over many whole runs: caches are as they are within a network, and a run that was
/// interrupted does not count.
template <class G> std::vector<double> seconds_of_steps(stepper<G>& network) {
  constexpr int runs = 201;
  std::vector<std::vector<double>> all(G::steps);
  const double clock = clock_seconds();
  for (int run = -10; run < runs; ++run)
    for (std::size_t i = 0; i < G::steps; ++i) {
      const double begin = now();
      network.run(stepper<G>::plan.steps[i]);
      const double seconds = now() - begin;
      if (run >= 0) all[i].push_back(std::max(seconds - clock, 1e-9));
    }
  std::vector<double> medians;
  for (std::vector<double>& of_step : all) medians.push_back(median(std::move(of_step)));
  return medians;
}

/// Bytes that a step reads and writes.
template <class G> double bytes_of(const nnrt::step& s) {
  std::int64_t bytes = 0;
  for (const nnrt::ir::range& operands : {s.inputs, s.outputs})
    for (std::int32_t i = 0; i < operands.count; ++i) {
      const nnrt::operand_slot& slot = stepper<G>::plan.slots[static_cast<std::size_t>(operands.first + i)];
      if (slot.base != nnrt::no_memory) bytes += stepper<G>::plan.descs[static_cast<std::size_t>(slot.desc)].bytes();
    }
  return static_cast<double>(bytes);
}

/// Prints the network's steps as a JSON object; false when its result is wrong.
template <auto Network> bool print(const char* name, bool is_last) {
  using graph = nnrt::graph<Network>;
  const auto& with = bench::network<graph>::get();
  stepper<graph> network(with);
  const std::vector<double> seconds = seconds_of_steps(network);
  const double error = with.error_of(network.output());
  const double peak = bench::peak_gflops();
  std::printf(" {\"network\": \"%s\", \"peak_gflops\": %.1f, \"error\": %.3g, \"steps\": [\n", name, peak, error);
  const auto rows = graph::table();
  std::size_t row = 0;
  for (std::size_t i = 0; i < graph::steps; ++i) {
    const nnrt::step& s = graph::plan.steps[i];
    while (rows[row].kernel.empty()) ++row;
    const nnrt::node_info& node = rows[row];
    const bool ends_node = i + 1 == graph::steps || graph::plan.steps[i + 1].node != s.node;
    std::printf(
        "  {\"op\": \"%s\", \"name\": \"%s\", \"kernel\": \"%s\", \"output\": \"%s\", \"seconds\": %.9f, \"macs\": "
        "%lld, \"bytes\": %.0f}%s\n",
        std::string(node.op).c_str(), std::string(node.name).c_str(), std::string(s.kernel).c_str(),
        nnrt::ir::to_string(node.output).c_str(), seconds[i], ends_node ? static_cast<long long>(node.macs) : 0LL,
        bytes_of<graph>(s), i + 1 < graph::steps ? "," : "");
    if (ends_node) ++row;
  }
  std::printf(" ]}%s\n", is_last ? "" : ",");
  if (!(error <= 1e-4)) std::fprintf(stderr, "%s differs from the reference by %g\n", name, error);
  return error <= 1e-4;
}

}  // namespace

int main() {
  std::printf("[\n");
  const bool first = print<networks::mobilenet_v2>("MobileNetV2 1.0, 224x224", false),
             second = print<networks::lenet>("LeNet-5, 28x28", true);
  std::printf("]\n");
  return first && second ? 0 : 1;
}
