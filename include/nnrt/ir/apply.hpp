// apply: turns a call of an operator's function into a checked node.
// Flow: ops/*.hpp call dsl::apply<Op>(tensors, scalars, keywords); the compiler checks rules, builder adds the node.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ir/builder.hpp>
#include <nnrt/ir/call.hpp>

#include <tuple>

namespace nnrt { inline namespace NNRT_ISA {

/// Several outputs of one node: works with structured bindings and `get<I>`.
template <class... Tensors> struct outputs_of_node : std::tuple<Tensors...> {
  using std::tuple<Tensors...>::tuple;
};

}}  // namespace nnrt::NNRT_ISA

namespace std {
template <class... Tensors>
struct tuple_size<nnrt::outputs_of_node<Tensors...>> : integral_constant<size_t, sizeof...(Tensors)> {};
template <size_t I, class... Tensors>
struct tuple_element<I, nnrt::outputs_of_node<Tensors...>> : tuple_element<I, tuple<Tensors...>> {};
}  // namespace std

namespace nnrt { inline namespace NNRT_ISA { namespace dsl {

/// The desc of a refused node's output. Nodes that use it are not checked, so that one mistake gives one error.
inline constexpr tensor_desc unknown_desc{};

/// A number as an int if it fits: clang prints int64_t arguments as 3L.
template <std::int64_t Value> constexpr auto shortest() {
  if constexpr (Value == static_cast<int>(Value)) return static_cast<int>(Value);
  else return Value;
}

/// The error for a broken rule, with its two values in the rule's unit.
template <auto Rule, unit Counted, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection {
  using type = graph_rejected<Rule, actual<shortest<Actual>()>, expected<shortest<Expected>()>, Where...>;
};
template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where>
struct rejection<Rule, unit::type, Actual, Expected, Where...> {
  using type =
      graph_rejected<Rule, actual<static_cast<dtype>(Actual)>, expected<static_cast<dtype>(Expected)>, Where...>;
};
template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where>
struct rejection<Rule, unit::layout, Actual, Expected, Where...> {
  using type =
      graph_rejected<Rule, actual<static_cast<format>(Actual)>, expected<static_cast<format>(Expected)>, Where...>;
};

template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where>
struct rejection<Rule, unit::real, Actual, Expected, Where...> {
  static constexpr auto real(std::int64_t bits) {
    return keyword::real(std::bit_cast<float>(static_cast<std::int32_t>(bits)));
  }
  using type = graph_rejected<Rule, actual<real(Actual)>, expected<real(Expected)>, Where...>;
};

/// Rules whose names do not say which operator they concern.
template <class Rules>
concept shared_rules = requires(Rules rule) { shared_by_operators(rule); };

/// Not constexpr: the compiler points at its call, and then at the scalar in the network's function.
inline void scalar_must_be_a_number_of_the_dtype() {}

template <dtype Type, class T> constexpr std::int32_t constant_of(builder& owner, T scalar) {
  const element_t<Type> one[] = {static_cast<element_t<Type>>(scalar)};
  if constexpr (types::integer.contains(Type) && std::is_integral_v<T>)  // fractions have been refused already
    if (!std::cmp_equal(one[0], scalar + 0)) scalar_must_be_a_number_of_the_dtype();
  return owner.add_constant<element_t<Type>>({Type, {}}, one);
}
/// The id of an argument's value. Scalars (of dtype Scalar) and keywords that are operands become constants here.
template <class Op, dtype Scalar> constexpr std::int32_t value_of(builder& owner, const handle& given) {
  return owner.id_of(given);
}
template <class Op, dtype Scalar, class T>
  requires(!is_tensor<T>)
constexpr std::int32_t value_of(builder& owner, const T& given) {
  if constexpr (!is_keyword<T>) return constant_of<Scalar>(owner, given);
  else {
    constexpr argument described = describe<Op, T>();
    if constexpr (described.operand < 0) return ir::none;
    else if constexpr (described.desc.type == i64)
      return owner.add_constant<std::int64_t>(described.desc, described.values);
    else return constant_of<described.desc.type>(owner, described.values[0]);
  }
}

template <class T> constexpr builder* owner_of(const T& given) {
  if constexpr (is_tensor<T>) return given.owner;
  else return nullptr;
}

/// The part that runs in constant evaluation of the user's function; it only calls builder::add_node.
constexpr std::int32_t append_node(builder& owner, const operator_info& info, array_ref<const word> words,
                                   array_ref<const std::int32_t> given, array_ref<const int> argument_of,
                                   array_ref<const tensor_desc> outputs) {
  pool<std::int32_t> inputs;
  for (const int a : argument_of) inputs.push_back(a < 0 ? ir::none : given[static_cast<std::size_t>(a)]);
  return owner.add_node(info, words, inputs, outputs);
}

template <const auto& Outcome, std::int32_t... I>
constexpr auto outputs_from(builder* owner, std::int32_t first, std::integer_sequence<std::int32_t, I...>) {
  if constexpr (sizeof...(I) == 1) return tensor<Outcome.outputs[0]>{{owner, first}};
  else return outputs_of_node<tensor<Outcome.outputs[I]>...>(tensor<Outcome.outputs[I]>{{owner, first + I}}...);
}

/// Returns handles for the outputs of a refused node. Tells the graph, so that it does not also report inputs that only
/// this node would use.
template <std::size_t Outputs, class... Args> constexpr auto refused(const Args&... args) {
  for (builder* const owner : {owner_of(args)...})
    if (owner != nullptr) owner->refuse();
  if constexpr (Outputs == 1) return tensor<unknown_desc>{};
  else
    return []<std::size_t... I>(std::index_sequence<I...>) {
      return outputs_of_node<tensor<(static_cast<void>(I), unknown_desc)>...>();
    }(std::make_index_sequence<Outputs>{});
}

/// Adds the node of a call that no rule forbids; returns handles for its outputs.
template <class Op, class Call, class... Args> constexpr auto add_node(const Args&... args) {
  constexpr int count = Call::output_count();
  constexpr const auto& outcome = Call::template outcome<count>;
  builder* owner = nullptr;
  ((owner = owner != nullptr ? owner : owner_of(args)), ...);
  constexpr dtype scalar = scalar_type(Call::read.arguments);
  const std::int32_t given[] = {value_of<Op, scalar>(*owner, args)...};
  pool<word> words;
  pack(Call::attributes, words);
  const operator_info& info = static_operator<Op, outcome.computes_in>;
  const std::int32_t first = append_node(*owner, info, words, given, Call::read.placed(), outcome.given());
  if constexpr (!Op::traits.to_be_said.empty()) {
    ir::graph& g = owner->graph();
    ir::node& made = g.nodes.back();
    const auto is_said = [](std::string_view attribute) { return says(Call::read.arguments, attribute); };
    made.left_open = left_open<Op>(Call::attributes, g.at(g.inputs_of(made)[0]).desc, is_said);
  }
  return outputs_from<outcome>(owner, first, std::make_integer_sequence<std::int32_t, count>{});
}

template <class Op, class... Args> constexpr auto apply(Args... args) {
  using this_call = call<Op, Args...>;
  if constexpr (this_call::read.misfitting.argument >= 0) {
    using given =
        std::tuple_element_t<static_cast<std::size_t>(this_call::read.misfitting.argument), std::tuple<Args...>>;
    using reason = graph_rejected<this_call::read.misfitting.rule, keyword_named<typename as_keyword<given>::type>,
                                  in_operator<Op>>;
    (void)sizeof(decltype(reason::report()));
    return refused<this_call::outputs_asked_for()>(args...);
  } else if constexpr (has_unknown_tensor(this_call::read.arguments)) {
    return refused<this_call::outputs_asked_for()>(args...);
  } else {
    constexpr const auto& outcome = this_call::template outcome<this_call::output_count()>;
    if constexpr (outcome.rule >= 0) {
      using rules = std::conditional_t<outcome.by_signature, signature_rule, typename Op::rule>;
      if constexpr (shared_rules<rules>) {
        using reason = rejection<static_cast<rules>(outcome.rule), outcome.counted, outcome.actual, outcome.expected,
                                 in_operator<Op>>;
        (void)sizeof(decltype(reason::type::report()));
      } else {
        using reason = rejection<static_cast<rules>(outcome.rule), outcome.counted, outcome.actual, outcome.expected>;
        (void)sizeof(decltype(reason::type::report()));
      }
      return refused<this_call::outputs_asked_for()>(args...);
    } else {
      return add_node<Op, this_call>(args...);
    }
  }
}

}}}  // namespace nnrt::NNRT_ISA::dsl
