// fixed_signal: one step of an audio front end in fixed point - windows, spectra, filter banks, noise, gain, logs.
// Flow: readers of .tflite files make it; it has no public function, and runs by its reference.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/fixed_fourier.hpp>
#include <nnrt/ops/detail/fixed_point.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// Functions of fixed_signal.
enum class signal_function {
  auto_scale,
  log,
  energy,
  window,
  rfft,
  irfft,
  filter_bank,
  square_root,
  spectral_subtraction,
  gain
};

namespace detail {

struct number_range {
  std::int64_t least = 0, most = 0;
};
/// Form of a function: types of x, a and y (none: as x), number of operands besides x, and its parameters.
struct signal_signature {
  dtype_set x;
  dtype a = dtype::none, y = dtype::none;
  std::size_t operands = 0;
  array_ref<const number_range> numbers = {};
};
inline constexpr number_range word32{0, 0xffffffff}, shift32{0, 31}, shift64{0, 63};
inline constexpr number_range of_log[] = {shift32, word32}, of_energy[] = {{0, max_elements}, {0, max_elements}},
                              of_window[] = {shift32}, of_transform[] = {{2, 1 << 16}}, of_gain[] = {shift64},
                              of_subtraction[] = {word32, word32, word32, word32, word32, shift32, shift64, {0, 1}};
inline constexpr signal_signature signal_signatures[] = {
    {.x = types_of(i16)},
    {.x = types_of(u32), .y = i16, .numbers = of_log},
    {.x = types_of(i16), .y = u32, .numbers = of_energy},
    {.x = types_of(i16), .a = i16, .operands = 1, .numbers = of_window},
    {.x = types_of(i16, i32), .numbers = of_transform},
    {.x = types_of(i16, i32), .numbers = of_transform},
    {.x = types_of(u32), .a = i16, .y = u64, .operands = 5},
    {.x = types_of(u64), .a = i32, .y = u32, .operands = 1},
    {.x = types_of(u32), .a = u32, .operands = 1, .numbers = of_subtraction},
    {.x = types_of(u32), .a = u32, .operands = 2, .numbers = of_gain}};

}  // namespace detail

/// A fixed-point signal function. Operands a … e and `numbers` depend on it:
///
///   auto_scale: x i16 -> y i16 of x's shape, and bits i32 []: y = x * 2^bits, with the most bits that keep the
///     largest |x| in 15
///   log: x u32 -> y i16: ln(x * 2^n0) * n1 by TensorFlow Lite Micro's table, at most 32767; 0 up to x * 2^n0 = 1
///   energy: x i16 [s…, 2 m], pairs -> y u32 [s…, m]: sums of the squares of pairs n0 to n1 - 1, 0 for others
///   window: x i16 [s…, m], a i16 [m] -> y i16: x * a / 2^n0, rounded down and saturated to 16 bits
///   rfft: x i16 or i32 [s…, m] -> y [s…, n0 + 2] of its type: spectra of n0 values, missing ones are 0, as pairs
///     (real, imaginary), divided by n0
///   irfft: x [s…, n0 + 2] -> y [s…, n0]: the n0 values of such a spectrum, not divided by n0
///   filter_bank: x u32 [m], a and b i16 [w], c, d and e i16 [p + 1] -> y u64 [p]: y[i] =
///     the sum of a[d[i + 1] + j] * x[c[i + 1] + j] for j < e[i + 1], and of b[d[i] + j] * x[c[i] + j] for j < e[i];
///     indices outside of x, a or b contribute 0
///   square_root: x u64, a i32 (one number) -> y u32: the root of x, rounded to the nearest, over 2^a
///   spectral_subtraction: x, a u32 -> y, next u32: next = (n0 * x * 2^n5 + n1 * a) / 2^n6, and y = x - next / 2^n5,
///     but at least n4 * x / 2^n6; n2 and n3 replace n0 and n1 at odd indices; n7: next is at most x * 2^n5
///   gain: x, a u32, b i16 of at least 125 -> y u32: shrunk(x * gain / 2^n0), with the gain of table b for a
///
/// Unless stated, y and further operands have x's shape. Sums wrap around. nK is entry K of `numbers`; divisions by
/// powers of two round down unless stated.
/// Broken rules: see `rule`. Source: TensorFlow Lite Micro's signal library (signal/src), and kissfft in fixed point,
/// to the bit.
struct fixed_signal {
  static constexpr op_code code{1043};
  static constexpr std::string_view name = "fixed_signal";
  static constexpr operand_spec inputs[] = {
      {"x", types_of(i16, i32, u32, u64)},      {"a", types_of(i16, i32, u32), presence::optional},
      {"b", types_of(i16), presence::optional}, {"c", types_of(i16), presence::optional},
      {"d", types_of(i16), presence::optional}, {"e", types_of(i16), presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types_of(i16, i32, u32, u64), presence::variadic}};
  static constexpr operator_traits traits{};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (signal_function, function), (int_list<8>, numbers));
    constexpr attrs() : function(signal_function::auto_scale) {}
  };

  enum class rule {
    function_must_be_one_of_them,
    input_rank_must_be_at_least_1,
    input_type_must_be_that_of_the_function,
    operands_must_be_those_of_the_function,
    operand_types_must_be_those_of_the_function,
    numbers_must_be_as_many_as_the_function_has,
    numbers_must_not_be_below_the_least,
    numbers_must_not_be_above_the_most,
    transforms_must_be_of_an_even_length,
    extents_must_be_those_that_the_function_needs,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    if (auto v = require_between(Rule::function_must_be_one_of_them, static_cast<std::int64_t>(a.function), 0,
                                 std::size(detail::signal_signatures) - 1);
        !v)
      return v;
    const detail::signal_signature& as = signature_of(a.function);
    const tensor_desc& x = in[0].desc;
    if (!as.x.contains(x.type))
      return refuse(Rule::input_type_must_be_that_of_the_function, static_cast<std::int64_t>(x.type), first_of(as.x));
    for (std::size_t i = 1; i <= max_operands; ++i) {
      const bool is_there = i < in.size() && in[i], has_it = i <= as.operands;
      if (is_there != has_it)
        return refuse(Rule::operands_must_be_those_of_the_function, static_cast<std::int64_t>(is_there ? i : i - 1),
                      static_cast<std::int64_t>(as.operands));
      const dtype expected = i == 1 ? as.a : i16;
      if (auto v = require(Rule::operand_types_must_be_those_of_the_function, is_there ? in[i].desc.type : expected,
                           expected);
          !v)
        return v;
    }
    if (auto v = require(Rule::numbers_must_be_as_many_as_the_function_has, a.numbers.count,
                         static_cast<std::int64_t>(as.numbers.size()));
        !v)
      return v;
    for (int i = 0; i < a.numbers.count; ++i) {
      const detail::number_range& of = as.numbers[static_cast<std::size_t>(i)];
      if (auto v = require_at_least(Rule::numbers_must_not_be_below_the_least, a.numbers[i], of.least); !v) return v;
      if (auto v = require_at_most(Rule::numbers_must_not_be_above_the_most, a.numbers[i], of.most); !v) return v;
    }
    if (auto v = require_at_least(Rule::input_rank_must_be_at_least_1, x.rank(), 1); !v) return v;
    return infer_shapes<Rule>(a, in);
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using enum signal_function;
    if constexpr (std::is_same_v<T, std::int16_t>) {
      if (a.function == auto_scale) return scale(in, out);
      if (a.function == energy) return add_squares(a, in, out);
      if (a.function == window) return weight(a, in, out);
    }
    if constexpr (std::is_signed_v<T>) {
      return transform<T>(a, in, out);
    } else if constexpr (sizeof(T) == 4) {
      if (a.function == log) return take_logarithms(a, in, out);
      if (a.function == filter_bank) return add_stripes(in, out);
      if (a.function == spectral_subtraction) return subtract_noise(a, in, out);
      return control_gain(a, in, out);
    } else {
      return take_roots(in, out);
    }
  }

 private:
  static constexpr std::size_t max_operands = 5;
  static constexpr const detail::signal_signature& signature_of(signal_function function) {
    return detail::signal_signatures[static_cast<std::size_t>(function)];
  }
  static constexpr std::int64_t first_of(dtype_set types) {
    std::int64_t number = 0;
    while (!types.contains(static_cast<dtype>(number))) ++number;
    return number;
  }

  /// The shape rules of each function, and its results.
  template <class Rule> struct shape_rules {
    const attrs& a;
    array_ref<const operand> in;
    const tensor_desc& x = in[0].desc;
    std::int64_t extent = x.shape[-1];

    static constexpr rule fit = Rule::extents_must_be_those_that_the_function_needs;

    /// x with another last extent.
    constexpr tensor_desc like_x(std::int64_t last) const {
      const dtype made = signature_of(a.function).y == dtype::none ? x.type : signature_of(a.function).y;
      return {made, x.layout, x.shape.with(x.rank() - 1, last)};
    }
    constexpr verdict has_shape_of_x(std::size_t i) const {
      verdict v = require(fit, in[i].desc.rank(), x.rank());
      for (int axis = 0; v && axis < x.rank(); ++axis)
        v = require_same_extent(fit, in[i].desc.shape[axis], x.shape[axis]);
      return v;
    }
    constexpr verdict is_list(std::size_t i, std::int64_t expected) const {
      verdict v = require(fit, in[i].desc.rank(), 1);
      return v ? require_same_extent(fit, in[i].desc.shape[0], expected) : v;
    }

    constexpr verdict infer_energy() const {
      if (extent < 0) return ok(like_x(-1));
      if (auto v = require(fit, extent % 2, 0); !v) return v;
      if (auto v = require_at_most(Rule::numbers_must_not_be_above_the_most, a.numbers[0], a.numbers[1]); !v) return v;
      if (auto v = require_at_most(Rule::numbers_must_not_be_above_the_most, a.numbers[1], extent / 2); !v) return v;
      return ok(like_x(extent / 2));
    }
    constexpr verdict infer_window() const {
      if (auto v = is_list(1, extent); !v) return v;
      return ok(like_x(extent));
    }
    constexpr verdict infer_transform(bool is_inverse) const {
      const std::int64_t length = a.numbers[0], pairs = length + 2;
      if (auto v = require(Rule::transforms_must_be_of_an_even_length, length % 2, 0); !v) return v;
      if (!is_inverse && extent >= 0)
        if (auto v = require_at_most(fit, extent, length); !v) return v;
      if (is_inverse)
        if (auto v = require_same_extent(fit, extent, pairs); !v) return v;
      return ok(like_x(is_inverse ? length : pairs));
    }
    constexpr verdict infer_filter_bank() const {
      if (auto v = require(fit, x.rank(), 1); !v) return v;
      if (auto v = is_list(1, -1); !v) return v;
      if (auto v = is_list(2, in[1].desc.shape[0]); !v) return v;
      if (auto v = is_list(3, -1); !v) return v;
      const std::int64_t stripes = in[3].desc.shape[0];
      for (const std::size_t i : {std::size_t{4}, std::size_t{5}})
        if (auto v = is_list(i, stripes); !v) return v;
      if (stripes >= 0)
        if (auto v = require_at_least(fit, stripes, 1); !v) return v;
      return ok(like_x(stripes < 0 ? -1 : stripes - 1));
    }
    constexpr verdict infer_square_root() const {
      if (auto v = require_same_extent(fit, in[1].desc.elements(), 1); !v) return v;
      return ok(like_x(extent));
    }
    constexpr verdict infer_spectral_subtraction() const {
      if (auto v = has_shape_of_x(1); !v) return v;
      return ok(like_x(extent), like_x(extent));
    }
    constexpr verdict infer_gain() const {
      if (auto v = has_shape_of_x(1); !v) return v;
      if (auto v = is_list(2, -1); !v) return v;
      if (in[2].desc.shape[0] >= 0)
        if (auto v = require_at_least(fit, in[2].desc.shape[0], detail::gains); !v) return v;
      return ok(like_x(extent));
    }
  };

  template <class Rule> static constexpr verdict infer_shapes(const attrs& a, array_ref<const operand> in) {
    using enum signal_function;
    const shape_rules<Rule> rules{a, in};
    switch (a.function) {
      case auto_scale: return ok(rules.like_x(rules.extent), tensor_desc{i32, {}});
      case log: return ok(rules.like_x(rules.extent));
      case energy: return rules.infer_energy();
      case window: return rules.infer_window();
      case rfft: return rules.infer_transform(false);
      case irfft: return rules.infer_transform(true);
      case filter_bank: return rules.infer_filter_bank();
      case square_root: return rules.infer_square_root();
      case spectral_subtraction: return rules.infer_spectral_subtraction();
      case gain: return rules.infer_gain();
    }
    return refuse(Rule::function_must_be_one_of_them, static_cast<std::int64_t>(a.function), 0);
  }

  static constexpr void scale(arguments in, results out) {
    const auto x = in[0].as<const std::int16_t>();
    const auto y = out[0].as<std::int16_t>();
    // In the order of the values, in 16 bits: -32768, whose magnitude does not fit, counts as the least.
    std::int16_t largest = 0;
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::int32_t number = x[i], magnitude = number > largest ? number : -number > largest ? -number : largest;
      largest = static_cast<std::int16_t>(static_cast<std::uint16_t>(magnitude));
    }
    const int bits = largest <= 0 ? 0 : std::countl_zero(static_cast<std::uint32_t>(largest)) - 17;
    for (std::int64_t i = 0; i < x.elements(); ++i)
      y[i] = static_cast<std::int16_t>(static_cast<std::uint16_t>(x[i] * (1 << bits)));
    out[1].as<std::int32_t>()[0] = bits;
  }
  static constexpr void add_squares(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const std::int16_t>();
    const auto y = out[0].as<std::uint32_t>();
    const std::int64_t pairs = y.extent(y.rank() - 1);
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      const auto square = [&](std::int64_t k) { return static_cast<std::uint32_t>(std::int32_t{x[k]} * x[k]); };
      const bool is_wanted = i % pairs >= a.numbers[0] && i % pairs < a.numbers[1];
      y[i] = is_wanted ? square(2 * i) + square(2 * i + 1) : 0;
    }
  }
  static constexpr void weight(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const std::int16_t>(), weights = in[1].as<const std::int16_t>();
    const auto y = out[0].as<std::int16_t>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::int32_t product = (std::int32_t{x[i]} * weights[i % weights.elements()]) >> a.numbers[0];
      y[i] = static_cast<std::int16_t>(product < -32768 ? -32768 : product > 32767 ? 32767 : product);
    }
  }
  template <class T> static constexpr void transform(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>();
    const auto y = out[0].as<T>();
    if (y.elements() == 0) return;
    const bool is_inverse = a.function == signal_function::irfft;
    detail::fixed_fourier<T> by(a.numbers[0], is_inverse);
    const std::int64_t from = x.extent(x.rank() - 1), to = y.extent(y.rank() - 1);
    for (std::int64_t line = 0; line < y.elements() / to; ++line) {
      if (is_inverse) by.backward(x.data + line * from, y.data + line * to);
      else by.forward(x.data + line * from, from, y.data + line * to);
    }
  }
  static constexpr void take_logarithms(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const std::uint32_t>();
    const auto y = out[0].as<std::int16_t>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::uint32_t number = x[i] << static_cast<std::uint32_t>(a.numbers[0]);
      const std::uint32_t made = number > 1 ? detail::scaled_log(number, static_cast<std::uint32_t>(a.numbers[1])) : 0;
      y[i] = static_cast<std::int16_t>(made < 32767 ? made : 32767);
    }
  }
  static constexpr void add_stripes(arguments in, results out) {
    const auto x = in[0].as<const std::uint32_t>();
    const auto y = out[0].as<std::uint64_t>();
    const auto starts = in[3].as<const std::int16_t>(), first_weights = in[4].as<const std::int16_t>(),
               widths = in[5].as<const std::int16_t>();
    const auto sum_of = [&](const tensor_view<const std::int16_t>& weights, std::int64_t stripe) {
      std::uint64_t sum = 0;
      for (std::int64_t j = 0; j < widths[stripe]; ++j) {
        const std::int64_t from = starts[stripe] + j, by = first_weights[stripe] + j;
        const bool is_inside = from >= 0 && from < x.elements() && by >= 0 && by < weights.elements();
        if (is_inside) sum += static_cast<std::uint64_t>(std::int64_t{weights[by]}) * x[from];
      }
      return sum;
    };
    const auto weights = in[1].as<const std::int16_t>(), unweights = in[2].as<const std::int16_t>();
    for (std::int64_t i = 0; i < y.elements(); ++i) y[i] = sum_of(weights, i + 1) + sum_of(unweights, i);
  }
  static constexpr void take_roots(arguments in, results out) {
    const auto x = in[0].as<const std::uint64_t>();
    const auto y = out[0].as<std::uint32_t>();
    const std::int32_t bits = in[1].as<const std::int32_t>()[0];
    for (std::int64_t i = 0; i < x.elements(); ++i)
      y[i] = bits > 31 ? 0 : detail::root_of_energy(x[i]) >> static_cast<std::uint32_t>(bits < 0 ? 0 : bits);
  }
  static constexpr void subtract_noise(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const std::uint32_t>(), estimate = in[1].as<const std::uint32_t>();
    const auto y = out[0].as<std::uint32_t>(), next = out[1].as<std::uint32_t>();
    const auto number = [&](std::int64_t i) { return static_cast<std::uint64_t>(a.numbers[static_cast<int>(i)]); };
    const std::int64_t channels = x.extent(x.rank() - 1);
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const std::int64_t first = i % channels % 2 == 0 ? 0 : 2;
      const std::uint32_t signal = x[i] << number(5);
      const auto noise =
          static_cast<std::uint32_t>((signal * number(first) + estimate[i] * number(first + 1)) >> number(6));
      const std::uint32_t subtracted = noise < signal ? noise : signal, left = (signal - subtracted) >> number(5);
      const auto least = static_cast<std::uint32_t>((x[i] * number(4)) >> number(6));
      next[i] = a.numbers[7] != 0 ? subtracted : noise;
      y[i] = left > least ? left : least;
    }
  }
  static constexpr void control_gain(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const std::uint32_t>(), estimate = in[1].as<const std::uint32_t>();
    const auto table = in[2].as<const std::int16_t>();
    const auto y = out[0].as<std::uint32_t>();
    for (std::int64_t i = 0; i < x.elements(); ++i) {
      const auto by = static_cast<std::uint32_t>(
          std::int32_t{detail::gain_of(estimate[i], [&](std::uint32_t k) { return table[k]; })});
      y[i] = detail::shrunk(
          static_cast<std::uint32_t>((std::uint64_t{x[i]} * by) >> static_cast<std::uint64_t>(a.numbers[0])));
    }
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
