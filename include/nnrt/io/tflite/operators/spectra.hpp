// spectra: readers of the Fourier transform of .tflite files, and of operators on its complex results.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/composed_extents.hpp>
#include <nnrt/io/tflite/operators/blocks.hpp>
#include <nnrt/ops/dft.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/reduce_l2.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/squeeze.hpp>
#include <nnrt/ops/unsqueeze.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

// A tensor of complex numbers is a tensor of floats with an additional last axis, for real and imaginary parts.

/// RFFT2D: real transforms along the last axis, of n / 2 + 1 numbers each, then complex transforms along the columns.
[[gnu::cold]] constexpr void read_rfft2d(node_reader& node) {
  const std::int32_t x = node.input(0);
  const pool<std::int64_t> length = node.integers(1);
  if (!node.is_fine()) return;
  const shape_t shape = node.desc(x).shape;
  if (node.desc(x).type != f32) return node.not_supported_beside(0, x, "f32");
  if (shape.rank < 2 || shape.rank >= max_rank)
    return node.refuse(error_code::invalid_file, {"input 0: got rank ", shape.rank, ", expected 2 to ", max_rank - 1});
  if (length.size() != 2 || length[0] < 1 || length[1] < 1)
    return node.refuse(error_code::invalid_file,
                       {"fft_length: got ", length.size(), " numbers, expected a height and a width of at least 1"});
  ops::unsqueeze::attrs parts;
  parts.axes.push_back(shape.rank);
  ops::dft::attrs lines, columns;
  lines.axis = shape.rank - 1, lines.length = length[1], lines.onesided = true;
  columns.axis = shape.rank - 2, columns.length = length[0];
  const std::int32_t spectra = node.add<ops::dft>(lines, {node.add<ops::unsqueeze>(parts, {x})});
  const bool are_lines = shape[shape.rank - 2] == 1 && length[0] == 1;
  node.define_complex(0, are_lines ? spectra : node.add<ops::dft>(columns, {spectra}));
}

/// The absolute value of each number.
[[gnu::cold]] constexpr void read_complex_abs(node_reader& node) {
  const std::int32_t x = node.complex_input(0);
  node.conclude(0, node.add<ops::reduce_l2>({}, {x, node.integer_list({-1})}));
}

/// REAL and IMAG.
template <int Part> [[gnu::cold]] constexpr void read_part(node_reader& node) {
  const std::int32_t x = node.complex_input(0);
  node.conclude(0, node.add<ops::gather>({}, {x, node.scalar(i32, Part), node.scalar(i32, -1)}));
}

namespace detail {

/// RESHAPE of complex numbers to the shape in an operand or option.
[[gnu::cold]] constexpr void reshape_complex(node_reader& node, std::int32_t shape) {
  const std::int32_t list = joined_lists(node, {cast_to(node, shape, i64), node.integer_list({2})});
  node.define_complex(0, node.add<ops::reshape>({}, {node.complex_input(0), list}));
}
/// SQUEEZE of complex numbers. Without axes it removes the axes whose extent is known to be 1.
[[gnu::cold]] constexpr void squeeze_complex(node_reader& node, axis_list named) {
  const std::int32_t x = node.complex_input(0);
  const shape_t shape = node.desc(x).shape;
  ops::squeeze::attrs attrs;
  for (const std::int64_t axis : named) attrs.axes.push_back(axis < 0 ? axis - 1 : axis);
  for (int i = 0; named.empty() && i + 1 < shape.rank; ++i)
    if (shape[i] == 1) attrs.axes.push_back(i);
  node.define_complex(0, attrs.axes.empty() ? x : node.add<ops::squeeze>(attrs, {x}));
}

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::tflite
