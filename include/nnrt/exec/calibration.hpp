// calibration: ranges, histograms and thresholds of tensors over samples, and the accuracy of quantised values.
// Flow: calibrate() runs the float network over samples, and computes the scale of each tensor with these.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/quantised_value.hpp>
#include <nnrt/policy/accelerator.hpp>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// How the threshold of a tensor is found; values of larger magnitude saturate.
enum class calibration_method {
  max,         // the largest magnitude
  percentile,  // the magnitude that a given share of all elements does not exceed
  kl,          // least Kullback-Leibler divergence between the histogram and its quantised values
  mixed,       // for each tensor the one of these with the largest cosine similarity to the floats
};

constexpr std::string_view name_of(calibration_method method) {
  constexpr std::string_view names[] = {"max", "percentile", "kl", "mixed"};
  return names[static_cast<int>(method)];
}

/// Options of calibrate().
struct calibration_options {
  calibration_method method = calibration_method::mixed;
  double percentile = 0.9999;  // of magnitudes, above 0 and at most 1
  float steps = 127;           // scale = threshold / steps; a finite number above 0
  /// Names of nodes whose activations shall be i16, if the accelerator's table allows it; others remain i8 (see
  /// layer_report::bits).
  array_ref<const std::string_view> in_16_bits = {};
  /// The last convolution or dense layer on the accelerator outputs its int32 accumulators without rounding, with a
  /// scale for each output channel. A layer with an activation, or whose result the accelerator reads, does not (see
  /// layer_report::bits).
  bool int32_tail = false;
  bool report = true;  // run the quantised network over the samples, too, and compare
  /// Called before each sample of each stage, if given: "ranges", "histograms", "choice", "report".
  void (*progress)(void* context, std::string_view stage, std::size_t done, std::size_t all) = nullptr;
  void* progress_context = nullptr;
};

/// Report on one tensor that a node computes.
struct layer_report {
  std::string name, op;
  float low = 0, high = 0;         // of the floats
  float threshold = 0, scale = 0;  // for int32 accumulators: the largest scale of a channel
  calibration_method method = calibration_method::max;
  double cosine = 1;           // between floats and quantised values, over all samples
  double signal_to_noise = 0;  // decibels
  double saturated = 0;        // share of elements whose floats are outside of the quantised range
  int bits = 8;                // of a quantised value
};

namespace detail {

/// Cosine, noise and saturation of quantised values against floats, element by element.
struct agreement {
  double product = 0, true_square = 0, quantised_square = 0, noise = 0;
  std::int64_t saturated = 0, elements = 0;

  /// Skips infinities, which masks have, and NaN. `within`: whether the quantised range covers the real value.
  void add(double real, double stored, bool within = true) {
    if (!math::is_finite(real)) return;
    product += real * stored, true_square += real * real, quantised_square += stored * stored;
    noise += (real - stored) * (real - stored);
    ++elements;
    saturated += within ? 0 : 1;
  }
  double cosine() const {
    if (true_square == 0 || quantised_square == 0) return true_square == quantised_square ? 1 : 0;
    return product / std::sqrt(true_square * quantised_square);
  }
  /// 200 if there is no noise.
  double signal_to_noise() const {
    return noise == 0 ? 200 : true_square == 0 ? -200 : 10 * std::log10(true_square / noise);
  }
};

/// Magnitudes of one tensor.
struct magnitudes {
  static constexpr std::size_t bins = 2048;
  float low = 0, high = 0;
  bool is_seen = false;
  std::vector<double> counts;  // of |x| in equal bins up to largest()

  float largest() const { return std::fmax(std::fabs(low), std::fabs(high)); }
  /// Skips NaN and infinities.
  void see(array_ref<const float> x) {
    for (const float v : x) {
      if (!math::is_finite(v)) continue;
      low = !is_seen || v < low ? v : low;
      high = !is_seen || v > high ? v : high;
      is_seen = true;
    }
  }
  void count(array_ref<const float> x) {
    if (counts.empty()) counts.assign(bins, 0.0);
    const double width = double{largest()} / static_cast<double>(bins);
    if (!(width > 0)) return;
    for (const float v : x) {
      if (!math::is_finite(v)) continue;
      const auto bin = static_cast<std::size_t>(std::fabs(double{v}) / width);
      counts[bin < bins ? bin : bins - 1] += 1;
    }
  }

  /// The end of the first bin up to which the histogram has this share of all elements.
  float percentile(double share) const {
    double all = 0, so_far = 0;
    for (const double n : counts) all += n;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      so_far += counts[i];
      if (so_far >= share * all) return end_of(i);
    }
    return largest();
  }
  /// The threshold with the least divergence between two histograms: the original, with values above the threshold
  /// counted at it, and its values in 128 steps.
  float min_divergence() const {
    constexpr std::size_t levels = 128;
    std::size_t best = bins;
    double least = -1;
    for (std::size_t cut = levels; cut <= bins && !counts.empty(); cut += 16) {
      const double found = divergence(cut, levels);
      if (least < 0 || found < least) least = found, best = cut;
    }
    return end_of(best - 1);
  }

 private:
  float end_of(std::size_t bin) const {
    return static_cast<float>(double{largest()} * static_cast<double>(bin + 1) / static_cast<double>(bins));
  }

  double divergence(std::size_t cut, std::size_t levels) const {
    std::vector<double> kept(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(cut)), stored(cut, 0.0);
    // Zeros are quantised exactly, and after relu they are the majority: they would dominate the divergence.
    kept[0] = kept[1];
    double above = 0, all = 0, all_quantised = 0;
    for (std::size_t i = cut; i < bins; ++i) above += counts[i];
    // Each level distributes its count evenly over its bins that are not empty.
    for (std::size_t level = 0; level < levels; ++level) {
      const std::size_t first = level * cut / levels, last = (level + 1) * cut / levels;
      double sum = 0, filled = 0;
      for (std::size_t i = first; i < last; ++i) sum += kept[i], filled += kept[i] > 0 ? 1 : 0;
      for (std::size_t i = first; i < last; ++i)
        if (kept[i] > 0) stored[i] = sum / filled;
    }
    kept[cut - 1] += above;
    for (std::size_t i = 0; i < cut; ++i) all += kept[i], all_quantised += stored[i];
    if (all == 0 || all_quantised == 0) return 1e30;
    double sum = 0;
    for (std::size_t i = 0; i < cut; ++i) {
      const double p = kept[i] / all, q = stored[i] / all_quantised;
      if (p > 0) sum += p * std::log(p / (q > 0 ? q : 1e-9));
    }
    return sum;
  }
};

/// The scale of a threshold, as the accelerator supports it: powers of two are rounded up, so that no
/// further values saturate. 1 for a threshold of 0.
inline float scale_of_threshold(float threshold, float steps, scale_kind kind) {
  const float least = threshold / steps;
  if (!(least >= 1e-30F) || !math::is_finite(least)) return 1;
  if (kind == scale_kind::real) return least;
  int exponent = 0;
  const float fraction = std::frexp(least, &exponent);
  return std::ldexp(1.0F, fraction == 0.5F ? exponent - 1 : exponent);
}

}  // namespace detail

}}  // namespace nnrt::NNRT_ISA
