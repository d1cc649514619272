// dsl: typed handles of a graph under construction, and the errors that the compiler prints for a broken rule.
// Flow: operators' functions (ops/*.hpp) take tensor<desc> and keywords and call dsl::apply<Op>, which ir/apply.hpp
// defines.
#pragma once

#include <nnrt/core/desc.hpp>
#include <nnrt/core/keywords.hpp>

#include <concepts>

namespace nnrt { inline namespace NNRT_ISA {

class builder;

/// Where a tensor of a graph under construction is: its graph and its number there. What is the same for tensors of all
/// types.
struct handle {
  builder* owner = nullptr;
  std::int32_t id = -1;
};

/// A tensor of a graph under construction; everything the compiler checks is in its type. A handle: copying it copies
/// no tensor.
template <tensor_desc Desc> struct tensor : handle {
  static constexpr tensor_desc desc = Desc;
};

/// The two values of a broken rule, as the compiler prints them: numbers, dtypes, formats.
template <auto Value> struct actual;
template <auto Value> struct expected;
/// The operator whose signature is broken; the keyword that does not fit it.
template <class Op> struct in_operator;
template <class Keyword> struct keyword_named;
/// Where a complaint about a whole graph points: a node's number, and a name letter by letter (clang prints no
/// strings).
template <int Node> struct at_node;
template <char... Letters> struct named;

namespace detail {
template <class...> inline constexpr bool accepted = false;  // dependent, so that it fails only where it is named
}

/// Its arguments are what the compiler prints: the rule, then the values. `decltype(graph_rejected<…>::report())`
/// prints them.
template <auto Rule, class... Facts> struct graph_rejected {
#ifdef __clang__
  // Where clang meets a class whose assertion fails it gives up the function around it, and every constant that depends
  // on that adds an error; where a function's assertion fails it goes on.
  static constexpr auto report() {
    static_assert(detail::accepted<Facts...>, "nnrt rejected this graph: see the rule and the values named above");
    return true;
  }
#else
  static_assert(detail::accepted<Facts...>, "nnrt rejected this graph: see the rule and the values named above");
  static constexpr bool report() { return true; }
#endif
};

/// What can be wrong with the keywords of a call.
enum class keyword_rule { keyword_must_be_known_to_the_operator, keyword_must_not_be_given_twice };

namespace dsl {

template <class T> inline constexpr bool is_tensor = false;
template <tensor_desc Desc> inline constexpr bool is_tensor<tensor<Desc>> = true;

/// A keyword as apply() sees it: a shape is one, too.
template <class T> struct as_keyword {
  using type = T;
};
template <std::int64_t... Extents> struct as_keyword<shape_constant<Extents...>> {
  using type = keyword::integers<keyword::shape_slot, Extents...>;
};
template <class T> inline constexpr bool is_keyword = std::derived_from<typename as_keyword<T>::type, keyword::base>;

/// A node of operator Op over these tensors and scalars, with these keywords; returns its output, or a tuple-like of
/// them.
template <class Op, class... Args> constexpr auto apply(Args... args);

/// What an operator's function takes: handles, scalars where a handle is there, and keywords.
template <class T>
concept tensor_handle = is_tensor<T>;
template <class T>
concept operand_argument = is_tensor<T> || std::is_arithmetic_v<T>;
template <class T>
concept keyword_argument = is_keyword<T>;

}  // namespace dsl

}}  // namespace nnrt::NNRT_ISA
