// random_networks_test: whatever a network is, and however it runs, it gives what its operators' references give -
// floats within what another order of sums does, quantised values bit for bit.
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/calibrate_model.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/random_network.hpp"
#include "support/sanitized.hpp"
#include "support/weighed.hpp"

namespace {

using namespace nnrt_test;
using tensors = std::vector<std::vector<std::byte>>;

/// Numbers between -1 and 1, or any bytes, for each input.
tensors random_inputs(const ir::graph& g, std::uint64_t seed) {
  dice random(seed);
  tensors made;
  for (const std::int32_t id : g.inputs) {
    const tensor_desc& desc = g.at(id).desc;
    std::vector<std::byte>& bytes = made.emplace_back(static_cast<std::size_t>(desc.bytes()));
    if (desc.type != f32) {
      for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
      continue;
    }
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
      const auto number = static_cast<float>(random.real(-1, 1));
      std::memcpy(bytes.data() + at, &number, sizeof number);
    }
  }
  return made;
}

std::span<std::byte> bytes_of_value(nnrt::detail::evaluation& e, std::int32_t id) {
  const tensor_desc& desc = e.g.at(id).desc;
  std::byte* first = nullptr;
  with_element<types::any>(desc.type, [&]<class T>(T) {
    first = reinterpret_cast<std::byte*>(e.buffers[static_cast<std::size_t>(id)].as<T>().data());
  });
  return {first, static_cast<std::size_t>(desc.bytes())};
}

/// The outputs that the operators' references give.
tensors computed_by_references(const model& m, const tensors& inputs) {
  nnrt::detail::evaluation e(m.graph);
  const auto put = [&](std::int32_t id, std::span<const std::byte> bytes) {
    std::ranges::copy(bytes, bytes_of_value(e, id).begin());
  };
  for (std::size_t i = 0; i < inputs.size(); ++i) put(m.graph.inputs[i], inputs[i]);
  for (std::size_t id = 0; id < m.graph.values.size(); ++id)
    if (const ir::value& v = m.graph.values[id]; v.is == ir::kind::weight)
      put(static_cast<std::int32_t>(id), m.weights.find(m.graph.name_of(v.name))->bytes);
  e.run();
  tensors made;
  for (const ir::output& out : m.graph.outputs) {
    const std::span<std::byte> bytes = bytes_of_value(e, out.value);
    made.emplace_back(bytes.begin(), bytes.end());
  }
  return made;
}

tensors computed_by(session& s, const tensors& inputs, std::size_t outputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    REQUIRE(s.input_bytes(i).size() == inputs[i].size());
    std::ranges::copy(inputs[i], s.input_bytes(i).begin());
  }
  REQUIRE(s.run());
  tensors made;
  for (std::size_t i = 0; i < outputs; ++i) made.emplace_back(s.output_bytes(i).begin(), s.output_bytes(i).end());
  return made;
}

std::vector<float> floats_in(const std::vector<std::byte>& bytes) {
  std::vector<float> floats(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}
/// The largest difference of two tensors of floats, in terms of the second one's largest number.
double distance(const std::vector<std::byte>& got, const std::vector<std::byte>& expected) {
  const std::vector<float> a = floats_in(got), b = floats_in(expected);
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 1e-3, worst = 0;
  for (const float x : b) largest = std::max(largest, std::fabs(double{x}));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double d = std::fabs(double{a[i]} - double{b[i]}); !(d <= worst)) worst = d;  // a NaN stays
  return worst / largest;
}
bool agree(const model& m, const tensors& got, const tensors& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool are_floats = m.graph.at(m.graph.outputs[i].value).desc.type == f32;
    if (are_floats ? !(distance(got[i], expected[i]) <= 1e-4) : got[i] != expected[i]) return false;
  }
  return true;
}

/// A network with fewer known extents of inputs; nothing where its rules need to know them.
class with_hidden_extents {
 public:
  with_hidden_extents(const model& from, std::uint64_t seed)
      : from_(from), random_(seed), to_(from.graph.values.size(), ir::none) {}

  std::optional<model> made() {
    for (const std::int32_t id : from_.graph.inputs)
      at(id) = b_.input(name_of(id), hidden(from_.graph.at(id).desc)).value();
    for (std::size_t id = 0; id < to_.size(); ++id)
      if (from_.graph.values[id].is == ir::kind::weight) (void)copied(static_cast<std::int32_t>(id));
    for (const ir::node& n : from_.graph.nodes)
      if (!add(n)) return std::nullopt;
    for (const ir::output& out : from_.graph.outputs) REQUIRE(b_.output(from_.graph.name_of(out.name), at(out.value)));
    return b_.finish(from_.weights);
  }

 private:
  std::int32_t& at(std::int32_t id) { return to_[static_cast<std::size_t>(id)]; }
  std::string_view name_of(std::int32_t id) const { return from_.graph.name_of(from_.graph.at(id).name); }
  tensor_desc hidden(tensor_desc desc) {
    for (int axis = 0; axis < desc.rank() - 1; ++axis)  // channels are the filters' affair
      if (!random_.once_in(3)) desc.shape[axis] = -1;
    return desc;
  }
  std::int32_t copied(std::int32_t id) {
    if (id == ir::none || at(id) != ir::none) return id == ir::none ? id : at(id);
    const ir::value& v = from_.graph.at(id);
    if (v.is == ir::kind::weight) at(id) = b_.weight(name_of(id), v.desc).value();
    else
      with_element<types::number>(v.desc.type, [&]<class T>(T) {
        std::vector<T> elements(static_cast<std::size_t>(v.desc.elements()));
        std::memcpy(elements.data(), from_.graph.bytes.data() + v.first_byte, elements.size() * sizeof(T));
        at(id) = b_.constant<T>(v.desc, elements).value();
      });
    if (v.scales != ir::none) b_.set_scales(at(id), copied(v.scales));
    return at(id);
  }
  bool add(const ir::node& n) {
    std::vector<std::int32_t> in;
    std::vector<tensor_desc> wanted;
    for (const std::int32_t id : from_.graph.inputs_of(n)) in.push_back(copied(id));
    for (const std::int32_t id : from_.graph.outputs_of(n))
      wanted.emplace_back().quantised = from_.graph.at(id).desc.quantised;
    const auto made = b_.apply(*n.op, from_.graph.attrs_of(n), in, wanted, from_.graph.name_of(n.name));
    if (!made) return false;
    for (std::size_t i = 0; i < made->size(); ++i) at(from_.graph.outputs_of(n)[i]) = (*made)[i];
    return true;
  }

  const model& from_;
  dice random_;
  model_builder b_;
  std::vector<std::int32_t> to_;
};

/// The seeds' networks, each with its weights, inputs, and what its references give.
template <class F> void for_each_network(std::uint64_t seeds, F f) {
  for (std::uint64_t seed = 0; seed < cases(seeds, seeds / 10); ++seed)
    for (const bool is_quantised : {false, true}) {
      CAPTURE(seed);
      CAPTURE(is_quantised);
      const model m = weighed(random_network(seed, is_quantised).made());
      const tensors inputs = random_inputs(m.graph, seed);
      f(m, inputs, computed_by_references(m, inputs), seed);
    }
}

}  // namespace

TEST_CASE(
    "random networks: any number of threads, Winograd's method or none, and a second run give what references give") {
  for_each_network(150, [](const model& m, const tensors& inputs, const tensors& expected, std::uint64_t) {
    for (const options& wanted : {options{}, options{.threads = 3}, options{.winograd = winograd::off}}) {
      const auto made = compile(m, wanted);
      REQUIRE(made);
      session s(*made);
      for (int times = 0; times < 2; ++times) CHECK(agree(m, computed_by(s, inputs, expected.size()), expected));
    }
  });
}

TEST_CASE("random networks: extents that the run tells, after others or at once") {
  int ran = 0;
  for_each_network(60, [&](const model& m, const tensors& inputs, const tensors& expected, std::uint64_t seed) {
    const std::optional<model> open = with_hidden_extents(m, seed).made();
    if (!open) return;
    const auto made = compile(*open, {.threads = 2});
    REQUIRE(made);
    session s(*made);
    dice random(seed);
    std::vector<shape_t> shapes, others;
    for (const std::int32_t id : m.graph.inputs)
      shapes.push_back(m.graph.at(id).desc.shape), others.push_back(shapes.back());
    for (std::size_t i = 0; i < others.size(); ++i)
      for (int axis = 0; axis < 3; ++axis)
        if (open->graph.at(open->graph.inputs[i]).desc.shape[axis] == -1) others[i][axis] = random.between(1, 20);
    if (s.resize(others)) CHECK(s.run());  // rules may refuse those
    REQUIRE(s.resize(shapes));
    CHECK(agree(m, computed_by(s, inputs, expected.size()), expected));
    ++ran;
  });
  CHECK(ran > cases(100, 10));
}

TEST_CASE(
    "random networks: those of floats, stored for an accelerator, run as their references say, also when saved and "
    "loaded") {
  int stored = 0;
  for (std::uint64_t seed = 0; seed < cases<std::uint64_t>(40, 4); ++seed) {
    CAPTURE(seed);
    const model m = weighed(random_network(seed, false).made());
    const std::vector<tensors> samples{random_inputs(m.graph, seed), random_inputs(m.graph, seed + 1000)};
    const auto put = [](const void* all, std::size_t i, session& into) -> result<void> {
      const tensors& sample = (*static_cast<const std::vector<tensors>*>(all))[i];
      for (std::size_t k = 0; k < sample.size(); ++k) std::ranges::copy(sample[k], into.input_bytes(k).begin());
      return {};
    };
    const char* const architecture = std::array{"bayes", "bayes_e", "bernoulli2"}[seed % 3];
    const auto made = calibrate(m, {find_accelerator(architecture)}, {&samples, samples.size(), put});
    if (!made) {
      CHECK(made.error().code() == error_code::not_supported);  // no node of it can be stored
      continue;
    }
    const saved_model saved[] = {{.network = made->network,
                                  .name = "net",
                                  .architecture = architecture,
                                  .places = made->places,
                                  .inputs = {},
                                  .made_by = {}}};
    const auto loaded = load_models(std::span<const std::byte>(*models_to_bytes(saved)));
    REQUIRE(loaded);
    const tensors expected = computed_by_references(made->network, samples[0]);
    for (const model* network : {&made->network, &loaded->front().network}) {
      const auto compiled = compile(*network);
      REQUIRE(compiled);
      session s(*compiled);
      const tensors got = computed_by(s, samples[0], expected.size());
      // floats before rounding may tip a step
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK(distance(got[i], expected[i]) <= 0.02);
    }
    ++stored;
  }
  CHECK(stored > cases(30, 3));
}
