// network_check: what a network must do whatever it computes - be right, ask the heap for nothing at inference, give
// the same bits with any number of threads and as a model at run time.
// Flow: each program of tests/networks is main() { return nnrt_test::check<graph<…>>(); }.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/io/make_weights.hpp>

#include "allocations.hpp"
#include "double_oracle.hpp"

#include <cstdio>
#include <string_view>
#include <vector>

namespace nnrt_test {

using reals = std::vector<float>;

/// Numbers for an input: uniform in [-1, 1].
reals random_input(std::string_view name, std::int64_t elements);
/// Numbers for a weight that keep activations at their size: uniform, of variance 2 / inputs (He and others, 2015) for
/// two axes or more; positive for "weight" and "running_var" of a normalisation, small for biases and means.
reals random_weight(std::string_view name, int rank, std::int64_t elements, std::int64_t outputs);
/// Whether every element is near that of float64: within 1e-4 of its size, or of the root mean square of the output
/// where it is smaller. Says what is not.
bool near(const char* what, const std::vector<std::span<const float>>& got,
          const std::vector<std::vector<double>>& expected);
/// Whether the bits are the same. Says where they are not.
bool same_bits(const char* what, const std::vector<std::span<const float>>& got, const std::vector<reals>& expected);
/// Whether a run took no memory. Says how often it did.
bool took_nothing(const char* what, long calls);

/// The weights of a network, by random_weight(), and the elements of its inputs.
template <class G> struct random_numbers {
  std::vector<reals> weights, inputs;
  nnrt::weights file;

  random_numbers() {
    std::vector<nnrt::tensor_entry> entries;
    for (const nnrt::tensor_info& w : G::weights) {
      const nnrt::shape_t& shape = w.desc.shape;
      weights.push_back(random_weight(w.name, shape.rank, shape.elements(), shape.rank > 0 ? shape[0] : 1));
      entries.push_back(nnrt::tensor_of<float>(w.name, shape, weights.back()));
    }
    for (const nnrt::tensor_info& in : G::inputs) inputs.push_back(random_input(in.name, in.desc.elements()));
    if (auto made = nnrt::make_weights(entries)) file = std::move(*made);
  }
};

/// The network as it was written, with these numbers, in plain terms.
inline plain_value plain(const nnrt::ir::graph& g, const nnrt::ir::value& v) {
  plain_value made;
  made.type = static_cast<int>(v.desc.type), made.layout = static_cast<int>(v.desc.layout), made.rank = v.desc.rank();
  for (int i = 0; i < made.rank; ++i) made.extents[i] = v.desc.shape[i];
  made.is_real = v.desc.type == nnrt::f32;
  if (v.is != nnrt::ir::kind::constant) return made;
  for (std::int64_t i = 0; i < v.desc.elements(); ++i) {
    if (made.is_real) made.reals.push_back(static_cast<double>(g.element<float>(v, i)));
    else made.integers.push_back(g.element<std::int64_t>(v, i));
  }
  return made;
}
template <class G> plain_graph plain(const random_numbers<G>& numbers) {
  const nnrt::ir::graph g = G::ir();
  plain_graph made;
  std::size_t next_input = 0, next_weight = 0;
  for (const nnrt::ir::value& v : g.values) {
    made.values.push_back(plain(g, v));
    const reals* known = nullptr;
    if (v.is == nnrt::ir::kind::input) known = &numbers.inputs[next_input++];
    if (v.is == nnrt::ir::kind::weight) known = &numbers.weights[next_weight++];
    if (known != nullptr) made.values.back().reals.assign(known->begin(), known->end());
  }
  for (const nnrt::ir::node& n : g.nodes) {
    plain_node& node = made.nodes.emplace_back();
    node.code = static_cast<int>(n.op->code);
    node.attrs.assign(g.attrs_of(n).begin(), g.attrs_of(n).end());
    node.inputs.assign(g.inputs_of(n).begin(), g.inputs_of(n).end());
    node.outputs.assign(g.outputs_of(n).begin(), g.outputs_of(n).end());
  }
  for (const nnrt::ir::output& out : g.outputs) made.outputs.push_back(out.value);
  return made;
}

using spans = std::vector<std::span<const float>>;

/// What a run returned, as a list.
template <std::size_t N> spans listed(std::span<const float, N> one) { return {one}; }
template <class... Spans> spans listed(const std::tuple<Spans...>& several) {
  return std::apply([](auto... one) { return spans{one...}; }, several);
}

/// Runs a network twice: the second time, nothing is left to be made. Returns the outputs.
template <class Executor, class G>
spans run_twice(Executor& run, const random_numbers<G>& numbers, const char* what, bool& ok) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    run(numbers.inputs[I]...);
    const long before = allocations();
    const auto outputs = run(numbers.inputs[I]...);
    ok &= took_nothing(what, allocations() - before);
    return listed(outputs);
  }(std::make_index_sequence<G::inputs.size()>{});
}

template <class G> bool check_static(const random_numbers<G>& numbers, std::vector<reals>& outputs) {
  auto run = nnrt::executor<G>::create(numbers.file);
  if (!run) return std::puts(run.error().message().c_str()), false;
  bool ok = true;
  const spans got = run_twice(*run, numbers, "executor", ok);
  for (const auto& output : got) outputs.emplace_back(output.begin(), output.end());
  ok &= near("executor", got, computed_in_double(plain(numbers)));
  auto threaded = nnrt::executor<G>::create(numbers.file, {.threads = 2});
  if (!threaded) return std::puts(threaded.error().message().c_str()), false;
  ok &= same_bits("executor with 2 threads", run_twice(*threaded, numbers, "executor with 2 threads", ok), outputs);
  auto sharing = threaded->share();
  return same_bits("executor that shares weights", run_twice(sharing, numbers, "executor that shares weights", ok),
                   outputs) &&
         ok;
}

template <class G>
bool check_dynamic(const random_numbers<G>& numbers, const std::vector<reals>& outputs, const nnrt::model& network,
                   const char* what, int threads) {
  const auto program = nnrt::compile(network, {.threads = threads});
  if (!program) return std::puts(program.error().message().c_str()), false;
  nnrt::session session(*program);
  for (std::size_t i = 0; i < numbers.inputs.size(); ++i)
    std::copy(numbers.inputs[i].begin(), numbers.inputs[i].end(), session.input<float>(i).begin());
  if (auto done = session.run(); !done) return std::puts(done.error().message().c_str()), false;
  const long before = allocations();
  const bool again = session.run().has_value();
  bool ok = again && took_nothing(what, allocations() - before);
  spans got;
  for (std::size_t i = 0; i < program->output_count(); ++i) got.push_back(session.output<float>(i));
  if (!G::is_micro) return same_bits(what, got, outputs) && ok;
  // The unrolled form adds in another order than the kernels.
  std::vector<std::vector<double>> expected;
  for (const reals& output : outputs) expected.emplace_back(output.begin(), output.end());
  return near(what, got, expected) && ok;
}

/// 0 when network G does all that it must.
template <class G> int check() {
  const random_numbers<G> numbers;
  if (allocations() == 0) return std::puts("the counter of allocations counts nothing"), 1;
  std::vector<reals> outputs;
  if (!check_static<G>(numbers, outputs)) return 1;
  const auto network = nnrt::to_model<G>(numbers.file);
  if (!network) return std::puts(network.error().message().c_str()), 1;
  const bool ok = check_dynamic(numbers, outputs, *network, "session", 1);
  return check_dynamic(numbers, outputs, *network, "session with 2 threads", 2) && ok ? 0 : 1;
}

}  // namespace nnrt_test
