// graph: the only representation of a network between front ends and plans - values and nodes over shared pools.
// Flow: builder and readers make it, passes rewrite it (in constant evaluation or at run time), the planner turns it
// into steps.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/pool.hpp>

#include <cstddef>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace ir {

/// The role of a value in the network.
enum class kind { input, weight, constant, result, state };

/// A range of elements in one of the graph's pools.
struct range {
  std::int32_t first = 0;
  std::int32_t count = 0;
  friend constexpr bool operator==(const range&, const range&) = default;
};

inline constexpr std::int32_t none = -1;

/// A tensor of the network.
struct value {
  tensor_desc desc;
  kind is = kind::result;
  range name;                   // in text; inputs, weights and states have one
  std::int64_t first_byte = 0;  // offset of a constant in `bytes`
  std::int32_t scales = none;   // the value that holds the scales of a per-channel quantised tensor
};

/// One operator applied to values.
struct node {
  const operator_info* op = nullptr;
  const operator_label* label = nullptr;  // of op; remains when op is dropped from graphs that are kept to be printed
  range attrs;                            // in words
  range inputs;                           // in operands; `none` for an optional operand that is missing
  range outputs;                          // in operands
  range name;                             // in text; empty: the node has no name
  bool removed = false;                   // set by a pass that takes the node out; compact() drops it
  int left_open = -1;                     // the first attribute of traits.to_be_said that was not given; -1: none
};

/// A result that the user asked for, by name.
struct output {
  std::int32_t value = none;
  range name;
};

/// A tensor that keeps its value between runs.
struct state {
  std::int32_t value = none;    // of kind::state: its value at the begin of a run
  std::int32_t next = none;     // its value at the begin of the next run; has the state's desc
  std::int32_t initial = none;  // its value in the first run: a constant or weight of the state's desc; none: zeros
};

/// Finds the state with this value by binary search; builders add states with ascending values. nullptr: not found.
constexpr state* find_state(pool<state>& states, std::int32_t value) {
  std::size_t first = 0, end = states.size();
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (states[middle].value < value) first = middle + 1;
    else end = middle;
  }
  return first < states.size() && states[first].value == value ? &states[first] : nullptr;
}

/// Whether a state may become a value of this desc: the elements and their order must be the same. Unknown extents of
/// the value fit any extent. Rounding is not compared, because a tensor does not store it. Of the formats, only nchw
/// has another order.
constexpr bool can_be_next(const tensor_desc& state, const tensor_desc& next) {
  const quantisation &of = state.quantised, &q = next.quantised;
  if (state.type != next.type || state.rank() != next.rank() ||
      (state.layout == format::nchw) != (next.layout == format::nchw))
    return false;
  if (of.mode != q.mode || (of && (of.scale != q.scale || of.zero_point != q.zero_point || of.axis != q.axis)))
    return false;
  for (int i = 0; i < state.rank(); ++i)
    if (next.shape[i] >= 0 && next.shape[i] != state.shape[i]) return false;
  return true;
}

namespace detail {
/// An element as bytes. std::array and std::copy_n would be instantiated for every dtype and size.
template <std::size_t N> struct raw_element {
  std::byte bytes[N];
};

template <class T> constexpr array_ref<T> slice(pool<T>& list, range at) {
  return {list.data() + at.first, static_cast<std::size_t>(at.count)};
}
template <class T> constexpr array_ref<const T> slice(const pool<T>& list, range at) {
  return {list.data() + at.first, static_cast<std::size_t>(at.count)};
}
}  // namespace detail

/// The changes that passes make to nodes.
enum class change { evaluated, merged, folded, fused, removed, widened };

/// One change by a pass, for graph::text().
struct event {
  change what{};
  const operator_label* op = nullptr;    // the node that was removed
  const operator_label* into = nullptr;  // the node that does its work now; nullptr: none
  range name;                            // of the node that does the work now, else of the removed node
};

/// A network. The pools are public: passes are plain functions over them. Every id is an index into `values`. Nodes are
/// sorted so that every value is made before it is used.
struct graph {
  pool<value> values;
  pool<node> nodes;
  pool<std::int32_t> inputs;  // in order of declaration
  pool<output> outputs;
  pool<state> states;  // in order of declaration
  pool<std::int32_t> operands;
  pool<word> words;
  pool<char> text;
  pool<std::byte> bytes;  // elements of constants, each tensor at a multiple of 64
  pool<event> log;        // the changes by passes, in order

  constexpr value& at(std::int32_t id) { return values[static_cast<std::size_t>(id)]; }
  constexpr const value& at(std::int32_t id) const { return values[static_cast<std::size_t>(id)]; }
  constexpr array_ref<const std::int32_t> inputs_of(const node& n) const { return detail::slice(operands, n.inputs); }
  constexpr array_ref<std::int32_t> inputs_of(const node& n) { return detail::slice(operands, n.inputs); }
  constexpr array_ref<const std::int32_t> outputs_of(const node& n) const { return detail::slice(operands, n.outputs); }
  constexpr array_ref<const word> attrs_of(const node& n) const { return detail::slice(words, n.attrs); }
  constexpr array_ref<word> attrs_of(const node& n) { return detail::slice(words, n.attrs); }
  constexpr std::string_view name_of(range name) const {
    return {text.data() + name.first, static_cast<std::size_t>(name.count)};
  }

  constexpr range add_text(std::string_view name) {
    const range at{static_cast<std::int32_t>(text.size()), static_cast<std::int32_t>(name.size())};
    text.insert(name.begin(), name.end());
    return at;
  }
  constexpr range add_operands(array_ref<const std::int32_t> ids) {
    const range at{static_cast<std::int32_t>(operands.size()), static_cast<std::int32_t>(ids.size())};
    operands.insert(ids.begin(), ids.end());
    return at;
  }
  constexpr range add_words(array_ref<const word> list) {
    const range at{static_cast<std::int32_t>(words.size()), static_cast<std::int32_t>(list.size())};
    words.insert(list.begin(), list.end());
    return at;
  }
  constexpr std::int32_t add_value(const value& v) {
    values.push_back(v);
    return static_cast<std::int32_t>(values.size()) - 1;
  }
  /// Adds a constant with these bytes; there must be `desc.bytes()` of them.
  constexpr std::int32_t add_constant_bytes(const tensor_desc& desc, array_ref<const std::byte> elements) {
    const std::size_t first = begin_constant();
    bytes.insert(elements.begin(), elements.end());
    return add_value({desc, kind::constant, {}, static_cast<std::int64_t>(first), none});
  }
  /// Adds a constant with these elements; T is the element type of desc.type.
  template <class T> constexpr std::int32_t add_constant(const tensor_desc& desc, array_ref<const T> elements) {
    const std::size_t first = begin_constant();
    for (const T& element : elements) {
      const auto raw = std::bit_cast<detail::raw_element<sizeof(T)>>(element);
      bytes.insert(raw.bytes, raw.bytes + sizeof(T));
    }
    return add_value({desc, kind::constant, {}, static_cast<std::int64_t>(first), none});
  }
  /// The i-th element of a constant.
  template <class T> constexpr T element(const value& constant, std::int64_t i) const {
    detail::raw_element<sizeof(T)> raw{};
    const std::byte* from = bytes.data() + constant.first_byte + i * std::int64_t{sizeof(T)};
    for (std::byte& byte : raw.bytes) byte = *from++;
    // a file may contain bools other than 0 and 1
    if constexpr (std::is_same_v<T, bool>) return raw.bytes[0] != std::byte{};
    else return std::bit_cast<T>(raw);
  }

 private:
  /// Pads `bytes` to a multiple of 64 and returns the offset of the next constant.
  constexpr std::size_t begin_constant() {
    const std::size_t first = (bytes.size() + 63) / 64 * 64;
    while (bytes.size() < first) bytes.push_back(std::byte{});
    return first;
  }
};

/// The operator of a node, and the dtype for which its reference runs.
constexpr typed_operator typed_operator_of(const graph& g, const node& n) {
  const array_ref<const std::int32_t> ids = g.inputs_of(n);
  return {n.op->code, reference_type(n.op->traits, [&](std::size_t i) {
            return ids[i] == none ? dtype::none : g.at(ids[i]).desc.type;
          })};
}

/// Appends the elements of a constant of integer or boolean dtype to `list`; ignores other values.
constexpr void append_integers(const graph& g, const value& v, pool<std::int64_t>& list) {
  if (v.is != kind::constant) return;
  with_element<types::integer | types::logical>(v.desc.type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < v.desc.elements(); ++i) list.push_back(static_cast<std::int64_t>(g.element<T>(v, i)));
  });
}

/// Maximum number of integers in a constant that rules read. Longer ones are weights or tables.
inline constexpr std::int64_t max_read_list = 256;

/// The operands of a node as rules read them. Owns the integers that the operands point to.
struct operand_list {
  pool<operand> operands;
  pool<std::int64_t> integers;

  /// `known`, if given, says for each value whether it is computed before the network runs. Otherwise constants and
  /// weights are.
  constexpr operand_list(const graph& g, array_ref<const std::int32_t> ids, array_ref<const char> known = {}) {
    operands.reserve(ids.size());
    for (const std::int32_t id : ids) {
      operand made;
      if (id != none) {
        made.desc = g.at(id).desc;
        made.constant = known.empty() ? g.at(id).is == kind::constant || g.at(id).is == kind::weight
                                      : known[static_cast<std::size_t>(id)] != 0;
        if (has_read_list(g.at(id))) append_integers(g, g.at(id), integers);
      }
      operands.push_back(made);
    }
    if (!integers.empty()) point_to_integers(g, ids);
  }

 private:
  static constexpr bool has_read_list(const value& v) {
    return v.is == kind::constant && (types::integer | types::logical).contains(v.desc.type) &&
           v.desc.elements() <= max_read_list;
  }
  constexpr void point_to_integers(const graph& g, array_ref<const std::int32_t> ids) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == none || !has_read_list(g.at(ids[i]))) continue;
      const auto count = static_cast<std::size_t>(g.at(ids[i]).desc.elements());
      operands[i].values = array_ref<const std::int64_t>(integers.data() + next, count);
      next += count;
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::ir
