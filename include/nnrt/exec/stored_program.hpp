// stored_program: a compiled program as bytes, and back - the graph after the passes, and the weights as its kernels read them.
// Flow: hal/cpu_driver.hpp exports and restores programs with it; the C functions keep the bytes in caches.
//
// The plan itself is not stored: the planner makes it again from the graph, which takes a hundredth of what packing takes. So no byte says
// which function is called or which address is written; all that is read is a graph, which is checked like any that arrives at run time, and
// numbers. A digest of the plan says whether this planner is the one that the numbers were packed for.
//
//   head:  "nnrtprog", bytes of the head, bytes in all, digest of the data; versions, instruction set, digest of the plan;
//          the graph; where each weight lies in the data, and how many bytes are prepared; digest of the head
//   data:  what the prepare steps made, then each weight that steps read as it is; all at multiples of 64
#pragma once

#include <nnrt/exec/program.hpp>
#include <nnrt/io/kept_bytes.hpp>
#include <nnrt/io/record.hpp>
#include <nnrt/ops/registry.hpp>

#include <algorithm>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// The parts of a program.
struct program_parts {
  static const program_family& family(const program& p) { return *p.family_; }
  static const compiled_plan* plan(const program& p) { return p.plan_.get(); }
  static program joined(shared<const program_family> family, shared<const compiled_plan> plan) { return {std::move(family), std::move(plan)}; }
};

inline constexpr std::uint64_t stored_kind = 0x676f727074726e6e;  // "nnrtprog"
inline constexpr std::uint32_t stored_format = 1;
inline constexpr std::int64_t not_stored = -1;

// ---- What is written ----

/// A graph whose large constants are weights, so that their numbers need not be in it. Passes and the planner make no difference between the
/// two where a constant is too large to be evaluated.
struct storable_graph {
  ir::graph graph;
  pool<const std::byte*> weights;  // of each weight in order

  storable_graph(const ir::graph& from, array_ref<const std::byte> constants, array_ref<const std::byte* const> bound) : graph(without_bytes(from)) {
    std::size_t next = 0;
    for (ir::value& v : graph.values) {
      if (v.is == ir::kind::weight) weights.push_back(bound[next++]);
      if (v.is != ir::kind::constant) continue;
      const std::byte* const first = constants.data() + std::exchange(v.first_byte, 0);
      if (v.desc.elements() > passes::most_evaluated_elements) {
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
    made.operands = from.operands, made.words = from.words, made.text = from.text;
    return made;
  }
};

inline void put(record_writer& to, ir::range at) { to.put(at.first), to.put(at.count); }
inline void put(record_writer& to, const ir::graph& g) {
  to.put(std::uint64_t{g.values.size()});
  for (const ir::value& v : g.values) nnrt::put(to, v.desc), to.put(static_cast<std::int32_t>(v.is)), put(to, v.name), to.put(v.first_byte), to.put(v.scales);
  to.put(std::uint64_t{g.nodes.size()});
  for (const ir::node& n : g.nodes) to.put(static_cast<std::int32_t>(n.op->code)), put(to, n.attrs), put(to, n.inputs), put(to, n.outputs), put(to, n.name);
  to.put_list<std::int32_t>(g.inputs);
  to.put(std::uint64_t{g.outputs.size()});
  for (const ir::output& out : g.outputs) to.put(out.value), put(to, out.name);
  to.put_list<std::int32_t>(g.operands);
  to.put_list<word>(g.words);
  to.put_list<char>(g.text);
  to.put(std::uint64_t{g.bytes.size()});
  to.put(g.bytes.data(), g.bytes.size());
}

/// What of a plan decides how prepared memory looks and who reads it. Plans of two planners that differ there have different digests.
inline std::uint64_t plan_digest_of(const plan& p) {
  record_writer all;
  const auto put_slots = [&](ir::range at) {
    for (std::int32_t i = at.first; i < at.first + at.count; ++i) {
      const operand_slot& slot = p.slots[static_cast<std::size_t>(i)];
      all.put(slot.base), all.put(slot.offset), all.put(slot.scales);
      if (slot.desc >= 0) nnrt::put(all, p.descs[static_cast<std::size_t>(slot.desc)]);
    }
  };
  for (const pool<step>* const list : {&p.prepare, &p.steps})
    for (const step& s : *list) all.put(s.kernel), all.put(s.scratch_bytes), put_slots(s.inputs), put_slots(s.outputs);
  all.put(p.prepared_bytes);
  return digest_of(array_ref<const std::byte>(all.bytes));
}

/// For each weight of a plan whether a step reads it, and not only what was prepared from it.
inline std::vector<char> weights_read(const plan& p) {
  std::vector<char> read(p.weights.size(), 0);
  const auto mark = [&](const operand_slot& slot) {
    const auto first = first_input + static_cast<std::int64_t>(p.inputs.size());
    if (slot.base >= first) read[static_cast<std::size_t>(slot.base - first)] = 1;
  };
  for (const step& s : p.steps)
    for (std::int32_t i = 0; i < s.inputs.count; ++i) {
      const operand_slot& slot = p.slots[static_cast<std::size_t>(s.inputs.first + i)];
      mark(slot);
      if (slot.scales >= 0) mark(p.slots[static_cast<std::size_t>(slot.scales)]);
    }
  return read;
}

/// Bytes of each weight of a graph, in order.
inline std::vector<std::int64_t> weight_sizes(const ir::graph& g) {
  std::vector<std::int64_t> sizes;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight) sizes.push_back(v.desc.bytes());
  return sizes;
}

/// What is stored of a program.
struct storable_program {
  const options& wanted;
  const bool is_planned;                   // not while shapes are awaited
  storable_graph from;
  plan made;                               // of that graph, as restore_program() will make it
  prepared_weights prepared;
  std::vector<std::int64_t> sizes, places;  // of weights: their bytes, and where they lie in the data
  std::int64_t data_bytes = 0;

  storable_program(const program_family& family, const compiled_plan* planned)
      : wanted(family.wanted),
        is_planned(planned != nullptr),
        from(is_planned ? planned->optimised : family.checked, is_planned ? planned->made.constants : family.checked.bytes, family.weights->pointers()) {}
};

/// Plans, and runs the prepare steps on memory that was zero before: what no step writes is no secret of the process.
inline result<void> prepare_to_store(storable_program& p) {
  p.made = make_plan(p.from.graph, plan_options_for(p.wanted.winograd, p.wanted.float16_weights));
  pool<const std::byte*> pointers = p.from.weights;
  p.prepared.bound = shared<bound_weights>::make(bound_weights::stored(std::move(pointers), {}));
  if (auto ok = p.prepared.memory.allocate(p.made.prepared_bytes, "prepared weights"); !ok) return ok;
  std::memset(p.prepared.memory.data(), 0, static_cast<std::size_t>(p.made.prepared_bytes));
  return run_prepare_steps(plan_view::of(p.made), p.prepared);
}

/// Gives each weight that steps read a place behind what was prepared.
inline void lay_out_data(storable_program& p) {
  p.sizes = weight_sizes(p.from.graph);
  const std::vector<char> is_read = p.is_planned ? weights_read(p.made) : std::vector<char>(p.sizes.size(), 1);
  p.data_bytes = passes::aligned(p.made.prepared_bytes);
  for (std::size_t i = 0; i < p.sizes.size(); ++i) {
    p.places.push_back(is_read[i] != 0 ? p.data_bytes : not_stored);
    if (is_read[i] != 0) p.data_bytes += passes::aligned(p.sizes[i]);
  }
}

inline byte_list head_of(const storable_program& p) {
  record_writer head;
  for (int i = 0; i < 4; ++i) head.put(std::uint64_t{});  // seal() fills them in
  head.put(stored_format);
  head.put(std::string_view(version)), head.put(std::string_view(isa));
  head.put(p.is_planned ? plan_digest_of(p.made) : std::uint64_t{});
  head.put(std::uint8_t{p.is_planned}), head.put(static_cast<std::uint8_t>(p.wanted.winograd)), head.put(std::uint8_t{p.wanted.float16_weights});
  put(head, p.from.graph);
  head.put(p.made.prepared_bytes);
  head.put_list<std::int64_t>(p.places);
  return std::move(head.bytes);
}

inline void copy_data(const storable_program& p, std::byte* data) {
  if (p.made.prepared_bytes > 0) std::memcpy(data, p.prepared.memory.data(), static_cast<std::size_t>(p.made.prepared_bytes));
  for (std::size_t i = 0; i < p.sizes.size(); ++i)
    if (p.places[i] >= 0 && p.sizes[i] > 0) std::memcpy(data + p.places[i], p.from.weights[i], static_cast<std::size_t>(p.sizes[i]));
}

/// Writes what comes first, and the digest of the head at its end.
inline void seal(byte_list& all, std::size_t head_bytes) {
  const std::uint64_t first[] = {stored_kind, head_bytes, all.size(), digest_of(array_ref<const std::byte>(all).subspan(head_bytes))};
  std::memcpy(all.data(), first, sizeof first);
  const std::uint64_t digest = digest_of(array_ref<const std::byte>(all).first(head_bytes - sizeof digest));
  std::memcpy(all.data() + head_bytes - sizeof digest, &digest, sizeof digest);
}

}  // namespace detail

/// The bytes that restore_program() takes. Weights that steps read only in their packed form are left out.
/// Errors: out_of_memory; not_supported (the program was restored: who restored it has the bytes).
inline result<byte_list> store_program(const program& compiled) {
  const compiled_plan* const planned = detail::program_parts::plan(compiled);
  if (planned != nullptr && planned->weights.stored != nullptr) return fail(error_code::not_supported, "a program that was restored is not stored again");
  detail::storable_program p(detail::program_parts::family(compiled), planned);
  // What restore_program() does to it: folded layers with few weights are evaluated there.
  if (auto ok = infer_graph(p.from.graph); !ok) return fail(std::move(ok.error()));
  if (p.is_planned)
    if (auto ok = detail::prepare_to_store(p); !ok) return fail(std::move(ok.error()));
  detail::lay_out_data(p);

  byte_list all = detail::head_of(p);
  const auto head_bytes = static_cast<std::size_t>(passes::aligned(static_cast<std::int64_t>(all.size() + sizeof(std::uint64_t))));
  all.resize(head_bytes + static_cast<std::size_t>(p.data_bytes));
  detail::copy_data(p, all.data() + head_bytes);
  detail::seal(all, head_bytes);
  return all;
}

namespace detail {

// ---- What is read ----

inline ir::range read_range(record_reader& from) {
  const auto first = from.number<std::int32_t>();
  return {first, from.number<std::int32_t>()};
}
inline ir::value read_value(record_reader& from) {
  ir::value v;
  v.desc = read_desc(from);
  v.is = static_cast<ir::kind>(from.number<std::int32_t>());
  v.name = read_range(from);
  v.first_byte = from.number<std::int64_t>(), v.scales = from.number<std::int32_t>();
  return v;
}
/// A node; without an operator where there is none of that number.
inline ir::node read_node(record_reader& from) {
  ir::node n;
  n.op = ops::find(static_cast<op_code>(from.number<std::int32_t>()));
  if (n.op != nullptr) n.label = n.op->label;
  n.attrs = read_range(from), n.inputs = read_range(from), n.outputs = read_range(from), n.name = read_range(from);
  return n;
}
/// The graph as it stands there: check_graph() looks at it.
inline void read_graph(record_reader& from, ir::graph& g) {
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
  from.list<std::int32_t>(g.operands);
  from.list<word>(g.words);
  from.list<char>(g.text);
  const array_ref<const std::byte> bytes = from.take(from.count_of(1));
  g.bytes.insert(bytes.begin(), bytes.end());
}

[[gnu::cold]] inline failure not_stored_here(pieces why, error_code code = error_code::invalid_file) { return fail(code, "stored program: " + nnrt::joined(why)); }

/// A stored program taken apart, nothing of it checked but digests, versions and the sizes of its lists.
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

inline result<void> take_apart(array_ref<const std::byte> bytes, bool data_is_checked, stored_parts& made) {
  record_reader from{bytes};
  const auto kind = from.number<std::uint64_t>(), head_bytes = from.number<std::uint64_t>(), all = from.number<std::uint64_t>(), data_digest = from.number<std::uint64_t>();
  if (!from.ok || kind != stored_kind) return not_stored_here({"these bytes are of another kind"});
  if (all != bytes.size()) return not_stored_here({"has ", bytes.size(), " bytes, expected ", all});
  if (head_bytes % 64 != 0 || head_bytes < 64 || head_bytes > all) return not_stored_here({"its head has ", head_bytes, " bytes"});
  const array_ref<const std::byte> head = bytes.first(static_cast<std::size_t>(head_bytes - sizeof(std::uint64_t)));
  made.data = bytes.subspan(static_cast<std::size_t>(head_bytes));
  const auto head_digest = record_reader{bytes.subspan(head.size())}.number<std::uint64_t>();
  if (digest_of(head) != head_digest || (!data_is_checked && digest_of(made.data) != data_digest)) return not_stored_here({"its bytes are damaged"});
  from = {head.subspan(4 * sizeof(std::uint64_t))};
  if (const auto format = from.number<std::uint32_t>(); format != stored_format) return not_stored_here({"has format ", format, ", expected ", stored_format});
  if (const std::string_view by = from.text(); by != version) return not_stored_here({"was stored by version ", by, ", not ", version});
  if (const std::string_view by = from.text(); by != isa) return not_stored_here({"is for ", by, ", not ", isa}, error_code::not_supported);
  made.plan_digest = from.number<std::uint64_t>();
  made.is_planned = from.number<std::uint8_t>() != 0;
  made.winograd = from.number<std::uint8_t>() == 0 ? nnrt::winograd::automatic : nnrt::winograd::off;
  made.float16_weights = from.number<std::uint8_t>() != 0;
  read_graph(from, made.graph);
  made.prepared_bytes = from.number<std::int64_t>();
  from.list<std::int64_t>(made.places);
  if (!from.ok) return not_stored_here({"does not hold what it says"});
  return {};
}

/// Where each weight begins; null: it was not stored.
inline result<void> find_weights(const stored_parts& stored, pool<const std::byte*>& pointers) {
  const std::vector<std::int64_t> sizes = weight_sizes(stored.graph);
  if (sizes.size() != stored.places.size()) return not_stored_here({"has places of ", stored.places.size(), " weights, expected ", sizes.size()});
  const auto bytes = static_cast<std::int64_t>(stored.data.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t at = stored.places[i];
    const bool is_there = at != not_stored;
    if (is_there && (at < 0 || at % 64 != 0 || at > bytes || sizes[i] > bytes - at)) return not_stored_here({"weight ", i, " lies outside of it"});
    pointers.push_back(is_there ? stored.data.data() + at : nullptr);
  }
  return {};
}

/// The plan of a stored graph, whose prepared memory is there already.
inline result<shared<const compiled_plan>> plan_stored(stored_parts& stored, const program_family& family) {
  if (auto ok = require_known_extents(stored.graph); !ok) return fail(std::move(ok.error()));
  compiled_plan made;
  made.made = make_plan(stored.graph, plan_options_for(stored.winograd, stored.float16_weights));
  if (plan_digest_of(made.made) != stored.plan_digest || made.made.prepared_bytes != stored.prepared_bytes) return not_stored_here({"was packed for other kernels"});
  if (stored.prepared_bytes > static_cast<std::int64_t>(stored.data.size())) return not_stored_here({"prepared weights lie outside of it"});
  const std::vector<char> is_read = weights_read(made.made);
  for (std::size_t i = 0; i < is_read.size(); ++i)
    if (is_read[i] != 0 && family.weights->pointers()[i] == nullptr) return not_stored_here({"weight ", i, " is not in it"});
  made.weights.bound = family.weights;
  made.weights.stored = stored.data.data();
  made.optimised = std::move(stored.graph);
  made.optimised.bytes = {};  // the plan has the constants
  return shared<const compiled_plan>(shared<compiled_plan>::make(std::move(made)));
}

}  // namespace detail

/// The program that was stored, with the same bits as results; it reads its weights where the bytes are kept. Of `wanted`, the choices that a
/// plan depends on (winograd, float16_weights) are those of the stored program. With `data_is_checked` the caller answers for the weights' numbers: everything
/// else is checked in any case, and no bytes can make a program read or write outside of its memory.
/// Errors: invalid_file (not such bytes, damaged, or of another version or planner); not_supported (for another instruction set);
/// invalid_argument, rule_broken (a graph that compile() would refuse); out_of_memory; deadline_missed.
inline result<program> restore_program(const kept_bytes& bytes, const options& wanted = {}, bool data_is_checked = false) {
  if (auto ok = check_options(wanted); !ok) return fail(std::move(ok.error()));
  detail::stored_parts stored;
  if (auto ok = detail::take_apart(bytes.bytes(), data_is_checked, stored); !ok) return fail(std::move(ok.error()));
  if (auto ok = check_graph(stored.graph); !ok) return fail(std::move(ok.error()));
  if (auto ok = infer_graph(stored.graph); !ok) return fail(std::move(ok.error()));
  if (is_over(wanted.deadline)) return detail::compiled_too_late();
  pool<const std::byte*> pointers;
  if (auto ok = detail::find_weights(stored, pointers); !ok) return fail(std::move(ok.error()));
  options chosen = wanted;
  chosen.winograd = stored.winograd, chosen.float16_weights = stored.float16_weights;
  const std::size_t missing = static_cast<std::size_t>(std::count(pointers.begin(), pointers.end(), nullptr));
  const auto family = shared<detail::program_family>::make(bound_weights::stored(std::move(pointers), bytes.keeper()), chosen);
  if (stored.is_planned) {
    auto made = detail::plan_stored(stored, *family);
    if (!made) return fail(std::move(made.error()));
    return detail::program_parts::joined(family, std::move(*made));
  }
  const bool is_open = std::any_of(stored.graph.inputs.begin(), stored.graph.inputs.end(), [&](std::int32_t id) { return !stored.graph.at(id).desc.shape.is_known(); });
  if (!is_open || missing > 0) return detail::not_stored_here({"has no plan, and is not one that waits for shapes"});
  family->checked = std::move(stored.graph);
  return detail::program_parts::joined(family, {});
}

}  // namespace nnrt::inline NNRT_ISA
