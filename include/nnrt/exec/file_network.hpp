// file_network: the network of a model file as a function of builder&, with the weights of the file.
// Flow: NNRT_MODEL makes one of bytes in the program; graph<f> evaluates it; executors use its weights by default.
#pragma once

#include <nnrt/exec/frozen_reading.hpp>
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/exec/tflite_format.hpp>
#include <nnrt/io/weights_at.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Rules about a model file that the compiler reads.
enum class file_rule { file_must_be_readable };

/// Offset in the file of the operator that cannot be read; 0: no particular operator.
template <std::size_t Byte> struct at_byte;
/// The reason, in pieces that clang prints in full.
template <fixed_string... Words> struct reason;

namespace detail {

/// True when the reader of the file's format is included, or there is none.
template <class File>
inline constexpr bool has_reader =
    format_in<File> == model_format::unknown || format_with_bytes<format_in<File>>::is_included;
/// True when File::choices() are options of the file's format.
template <class File> constexpr bool find_takes_options() {
  if constexpr (format_in<File> == model_format::unknown || !has_reader<File>) return true;
  else return std::is_convertible_v<decltype(File::choices()), typename format_of<File>::options>;
}
template <class File> inline constexpr bool takes_options = find_takes_options<File>();
/// False for a file that NNRT_MODEL has refused already.
template <class File> inline constexpr bool can_read = File::is_given && has_reader<File> && takes_options<File>;

/// Checks the file's bytes, then the network in them.
template <class File> constexpr reading_fault find_fault() {
  if constexpr (!can_read<File>) return {};
  else if constexpr (fault_of_bytes<File>.size != 0) return fault_of_bytes<File>;
  else return last_part<File>::oversized.fault;
}
template <class File> inline constexpr reading_fault fault_in = find_fault<File>();

/// Splits the text of a fault at spaces, into pieces of at most 30 letters.
struct word_pieces {
  std::size_t count = 0;
  std::array<std::size_t, 64> first{};  // index of the first letter of each piece, then the end of the last

  constexpr explicit word_pieces(const reading_fault& fault) {
    constexpr std::size_t most = 30;
    for (std::size_t at = 0; at < fault.size && count + 1 < first.size(); ++count) {
      std::size_t end = at + most < fault.size ? at + most : fault.size;
      if (end < fault.size)
        for (std::size_t k = end; k > at + most / 2; --k)
          if (fault.words[k - 1] == ' ') {
            end = k;
            break;
          }
      first[count] = at, first[count + 1] = end;
      at = end;
    }
  }
};
template <class File> inline constexpr word_pieces pieces_of_fault{fault_in<File>};
template <class File, std::size_t I> constexpr auto piece_of_fault() {
  constexpr std::size_t first = pieces_of_fault<File>.first[I], end = pieces_of_fault<File>.first[I + 1];
  char letters[end - first + 1] = {};
  for (std::size_t i = first; i < end; ++i) letters[i - first] = fault_in<File>.words[i];
  return fixed_string(letters);
}
/// True; a compile error for a file that cannot be read.
template <class File> constexpr bool is_network() {
  if constexpr (fault_in<File>.size == 0) return true;
  else
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return graph_rejected<file_rule::file_must_be_readable, at_byte<fault_in<File>.at>,
                            reason<piece_of_fault<File, I>()...>>::report();
    }(std::make_index_sequence<pieces_of_fault<File>.count>());
}

/// The operators of a graph by type and dtype, without duplicates.
constexpr pool<typed_operator> operators_of(const ir::graph& g) {
  pool<typed_operator> all;
  for (const ir::node& n : g.nodes) {
    const typed_operator one = ir::typed_operator_of(g, n);
    bool is_new = true;
    for (const typed_operator& known : all) is_new = is_new && known != one;
    if (is_new) all.push_back(one);
  }
  return all;
}
template <class File>
inline constexpr std::size_t count_of_operators = operators_of(last_part<File>::thaw().graph).size();
template <class File>
inline constexpr auto operators_in = [] {
  std::array<typed_operator, count_of_operators<File>> all{};
  copy(operators_of(last_part<File>::thaw().graph), all);
  return all;
}();

/// Finds an operator of the list by its code, as the only base class that matches.
template <op_code Code, class Op> struct coded {};
template <class List> struct all_coded;
template <class... Ops> struct all_coded<ops::type_list<Ops...>> : coded<Ops::code, Ops>... {};
template <op_code Code, class Op> std::type_identity<Op> find_coded(const coded<Code, Op>&);
template <op_code Code>
using operator_with_code = typename decltype(find_coded<Code>(std::declval<all_coded<ops::list>>()))::type;

/// The graph of a file with operators that have kernels: only these operators are instantiated.
template <class File> constexpr ir::graph with_kernels() {
  ir::graph g = last_part<File>::thaw().graph;
  constexpr const auto& kinds = operators_in<File>;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const std::array<const operator_info*, sizeof...(I)> found{
        &static_operator<operator_with_code<kinds[I].code>, kinds[I].type>...};
    for (ir::node& n : g.nodes) {
      const typed_operator one = ir::typed_operator_of(g, n);
      for (std::size_t i = 0; i < sizeof...(I); ++i)
        if (kinds[i] == one) n.op = found[i], n.label = found[i]->label;
    }
  }(std::make_index_sequence<kinds.size()>());
  return g;
}
template <class File> inline constexpr frozen_graph<last_part<File>::used.graph> graph_in_file{with_kernels<File>()};
/// Without operators, whose functions would be linked into programs; for names and descs.
template <class File> inline constexpr auto printable_in_file = without_operators(graph_in_file<File>);

template <class File> inline constexpr std::size_t count_of_places = last_part<File>::thaw().places.size();
template <class File>
inline constexpr auto places_in_file = [] {
  std::array<weight_place, count_of_places<File>> places{};
  copy(last_part<File>::thaw().places, places);
  return places;
}();

/// All bytes of the file, at run time. Not constexpr: a compiler that tries to evaluate it prints its name, which
/// states the reason. Broken contract: the file in the program differs from the file that the compiler read.
// NOLINTNEXTLINE(readability-identifier-naming): MiB is how the unit is written.
template <class File> file_view the_compiler_does_not_have_the_weights_of_a_file_above_1_MiB() {
  const auto stored = File::stored();
  if (!stored) broken_contract(stored.error().message());
  return stored ? file_view(*stored) : file_view();
}

}  // namespace detail

/// The network of a model file in the program, and its weights. These are constant expressions: File::is_given;
/// File::bytes(), a file_view of the file; File::choices(), the options of reading. File::stored() returns all bytes at
/// run time, or an error.
template <class File> struct file_network {
  constexpr void operator()(builder& g) const {
    static_assert(detail::is_network<File>());
    if constexpr (detail::can_read<File> && detail::fault_in<File>.size == 0)
      g.adopt(detail::graph_in_file<File>.thaw());
    else g.refuse();
  }

  /// The weights in the file; they refer to its bytes. Errors: invalid_file (invalid scales, or a large file that
  /// differs from the one that was read).
  [[gnu::cold]] static result<nnrt::weights> weights() {
    auto bytes = File::stored();
    if (!bytes) return fail(std::move(bytes.error()));
    weights_builder made;
    add_weights_at(detail::places_in_file<File>, detail::printable_in_file<File>.thaw(), *bytes, made);
    return std::move(made).finish();
  }
  /// The graph with the elements of all weights as constants, for evaluate(). Weights of a file above 1 MiB are
  /// available at run time only.
  static constexpr ir::graph with_constants(ir::graph g) {
    file_view file = File::bytes();
    for (const weight_place& place : detail::places_in_file<File>) {
      if (!file.has(place.first, place.size))
        file = detail::the_compiler_does_not_have_the_weights_of_a_file_above_1_MiB<File>();
      if (!file) return g;
      pool<std::byte> bytes;
      bytes.assign(static_cast<std::size_t>(g.at(place.value).desc.bytes()), std::byte{});
      convert_elements(file, place, bytes.data());
      const std::int32_t made = g.add_constant_bytes(g.at(place.value).desc, bytes);
      g.at(place.value).is = ir::kind::constant;
      g.at(place.value).first_byte = g.at(made).first_byte;
      g.values.pop_back();
    }
    return g;
  }
};

}}  // namespace nnrt::NNRT_ISA
