// calibration: what samples tell of the tensors of a network - ranges, histograms, thresholds - and how well quantised
// values serve.
// Flow: calibrate() runs the network of floats over samples and asks these for the scale of each tensor.
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

/// How the threshold of a tensor is found: the magnitude from which on numbers saturate.
enum class calibration_method {
  max,         // the largest magnitude
  percentile,  // the magnitude that a share of all elements does not exceed
  kl,          // the one whose quantised values keep most of the histogram, by the divergence of Kullback and Leibler
  mixed,       // for each tensor the one of these whose quantised values point most nearly where the floats do (cosine)
};

constexpr std::string_view name_of(calibration_method method) {
  constexpr std::string_view names[] = {"max", "percentile", "kl", "mixed"};
  return names[static_cast<int>(method)];
}

/// Choices for calibrate().
struct calibration_options {
  calibration_method method = calibration_method::mixed;
  double percentile = 0.9999;  // of magnitudes, above 0 and at most 1
  float steps = 127;           // scale = threshold / steps; a finite number above 0
  /// Names of nodes whose activations shall have 16 bits, where the accelerator's table takes that; others stay with 8
  /// (see layer_report::bits).
  array_ref<const std::string_view> in_16_bits = {};
  /// The last convolution or dense layer on the accelerator keeps its sums: 32 bits, a scale for each output channel,
  /// rounded nowhere. One that has an activation, or that the accelerator reads further, does not (see
  /// layer_report::bits).
  bool int32_tail = false;
  bool report = true;  // run the stored network over the samples, too, and compare
  /// Called before each sample of each stage, if given: "ranges", "histograms", "choice", "report".
  void (*progress)(void* context, std::string_view stage, std::size_t done, std::size_t all) = nullptr;
  void* progress_context = nullptr;
};

/// What became of one tensor that a node computes.
struct layer_report {
  std::string name, op;
  float low = 0, high = 0;         // of the floats
  float threshold = 0, scale = 0;  // of sums that a layer keeps (32 bits) the largest scale of a channel
  calibration_method method = calibration_method::max;
  double cosine = 1;           // between floats and what is stored, over all samples
  double signal_to_noise = 0;  // decibels
  double saturated = 0;        // share of elements whose floats lie beyond the stored range
  int bits = 8;                // of a quantised value
};

namespace detail {

/// Cosine, noise and saturation of numbers against those that they stand for, element by element.
struct agreement {
  double product = 0, true_square = 0, quantised_square = 0, noise = 0;
  std::int64_t saturated = 0, elements = 0;

  /// Infinities, which masks have, and what is no number are nothing to compare. `within`: whether the stored range
  /// reaches to the real one.
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
  /// 200 where there is no noise.
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
  /// Numbers that are none, and infinities, say nothing about a range.
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

  /// The end of the first bin up to which lies that share of all elements.
  float percentile(double share) const {
    double all = 0, so_far = 0;
    for (const double n : counts) all += n;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      so_far += counts[i];
      if (so_far >= share * all) return end_of(i);
    }
    return largest();
  }
  /// The threshold of the least divergence between the histogram, what is above the threshold counted at it, and its
  /// form in 128 steps.
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
    // Zeros are stored exactly, and behind relu they are most of all: they would decide alone.
    kept[0] = kept[1];
    double above = 0, all = 0, all_quantised = 0;
    for (std::size_t i = cut; i < bins; ++i) above += counts[i];
    // Each level spreads what it holds over the bins that are not empty.
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

/// The scale of a threshold, as the accelerator can have it: powers of two are rounded up, so that nothing more
/// saturates. 1 of nothing.
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
