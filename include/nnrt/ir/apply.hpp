// apply: how a call of an operator's function becomes a checked node.
// Flow: ops/*.hpp call dsl::apply<Op>(tensors, scalars, keywords); the rules run in the compiler, the node goes to the builder.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ir/builder.hpp>

#include <tuple>

namespace nnrt::inline NNRT_ISA {

/// Several outputs of one node: works with structured bindings and get<I>.
template <class... Tensors> struct outputs_of_node : std::tuple<Tensors...> {
  using std::tuple<Tensors...>::tuple;
};

}  // namespace nnrt::inline NNRT_ISA

template <class... Tensors> struct std::tuple_size<nnrt::outputs_of_node<Tensors...>> : std::integral_constant<std::size_t, sizeof...(Tensors)> {};
template <std::size_t I, class... Tensors> struct std::tuple_element<I, nnrt::outputs_of_node<Tensors...>> : std::tuple_element<I, std::tuple<Tensors...>> {};

namespace nnrt::inline NNRT_ISA::dsl {

/// The verdict without its vector, so that it can be a constant.
template <int Outputs> struct settled {
  int rule = -1;
  bool by_signature = false;
  unit counted = unit::number;
  std::int64_t actual = 0, expected = 0;
  int count = 0;
  tensor_desc outputs[Outputs > 0 ? Outputs : 1];
};

/// A handle that stands for the output of a refused node: everything built on it is left unchecked, so that one mistake is one error.
inline constexpr tensor_desc unknown_desc{};

/// What the arguments of one call say; computed once for each combination of operator, descs and keywords.
template <class Op, class... Args> struct call {
  static constexpr int arguments = static_cast<int>(sizeof...(Args));
  static constexpr array_ref<const operand_spec> signature = Op::inputs;

  /// Desc of an argument that is, or becomes, an operand; dtype none for a keyword that fills an attribute.
  template <class T> static constexpr tensor_desc desc_of() {
    using argument = typename as_keyword<T>::type;
    if constexpr (is_tensor<T>) return T::desc;
    else if constexpr (std::is_arithmetic_v<T>) return {scalar_type(), {}};
    else if constexpr (fills_operand<argument>()) return argument::desc();
    else return {};
  }
  /// A scalar takes the dtype of the first tensor.
  static constexpr dtype scalar_type() {
    dtype type = dtype::none;
    const auto look = [&]<class T>() {
      if constexpr (is_tensor<T>)
        if (type == dtype::none) type = T::desc.type;
    };
    (look.template operator()<Args>(), ...);
    return type;
  }

  template <class Keyword> static constexpr bool fills_attribute() {
    return requires(typename Op::attrs a) { Keyword::set(a); };
  }
  template <class Keyword> static constexpr int slot() {
    if constexpr (requires { Keyword::slot::name; }) {
      for (std::size_t i = 0; i < signature.size(); ++i)
        if (signature[i].role == Keyword::slot::name) return static_cast<int>(i);
    }
    return -1;
  }
  template <class Keyword> static constexpr bool fills_operand() {
    if constexpr (requires { Keyword::desc(); }) return !fills_attribute<Keyword>() && slot<Keyword>() >= 0;
    else return false;
  }
  template <class Keyword> static constexpr bool is_wish = requires { Keyword::wanted(); };

  template <class T> static constexpr bool is_unknown_keyword() {
    if constexpr (is_keyword<T>) {
      using kw = typename as_keyword<T>::type;
      return !fills_attribute<kw>() && !fills_operand<kw>() && !is_wish<kw>;
    }
    return false;
  }
  /// What a keyword fills; empty for what is no keyword.
  template <class T> static constexpr std::string_view filled_by() {
    if constexpr (is_keyword<T>) {
      if constexpr (requires { as_keyword<T>::type::slot::name; }) return as_keyword<T>::type::slot::name;
      else return "into";
    }
    return {};
  }
  /// The first keyword that does not fit, of two for one slot the second; argument -1: all fit.
  struct misfit {
    int argument = -1;
    keyword_rule rule{};
  };
  static constexpr misfit find_misfit() {
    constexpr bool is_unknown[] = {is_unknown_keyword<Args>()...};
    constexpr std::string_view filled[] = {filled_by<Args>()...};
    for (int i = 0; i < arguments; ++i) {
      if (is_unknown[i]) return {i, keyword_rule::keyword_must_be_known_to_the_operator};
      for (int k = 0; k < i; ++k)
        if (!filled[i].empty() && filled[i] == filled[k]) return {i, keyword_rule::keyword_must_not_be_given_twice};
    }
    return {};
  }
  static constexpr misfit misfitting = find_misfit();
  static constexpr bool keywords_fit = misfitting.argument < 0;
  template <int I> using keyword_at = typename as_keyword<std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<Args...>>>::type;
  static constexpr bool unknown_operand = ((is_tensor<Args> && desc_of<Args>().type == dtype::none) || ...);

  static constexpr typename Op::attrs attributes() {
    typename Op::attrs attrs;
    const auto put = [&]<class T>() {
      if constexpr (is_keyword<T>) {
        using kw = typename as_keyword<T>::type;
        if constexpr (fills_attribute<kw>()) kw::set(attrs);
      }
    };
    (put.template operator()<Args>(), ...);
    return attrs;
  }

  /// For each operand the argument that gives it; -1: missing. Keywords go to the slot of their name, tensors to the free slots in order.
  struct placement {
    int argument_of[static_cast<std::size_t>(arguments) + 16] = {};
    int count = 0;
  };
  static constexpr placement place() {
    placement p;
    for (int& a : p.argument_of) a = -1;
    int i = 0;
    const auto put_keyword = [&]<class T>() {
      if constexpr (is_keyword<T>)
        if constexpr (fills_operand<typename as_keyword<T>::type>()) {
          const int at = slot<typename as_keyword<T>::type>();
          p.argument_of[at] = i;
          if (at >= p.count) p.count = at + 1;
        }
      ++i;
    };
    (put_keyword.template operator()<Args>(), ...);
    i = 0;
    int next = 0;
    const auto put_tensor = [&]<class T>() {
      if constexpr (!is_keyword<T>) {
        while (p.argument_of[next] >= 0) ++next;
        p.argument_of[next++] = i;
        if (next > p.count) p.count = next;
      }
      ++i;
    };
    (put_tensor.template operator()<Args>(), ...);
    return p;
  }
  static constexpr placement placed = place();

  /// The attributes as the words that the graph keeps: packed once here, not at every evaluation of the user's function.
  static constexpr std::size_t word_count = [] {
    pool<word> words;
    pack(attributes(), words);
    return words.size();
  }();
  static constexpr std::array<word, word_count> words = [] {
    pool<word> list;
    pack(attributes(), list);
    std::array<word, word_count> packed{};
    for (std::size_t i = 0; i < word_count; ++i) packed[i] = list[i];
    return packed;
  }();

  static constexpr std::array<tensor_desc, sizeof...(Args)> descs{desc_of<Args>()...};
  template <class T> static constexpr array_ref<const std::int64_t> values_of() {
    if constexpr (is_keyword<T>)
      if constexpr (fills_operand<typename as_keyword<T>::type>()) return as_keyword<T>::type::values;
    return {};
  }

  static constexpr auto operands() {
    constexpr std::array<array_ref<const std::int64_t>, sizeof...(Args)> values{values_of<Args>()...};
    std::array<operand, static_cast<std::size_t>(placed.count)> list{};
    for (std::size_t i = 0; i < list.size(); ++i) {
      const int from = placed.argument_of[i];
      if (from < 0) continue;
      const auto at = static_cast<std::size_t>(from);
      list[i] = {descs[at], values[at], is_constant[at]};
    }
    return list;
  }
  // A handle's type does not tell whether it is a weight: operands that must be constant are checked when the graph is complete.
  static constexpr std::array<bool, sizeof...(Args)> is_constant{!is_tensor<Args>...};

  static constexpr tensor_desc wish() {
    tensor_desc d;
    const auto look = [&]<class T>() {
      if constexpr (is_keyword<T>)
        if constexpr (is_wish<typename as_keyword<T>::type>) d = as_keyword<T>::type::wanted();
    };
    (look.template operator()<Args>(), ...);
    return d;
  }

  template <int Outputs> static constexpr settled<Outputs> settle() {
    const auto in = operands();
    const tensor_desc wanted[] = {wish()};
    const verdict v = infer_node<Op>(attributes(), in, wanted);
    settled<Outputs> s;
    s.rule = v.rule;
    s.by_signature = v.by_signature;
    s.counted = v.counted;
    s.actual = v.actual;
    s.expected = v.expected;
    s.count = static_cast<int>(v.outputs.size());
    for (int i = 0; i < Outputs && i < s.count; ++i) s.outputs[i] = v.output(i);
    return s;
  }
  // Members, because clang evaluates the constants inside of a constexpr function again at each of its calls.
  /// What the rules say of this call.
  template <int Outputs> static constexpr settled<Outputs> outcome = settle<Outputs>();
  /// The dtype that the reference is instantiated for.
  static constexpr dtype computes_in = reference_type(Op::traits, [](std::size_t i) { return operands()[i].desc.type; });
  /// Outputs that the caller looks for when the node is refused: an operator with any number of them may tell from its attributes.
  static constexpr std::size_t outputs_asked_for() {
    if constexpr (requires { Op::outputs_asked_for(attributes()); }) return static_cast<std::size_t>(Op::outputs_asked_for(attributes()));
    else return std::size(Op::outputs);
  }
  static constexpr int output_count() {
    if constexpr (Op::outputs[std::size(Op::outputs) - 1].given == presence::variadic) return settle<0>().count;
    else return static_cast<int>(std::size(Op::outputs));
  }
};

/// A number as the int that it usually fits into: clang prints int64_t arguments as 3L.
template <std::int64_t Value> constexpr auto shortest() {
  if constexpr (Value == static_cast<int>(Value)) return static_cast<int>(Value);
  else return Value;
}

/// The error for a broken rule, its two values in the unit that they are counted in.
template <auto Rule, unit Counted, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection {
  using type = graph_rejected<Rule, actual<shortest<Actual>()>, expected<shortest<Expected>()>, Where...>;
};
template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection<Rule, unit::type, Actual, Expected, Where...> {
  using type = graph_rejected<Rule, actual<static_cast<dtype>(Actual)>, expected<static_cast<dtype>(Expected)>, Where...>;
};
template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection<Rule, unit::layout, Actual, Expected, Where...> {
  using type = graph_rejected<Rule, actual<static_cast<format>(Actual)>, expected<static_cast<format>(Expected)>, Where...>;
};

template <auto Rule, std::int64_t Actual, std::int64_t Expected, class... Where> struct rejection<Rule, unit::real, Actual, Expected, Where...> {
  static constexpr auto real(std::int64_t bits) { return keyword::real(std::bit_cast<float>(static_cast<std::int32_t>(bits))); }
  using type = graph_rejected<Rule, actual<real(Actual)>, expected<real(Expected)>, Where...>;
};

/// Rules whose names do not say which operator they are about.
template <class Rules> concept shared_rules = requires(Rules rule) { shared_by_operators(rule); };

/// The id of an argument's value; scalars and keywords that are operands become constants here.
template <class Call, class T> constexpr std::int32_t id_of(builder& owner, const T& argument) {
  if constexpr (is_tensor<T>) {
    if (argument.owner == &owner) return argument.id;
    owner.complain(graph_rule::tensors_must_belong_to_this_graph, "");
    return ir::none;  // its id means nothing here
  } else if constexpr (std::is_arithmetic_v<T>) {
    using element = element_t<Call::scalar_type()>;
    const element one[] = {static_cast<element>(argument)};
    return owner.add_constant<element>({Call::scalar_type(), {}}, one);
  } else if constexpr (Call::template fills_operand<typename as_keyword<T>::type>()) {
    using kw = typename as_keyword<T>::type;
    using element = element_t<kw::desc().type>;
    if constexpr (std::is_same_v<element, std::int64_t>) return owner.add_constant<element>(kw::desc(), kw::values);
    else {
      const element one[] = {static_cast<element>(kw::values[0])};
      return owner.add_constant<element>(kw::desc(), one);
    }
  } else {
    return ir::none;
  }
}

template <class T> constexpr builder* owner_of(const T& argument) {
  if constexpr (is_tensor<T>) return argument.owner;
  else return nullptr;
}

/// The part that runs in constant evaluation of the user's function: thin over builder::add_node.
template <class Op, class Call, class... Args>
constexpr std::int32_t record(array_ref<const tensor_desc> outputs, const operator_info& info, const Args&... args) {
  builder* owner = nullptr;
  ((owner = owner != nullptr ? owner : owner_of(args)), ...);
  const std::int32_t given[] = {id_of<Call>(*owner, args)...};
  std::int32_t inputs[static_cast<std::size_t>(Call::placed.count)];
  for (int i = 0; i < Call::placed.count; ++i) inputs[i] = Call::placed.argument_of[i] < 0 ? ir::none : given[Call::placed.argument_of[i]];
  return owner->add_node(info, Call::words, inputs, outputs);
}

/// Handles for the outputs of a refused node. Its graph is told, so that it does not complain of what the node would have used, too.
template <std::size_t Outputs, class... Args> constexpr auto refused(const Args&... args) {
  for (builder* const owner : {owner_of(args)...})
    if (owner != nullptr) owner->refuse();
  if constexpr (Outputs == 1) return tensor<unknown_desc>{};
  else
    return []<std::size_t... I>(std::index_sequence<I...>) { return outputs_of_node<tensor<(static_cast<void>(I), unknown_desc)>...>(); }(std::make_index_sequence<Outputs>{});
}

template <class Op, class... Args> constexpr auto apply(Args... args) {
  using this_call = call<Op, Args...>;
  constexpr int count = this_call::output_count();
  if constexpr (!this_call::keywords_fit) {
    constexpr auto misfit = this_call::misfitting;
    using reason = graph_rejected<misfit.rule, keyword_named<typename this_call::template keyword_at<misfit.argument>>, in_operator<Op>>;
    (void)sizeof(decltype(reason::report()));
    return refused<this_call::outputs_asked_for()>(args...);
  } else if constexpr (this_call::unknown_operand) {
    return refused<this_call::outputs_asked_for()>(args...);
  } else {
    constexpr const auto& outcome = this_call::template outcome<count>;
    if constexpr (outcome.rule >= 0) {
      using rules = std::conditional_t<outcome.by_signature, signature_rule, typename Op::rule>;
      if constexpr (shared_rules<rules>) {
        using reason = rejection<static_cast<rules>(outcome.rule), outcome.counted, outcome.actual, outcome.expected, in_operator<Op>>;
        (void)sizeof(decltype(reason::type::report()));
      } else {
        using reason = rejection<static_cast<rules>(outcome.rule), outcome.counted, outcome.actual, outcome.expected>;
        (void)sizeof(decltype(reason::type::report()));
      }
      return refused<this_call::outputs_asked_for()>(args...);
    } else {
      constexpr dtype type = this_call::computes_in;
      const std::int32_t first = record<Op, this_call>({outcome.outputs, static_cast<std::size_t>(count)}, static_operator<Op, type>, args...);
      builder* owner = nullptr;
      ((owner = owner != nullptr ? owner : owner_of(args)), ...);
      return [&]<int... I>(std::integer_sequence<int, I...>) {
        if constexpr (count == 1) return tensor<outcome.outputs[0]>{owner, first};
        else return outputs_of_node<tensor<outcome.outputs[I]>...>(tensor<outcome.outputs[I]>{owner, first + I}...);
      }(std::make_integer_sequence<int, count>{});
    }
  }
}

}  // namespace nnrt::inline NNRT_ISA::dsl
