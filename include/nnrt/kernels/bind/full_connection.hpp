// full_connection: f32, int8 and int16 kernels of the operator: gemm, and single rows with unpacked weights.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/bind/detail/int16.hpp>
#include <nnrt/kernels/bind/detail/int8.hpp>
#include <nnrt/kernels/f32/gemm/dot_rows.hpp>
#include <nnrt/kernels/f32/gemm/gemm.hpp>
#include <nnrt/kernels/f32/gemm/unrolled.hpp>
#include <nnrt/kernels/int8/gemm/unrolled.hpp>
#include <nnrt/ops/full_connection.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

template <> struct operator_of<ops::full_connection::code> {
  using type = ops::full_connection;
};

template <class Isa> struct binding<ops::full_connection, family::f32, Isa> : with_tiles<Isa> {
  enum : std::int16_t { in_tiles, by_row, in_tiles_of_copies };
  static constexpr int methods = 3;
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == by_row) return {&run_row, nullptr};
    else return {&run<Method == in_tiles_of_copies>, &pack};
  }

  static constexpr kernel_choice select(const kernel_request& node) {
    if (!all_of_type(node, f32) || !has_work(node)) return {};
    const shape_t& w = node.in[1].desc.shape;
    if (node.unrolled && w.elements() <= max_unrolled_products && w[0] <= max_unrolled_vectors * f32_lanes)
      return unrolled(w);
    const std::int64_t rows = node.out[0].elements() / w[0];
    const auto attrs = unpack<ops::full_connection::attrs>(node.attrs);
    const kernel_plan plan = plan_of(gemm_shape{.m = rows, .k = w[1], .n = w[0]}, range_of(attrs.fused));
    if (rows == 1 && w.elements() >= min_dot_products && !node.must_pack)
      return {.code = {.method = by_row},
              .plan = plan,
              .parts = parts_of_products(w.elements(), w.elements()),
              .name = "dot rows"};
    const bool collide = rows_alias_4k(rows, w[1] * size_of(f32), w[0]);
    return {.code = code_of(collide ? in_tiles_of_copies : in_tiles, tile_set_for(rows, w[0])),
            .packs = 0b110,
            .packed_bytes = packed_floats(w[1], w[0]) * size_of(f32),
            .plan = plan,
            .scratch_bytes = collide ? copied_rows_floats(rows, w[1]) * size_of(f32) : 0,
            .parts = parts_of_products(node.out[0].elements() * w[1], w.elements()),
            .name = "gemm rows"};
  }

 private:
  static constexpr std::int64_t max_unrolled_products = 4096;
  static constexpr std::int64_t max_unrolled_vectors = 8;
  /// Weights of 1 MiB or more are read from beyond L2 in every run, in any order, once by a single row. Packing those
  /// of MobileNetV2 costs 5 MB and a fifth of the time to a first result; a run is then 1 % faster.
  static constexpr std::int64_t min_dot_products = 1024 * 1024 / 4;

  static constexpr kernel_choice unrolled(const shape_t& w) {
    return {.run = &run_dense,
            .pack = &pack_dense,
            .packs = 0b110,
            .packed_bytes = dense_packed_floats(w[1], w[0]) * size_of(f32),
            .unrolled = unrolled_kernel::dense,
            .packs_in_compiler = true,
            .name = "dense unrolled"};
  }
  static constexpr void pack_dense(const kernel_call& call) {
    const shape_t& w = call.in[1].shape();
    dense_pack(floats_in(call, 1), optional_floats_in(call, 2), w[1], w[0], floats_out(call));
  }
  /// The unrolled kernel for run-time extents, for executors that run an unrolled plan step by step.
  static void run_dense(const kernel_call& call) {
    const shape_t& w = call.in[1].shape();
    const clamp_range range = range_of(unpack<ops::full_connection::attrs>(call.attrs).fused);
    dense_of_any_size(floats_in(call, 0), floats_in(call, call.in.size() - 1), floats_out(call),
                      {.m = call.out[0].elements() / w[0], .k = w[1], .n = w[0]}, range);
  }

 public:
  static void pack(const kernel_call& call) {
    const auto [m, k, n] = call.planned<gemm_shape>();
    kernels::pack({floats_in(call, 1), 1, k}, {.k = k, .n = n, .bias = optional_floats_in(call, 2)}, floats_out(call));
  }
  template <bool OnCopies> static void run(const kernel_call& call) {
    const auto [product, range] = call.planned<layer_plan<gemm_shape, clamp_range>>();
    const gemm_arguments of{.shape = product,
                            .a = {floats_in(call, 0), product.k},
                            .packed = floats_in(call, call.in.size() - 1),
                            .c = {floats_out(call), product.n},
                            .range = range};
    if constexpr (OnCopies) gemm_on_copies<native>(of, scratch_floats(call), {part_of(call)}, tiles_in(call));
    else gemm<native>(of, {part_of(call)}, tiles_in(call));
  }
  static void run_row(const kernel_call& call) {
    const auto [product, range] = call.planned<layer_plan<gemm_shape, clamp_range>>();
    dot_rows<native>({.k = product.k, .n = product.n, .w = floats_in(call, 1), .bias = optional_floats_in(call, 2)},
                     floats_in(call, 0), floats_out(call), range, part_of(call));
  }
};

template <class Isa> struct binding<ops::full_connection, family::int8, Isa> {
  enum : std::int16_t { of_rows, of_whole_steps, of_one_row, methods };
  template <int Method> static constexpr kernel_functions functions() {
    if constexpr (Method == of_rows) return {&run, &pack};
    else if constexpr (Method == of_whole_steps) return {&run_row, &pack};
    else return {&run_any_row, &pack};
  }

  static constexpr kernel_choice select(const kernel_request& node) {
    const shape_t& w = node.in[1].desc.shape;
    if (!is_int8_layer(node, w[1])) return {};
    const gemm_shape product{.m = node.out[0].elements() / w[0], .k = w[1], .n = w[0]};
    const int8_layer layer = int8_layer::of(node, unpack<ops::full_connection::attrs>(node.attrs).fused);
    const bool has_whole_steps = product.k % 4 == 0 && layer.factors().b_zero_as_seen() == 0;
    return {.code = {.method = product.m != 1    ? of_rows
                               : has_whole_steps ? of_whole_steps
                                                 : of_one_row},
            .packs = 0b110,
            .packed_bytes = packing_of(product).bytes(),
            .plan = plan_of(product, layer),
            .scratch_bytes = int8_matrix_scratch_bytes(packing_of(product), product.m),
            .unrolled = node.unrolled && has_unrolled_kernel(w) ? unrolled_kernel::int8_dense : unrolled_kernel::none,
            // a register holds four times as many values as of floats
            .parts = parts_of_products(node.out[0].elements() * w[1] / 4, w.elements() / 4),
            .name = product.m == 1 ? "dot row" : "dot rows"};
  }

  static void pack(const kernel_call& call) {
    const auto [product, layer] = planned(call);
    const int8_factors f = layer.factors();
    const auto scale_of = [&](std::int64_t o) {
      return f.is_unsigned ? ops::full_connection::sum_scale<std::uint8_t>(call.in[0], call.in[1], o)
                           : ops::full_connection::sum_scale<std::int8_t>(call.in[0], call.in[1], o);
    };
    int8_pack(
        packing_of(product), f, scaled_range_of(result_behind_packed(call), layer.range),
        int8_matrix{.first = bytes_in(call, 1), .column = product.k, .run = 0, .element = 1},
        [&](std::int64_t o) { return channel_of(call, o, scale_of(o)); }, bytes_out(call));
  }
  static void run(const kernel_call& call) {
    const auto [product, layer] = planned(call);
    int8_matrix_product<native>(product_of(call, packing_of(product), layer), product.m, bytes_in(call, 0),
                                call.scratch, bytes_out(call), {part_of(call)});
  }
  /// One row of any length. Separate from run(): a program without products of several rows then does not compile their
  /// tiles.
  static void run_any_row(const kernel_call& call) {
    const gemm_shape product = call.planned<gemm_shape>();
    const std::byte* row = bytes_in(call, 0);
    if (copies_byte_rows(packing_of(product), 1, int8_encoding{})) {
      copy_values(row, product.k, int8_encoding{}, call.scratch);
      row = call.scratch;
    }
    run_row_from(call, row, 0);
  }
  /// One row of whole steps (k a multiple of 4) with a weight zero point of 0. The set-up in run() would take a third
  /// of the time of a small layer.
  static void run_row(const kernel_call& call) {
    const auto [product, layer] = planned(call);
    // Constructed in place: g++ copies the packing by one load, which stalls on the four stores before it and delays
    // the products of the previous layer.
    const int8_row_product row{int8_packing::of(1, product.k, product.n), bytes_in(call, call.in.size() - 1),
                               layer.factors().a_flip()};
    interval panels{0, row.packing.panels()};
    if (call.parts == 1) int8_row_in_tiles<native>(row, bytes_in(call, 0), bytes_out(call), panels, layer.narrowed());
    if (panels.begin < panels.end) run_row_from(call, bytes_in(call, 0), panels.begin);
  }

 private:
  static layer_plan<gemm_shape, int8_layer> planned(const kernel_call& call) {
    return call.planned<layer_plan<gemm_shape, int8_layer>>();
  }
  static constexpr int8_packing packing_of(const gemm_shape& product) {
    return int8_packing::of(product.m, product.k, product.n);
  }
  static constexpr bool has_unrolled_kernel(const shape_t& w) {
    return has_lines && w.elements() <= max_unrolled_byte_products && w[0] <= 4 * int8_packing::panel_width;
  }
  /// This part's panels, from `panel` on. Separate from run_row(), which otherwise would build a product in memory.
  [[gnu::noinline]] static void run_row_from(const kernel_call& call, const std::byte* row, std::int64_t panel) {
    const auto [product, layer] = planned(call);
    const int8_packing packing = packing_of(product);
    const interval mine = share_of_panels(packing, 1, {part_of(call)}).columns;
    int8_gemm_panels<native>(product_of(call, packing, layer), row, bytes_out(call),
                             {std::max(mine.begin, panel), mine.end});
  }
};

template <class Isa> struct binding<ops::full_connection, family::int16, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!is_int16_layer(node)) return {};
    return {.run = &run, .parts = parts_of_macs(node.out[0].elements() * node.in[1].desc.shape[1]), .name = "dot i16"};
  }

 private:
  static void run(const kernel_call& call) {
    const shape_t& w = call.in[1].shape();
    const std::int64_t k = w[1], n = w[0];
    const rectangle mine = share(call.out[0].elements() / n, n, part_of(call));
    const activation fused = unpack<ops::full_connection::attrs>(call.attrs).fused;
    auto* const y = call.out[0].data.template get<std::int16_t>() + mine.rows.begin * n;
    finish_rows({call.in[0].data.template get<std::int16_t>() + mine.rows.begin * k, k}, mine.rows.size(),
                {call.in[1].data.template get<std::int8_t>(), k}, mine.columns,
                int16_finish_of(call, fused, ops::full_connection::without_bias,
                                [&](std::int64_t o) {
                                  return ops::full_connection::sum_scale<std::int16_t>(call.in[0], call.in[1], o);
                                }),
                [&](std::int64_t row, std::int64_t o, std::int16_t value) { y[row * n + o] = value; });
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
