// frozen_reading: reads a model file in constant evaluation, in parts of some operators; each result is a constant.
// Flow: file_network.hpp uses the last part, whose graph is complete; each part continues the graph before it. What a
// format reads and keeps is in tflite_format.hpp and onnx_format.hpp.
#pragma once

#include <nnrt/exec/frozen.hpp>
#include <nnrt/exec/reading_fault.hpp>
#include <nnrt/io/graph_builder.hpp>
#include <nnrt/io/model_format.hpp>
#include <nnrt/ops/list.hpp>

#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// How the compiler reads files of a format. Each format specialises it with a template `of<File>`, which has static
/// members:
///   options      the options of reading, to which File::choices() converts
///   network      the reader's partly read network, plain data: `graph`, `ready`, `places`, `next` and others
///   lists        members<…>: its lists but those of the graph and `ready`
///   numbers      members<…>: its numbers
///   fault()      whether the file's bytes are valid, before anything else is called: a reading_fault
///   extent()     a reading_extent
///   likely()     operators that reading will probably need: a pool<typed_operator>
///   room(n, e)   sizes of the lists, estimated for a part that begins with the list_sizes n
///   read(find, act)  calls act(reader); the reader has begin(), resume(), has_more(), read_next(), finish(), nodes(),
///                lacking(), place() and take()
template <model_format Format> struct format_with_bytes {
  static constexpr bool is_included = false;
};
template <class File> inline constexpr model_format format_in = format_of_bytes(File::bytes());
template <class File> using format_of = typename format_with_bytes<format_in<File>>::template of<File>;

/// The third argument of NNRT_MODEL where there is none: the defaults of each reader's options. choices_of() makes
/// options of the argument and of this; model.hpp has it for none and for a signature, onnx_format.hpp for ONNX
/// options.
struct no_choices {
  template <class Options> constexpr operator Options() const { return {}; }
};

/// Sizes of all lists of a partly read network.
template <std::size_t Lists> struct reading_sizes {
  graph_sizes graph;
  list_sizes<Lists> lists;
};
template <class Format> constexpr auto sizes_of_reading(const typename Format::network& n) {
  return reading_sizes<Format::lists::count>{sizes_of(n.graph), sizes_of_lists(n, typename Format::lists())};
}
template <std::size_t Lists> constexpr bool fits(const reading_sizes<Lists>& n, const reading_sizes<Lists>& room) {
  return fits(n.graph, room.graph) && n.lists.fit(room.lists);
}

/// Number of nodes after which a part ends: clang limits one evaluation to a million steps, of which a part uses about
/// half. g++ has no such limit; each part costs it time.
#ifdef __clang__
inline constexpr std::size_t nodes_in_part = 24;
#else
inline constexpr std::size_t nodes_in_part = 64;
#endif
/// Number of nodes that a part may add: one operator of the file can become several.
inline constexpr std::size_t most_nodes_in_part = nodes_in_part + 4;

/// Estimated sizes of a part that begins with sizes n.
template <class Format>
constexpr auto room_to_read(reading_sizes<Format::lists::count> n, const reading_extent& whole) {
  constexpr std::size_t nodes = most_nodes_in_part;
  const std::size_t ends = whole.inputs + whole.outputs;
  n.graph.values += 6 * nodes + ends, n.graph.nodes += nodes, n.graph.operands += 8 * nodes;
  n.graph.inputs = whole.inputs, n.graph.outputs = whole.outputs, n.graph.states += 8;
  n.graph.words += 32 * nodes, n.graph.text += 400 * nodes, n.graph.bytes += 256 * nodes;
  n.lists = Format::room(n.lists, whole);
  return n;
}

/// A partly read network as arrays.
template <class Format, auto N> struct frozen_reading {
  static constexpr auto sizes = N;
  frozen_graph<N.graph> graph;
  std::array<passes::readiness, N.graph.values> ready{};
  frozen_lists<typename Format::lists, N.lists> lists;
  frozen_numbers<typename Format::numbers> numbers;

  constexpr explicit frozen_reading(const typename Format::network& n) : graph(n.graph), lists(n), numbers(n) {
    copy(n.ready, ready);
  }

  /// Restores the network from arrays of which only the first elements are used.
  constexpr typename Format::network thaw(const decltype(N)& used) const {
    typename Format::network n;
    n.graph = graph.thaw(used.graph);
    n.ready.insert(ready.begin(), ready.begin() + used.graph.values);
    lists.thaw(n, used.lists);
    numbers.thaw(n);
    return n;
  }
};

/// The operators that reading needs, and the dtypes of their references, as a template argument.
template <std::size_t N> struct operator_set {
  std::array<typed_operator, N> all{};

  constexpr bool has(op_code code) const {
    for (const typed_operator& one : all)
      if (one.code == code) return true;
    return false;
  }
  /// The dtypes for which it has the reference of an operator.
  constexpr dtype_set types_of_code(op_code code) const {
    dtype_set types;
    for (const typed_operator& one : all)
      if (one.code == code && one.type != dtype::none) types = types | types_of(one.type);
    return types;
  }
  constexpr operator_set<N + 1> with(typed_operator added) const {
    operator_set<N + 1> made;
    for (std::size_t i = 0; i < N; ++i) made.all[i] = all[i];
    made.all[N] = added;
    return made;
  }
};

template <class Op, operator_set Needed> constexpr const operator_info* operator_info_of() {
  if constexpr (Needed.has(Op::code)) return &operator_for_reading<Op, Needed.types_of_code(Op::code)>;
  else return &operator_without_functions<Op>;
}
template <class List, operator_set Needed> struct operators_for_reading;
template <class... Ops, operator_set Needed> struct operators_for_reading<ops::type_list<Ops...>, Needed> {
  static constexpr std::array<const operator_info*, sizeof...(Ops)> all{operator_info_of<Ops, Needed>()...};
};
/// Finds any operator; those of the set have the functions that reading needs.
template <operator_set Needed> constexpr const operator_info* find_to_read(op_code code) {
  for (const operator_info* const op : operators_for_reading<ops::list, Needed>::all)
    if (op->code == code) return op;
  return nullptr;
}

/// The result of one evaluation.
template <class Format> struct read_part {
  typename Format::network network;
  reading_fault fault;
  graph_builder::lacking_part lacking;  // the operator that reading needs and the set lacks
  bool is_last = false;
};

/// Whether the file's bytes are valid: the first evaluation, which the others rely on.
template <class File>
inline constexpr reading_fault fault_of_bytes = [] {
  if constexpr (format_in<File> == model_format::unknown)
    return reading_fault({error_code::invalid_file, "neither a .tflite file nor an .onnx file"}, 0);
  else return format_of<File>::fault();
}();
/// The sizes of a file's network that are known before it is read.
template <class File> inline constexpr reading_extent extent_in = format_of<File>::extent();

/// Reads a part of a valid file: all that precedes its operators, or some of the operators.
template <class File, operator_set Needed>
constexpr read_part<format_of<File>> read_on(typename format_of<File>::network so_far, bool is_first) {
  read_part<format_of<File>> made;
  format_of<File>::read(&find_to_read<Needed>, [&](auto& reader) {
    result<void> ok;  // not with ?: - g++ 12 destroys the chosen operand twice
    if (is_first) ok = reader.begin();
    else ok = reader.resume(static_cast<decltype(so_far)&&>(so_far));
    const std::size_t end = is_first ? 0 : reader.nodes() + nodes_in_part;
    while (ok && reader.has_more() && reader.nodes() < end && !reader.lacking().is_lacking) ok = reader.read_next();
    made.lacking = reader.lacking();
    if (made.lacking.is_lacking) return;
    std::size_t place = 0;
    if (!ok) place = reader.place();
    made.is_last = ok && !is_first && !reader.has_more();
    if (made.is_last) {
      ok = reader.finish();
      place = reader.place();
    }
    if (!ok) made.fault = reading_fault(ok.error(), place);
    made.network = reader.take();
  });
  return made;
}

/// A part in oversized arrays.
template <class Format, auto Room> struct roomy_part {
  std::remove_const_t<decltype(Room)> used;
  frozen_reading<Format, Room> held;
  reading_fault fault;
  graph_builder::lacking_part lacking;
  bool is_last;

  constexpr explicit roomy_part(const read_part<Format>& from)
      : used(sizes_of_reading<Format>(from.network)),
        held(from.network),
        fault(from.fault),
        lacking(from.lacking),
        is_last(from.is_last) {}
};

/// A part is read again whenever it needs an operator that is not instantiated; likely ones are instantiated at once.
template <class File> inline constexpr std::size_t count_of_likely = format_of<File>::likely().size();
template <class File>
inline constexpr auto likely_set = [] {
  operator_set<count_of_likely<File>> made;
  copy(format_of<File>::likely(), made.all);
  return made;
}();

/// The state before the first part.
template <class File> struct nothing_read {
  static constexpr bool is_nothing = true;
  static constexpr auto needed = likely_set<File>;
  static constexpr reading_sizes<format_of<File>::lists::count> used{};
  static constexpr typename format_of<File>::network thaw() { return {}; }
};

template <class File, std::size_t Part> struct part_before;

/// Part number `Part` of a file, read with the operators of a set.
template <class File, std::size_t Part, auto Needed> struct attempt_to_read {
  static constexpr bool is_nothing = false;
  static constexpr auto needed = Needed;
  using before = typename part_before<File, Part>::type;

  using format = format_of<File>;

  static constexpr read_part<format> read() { return read_on<File, Needed>(before::thaw(), before::is_nothing); }
  static constexpr auto room = room_to_read<format>(before::used, extent_in<File>);
  static constexpr roomy_part<format, room> oversized{read()};
  static constexpr auto used = oversized.used;

  /// In arrays of exact size, if the estimated sizes were too small.
  template <class = void> struct exact {
    static constexpr frozen_reading<format, used> held{read().network};
  };
  static constexpr typename format::network thaw() {
    if constexpr (fits(used, oversized.held.sizes)) return oversized.held.thaw(used);
    else return exact<>::held.thaw(used);
  }
};

/// The part, read again with a larger set until the set has all operators that it needs.
template <class File, std::size_t Part, auto Needed> constexpr auto attempted() {
  using attempt = attempt_to_read<File, Part, Needed>;
  if constexpr (!attempt::oversized.lacking.is_lacking) return std::type_identity<attempt>();
  else return attempted<File, Part, Needed.with(attempt::oversized.lacking.of)>();
}
template <class File, std::size_t Part>
using part_of_file = typename decltype(attempted<File, Part, part_before<File, Part>::type::needed>())::type;

template <class File, std::size_t Part> struct part_before {
  using type = part_of_file<File, Part - 1>;
};
template <class File> struct part_before<File, 0> {
  using type = nothing_read<File>;
};

/// The last part of a file, or the part in which reading fails.
template <class File, std::size_t Part = 0> constexpr auto find_last_part() {
  using part = part_of_file<File, Part>;
  if constexpr (part::oversized.is_last || part::oversized.fault.size != 0) return std::type_identity<part>();
  else return find_last_part<File, Part + 1>();
}
template <class File> using last_part = typename decltype(find_last_part<File>())::type;

}}}  // namespace nnrt::NNRT_ISA::detail
