// quantised: what tests of operators on quantised values share - tensors with a scale, the reference, rows of rules.
#pragma once

#include "support/operators.hpp"
#include "support/wish.hpp"

#include <initializer_list>
#include <limits>

namespace nnrt_test {

/// A quantised tensor of a test.
template <class T> constexpr filled<T> stored(shape_t shape, std::vector<T> elements, quantisation q) {
  filled<T> x(shape, static_cast<std::vector<T>&&>(elements));
  x.desc.quantised = q;
  return x;
}

/// first, first + step, first + 2 * step, … modulo `modulus`, `lowest` added: quantised values all over the range.
template <class T> constexpr filled<T> spread(shape_t shape, int step, quantisation q) {
  constexpr int modulus = 1 << (8 * sizeof(T)), lowest = std::numeric_limits<T>::min();
  filled<T> x(shape);
  x.desc.quantised = q;
  int next = 0;
  for (T& element : x.elements) {
    element = static_cast<T>(next + lowest);
    next = (next + step) % modulus;
  }
  return x;
}

/// i * step % modulus + lowest, for i from 0 on.
template <class T> constexpr filled<T> ramp(shape_t shape, int step, int modulus, int lowest, quantisation q) {
  filled<T> x(shape);
  x.desc.quantised = q;
  for (std::size_t i = 0; i < x.elements.size(); ++i)
    x.elements[i] = static_cast<T>(static_cast<int>(i) * step % modulus + lowest);
  return x;
}

/// What a layer gives for activations of 16 bits, quantised by 0.0005, and weights of 8: i * 9973 % 2^16 - 2^15 and
/// i * 53 % 255 - 127. The weight has one scale, or several, along its outputs; Bias is void where there is none.
template <class Op, class Bias> struct layer_of_i16 {
  using bias_t = std::conditional_t<std::is_void_v<Bias>, std::int32_t, Bias>;
  typename Op::attrs attrs;
  shape_t x, weight, y;
  std::initializer_list<float> scales;
  float to = 1;
  std::initializer_list<bias_t> bias = {};
  int zero_x = 0, zero_weight = 0, zero_y = 0;

  constexpr std::vector<std::int16_t> elements() const {
    auto of_x = ramp<std::int16_t>(x, 9973, 65536, -32768, quant{0.0005F, zero_x});
    auto of_weight =
        ramp<std::int8_t>(weight, 53, 255, -127, quant{scales.size() == 1 ? *scales.begin() : 0.0F, zero_weight});
    if (scales.size() > 1) of_weight.desc.quantised = per_channel<0>;
    filled<bias_t> of_bias({static_cast<std::int64_t>(bias.size())}, std::vector<bias_t>(bias.begin(), bias.end()));
    filled<std::int16_t> made(y);
    made.desc.quantised = quant{to, zero_y};
    view w = of_weight.as_view();
    if (scales.size() > 1) w.scales = {scales.begin(), scales.size()};
    const view in[] = {of_x.as_view(), w, std::is_void_v<Bias> ? view{} : of_bias.as_view()}, out[] = {made.as_view()};
    Op::template reference<std::int16_t>(attrs, in, out);
    return made.elements;
  }
};

/// The elements that Op::reference gives for element type T, where y is quantised so.
template <class Op, class T, class... In>
constexpr std::vector<T> run_quantised(const typename Op::attrs& attrs, shape_t out, quantisation q, In... in) {
  filled<T> y(out);
  y.desc.quantised = q;
  const view operands[] = {in.as_view()...};
  const view outputs[] = {y.as_view()};
  Op::template reference<T>(attrs, operands, outputs);
  return y.elements;
}

/// Two operands and a wish that an operator must refuse with this rule and these two values.
template <class Rule> struct refused_quantised_pair {
  const char* what;
  tensor_desc a, b, wanted;
  Rule rule;
  std::int64_t got, expected;
};
template <class Op, class Rule> constexpr bool refused_as_stated(const refused_quantised_pair<Rule>& row) {
  return breaks(infer<Op>({}, {computed(row.a), computed(row.b)}, {row.wanted}), row.rule, row.got, row.expected);
}
template <class Op, class Rule, std::size_t N>
constexpr bool all_refused_as_stated(const refused_quantised_pair<Rule> (&table)[N]) {
  for (const refused_quantised_pair<Rule>& row : table)
    if (!refused_as_stated<Op>(row)) return false;
  return true;
}

constexpr quant some_scale{.scale = 0.5F, .zero_point = 3}, other_scale{.scale = 0.25F, .zero_point = -4};
constexpr tensor_desc i8_of(shape_t shape, quantisation q = some_scale) {
  return {i8, default_format(shape.rank), shape, q};
}

/// The rows that every operator on two quantised tensors has to refuse; which rule is broken comes from its own enum.
template <auto BothOrNone, auto Types, auto EqualTypes, auto Operands, auto Output>
inline constexpr refused_quantised_pair<decltype(BothOrNone)> rules_of_quantised_pairs[] = {
    {"plain with quantised", i8_of({2}), {i8, {2}}, wish(some_scale), BothOrNone, 0, 1},
    {"a plain scalar left", {i8, {}}, i8_of({2}), wish(some_scale), BothOrNone, 1, 0},
    {"a float with quantised", i8_of({2}), {f32, {2}}, wish(some_scale), BothOrNone, 0, 1},
    {"sums of 32 bits",
     {i32, nd, {2}, some_scale},
     {i32, nd, {2}, some_scale},
     wish(some_scale),
     Types,
     int(i32),
     int(i8)},
    {"signed with unsigned", i8_of({2}), {u8, nd, {2}, some_scale}, wish(some_scale), EqualTypes, int(u8), int(i8)},
    {"a per channel", i8_of({2, 7}, per_channel<1>), i8_of({2, 7}), wish(some_scale), Operands, 7, 1},
    {"b per channel", i8_of({2, 7}), i8_of({2, 7}, per_channel<0>), wish(some_scale), Operands, 2, 1},
    {"nothing wanted", i8_of({2}), i8_of({2}), {}, Output, 0, 1},
    {"no scale wanted", i8_of({2}), i8_of({2}), {i8, {2}}, Output, 0, 1},
    {"y per channel", i8_of({2, 7}), i8_of({2, 7}), i8_of({2, 7}, per_channel<1>), Output, 7, 1},
};

/// An operand and a wish that an operator must refuse with this rule and these two values.
template <class Rule> struct refused_quantised {
  const char* what;
  tensor_desc x, wanted;
  Rule rule;
  std::int64_t got, expected;
};
template <class Op, class Rule> constexpr bool refused_as_stated(const refused_quantised<Rule>& row) {
  return breaks(infer<Op>({}, {computed(row.x)}, {row.wanted}), row.rule, row.got, row.expected);
}
template <class Op, class Rule, std::size_t N>
constexpr bool all_refused_as_stated(const refused_quantised<Rule> (&table)[N]) {
  for (const refused_quantised<Rule>& row : table)
    if (!refused_as_stated<Op>(row)) return false;
  return true;
}

/// The rows that every operator on one quantised tensor has to refuse.
template <auto Input, auto Output>
inline constexpr refused_quantised<decltype(Input)> rules_of_quantised[] = {
    {"x per channel", i8_of({2, 7}, per_channel<1>), wish(some_scale), Input, 7, 1},
    {"nothing wanted", i8_of({2}), {}, Output, 0, 1},
    {"no scale wanted", i8_of({2}), {i8, {2}}, Output, 0, 1},
    {"y per channel", i8_of({2, 7}), i8_of({2, 7}, per_channel<0>), Output, 2, 1},
};

/// Whether the result of a quantised tensor is like it, quantised as wanted.
template <class Op> constexpr bool gives_the_wanted_scale() {
  for (const dtype type : {i8, u8, i16}) {
    const verdict v = infer<Op>({}, {computed({type, nchw, {1, -1, 3, 2}, some_scale})}, {wish(quant{0.25F, 9})});
    if (!v || v.output(0) != tensor_desc{type, nchw, {1, -1, 3, 2}, quant{0.25F, 9}}) return false;
  }
  return true;
}

/// Whether the result of two quantised tensors is quantised as wanted, and broadcast as ever.
template <class Op> constexpr bool takes_the_wanted_scale() {
  const verdict v = infer<Op>({}, {computed(i8_of({2, 1})), computed(i8_of({3}, other_scale))}, {wish(other_scale)});
  const verdict image = infer<Op>(
      {}, {computed({u8, nchw, {1, 3, 4, 4}, some_scale}), computed({u8, nd, {}, some_scale})}, {wish(some_scale)});
  return v && v.output(0) == i8_of({2, 3}, other_scale) && image &&
         image.output(0) == tensor_desc{u8, nchw, {1, 3, 4, 4}, some_scale};
}

/// Calls the reference with each pairing of extreme scales and of extreme quantised values: in constant evaluation
/// nothing may overflow. Attrs as given.
template <class Op, class T, int Operands> constexpr bool survives_every_scale(const typename Op::attrs& attrs = {}) {
  using limits = std::numeric_limits<T>;
  constexpr float scales[] = {std::numeric_limits<float>::min(), 1.0F, std::numeric_limits<float>::max()};
  for (const float a : scales)
    for (const float b : scales)
      for (const float y : scales)
        for (const std::int32_t zero : {int{limits::min()}, int{limits::max()}}) {
          const auto x = stored<T>({4}, {limits::min(), limits::max(), limits::min(), limits::max()}, quant{a, zero});
          const auto w = stored<T>({4}, {limits::min(), limits::min(), limits::max(), limits::max()}, quant{b, zero});
          if constexpr (Operands == 2) run_quantised<Op, T>(attrs, {4}, quant{y, zero}, x, w);
          else run_quantised<Op, T>(attrs, {4}, quant{y, zero}, x);
        }
  return true;
}

}  // namespace nnrt_test
