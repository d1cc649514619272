// frozen_reading: reads a model file in constant evaluation, in parts of a few operators; each result is a constant.
// Flow: file_network.hpp uses the last part, whose graph is complete; each part continues the graph before it.
#pragma once

#include <nnrt/exec/frozen.hpp>
#include <nnrt/io/tflite/read.hpp>
#include <nnrt/ops/list.hpp>

#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Sizes of all lists of a partly read network.
struct reading_sizes {
  graph_sizes graph;
  std::size_t places, tensors, formed, variables, lists, counted, called_once;
};

constexpr reading_sizes sizes_of(const tflite::partial_network& n) {
  const tflite::tensor_state& t = n.tensors;
  return {sizes_of(n.graph),  t.places.size(), t.ids.size(),     t.formed.size(),
          t.variables.size(), t.lists.size(),  t.counted.size(), t.called_once.size()};
}

constexpr bool fits(const reading_sizes& n, const reading_sizes& room) {
  return fits(n.graph, room.graph) && n.places <= room.places && n.tensors <= room.tensors && n.formed <= room.formed &&
         n.variables <= room.variables && n.lists <= room.lists && n.counted <= room.counted &&
         n.called_once <= room.called_once;
}

/// Number of nodes after which a part ends. It uses about a third of clang's limit of a million steps for one
/// evaluation.
inline constexpr std::size_t nodes_in_part = 12;

/// Estimated sizes of a part that begins with sizes n.
constexpr reading_sizes room_to_read(reading_sizes n, const tflite::network_extent& whole) {
  constexpr std::size_t nodes = nodes_in_part + 4;
  const std::size_t ends = whole.inputs + whole.outputs;
  n.tensors = whole.tensors;
  n.graph.values += 6 * nodes + ends, n.graph.nodes += nodes, n.graph.operands += 8 * nodes;
  n.graph.inputs = whole.inputs, n.graph.outputs = whole.outputs, n.graph.states += 8;
  n.graph.words += 32 * nodes, n.graph.text += 400 * nodes, n.graph.bytes += 256 * nodes;
  n.places += 4 * nodes, n.formed += 4 * nodes;
  n.variables += 8, n.called_once += 2;
  return n;
}

/// A partly read network as arrays.
template <reading_sizes N> struct frozen_reading {
  static constexpr reading_sizes sizes = N;
  frozen_graph<N.graph> graph;
  std::array<passes::readiness, N.graph.values> ready{};
  std::array<weight_place, N.places> places{};
  std::array<std::int32_t, N.tensors> ids{}, first_formed{}, uses{};
  std::array<char, N.tensors> shared{};
  std::array<tflite::tensor_state::converted_constant, N.formed> formed{};
  std::array<tflite::variable, N.variables> variables{};
  std::array<tflite::tensor_list, N.lists> lists{};
  std::array<tflite::counted_rows, N.counted> counted{};
  std::array<std::int32_t, N.called_once> called_once{};
  std::int64_t copied_bytes, called_operators;
  std::size_t next;

  constexpr explicit frozen_reading(const tflite::partial_network& n)
      : graph(n.graph),
        copied_bytes(n.tensors.copied_bytes),
        called_operators(n.tensors.called_operators),
        next(n.next) {
    copy(n.ready, ready);
    copy(n.tensors.places, places);
    copy(n.tensors.ids, ids);
    copy(n.tensors.first_formed, first_formed);
    copy(n.tensors.uses, uses);
    copy(n.tensors.shared, shared);
    copy(n.tensors.formed, formed);
    copy(n.tensors.variables, variables);
    copy(n.tensors.lists, lists);
    copy(n.tensors.counted, counted);
    copy(n.tensors.called_once, called_once);
  }

  /// Restores the network from arrays of which only the first elements are used.
  constexpr tflite::partial_network thaw(const reading_sizes& used) const {
    tflite::partial_network n;
    n.graph = graph.thaw(used.graph);
    n.ready.insert(ready.begin(), ready.begin() + used.graph.values);
    n.tensors.places.insert(places.begin(), places.begin() + used.places);
    n.tensors.ids.insert(ids.begin(), ids.begin() + used.tensors);
    n.tensors.first_formed.insert(first_formed.begin(), first_formed.begin() + used.tensors);
    n.tensors.uses.insert(uses.begin(), uses.begin() + used.tensors);
    n.tensors.shared.insert(shared.begin(), shared.begin() + used.tensors);
    n.tensors.formed.insert(formed.begin(), formed.begin() + used.formed);
    n.tensors.variables.insert(variables.begin(), variables.begin() + used.variables);
    n.tensors.lists.insert(lists.begin(), lists.begin() + used.lists);
    n.tensors.counted.insert(counted.begin(), counted.begin() + used.counted);
    n.tensors.called_once.insert(called_once.begin(), called_once.begin() + used.called_once);
    n.tensors.copied_bytes = copied_bytes, n.tensors.called_operators = called_operators;
    n.next = next;
    return n;
  }
};

/// Why a file is not a valid network.
struct reading_fault {
  error_code code{};
  std::size_t at = 0;  // offset of the operator that cannot be read; 0: no particular operator
  std::size_t size = 0;
  std::array<char, 480> words{};  // the text, truncated to this size

  constexpr reading_fault() = default;
  constexpr reading_fault(const error& found, std::size_t place) : code(found.code()), at(place) {
    for (const char letter : found.letters())
      if (size < words.size()) words[size++] = letter;
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
struct read_part {
  tflite::partial_network network;
  reading_fault fault;
  graph_builder::lacking_part lacking;  // the operator that reading needs and the set lacks
  bool is_last = false;
};

/// Whether the file's bytes are valid: the first evaluation, which the others rely on.
template <class File>
inline constexpr reading_fault fault_of_bytes = [] {
  const auto file = tflite::document::verify(File::bytes());
  return file ? reading_fault() : reading_fault(file.error(), 0);
}();

/// The sizes of a file's network that are known before it is read.
template <class File>
inline constexpr tflite::network_extent extent_in = [] {
  tflite::document file = tflite::document::trusted(File::bytes());
  return tflite::network_reader(file, File::choices(), nullptr).extent();
}();

/// Reads a part of a valid file: all that precedes its operators, or some of the operators.
template <class File, operator_set Needed> constexpr read_part read_on(tflite::partial_network so_far, bool is_first) {
  read_part made;
  tflite::document file = tflite::document::trusted(File::bytes());
  tflite::network_reader reader(file, File::choices(), &find_to_read<Needed>);
  result<void> ok;  // not with ?: - g++ 12 destroys the chosen operand twice
  if (is_first) ok = reader.begin();
  else ok = reader.resume(static_cast<tflite::partial_network&&>(so_far));
  const std::size_t end = is_first ? 0 : reader.nodes() + nodes_in_part;
  while (ok && reader.has_more() && reader.nodes() < end && !reader.lacking().is_lacking) ok = reader.read_next();
  made.lacking = reader.lacking();
  if (made.lacking.is_lacking) return made;
  const std::size_t place = ok ? 0 : reader.place();
  made.is_last = ok && !is_first && !reader.has_more();
  if (made.is_last) ok = reader.finish();
  if (!ok) made.fault = reading_fault(ok.error(), place);
  made.network = reader.take();
  return made;
}

/// A part in oversized arrays.
template <reading_sizes Room> struct roomy_part {
  reading_sizes used;
  frozen_reading<Room> held;
  reading_fault fault;
  graph_builder::lacking_part lacking;
  bool is_last;

  constexpr explicit roomy_part(const read_part& from)
      : used(sizes_of(from.network)),
        held(from.network),
        fault(from.fault),
        lacking(from.lacking),
        is_last(from.is_last) {}
};

/// The nnrt operators that file operators usually become. A part is read again whenever it needs an operator that is
/// not instantiated. So these are instantiated at once if the file has the operator. Only compile time depends on this
/// list.
struct likely_operator {
  std::int32_t builtin;
  op_code becomes;
};
inline constexpr likely_operator likely_operators[] = {
    {tflite::builtin_number("ADD"), ops::add::code},
    {tflite::builtin_number("AVERAGE_POOL_2D"), ops::avg_pool::code},
    {tflite::builtin_number("CONCATENATION"), ops::concat::code},
    {tflite::builtin_number("CONV_2D"), ops::conv2d::code},
    {tflite::builtin_number("DEPTHWISE_CONV_2D"), ops::depthwise_conv2d::code},
    {tflite::builtin_number("FULLY_CONNECTED"), ops::full_connection::code},
    {tflite::builtin_number("LOGISTIC"), ops::sigmoid::code},
    {tflite::builtin_number("MAX_POOL_2D"), ops::max_pool::code},
    {tflite::builtin_number("MEAN"), ops::reduce_mean::code},
    {tflite::builtin_number("MUL"), ops::mul::code},
    {tflite::builtin_number("PAD"), ops::pad::code},
    {tflite::builtin_number("QUANTIZE"), ops::quant_dtype_cast::code},
    {tflite::builtin_number("RESHAPE"), ops::reshape::code},
    {tflite::builtin_number("SOFTMAX"), ops::softmax::code},
};
constexpr pool<typed_operator> likely_in(const tflite::document& file) {
  pool<typed_operator> found;
  for (const likely_operator& likely : likely_operators)
    for (std::uint32_t i = 0; i < file.code_count(); ++i) {
      if (tflite::detail::number_of(file.code(i)) != likely.builtin) continue;
      found.push_back({likely.becomes, dtype::none});
      break;
    }
  return found;
}
template <class File>
inline constexpr std::size_t count_of_likely = likely_in(tflite::document::trusted(File::bytes())).size();
template <class File>
inline constexpr auto likely_set = [] {
  operator_set<count_of_likely<File>> made;
  copy(likely_in(tflite::document::trusted(File::bytes())), made.all);
  return made;
}();

/// The state before the first part.
template <class File> struct nothing_read {
  static constexpr bool is_nothing = true;
  static constexpr auto needed = likely_set<File>;
  static constexpr reading_sizes used{};
  static constexpr tflite::partial_network thaw() { return {}; }
};

template <class File, std::size_t Part> struct part_before;

/// Part number `Part` of a file, read with the operators of a set.
template <class File, std::size_t Part, auto Needed> struct attempt_to_read {
  static constexpr bool is_nothing = false;
  static constexpr auto needed = Needed;
  using before = typename part_before<File, Part>::type;

  static constexpr read_part read() { return read_on<File, Needed>(before::thaw(), before::is_nothing); }
  static constexpr roomy_part<room_to_read(before::used, extent_in<File>)> oversized{read()};
  static constexpr reading_sizes used = oversized.used;

  /// In arrays of exact size, if the estimated sizes were too small.
  template <class = void> struct exact {
    static constexpr frozen_reading<used> held{read().network};
  };
  static constexpr tflite::partial_network thaw() {
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
