// call: pointers and shares of work from a kernel_call.
// Flow: the bindings of bind/ unpack their calls with these functions before they call a kernel.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstddef>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// The elements of operand i.
constexpr const float* floats_in(const kernel_call& call, std::size_t i) { return call.in[i].data.get<float>(); }
constexpr float* floats_out(const kernel_call& call, std::size_t i = 0) { return call.out[i].data.get<float>(); }

/// The elements of operand i as bytes, for kernels that only move elements.
inline const std::byte* bytes_in(const kernel_call& call, std::size_t i) {
  return static_cast<const std::byte*>(call.in[i].data.raw());
}
inline std::byte* bytes_out(const kernel_call& call, std::size_t i = 0) {
  return static_cast<std::byte*>(call.out[i].data.raw());
}

/// Function of a kernel that has one for each dtype of `Set`: f(T{}), where T is the element type. Null: the set does
/// not contain `type`.
template <dtype_set Set, class F> constexpr kernel_function function_for(dtype type, F f) {
  kernel_function found = nullptr;
  with_element<Set>(type, [&](auto element) { found = f(element); });
  return found;
}

/// The part of a call. Reads both numbers only if there are several parts: one load of both would stall on the two
/// stores that wrote them.
constexpr part part_of(const kernel_call& call) {
  return call.parts == 1 ? part{} : part{call.part, call.parts, call.piece, call.pieces};
}

/// Share of part p of n floats, in whole cache lines: no two parts write to the same line (if the memory is aligned).
constexpr interval share_of_floats(std::int64_t n, part p) {
  if (p.count == 1) return {0, n};  // a division costs as much as the work on a few elements
  constexpr std::int64_t line = 16;
  const interval lines = share((n + line - 1) / line, p);
  return {lines.begin * line, lines.end * line < n ? lines.end * line : n};
}

/// The plan of a layer: its shape for the kernels, and the range of its results.
template <class Shape, class Range> struct layer_plan {
  Shape shape;
  Range range;
};
template <class Shape, class Range> constexpr kernel_plan plan_of(const Shape& shape, const Range& range) {
  return kernel_plan::of(layer_plan<Shape, Range>{shape, range});
}
/// The range in the plan of a layer with this shape type; `planned<Shape>()` is the shape.
template <class Shape, class Range> Range planned_range(const kernel_call& call) {
  static_assert(sizeof(layer_plan<Shape, Range>) == sizeof(Shape) + sizeof(Range) && sizeof(Shape) % sizeof(word) == 0);
  return call.planned<Range>(sizeof(Shape) / sizeof(word));
}

/// Number of elements that a call computes: all, or those of its rows.
constexpr std::int64_t elements_of(const kernel_call& call) {
  const shape_t& y = call.out[0].shape();
  return call.rows.is_all() ? y.elements() : call.rows.count() * y.elements(2);
}

/// Row window of an operator on two tensors of equal shape [N, H, W, C]: it reads the rows that it writes.
constexpr row_window rows_of_pairs(const kernel_request& node) {
  const shape_t &a = node.in[0].desc.shape, &b = node.in[1].desc.shape;
  return {a == b && a.rank == 4 ? 0b11U : 0U};
}

/// Row window of a convolution: the rows of operand 0 that it reads.
template <class Shape> constexpr row_window row_window_of(const Shape& s) {
  return {0b1, s.stride_h, (s.kernel_h - 1) * s.dilation_h + 1, s.pad_top};
}

/// Changes the shape of a convolution in place to the convolution that computes only `rows` of one image. In place
/// because copies of shapes cost small layers time.
template <class Shape> constexpr void narrow(Shape& s, row_range rows) {
  if (rows.is_all()) return;
  const row_window window = row_window_of(s);
  const row_range read = window.under(rows, s.height);
  s.batch = 1, s.height = read.count(), s.out_height = rows.count();
  s.pad_top = read.begin - window.first_row_of(rows.begin);
}
/// The planned shape, reduced to the rows that a call computes.
template <class Shape> Shape recorded_rows(const kernel_call& call) {
  auto s = call.planned<Shape>();
  narrow(s, call.rows);
  return s;
}

/// True if all present operands and all outputs have this dtype.
constexpr bool all_of_type(const kernel_request& node, dtype type) {
  for (const operand& x : node.in)
    if (x && x.desc.type != type) return false;
  for (const tensor_desc& y : node.out)
    if (y.type != type) return false;
  return true;
}

/// True if all extents are known and no tensor is empty. Kernels require it; the reference runs otherwise.
constexpr bool has_work(const kernel_request& node) {
  if (node.in[0].desc.elements() <= 0) return false;
  for (const tensor_desc& y : node.out)
    if (y.elements() <= 0) return false;
  return true;
}

}}}  // namespace nnrt::NNRT_ISA::kernels
