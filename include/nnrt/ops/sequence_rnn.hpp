// sequence_rnn: a plain recurrent layer over a sequence, h' = act(w x + u h + bias).
// Flow: readers of .tflite files make it; it has no public function.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/ops/detail/recurrent.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops {

/// One direction of a plain recurrent layer.
///
///   x: [B, T, I], T steps of B sequences; with time_major [T, B, I]      w: [H, I]      u: [H, H]      bias: [H]
///   h: [B, H], the initial state      y: x's first two axes and H, the states of all steps      hy: the final state
///
///   h' = act(w x + u h + bias)
///
/// backwards: from the last step to the first. Sums of f32 are computed in f32 (in f64 by the reference); states are
/// stored as f32. With rounds_rows each row of x and h is rounded as by dynamic_range, with `symmetric` as there.
///
/// Broken rules: see `rule`; values: ranks and extents. Source: TFLite's UNIDIRECTIONAL_SEQUENCE_RNN.
struct sequence_rnn {
  static constexpr op_code code{1008};
  static constexpr std::string_view name = "sequence_rnn";
  static constexpr operand_spec inputs[] = {
      {"x", types_of(f32)}, {"w", types_of(f32)}, {"u", types_of(f32)}, {"bias", types_of(f32)}, {"h", types_of(f32)}};
  static constexpr operand_spec outputs[] = {{"y", types_of(f32)}, {"hy", types_of(f32)}};
  static constexpr operator_traits traits{.in_files = file_order::unchanged};
  static constexpr std::string_view unless =
      "there are several steps: then of each from the state before it; or rows are "
      "rounded: then of what that makes of rows that are as far off";
  static constexpr error_bound errors[] = {{types_of(f32), 3, error_unit::terms, 0.4, false, {}, unless}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, time_major), (bool, backwards), (recurrent_activation, activation),
                    (bool, rounds_rows), (bool, symmetric));
    constexpr attrs()
        : time_major(false),
          backwards(false),
          activation(recurrent_activation::tanh),
          rounds_rows(false),
          symmetric(true) {}
  };

  enum class rule {
    input_rank_must_be_3,
    weights_and_state_rank_must_be_2,
    bias_rank_must_be_1,
    extents_must_be_those_of_the_other_operands,
    activation_must_be_one_of_the_operator,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    constexpr auto last = static_cast<std::int64_t>(recurrent_activation::tanh);
    const auto number = static_cast<std::int64_t>(a.activation);
    if (auto v = require_between(Rule::activation_must_be_one_of_the_operator, number, 0, last); !v) return v;
    enum { batch, steps, features, states, names };
    const int named[5][3] = {{a.time_major ? steps : batch, a.time_major ? batch : steps, features},
                             {states, features, 0},
                             {states, states, 0},
                             {states, 0, 0},
                             {batch, states, 0}};
    detail::named_extents<names> extents;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const rule fit = i == 0   ? Rule::input_rank_must_be_3
                       : i == 3 ? Rule::bias_rank_must_be_1
                                : Rule::weights_and_state_rank_must_be_2;
      if (auto v = require(fit, in[i].desc.rank(), i == 0 ? 3 : i == 3 ? 1 : 2); !v) return v;
      for (int axis = 0; axis < in[i].desc.rank(); ++axis)
        if (auto v =
                extents.take(Rule::extents_must_be_those_of_the_other_operands, named[i][axis], in[i].desc.shape[axis]);
            !v)
          return v;
    }
    const std::int64_t* const of = extents.of;
    return ok(tensor_desc{f32, format::nd, {of[named[0][0]], of[named[0][1]], of[states]}},
              tensor_desc{f32, format::nd, {of[batch], of[states]}});
  }

  /// Products of weights with inputs and states.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    const std::int64_t elements = out[0].elements(), features = in[0].desc.shape[2], states = out[0].shape[2];
    return elements < 0 || features < 0 ? 0 : nnrt::detail::saturated_product(elements, features + states);
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>(), w = in[1].as<const T>(), u = in[2].as<const T>(), bias = in[3].as<const T>(),
               begin = in[4].as<const T>();
    const auto y = out[0].as<T>(), hy = out[1].as<T>();
    const tensor_view<const T> h{hy.data, hy.shape, hy.strides, hy.is_dense};
    const detail::row_order order = detail::rows_of(in[0].shape(), a.time_major, a.backwards);
    const std::int64_t states = hy.extent(1);
    for (std::int64_t i = 0; i < hy.elements(); ++i) hy[i] = begin[i];
    for (std::int64_t b = 0; b < order.batch; ++b)
      for (std::int64_t step = 0; step < order.steps; ++step) {
        const std::int64_t row = order(step, b);
        const detail::row_of_numbers<T> seen(x, row, x.extent(2), a.rounds_rows, a.symmetric),
            before(h, b, states, a.rounds_rows, a.symmetric);
        for (std::int64_t n = 0; n < states; ++n) {
          const double sum = double{bias[n]} + seen.times(w, n) + before.times(u, n);
          y[row * states + n] = math::convert<T>(detail::activate(sum, a.activation));
        }
        for (std::int64_t n = 0; n < states; ++n) hy(b, n) = y[row * states + n];
      }
  }
};

}}}  // namespace nnrt::NNRT_ISA::ops
