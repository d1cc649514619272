// call: what the arguments of one call of an operator's function say - as data, so that ordinary functions can check
// and place them.
// Flow: ir/apply.hpp asks call<Op, Args...> what was found, reports it or records the node. Templates know the types
// here and nothing else: a network calls its operators with other types each time, so whatever is a template of the
// whole call is paid for by each layer.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/core/pool.hpp>

#include <array>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA { namespace dsl {

/// One argument of a call: a tensor's handle, a scalar, or a keyword.
struct argument {
  enum class kind { tensor, scalar, keyword };
  kind is = kind::tensor;
  // of what is, or becomes, an operand; what a wish wishes; dtype none for other keywords
  tensor_desc desc{};
  array_ref<const std::int64_t> values{};  // what a keyword holds that becomes an operand
  int operand = -1;                        // the one that a keyword becomes
  std::string_view fills{};                // what a keyword fills; empty for what is no keyword
  bool is_known = true;                    // false: a keyword that the operator has no place for
  bool is_wish = false;                    // what the output shall be
};

/// The operand of this role, as an index; -1: there is none.
constexpr int operand_called(std::string_view role, array_ref<const operand_spec> signature) {
  for (std::size_t i = 0; i < signature.size(); ++i)
    if (signature[i].role == role) return static_cast<int>(i);
  return -1;
}

/// A keyword that fills one of these attributes.
template <class Attrs, class Keyword>
concept attribute_of = requires(Attrs a) { Keyword::set(a); };

template <class Op, class Keyword> constexpr argument describe_keyword() {
  argument a{argument::kind::keyword};
  if constexpr (requires { Keyword::slot::name; }) a.fills = Keyword::slot::name;
  else a.fills = "into";
  if constexpr (!attribute_of<typename Op::attrs, Keyword>) {
    if constexpr (requires { Keyword::desc(); }) {
      a.operand = operand_called(a.fills, Op::inputs);
      if (a.operand >= 0) a.desc = Keyword::desc(), a.values = Keyword::values;
    }
    if constexpr (requires { Keyword::wanted(); }) a.is_wish = true, a.desc = Keyword::wanted();
    a.is_known = a.operand >= 0 || a.is_wish;
  }
  return a;
}
template <class Op, class T> constexpr argument describe() {
  if constexpr (is_tensor<T>) return {argument::kind::tensor, T::desc};
  else if constexpr (is_keyword<T>) return describe_keyword<Op, typename as_keyword<T>::type>();
  else return {argument::kind::scalar};
}

/// A scalar takes the dtype of the first tensor.
constexpr dtype scalar_type(array_ref<const argument> all) {
  for (const argument& a : all)
    if (a.is == argument::kind::tensor && a.desc.type != dtype::none) return a.desc.type;
  return dtype::none;
}

/// The first keyword that does not fit, of two for one slot the second; argument -1: all fit.
struct misfit {
  int argument = -1;
  keyword_rule rule{};
};
constexpr misfit find_misfit(array_ref<const argument> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_known) return {static_cast<int>(i), keyword_rule::keyword_must_be_known_to_the_operator};
    for (std::size_t k = 0; k < i; ++k)
      if (!all[i].fills.empty() && all[i].fills == all[k].fills)
        return {static_cast<int>(i), keyword_rule::keyword_must_not_be_given_twice};
  }
  return {};
}

/// Whether a keyword fills the attribute of this name.
constexpr bool says(array_ref<const argument> all, std::string_view attribute) {
  for (const argument& a : all)
    if (a.is == argument::kind::keyword && a.fills == attribute) return true;
  return false;
}

/// Whether one of the tensors stands for the output of a refused node.
constexpr bool has_unknown_tensor(array_ref<const argument> all) {
  for (const argument& a : all)
    if (a.is == argument::kind::tensor && a.desc.type == dtype::none) return true;
  return false;
}

/// Finds for each operand the argument that gives it, -1: missing, and returns how many there are. Keywords go to the
/// operand of their name, the others to the free ones in order.
constexpr int place(array_ref<const argument> all, array_ref<int> argument_of) {
  for (int& a : argument_of) a = -1;
  int count = 0;
  const auto put = [&](int operand, std::size_t i) {
    argument_of[static_cast<std::size_t>(operand)] = static_cast<int>(i);
    if (operand >= count) count = operand + 1;
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].operand >= 0) put(all[i].operand, i);
  int next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].is == argument::kind::keyword) continue;
    while (argument_of[static_cast<std::size_t>(next)] >= 0) ++next;
    put(next, i);
  }
  return count;
}
/// What the output shall be; dtype none and no quantisation where nobody says.
constexpr tensor_desc wish_among(array_ref<const argument> all) {
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].is_wish) return all[i].desc;
  return {};
}

/// The operands as rules see them. A handle's type does not tell whether it is a weight: operands that must be constant
/// are checked when the graph is complete.
constexpr void list_operands(array_ref<const argument> all, array_ref<const int> argument_of, array_ref<operand> list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (argument_of[i] < 0) continue;
    const argument& from = all[static_cast<std::size_t>(argument_of[i])];
    list[i] = {from.desc, from.values, from.is != argument::kind::tensor};
    if (from.is == argument::kind::scalar) list[i].desc = {scalar_type(all), {}};
  }
}

template <class Attrs, class T> constexpr void set_attribute(Attrs& attrs) {
  if constexpr (is_keyword<T>)
    if constexpr (attribute_of<Attrs, typename as_keyword<T>::type>) as_keyword<T>::type::set(attrs);
}
/// The attributes that the keywords among these arguments say.
template <class Op, class... Args> constexpr typename Op::attrs attributes_of() {
  typename Op::attrs attrs;
  (set_attribute<typename Op::attrs, Args>(attrs), ...);
  return attrs;
}

/// The verdict without its vector, so that it can be a constant, and the dtype that the reference is instantiated for.
template <int Outputs> struct settled {
  int rule = -1;
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0, expected = 0;
  int count = 0;
  dtype computes_in = dtype::none;
  tensor_desc outputs[Outputs > 0 ? Outputs : 1];
  constexpr array_ref<const tensor_desc> given() const { return {outputs, static_cast<std::size_t>(Outputs)}; }
};
template <class Op, int Outputs, int Operands>
constexpr settled<Outputs> settle(const typename Op::attrs& attrs, array_ref<const argument> all,
                                  array_ref<const int> argument_of) {
  std::array<operand, static_cast<std::size_t>(Operands)> in{};
  list_operands(all, argument_of, in);
  const tensor_desc wish = wish_among(all);
  const verdict v = infer_node<Op>(attrs, in, {&wish, 1});
  settled<Outputs> s;
  s.rule = v.rule;
  s.by_signature = v.by_signature;
  s.counted = v.counted;
  s.actual = v.actual;
  s.expected = v.expected;
  s.count = static_cast<int>(v.outputs.size());
  for (int i = 0; i < Outputs && i < s.count; ++i) s.outputs[i] = v.output(i);
  if (v) s.computes_in = reference_type(Op::traits, [&](std::size_t i) { return in[i].desc.type; });
  return s;
}

/// What the arguments of a call say before its rules are asked: one constant, for each is paid for by each layer.
template <std::size_t Arguments, std::size_t MostOperands> struct reading {
  std::array<argument, Arguments> arguments;
  misfit misfitting;
  int argument_of[MostOperands] = {};
  int operands = 0;

  constexpr explicit reading(const std::array<argument, Arguments>& all)
      : arguments(all), misfitting(find_misfit(all)), operands(place(all, argument_of)) {}
  constexpr array_ref<const int> placed() const { return {argument_of, static_cast<std::size_t>(operands)}; }
};

/// What one call says; computed once for each combination of operator, descs and keywords.
template <class Op, class... Args> struct call {
  // No argument becomes an operand behind both the others and the signature's last.
  static constexpr reading<sizeof...(Args),
                           (sizeof...(Args) > std::size(Op::inputs) ? sizeof...(Args) : std::size(Op::inputs))>
      read{{describe<Op, Args>()...}};
  static constexpr typename Op::attrs attributes = attributes_of<Op, Args...>();
  // Members, because clang evaluates the constants inside of a constexpr function again at each of its calls.
  /// What the rules say of this call.
  template <int Outputs>
  static constexpr settled<Outputs> outcome =
      settle<Op, Outputs, read.operands>(attributes, read.arguments, read.placed());

  /// Outputs that the caller looks for when the node is refused: an operator with any number of them may tell from its
  /// attributes.
  static constexpr std::size_t outputs_asked_for() {
    if constexpr (requires { Op::outputs_asked_for(attributes); })
      return static_cast<std::size_t>(Op::outputs_asked_for(attributes));
    else return std::size(Op::outputs);
  }
  static constexpr int output_count() {
    if constexpr (Op::outputs[std::size(Op::outputs) - 1].given == presence::variadic) return outcome<0>.count;
    else return static_cast<int>(std::size(Op::outputs));
  }
};

}}}  // namespace nnrt::NNRT_ISA::dsl
