// make_plan: turns an optimised graph into a plan - kernels, addresses, what is prepared, what runs in bands.
// Flow: static graphs call it in constant evaluation, compile() at run time; both kinds of executor walk what it makes.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/exec/find_bands.hpp>
#include <nnrt/exec/plan.hpp>
#include <nnrt/exec/plan_sizes.hpp>
#include <nnrt/passes/evaluate.hpp>
#include <nnrt/passes/fold.hpp>
#include <nnrt/passes/plan_memory.hpp>

namespace nnrt::inline NNRT_ISA {

/// Choices of the planner.
struct plan_options {
  bool fast_kernels = true;            // false: every step is its operator's reference
  bool unrolled = false;               // choose kernels with an unrolled form where there are such, and no bands
  nnrt::winograd winograd = nnrt::winograd::automatic;
  band_options bands = {};
  /// Weights of floats whose packed form has at least so many bytes are kept as float16, and widened before each run of their step, into memory
  /// that other steps use as well; `narrow` and `widen` convert. -1: none are.
  std::int64_t halves_from = -1;
  kernel_function narrow = nullptr;
  kernel_function widen = nullptr;
};

namespace detail {

/// Copies an output whose bytes are those of an input, a weight or a constant: outputs always lie in the arena.
inline void copy_bytes(const kernel_call& call) {
  const auto* const from = static_cast<const std::byte*>(call.in[0].data.raw());
  auto* const to = static_cast<std::byte*>(call.out[0].data.raw());
  std::copy(from, from + call.in[0].desc->bytes(), to);
}

/// One node on its way into the plan.
struct planned_node {
  kernel_choice choice;
  std::int32_t packed_block = ir::none;
  std::int32_t scratch_block = ir::none;
  bool known = false;                  // runs before the network does
  bool packs_before = false;           // pack() runs before the network does
  bool is_halved = false;              // what it packs is kept as float16
  bool needs_step = true;
  std::int32_t group = -1;             // of bands
};

struct planner {
  const ir::graph& g;
  plan_options options;
  pool<char> known;
  passes::memory_plan memory;
  pool<planned_node> nodes;
  pool<char> read_by_steps;     // values that steps read, beyond what pack() reads for them
  pool<std::int32_t> slot_of;   // of values
  pool<std::int32_t> weight_base;
  pool<std::int64_t> kept_of;   // of values: where a group keeps some of their rows, in its scratch memory; -1: nowhere
  std::int64_t halves_at = -1;  // in prepare scratch
  plan made;

  constexpr planner(const ir::graph& graph, plan_options opts)
      : g(graph), options(opts), known(passes::known_values(graph)), memory(passes::assign_blocks(graph, known)) {}

  constexpr bool is_known(std::int32_t id) const { return known[static_cast<std::size_t>(id)] != 0; }

  constexpr pool<tensor_desc> output_descs(const ir::node& n) const {
    pool<tensor_desc> descs;
    descs.reserve(g.outputs_of(n).size());
    for (const std::int32_t id : g.outputs_of(n)) descs.push_back(g.at(id).desc);
    return descs;
  }

  constexpr void choose(std::int32_t i) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(i)];
    nodes.push_back({});
    planned_node& p = nodes.back();
    p.known = is_known(g.outputs_of(n)[0]);
    p.needs_step = memory.elided[static_cast<std::size_t>(i)] == 0;
    if (!p.needs_step) return;
    if (options.fast_kernels && !p.known) p.choice = chosen_for(n, 0);
    // A plan that is made at run time stays as it is: codes are for the compiler, which completes it.
    if (!std::is_constant_evaluated() && is_in_codes(p.choice)) p.choice = {};
    if (!p.choice) p.choice.run = n.op->run_reference, p.choice.name = "reference";
    if (p.choice.has_pack()) {
      p.packs_before = true;
      for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k)
        if (is_packed(p, k) && g.inputs_of(n)[k] != ir::none && !is_known(g.inputs_of(n)[k])) p.packs_before = false;
      p.is_halved = p.packs_before && options.halves_from >= 0 && p.choice.packed_bytes >= options.halves_from && packs_floats(n, p);
      if (!p.packs_before || p.is_halved) p.packed_block = memory.add_block(p.choice.packed_bytes, i, i);
    }
  }
  /// Whether the packed form of a node's weights is floats, too.
  constexpr bool packs_floats(const ir::node& n, const planned_node& p) const {
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k)
      if (is_packed(p, k) && g.inputs_of(n)[k] != ir::none && g.at(g.inputs_of(n)[k]).desc.type != f32) return false;
    return p.choice.packs != 0 && p.choice.packed_bytes % size_of(f32) == 0;
  }
  constexpr kernel_choice chosen_for(const ir::node& n, std::int64_t band_rows) const {
    const ir::operand_list operands(g, g.inputs_of(n), known);
    const pool<tensor_desc> descs = output_descs(n);
    return n.op->select({g.attrs_of(n), operands.operands, descs, options.unrolled, options.winograd, band_rows, options.halves_from >= 0});
  }
  constexpr void add_scratch() {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      planned_node& p = nodes[i];
      if (p.choice.scratch_bytes == 0 || p.group >= 0) continue;
      p.scratch_block = memory.add_block(p.choice.scratch_bytes, static_cast<std::int32_t>(i), static_cast<std::int32_t>(i));
      made.part_scratch_bytes = std::max(made.part_scratch_bytes, passes::aligned(p.choice.scratch_bytes));
    }
  }

  /// Whether some tensor, or two steps behind each other, are worth a search.
  constexpr bool may_have_bands() const {
    if (!options.bands.enabled || options.unrolled) return false;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].choice.rows) continue;
      if (options.bands.rows > 0 || g.at(g.outputs_of(g.nodes[i])[0]).desc.bytes() >= second_cache_bytes) return true;
      if (i + 1 < nodes.size() && keeps_rows(nodes[i + 1].choice.rows)) return true;
    }
    return false;
  }
  constexpr void add_bands() {
    pool<band_candidate> candidates;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const planned_node& p = nodes[i];
      if (p.known || !p.needs_step) continue;
      const bool packs_each_time = p.choice.has_pack() && (!p.packs_before || p.is_halved);
      candidates.push_back({static_cast<std::int32_t>(i), packs_each_time ? row_window{} : p.choice.rows, p.choice.packed_bytes, p.choice.parts});
    }
    const band_finder finder(g, memory, candidates, options.bands);
    for (const found_group& found : finder.find()) {
      add_group(finder, found);
      for (std::int32_t c = found.first; c <= found.last; ++c) candidates[static_cast<std::size_t>(c)].has_group = true;
    }
    if (options.bands.rows > 0) return;
    for (const found_group& found : finder.find_joined()) add_group(finder, found);
  }
  /// Gives a group memory for the rows that it keeps in place of the tensors between its steps.
  constexpr void add_group(const band_finder& finder, const found_group& found) {
    band_group group;
    group.first_window = static_cast<std::int32_t>(made.windows.size());
    group.rows = found.rows;
    const std::int32_t first_node = finder.at(found.first).node, last_node = finder.at(found.last).node;
    for (std::int32_t c = found.first; c <= found.last; ++c) {
      group.scratch_bytes = std::max(group.scratch_bytes, passes::aligned(node_at(finder.at(c).node).choice.scratch_bytes));
      made.windows.push_back(finder.at(c).rows);
    }
    const bool is_whole = found.rows == 0;
    std::int64_t rows = is_whole ? finder.desc_of(found.last).shape[1] : found.rows;
    for (std::int32_t c = found.last; c >= found.first; --c) {
      planned_node& p = node_at(finder.at(c).node);
      p.group = static_cast<std::int32_t>(made.bands.size());
      p.choice = chosen_for(finder.node_of(c), rows);
      group.parts = parts_of(group.parts + p.choice.parts - 1);
      if (is_whole) extend(finder.block_of(finder.result_of(c)), first_node, last_node, true), extend(finder.block_of(finder.result_of(c)), first_node, last_node, false);
      else if (c < found.last && !finder.is_in_place(c, found.last)) {
        kept_of[static_cast<std::size_t>(finder.result_of(c))] = take(group.scratch_bytes, rows * finder.row_bytes(c));
        memory.block_at(finder.block_of(finder.result_of(c))).bytes = 0;
      }
      for (const std::int32_t id : g.inputs_of(finder.node_of(c)))
        if (id != ir::none && memory.at(id).block != ir::none) extend(finder.block_of(id), first_node, last_node, false);
      if (c > found.first) rows = finder.rows_before(c, rows);
    }
    extend(finder.block_of(finder.result_of(found.last)), first_node, last_node, true);
    const std::int32_t scratch = group.scratch_bytes > 0 ? memory.add_block(group.scratch_bytes, first_node, last_node) : ir::none;
    for (std::int32_t c = is_whole ? found.first : found.last; c <= found.last; ++c) node_at(finder.at(c).node).scratch_block = scratch;
    made.part_scratch_bytes = std::max(made.part_scratch_bytes, group.scratch_bytes);
    made.bands.push_back(group);
  }
  /// Results of a group are written from its first step on, what it reads is read until its last.
  constexpr void extend(std::int32_t block, std::int32_t first, std::int32_t last, bool is_result) {
    passes::block& b = memory.block_at(block);
    if (is_result) b.first = std::min(b.first, first);
    else b.last = std::max(b.last, last);
  }
  constexpr planned_node& node_at(std::int32_t i) { return nodes[static_cast<std::size_t>(i)]; }

  /// Whether a code stands for the functions of a choice. In the compiler it does so wherever there is one; g++ with sanitizers cannot say
  /// there whether a function that a binding names is null.
  static constexpr bool is_in_codes(const kernel_choice& choice) {
    if (std::is_constant_evaluated()) return static_cast<bool>(choice.code);
    return choice.code && choice.run == nullptr;
  }
  static constexpr bool is_packed(const planned_node& p, std::size_t operand) { return names_operand(p.choice.packs, operand); }

  constexpr void find_reads() {
    read_by_steps.assign(g.values.size(), 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      for (std::size_t k = 0; k < g.inputs_of(g.nodes[i]).size(); ++k) {
        const std::int32_t id = g.inputs_of(g.nodes[i])[k];
        if (id != ir::none && !nodes[i].known && !(nodes[i].packs_before && is_packed(nodes[i], k))) mark_read(id);
      }
    for (const ir::output& out : g.outputs) mark_read(out.value);
  }
  constexpr void mark_read(std::int32_t id) {
    read_by_steps[static_cast<std::size_t>(id)] = 1;
    if (const std::int32_t same = memory.at(id).same_as; same != ir::none) read_by_steps[static_cast<std::size_t>(same)] = 1;
    if (const std::int32_t scales = g.at(id).scales; scales != ir::none) read_by_steps[static_cast<std::size_t>(scales)] = 1;
  }

  /// The index of a desc, which is added when it is new. The search begins at the newest: neighbours are alike.
  constexpr std::int32_t desc_index(const tensor_desc& desc) {
    // The last extent first: comparing whole descs was a sixth of what compilers spent on planning MobileNetV2.
    const int last = desc.rank() > 0 ? desc.rank() - 1 : 0;
    const std::int64_t extent = desc.shape.extents[last];
    const tensor_desc* const first = made.descs.begin();
    for (const tensor_desc* known = made.descs.end(); known != first;)
      if ((--known)->shape.extents[last] == extent && *known == desc) return static_cast<std::int32_t>(known - first);
    made.descs.push_back(desc);
    return static_cast<std::int32_t>(made.descs.size()) - 1;
  }
  constexpr std::int32_t add_slot(const operand_slot& slot) {
    made.slots.push_back(slot);
    return static_cast<std::int32_t>(made.slots.size()) - 1;
  }
  constexpr std::int64_t take(std::int64_t& region, std::int64_t bytes) {
    const std::int64_t at = region;
    region += passes::aligned(bytes);
    return at;
  }

  /// Address of a value; of known results it is decided here.
  constexpr operand_slot address(std::int32_t id) {
    const ir::value& v = g.at(id);
    operand_slot slot;
    slot.desc = desc_index(v.desc);
    const passes::location at = memory.at(id);
    if (at.same_as != ir::none) {
      const operand_slot& origin = made.slots[static_cast<std::size_t>(slot_for(at.same_as))];
      slot.base = origin.base;
      slot.offset = origin.offset + at.offset;
    } else if (const std::int64_t kept = kept_of[static_cast<std::size_t>(id)]; kept >= 0) {
      slot.base = in_band;
      slot.offset = kept;
    } else if (at.block != ir::none) {
      slot.base = in_arena;
      slot.offset = memory.address(id);
    } else if (v.is == ir::kind::constant) {
      slot.base = in_constants;
      slot.offset = v.first_byte;
    } else if (v.is == ir::kind::input || v.is == ir::kind::weight) {
      slot.base = weight_base[static_cast<std::size_t>(id)];
    } else if (read_by_steps[static_cast<std::size_t>(id)] != 0) {
      slot.base = in_prepared;
      slot.offset = take(made.prepared_bytes, v.desc.bytes());
    } else {
      slot.base = in_prepare_scratch;
      slot.offset = take(made.prepare_scratch_bytes, v.desc.bytes());
    }
    if (v.scales != ir::none) slot.scales = slot_for(v.scales);
    return slot;
  }
  constexpr std::int32_t slot_for(std::int32_t id) {
    std::int32_t& slot = slot_of[static_cast<std::size_t>(id)];
    if (slot < 0) {
      const operand_slot found = address(id);
      slot = add_slot(found);
    }
    return slot;
  }

  /// The slots of a node's operands, side by side. Those that pack() reads have memory for pack() alone, the others for run() alone; all
  /// keep their descs. The packed form comes last, for run().
  constexpr ir::range operand_row(const ir::node& n, const planned_node& p, const operand_slot* packed, bool for_pack) {
    pool<operand_slot> row;
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k) {
      const std::int32_t id = g.inputs_of(n)[k];
      operand_slot slot;
      if (id != ir::none) slot = made.slots[static_cast<std::size_t>(slot_for(id))];
      if (is_packed(p, k) != for_pack) slot.base = no_memory;
      row.push_back(slot);
    }
    if (packed != nullptr) row.push_back(*packed);
    return add_row(row);
  }
  constexpr ir::range add_row(const pool<operand_slot>& row) {
    const ir::range at{static_cast<std::int32_t>(made.slots.size()), static_cast<std::int32_t>(row.size())};
    made.slots.insert(row.begin(), row.end());
    return at;
  }

  /// Brings the packed operands of a node about - by a step before it, before every run or once, or here and now - and says where they are.
  constexpr operand_slot add_pack(const ir::node& n, const planned_node& p, const step& of_node) {
    operand_slot packed;
    packed.desc = desc_index({u8, {p.choice.packed_bytes}});
    if (p.choice.packs_in_compiler && packs_constants_only(n, p)) {
      packed.base = in_constants;
      packed.offset = pack_now(n, p);
      return packed;
    }
    if (p.is_halved) return add_halved_pack(n, p, of_node);
    packed.base = p.packs_before ? in_prepared : in_arena;
    packed.offset = p.packs_before ? take(made.prepared_bytes, p.choice.packed_bytes) : memory.block_at(p.packed_block).offset;
    (p.packs_before ? made.prepare : made.steps).push_back(pack_step(n, p, of_node, packed));
    return packed;
  }
  constexpr step pack_step(const ir::node& n, const planned_node& p, const step& of_node, const operand_slot& packed) {
    step pack = of_node;
    pack.run = p.choice.pack;
    if (is_in_codes(p.choice)) pack.code = p.choice.code, pack.code.packs = true, pack.code.table = -1;
    pack.inputs = operand_row(n, p, nullptr, true);
    pack.outputs = result_row(n, packed);
    pack.kernel = "pack";
    if (!p.packs_before) pack.parts = p.choice.pack_parts;
    return pack;
  }
  /// The same for weights that are kept as float16: packed and narrowed once, widened before every run of the step. All of them are packed in one
  /// piece of memory.
  constexpr operand_slot add_halved_pack(const ir::node& n, const planned_node& p, const step& of_node) {
    operand_slot packed{.base = in_prepare_scratch, .desc = desc_index({u8, {p.choice.packed_bytes}}), .offset = halves_scratch()};
    made.prepare.push_back(pack_step(n, p, of_node, packed));
    const std::int64_t count = p.choice.packed_bytes / size_of(f32);
    const std::int32_t floats = desc_index({f32, {count}}), halves = desc_index({f16, {count}});
    const operand_slot kept{.base = in_prepared, .desc = halves, .offset = take(made.prepared_bytes, count * size_of(f16))};
    made.prepare.push_back(conversion(of_node, options.narrow, "narrow", {packed.base, floats, packed.offset}, kept));
    packed.base = in_arena;
    packed.offset = memory.block_at(p.packed_block).offset;
    made.steps.push_back(conversion(of_node, options.widen, "widen weights", kept, {packed.base, floats, packed.offset}));
    made.steps.back().parts = parts_for(count);
    return packed;
  }
  constexpr step conversion(const step& of_node, kernel_function run, std::string_view name, const operand_slot& from, const operand_slot& to) {
    step made_of = of_node;
    made_of.run = run;
    made_of.kernel = name;
    made_of.inputs = add_row(pool<operand_slot>{from});
    made_of.outputs = add_row(pool<operand_slot>{to});
    return made_of;
  }
  /// Where weights are packed before they are narrowed: room for the largest.
  constexpr std::int64_t halves_scratch() {
    if (halves_at >= 0) return halves_at;
    std::int64_t largest = 0;
    for (const planned_node& p : nodes)
      if (p.is_halved) largest = std::max(largest, p.choice.packed_bytes);
    return halves_at = take(made.prepare_scratch_bytes, largest);
  }
  /// What pack() writes: the packed form. It sees the descs of the node's results behind it: a quantised layer's weights are scaled by
  /// what they say.
  constexpr ir::range result_row(const ir::node& n, const operand_slot& packed) {
    pool<operand_slot> row;
    row.push_back(packed);
    for (const std::int32_t id : g.outputs_of(n)) {
      operand_slot result;
      result.desc = desc_index(g.at(id).desc);
      row.push_back(result);
    }
    return add_row(row);
  }
  constexpr bool packs_constants_only(const ir::node& n, const planned_node& p) const {
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k) {
      const std::int32_t id = g.inputs_of(n)[k];
      if (is_packed(p, k) && id != ir::none && g.at(id).is != ir::kind::constant) return false;
    }
    return true;
  }
  /// Runs pack() on constants and puts the result among them; its offset there.
  constexpr std::int64_t pack_now(const ir::node& n, const planned_node& p) {
    typed_buffers buffers(g.inputs_of(n).size());
    pool<view> in;
    for (std::size_t k = 0; k < g.inputs_of(n).size(); ++k) {
      const std::int32_t id = g.inputs_of(n)[k];
      view operand;
      if (id != ir::none) operand.desc = &g.at(id).desc;
      if (id != ir::none && is_packed(p, k)) {
        buffers[k] = passes::detail::load(g, g.at(id));
        operand.data = buffers[k].data();
      }
      in.push_back(operand);
    }
    const tensor_desc desc{f32, {p.choice.packed_bytes / size_of(f32)}};
    const typed_buffer result(f32, desc.elements());
    const view out[] = {{&desc, result.data()}};
    kernel_call call;
    call.attrs = g.attrs_of(n);
    call.in = in;
    call.out = out;
    p.choice.pack(call);
    while (made.constants.size() % passes::arena_alignment != 0) made.constants.push_back(std::byte{});
    const auto offset = static_cast<std::int64_t>(made.constants.size());
    for (const float element : result.as<float>()) {
      const auto raw = std::bit_cast<std::array<std::byte, sizeof(float)>>(element);
      made.constants.insert(raw.begin(), raw.end());
    }
    return offset;
  }

  constexpr void emit(std::int32_t i) {
    const ir::node& n = g.nodes[static_cast<std::size_t>(i)];
    const planned_node& p = nodes[static_cast<std::size_t>(i)];
    if (!p.needs_step) return;
    step s;
    s.node = i;
    s.attrs = {static_cast<std::int32_t>(made.words.size()), n.attrs.count};
    made.words.insert(g.attrs_of(n).begin(), g.attrs_of(n).end());
    s.record = static_cast<std::int32_t>(made.words.size());
    made.words.insert(p.choice.record.words.begin(), p.choice.record.words.begin() + p.choice.record.count);
    operand_slot packed;
    if (p.choice.has_pack()) packed = add_pack(n, p, s);
    s.run = p.choice.run;
    if (is_in_codes(p.choice)) s.code = p.choice.code;
    s.inner = p.choice.inner;
    s.kernel = p.choice.name;
    s.form = p.choice.form;
    s.fused_word = n.op->fused_word;
    s.parts = p.choice.parts;
    s.inputs = operand_row(n, p, p.choice.has_pack() ? &packed : nullptr, false);
    pool<operand_slot> results;
    for (const std::int32_t id : g.outputs_of(n)) results.push_back(made.slots[static_cast<std::size_t>(slot_for(id))]);
    s.outputs = add_row(results);
    s.scratch_bytes = passes::aligned(p.choice.scratch_bytes);
    if (p.scratch_block != ir::none) s.scratch = memory.block_at(p.scratch_block).offset;
    if (p.group >= 0) add_to_group(p.group, s);
    (p.known ? made.prepare : made.steps).push_back(s);
    if (n.op->traits.may_fail) made.fallible.push_back({i, n.op->name, add_text(n.name), n.op->rules});
  }

  /// The next step belongs to this group; the last one has its scratch memory.
  constexpr void add_to_group(std::int32_t index, step& next) {
    band_group& group = made.bands[static_cast<std::size_t>(index)];
    if (group.steps.count++ == 0) group.steps.first = static_cast<std::int32_t>(made.steps.size()), next.group = index;
    group.scratch = next.scratch;
  }

  constexpr ir::range add_text(ir::range name) {
    const std::string_view text = g.name_of(name);
    const ir::range at{static_cast<std::int32_t>(made.text.size()), name.count};
    made.text.insert(text.begin(), text.end());
    return at;
  }
  constexpr port port_for(ir::range name, std::int32_t slot) { return {add_text(name), slot}; }

  /// Inputs in order of declaration, then weights in order of declaration: the bases of a run.
  constexpr void number_bases() {
    weight_base.assign(g.values.size(), no_memory);
    std::int32_t next = first_input;
    for (const std::int32_t id : g.inputs) weight_base[static_cast<std::size_t>(id)] = next++;
    for (std::size_t id = 0; id < g.values.size(); ++id)
      if (g.values[id].is == ir::kind::weight) weight_base[id] = next++;
  }
  constexpr void add_ports() {
    for (const std::int32_t id : g.inputs) made.inputs.push_back(port_for(g.at(id).name, slot_for(id)));
    for (std::size_t id = 0; id < g.values.size(); ++id)
      if (g.values[id].is == ir::kind::weight) made.weights.push_back(port_for(g.values[id].name, slot_for(static_cast<std::int32_t>(id))));
  }

  /// Outputs that are no result of a step are copied into the arena by one of their own.
  constexpr void add_output(const ir::output& out, std::int32_t copy_block) {
    std::int32_t slot = slot_for(out.value);
    if (copy_block != ir::none) {
      operand_slot target = made.slots[static_cast<std::size_t>(slot)];
      const operand_slot source = target;
      target.base = in_arena;
      target.offset = memory.block_at(copy_block).offset;
      step copy;
      copy.run = &copy_bytes;
      copy.kernel = "copy";
      copy.node = -1;
      copy.inputs = add_row(pool<operand_slot>{source});
      copy.outputs = add_row(pool<operand_slot>{target});
      made.steps.push_back(copy);
      slot = copy.outputs.first;
    }
    made.outputs.push_back(port_for(out.name, slot));
  }

  // A list that grows is copied, and compilers evaluate that element by element.
  constexpr void reserve() {
    const plan_sizes room = room_to_plan(sizes_of(g));
    nodes.reserve(g.nodes.size());
    made.steps.reserve(room.steps);
    made.prepare.reserve(room.prepare);
    made.slots.reserve(room.slots);
    made.descs.reserve(room.descs);
    made.words.reserve(room.words);
    made.weights.reserve(room.weights);
    made.text.reserve(room.text);
  }

  constexpr plan run() {
    const auto count = static_cast<std::int32_t>(g.nodes.size());
    reserve();
    made.constants = g.bytes;
    for (std::int32_t i = 0; i < count; ++i) choose(i);
    kept_of.assign(g.values.size(), -1);
    if (may_have_bands()) add_bands();
    add_scratch();
    pool<std::int32_t> copies;
    for (const ir::output& out : g.outputs)
      copies.push_back(memory.at(out.value).block != ir::none ? ir::none : memory.add_block(g.at(out.value).desc.bytes(), count, count));
    if (options.unrolled) passes::keep_apart(memory, g.nodes.size());
    passes::place_blocks(memory, g.nodes.size());
    find_reads();
    slot_of.assign(g.values.size(), -1);
    number_bases();
    add_ports();
    for (std::int32_t i = 0; i < count; ++i) emit(i);
    for (std::size_t i = 0; i < g.outputs.size(); ++i) add_output(g.outputs[i], copies[i]);
    made.arena_bytes = memory.arena_bytes;
    made.arena_lower_bound = memory.lower_bound;
    return static_cast<plan&&>(made);
  }
};

}  // namespace detail

/// The plan of a graph whose shapes are all known. Its kernels are those that the instruction set of this translation unit allows.
constexpr plan make_plan(const ir::graph& g, plan_options options = {}) { return detail::planner(g, options).run(); }

}  // namespace nnrt::inline NNRT_ISA
