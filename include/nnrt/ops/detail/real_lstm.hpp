// real_lstm: steps of sequence_lstm on floats.
// Flow: used by the operator's reference.
#pragma once

#include <nnrt/ops/detail/recurrent.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Operands and results of one node. Positions of operands are sequence_lstm's: w 1, u 5, p 9, b 12, projection 16 and
/// 17, h 18, c 19, n 20. Gates are numbered i, f, g, o.
template <class Attrs, class T> class real_lstm {
 public:
  constexpr real_lstm(const Attrs& a, arguments in, results out)
      : a_(a),
        in_(in),
        x_(in[0].as<const T>()),
        y_(out[0].as<T>()),
        h_(out[1].as<T>()),
        c_(out[2].as<T>()),
        gates_(out[3].as<T>()),
        order_(rows_of(in[0].shape(), a.time_major, a.backwards)),
        is_coupled_(!is_there(in, 1)),
        is_normalised_(is_there(in, 21)),
        is_projected_(is_there(in, 16)) {}

  constexpr void run() {
    clear_without_steps(order_, gates_);
    const lstm_states<T, T> states{operand(18), operand(19), h_, c_, y_};
    run_steps(order_, 0, order_.batch, states, [&](std::int64_t row, std::int64_t b) {
      compute_gates(row, b);
      set_states(b);
    });
  }

 private:
  using numbers = row_of_numbers<T>;
  constexpr std::int64_t cells() const { return c_.extent(1); }
  constexpr std::int64_t outputs() const { return h_.extent(1); }
  constexpr tensor_view<const T> operand(std::size_t i) const { return in_[i].template as<const T>(); }
  constexpr double number(std::size_t i, std::int64_t n) const { return double{operand(i)[n]}; }
  constexpr tensor_view<const T> hidden() const { return {h_.data, h_.shape, h_.strides, h_.is_dense}; }

  /// Computes the gates of sequence b for a row of x, and the cell state.
  constexpr void compute_gates(std::int64_t row, std::int64_t b) {
    const numbers x(x_, row, x_.extent(2), a_.rounds_rows, a_.symmetric),
        h(hidden(), b, outputs(), a_.rounds_rows, a_.symmetric);
    for (std::int64_t gate = is_coupled_ ? 1 : 0; gate < 3; ++gate) compute_gate(gate, x, h, b);
    for (std::int64_t n = 0; n < cells(); ++n) {
      if (is_coupled_) gates_(0, b, n) = static_cast<T>(1.0 - double{gates_(1, b, n)});
      const double kept = math::product(double{gates_(1, b, n)}, double{c_(b, n)});
      const double added = math::product(double{gates_(0, b, n)}, double{gates_(2, b, n)});
      c_(b, n) = math::convert<T>(clipped(kept + added, a_.cell_clip));
    }
    compute_gate(3, x, h, b);
  }
  constexpr void compute_gate(std::int64_t gate, const numbers& x, const numbers& h, std::int64_t b) {
    const auto at = static_cast<std::size_t>(gate);
    const std::size_t peephole = gate == 3 ? 11 : 9 + at;
    const bool has_peephole = gate != 2 && is_there(in_, peephole);
    for (std::int64_t n = 0; n < cells(); ++n) {
      double sum = x.times(operand(1 + at), n) + h.times(operand(5 + at), n);
      if (has_peephole) sum += math::product(number(peephole, n), double{c_(b, n)});
      if (!is_normalised_) sum += number(12 + at, n);
      gates_(gate, b, n) = math::convert<T>(sum);
    }
    if (is_normalised_) normalise(gate, b);
    for (std::int64_t n = 0; n < cells(); ++n) {
      const double sum = double{gates_(gate, b, n)};
      gates_(gate, b, n) = math::convert<T>(gate == 2 ? activate(sum, a_.activation) : logistic(sum));
    }
  }
  /// Normalises a gate's sums: minus their mean, divided by the root of their variance, times n, plus the bias.
  constexpr void normalise(std::int64_t gate, std::int64_t b) {
    const auto at = static_cast<std::size_t>(gate);
    const auto count = static_cast<double>(cells());
    if (cells() == 0) return;
    double total = 0, squares = 0;
    for (std::int64_t n = 0; n < cells(); ++n) total += double{gates_(gate, b, n)};
    const double mean = total / count;
    for (std::int64_t n = 0; n < cells(); ++n) {
      const double d = double{gates_(gate, b, n)} - mean;
      squares += math::product(d, d);
    }
    const double root = math::sqrt(squares / count + 1e-8);
    for (std::int64_t n = 0; n < cells(); ++n) {
      const double scaled = math::product((double{gates_(gate, b, n)} - mean) / root, number(20 + at, n));
      gates_(gate, b, n) = math::convert<T>(scaled + number(12 + at, n));
    }
  }

  constexpr void set_states(std::int64_t b) {
    for (std::int64_t n = 0; n < cells(); ++n) {
      const double o = double{gates_(3, b, n)};
      gates_(3, b, n) = math::convert<T>(math::product(o, activate(double{c_(b, n)}, a_.activation)));
    }
    const tensor_view<const T> all{gates_.data, gates_.shape, gates_.strides, gates_.is_dense};
    const numbers m(all, 3 * order_.batch + b, cells(), a_.rounds_rows && is_projected_, a_.symmetric);
    for (std::int64_t k = 0; k < outputs(); ++k) h_(b, k) = is_projected_ ? projected(m, k) : gates_(3, b, k);
  }
  constexpr T projected(const numbers& m, std::int64_t k) const {
    const double sum = m.times(operand(16), k) + (is_there(in_, 17) ? number(17, k) : 0);
    return math::convert<T>(clipped(sum, a_.projection_clip));
  }
  static constexpr double clipped(double x, float clip) {
    const double most = double{clip};
    return most == 0 ? x : x > most ? most : x < -most ? -most : x;
  }

  const Attrs& a_;
  arguments in_;
  tensor_view<const T> x_;
  tensor_view<T> y_, h_, c_, gates_;
  row_order order_;
  bool is_coupled_, is_normalised_, is_projected_;
};

}}}  // namespace nnrt::NNRT_ISA::ops::detail
