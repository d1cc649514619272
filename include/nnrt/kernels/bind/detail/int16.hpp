// int16: shared parts of the bindings of layers with 16-bit activations.
// Flow: the int16 bindings of conv2d and full_connection use it.
#pragma once

#include <nnrt/kernels/bind/detail/convolution.hpp>
#include <nnrt/kernels/common/matrix_rows.hpp>
#include <nnrt/kernels/int16/products.hpp>
#include <nnrt/ops/detail/convolution.hpp>

#include <cstring>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Number of rows that are multiplied with a filter at once.
inline constexpr std::int64_t rows_at_once = 4;

/// True if a layer has i16 activations, i8 weights, and zero points of 0: accumulators are sums of the stored values.
constexpr bool is_int16_layer(const kernel_request& node) {
  const tensor_desc &x = node.in[0].desc, &w = node.in[1].desc;
  return has_work(node) && w.elements() > 0 && x.type == i16 && w.type == i8 && x.quantised.zero_point == 0 &&
         w.quantised.zero_point == 0;
}

/// Computes outputs of `count` rows for `filters`, the rows of `weights`, which are contiguous: their stride is the
/// number k of values of a row. finish_of(o) returns the output stage of output o; result(row, o, value) stores an
/// output.
template <class FinishOf, class Result>
void finish_rows(matrix_rows<const std::int16_t> rows, std::int64_t count, matrix_rows<const std::int8_t> weights,
                 interval filters, const FinishOf& finish_of, const Result& result) {
  const std::int64_t k = weights.stride;
  for (std::int64_t o = filters.begin; o < filters.end; ++o) {
    const auto finish = finish_of(o);
    std::int64_t sums[rows_at_once];
    const std::int8_t* const w = weights.row(o);
    std::int64_t row = 0;
    for (; row + rows_at_once <= count; row += rows_at_once) {
      int16_products<rows_at_once>(rows.row(row), rows.stride, w, k, sums);
      for (int r = 0; r < rows_at_once; ++r) result(row + r, o, finish(sums[r]));
    }
    for (; row < count; ++row) {
      int16_products<1>(rows.row(row), rows.stride, w, k, sums);
      result(row, o, finish(sums[0]));
    }
  }
}

/// The output stage of output o of a layer, including the bias, as in the reference.
template <class ScaleOf>
auto int16_finish_of(const kernel_call& call, activation fused, ops::detail::biasless_sums without_bias,
                     ScaleOf scale_of) {
  return [&call, fused, without_bias, scale_of](std::int64_t o) {
    namespace layers = ops::detail;
    const layers::epilogue<std::int16_t, rounding::double_rounding> last(
        call.out[0], fused, scale_of(o), layers::has_wide_sums<std::int16_t>(call.in, without_bias));
    return [last, bias = layers::bias_of<std::int16_t>(call.in, o)](std::int64_t sum) { return last(sum + bias); };
  };
}

/// Convolutions of any group and dilation, by im2col of 32 windows at a time.
template <class Op, class Isa> struct int16_convolution_binding {
  static constexpr std::int64_t max_windows = 32;

  static constexpr kernel_choice select(const kernel_request& node) {
    if (!is_int16_layer(node)) return {};
    const std::int64_t k = node.in[1].desc.shape.elements(1);
    return {.run = &run,
            .scratch_bytes = max_windows * k * size_of(i16),
            .parts = parts_of_macs(Op::macs(unpack<typename Op::attrs>(node.attrs), node.in, node.out)),
            .name = "dot i16"};
  }

 private:
  static void run(const kernel_call& call) {
    const auto attrs = unpack<typename Op::attrs>(call.attrs);
    const shape_t &y = call.out[0].shape(), &w = call.in[1].shape();
    const std::int64_t k = w.elements(1), filters = w[0] / attrs.group;
    const auto* const weights = call.in[1].data.template get<std::int8_t>();
    auto* const out = call.out[0].data.template get<std::int16_t>();
    auto* const windows = reinterpret_cast<std::int16_t*>(call.scratch);
    const auto finish_of = int16_finish_of(call, attrs.fused, ops::detail::sums_of_convolutions, [&](std::int64_t o) {
      return ops::detail::sum_scale<std::int16_t>(call.in[0], call.in[1], o);
    });
    const interval pixels = share(y.elements(0, 3), part_of(call));
    for (std::int64_t first = pixels.begin; first < pixels.end; first += max_windows) {
      const std::int64_t count = pixels.end - first < max_windows ? pixels.end - first : max_windows;
      for (std::int64_t group = 0; group < attrs.group; ++group) {
        for (std::int64_t i = 0; i < count; ++i) gather(call, attrs, first + i, group, windows + i * k);
        finish_rows(
            {windows, k}, count, {weights, k}, {group * filters, (group + 1) * filters}, finish_of,
            [&](std::int64_t row, std::int64_t o, std::int16_t value) { out[(first + row) * w[0] + o] = value; });
      }
    }
  }

  /// Copies the window of an output pixel in the channels of one group; zeros in the padding.
  static void gather(const kernel_call& call, const typename Op::attrs& attrs, std::int64_t pixel, std::int64_t group,
                     std::int16_t* to) {
    const shape_t &x = call.in[0].shape(), &y = call.out[0].shape(), &w = call.in[1].shape();
    const ops::detail::window_pair at = Op::windows(attrs, x, w);
    const std::int64_t channels = w[3], left = pixel % y[2] * at.w.stride - at.w.pad_before(),
                       top = pixel / y[2] % y[1] * at.h.stride - at.h.pad_before(), image = pixel / y[2] / y[1];
    const auto bytes = static_cast<std::size_t>(channels) * sizeof(std::int16_t);
    const auto* const from = call.in[0].data.template get<std::int16_t>() + group * channels;
    for (std::int64_t i = 0; i < w[1]; ++i)
      for (std::int64_t j = 0; j < w[2]; ++j, to += channels) {
        const std::int64_t h = top + i * at.h.dilation, v = left + j * at.w.dilation;
        if (h < 0 || h >= x[1] || v < 0 || v >= x[2]) std::memset(to, 0, bytes);
        else std::memcpy(to, from + ((image * x[1] + h) * x[2] + v) * x[3], bytes);
      }
  }
};

}}}  // namespace nnrt::NNRT_ISA::kernels
