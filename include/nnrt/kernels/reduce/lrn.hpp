// lrn: local response normalisation across channels.
// Flow: bind/lrn.hpp calls local_response() for a part of the pixels.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/kernels/common/part.hpp>
#include <nnrt/kernels/elementwise/functions.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Parameters: y = x / (bias + alpha * sum)^beta; sum is over the squares of the channels at a distance of at most
/// `radius`.
struct response {
  std::int64_t radius;
  float bias, alpha, beta;
};

/// Maximum radius of local_response().
inline constexpr std::int64_t largest_radius = 64;

namespace detail {

/// Channels per block.
inline constexpr std::int64_t channels_of_response = 256;

/// The response of one channel in f64, for squares or sums that may overflow or be subnormal.
inline float safe_response(const float* x, std::int64_t channels, std::int64_t c, const response& by) {
  double sum = 0;
  const std::int64_t end = c + by.radius < channels ? c + by.radius + 1 : channels;
  for (std::int64_t k = c < by.radius ? 0 : c - by.radius; k < end; ++k) sum += double{x[k]} * double{x[k]};
  return static_cast<float>(double{x[c]} * math::pow(double{by.bias} + double{by.alpha} * sum, -double{by.beta}));
}

/// x * base^power for positive normal `base`; `exponent` (about log2 of base^power) must be small enough for a float.
/// With base = 2^e m: base^power = 2^(power e) m^power. The fraction of power * e is accurate to a float's last place,
/// for any integer part.
template <class V> struct power_of_base {
  V value, exponent;
  [[gnu::always_inline]] power_of_base(V base, V power) {
    const split_number<V> parts = split(base);
    const V whole_power = opaque_value(power * parts.exponent),
            rest = rest_of_product(power, parts.exponent, whole_power);
    exponent = rounded(whole_power);
    const V fraction = (whole_power - exponent) + rest;
    const V scaled_by = clamp(exponent, V(-126.0F), V(127.0F));
    value =
        exp(fma(fraction, V(0x1.62e43p-1F), power * logarithm_of_fraction(parts.fraction))) * power_of_two(scaled_by);
  }
};

/// Channels `first` to `last` - 1 of a pixel.
template <class V>
inline void response_of(const float* x, std::int64_t channels, std::int64_t first, std::int64_t last,
                        const response& by, float* y) {
  alignas(64) float squares[channels_of_response + 2 * largest_radius + f32_lanes];
  // squares[i] is for channel from + i, zero outside the channels
  const std::int64_t from = first - by.radius, to = last + by.radius;
  for (std::int64_t i = 0; i < to - from; ++i)
    squares[i] = from + i < 0 || from + i >= channels ? 0.0F : x[from + i] * x[from + i];
  for (std::int64_t i = 0; i < f32_lanes; ++i) squares[to - from + i] = 0;
  const V bias(by.bias), alpha(by.alpha), power(-by.beta);
  // Smaller bases may be sums of subnormal squares. Powers of 2 outside this range may overflow; for large beta none is
  // safe.
  const float least = by.alpha * 1e-30F > 1e-24F ? by.alpha * 1e-30F : 1e-24F, size = math::abs(by.beta),
              most = size < 60 ? 100 - size : -1;
  for (std::int64_t c = first; c < last; c += f32_lanes) {
    const std::int64_t n = last - c < f32_lanes ? last - c : f32_lanes;
    const float* const window = squares + (c - first);
    V sum = load(window);
    for (std::int64_t k = 1; k <= 2 * by.radius; ++k) sum = sum + load(window + k);
    const V base = fma(alpha, sum, bias);
    const power_of_base<V> powers(base, power);
    store_n(y + c, load_n(x + c, n) * powers.value, n);
    alignas(64) float bases[f32_lanes], exponents[f32_lanes];
    store(bases, base);
    store(exponents, abs(powers.exponent));
    for (std::int64_t i = 0; i < n; ++i)
      if (!(bases[i] > least && bases[i] < std::numeric_limits<float>::infinity() && exponents[i] <= most))
        y[c + i] = safe_response(x, channels, c + i, by);
  }
}

}  // namespace detail

/// y = x / (bias + alpha * sum)^beta for pixels of `channels` channels. y must not alias x. 0 <= radius <=
/// largest_radius; bias and alpha are not negative, beta is not 0. A part is a share of the pixels.
template <class Isa = native>
void local_response(const float* x, std::int64_t pixels, std::int64_t channels, const response& by, float* y,
                    part p = {}) {
  const interval mine = share(pixels, p);
  for (std::int64_t pixel = mine.begin; pixel < mine.end; ++pixel)
    for (std::int64_t c = 0; c < channels; c += detail::channels_of_response) {
      const std::int64_t left = channels - c,
                         last = c + (left < detail::channels_of_response ? left : detail::channels_of_response);
      detail::response_of<f32_vec>(x + pixel * channels, channels, c, last, by, y + pixel * channels);
    }
}

}}}  // namespace nnrt::NNRT_ISA::kernels
