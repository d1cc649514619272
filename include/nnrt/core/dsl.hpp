// dsl: typed handles of a graph under construction, and compile errors for broken rules.
// Flow: operators' functions (ops/*.hpp) take tensor<desc> and keywords and call dsl::apply<Op>, defined in
// ir/apply.hpp.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/keywords.hpp>

#include <concepts>

namespace nnrt { inline namespace NNRT_ISA {

class builder;

/// A tensor of a graph under construction: the graph and the tensor's number in it. Common part of tensors of all
/// types.
struct handle {
  builder* owner = nullptr;
  std::int32_t id = -1;
};

/// A tensor of a graph under construction; its type has everything that the compiler checks. A handle: copying it does
/// not copy a tensor.
template <tensor_desc Desc> struct tensor : handle {
  static constexpr tensor_desc desc = Desc;
};

/// The two values of a broken rule, for compilers' messages: numbers, dtypes, formats.
template <auto Value> struct actual;
template <auto Value> struct expected;
/// The operator of a broken signature rule; an invalid keyword.
template <class Op> struct in_operator;
template <class Keyword> struct keyword_named;
/// Position of an error in a whole graph: a node's number, and a name letter by letter, as clang prints no strings.
template <int Node> struct at_node;
template <char... Letters> struct named;

namespace detail {
template <class...> inline constexpr bool accepted = false;  // dependent, so that it fails only on use
}

/// A rejected graph; the compiler prints the arguments: the rule, then the values. Use
/// `decltype(graph_rejected<…>::report())`.
template <auto Rule, class... Facts> struct graph_rejected {
#ifdef __clang__
  // clang abandons a function that uses a class with a failed assertion, and reports every constant that depends on it.
  // It continues after a failed assertion in a function.
  static constexpr auto report() {
    static_assert(detail::accepted<Facts...>, "nnrt rejected this graph: see the rule and the values named above");
    return true;
  }
#else
  static_assert(detail::accepted<Facts...>, "nnrt rejected this graph: see the rule and the values named above");
  static constexpr bool report() { return true; }
#endif
};

/// Errors in the keywords of a call.
enum class keyword_rule { keyword_must_be_known_to_the_operator, keyword_must_not_be_given_twice };

namespace dsl {

template <class T> inline constexpr bool is_tensor = false;
template <tensor_desc Desc> inline constexpr bool is_tensor<tensor<Desc>> = true;

/// A keyword for apply(); shapes are keywords, too.
template <class T> struct as_keyword {
  using type = T;
};
template <std::int64_t... Extents> struct as_keyword<shape_constant<Extents...>> {
  using type = keyword::integers<keyword::shape_slot, Extents...>;
};
template <class T> inline constexpr bool is_keyword = std::derived_from<typename as_keyword<T>::type, keyword::base>;

/// Adds a node of operator Op with these tensors, scalars and keywords. Returns its output, or a tuple-like of outputs.
template <class Op, class... Args> constexpr auto apply(Args... args);

/// Arguments of an operator's function: handles, scalars next to at least one handle, keywords.
template <class T>
concept tensor_handle = is_tensor<T>;
template <class T>
concept operand_argument = is_tensor<T> || std::is_arithmetic_v<T>;
template <class T>
concept keyword_argument = is_keyword<T>;

}  // namespace dsl

}}  // namespace nnrt::NNRT_ISA
