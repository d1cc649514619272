// matmul: f32 and int8 kernels of the operator: one gemm with packed b for each matrix of the batch.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/broadcast.hpp>
#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/bind/detail/int8.hpp>
#include <nnrt/kernels/f32/gemm/gemm.hpp>
#include <nnrt/kernels/movement/transpose.hpp>
#include <nnrt/ops/matmul.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Extents of a batched product y[i] = a[i] * b[i], and the operands' matrices for matrix i of y.
struct product_batch {
  gemm_shape matrix;
  std::int64_t count = 1;        // matrices of y
  std::int64_t b_count = 1;      // matrices of b
  shape_t leading;               // the batch axes of y
  shape_t a_strides, b_strides;  // in matrices; 0 along repeated axes

  constexpr product_batch(const ops::matmul::attrs& attrs, const shape_t& a, const shape_t& b, const shape_t& y)
      : matrix{.m = y[-2], .k = a[attrs.transpose_a ? -2 : -1], .n = y[-1]},
        count(y.elements(0, y.rank - 2)),
        b_count(b.elements(0, b.rank - 2)),
        leading(without_matrix(y)),
        a_strides(batch_strides(a, leading)),
        b_strides(batch_strides(b, leading)) {}

  /// Index of the operand's matrix for matrix i of y.
  static constexpr std::int64_t matrix_of(std::int64_t i, const shape_t& batch, const shape_t& strides) {
    std::int64_t at = 0;
    for (int axis = batch.rank; axis-- > 0; i /= batch[axis]) at += i % batch[axis] * strides[axis];
    return at;
  }
  std::int64_t a_of(std::int64_t i) const { return matrix_of(i, leading, a_strides); }
  std::int64_t b_of(std::int64_t i) const { return matrix_of(i, leading, b_strides); }

 private:
  static constexpr shape_t without_matrix(shape_t s) {
    s.rank -= 2;
    return s;
  }
  static constexpr shape_t batch_strides(const shape_t& operand, const shape_t& batch) {
    const shape_t own = without_matrix(operand);
    return broadcast_strides(own, row_major_strides(own), batch);
  }
};

/// Division of a product among threads. If b is not constant, threads pack b by columns before every run and multiply
/// with the panels that they packed: no panel moves between cores.
struct product_sharing {
  std::int64_t by_columns = 0;
};

template <> struct operator_of<ops::matmul::code> {
  using type = ops::matmul;
};

template <class Isa> struct binding<ops::matmul, family::f32, Isa> : with_tiles<Isa> {
  enum : std::int16_t { in_tiles, in_tiles_of_copies };
  static constexpr int methods = 2;
  template <int Method> static constexpr kernel_functions functions() {
    return {&run<Method == in_tiles_of_copies>, &pack};
  }

  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const auto attrs = unpack<ops::matmul::attrs>(node.attrs);
    const product_batch batch(attrs, node.in[0].desc.shape, node.in[1].desc.shape, node.out[0].shape);
    // A transposed a is first copied to rows, matrix by matrix: parts are then matrices, not rows.
    const int products = parts_of_products(ops::matmul::macs(attrs, node.in, node.out), node.in[1].desc.elements());
    const int parts = attrs.transpose_a ? std::min(products, parts_of(batch.count)) : products;
    const auto [m, k, n] = batch.matrix;
    const bool collide = !attrs.transpose_a && rows_alias_4k(m, k * size_of(f32), n);
    return {.code = code_of(collide ? in_tiles_of_copies : in_tiles, tile_set_for(m, n)),
            .packs = 0b10,
            .packed_bytes = batch.b_count * packed_floats(k, n) * size_of(f32),
            .plan = kernel_plan::of(product_sharing{!node.in[1].constant}),
            .scratch_bytes = attrs.transpose_a ? m * copied_row_floats(k) * size_of(f32)
                             : collide         ? copied_rows_floats(m, k) * size_of(f32)
                                               : 0,
            .parts = parts,
            .pack_parts = std::min(parts, parts_for(node.in[1].desc.elements())),
            .name = "gemm batch"};
  }

  static void pack(const kernel_call& call) {
    // out[0] is packed B: its extents follow from b alone.
    const bool is_transposed = unpack<ops::matmul::attrs>(call.attrs).transpose_b;
    const shape_t& shape = call.in[1].shape();
    const std::int64_t k = shape[is_transposed ? -1 : -2], n = shape[is_transposed ? -2 : -1],
                       count = shape.elements(0, shape.rank - 2);
    const float* b = floats_in(call, 1);
    float* packed = floats_out(call);
    const bool shares_matrices = count >= call.parts;
    const interval mine = shares_matrices ? share(count, part_of(call)) : interval{0, count};
    const interval panels = shares_matrices ? interval{0, panels_of(n)} : share(panels_of(n), part_of(call));
    for (std::int64_t i = mine.begin; i < mine.end; ++i)
      kernels::pack({b + i * k * n, is_transposed ? 1 : n, is_transposed ? k : 1}, {.k = k, .n = n, .panels = panels},
                    packed + i * packed_floats(k, n));
  }
  template <bool OnCopies> static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::matmul::attrs>(call.attrs);
    const product_batch batch = batch_of(call, attrs);
    const auto [m, k, n] = batch.matrix;
    const float* const packed = floats_in(call, call.in.size() - 1);
    const bool shares_matrices = attrs.transpose_a || batch.count >= call.parts,
               by_columns = call.planned<product_sharing>().by_columns != 0;
    const interval mine = shares_matrices ? share(batch.count, part_of(call)) : interval{0, batch.count};
    for (std::int64_t i = mine.begin; i < mine.end; ++i) {
      gemm_arguments of{.shape = batch.matrix,
                        .a = {floats_in(call, 0) + batch.a_of(i) * m * k, k},
                        .packed = packed + batch.b_of(i) * packed_floats(k, n),
                        .c = {floats_out(call) + i * m * n, n},
                        .range = range_of(attrs.fused)};
      const product_part of_matrix{shares_matrices ? part{} : part_of(call), by_columns};
      if constexpr (OnCopies) {
        gemm_on_copies<native>(of, scratch_floats(call), of_matrix, tiles_in(call));
      } else {
        if (attrs.transpose_a) of.a = in_rows(of.a.first, m, k, scratch_floats(call));
        gemm<native>(of, of_matrix, tiles_in(call));
      }
    }
  }

 private:
  static product_batch batch_of(const kernel_call& call, const ops::matmul::attrs& attrs) {
    return {attrs, call.in[0].shape(), call.in[1].shape(), call.out[0].shape()};
  }
  /// Transposes a[k][m] to copied rows [m][k].
  static matrix_rows<const float> in_rows(const float* a, std::int64_t m, std::int64_t k, float* rows) {
    transpose_matrix(a, m, rows, copied_row_floats(k), k, m);
    return {rows, copied_row_floats(k)};
  }
};

template <class Isa> struct binding<ops::matmul, family::int8, Isa> {
  static constexpr int methods = 1;
  template <int> static constexpr kernel_functions functions() { return {&run, &pack}; }
  static constexpr kernel_choice select(const kernel_request& node) {
    const auto attrs = unpack<ops::matmul::attrs>(node.attrs);
    const shape_t& b = node.in[1].desc.shape;
    const std::int64_t k = b[attrs.transpose_b ? -1 : -2];
    if (!is_int8_layer(node, k)) return {};
    const product_batch batch(attrs, node.in[0].desc.shape, b, node.out[0].shape);
    const int parts =
        parts_of_int8_macs(ops::matmul::macs(attrs, node.in, node.out), packing_of(batch.matrix).in_blocks);
    return {
        .code = {.method = 0},
        .packs = 0b10,
        .packed_bytes = batch.b_count * packing_of(batch.matrix).bytes(),
        .plan = kernel_plan::of(product_sharing{!node.in[1].constant}),
        .scratch_bytes = attrs.transpose_a ? copied_rows_bytes(packing_of(batch.matrix), batch.matrix.m)
                                           : int8_matrix_scratch_bytes(packing_of(batch.matrix), batch.matrix.m),
        .parts = parts,
        .pack_parts = is_per_channel(node.in[1].desc) ? 1 : std::min(parts, parts_for(node.in[1].desc.elements() / 4)),
        .name = "dot batch"};
  }

  static void pack(const kernel_call& call) {
    const auto attrs = unpack<ops::matmul::attrs>(call.attrs);
    const tensor_desc& y = result_behind_packed(call);
    const product_batch batch(attrs, call.in[0].shape(), call.in[1].shape(), y.shape);
    const auto [m, k, n] = batch.matrix;
    const int8_factors f = factors_of(call);
    const scaled_range range = scaled_range_of(y, int8_range_of(y, attrs.fused));
    constexpr std::int64_t largest = 255 * 255;
    const auto column_of = [&, depth = k](std::int64_t j) -> int8_channel {
      return {fixed_point_of(ops::matmul::sum_scale(call.in[0], call.in[1], j) / double{y.quantised.scale}),
              0,
              {-depth * largest, depth * largest}};
    };
    const int8_packing packing = packing_of(batch.matrix);
    const auto matrix_of = [&, n = n, k = k](std::int64_t i) -> int8_matrix {
      return {.first = bytes_in(call, 1) + i * k * n,
              .column = attrs.transpose_b ? k : 1,
              .run = 0,
              .element = attrs.transpose_b ? 1 : n};
    };
    const bool shares_matrices = batch.b_count >= call.parts;
    const interval mine = shares_matrices ? share(batch.b_count, part_of(call)) : interval{0, batch.b_count};
    if (is_per_channel(*call.in[1].desc)) {
      for (std::int64_t i = mine.begin; i < mine.end; ++i)
        int8_pack(packing, f, range, matrix_of(i), column_of, bytes_out(call) + i * packing.bytes());
      return;
    }
    const alike_columns columns(column_of(0), range);
    const interval panels = shares_matrices ? interval{0, packing.panels()} : share_of_panels(packing, part_of(call));
    for (std::int64_t i = mine.begin; i < mine.end; ++i)
      columns.pack(packing, f, matrix_of(i), panels, bytes_out(call) + i * packing.bytes());
  }
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::matmul::attrs>(call.attrs);
    const product_batch batch(attrs, call.in[0].shape(), call.in[1].shape(), call.out[0].shape());
    const bool shares_matrices = batch.count >= call.parts;
    const interval mine = shares_matrices ? share(batch.count, part_of(call)) : interval{0, batch.count};
    for (std::int64_t i = mine.begin; i < mine.end; ++i)
      multiply(call, attrs, batch, i, shares_matrices ? part{} : part_of(call));
  }

 private:
  static constexpr bool is_per_channel(const tensor_desc& t) {
    return t.quantised.mode == quantisation::kind::per_channel;
  }
  static constexpr int8_packing packing_of(const gemm_shape& matrix) {
    return int8_packing::of(matrix.m, matrix.k, matrix.n);
  }
  /// Computes matrix i of y, or a part of it.
  static void multiply(const kernel_call& call, const ops::matmul::attrs& attrs, const product_batch& batch,
                       std::int64_t i, part of_matrix) {
    const auto [m, k, n] = batch.matrix;
    int8_product p = product_of(call, packing_of(batch.matrix),
                                int8_layer::of(*call.in[0].desc, *call.in[1].desc, *call.out[0].desc, attrs.fused));
    p.packed += batch.b_of(i) * p.packing.bytes();
    const std::byte* const a = bytes_in(call, 0) + batch.a_of(i) * m * k;
    std::byte* const c = bytes_out(call) + i * m * n;
    const product_part of{of_matrix, call.planned<product_sharing>().by_columns != 0};
    if (!attrs.transpose_a) return int8_matrix_product<native>(p, m, a, call.scratch, c, of);
    int8_gemm_of_copies<native>(
        p, m,
        [&, m = m, k = k](const interval& rows, const int8_encoding& encoding, std::byte* to, std::int64_t step) {
          transpose_matrix(a + rows.begin, m, to + place_before_encoding(k, encoding), step, k, rows.size());
          if (encoding.is_quantised()) return;
          for (std::int64_t row = 0; row < rows.size(); ++row) set_encoding(k, encoding, to + row * step);
        },
        call.scratch, {c, n}, of);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
