// operators: encodes operators with their attributes as HDI's nodes, and decodes them.
// Flow: hdi/write_model.hpp and hdi/read_model.hpp convert nodes here. Everything follows from the operators' headers
// (foreign, hdi_fields, attrs) and the structures of hdi/nodes.hpp; no operator is named.
#pragma once

// First: operators must find their kernels, and the same ones, in every translation unit of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/hdi/convert.hpp>
#include <nnrt/hdi/wire.hpp>
#include <nnrt/ops/registry.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// Which implementation's encoding is written.
enum class encoder {
  upstream,  // the same bytes as the shipped implementation, including what it omits or confuses
  lossless,  // complete: other implementations read it as HDI, this library restores the identical graph
};

/// Node type of operators that this version of HDI does not have; all their attributes are words. Other
/// implementations' devices refuse it.
constexpr std::uint32_t own_node_type(op_code code) { return 0x4e4e0000U | static_cast<std::uint32_t>(code); }

// A node's attributes as words. `lossless` appends them when HDI's attributes are incomplete.
inline constexpr std::uint32_t exact_mark = 0x74726e6eU;
NNRT_HDI_RECORD(exact_attributes, (std::uint32_t, mark), (std::int32_t, operation), (std::vector<std::int64_t>, words))

/// Attributes read from a node.
struct read_attributes {
  bool is_other = false;  // a member identifies another operator with this node type
  pool<word> words;
  std::string fault;  // names the member; empty: none
};

/// Encoding of one operator in HDI.
struct operator_encoding {
  const operator_info* op = nullptr;
  foreign_numbers numbers;
  /// First version with the operator, and first version with its node type.
  version since = version::v2_1;
  version type_since = version::v2_1;
  version also_since = version::v2_1;  // first version with the other node type
  bool (*well_formed)(array_ref<const word> words) = nullptr;
  void (*write)(version v, encoder how, array_ref<const word> words, array_ref<const operand> in,
                writer& out) = nullptr;
  /// Reads the structure of `numbers.hdi` or, with `is_also`, of `numbers.hdi_also`. `in` advances past it.
  read_attributes (*read)(version v, bool is_also, reader& in, array_ref<const operand> operands) = nullptr;
  /// Name of an attribute that HDI has no member for and that differs from its default; empty: none. Null if HDI has
  /// members for all.
  std::string_view (*lost)(array_ref<const word> words) = nullptr;
  /// Number of operands in NNRt, if ours has more; 0: the same number.
  std::size_t nnrt_inputs = 0;

  /// Whether HDI has a node type for this operator in this version.
  bool is_in(version v) const { return numbers.hdi >= 0 && v >= since; }
  bool has(std::uint32_t node_type) const {
    return node_type == own_node_type(op->code) ||
           (numbers.hdi >= 0 && node_type == static_cast<std::uint32_t>(numbers.hdi)) ||
           (numbers.hdi_also >= 0 && node_type == static_cast<std::uint32_t>(numbers.hdi_also));
  }
};

namespace detail {

// --- matching members with attributes ---------------------------------------------

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Whether a member corresponds to an attribute: keepDims to keep_dims. `fused` and `pad` have other names in HDI.
constexpr bool is_spelling_of(std::string_view member, std::string_view attribute) {
  if (attribute == "fused") return member == "activationType";
  if (attribute == "pad" && (member == "padMode" || member == "padList")) return true;
  std::size_t i = 0;
  for (const char c : attribute) {
    if (c == '_') continue;
    if (i == member.size() || lower(member[i]) != c) return false;
    ++i;
  }
  return i == member.size();
}

template <class Op> constexpr array_ref<const hdi_field> fields_of() {
  if constexpr (requires { Op::hdi_fields; }) return Op::hdi_fields;
  else return {};
}
/// Index of the row for a member; rows.size() if there is none. It is an index because g++ 12 with -fsanitize=undefined
/// rejects comparing such a pointer with nullptr in a constant expression.
constexpr std::size_t row_of(array_ref<const hdi_field> rows, std::string_view member) {
  std::size_t i = 0;
  while (i < rows.size() && (rows[i].member.empty() || rows[i].member != member)) ++i;
  return i;
}
constexpr bool is_filled_by(array_ref<const hdi_field> rows, std::string_view member, std::string_view attribute) {
  const std::size_t i = row_of(rows, member);
  if (i == rows.size()) return is_spelling_of(member, attribute);
  return rows[i].from == hdi_field::source::attribute && rows[i].attribute == attribute;
}

/// The first member that nothing fills, or the first attribute that neither a member nor a row names; empty: none.
template <class Op, class Attributes> constexpr std::string_view forgotten() {
  const array_ref<const attribute_field> attributes = attribute_fields<typename Op::attrs>();
  const array_ref<const hdi_field> rows = fields_of<Op>();
  for (const std::string_view member : Attributes::member_names) {
    const std::size_t row = row_of(rows, member);
    bool is_filled = member.empty() || (row < rows.size() && rows[row].from != hdi_field::source::attribute);
    for (const attribute_field& a : attributes) is_filled = is_filled || is_filled_by(rows, member, a.name);
    if (!is_filled) return member;
  }
  for (const attribute_field& a : attributes) {
    bool is_used = false;
    for (const std::string_view member : Attributes::member_names)
      is_used = is_used || (!member.empty() && is_filled_by(rows, member, a.name));
    for (const hdi_field& row : rows) is_used = is_used || (row.member.empty() && row.attribute == a.name);
    if (!is_used) return a.name;
  }
  return {};
}

// --- members that are not attributes ------------------------------------------------

template <class M> void put_number(M& member, const hdi_field& row) {
  if constexpr (scalar<M>) member = static_cast<M>(row.number);
  else if constexpr (std::is_same_v<M, std::string>) member = row.text;
  else member = {};
}
inline std::int64_t extent_of(array_ref<const operand> in, const hdi_field& row, int further = 0) {
  const auto i = static_cast<std::size_t>(row.operand);
  const int axis = row.axis + further;
  return i < in.size() && axis < in[i].desc.rank() ? in[i].desc.shape[axis] : -1;
}
template <class M> void put_extents(M& member, const hdi_field& row, array_ref<const operand> in) {
  if constexpr (std::is_same_v<M, longs>) member = {extent_of(in, row), extent_of(in, row, 1)};
  else if constexpr (std::is_same_v<M, std::int64_t>) member = extent_of(in, row);
}
inline fault compare(std::int64_t got, std::int64_t extent) {
  return extent < 0 || got < 0 || got == extent ? fault()
                                                : joined({"got ", got, ", but the operand's extent is ", extent});
}
template <class M> fault compare_extents(const M& member, const hdi_field& row, array_ref<const operand> in) {
  fault wrong;
  if constexpr (std::is_same_v<M, std::int64_t>) wrong = compare(member, extent_of(in, row));
  if constexpr (std::is_same_v<M, longs>)
    for (std::size_t i = 0; i < member.size() && i < 2 && wrong.empty(); ++i)
      wrong = compare(member[i], extent_of(in, row, static_cast<int>(i)));
  return wrong;
}

/// The row for a member; null if there is none.
inline const hdi_field* find_row(array_ref<const hdi_field> rows, std::string_view member) {
  const std::size_t i = row_of(rows, member);
  return i < rows.size() ? &rows[i] : nullptr;
}
/// The row that says when an attribute is unused; null if there is none.
inline const hdi_field* use_of(array_ref<const hdi_field> rows, std::string_view attribute) {
  for (const hdi_field& row : rows)
    if (row.from == hdi_field::source::use && row.attribute == attribute) return &row;
  return nullptr;
}

// --- writing ---------------------------------------------------------------------

/// Fills a node's structure from an operator's attributes.
template <class Op> struct node_writer {
  const typename Op::attrs& attributes;
  array_ref<const operand> in;
  encoder how;

  template <class Node> void fill(Node& node) const {
    for_each_attribute(node, [&](const char* name, auto& member) { fill(std::string_view(name), member); });
  }

 private:
  static constexpr array_ref<const hdi_field> rows = fields_of<Op>();

  template <class M> void fill(std::string_view name, M& member) const {
    const hdi_field* const row = find_row(rows, name);
    if (row == nullptr || row->from == hdi_field::source::attribute) fill_from_attribute(name, member);
    else if (row->from == hdi_field::source::number) put_number(member, *row);
    else if (row->from == hdi_field::source::extents) put_extents(member, *row, in);
    else if constexpr (std::is_same_v<M, bool>)
      member = row->from == hdi_field::source::use ? is_used(*row) : is_given(*row);
    if (row == nullptr || how != encoder::upstream) return;
    if constexpr (scalar<M>)
      if (row->upstream != hdi_field::as_it_is) member = static_cast<M>(row->upstream);
    if constexpr (std::is_same_v<M, rows_of_longs>)
      if (row->upstream_repeats)
        for (auto& list : member) list = member.front();
    if constexpr (!scalar<M>)
      if (row->is_omitted && is_as_made(name)) member.clear();
  }
  template <class M> void fill_from_attribute(std::string_view name, M& member) const {
    for_each_attribute(attributes, [&]<class A>(const char* attribute, const A& value) {
      if (!is_filled_by(rows, name, attribute)) return;
      if constexpr (holds<M, A>) put(member, value);
      if constexpr (std::is_same_v<M, std::int64_t>)
        if (const hdi_field* use = use_of(rows, attribute); use != nullptr && !is_used(*use)) member = 0;
    });
  }
  /// Whether all attributes that fill a member have their defaults.
  bool is_as_made(std::string_view name) const {
    pool<word> given, made;
    const typename Op::attrs nobody_said_anything;
    const auto collect = [&](const typename Op::attrs& of, pool<word>& words) {
      for_each_attribute(of, [&](const char* attribute, const auto& value) {
        if (is_filled_by(rows, name, attribute)) word_writer<pool<word>>{words}.put(value);
      });
    };
    collect(attributes, given), collect(nobody_said_anything, made);
    return std::equal(given.begin(), given.end(), made.begin(), made.end());
  }
  bool is_given(const hdi_field& row) const {
    const auto i = static_cast<std::size_t>(row.operand);
    return i < in.size() && static_cast<bool>(in[i]);
  }
  bool is_used(const hdi_field& row) const {
    bool is = false;
    for_each_attribute(attributes, [&]<class A>(const char* attribute, const A& value) {
      if constexpr (std::is_same_v<A, std::int64_t>) is = is || (row.attribute == attribute && value != row.number);
    });
    return is;
  }
};

template <class Op>
void write_attributes(version v, encoder how, array_ref<const word> words, array_ref<const operand> in, writer& out) {
  const auto attributes = unpack<typename Op::attrs>(words);
  if constexpr (Op::foreign.hdi >= 0)
    with_attributes<static_cast<std::uint32_t>(Op::foreign.hdi)>(v, [&]<class Node>(Node node) {
      node_writer<Op>{attributes, in, how}.fill(node);
      marshal(out, node);
    });
}

/// See operator_encoding::lost.
template <class Op> std::string_view lost_attribute(array_ref<const word> words) {
  auto given = unpack<typename Op::attrs>(words), made = typename Op::attrs{};
  std::string_view lost;
  for_each_attribute(given, [&]<class A>(std::string_view name, const A& value) {
    for_each_attribute(made, [&]<class B>(std::string_view other, const B& usual) {
      if constexpr (std::is_same_v<A, B>)
        for (const hdi_field& row : fields_of<Op>())
          if (row.member.empty() && row.attribute == name && name == other && !(value == usual)) lost = row.attribute;
    });
  });
  return lost;
}
template <class Op> constexpr bool has_attributes_of_its_own() {
  for (const hdi_field& row : fields_of<Op>())
    if (row.member.empty()) return true;
  return false;
}

// --- reading -----------------------------------------------------------------------

/// Sets an operator's attributes from a node's structure.
template <class Op> struct node_reader {
  typename Op::attrs attributes;
  array_ref<const operand> in;
  read_attributes made;

  template <class Node> void take(const Node& node) {
    for_each_attribute(node, [&](const char* name, const auto& member) {
      if (made.fault.empty() && !made.is_other) take(std::string_view(name), member);
    });
    for (const hdi_field& row : rows)
      if (row.from == hdi_field::source::use && has_member<Node>(row.member)) drop_unused(node, row);
  }

 private:
  static constexpr array_ref<const hdi_field> rows = fields_of<Op>();

  template <class M> void take(std::string_view name, const M& member) {
    const hdi_field* const row = find_row(rows, name);
    fault wrong;
    if (row == nullptr || row->from == hdi_field::source::attribute) {
      for_each_attribute(attributes, [&]<class A>(const char* attribute, A& value) {
        if constexpr (holds<M, A>)
          if (is_filled_by(rows, name, attribute) && !(row != nullptr && is_omission(*row, member)))
            wrong = get(value, member);
      });
    } else if (row->from == hdi_field::source::extents) {
      wrong = compare_extents(member, *row, in);
    } else if (row->tells_apart) {
      if constexpr (scalar<M>)
        if (static_cast<std::int64_t>(member) != row->number)
          wrong = joined({"got ", static_cast<std::int64_t>(member), ", which is no operator's"});
    }
    if (wrong.empty()) return;
    made.is_other = row != nullptr && row->tells_apart;
    made.fault = joined({name, ": ", wrong});
  }
  template <class M> static bool is_omission([[maybe_unused]] const hdi_field& row, [[maybe_unused]] const M& member) {
    if constexpr (scalar<M>) return false;
    else return row.is_omitted && member.empty();
  }
  /// Sets an attribute that the node marks as unused to the value for that.
  template <class Node> void drop_unused(const Node& node, const hdi_field& row) {
    bool is_used = true;
    for_each_attribute(node, [&]<class M>(const char* name, const M& member) {
      if constexpr (std::is_same_v<M, bool>)
        if (row.member == name) is_used = member;
    });
    for_each_attribute(attributes, [&]<class A>(const char* attribute, A& value) {
      if constexpr (std::is_same_v<A, std::int64_t>)
        if (!is_used && row.attribute == attribute) value = row.number;
    });
  }
};

template <class Op, std::uint32_t NodeType>
read_attributes read_node(version v, reader& in, array_ref<const operand> operands) {
  return with_attributes<NodeType>(v, [&]<class Node>(Node node) {
    node_reader<Op> taken{{}, operands, {}};
    if (auto ok = unmarshal(in, node); !ok) taken.made.fault = ok.error().message();
    else taken.take(node);
    pack(taken.attributes, taken.made.words);
    return std::move(taken.made);
  });
}
template <class Op>
read_attributes read_operator(version v, [[maybe_unused]] bool is_also, reader& in, array_ref<const operand> operands) {
  if constexpr (Op::foreign.hdi_also >= 0)
    if (is_also) return read_node<Op, static_cast<std::uint32_t>(Op::foreign.hdi_also)>(v, in, operands);
  if constexpr (Op::foreign.hdi >= 0)
    return read_node<Op, static_cast<std::uint32_t>(Op::foreign.hdi)>(v, in, operands);
  (void)v, (void)in, (void)operands;
  return {};
}

// --- the table ------------------------------------------------------------------------

template <class Op> constexpr operator_encoding make_encoding() {
  operator_encoding encoding;
  encoding.op = &ops::of<Op>();
  encoding.numbers = Op::foreign;
  encoding.well_formed = [](array_ref<const word> words) { return nnrt::well_formed<typename Op::attrs>(words); };
  encoding.write = &write_attributes<Op>;
  encoding.read = &read_operator<Op>;
  if constexpr (requires { Op::nnrt_inputs; }) encoding.nnrt_inputs = Op::nnrt_inputs;
  if constexpr (has_attributes_of_its_own<Op>()) encoding.lost = &lost_attribute<Op>;
  if constexpr (Op::foreign.hdi >= 0) {
    using kind = node_kind<static_cast<std::uint32_t>(Op::foreign.hdi)>;
    static_assert(!std::is_void_v<typename kind::type>, "nnrt: the operator's foreign.hdi is no node type");
    static_assert(
        forgotten<Op, typename kind::type>().empty(),
        "nnrt: a member of the operator's HDI node, or one of its attributes, has no place: name it in hdi_fields");
    const auto own = static_cast<version>(Op::foreign.hdi_since);
    encoding.type_since = kind::since;
    encoding.since = kind::since < own ? own : kind::since;
  }
  if constexpr (Op::foreign.hdi_also >= 0) {
    using kind = node_kind<static_cast<std::uint32_t>(Op::foreign.hdi_also)>;
    static_assert(!std::is_void_v<typename kind::type>, "nnrt: the operator's foreign.hdi_also is no node type");
    encoding.also_since = kind::since;
  }
  return encoding;
}
template <class Op> inline constexpr operator_encoding encoding_of_operator = make_encoding<Op>();

template <class List> struct encoding_table;
template <class... Ops> struct encoding_table<ops::type_list<Ops...>> {
  static constexpr const operator_encoding* entries[] = {&encoding_of_operator<Ops>...};
};

}  // namespace detail

/// Encodings of all operators, in the order of ops::list. With NNRT_SEPARATE_FORMS they are defined in the unit that
/// includes `<nnrt/src_forms.hpp>`.
#ifdef NNRT_SEPARATE_FORMS
array_ref<const operator_encoding* const> operator_encodings();
#else
inline array_ref<const operator_encoding* const> operator_encodings() {
  return detail::encoding_table<ops::list>::entries;
}
#endif

/// Encoding of the operator with this number; null if there is none.
inline const operator_encoding* find_encoding(op_code code) {
  for (const operator_encoding* encoding : operator_encodings())
    if (encoding->op->code == code) return encoding;
  return nullptr;
}

// --- whole nodes -------------------------------------------------------------------------

/// An operator and its attributes.
struct decoded_node {
  const operator_encoding* encoding = nullptr;
  pool<word> words;
};

namespace detail {

/// Reads the words that `lossless` appends after HDI's attributes, if present.
inline fault take_exact(reader& in, std::uint32_t node_type, decoded_node& node) {
  reader ahead = in;
  std::uint32_t mark = 0;
  if (in.left() < sizeof mark || !ahead.take_raw(mark) || mark != exact_mark) return {};
  exact_attributes exact;
  if (auto ok = unmarshal(in, exact); !ok) return ok.error().message();
  const operator_encoding* const encoding = find_encoding(op_code{exact.operation});
  if (encoding == nullptr || !encoding->has(node_type))
    return joined({"operation: got ", exact.operation, ", which is no operator of node type ", node_type});
  if (!encoding->well_formed(exact.words)) return joined({"words: are no attributes of ", encoding->op->name});
  node.encoding = encoding;
  node.words.clear();
  node.words.insert(exact.words.begin(), exact.words.end());
  return {};
}

inline result<decoded_node> no_node_type(std::uint32_t node_type) {
  return fail(error_code::not_supported,
              joined({"nodeType: got ", node_type, ", which is no operator's in this version"}));
}

}  // namespace detail

/// Decodes a node to an operator and its attributes. `operands`: known descs of its inputs.
/// Errors, naming the member: not_supported (no operator has this node type in this version), invalid_file (nodeAttr is
/// too short, or a member is invalid).
inline result<decoded_node> decode_node(version v, std::uint32_t node_type, array_ref<const std::int8_t> node_attr,
                                        array_ref<const operand> operands) {
  std::string reason;
  bool is_known = false;
  for (const operator_encoding* encoding : operator_encodings()) {
    if (!encoding->has(node_type)) continue;
    const bool is_own = node_type == own_node_type(encoding->op->code);
    const bool is_also =
        encoding->numbers.hdi_also >= 0 && node_type == static_cast<std::uint32_t>(encoding->numbers.hdi_also);
    if (!is_own && v < (is_also ? encoding->also_since : encoding->since)) continue;
    is_known = true;
    reader in(node_attr);
    decoded_node node;
    read_attributes read = is_own ? read_attributes{} : encoding->read(v, is_also, in, operands);
    if (is_own || in.next != 0)
      if (const std::string wrong = detail::take_exact(in, node_type, node); !wrong.empty())
        return fail(error_code::invalid_file, joined({"nodeAttr: ", wrong}));
    if (node.encoding != nullptr) return node;
    if (read.fault.empty() && !is_own) return decoded_node{encoding, std::move(read.words)};
    const std::string wrong = is_own ? "has no attributes" : read.fault;
    if (!read.is_other || reason.empty()) reason = wrong;
    // several operators may be meant: report all
    else if (reason != wrong) reason = joined({reason, "; as ", encoding->op->name, ": ", wrong});
    if (!read.is_other) break;
  }
  if (!is_known) return detail::no_node_type(node_type);
  return fail(error_code::invalid_file, joined({"nodeAttr: ", reason}));
}

/// A node's type and encoded attributes.
struct encoded_node {
  std::uint32_t node_type = NODE_TYPE_NONE;
  std::vector<std::int8_t> node_attr;
};

/// Encodes an operator as a node of HDI.
/// `upstream`, like the shipped implementation, writes the number of a node type that the version lacks, without
/// attributes. It does not check whether an older version's structure supports the operator (REDUCE_L2's mode).
/// Errors: not_supported (`upstream`: no version has the operator, or a member for a changed attribute),
/// invalid_argument (the words are not valid attributes of the operator).
inline result<encoded_node> encode_node(version v, encoder how, const operator_encoding& encoding,
                                        array_ref<const word> words, array_ref<const operand> in) {
  encoded_node node;
  writer out;
  const bool is_in = encoding.is_in(v);
  if (!encoding.well_formed(words))
    return fail(error_code::invalid_argument,
                joined({"the attributes of ", encoding.op->name, " are not well formed"}));
  if (how == encoder::upstream && encoding.numbers.hdi < 0)
    return fail(error_code::not_supported, joined({encoding.op->name, " is no operator of HDI"}));
  if (const std::string_view lost =
          how == encoder::upstream && encoding.lost != nullptr ? encoding.lost(words) : std::string_view();
      !lost.empty())
    return fail(error_code::not_supported,
                joined({encoding.op->name, ": ", lost, " is not what it is by default, and HDI has no member for it"}));
  node.node_type = is_in || how == encoder::upstream ? static_cast<std::uint32_t>(encoding.numbers.hdi)
                                                     : own_node_type(encoding.op->code);
  if (is_in || (how == encoder::upstream && v >= encoding.type_since)) encoding.write(v, how, words, in, out);
  if (how == encoder::lossless) {
    const auto again = decode_node(v, node.node_type, out.bytes, in);
    bool is_exact = is_in && again && again->encoding == &encoding && again->words.size() == words.size();
    for (std::size_t i = 0; is_exact && i < words.size(); ++i) is_exact = again->words[i] == words[i];
    if (!is_exact)
      marshal(out,
              exact_attributes{exact_mark, static_cast<std::int32_t>(encoding.op->code), {words.begin(), words.end()}});
  }
  node.node_attr = std::move(out.bytes);
  return node;
}

}}}  // namespace nnrt::NNRT_ISA::hdi
