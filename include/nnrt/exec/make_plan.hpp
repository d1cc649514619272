// make_plan: turns an optimised graph into a plan - steps with the addresses of their operands, and prepared data.
// Flow: static graphs call it in constant evaluation, compile() at run time; choose_kernels.hpp is its first half; both
// kinds of executor run the plan.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/exec/choose_kernels.hpp>
#include <nnrt/exec/distinct_descs.hpp>
#include <nnrt/exec/plan_sizes.hpp>
#include <nnrt/passes/evaluate.hpp>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Copies a tensor: an output that shares bytes with an input, weight, constant or changing state, since outputs must
/// be in the arena; or the next value of a state.
inline void copy_bytes(const kernel_call& call) {
  const auto* const from = static_cast<const std::byte*>(call.in[0].data.raw());
  auto* const to = static_cast<std::byte*>(call.out[0].data.raw());
  std::copy(from, from + call.in[0].desc->bytes(), to);
}

/// Lays out the steps of a graph whose kernels are chosen and whose blocks are placed.
struct planner : kernel_chooser {
  pool<char> read_by_steps;    // values that steps read, other than through pack()
  pool<std::int32_t> slot_of;  // by value
  pool<std::int32_t> weight_base;
  std::int64_t halves_at = -1;  // in prepare scratch
  distinct_descs desc_finder;
  plan made;

  constexpr planner(const ir::graph& graph, plan_options opts, const deadline_watch& deadline, placed_nodes&& placed)
      : kernel_chooser(graph, opts, deadline) {
    static_cast<placed_nodes&>(*this) = static_cast<placed_nodes&&>(placed);
  }

  constexpr void find_reads() {
    read_by_steps.assign(g.values.size(), 0);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      for (std::size_t k = 0; k < g.inputs_of(g.nodes[i]).size(); ++k) {
        const std::int32_t id = g.inputs_of(g.nodes[i])[k];
        if (id != ir::none && !nodes[i].known && !(nodes[i].packs_before && is_packed(nodes[i], k))) mark_read(id);
      }
    for (const ir::output& out : g.outputs) mark_read(out.value);
    for (const ir::state& s : g.states) {
      mark_read(s.next);
      if (s.initial != ir::none) mark_read(s.initial);
    }
  }
  constexpr void mark_read(std::int32_t id) {
    read_by_steps[static_cast<std::size_t>(id)] = 1;
    if (const std::int32_t same = memory().at(id).same_as; same != ir::none)
      read_by_steps[static_cast<std::size_t>(same)] = 1;
    if (const std::int32_t scales = g.at(id).scales; scales != ir::none)
      read_by_steps[static_cast<std::size_t>(scales)] = 1;
  }

  /// The index of a desc, which is added if it is new. It searches the 64 newest descs first, since neighbours are
  /// often equal.
  constexpr std::int32_t desc_index(const tensor_desc& desc) {
    constexpr std::size_t far = 64;
    // Compares the last extent first: comparing whole descs took a sixth of the compile time of planning MobileNetV2.
    const int last = desc.rank() > 0 ? desc.rank() - 1 : 0;
    const std::int64_t extent = desc.shape.extents[last];
    const tensor_desc* const first = made.descs.begin() + (made.descs.size() > far ? made.descs.size() - far : 0);
    for (const tensor_desc* other = made.descs.end(); other != first;)
      if ((--other)->shape.extents[last] == extent && *other == desc)
        return static_cast<std::int32_t>(other - made.descs.begin());
    if (made.descs.size() >= far) return desc_finder.index_in(made.descs, desc);
    made.descs.push_back(desc);
    return static_cast<std::int32_t>(made.descs.size()) - 1;
  }
  constexpr std::int32_t add_slot(const operand_slot& slot) {
    made.slots.push_back(slot);
    return static_cast<std::int32_t>(made.slots.size()) - 1;
  }

  /// Address of a value; allocates memory for known results.
  constexpr operand_slot address(std::int32_t id) {
    const ir::value& v = g.at(id);
    operand_slot slot;
    slot.desc = desc_index(v.desc);
    const passes::location at = memory().at(id);
    if (at.same_as != ir::none) {
      const operand_slot& origin = made.slots[static_cast<std::size_t>(slot_for(at.same_as))];
      slot.base = origin.base;
      slot.offset = origin.offset + at.offset;
    } else if (const std::int64_t kept = kept_of[static_cast<std::size_t>(id)]; kept >= 0) {
      slot.base = in_stripe;
      slot.offset = kept;
    } else if (at.block != ir::none) {
      slot.base = in_arena;
      slot.offset = memory().address(id);
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

  /// Adds the slots of a node's operands. Operands that pack() reads have memory for pack() only, the others for run()
  /// only; all have their descs. The packed weights are last, for run().
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

  /// Adds the packing of a node's operands and returns the slot of the packed weights. Packing is done now, by a
  /// prepare step, or by a step before each run of the node.
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
    packed.offset =
        p.packs_before ? take(made.prepared_bytes, p.choice.packed_bytes) : memory().block_at(p.packed_block).offset;
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
  /// As above, for weights that are stored as f16: packed and narrowed once, widened before every run of the step. All
  /// of them share one scratch block for packing.
  constexpr operand_slot add_halved_pack(const ir::node& n, const planned_node& p, const step& of_node) {
    operand_slot packed{
        .base = in_prepare_scratch, .desc = desc_index({u8, {p.choice.packed_bytes}}), .offset = halves_scratch()};
    made.prepare.push_back(pack_step(n, p, of_node, packed));
    const std::int64_t count = p.choice.packed_bytes / size_of(f32);
    const std::int32_t floats = desc_index({f32, {count}}), halves = desc_index({f16, {count}});
    const operand_slot kept{
        .base = in_prepared, .desc = halves, .offset = take(made.prepared_bytes, count * size_of(f16))};
    made.prepare.push_back(conversion(of_node, options.narrow, "narrow", {packed.base, floats, packed.offset}, kept));
    packed.base = in_arena;
    packed.offset = memory().block_at(p.packed_block).offset;
    made.steps.push_back(
        conversion(of_node, options.widen, "widen weights", kept, {packed.base, floats, packed.offset}));
    made.steps.back().parts = parts_for(count);
    return packed;
  }
  constexpr step conversion(const step& of_node, kernel_function converts, std::string_view name,
                            const operand_slot& from, const operand_slot& to) {
    step made_of = of_node;
    made_of.run = converts;
    made_of.kernel = name;
    made_of.inputs = add_row(pool<operand_slot>{from});
    made_of.outputs = add_row(pool<operand_slot>{to});
    return made_of;
  }
  /// Scratch for packing before narrowing: the size of the largest.
  constexpr std::int64_t halves_scratch() {
    if (halves_at >= 0) return halves_at;
    std::int64_t largest = 0;
    for (const planned_node& p : nodes)
      if (p.is_halved) largest = std::max(largest, p.choice.packed_bytes);
    return halves_at = take(made.prepare_scratch_bytes, largest);
  }
  /// The row of pack()'s results: the packed weights, then the descs of the node's results, by which a quantised
  /// layer's weights are scaled.
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
  /// Runs pack() on constants and appends the result to the constants; returns its offset.
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
    s.kernel_plan = static_cast<std::int32_t>(made.words.size());
    made.words.insert(p.choice.plan.words.begin(), p.choice.plan.words.begin() + p.choice.plan.count);
    operand_slot packed;
    if (p.choice.has_pack()) packed = add_pack(n, p, s);
    s.run = p.choice.run;
    if (is_in_codes(p.choice)) s.code = p.choice.code;
    s.inner = p.choice.inner;
    s.kernel = p.choice.name;
    s.unrolled = p.choice.unrolled;
    s.fused_word = n.op->fused_word;
    s.parts = p.choice.parts;
    s.inputs = operand_row(n, p, p.choice.has_pack() ? &packed : nullptr, false);
    pool<operand_slot> results;
    for (const std::int32_t id : g.outputs_of(n)) results.push_back(made.slots[static_cast<std::size_t>(slot_for(id))]);
    s.outputs = add_row(results);
    s.scratch_bytes = passes::aligned(p.choice.scratch_bytes);
    if (p.scratch_block != ir::none) s.scratch = memory().block_at(p.scratch_block).offset;
    if (p.group >= 0) add_to_group(p.group, s);
    if (!g.states.empty() && !p.known) note_change(n, p.group);
    (p.known ? made.prepare : made.steps).push_back(s);
    if (n.op->traits.may_fail) made.fallible.push_back({i, n.op->name, add_text(n.name), n.op->rules});
  }

  /// Records the next step, or its group, if it is the first that writes to a state.
  constexpr void note_change(const ir::node& n, std::int32_t group) {
    for (const std::int32_t id : g.outputs_of(n))
      if (memory().state_of(id) != ir::none && made.steps_before_states < 0)
        made.steps_before_states = group < 0 ? static_cast<std::int64_t>(made.steps.size())
                                             : made.stripes[static_cast<std::size_t>(group)].steps.first;
  }

  /// Adds the next step to a group; the scratch memory of the last step is the group's.
  constexpr void add_to_group(std::int32_t index, step& next) {
    stripe_group& group = made.stripes[static_cast<std::size_t>(index)];
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

  /// Numbers the bases of a run: inputs in order of declaration, then weights in order of declaration.
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
      if (g.values[id].is == ir::kind::weight)
        made.weights.push_back(port_for(g.values[id].name, slot_for(static_cast<std::int32_t>(id))));
  }

  /// Adds an output. If it needs a copy, a step copies it to copy_block.
  constexpr void add_output(const ir::output& out, std::int32_t copy_block) {
    std::int32_t slot = slot_for(out.value);
    if (copy_block != ir::none)
      slot = add_copy("copy", made.slots[static_cast<std::size_t>(slot)], memory().block_at(copy_block).offset);
    made.outputs.push_back(port_for(out.name, slot));
  }
  /// Adds a step that copies a tensor to this offset in the arena; returns its slot.
  constexpr std::int32_t add_copy(std::string_view name, const operand_slot& source, std::int64_t offset) {
    operand_slot target = source;
    target.base = in_arena;
    target.offset = offset;
    step copy;
    copy.run = &copy_bytes;
    copy.kernel = name;
    copy.node = -1;
    copy.inputs = add_row(pool<operand_slot>{source});
    copy.outputs = add_row(pool<operand_slot>{target});
    made.steps.push_back(copy);
    return copy.outputs.first;
  }

  constexpr void add_states() {
    for (const ir::state& s : g.states) {
      const std::int32_t slot = slot_for(s.value), initial = s.initial == ir::none ? -1 : slot_for(s.initial);
      made.states.push_back({add_text(g.at(s.value).name), slot, initial, false});
    }
  }
  /// Adds the copies of states, after all nodes and outputs.
  constexpr void add_state_copies() {
    if (made.steps_before_states < 0) made.steps_before_states = static_cast<std::int64_t>(made.steps.size());
    for (const state_copy& c : state_updates) {
      const ir::state& s = g.states[static_cast<std::size_t>(c.state)];
      const operand_slot state = made.slots[static_cast<std::size_t>(slot_for(s.value))];
      if (c.is_saving) {
        add_copy("save state", state, memory().block_at(c.saved).offset);
        continue;
      }
      operand_slot source = made.slots[static_cast<std::size_t>(slot_for(s.next))];
      if (c.saved != ir::none)
        source.offset += memory().block_at(c.saved).offset - memory().block_at(memory().state_of(s.next)).offset;
      add_copy("copy state", source, state.offset);
      made.states[static_cast<std::size_t>(c.state)].is_copied = true;
    }
  }

  // Reserves lists, because growing copies them, which compilers evaluate element by element.
  constexpr void reserve() {
    const plan_sizes room = room_to_plan(sizes_of(g));
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
    made.stripes = stripes, made.windows = windows, made.part_scratch_bytes = part_scratch_bytes;
    find_reads();
    slot_of.assign(g.values.size(), -1);
    number_bases();
    add_ports();
    add_states();
    made.steps_before_states = -1;
    for (std::int32_t i = 0; i < count && (i % 16 != 0 || !watch.is_over()); ++i) emit(i);
    if (watch.is_over()) return {};
    for (std::size_t i = 0; i < g.outputs.size(); ++i) add_output(g.outputs[i], copies[i]);
    add_state_copies();
    made.arena_bytes = arena_bytes;
    made.arena_lower_bound = lower_bound;
    return static_cast<plan&&>(made);
  }
};

/// Chooses kernels and places the memory of a graph. Incomplete after the deadline.
constexpr placed_nodes place_nodes(const ir::graph& g, const plan_options& options, const deadline_watch& watch) {
  kernel_chooser chosen(g, options, watch);
  chosen.place();
  return static_cast<placed_nodes&&>(chosen);
}
/// Plans the steps of a graph whose kernels are chosen. Incomplete after the deadline.
constexpr plan plan_steps(const ir::graph& g, const plan_options& options, const deadline_watch& watch,
                          placed_nodes placed) {
  return planner(g, options, watch, static_cast<placed_nodes&&>(placed)).run();
}

}  // namespace detail

/// Makes the plan of a graph whose shapes are all known. Its kernels are those for the instruction set of this
/// translation unit. After the deadline the plan is incomplete and must not be run.
constexpr plan make_plan(const ir::graph& g, plan_options options = {}, const deadline_watch& watch = {}) {
  detail::placed_nodes placed = detail::place_nodes(g, options, watch);
  if (watch.is_over()) return {};
  return detail::plan_steps(g, options, watch, static_cast<detail::placed_nodes&&>(placed));
}

}}  // namespace nnrt::NNRT_ISA
