// operators: how tests ask an operator's rules and its reference, at compile time and at run time.
#pragma once

#include <nnrt/core/operator.hpp>

#include <array>
#include <optional>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// An operand that is computed by the network.
constexpr operand computed(const tensor_desc& desc) { return {desc, {}, false}; }
/// A weight: constant, its elements unknown to the rules.
constexpr operand weight(const tensor_desc& desc) { return {desc, {}, true}; }
/// Numbers that outlive every operand: integers(numbers<1, 2>).
template <std::int64_t... Numbers> inline constexpr std::array<std::int64_t, sizeof...(Numbers)> numbers{Numbers...};
/// A constant list of integers of dtype i64; the array must outlive the operand.
template <std::size_t N> constexpr operand integers(const std::array<std::int64_t, N>& list) {
  return {tensor_desc{i64, {static_cast<std::int64_t>(N)}}, list, true};
}
/// A constant integer scalar.
constexpr operand integer(const std::array<std::int64_t, 1>& value) { return {tensor_desc{i64, {}}, value, true}; }
constexpr operand missing() { return {}; }

constexpr tensor_desc f32_of(shape_t shape) { return {f32, shape}; }

template <class Op>
constexpr verdict infer(const typename Op::attrs& attrs, std::initializer_list<operand> in,
                        std::initializer_list<tensor_desc> wanted = {}) {
  return infer_node<Op>(attrs, std::span(in.begin(), in.size()), std::span(wanted.begin(), wanted.size()));
}

/// Shape of output i; the scalar shape when a rule is broken (the caller checks the verdict first).
constexpr shape_t shape_of(const verdict& v, int i = 0) { return v ? v.output(i).shape : shape_t{}; }

/// Whether the verdict is exactly this rule with these two values.
template <class Rule> constexpr bool breaks(const verdict& v, Rule rule, std::int64_t actual, std::int64_t expected) {
  return !v && v.by_signature == std::is_same_v<Rule, signature_rule> && v.rule == static_cast<int>(rule) &&
         v.actual == actual && v.expected == expected;
}

/// A tensor of a test: elements and their desc.
template <class T> struct filled {
  tensor_desc desc;
  std::vector<T> elements;

  constexpr filled(shape_t shape, std::vector<T> values)
      : desc(dtype_for<T>(), shape), elements(static_cast<std::vector<T>&&>(values)) {}
  constexpr explicit filled(shape_t shape) : desc(dtype_for<T>(), shape) {
    elements.assign(static_cast<std::size_t>(shape.elements()), T{});
  }
  constexpr view as_view() { return {&desc, elements.data()}; }
};

/// Runs Op::reference for element type T on these operands; y is the only output, shaped by infer.
template <class Op, class T, class Y = T, class... In>
constexpr filled<Y> run(const typename Op::attrs& attrs, shape_t out, In... in) {
  filled<Y> y(out);
  const view operands[] = {in.as_view()...};
  const view outputs[] = {y.as_view()};
  Op::template reference<T>(attrs, operands, outputs);
  return y;
}

}  // namespace nnrt_test
