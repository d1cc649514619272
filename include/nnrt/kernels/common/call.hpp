// call: from a kernel_call to pointers and shares of work.
// Flow: bind/<operator>.hpp unpack their calls with these before they enter a kernel.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The elements of operand i.
constexpr const float* floats_in(const kernel_call& call, std::size_t i) { return call.in[i].data.get<float>(); }
constexpr float* floats_out(const kernel_call& call, std::size_t i = 0) { return call.out[i].data.get<float>(); }

/// The same as bytes, for kernels that only move elements.
inline const std::byte* bytes_in(const kernel_call& call, std::size_t i) {
  return static_cast<const std::byte*>(call.in[i].data.raw());
}
inline std::byte* bytes_out(const kernel_call& call, std::size_t i = 0) {
  return static_cast<std::byte*>(call.out[i].data.raw());
}

/// Reads both numbers only where there are several parts: as one word they would wait for the two stores that made
/// them.
constexpr part part_of(const kernel_call& call) {
  return call.tiles == 1 ? part{} : part{call.tile, call.tiles, call.piece, call.pieces};
}

/// What a part does of n floats, in whole cache lines, so that no two parts write into one (where the memory is
/// aligned).
constexpr interval share_of_floats(std::int64_t n, part p) {
  if (p.count == 1) return {0, n};  // divisions cost as much as the work on a handful of elements
  constexpr std::int64_t line = 16;
  const interval lines = share((n + line - 1) / line, p);
  return {lines.begin * line, lines.end * line < n ? lines.end * line : n};
}

/// The record of a layer: its shape as the kernels see it, and what results are limited to.
template <class Shape, class Range> struct layer_plan {
  Shape shape;
  Range range;
};
template <class Shape, class Range> constexpr kernel_plan plan_of(const Shape& shape, const Range& range) {
  return kernel_plan::of(layer_plan<Shape, Range>{shape, range});
}
/// The range in the record of a layer of this shape; the shape is recorded<Shape>().
template <class Shape, class Range> Range planned_range(const kernel_call& call) {
  static_assert(sizeof(layer_plan<Shape, Range>) == sizeof(Shape) + sizeof(Range) && sizeof(Shape) % sizeof(word) == 0);
  return call.planned<Range>(sizeof(Shape) / sizeof(word));
}

/// Elements of the result that a call makes: all, or those of its rows.
constexpr std::int64_t elements_of(const kernel_call& call) {
  const shape_t& y = call.out[0].shape();
  return call.rows.is_all() ? y.elements() : call.rows.count() * y.elements(2);
}

/// How an operator on two tensors of one shape, an image's, reads the rows of both.
constexpr row_window rows_of_pairs(const kernel_request& node) {
  const shape_t &a = node.in[0].desc.shape, &b = node.in[1].desc.shape;
  return {a == b && a.rank == 4 ? 0b11U : 0U};
}

/// How a convolution of this shape reads the rows of operand 0.
template <class Shape> constexpr row_window row_window_of(const Shape& s) {
  return {0b1, s.stride_h, (s.kernel_h - 1) * s.dilation_h + 1, s.pad_top};
}

/// Makes of a convolution the one that makes some rows of one image's result from the rows that it reads for them.
/// Where it lies: small layers have no time to copy shapes.
template <class Shape> constexpr void narrow(Shape& s, row_range rows) {
  if (rows.is_all()) return;
  const row_window window = row_window_of(s);
  const row_range read = window.under(rows, s.height);
  s.batch = 1, s.height = read.count(), s.out_height = rows.count();
  s.pad_top = read.begin - window.first_row_of(rows.begin);
}
/// The recorded one, for the rows that a call makes.
template <class Shape> Shape recorded_rows(const kernel_call& call) {
  auto s = call.planned<Shape>();
  narrow(s, call.rows);
  return s;
}

/// Whether the operands that are there and the outputs are all of this dtype.
constexpr bool all_of_type(const kernel_request& node, dtype type) {
  for (const operand& x : node.in)
    if (x && x.desc.type != type) return false;
  for (const tensor_desc& y : node.out)
    if (y.type != type) return false;
  return true;
}

/// Whether there is something to compute and all extents are known: the kernels' condition; the reference takes the
/// rest.
constexpr bool has_work(const kernel_request& node) {
  if (node.in[0].desc.elements() <= 0) return false;
  for (const tensor_desc& y : node.out)
    if (y.elements() <= 0) return false;
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::kernels
