// graphs: how tests make graphs, fill them with numbers, and compute them in two ways - by references alone, and as a
// plan. Flow: tests of passes, plans and executors; what the first way gives is what all others are held against.
#pragma once

// All units of a program must know the same kernels: an operator's table of functions is one object for all of them.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/evaluate.hpp>
#include <nnrt/exec/run_stripes.hpp>
#include <nnrt/exec/saved_state.hpp>
#include <nnrt/ir/apply.hpp>

#include <cmath>
#include <cstring>
#include <string_view>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// The graph that a network's function writes.
template <class Function> constexpr ir::graph written(Function network) {
  builder b;
  network(b);
  b.finish();
  return b.graph();
}

/// A node as readers of files make it.
constexpr ir::node node_of(const operator_info& op, ir::range attrs, ir::range inputs, ir::range outputs) {
  ir::node n;
  n.op = &op;
  n.label = op.label;
  n.attrs = attrs;
  n.inputs = inputs;
  n.outputs = outputs;
  return n;
}

/// How many nodes of this operator a graph has.
template <class Op> constexpr int count_of(const ir::graph& g) {
  int count = 0;
  for (const ir::node& n : g.nodes) count += n.op->code == Op::code ? 1 : 0;
  return count;
}
/// The first node of this operator; nullptr when there is none.
template <class Op> constexpr const ir::node* node_of(const ir::graph& g) {
  for (const ir::node& n : g.nodes)
    if (n.op->code == Op::code) return &n;
  return nullptr;
}
/// Whether the passes said exactly this, in this order.
constexpr bool logged(const ir::graph& g, std::initializer_list<ir::change> expected) {
  if (g.log.size() != expected.size()) return false;
  for (std::size_t i = 0; i < g.log.size(); ++i)
    if (g.log[i].what != expected.begin()[i]) return false;
  return true;
}

/// Numbers in [-1, 1] that follow from a tensor's name; those of variances lie in [0.1, 2.1].
constexpr std::vector<float> numbers_named(std::string_view name, std::int64_t count, std::uint32_t seed) {
  std::uint32_t state = seed * 2654435761U + 12345U;
  for (const char c : name) state = (state ^ static_cast<unsigned char>(c)) * 16777619U;
  std::vector<float> numbers;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    const float number = static_cast<float>(state >> 8U) * 0x1p-23F - 1.0F;
    numbers.push_back(name.ends_with("variance") ? number + 1.1F : number);
  }
  return numbers;
}

using outputs_of_graph = std::vector<std::vector<float>>;

/// The outputs (of dtype f32) of a graph whose inputs and weights (of dtype f32) have the numbers that follow from
/// their names, after `times` runs.
constexpr outputs_of_graph computed_by_references(const ir::graph& g, std::uint32_t seed = 1, int times = 1) {
  nnrt::detail::evaluation e(g);
  for (std::size_t id = 0; id < g.values.size(); ++id) {
    const ir::value& v = g.values[id];
    if (v.is != ir::kind::input && v.is != ir::kind::weight) continue;
    const std::vector<float> numbers = numbers_named(g.name_of(v.name), v.desc.elements(), seed);
    std::copy(numbers.begin(), numbers.end(), e.buffers[id].as<float>().begin());
  }
  const auto numbers_of = [&](std::int32_t id) { return e.buffers[static_cast<std::size_t>(id)].as<float>(); };
  const auto copied_of = [&](std::int32_t id) {
    return std::vector<float>(numbers_of(id).begin(), numbers_of(id).end());
  };
  for (const ir::state& s : g.states)
    if (s.initial != ir::none && g.at(s.initial).is == ir::kind::weight)
      std::copy(numbers_of(s.initial).begin(), numbers_of(s.initial).end(), numbers_of(s.value).begin());
  e.run();
  for (int i = 1; i < times; ++i) {
    std::vector<std::vector<float>> next;
    for (const ir::state& s : g.states) next.push_back(copied_of(s.next));
    for (std::size_t k = 0; k < next.size(); ++k)
      std::copy(next[k].begin(), next[k].end(), numbers_of(g.states[k].value).begin());
    e.run();
  }
  outputs_of_graph all;
  for (const ir::output& out : g.outputs) {
    const std::span<float> elements = e.buffers[static_cast<std::size_t>(out.value)].as<float>();
    all.emplace_back(elements.begin(), elements.end());
  }
  return all;
}

/// Whether each number is within `allowed` of the other, relative to numbers above 1. A NaN is close to nothing.
constexpr bool close(const outputs_of_graph& a, const outputs_of_graph& b, double allowed) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      const double x = a[i][k], y = b[i][k], difference = x < y ? y - x : x - y, size = y < 0 ? -y : y;
      if (!(difference <= allowed * (size > 1 ? size : 1))) return false;
    }
  }
  return true;
}

/// Bytes that are all ones, every float of them a NaN, aligned to 64.
class poisoned_memory {
 public:
  explicit poisoned_memory(std::int64_t bytes) : lines_(static_cast<std::size_t>(bytes + 63) / 64 + 1) {
    std::memset(data(), 0xff, lines_.size() * sizeof(line));
  }
  std::byte* data() { return lines_.front().bytes; }

 private:
  struct alignas(64) line {
    std::byte bytes[64];
  };
  std::vector<line> lines_;
};

/// The outputs of a graph whose plan runs `times` times in poisoned memory.
inline outputs_of_graph computed_by_plan(const ir::graph& g, plan_options options, std::uint32_t seed = 1,
                                         int times = 1, part_runner* threads = nullptr) {
  const plan made = make_plan(g, options);
  const plan_view p = plan_view::of(made);
  poisoned_memory arena(p.arena_bytes), prepared(p.prepared_bytes), prepare_scratch(p.prepare_scratch_bytes);
  poisoned_memory further_scratch(threads != nullptr ? p.part_scratch_bytes * (threads->threads() - 1) : 0);
  std::vector<std::byte> constants(p.constants.begin(), p.constants.end());
  std::vector<std::byte*> bases(p.base_count());
  bases[in_arena] = arena.data();
  bases[in_prepared] = prepared.data();
  bases[in_prepare_scratch] = prepare_scratch.data();
  bases[in_constants] = constants.data();
  std::vector<std::vector<float>> given;
  for (const std::span<const port> ports : {p.inputs, p.weights})
    for (const port& at : ports) given.push_back(numbers_named(p.name_of(at), p.desc_of(at).elements(), seed));
  for (std::size_t i = 0; i < given.size(); ++i) bases[first_input + i] = reinterpret_cast<std::byte*>(given[i].data());
  const std::vector<std::vector<float>> untouched = given;
  std::vector<view> views(p.slots.size());
  make_views(p, bases, views);
  run_context context;
  context.bases = bases;
  context.views = views;
  run_steps(p, p.prepare, context);
  nnrt::detail::reset_states(p, arena.data(), bases);
  context.threads = threads;
  context.further_scratch = further_scratch.data();
  for (int i = 0; i < times; ++i) run_plan(p, context);
  outputs_of_graph all;
  if (given != untouched || !std::equal(constants.begin(), constants.end(), p.constants.begin()))
    return all;  // no step may write there
  for (const port& out : p.outputs) {
    const auto* const elements = reinterpret_cast<const float*>(arena.data() + p.slot_of(out).offset);
    all.emplace_back(elements, elements + p.desc_of(out).elements());
  }
  return all;
}

}  // namespace nnrt_test
