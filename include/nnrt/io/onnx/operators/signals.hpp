// signals: readers of Fourier transforms, windows and mel filters of .onnx files.
// Flow: operators.hpp lists them; each takes a node_reader and adds the node's nodes to the network.
#pragma once

#include <nnrt/io/onnx/operators/parts.hpp>
#include <nnrt/ops/dft.hpp>
#include <nnrt/ops/gather.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx {

/// DFT: the axis is an attribute up to opset 19 (1 by default), then an operand (-2 by default).
[[gnu::cold]] constexpr void read_dft(node_reader& node) {
  const std::int32_t x = node.input(0);
  ops::dft::attrs attrs;
  if (node.version() < 20) attrs.axis = node.integer_attribute("axis", 1);
  else attrs.axis = node.has_elements(2) ? node.integer(2) : -2;
  if (node.has_elements(1)) {
    attrs.length = node.integer(1);
    if (node.is_fine() && attrs.length < 1)
      return node.refuse(error_code::invalid_file, {"dft_length: got ", attrs.length});
  }
  attrs.inverse = node.integer_attribute("inverse", 0) != 0;
  attrs.onesided = node.integer_attribute("onesided", 0) != 0;
  if (attrs.inverse && attrs.onesided) return node.not_supported({"inverse with onesided"});
  node.finish<ops::dft>(attrs, {x});
}

/// STFT: spectra of the frames of signals.
///
///   signal: [N, L, K], K = 1 (real) or 2 (complex)      frame_step, frame_length: one integer      window: [W]
///   y: [N, frames, M, 2], frames = 1 + (L - frame_length) / frame_step, M = W / 2 + 1 when onesided, else W
[[gnu::cold]] constexpr void read_stft(node_reader& node) {
  std::int32_t x = node.input(0);
  const shape_t is = node.desc(x).shape;
  const std::int64_t step = node.integer(1);
  const bool has_window = node.has_elements(2);
  const std::int32_t window = has_window ? node.input(2) : ir::none;
  if (!node.is_fine()) return;
  const std::int64_t of_window = has_window ? node.desc(window).elements() : -1;
  const std::int64_t size = node.has_elements(3) ? node.integer(3) : of_window;
  if (!node.is_fine()) return;
  if (is.rank != 3 || is[1] < 0 || is[2] < 0)
    return node.not_supported({"input 0: got ", is, ", expected [N, L, 1] or [N, L, 2] with known L"});
  if (step < 1 || size < 1 || size > is[1])
    return node.refuse(error_code::invalid_file,
                       {"got frames of ", size, " numbers with a step of ", step, " for ", is});
  if (has_window && of_window != size)
    return node.not_supported({"window: got ", of_window, " numbers for frames of ", size});
  const std::int64_t count = 1 + (is[1] - size) / step;
  node.count_copy(8 * (count + size));
  pool<std::int64_t> firsts, places;
  for (std::int64_t i = 0; node.is_fine() && i < count; ++i) firsts.push_back(i * step);
  for (std::int64_t i = 0; node.is_fine() && i < size; ++i) places.push_back(i);
  const std::int32_t first = detail::reshaped(node, node.integer_list(firsts), pool<std::int64_t>{count, 1});
  const std::int32_t from = detail::plus(node, first, node.integer_list(places));      // [frames, W]
  std::int32_t frames = node.add<ops::gather>({}, {x, from, node.integer_list({1})});  // [N, frames, W, K]
  if (has_window) {
    const std::int32_t column =
        detail::reshaped(node, detail::cast_to(node, window, node.type(x)), pool<std::int64_t>{size, 1});
    frames = detail::times(node, frames, column);
  }
  ops::dft::attrs attrs;
  attrs.axis = 2;
  attrs.onesided = node.integer_attribute("onesided", 1) != 0;
  if (attrs.onesided && is[2] != 1) return node.not_supported({"onesided of complex numbers"});
  node.finish<ops::dft>(attrs, {frames});
}

/// A window of cosines: number i is a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n); n is the size when periodic, else one
/// less. a0 is 25/46 for Hamming's window, 0.42 for Blackman's, 0.5 for Hann's.
template <bool IsHamming, bool IsBlackman> [[gnu::cold]] constexpr void read_window(node_reader& node) {
  const std::int64_t size = node.integer(0);
  const dtype type = node.dtype_attribute("output_datatype", f32);
  const bool is_periodic = node.integer_attribute("periodic", 1) != 0;
  if (!node.is_fine()) return;
  if (size < 1 || size > (std::int64_t{1} << 30)) return node.not_supported({"a window of ", size, " numbers"});
  if (size == 1 && !is_periodic) return node.not_supported({"a symmetric window of 1 number, which ONNX leaves open"});
  node.count_copy(8 * size);
  if (!node.is_fine()) return;
  const double a0 = IsHamming ? 25.0 / 46.0 : IsBlackman ? 0.42 : 0.5, a1 = IsBlackman ? 0.5 : 1 - a0;
  const double turn = 2 * 0x1.921fb54442d18p+1 / static_cast<double>(is_periodic ? size : size - 1);
  pool<double> list;
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = turn * static_cast<double>(i);
    list.push_back(a0 - a1 * math::cos(angle) + (IsBlackman ? 0.08 * math::cos(2 * angle) : 0));
  }
  node.define(0, detail::numbers(node, type, {size}, list));
}

namespace detail {

/// A matrix [bins, filters] of triangles: filter i rises from edge i to edge i + 1, and falls to edge i + 2.
constexpr pool<double> triangles(array_ref<const std::int64_t> edges, std::int64_t bins, std::int64_t filters) {
  pool<double> matrix;
  matrix.assign(static_cast<std::size_t>(bins * filters), 0.0);
  for (std::int64_t i = 0; i < filters; ++i) {
    const std::int64_t low = edges[static_cast<std::size_t>(i)], center = edges[static_cast<std::size_t>(i + 1)],
                       high = edges[static_cast<std::size_t>(i + 2)];
    const auto put = [&](std::int64_t bin, double weight) {
      matrix[static_cast<std::size_t>(bin * filters + i)] = weight;
    };
    if (low == center) put(center, 1);
    else
      for (std::int64_t k = low; k <= center; ++k)
        put(k, static_cast<double>(k - low) / static_cast<double>(center - low));
    for (std::int64_t k = center; k < high; ++k)
      put(k, static_cast<double>(high - k) / static_cast<double>(high - center));
  }
  return matrix;
}

}  // namespace detail

/// MelWeightMatrix: triangular filters, equally wide on the mel scale 2595 log10(1 + f / 700).
///
///   inputs: numbers of filters and of the transform, sample rate, lowest and highest frequency in Hz
///   y: [length / 2 + 1, filters]
[[gnu::cold]] constexpr void read_mel_weights(node_reader& node) {
  const std::int64_t filters = node.integer(0), length = node.integer(1), rate = node.integer(2);
  const double lowest = node.real(3), highest = node.real(4);
  const dtype type = node.dtype_attribute("output_datatype", f32);
  if (!node.is_fine()) return;
  constexpr std::int64_t most = std::int64_t{1} << 20;
  if (filters < 1 || filters > most || length < 1 || length > most || rate < 1 || !(lowest > -700) ||
      !(highest < 0x1p60) || !(lowest <= highest))
    return node.refuse(error_code::invalid_file, {"no mel filters: got ", filters, " filters for a transform of ",
                                                  length, " and a sample rate of ", rate});
  const std::int64_t bins = length / 2 + 1;
  node.count_copy(8 * bins * filters);
  if (!node.is_fine()) return;
  constexpr double log_of_10 = 0x1.26bb1bbb55516p+1;
  const auto mel = [&](double hertz) { return 2595 * math::log(1 + hertz / 700) / log_of_10; };
  const double first = mel(lowest), step = (mel(highest) - first) / static_cast<double>(filters + 2);
  pool<std::int64_t> edges;
  for (std::int64_t i = 0; i < filters + 2; ++i) {
    const double hertz = 700 * (math::pow(10, (first + static_cast<double>(i) * step) / 2595) - 1);
    const double bin = math::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
    // the last edge is never reached
    if (!(bin >= 0 && bin < static_cast<double>(i > filters ? bins + 1 : bins)))
      return node.refuse(error_code::invalid_file, {"a filter ends outside of the ", bins, " values of the spectrum"});
    edges.push_back(static_cast<std::int64_t>(bin));
  }
  node.define(0, detail::numbers(node, type, {bins, filters}, detail::triangles(edges, bins, filters)));
}

}}}  // namespace nnrt::NNRT_ISA::onnx
