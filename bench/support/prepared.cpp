// prepared: see prepared.hpp.
// Flow: the graph as written is computed by its operators' references; the optimised one is what peers get.
#include "support/prepared.hpp"

#include "support/describe.hpp"
#include "support/numbers.hpp"

#include <nnrt/exec/session.hpp>
#include <nnrt/io/make_weights.hpp>

#include <cmath>
#include <tuple>

namespace bench {

namespace detail {
struct evaluated : nnrt::detail::evaluation {
  using nnrt::detail::evaluation::evaluation;
};
}  // namespace detail

namespace {

using namespace nnrt;
using nnrt::detail::evaluation;

template <class T> T value_of(result<T> made) {
  if (!made) throw cannot_run(made.error().message());
  return std::move(*made);
}

weights make_named_weights(const ir::graph& g) {
  std::vector<lines> numbers;
  std::vector<tensor_entry> entries;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight) numbers.push_back(elements_for(g.name_of(v.name), v.desc));
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight) {
      const lines& of = numbers[entries.size()];
      entries.push_back({g.name_of(v.name), v.desc.type, v.desc.shape, {of.data(), of.size()}});
    }
  return value_of(make_weights(entries));
}

void put_numbers(evaluation& e, const weights& file, const std::vector<lines>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(e.view_of(e.g.inputs[i]).data.raw(), inputs[i].data(), inputs[i].size());
  for (std::size_t id = 0; id < e.g.values.size(); ++id)
    if (e.g.values[id].is == ir::kind::weight) {
      const auto bytes = file.find(e.g.name_of(e.g.values[id].name))->bytes;
      std::memcpy(e.buffers[id].data().raw(), bytes.data(), bytes.size());
    }
}

std::vector<lines> outputs_of(const evaluation& e) {
  std::vector<lines> all;
  for (const ir::output& out : e.g.outputs) {
    all.emplace_back(static_cast<std::size_t>(e.g.at(out.value).desc.bytes()));
    all.back().assign(static_cast<const std::byte*>(e.view_of(out.value).data.raw()));
  }
  return all;
}

/// Runs the nodes whose operands are known before the network runs.
void run_known(evaluation& e) {
  const pool<char> known = passes::known_values(e.g);
  pool<ir::node> all = e.g.nodes;
  pool<ir::node> those;
  for (const ir::node& n : all)
    if (known[static_cast<std::size_t>(e.g.outputs_of(n)[0])]) those.push_back(n);
  e.g.nodes = those;
  e.run();
  e.g.nodes = all;
}

/// nnrt's session, for networks that no compiler has seen, and for profiles.
template <class Base, class... Times> class session_runner final : public Base {
 public:
  session_runner(const model& network, int threads) : session_(value_of(compile(network, {.threads = threads}))) {}
  void set_input(std::size_t i, const std::byte* elements) override {
    with_elements(session_.input_desc(i).type, [&]<class T>(T) {
      const auto to = session_.template input<T>(i);
      std::memcpy(to.data(), elements, to.size_bytes());
    });
  }
  void run() override {
    if (!session_.run(std::get<Times>(times_)...)) throw cannot_run("nnrt's session could not run");
  }
  void get_output(std::size_t i, std::byte* elements) override {
    with_elements(session_.output_desc(i).type, [&]<class T>(T) {
      const auto from = session_.template output<T>(i);
      std::memcpy(elements, from.data(), from.size_bytes());
    });
  }
  pool<profiled_step> profile() const { return nnrt::profile(session_, std::get<Times>(times_)...); }

 private:
  template <class F> static void with_elements(dtype type, F f) { type == f32 ? f(float{}) : f(std::int8_t{}); }

  session session_;
  std::tuple<Times...> times_;
};

template <class T> double largest_difference(const lines& got, const lines& expected, bool is_relative) {
  const auto* a = reinterpret_cast<const T*>(got.data());
  const auto* b = reinterpret_cast<const T*>(expected.data());
  double worst = 0, largest = 1e-30;
  for (std::size_t i = 0; i < expected.size() / sizeof(T); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = std::max(worst, std::isfinite(difference) ? difference : 1e30);
    largest = std::max(largest, std::abs(static_cast<double>(b[i])));
  }
  return is_relative ? worst / largest : worst;
}

}  // namespace

prepared::~prepared() = default;

const prepared& prepared::of(const workload& w, dtype type) {
  static std::map<std::pair<std::string, dtype>, std::unique_ptr<prepared>> all;
  std::unique_ptr<prepared>& made = all[{w.key, type}];
  if (made) return *made;
  made.reset(new prepared);
  if (type == f32) made->fill_static(w.floats, w.name);
  else if (w.bytes.make != nullptr) made->fill_static(w.bytes, w.name);
  else made->fill_quantised(w);
  return *made;
}

void prepared::fill_static(const static_network& from, const std::string& name) {
  const ir::graph written = from.written();
  make_ = from.make;
  is_micro_ = from.is_micro;
  weights_ = make_named_weights(written);
  for (const std::int32_t id : written.inputs)
    inputs_.push_back(elements_for(written.name_of(written.at(id).name), written.at(id).desc));
  evaluation whole(written);
  put_numbers(whole, weights_, inputs_);
  whole.run();
  expected_ = outputs_of(whole);
  ir::graph optimised = written;
  passes::optimise(optimised);
  values_ = std::make_unique<detail::evaluated>(std::move(optimised));
  put_numbers(*values_, weights_, inputs_);
  run_known(*values_);
  network_ = describe(*values_, name);
  model_ = {written, weights_};
  count(written);
}

void prepared::fill_quantised(const workload& w) {
  const prepared& floats = of(w, f32);
  evaluation measured(floats.values_->g);
  put_numbers(measured, floats.weights_, floats.inputs_);
  measured.run();
  model_ = quantise(measured);
  is_micro_ = false;
  for (const std::int32_t id : model_.graph.inputs)
    inputs_.push_back(elements_for(model_.graph.name_of(model_.graph.at(id).name), model_.graph.at(id).desc));
  values_ = std::make_unique<detail::evaluated>(model_.graph);
  put_numbers(*values_, {}, inputs_);
  values_->run();
  expected_ = outputs_of(*values_);
  network_ = describe(*values_, w.name);
  count(model_.graph);
}

void prepared::count(const ir::graph& g) {
  macs_ = static_cast<double>(nnrt::detail::count_macs(g));
  std::int64_t all = 0;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight || v.is == ir::kind::input || v.is == ir::kind::constant) all += v.desc.bytes();
  for (const ir::output& out : g.outputs) all += g.at(out.value).desc.bytes();
  bytes_ = static_cast<std::size_t>(all);
}

std::unique_ptr<runner> prepared::ours(int threads) const {
  if (make_ != nullptr) return make_(weights_, threads);
  return std::make_unique<session_runner<runner>>(model_, threads);
}

std::unique_ptr<profiled_runner> prepared::ours_profiled(int threads) const {
  return std::make_unique<session_runner<profiled_runner, step_times>>(model_, threads);
}

double prepared::error_of(runner& made) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) made.set_input(i, inputs_[i].data());
  made.run();
  double worst = 0;
  for (std::size_t i = 0; i < expected_.size(); ++i) {
    lines got(expected_[i].size());
    made.get_output(i, got.data());
    const bool stored = network_.of(network_.outputs[i]).type == element::i8;
    worst = std::max(worst, stored ? largest_difference<std::int8_t>(got, expected_[i], false)
                                   : largest_difference<float>(got, expected_[i], true));
  }
  return worst;
}

}  // namespace bench
