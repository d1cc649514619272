// operations: operators as NNRt sees them - decoding of parameter tensors to attributes, and checks of AddOperation.
// Flow: model.hpp finds an operation by its number; everything follows from the operators' tables.
#pragma once

#include <nnrt/c_api/support.hpp>
#include <nnrt/ir/graph.hpp>
#include <nnrt/ops/registry.hpp>

#include <cstring>
#include <memory>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// A parameter tensor and its value.
struct parameter {
  int tensor_type = 0;
  dtype type = dtype::none;
  int rank = 0;
  std::int64_t count = 0;               // elements
  array_ref<const std::byte> bytes;     // empty: not set
  const nnrt_parameter* row = nullptr;  // its row in the operator's table

  /// Element i as an integer; reals are truncated.
  std::int64_t integer(std::int64_t i) const {
    std::int64_t number = 0;
    with_element<types::integer | types::logical>(
        type, [&]<class T>(T) { number = static_cast<std::int64_t>(element<T>(i)); });
    return number;
  }
  float real(std::int64_t i) const { return type == f32 ? element<float>(i) : static_cast<float>(integer(i)); }

 private:
  template <class T> T element(std::int64_t i) const {
    ir::detail::raw_element<sizeof(T)> raw;
    std::memcpy(raw.bytes, bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    if constexpr (std::is_same_v<T, bool>) return raw.bytes[0] != std::byte{};
    else return std::bit_cast<T>(raw);
  }
};

/// Attributes as words, or why the operation is not supported (a list longer than the largest rank).
struct decoded_attributes {
  pool<word> words;
  std::string refusal;
};

namespace detail {

inline void assign(std::int64_t& to, const parameter& p, std::string&) { to = p.integer(0); }
inline void assign(bool& to, const parameter& p, std::string&) { to = p.integer(0) != 0; }
inline void assign(float& to, const parameter& p, std::string&) { to = p.real(0); }
template <class Enum>
  requires std::is_enum_v<Enum>
void assign(Enum& to, const parameter& p, std::string&) {
  to = static_cast<Enum>(p.integer(0));
}
inline void assign(extent2& to, const parameter& p, std::string& refusal) {
  if (p.count == 1 || p.count == 2) to = {p.integer(0), p.integer(p.count - 1)};
  else if (p.count != 0) refusal = joined({p.row->attribute, " has ", p.count, " numbers, expected 2"});
}
/// One number is a mode (0: same; 1 and 2: valid), four are lengths. If both are given, the mode decides.
inline void assign(pads& to, const parameter& p, std::string&) {
  if (p.count == 1) {
    to.mode = p.integer(0) == 0 ? pad_mode::same : pad_mode::valid;
    return;
  }
  to.top = p.integer(0), to.bottom = p.integer(1), to.left = p.integer(2), to.right = p.integer(3);
}
template <int N> void assign(int_list<N>& to, const parameter& p, std::string& refusal) {
  if (!p.row->appends) to.count = 0;
  if (to.count + p.count > N)
    refusal = joined({p.row->attribute, " has ", to.count + p.count, " numbers, expected at most ", N});
  for (std::int64_t i = 0; i < p.count; ++i) to.push_back(p.integer(i));
}

template <int N> void assign(real_list<N>& to, const parameter& p, std::string& refusal) {
  to.count = 0;
  if (p.count > N) refusal = joined({p.row->attribute, " has ", p.count, " numbers, expected at most ", N});
  for (std::int64_t i = 0; i < p.count && i < N; ++i) to.push_back(p.real(i));
}

inline bool is_given(array_ref<const parameter> given, const nnrt_parameter& row) {
  for (const parameter& p : given)
    if (p.row->attribute == row.attribute) return true;
  return false;
}

/// Decodes an operator's attributes from parameters, in their order. `level`: API level, for defaults that differ.
template <class Op> decoded_attributes decode(array_ref<const parameter> given, [[maybe_unused]] int level) {
  typename Op::attrs attrs;
  decoded_attributes made;
  const auto set = [&](const parameter& p) {
    for_each_attribute(attrs, [&](const char* name, auto& member) {
      if (p.row->attribute == name) assign(member, p, made.refusal);
    });
  };
  for (const nnrt_parameter& row : Op::parameters) {
    if (row.absent == nnrt_parameter::as_made || is_given(given, row)) continue;
    set({row.tensor_type, i64, 0, 1,
         array_ref<const std::byte>(reinterpret_cast<const std::byte*>(&row.absent), sizeof row.absent), &row});
  }
  for (const nnrt_parameter& row : Op::parameters)  // lists start empty, without their defaults
    if (row.appends && is_given(given, row)) {
      for_each_attribute(attrs, [&](const char* name, auto& member) {
        if constexpr (requires {
                        member.count;
                        member.items;
                      })
          if (row.attribute == name) member.count = 0;
      });
    }
  for (const parameter& p : given) set(p);
  if constexpr (requires(array_ref<const nnrt_given> firsts) { Op::nnrt_derive(attrs, firsts, level); }) {
    std::vector<nnrt_given> firsts;
    for (const parameter& p : given) firsts.push_back({p.tensor_type, p.integer(0)});
    Op::nnrt_derive(attrs, firsts, level);
  }
  pack(attrs, made.words);
  return made;
}

/// Calls the operator's own check of operands at addition, if it has one.
template <class Op>
nnrt_fault refuses(array_ref<const operand> inputs, array_ref<const word> attrs, array_ref<const nnrt_given> given) {
  if constexpr (requires { Op::nnrt_refuses(unpack<typename Op::attrs>(attrs), inputs, given); })
    return Op::nnrt_refuses(unpack<typename Op::attrs>(attrs), inputs, given);
  else return {};
}

}  // namespace detail

/// An operation of NNRt.
struct operation_kind {
  const operator_info* op = nullptr;
  array_ref<const operand_spec> inputs;  // the operands that NNRt has
  array_ref<const nnrt_parameter> parameters;
  bool counts_inputs = true;
  decoded_attributes (*decode)(array_ref<const parameter> given, int level) = nullptr;
  nnrt_fault (*refuses)(array_ref<const operand> inputs, array_ref<const word> attrs,
                        array_ref<const nnrt_given> given) = nullptr;
};

namespace detail {
/// False for operators with `nnrt_counts_inputs = false`, which accept any number of inputs.
template <class Op> constexpr bool counts_inputs() {
  if constexpr (requires { Op::nnrt_counts_inputs; }) return Op::nnrt_counts_inputs;
  else return true;
}

/// Operands that NNRt has. Operators with further ones declare the number as `nnrt_inputs`.
template <class Op> constexpr array_ref<const operand_spec> inputs_of() {
  if constexpr (requires { Op::nnrt_inputs; }) return array_ref<const operand_spec>(Op::inputs).first(Op::nnrt_inputs);
  else return Op::inputs;
}

template <class Op>
inline constexpr operation_kind kind_of{&ops::of<Op>(),      inputs_of<Op>(), Op::parameters,
                                        counts_inputs<Op>(), &decode<Op>,     &refuses<Op>};

template <class List> struct operation_table;
template <class... Ops> struct operation_table<ops::type_list<Ops...>> {
  static constexpr const operation_kind* entries[] = {&kind_of<Ops>...};
};
}  // namespace detail

/// All operators as NNRt sees them, in the order of ops::list. With NNRT_SEPARATE_FORMS they are defined in the unit
/// that includes `<nnrt/src_forms.hpp>`.
#ifdef NNRT_SEPARATE_FORMS
array_ref<const operation_kind* const> operation_kinds();
#else
inline array_ref<const operation_kind* const> operation_kinds() { return detail::operation_table<ops::list>::entries; }
#endif

/// NNRt's operation with this number; null if this library has none.
inline const operation_kind* find_operation(int number) {
  for (const operation_kind* kind : operation_kinds())
    if (static_cast<int>(kind->op->code) == number && number < 1000) return kind;
  return nullptr;
}

/// Largest value of a parameter, from its row or the kind of its attribute; -1: no limit.
inline std::int64_t max_of(const operation_kind& kind, const nnrt_parameter& row) {
  if (row.most >= 0) return row.most;
  for (const attribute_field& field : kind.op->label->attributes) {
    if (field.name != row.attribute) continue;
    if (field.kind == attribute_kind::fused) return 2;
    if (field.kind == attribute_kind::padding && row.count == 1) return 2;
    if (field.kind == attribute_kind::flag && row.type == i32) return 1;
  }
  return -1;
}

/// The table row of a parameter tensor, found by its number. If the attribute has several rows, the row with its count
/// and, if there is one, its dtype. Null: the operation has no such parameter.
inline const nnrt_parameter* parameter_row_of(const operation_kind& kind, const parameter& p) {
  const nnrt_parameter* named = nullptr;
  for (const nnrt_parameter& row : kind.parameters)
    if (row.tensor_type == p.tensor_type) named = &row;
  if (named == nullptr || named->attribute.empty()) return named;
  for (const nnrt_parameter& row : kind.parameters)
    if (row.attribute == named->attribute && row.count == p.count && row.type == p.type) return &row;
  for (const nnrt_parameter& row : kind.parameters)
    if (row.attribute == named->attribute && row.count == p.count) return &row;
  return named;
}

/// Number of parameters that AddOperation accepts. Pools list each under two numbers; it counts once.
inline std::size_t max_parameters(const operation_kind& kind) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kind.parameters.size(); ++i) {
    const nnrt_parameter& row = kind.parameters[i];
    bool is_repeated = false;
    for (const nnrt_parameter& before : kind.parameters.first(i))
      is_repeated =
          is_repeated || (!row.attribute.empty() && before.attribute == row.attribute && before.count == row.count);
    if (!is_repeated) ++count;
  }
  return count;
}

/// Why AddOperation refuses a parameter; empty: it is accepted.
inline std::string fault_of(const operation_kind& kind, const parameter& p) {
  if (p.row == nullptr) return joined({"has no parameter of type ", p.tensor_type});
  const std::string_view name = p.row->attribute;
  if (p.type != p.row->type)
    return joined({name, ": got a tensor of ", name_of(p.type), ", expected ", name_of(p.row->type)});
  if (p.row->count >= 0 && p.count != p.row->count)
    return joined({name, ": got ", p.count, " numbers, expected ", p.row->count});
  if (p.row->rank >= 0 && p.rank != p.row->rank)
    return joined({name, ": got rank ", p.rank, ", expected ", p.row->rank});
  if (p.bytes.empty()) return joined({name, ": its tensor has no value"});
  if (const std::int64_t most = max_of(kind, *p.row); most >= 0 && (p.integer(0) < 0 || p.integer(0) > most))
    return joined({name, ": got ", p.integer(0), ", expected 0 to ", most});
  return {};
}

/// Why AddOperation refuses these numbers of operands; empty: they are accepted. A variadic list needs at least two
/// inputs or one output.
inline std::string fault_of_counts(const operation_kind& kind, std::size_t inputs, std::size_t outputs) {
  const auto expect = [](const char* what, std::size_t got, array_ref<const operand_spec> specs,
                         std::size_t least) -> std::string {
    const bool is_list = specs.size() == 1 && specs[0].given == presence::variadic;
    if (is_list) return got >= least ? "" : joined({"got ", got, " ", what, ", expected at least ", least});
    return got == specs.size() ? "" : joined({"got ", got, " ", what, ", expected ", specs.size()});
  };
  if (kind.counts_inputs)
    if (std::string fault = expect("inputs", inputs, kind.inputs, 2); !fault.empty()) return fault;
  return expect("outputs", outputs, kind.op->outputs, 1);
}

}}}  // namespace nnrt::NNRT_ISA::c_api
