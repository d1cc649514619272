// gru: gated recurrent units over a sequence, in one or both directions.
// Flow: front ends call infer(); kernels/select.hpp binds it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/ops/detail/recurrent.hpp>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// One layer of gated recurrent units.
///
///   x: [S, B, I], S steps of B sequences      w_ih: [D, 3H, I]      w_hh: [D, 3H, H]      bias: [D, 6H]
///   hx: [D, B, H], the initial state      D: 1, or 2 when bidirectional
///   y: [S, B, D * H], the states of all steps      hy: [D, B, H], the final states
///
/// Weights have rows for r, z and n, in this order, as in PyTorch; bias has the three of the input, then those of the
/// state. With s for the sigmoid function, and W, U, b and d for one gate's rows of w_ih, w_hh and the two biases:
///
///   r = s(Wr x + br + Ur h + dr)      z = s(Wz x + bz + Uz h + dz)
///   n = tanh(Wn x + bn + Un (r * h) + dn); with linear_before_reset tanh(Wn x + bn + r * (Un h + dn))
///   h' = (1 - z) * n + z * h
///
/// The second direction runs from the last step to the first. Missing bias and hx are 0. Sums of f32 are computed in
/// f32 (in f64 by the reference), those of f16 and f64 in f64; states are rounded after each step, and the products r *
/// h of f32 before they are multiplied.
///
/// Broken rules: see `rule`; values: ranks, extents. Source: ONNX's GRU, whose rows are z, r, n; PyTorch's has
/// linear_before_reset.
struct gru {
  static constexpr op_code code{1010};
  static constexpr std::string_view name = "gru";
  static constexpr operand_spec inputs[] = {{"x", types::floating},
                                            {"w_ih", types::floating},
                                            {"w_hh", types::floating},
                                            {"bias", types::floating, presence::optional},
                                            {"hx", types::floating, presence::optional}};
  static constexpr operand_spec outputs[] = {{"y", types::floating}, {"hy", types::floating}};
  static constexpr unlike_default to_be_said[] = {{"linear_before_reset", "true"}};
  static constexpr operator_traits traits{.in_files = file_order::unchanged, .to_be_said = to_be_said};
  // For one step, from the stored states before it. An error of r is multiplied by the terms of n.
  static constexpr std::string_view gate_terms = "terms of a gate",
                                    unless =
                                        "the terms of n are above 1: then as many times that; or there are "
                                        "several steps: then of each from the states before it";
  static constexpr error_bound errors[] = {{types_of(f32), 3, error_unit::gate, 0.4, false, gate_terms, unless},
                                           {types_of(f16), 0.51, error_unit::gate, 0, false, {}, unless},
                                           {types_of(f64), 3, error_unit::gate, 0.4, false, gate_terms, unless}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (bool, bidirectional), (bool, linear_before_reset));
    constexpr attrs() : bidirectional(false), linear_before_reset(false) {}
  };
  enum class rule {
    operand_types_must_equal_input_type,
    input_and_weights_rank_must_be_3,
    bias_rank_must_be_2,
    state_rank_must_be_3,
    extents_must_be_those_of_the_other_operands,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i]) continue;
      const tensor_desc& x = in[i].desc;
      if (auto v = require(Rule::operand_types_must_equal_input_type, x.type, in[0].desc.type); !v) return v;
      const rule rank = i == 3   ? rule::bias_rank_must_be_2
                        : i == 4 ? rule::state_rank_must_be_3
                                 : rule::input_and_weights_rank_must_be_3;
      if (auto v = require(rank, x.rank(), i == 3 ? 2 : 3); !v) return v;
    }
    const auto extent = [&](std::size_t i, int axis) { return i < in.size() && in[i] ? in[i].desc.shape[axis] : -1; };
    const auto part = [&](std::int64_t all, std::int64_t parts) { return all < 0 ? -1 : all / parts; };
    const std::int64_t directions = a.bidirectional ? 2 : 1, steps = extent(0, 0);
    const std::int64_t batch = first_known({extent(0, 1), extent(4, 1)}),
                       input = first_known({extent(0, 2), extent(1, 2)});
    const std::int64_t hidden =
        first_known({extent(2, 2), extent(4, 2), part(extent(1, 1), 3), part(extent(2, 1), 3), part(extent(3, 1), 6)});
    const std::int64_t rows = hidden < 0 ? -1 : 3 * hidden;
    const shape_t expected[] = {{steps, batch, input},
                                {directions, rows, input},
                                {directions, rows, hidden},
                                {directions, rows < 0 ? -1 : 2 * rows},
                                {directions, batch, hidden}};
    for (std::size_t i = 0; i < in.size(); ++i)
      for (int axis = 0; in[i] && axis < in[i].desc.rank(); ++axis) {
        constexpr rule fit = Rule::extents_must_be_those_of_the_other_operands;
        if (auto v = require_same_extent(fit, in[i].desc.shape[axis], expected[i][axis]); !v) return v;
      }
    const dtype type = in[0].desc.type;
    return ok(tensor_desc{type, shape_t{steps, batch, hidden < 0 ? -1 : directions * hidden}},
              tensor_desc{type, shape_t{directions, batch, hidden}});
  }

  /// Products of weights with inputs and states.
  static constexpr std::int64_t macs(const attrs&, array_ref<const operand> in, array_ref<const tensor_desc> out) {
    const std::int64_t elements = out[0].elements(), input = in[0].desc.shape[2], hidden = in[2].desc.shape[2];
    // 0 while an extent is unknown
    return elements < 0 || input < 0 || hidden < 0 ? 0
                                                   : nnrt::detail::saturated_product(elements, 3 * (input + hidden));
  }

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    const auto x = in[0].as<const T>(), w_ih = in[1].as<const T>(), w_hh = in[2].as<const T>();
    const auto y = out[0].as<T>(), hy = out[1].as<T>();
    const std::int64_t steps = y.extent(0), directions = hy.extent(0), batch = hy.extent(1), hidden = hy.extent(2);
    const auto real = [](T element) { return math::convert<double>(element); };
    for (std::int64_t d = 0; d < directions; ++d)
      for (std::int64_t b = 0; b < batch; ++b) {
        for (std::int64_t n = 0; n < hidden; ++n)
          hy(d, b, n) = detail::is_there(in, 4) ? in[4].as<const T>()(d, b, n) : T{};
        for (std::int64_t step = 0; step < steps; ++step) {
          const std::int64_t t = d == 0 ? step : steps - 1 - step;
          const auto bias = [&](std::int64_t row) {
            return detail::is_there(in, 3) ? real(in[3].as<const T>()(d, row)) : 0.0;
          };
          const auto of_input = [&](std::int64_t row) {
            double sum = bias(row);
            for (std::int64_t k = 0; k < x.extent(2); ++k)
              sum += math::product(real(w_ih(d, row, k)), real(x(t, b, k)));
            return sum;
          };
          const auto of_state = [&](std::int64_t row, const auto& factor) {
            double sum = bias(3 * hidden + row);
            for (std::int64_t k = 0; k < hidden; ++k)
              sum += math::product(real(w_hh(d, row, k)), math::product(factor(k), real(hy(d, b, k))));
            return sum;
          };
          const auto one = [](std::int64_t) { return 1.0; };
          const auto gate = [&](std::int64_t row) { return detail::logistic(of_input(row) + of_state(row, one)); };
          for (std::int64_t n = 0; n < hidden; ++n) {
            const std::int64_t row = 2 * hidden + n;
            const double z = gate(hidden + n);
            const double added =
                a.linear_before_reset ? math::product(gate(n), of_state(row, one)) : of_state(row, gate);
            const double made = math::tanh(of_input(row) + added);
            y(t, b, d * hidden + n) =
                math::convert<T>(math::product(1.0 - z, made) + math::product(z, real(hy(d, b, n))));
          }
          for (std::int64_t n = 0; n < hidden; ++n) hy(d, b, n) = y(t, b, d * hidden + n);
        }
      }
  }

 private:
  /// The first known extent; -1: none.
  static constexpr std::int64_t first_known(std::initializer_list<std::int64_t> extents) {
    for (const std::int64_t extent : extents)
      if (extent >= 0) return extent;
    return -1;
  }
};

}  // namespace ops

/// auto [y, hy] = gru(x, w_ih, w_hh, bias, hx), or without the last one or two; with bidirectional,
/// linear_before_reset.
template <tensor_desc X, tensor_desc Ih, tensor_desc Hh, class... Rest>
  requires((dsl::tensor_handle<Rest> || dsl::keyword_argument<Rest>) && ...)
constexpr auto gru(tensor<X> x, tensor<Ih> w_ih, tensor<Hh> w_hh, Rest... rest) {
  return dsl::apply<ops::gru>(x, w_ih, w_hh, rest...);
}

}}  // namespace nnrt::NNRT_ISA
