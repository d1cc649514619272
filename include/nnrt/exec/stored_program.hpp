// stored_program: saves a compiled program as bytes and restores it - optimised graph and prepared weights.
// Flow: hal/cpu_driver.hpp exports and restores programs with it; the C functions keep the bytes in caches.
//
// The plan is not stored. The planner makes it again from the graph, which takes 1 % of the time of packing. So no byte
// selects a function or an address: the bytes contain a graph, which is checked like any other at run time, and
// numbers. A digest of the plan shows whether the numbers were packed for this planner.
//
// The format is that of stored_bytes.hpp. The head contains the device (if any), the digest of the plan, and the graph.
// It also has the offsets of weights in the data, and the number of prepared bytes.
#pragma once

#include <nnrt/exec/program.hpp>
#include <nnrt/exec/stored_bytes.hpp>
#include <nnrt/ops/registry.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// The members of a program.
struct program_parts {
  static const program_family& family(const program& p) { return *p.family_; }
  static const compiled_plan* plan(const program& p) { return p.plan_.get(); }
  static program joined(shared<const program_family> family, shared<const compiled_plan> plan) {
    return {std::move(family), std::move(plan)};
  }
};

inline constexpr stored_kind program_kind{0x676f727074726e6e, 6, "stored program"};  // "nnrtprog"

// ---- What is written ----

/// A graph whose large constants are weights, so that it does not contain their elements. Passes and the planner treat
/// both alike if a constant is too large to be evaluated.
struct storable_graph {
  ir::graph graph;
  pool<const std::byte*> weights;  // of each weight in order

  storable_graph(const ir::graph& from, array_ref<const std::byte> constants, array_ref<const std::byte* const> bound)
      : graph(without_bytes(from)) {
    std::size_t next = 0;
    for (ir::value& v : graph.values) {
      if (v.is == ir::kind::weight) weights.push_back(bound[next++]);
      if (v.is != ir::kind::constant) continue;
      const std::byte* const first = constants.data() + std::exchange(v.first_byte, 0);
      if (v.desc.elements() > passes::max_evaluated_elements) {
        v.is = ir::kind::weight;
        weights.push_back(first);
        continue;
      }
      while (graph.bytes.size() % 64 != 0) graph.bytes.push_back(std::byte{});
      v.first_byte = static_cast<std::int64_t>(graph.bytes.size());
      graph.bytes.insert(first, first + v.desc.bytes());
    }
  }

 private:
  static ir::graph without_bytes(const ir::graph& from) {
    ir::graph made;
    made.values = from.values, made.nodes = from.nodes, made.inputs = from.inputs, made.outputs = from.outputs;
    made.states = from.states, made.operands = from.operands, made.words = from.words, made.text = from.text;
    return made;
  }
};

inline void put(byte_writer& to, const ir::graph& g) {
  to.put(std::uint64_t{g.values.size()});
  for (const ir::value& v : g.values)
    nnrt::put(to, v.desc), to.put(static_cast<std::int32_t>(v.is)), put(to, v.name), to.put(v.first_byte),
        to.put(v.scales);
  to.put(std::uint64_t{g.nodes.size()});
  for (const ir::node& n : g.nodes)
    to.put(static_cast<std::int32_t>(n.op->code)), put(to, n.attrs), put(to, n.inputs), put(to, n.outputs),
        put(to, n.name);
  to.put_list<std::int32_t>(g.inputs);
  to.put(std::uint64_t{g.outputs.size()});
  for (const ir::output& out : g.outputs) to.put(out.value), put(to, out.name);
  to.put(std::uint64_t{g.states.size()});
  for (const ir::state& s : g.states) to.put(s.value), to.put(s.next), to.put(s.initial);
  to.put_list<std::int32_t>(g.operands);
  to.put_list<word>(g.words);
  to.put_list<char>(g.text);
  to.put(std::uint64_t{g.bytes.size()});
  to.put(g.bytes.data(), g.bytes.size());
}

/// Bytes of each weight of a graph, in order.
inline std::vector<std::int64_t> weight_sizes(const ir::graph& g) {
  std::vector<std::int64_t> sizes;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight) sizes.push_back(v.desc.bytes());
  return sizes;
}

/// The stored data of a program.
struct storable_program {
  const options& wanted;
  const bool is_planned;  // false while shapes are unknown
  storable_graph from;
  plan made;  // of that graph, as restore_program() will make it
  prepared_weights prepared;

  storable_program(const program_family& family, const compiled_plan* planned)
      : wanted(family.wanted),
        is_planned(planned != nullptr),
        from(is_planned ? planned->optimised : family.checked,
             is_planned ? planned->made.constants : family.checked.bytes, family.weights->pointers()) {}
};

/// Plans, and runs the prepare steps on zeroed memory, so that unwritten bytes disclose nothing of the process.
inline result<void> prepare_to_store(storable_program& p) {
  p.made = plan_at_run_time(p.from.graph, plan_options_for(p.wanted.winograd, p.wanted.float16_weights), {});
  pool<const std::byte*> pointers = p.from.weights;
  p.prepared.bound = shared<bound_weights>::make(bound_weights::stored(std::move(pointers), {}));
  if (auto ok = p.prepared.memory.allocate(p.made.prepared_bytes, "prepared weights"); !ok) return ok;
  std::memset(p.prepared.memory.data(), 0, static_cast<std::size_t>(p.made.prepared_bytes));
  return run_prepare_steps(plan_view::of(p.made), p.prepared);
}

inline byte_list head_of(const storable_program& p, const stored_places& layout, std::string_view device) {
  byte_writer head = begun_head(program_kind);
  head.put(device);
  head.put(p.is_planned ? plan_digest_of(plan_view::of(p.made)) : std::uint64_t{});
  head.put(std::uint8_t{p.is_planned}), head.put(static_cast<std::uint8_t>(p.wanted.winograd)),
      head.put(std::uint8_t{p.wanted.float16_weights});
  put(head, p.from.graph);
  head.put(layout.prepared_bytes);
  head.put_list<std::int64_t>(layout.places);
  return std::move(head.bytes);
}

}  // namespace detail

/// The bytes for restore_program(), of the same device, if it is for one: other devices run other networks, or round
/// differently. Weights that steps read only as packed weights are left out.
/// Errors: out_of_memory; not_supported (the program was restored; its bytes exist already).
inline result<byte_list> store_program(const program& compiled, std::string_view device = {}) {
  const compiled_plan* const planned = detail::program_parts::plan(compiled);
  if (planned != nullptr && planned->weights.stored != nullptr)
    return fail(error_code::not_supported, "a program that was restored is not stored again");
  detail::storable_program p(detail::program_parts::family(compiled), planned);
  // As in restore_program(), where small folded weights are evaluated.
  if (auto ok = infer_graph(p.from.graph); !ok) return fail(std::move(ok.error()));
  if (p.is_planned)
    if (auto ok = detail::prepare_to_store(p); !ok) return fail(std::move(ok.error()));
  const std::vector<std::int64_t> sizes = detail::weight_sizes(p.from.graph);
  const std::vector<char> is_read =
      p.is_planned ? detail::weights_read(plan_view::of(p.made)) : std::vector<char>(sizes.size(), 1);
  const detail::stored_places layout(p.made.prepared_bytes, sizes, is_read);
  return detail::sealed(detail::program_kind, detail::head_of(p, layout, device), layout.data_bytes,
                        [&](std::byte* data) { layout.copy(p.prepared.memory.data(), p.from.weights, sizes, data); });
}

namespace detail {

// ---- What is read ----

inline ir::range read_range(byte_reader& from) {
  const auto first = from.number<std::int32_t>();
  return {first, from.number<std::int32_t>()};
}
inline ir::value read_value(byte_reader& from) {
  ir::value v;
  v.desc = read_desc(from);
  v.is = static_cast<ir::kind>(from.number<std::int32_t>());
  v.name = read_range(from);
  v.first_byte = from.number<std::int64_t>(), v.scales = from.number<std::int32_t>();
  return v;
}
/// Reads a node; it has no operator if its code is unknown.
inline ir::node read_node(byte_reader& from) {
  ir::node n;
  n.op = ops::find(static_cast<op_code>(from.number<std::int32_t>()));
  if (n.op != nullptr) n.label = n.op->label;
  n.attrs = read_range(from), n.inputs = read_range(from), n.outputs = read_range(from), n.name = read_range(from);
  return n;
}
/// Reads the graph; check_graph() checks it.
inline void read_graph(byte_reader& from, ir::graph& g) {
  const std::size_t values = from.count_of(40);
  g.values.reserve(values);
  for (std::size_t i = 0; from.ok && i < values; ++i) g.values.push_back(read_value(from));
  const std::size_t nodes = from.count_of(36);
  g.nodes.reserve(nodes);
  for (std::size_t i = 0; from.ok && i < nodes; ++i) g.nodes.push_back(read_node(from));
  from.list<std::int32_t>(g.inputs);
  const std::size_t outputs = from.count_of(12);
  for (std::size_t i = 0; from.ok && i < outputs; ++i) {
    const auto value = from.number<std::int32_t>();
    g.outputs.push_back({value, read_range(from)});
  }
  const std::size_t states = from.count_of(12);
  for (std::size_t i = 0; from.ok && i < states; ++i) {
    const auto value = from.number<std::int32_t>(), next = from.number<std::int32_t>();
    g.states.push_back({value, next, from.number<std::int32_t>()});
  }
  from.list<std::int32_t>(g.operands);
  from.list<word>(g.words);
  from.list<char>(g.text);
  const array_ref<const std::byte> bytes = from.take(from.count_of(1));
  g.bytes.insert(bytes.begin(), bytes.end());
}

/// The parts of a stored program; only digests, versions and sizes of its lists have been checked.
struct stored_parts {
  ir::graph graph;
  std::uint64_t plan_digest = 0;
  bool is_planned = false;
  nnrt::winograd winograd{};
  bool float16_weights = false;
  std::int64_t prepared_bytes = 0;
  std::vector<std::int64_t> places;  // of weights in the data
  array_ref<const std::byte> data;
};

inline result<void> take_apart(array_ref<const std::byte> bytes, bool data_is_checked, std::string_view device,
                               stored_parts& made) {
  byte_reader from;
  if (auto ok = open_sealed(program_kind, bytes, data_is_checked, from, made.data); !ok) return ok;
  const std::string_view of = from.text();
  if (from.ok && of != device)
    return program_kind.refused({"is for device ", piece::in_quotes(of), ", not ", piece::in_quotes(device)});
  made.plan_digest = from.number<std::uint64_t>();
  made.is_planned = from.number<std::uint8_t>() != 0;
  made.winograd = from.number<std::uint8_t>() == 0 ? nnrt::winograd::automatic : nnrt::winograd::off;
  made.float16_weights = from.number<std::uint8_t>() != 0;
  read_graph(from, made.graph);
  made.prepared_bytes = from.number<std::int64_t>();
  from.list<std::int64_t>(made.places);
  if (!from.ok) return program_kind.refused({"does not hold what it says"});
  return {};
}

/// The plan of a stored graph, whose prepared memory is stored.
inline result<shared<const compiled_plan>> plan_stored(stored_parts& stored, const program_family& family,
                                                       const deadline_watch& watch) {
  if (auto ok = require_known_extents(stored.graph); !ok) return fail(std::move(ok.error()));
  compiled_plan made;
  made.made = plan_at_run_time(stored.graph, plan_options_for(stored.winograd, stored.float16_weights), watch);
  if (watch.is_over()) return compiled_too_late();
  const plan_view plan = plan_view::of(made.made);
  if (plan_digest_of(plan) != stored.plan_digest) return program_kind.refused({"was packed for other kernels"});
  if (auto ok = check_prepared(program_kind, plan, stored.prepared_bytes, stored.data, family.weights->pointers()); !ok)
    return fail(std::move(ok.error()));
  made.weights.bound = family.weights;
  made.weights.stored = stored.data.data();
  made.optimised = std::move(stored.graph);
  made.optimised.bytes = {};  // the plan has the constants
  return shared<const compiled_plan>(shared<compiled_plan>::make(std::move(made)));
}

}  // namespace detail

/// Restores a stored program, whose results have the same bits. It reads its weights directly in `bytes`. The options
/// winograd and float16_weights are those of the stored program, not of `wanted`.
/// With `data_is_checked` the caller guarantees that the weights are undamaged. Everything else is always checked, and
/// no bytes can make a program access memory that is not its own.
/// Errors: invalid_file (bytes of another kind, version, planner or device, or damaged); not_supported (another
/// instruction set); invalid_argument, rule_broken (a graph that compile() would refuse); out_of_memory;
/// deadline_missed.
inline result<program> restore_program(const shared_bytes& bytes, const options& wanted = {},
                                       bool data_is_checked = false, std::string_view device = {}) {
  const time_limit limit = limit_of(wanted);
  const deadline_watch watch(limit);
  if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
  detail::stored_parts stored;
  if (auto ok = detail::take_apart(bytes.bytes(), data_is_checked, device, stored); !ok)
    return fail(std::move(ok.error()));
  if (auto ok = check_graph(stored.graph, watch); !ok) return fail(std::move(ok.error()));
  if (auto ok = infer_graph(stored.graph, watch); !ok) return fail(std::move(ok.error()));
  if (limit.is_over()) return detail::compiled_too_late();
  pool<const std::byte*> pointers;
  if (auto ok = detail::find_weights(detail::program_kind, stored.places, detail::weight_sizes(stored.graph),
                                     stored.data, pointers);
      !ok)
    return fail(std::move(ok.error()));
  options chosen = wanted;
  chosen.winograd = stored.winograd, chosen.float16_weights = stored.float16_weights;
  const std::size_t missing = static_cast<std::size_t>(std::count(pointers.begin(), pointers.end(), nullptr));
  const auto family =
      shared<detail::program_family>::make(bound_weights::stored(std::move(pointers), bytes.keeper()), chosen);
  if (stored.is_planned) {
    auto made = detail::plan_stored(stored, *family, watch);
    if (!made) return fail(std::move(made.error()));
    return detail::program_parts::joined(family, std::move(*made));
  }
  const bool is_open = std::any_of(stored.graph.inputs.begin(), stored.graph.inputs.end(),
                                   [&](std::int32_t id) { return !stored.graph.at(id).desc.shape.is_known(); });
  if (!is_open || missing > 0)
    return detail::program_kind.refused({"has no plan, and is not one that waits for shapes"});
  family->checked = std::move(stored.graph);
  return detail::program_parts::joined(family, {});
}

}}  // namespace nnrt::NNRT_ISA
