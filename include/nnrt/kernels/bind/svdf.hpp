// svdf: kernels of the operator for floats and for quantised values.
// Flow: kernels/select.hpp includes this; the planner calls select(), plans call the functions that it returns.
#pragma once

#include <nnrt/core/kernel.hpp>
#include <nnrt/kernels/common/call.hpp>
#include <nnrt/kernels/f32/gemm/dot_rows.hpp>
#include <nnrt/kernels/int16/centred_products.hpp>
#include <nnrt/ops/svdf.hpp>

#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// f32; parts are shares of the rows of x.
template <class Isa> struct binding<ops::svdf, family::f32, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run, .parts = parts_of(node.out[0].shape[0]), .name = "svdf rows"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::svdf::attrs>(call.attrs);
    const shape_t& times_shape = call.in[2].shape();
    const std::int64_t width = call.in[0].shape()[1], filters = times_shape[0], memory = times_shape[1],
                       units = call.out[0].shape()[1];
    const float *const features = floats_in(call, 1), *const times = floats_in(call, 2);
    const float* const bias = call.in.size() > 3 && call.in[3] ? floats_in(call, 3) : nullptr;
    const interval mine = share(call.in[0].shape()[0], part_of(call));
    for (std::int64_t b = mine.begin; b < mine.end; ++b) {
      const float *const x = floats_in(call, 0) + b * width, *const state = floats_in(call, 4) + b * filters * memory;
      float *const next = floats_out(call, 1) + b * filters * memory, *const y = floats_out(call) + b * units;
      const auto put = [&](std::int64_t f, float newest) {
        std::memcpy(next + f * memory, state + f * memory + 1, static_cast<std::size_t>(memory - 1) * sizeof(float));
        next[(f + 1) * memory - 1] = newest;
      };
      float sums[4];
      std::int64_t f = 0;
      for (; f + 4 <= filters; f += 4) {
        detail::row_products<4>(x, features + f * width, width, sums);
        for (std::int64_t r = 0; r < 4; ++r) put(f + r, sums[r]);
      }
      for (; f < filters; ++f) detail::row_products<1>(x, features + f * width, width, sums), put(f, sums[0]);
      for (std::int64_t u = 0; u < units; ++u) {
        detail::row_products<1>(next + u * attrs.rank * memory, times + u * attrs.rank * memory, attrs.rank * memory,
                                sums);
        y[u] = activate(bias != nullptr ? sums[0] + bias[u] : sums[0], attrs.fused);
      }
    }
  }
};

/// Quantised values, with the bits of the reference.
template <class Isa> struct binding<ops::svdf, family::int8, Isa> {
  static constexpr kernel_choice select(const kernel_request& node) {
    if (!has_work(node)) return {};
    return {.run = &run,
            .scratch_bytes = node.in[0].desc.shape[1] * static_cast<std::int64_t>(sizeof(std::int16_t)),
            .name = "svdf rows"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto attrs = unpack<ops::svdf::attrs>(call.attrs);
    const centred_products products{reinterpret_cast<std::int16_t*>(call.scratch), call.in[0].shape()[1]};
    ops::svdf::filter_quantised(attrs, call.in, call.out, products);
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
