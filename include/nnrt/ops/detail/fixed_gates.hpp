// fixed_gates: sigmoid and tanh in 16-bit fixed point, with the bits of TFLite's LSTM.
// Flow: used by the reference of quantised sequence_lstm; its kernel calls the functions with vectors.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

/// A fixed-point number with `n` integer bits holds value * 2^(15 - n) in 16 bits, in a 32-bit lane: V is std::int32_t
/// or a vector of it. A product has the integer bits of both factors. Source of methods and constants: gemmlowp's
/// fixedpoint.h, used by TFLite's reference kernels; fixed_exponential.hpp has the 32-bit functions.
namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail::fixed16 {

/// Chooses between two numbers by a comparison's result: `true`, or a lane of all ones.
constexpr std::int32_t chosen(bool is, std::int32_t a, std::int32_t b) { return is ? a : b; }
/// `is` has lanes of V's size: clang compares to lanes of `long` where that has 32 bits.
template <class Lanes, class V> [[gnu::always_inline]] constexpr V chosen(Lanes is, V a, V b) {
  return ((V)is & a) | (~(V)is & b);
}
template <class V> [[gnu::always_inline]] constexpr V all_of(std::int32_t number) { return V{} + number; }

template <class V> [[gnu::always_inline]] constexpr V at_most(V x, std::int32_t high) {
  return chosen(x > high, all_of<V>(high), x);
}
template <class V> [[gnu::always_inline]] constexpr V saturated(V x) {
  return chosen(x < -32768, all_of<V>(-32768), at_most(x, 32767));
}
/// Wraps a sum to 16 bits.
template <class V> [[gnu::always_inline]] constexpr V wrapped(V x) { return x << 16 >> 16; }
/// x / 2^bits, rounded half away from zero.
template <class V> [[gnu::always_inline]] constexpr V shifted_right(V x, int bits) {
  const std::int32_t half = 1 << (bits - 1);
  return (x + chosen(x < 0, all_of<V>(half - 1), all_of<V>(half))) >> bits;
}
/// a * b / 2^15, rounded to nearest, ties toward plus infinity; saturated to 2^15 - 1.
template <class V> [[gnu::always_inline]] constexpr V product(V a, V b) {
  return at_most((a * b + (1 << 14)) >> 15, 32767);
}
/// Rounds a 32-bit constant to 16 bits.
template <class V> [[gnu::always_inline]] constexpr V narrowed(std::int64_t constant) {
  return all_of<V>(static_cast<std::int32_t>((constant + (1 << 15) - (constant < 0 ? 1 : 0)) >> 16));
}

/// e^x for -1/4 <= x < 0; x and the result have no integer bits. Taylor series around -1/8, up to the fourth power.
template <class V> [[gnu::always_inline]] constexpr V exp_of_quarter(V x) {
  const V middle = narrowed<V>(1895147668), third = narrowed<V>(715827883);  // e^(-1/8), 1/3
  const V d = wrapped(x + (1 << 12)), square = product(d, d), cube = product(square, d);
  const V fourth = shifted_right(product(square, square), 2);
  const V rest = shifted_right(wrapped(product(wrapped(fourth + cube), third) + square), 1);
  return saturated(middle + product(middle, wrapped(d + rest)));
}

/// e^x for x <= 0 with `bits` integer bits, from 1 to 7. The result has no integer bits, and is 1 - 2^-15 for 0.
template <class V> [[gnu::always_inline]] constexpr V exp(V x, int bits) {
  constexpr std::int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int fraction = 15 - bits;
  const std::int32_t quarter = 1 << (fraction - 2);
  const V within = (x & all_of<V>(quarter - 1)) - quarter, left = within - x;
  V result = exp_of_quarter(saturated(within << bits));
  for (int power = 0; power < 7 && power - 2 < bits; ++power) {  // powers are e^(-1/4), e^(-1/2), e^-1, … e^-16
    const V is_in = left & all_of<V>(1 << (fraction + power - 2));
    result = chosen(is_in == 0, result, product(result, narrowed<V>(powers[power])));
  }
  if (bits > 5) result = chosen(x < all_of<V>(-(1 << (20 - bits))), V{}, result);  // below -32
  return chosen(x == 0, all_of<V>(32767), result);
}

/// 2 / (1 + x) with 2 integer bits, for 0 <= x < 1 without integer bits. Three Newton-Raphson steps.
template <class V> [[gnu::always_inline]] constexpr V twice_reciprocal_of_one_plus(V x) {
  const V first = narrowed<V>(1515870810), slope = narrowed<V>(-1010580540);  // 48/17, -32/17
  constexpr std::int32_t one = 1 << 13;
  const V half = (x + 32768) >> 1;  // (1 + x) / 2
  V y = wrapped(first + product(half, slope));
  for (int step = 0; step < 3; ++step) y = wrapped(y + saturated(product(y, wrapped(one - product(half, y))) * 4));
  return y;
}

/// sigmoid(x) without integer bits, for x with 3.
template <class V> [[gnu::always_inline]] constexpr V sigmoid(V x) {
  const V upper = saturated(twice_reciprocal_of_one_plus(exp(chosen(x > 0, -x, x), 3)) * 2);
  return chosen(x > 0, upper, chosen(x == 0, all_of<V>(1 << 14), 32767 - upper));
}

/// tanh(x) without integer bits, for x with `bits`, from 0 to 6.
template <class V> [[gnu::always_inline]] constexpr V tanh(V x, int bits) {
  const V of_twice = exp(chosen(x > 0, -x, x), bits + 1);  // the same bits with one integer bit more
  const V upper = saturated(wrapped(twice_reciprocal_of_one_plus(of_twice) - (1 << 13)) * 4);
  return chosen(x == 0, V{}, chosen(x > 0, upper, -upper));
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail::fixed16
