// call: the arguments of one call of an operator's function as data, which ordinary functions check and place.
// Flow: ir/apply.hpp asks call<Op, Args...> for the outcome, and reports it or records the node. Templates here only
// read types: each layer instantiates every template of the whole call, because its types differ.
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
  // desc of an operand, or the wanted desc of the output; dtype none for other keywords
  tensor_desc desc{};
  array_ref<const std::int64_t> values{};  // elements of a keyword that becomes an operand
  int operand = -1;                        // index of the operand that a keyword becomes
  std::string_view fills{};                // the attribute or operand that a keyword fills; empty for other arguments
  bool is_known = true;                    // false: the operator has no such keyword
  bool is_wish = false;                    // whether it gives the wanted desc of the output
};

/// The index of the operand with this role; -1: none.
constexpr int operand_called(std::string_view role, array_ref<const operand_spec> signature) {
  for (std::size_t i = 0; i < signature.size(); ++i)
    if (signature[i].role == role) return static_cast<int>(i);
  return -1;
}

/// A keyword that sets one of these attributes.
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

/// The first keyword that does not fit; of two keywords for one slot, the second. Argument -1: all fit.
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

/// Whether a keyword sets the attribute of this name.
constexpr bool says(array_ref<const argument> all, std::string_view attribute) {
  for (const argument& a : all)
    if (a.is == argument::kind::keyword && a.fills == attribute) return true;
  return false;
}

/// Whether one of the tensors is an output of a refused node.
constexpr bool has_unknown_tensor(array_ref<const argument> all) {
  for (const argument& a : all)
    if (a.is == argument::kind::tensor && a.desc.type == dtype::none) return true;
  return false;
}

/// Finds the argument for each operand (-1: missing), and returns the number of operands. Keywords fill the operand of
/// their name; the other arguments fill the free operands in order.
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
/// The wanted desc of the output; dtype none and no quantisation if no keyword gives one.
constexpr tensor_desc wish_among(array_ref<const argument> all) {
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].is_wish) return all[i].desc;
  return {};
}

/// Lists the operands as rules read them. A handle's type does not tell whether it is a weight, so rules about constant
/// operands are checked when the graph is complete.
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
/// The attributes that the keywords among these arguments set.
template <class Op, class... Args> constexpr typename Op::attrs attributes_of() {
  typename Op::attrs attrs;
  (set_attribute<typename Op::attrs, Args>(attrs), ...);
  return attrs;
}

/// The verdict without its vector, so that it can be a constant, and the dtype for which the reference is instantiated.
template <int Outputs> struct call_outcome {
  int rule = -1;
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0, expected = 0;
  int count = 0;
  dtype computes_in = dtype::none;
  tensor_desc outputs[Outputs > 0 ? Outputs : 1];  // NOLINT(bugprone-branch-clone): the same for Outputs == 1 only
  constexpr array_ref<const tensor_desc> given() const { return {outputs, static_cast<std::size_t>(Outputs)}; }
};
template <class Op, int Outputs, int Operands>
constexpr call_outcome<Outputs> infer_call(const typename Op::attrs& attrs, array_ref<const argument> all,
                                           array_ref<const int> argument_of) {
  std::array<operand, static_cast<std::size_t>(Operands)> in{};
  list_operands(all, argument_of, in);
  const tensor_desc wish = wish_among(all);
  const verdict v = infer_node<Op>(attrs, in, {&wish, 1});
  call_outcome<Outputs> s;
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

/// The arguments of a call before its rules are checked. One constant, because every layer pays for each constant.
template <std::size_t Arguments, std::size_t MostOperands> struct reading {
  std::array<argument, Arguments> arguments;
  misfit misfitting;
  int argument_of[MostOperands] = {};
  int operands = 0;

  constexpr explicit reading(const std::array<argument, Arguments>& all)
      : arguments(all), misfitting(find_misfit(all)), operands(place(all, argument_of)) {}
  constexpr array_ref<const int> placed() const { return {argument_of, static_cast<std::size_t>(operands)}; }
};

/// The outcome of one call, computed once for each combination of operator, descs and keywords.
template <class Op, class... Args> struct call {
  // No argument becomes an operand whose index exceeds both counts.
  static constexpr reading<sizeof...(Args),
                           (sizeof...(Args) > std::size(Op::inputs) ? sizeof...(Args) : std::size(Op::inputs))>
      read{{describe<Op, Args>()...}};
  static constexpr typename Op::attrs attributes = attributes_of<Op, Args...>();
  // Members, because clang evaluates constants inside a constexpr function again at each call.
  /// The verdict of the rules on this call.
  template <int Outputs>
  static constexpr call_outcome<Outputs> outcome =
      infer_call<Op, Outputs, read.operands>(attributes, read.arguments, read.placed());

  /// Number of outputs that the caller expects when the node is refused. Operators with a variable number of outputs
  /// may compute it from their attributes.
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
