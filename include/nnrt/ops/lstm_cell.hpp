// lstm_cell: one step of long short-term memory on quantised values, with the bits of TensorFlow Lite's oldest kernel.
// Flow: readers of .tflite files make it; it has no public function, users have lstm.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/requantise.hpp>
#include <nnrt/ops/detail/quantised.hpp>
#include <nnrt/ops/detail/recurrent.hpp>

#include <limits>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// One step of long short-term memory with one matrix for input and hidden state, concatenated.
///
///   x: [B, I + C] u8, inputs and hidden states of B sequences      w: [4C, I + C] u8      b: [4C] i32
///   c: [B, C] i16, the cell states      h: [B, C] u8, the next hidden states      cy: [B, C] i16, the next cell states
///   sums: [B, 4C] i16, w (x - 128) + b in steps of 2^-12: rows i, g, f, o
///
/// With s for the sigmoid function: cy = s(f) * c + s(i) * tanh(g), h = s(o) * tanh(cy).
///
/// 16-bit fixed point: c has 4 integer bits, arguments of functions 3, their results none. Products are rounded to 15
/// bits, ties toward plus infinity; sums saturate. accumulator_scale is the real value of 1 in the sums of products,
/// which is the scale of b in files. For any declared scale of h, its quantised values are 128 times the hidden values,
/// plus 128.
///
/// Broken rules: see `rule`; values: ranks, extents, zero points, scales. Source: LstmCell of TensorFlow Lite's LSTM
/// (kernel BASIC) for uint8, to the last bit.
struct lstm_cell {
  static constexpr op_code code{1030};
  static constexpr std::string_view name = "lstm_cell";
  static constexpr operand_spec inputs[] = {
      {"x", types_of(u8)}, {"w", types_of(u8)}, {"b", types_of(i32)}, {"c", types_of(i16)}};
  static constexpr operand_spec outputs[] = {{"h", types_of(u8)}, {"cy", types_of(i16)}, {"sums", types_of(i16)}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::unchanged};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (float, accumulator_scale));
    constexpr attrs() : accumulator_scale(0x1p-14F) {}
  };

  enum class rule {
    input_weights_and_state_rank_must_be_2,
    bias_rank_must_be_1,
    extents_must_be_those_of_the_other_operands,
    weights_must_have_4_rows_for_each_cell,
    quantised_operands_must_have_one_scale,
    zero_point_of_the_input_must_be_128,
    scale_of_the_cell_state_must_be_2_to_the_minus_11,
    accumulator_scale_must_be_positive_and_finite,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc> wanted) {
    enum { batch, columns, rows, cells, names };
    constexpr int named[4][2] = {{batch, columns}, {rows, columns}, {rows, 0}, {batch, cells}};
    detail::named_extents<names> extents;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const rule fit = i == 2 ? Rule::bias_rank_must_be_1 : Rule::input_weights_and_state_rank_must_be_2;
      if (auto v = require(fit, in[i].desc.rank(), i == 2 ? 1 : 2); !v) return v;
      for (int axis = 0; axis < in[i].desc.rank(); ++axis)
        if (auto v =
                extents.take(Rule::extents_must_be_those_of_the_other_operands, named[i][axis], in[i].desc.shape[axis]);
            !v)
          return v;
    }
    std::int64_t* const of = extents.of;
    if (of[rows] < 0 && of[cells] >= 0) of[rows] = extent_product(4, of[cells]);
    if (of[cells] >= 0)
      if (auto v = require(Rule::weights_must_have_4_rows_for_each_cell, of[rows], extent_product(4, of[cells])); !v)
        return v;
    if (auto v = check_scales<Rule>(a, in); !v) return v;
    const quantisation &of_c = in[3].desc.quantised, in_steps = quant{.scale = 0x1p-12F, .zero_point = 0},
                       hidden = quant{.scale = 0x1p-7F, .zero_point = 128};
    return ok(tensor_desc{u8, format::nd, {of[batch], of[cells]}, wanted_or(wanted, 0, hidden)},
              tensor_desc{i16, format::nd, {of[batch], of[cells]}, of_c},
              tensor_desc{i16, format::nd, {of[batch], of[rows]}, wanted_or(wanted, 2, in_steps)});
  }

  /// Products of weights with inputs and hidden states.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    const std::int64_t hidden = out[0].elements(), columns = in[0].desc.shape[1];
    return hidden < 0 || columns < 0 ? 0 : nnrt::detail::saturated_product(extent_product(4, hidden), columns);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    namespace fixed16 = detail::fixed16;
    const auto c = in[3].as<const std::int16_t>();
    const auto h = out[0].as<T>();
    const auto cy = out[1].as<std::int16_t>(), sums = out[2].as<std::int16_t>();
    const std::int64_t cells = c.extent(1);
    compute_sums<T>(a, in, sums);
    for (std::int64_t b = 0; b < c.extent(0); ++b)
      for (std::int64_t n = 0; n < cells; ++n) {
        const auto sum = [&](std::int64_t gate) { return std::int32_t{sums(b, gate * cells + n)}; };
        const std::int32_t added = fixed16::product(fixed16::sigmoid(sum(0)), fixed16::tanh(sum(1), 3));
        const std::int32_t kept = fixed16::product(fixed16::sigmoid(sum(2)), std::int32_t{c(b, n)});
        const std::int32_t cell = fixed16::saturated(fixed16::shifted_right(added, 4) + kept);
        cy(b, n) = static_cast<std::int16_t>(cell);
        const std::int32_t with_3_integer_bits = fixed16::saturated(cell * 2);
        const std::int32_t hidden = fixed16::product(fixed16::sigmoid(sum(3)), fixed16::tanh(with_3_integer_bits, 3));
        h(b, n) = static_cast<T>(128 + nnrt::detail::clamped(fixed16::shifted_right(hidden, 8), -128, 127));
      }
  }

 private:
  static constexpr quantisation wanted_or(array_ref<const tensor_desc> wanted, std::size_t i,
                                          const quantisation& otherwise) {
    const bool is_wanted = i < wanted.size() && wanted[i].quantised.mode == quantisation::kind::per_tensor;
    return is_wanted ? wanted[i].quantised : otherwise;
  }
  template <class Rule> static constexpr verdict check_scales(const attrs& a, array_ref<const operand> in) {
    for (const std::size_t i : {0U, 1U, 3U})
      if (auto v = detail::require_one_scale(Rule::quantised_operands_must_have_one_scale, in[i].desc); !v) return v;
    if (auto v = require(Rule::zero_point_of_the_input_must_be_128, in[0].desc.quantised.zero_point, 128); !v) return v;
    constexpr rule cell = Rule::scale_of_the_cell_state_must_be_2_to_the_minus_11;
    if (auto v = require_real(cell, in[3].desc.quantised.scale, 0x1p-11F); !v) return v;
    return require_real_between(Rule::accumulator_scale_must_be_positive_and_finite, a.accumulator_scale,
                                std::numeric_limits<float>::min(), std::numeric_limits<float>::max());
  }
  template <class T>
  static constexpr void compute_sums(const attrs& a, arguments in, const tensor_view<std::int16_t>& sums) {
    const auto x = in[0].as<const T>(), w = in[1].as<const T>();
    const auto bias = in[2].as<const std::int32_t>();
    const std::int64_t columns = x.extent(1), zero = in[1].desc->quantised.zero_point;
    const fixed_point factor = fixed_point_of(4096 * double{a.accumulator_scale});
    for (std::int64_t b = 0; b < sums.extent(0); ++b)
      for (std::int64_t row = 0; row < sums.extent(1); ++row) {
        std::int64_t sum = bias[row];
        for (std::int64_t i = 0; i < columns; ++i) sum += (std::int64_t{x(b, i)} - 128) * (w(row, i) - zero);
        const std::int32_t scaled = rounding::double_rounding::scale(nnrt::detail::saturated_i32(sum), factor);
        sums(b, row) = static_cast<std::int16_t>(detail::fixed16::saturated(scaled));
      }
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
