#include <nnrt/kernels/bind/detection_post_process.hpp>
#include <nnrt/kernels/bind/dft.hpp>
#include <nnrt/kernels/bind/gru.hpp>
#include <nnrt/kernels/bind/lstm.hpp>
#include <nnrt/kernels/bind/non_max_suppression.hpp>
#include <nnrt/kernels/bind/resize_bilinear.hpp>
#include <nnrt/kernels/bind/sequence_lstm.hpp>
#include <nnrt/kernels/bind/sequence_rnn.hpp>
#include <nnrt/kernels/bind/svdf.hpp>
#include <nnrt/ops/dynamic_range.hpp>
#include <nnrt/ops/fold_affine.hpp>
#include <nnrt/ops/scatter_nd.hpp>
#include <support/measured.hpp>

using namespace nnrt_test;

// Operators that compute in several steps, against their formulas in long double.

namespace {

using real = long double;

constexpr real no_bound = std::numeric_limits<real>::infinity();

real_operand random_operand_of(dtype type, const shape_t& shape, std::uint32_t seed, double range) {
  real_operand x{shape, {}};
  for (const float number : random_floats(shape.elements(), seed, 1.0F))
    x.numbers.push_back(as_quantised(type, number * range));
  return x;
}

// --- lstm ------------------------------------------------------------------

struct recurrent_case {
  std::int64_t input, hidden;
  double weights, states, cells;
  float zoneout;
};

constexpr std::int64_t sequences = 2;

/// x, w_ih, w_hh, bias, hx and cx of one step.
std::vector<real_operand> recurrent_operands(dtype type, const recurrent_case& c, std::int64_t steps = 1) {
  const std::int64_t gates = 4 * c.hidden;
  return {random_operand_of(type, {steps, sequences, c.input}, 1, 2),
          random_operand_of(type, {1, gates, c.input}, 2, c.weights),
          random_operand_of(type, {1, gates, c.hidden}, 3, c.weights),
          random_operand_of(type, {1, 2 * gates}, 4, c.weights),
          random_operand_of(type, {1, sequences, c.hidden}, 5, c.states),
          random_operand_of(type, {1, sequences, c.hidden}, 6, c.cells)};
}
ops::lstm::attrs attributes_of(const recurrent_case& c) {
  ops::lstm::attrs attrs;
  attrs.zoneout_cell = attrs.zoneout_hidden = c.zoneout;
  return attrs;
}
/// Gates whose terms are lost when they are added to the first, which the last takes off again.
std::vector<real_operand> lost_beside_the_first(dtype type, const recurrent_case& c) {
  std::vector<real_operand> in = recurrent_operands(type, c);
  for (std::size_t i = 0; i < in[0].numbers.size(); ++i)
    in[0].numbers[i] = i % static_cast<std::size_t>(c.input) == 0 ? 1 : std::ldexp(1.0, -digits_of(type));
  for (std::size_t i = 1; i <= in[0].numbers.size(); ++i)
    if (i % static_cast<std::size_t>(c.input) == 0) in[0].numbers[i - 1] = -1;
  in[1].numbers.assign(in[1].numbers.size(), 1.0);
  return in;
}
real logistic(real x) { return 1 / (1 + std::exp(-x)); }

/// y, hy and cy after one step.
std::vector<exact_results> exact_step(const std::vector<real_operand>& in, const recurrent_case& c) {
  exact_results hidden, cell;
  hidden.numbers = cell.numbers = static_cast<double>(c.input + c.hidden + 2);
  const auto at = [&](std::size_t operand, std::int64_t i) {
    return real{in[operand].numbers[static_cast<std::size_t>(i)]};
  };
  for (std::int64_t b = 0; b < sequences; ++b)
    for (std::int64_t n = 0; n < c.hidden; ++n) {
      real gate[4], most = 1;
      for (std::int64_t which = 0; which < 4; ++which) {
        const std::int64_t row = which * c.hidden + n;
        real sum = 0, sizes = 0;
        const auto add = [&](real term) { sum += term, sizes += std::fabs(term); };
        add(at(3, row)), add(at(3, 4 * c.hidden + row));
        for (std::int64_t k = 0; k < c.input; ++k) add(at(1, row * c.input + k) * at(0, b * c.input + k));
        for (std::int64_t k = 0; k < c.hidden; ++k) add(at(2, row * c.hidden + k) * at(4, b * c.hidden + k));
        gate[which] = sum, most = std::max(most, sizes);
      }
      const real h = at(4, b * c.hidden + n), before = at(5, b * c.hidden + n), share = real{c.zoneout};
      const real after = logistic(gate[2]) * before + logistic(gate[0]) * std::tanh(gate[3]);
      const real unit = (1 + std::fabs(before) + std::fabs(h)) * most;
      cell.add(share * before + (1 - share) * after, unit);
      hidden.add(share * h + (1 - share) * logistic(gate[1]) * std::tanh(after), unit);
    }
  return {hidden, hidden, cell};
}

}  // namespace

TEST_CASE("bounds: a step of lstm, with small states and large ones, gates in the middle and at their ends") {
  constexpr recurrent_case cases[] = {
      {1, 1, 0.5, 1, 1, 0},     {5, 7, 0.01, 1, 1, 0},        {33, 20, 0.3, 1, 2, 0},     {33, 20, 0.3, 1, 2, 0.3F},
      {5, 7, 20, 1, 1, 0},      {260, 16, 0.1, 1, 50, 0},     {3, 300, 0.05, 1, 1, 0.1F}, {4, 5, 0.2, 30, 1e4, 0.25F},
      {2, 2, 1e-6, 1, 1e-6, 0}, {4, 5, 1e-3, 0.01, 100, 0.9F}};
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("lstm", ops::of<ops::lstm>(), type);
    for (const recurrent_case& c : cases) {
      const std::vector<real_operand> in = recurrent_operands(type, c);
      so_far.add(words_of<ops::lstm>(attributes_of(c)), in, exact_step(in, c));
    }
    constexpr recurrent_case lost{1000, 1, 0, 0, 0, 0};
    const std::vector<real_operand> in = lost_beside_the_first(type, lost);
    so_far.add(words_of<ops::lstm>(attributes_of(lost)), in, exact_step(in, lost));
    so_far.check();
  }
}

TEST_CASE("bounds: a step of gru, with the reset before and after the product") {
  constexpr recurrent_case cases[] = {{1, 1, 0.5, 1, 0, 0},  {5, 7, 0.01, 1, 0, 0},   {33, 20, 0.3, 1, 0, 0},
                                      {5, 7, 20, 1, 0, 0},   {260, 16, 0.1, 1, 0, 0}, {3, 100, 0.05, 1, 0, 0},
                                      {4, 5, 0.2, 30, 0, 0}, {2, 2, 1e-6, 1, 0, 0},   {4, 5, 1e-3, 0.01, 0, 0}};
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("gru", ops::of<ops::gru>(), type);
    for (const recurrent_case& c : cases)
      for (const bool is_linear : {false, true}) {
        const std::int64_t rows = 3 * c.hidden;
        const std::vector<real_operand> in = {random_operand_of(type, {1, sequences, c.input}, 1, 2),
                                              random_operand_of(type, {1, rows, c.input}, 2, c.weights),
                                              random_operand_of(type, {1, rows, c.hidden}, 3, c.weights),
                                              random_operand_of(type, {1, 2 * rows}, 4, c.weights),
                                              random_operand_of(type, {1, sequences, c.hidden}, 5, c.states)};
        const auto at = [&](std::size_t operand, std::int64_t i) {
          return real{in[operand].numbers[static_cast<std::size_t>(i)]};
        };
        exact_results exact;
        exact.numbers = static_cast<double>(c.input + c.hidden + 2);
        for (std::int64_t b = 0; b < sequences; ++b) {
          struct sum_of_terms {
            real value = 0, sizes = 0;
            void add(real term) { value += term, sizes += std::fabs(term); }
          };
          // the terms of a row: of the input, and of the state times a factor
          const auto of_input = [&](std::int64_t row) {
            sum_of_terms sum;
            sum.add(at(3, row));
            for (std::int64_t k = 0; k < c.input; ++k) sum.add(at(1, row * c.input + k) * at(0, b * c.input + k));
            return sum;
          };
          const auto of_state = [&](std::int64_t row, const std::vector<real>& factors) {
            sum_of_terms sum;
            sum.add(at(3, rows + row));
            for (std::int64_t k = 0; k < c.hidden; ++k)
              sum.add(at(2, row * c.hidden + k) * at(4, b * c.hidden + k) *
                      (factors.empty() ? 1 : factors[static_cast<std::size_t>(k)]));
            return sum;
          };
          std::vector<real> resets;
          real most_of_resets = 1;
          for (std::int64_t n = 0; n < c.hidden; ++n) {
            const sum_of_terms x = of_input(n), h = of_state(n, {});
            resets.push_back(logistic(x.value + h.value));
            most_of_resets = std::max(most_of_resets, x.sizes + h.sizes);
          }
          for (std::int64_t n = 0; n < c.hidden; ++n) {
            const sum_of_terms x = of_input(c.hidden + n), h = of_state(c.hidden + n, {});
            const sum_of_terms last = of_input(2 * c.hidden + n),
                               whole = of_state(2 * c.hidden + n, is_linear ? std::vector<real>{} : resets),
                               unreset = of_state(2 * c.hidden + n, {});
            const real z = logistic(x.value + h.value), r = resets[static_cast<std::size_t>(n)];
            const real made = std::tanh(last.value + (is_linear ? r * whole.value : whole.value));
            const real most = std::max(most_of_resets, x.sizes + h.sizes),
                       terms = std::max(real{1}, last.sizes + unreset.sizes), before = at(4, b * c.hidden + n);
            exact.add((1 - z) * made + z * before, (1 + std::fabs(before)) * most * terms);
          }
        }
        ops::gru::attrs attrs;
        attrs.linear_before_reset = is_linear;
        so_far.add(words_of<ops::gru>(attrs), in, std::vector<exact_results>{exact, exact});
      }
    so_far.check();
  }
}

TEST_CASE("bounds: a sequence of lstm is its steps, each from the states that the one before stored") {
  constexpr recurrent_case c{5, 7, 0.8, 1, 1, 0.2F};
  constexpr std::int64_t steps = 4;
  for (const dtype type : {f32, f16, f64}) {
    CAPTURE(name_of(type));
    const auto outputs_of = [&](const std::vector<given_operand>& in) {
      tested_node node(ops::of<ops::lstm>(), words_of<ops::lstm>(attributes_of(c)), in, {});
      const kernel_choice choice = node.choose();
      return choice ? node.kernel(choice, 1) : node.reference();
    };
    std::vector<given_operand> in;
    for (const real_operand& x : recurrent_operands(type, c, steps)) {
      given_operand made;
      with_element<types::floating>(type, [&]<class T>(T) {
        std::vector<T> stored;
        for (const double number : x.numbers) stored.push_back(math::convert<T>(number));
        made = bytes_of({type, x.shape}, stored.data());
      });
      in.push_back(made);
    }
    const blocks all = outputs_of(in);
    const std::vector<std::byte> x = in[0].bytes;
    const auto step_bytes = static_cast<std::ptrdiff_t>(x.size()) / steps;
    std::vector<std::byte> y;
    for (std::int64_t step = 0; step < steps; ++step) {
      in[0].desc.shape[0] = 1;
      in[0].bytes.assign(x.begin() + step * step_bytes, x.begin() + (step + 1) * step_bytes);
      const blocks one = outputs_of(in);
      y.insert(y.end(), one[0].begin(), one[0].end());
      in[4].bytes = one[1], in[5].bytes = one[2];
    }
    CHECK(all[0] == y);
    CHECK(all[1] == in[4].bytes);
    CHECK(all[2] == in[5].bytes);
  }
}

// --- resize_bilinear ---------------------------------------------------------

namespace {

/// The place of output pixel i, inside the image.
real place_of(std::int64_t i, std::int64_t input, std::int64_t output, coordinates mode) {
  const real from = static_cast<real>(input), to = static_cast<real>(output), at = static_cast<real>(i);
  real place = at * from / to;
  if (mode == coordinates::half_pixel) place = (at + 0.5L) * from / to - 0.5L;
  if (mode == coordinates::align_corners) place = output == 1 ? 0 : at * (from - 1) / (to - 1);
  return std::clamp(place, real{0}, from - 1);
}

exact_results exact_resize(const real_operand& x, const shape_t& y, coordinates mode) {
  exact_results exact;
  exact.numbers = static_cast<double>(x.shape[1] + x.shape[2]);
  real largest = 0;
  for (const double number : x.numbers) largest = std::max(largest, std::fabs(real{number}));
  for (std::int64_t i = 0; i < y[1]; ++i)
    for (std::int64_t j = 0; j < y[2]; ++j)
      for (std::int64_t c = 0; c < y[3]; ++c) {
        const real h = place_of(i, x.shape[1], y[1], mode), w = place_of(j, x.shape[2], y[2], mode);
        const auto top = static_cast<std::int64_t>(h), left = static_cast<std::int64_t>(w);
        const auto pixel = [&](std::int64_t row, std::int64_t column) {
          row = std::min(row, x.shape[1] - 1), column = std::min(column, x.shape[2] - 1);
          return real{x.numbers[static_cast<std::size_t>((row * x.shape[2] + column) * x.shape[3] + c)]};
        };
        const real down = h - static_cast<real>(top), across = w - static_cast<real>(left);
        exact.add((1 - down) * ((1 - across) * pixel(top, left) + across * pixel(top, left + 1)) +
                      down * ((1 - across) * pixel(top + 1, left) + across * pixel(top + 1, left + 1)),
                  largest);
      }
  return exact;
}

}  // namespace

TEST_CASE("bounds: images made larger and smaller, whose pixels differ as much as they can") {
  struct row {
    std::int64_t h, w, new_h, new_w;
  };
  constexpr row table[] = {{1, 1, 3, 4},       {3, 4, 7, 5},      {100, 7, 60, 30},   {5, 301, 2, 900},
                           {37, 3, 1, 1},      {1000, 2, 333, 3}, {3, 2000, 2, 1777}, {2, 3000, 1, 2999},
                           {2999, 1, 3000, 1}, {7, 7, 49, 49}};
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("resize_bilinear", ops::of<ops::resize_bilinear>(), type);
    for (const row& r : table)
      for (const coordinates mode : {coordinates::asymmetric, coordinates::align_corners, coordinates::half_pixel})
        for (const double range : {1.0, 1e4, 1e-7})
          for (const bool alternates : {false, true}) {
            real_operand x = random_operand_of(type, {1, r.h, r.w, 1}, 3, range);
            for (std::size_t i = 0; alternates && i < x.numbers.size(); ++i)
              x.numbers[i] = as_quantised(type, i % 2 == 0 ? range : -range);
            ops::resize_bilinear::attrs attrs;
            attrs.new_height = r.new_h, attrs.new_width = r.new_w, attrs.coordinate_mode = mode;
            so_far.add(words_of<ops::resize_bilinear>(attrs), {x}, exact_resize(x, {1, r.new_h, r.new_w, 1}, mode));
          }
    so_far.check();
  }
}

// --- dynamic_range -----------------------------------------------------------

namespace {

/// How far a number is from the nearest half between integers.
real off_a_half(real x) { return std::fabs(x - std::floor(x) - 0.5L); }

/// No bound for numbers that may be rounded to either of two steps.
exact_results exact_rounding(dtype type, const std::vector<double>& x, bool is_symmetric) {
  exact_results exact;
  const real near = std::ldexp(1.0L, type == f64 ? -42 : -13),
             largest = type == f64 ? real{std::numeric_limits<double>::max()} : real{std::numeric_limits<float>::max()};
  real least = 0, most = 0;
  for (const double number : x) least = std::min(least, real{number}), most = std::max(most, real{number});
  real scale = std::max(-least, most) / 127, zero = 0;
  bool is_zero = std::max(-least, most) < 127 / largest,
       is_near = std::fabs(std::max(-least, most) * largest / 127 - 1) < near;
  if (!is_symmetric) {
    scale = (most - least) / 255;
    is_zero = scale <= 1 / largest, is_near = std::fabs(scale * largest - 1) < near;
    if (!is_zero) {
      const real low = least / scale, high = most / scale, wanted = 128 - low < 127 + high ? -128 - low : 127 - high;
      is_near = is_near || off_a_half(wanted) < near;
      zero = std::clamp(std::round(wanted), -128.0L, 127.0L);
    }
  }
  for (const double number : x) {
    const real q = is_zero ? 0 : number / scale + zero;
    const real y = is_zero ? 0 : (std::clamp(std::round(q), is_symmetric ? -127.0L : -128.0L, 127.0L) - zero) * scale;
    exact.add(y, is_near || off_a_half(q) < near ? no_bound : y);
  }
  return exact;
}

}  // namespace

TEST_CASE("bounds: rows rounded to 8 bits, where no number lies between two steps") {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("dynamic_range", ops::of<ops::dynamic_range>(), type);
    std::vector<std::vector<double>> rows = rows_for(type);
    for (const double size : {4e-37, 1e-36, 3e-35}) {  // where the distance of two steps is no normal number
      rows.push_back(rows[3]);
      for (double& number : rows.back())
        number = as_quantised(type, type == f64 ? number * size * 1e-270 : number * size);
    }
    for (const std::vector<double>& x : rows)
      for (const bool is_symmetric : {true, false}) {
        ops::dynamic_range::attrs attrs;
        attrs.symmetric = is_symmetric;
        so_far.add(words_of<ops::dynamic_range>(attrs), {{{1, static_cast<std::int64_t>(x.size())}, x}},
                   exact_rounding(type, x, is_symmetric));
      }
    so_far.check();
  }
}

TEST_CASE("bounds: numbers between two steps become one of the two") {
  for (const dtype type : {f32, f16, f64})
    for (const double step : {1.0, 0.1, 3e-3}) {
      CAPTURE(name_of(type));
      CAPTURE(step);
      std::vector<double> x{as_quantised(type, 127 * step)};
      for (int i = -127; i < 127; ++i) x.push_back(as_quantised(type, (i + 0.5) * step));
      const auto n = static_cast<std::int64_t>(x.size());
      given_operand given;
      with_element<types::floating>(type, [&]<class T>(T) {
        std::vector<T> stored;
        for (const double number : x) stored.push_back(math::convert<T>(number));
        given = bytes_of({type, {1, n}}, stored.data());
      });
      tested_node node(ops::of<ops::dynamic_range>(), words_of<ops::dynamic_range>({}), {given}, {});
      const std::vector<std::byte> y = node.reference()[0];
      with_element<types::floating>(type, [&]<class T>(T element) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          std::memcpy(&element, y.data() + i * sizeof(T), sizeof(T));
          const real off = std::fabs(real{math::convert<double>(element)} - real{x[i]}), size = std::fabs(real{x[i]});
          CHECK(off <= x[0] / 127 * 0.5001L + 2 * unit_of(type, size + x[0] / 127));
        }
      });
    }
}

// --- fold_affine, scatter_nd ---------------------------------------------------

TEST_CASE("bounds: weights and biases with the scales of what follows their layer") {
  constexpr std::int64_t channels = 40, inner = 7;
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("fold_affine", ops::of<ops::fold_affine>(), type);
    for (const double range : {1.0, 1e-3, 30.0})
      for (const float epsilon : {1e-5F, 0.0F}) {
        std::vector<real_operand> in{random_operand_of(type, {channels, inner}, 1, range)};
        for (std::uint32_t seed = 2; seed < 8; ++seed) in.push_back(random_operand_of(type, {channels}, seed, range));
        for (double& variance : in[5].numbers) variance = std::fabs(variance) + as_quantised(type, 1e-3);
        for (double& variance : in[5].numbers) variance = as_quantised(type, variance);
        for (std::size_t c = 0; c < channels; c += 2)
          in[4].numbers[c] = as_quantised(type, in[1].numbers[c] * 1.001);  // a difference of nearly 0
        exact_results weight, bias;
        for (std::size_t c = 0; c < channels; ++c) {
          const real by = real{in[2].numbers[c]} / std::sqrt(real{in[5].numbers[c]} + real{epsilon});
          for (std::size_t i = 0; i < inner; ++i) weight.add(real{in[0].numbers[c * inner + i]} * by);
          const real terms[] = {in[1].numbers[c] * by, -in[4].numbers[c] * by, real{in[3].numbers[c]},
                                real{in[6].numbers[c]}};
          real sum = 0, sizes = 0;
          for (const real term : terms) sum += term, sizes += std::fabs(term);
          bias.add(sum, sizes);
        }
        ops::fold_affine::attrs attrs;
        attrs.epsilon = epsilon;
        so_far.add(words_of<ops::fold_affine>(attrs), in, {weight, bias});
      }
    so_far.check();
  }
}

TEST_CASE("bounds: updates of one place add up") {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("scatter_nd", ops::of<ops::scatter_nd>(), type);
    for (const std::vector<double>& x : rows_for(type)) {
      const auto n = static_cast<std::int64_t>(x.size());
      if (n > 300) continue;
      real sum = 0, sizes = 0;
      for (const double number : x) sum += number, sizes += std::fabs(real{number});
      exact_results exact;
      exact.numbers = static_cast<double>(n);
      exact.add(sum, sizes);
      const real_operand places{{n, 1}, std::vector<double>(x.size(), 0.0), true};
      so_far.add(words_of<ops::scatter_nd>({}), {places, {{n}, x}, integer_operand({1})}, exact);
    }
    so_far.check();
  }
}

// --- sequence_lstm, sequence_rnn, svdf ---------------------------------------------

namespace {

using gated = ops::sequence_lstm;

/// Operands of one step, with peepholes or without, with gates that are coupled or not.
std::vector<real_operand> gated_operands(const recurrent_case& c, bool has_peepholes, bool are_coupled) {
  std::vector<real_operand> in(20);
  std::uint32_t seed = 20;
  const auto make = [&](const shape_t& shape, double range) { return random_operand_of(f32, shape, ++seed, range); };
  in[0] = make({sequences, 1, c.input}, 2);
  for (std::size_t gate = are_coupled ? 1 : 0; gate < 4; ++gate) {
    in[gated::w + gate] = make({c.hidden, c.input}, c.weights),
                  in[gated::u + gate] = make({c.hidden, c.hidden}, c.weights);
    in[gated::b + gate] = make({c.hidden}, c.weights);
  }
  for (std::size_t i = are_coupled ? 1 : 0; has_peepholes && i < 3; ++i) in[gated::p + i] = make({c.hidden}, c.weights);
  in[gated::state_h] = make({sequences, c.hidden}, c.states), in[gated::state_c] = make({sequences, c.hidden}, c.cells);
  return in;
}
/// y, hy and cy after one step; act is relu or tanh.
std::vector<exact_results> exact_gated_step(const std::vector<real_operand>& in, const recurrent_case& c,
                                            bool has_relu) {
  exact_results hidden, cell;
  hidden.numbers = cell.numbers = static_cast<double>(c.input + c.hidden + 2);
  const auto at = [&](std::size_t operand, std::int64_t i) {
    return real{in[operand].numbers[static_cast<std::size_t>(i)]};
  };
  const auto act = [&](real x) { return has_relu ? std::max(x, real{0}) : std::tanh(x); };
  for (std::int64_t b = 0; b < sequences; ++b)
    for (std::int64_t n = 0; n < c.hidden; ++n) {
      real most = 1;
      const auto sum_of = [&](std::size_t gate, real state) {
        real sum = 0, sizes = 0;
        const auto add = [&](real term) { sum += term, sizes += std::fabs(term); };
        for (std::int64_t k = 0; k < c.input; ++k) add(at(gated::w + gate, n * c.input + k) * at(0, b * c.input + k));
        for (std::int64_t k = 0; k < c.hidden; ++k)
          add(at(gated::u + gate, n * c.hidden + k) * at(gated::state_h, b * c.hidden + k));
        const std::size_t peephole = gated::p + (gate == 3 ? 2 : gate);
        if (gate != 2 && !in[peephole].numbers.empty()) add(at(peephole, n) * state);
        add(at(gated::b + gate, n));
        most = std::max(most, sizes);
        return sum;
      };
      const real before = at(gated::state_c, b * c.hidden + n), h = at(gated::state_h, b * c.hidden + n),
                 f = logistic(sum_of(1, before));
      const real i = in[gated::w].numbers.empty() ? 1 - f : logistic(sum_of(0, before));
      const real after = f * before + i * act(sum_of(2, 0));
      const real result = logistic(sum_of(3, after)) * act(after), unit = (1 + std::fabs(before) + std::fabs(h)) * most;
      cell.add(after, unit), hidden.add(result, unit);
    }
  return {hidden, hidden, cell};
}

}  // namespace

TEST_CASE("bounds: a step of sequence_lstm, with peepholes and coupled gates or without") {
  constexpr recurrent_case cases[] = {{1, 1, 0.5, 1, 1, 0},    {5, 7, 0.01, 1, 1, 0},    {33, 20, 0.3, 1, 2, 0},
                                      {5, 7, 20, 1, 1, 0},     {260, 16, 0.1, 1, 50, 0}, {3, 300, 0.05, 1, 1, 0},
                                      {4, 5, 0.2, 30, 1e4, 0}, {2, 2, 1e-6, 1, 1e-6, 0}};
  measured so_far("sequence_lstm", ops::of<ops::sequence_lstm>(), f32);
  for (const recurrent_case& c : cases)
    for (const bool has_peepholes : {false, true})
      for (const bool are_coupled : {false, true})
        for (const bool has_relu : {false, true}) {
          gated::attrs attrs;
          attrs.activation = has_relu ? recurrent_activation::relu : recurrent_activation::tanh;
          const std::vector<real_operand> in = gated_operands(c, has_peepholes, are_coupled);
          so_far.add(words_of<gated>(attrs), in, exact_gated_step(in, c, has_relu));
        }
  so_far.check();
}

TEST_CASE("bounds: a step of sequence_rnn") {
  measured so_far("sequence_rnn", ops::of<ops::sequence_rnn>(), f32);
  for (const double weights : {1e-3, 0.1, 1.0, 30.0})
    for (const std::int64_t states : {1, 5, 40}) {
      constexpr std::int64_t inputs = 9;
      const std::vector<real_operand> in = {
          random_operand_of(f32, {sequences, 1, inputs}, 1, 2), random_operand_of(f32, {states, inputs}, 2, weights),
          random_operand_of(f32, {states, states}, 3, weights), random_operand_of(f32, {states}, 4, weights),
          random_operand_of(f32, {sequences, states}, 5, 1)};
      const auto at = [&](std::size_t operand, std::int64_t i) {
        return real{in[operand].numbers[static_cast<std::size_t>(i)]};
      };
      for (const bool has_relu : {false, true}) {
        exact_results exact;
        exact.numbers = static_cast<double>(inputs + states + 1);
        for (std::int64_t b = 0; b < sequences; ++b)
          for (std::int64_t n = 0; n < states; ++n) {
            real sum = 0, sizes = 0;
            const auto add = [&](real term) { sum += term, sizes += std::fabs(term); };
            for (std::int64_t k = 0; k < inputs; ++k) add(at(1, n * inputs + k) * at(0, b * inputs + k));
            for (std::int64_t k = 0; k < states; ++k) add(at(2, n * states + k) * at(4, b * states + k));
            add(at(3, n));
            exact.add(has_relu ? std::max(sum, real{0}) : std::tanh(sum), sizes);
          }
        ops::sequence_rnn::attrs attrs;
        attrs.activation = has_relu ? recurrent_activation::relu : recurrent_activation::tanh;
        so_far.add(words_of<ops::sequence_rnn>(attrs), in, std::vector<exact_results>{exact, exact});
      }
    }
  so_far.check();
}

TEST_CASE("bounds: svdf, whose state is rounded before it meets the weights over time") {
  measured so_far("svdf", ops::of<ops::svdf>(), f32);
  for (const double weights : {1e-3, 1.0, 50.0})
    for (const std::int64_t memory : {1, 7}) {
      constexpr std::int64_t inputs = 20, units = 3, rank = 2, filters = units * rank;
      const std::vector<real_operand> in = {
          random_operand_of(f32, {1, inputs}, 1, 2), random_operand_of(f32, {filters, inputs}, 2, weights),
          random_operand_of(f32, {filters, memory}, 3, 1), random_operand_of(f32, {units}, 4, 1),
          random_operand_of(f32, {1, filters * memory}, 5, 1)};
      const auto at = [&](std::size_t operand, std::int64_t i) {
        return real{in[operand].numbers[static_cast<std::size_t>(i)]};
      };
      exact_results y;
      y.numbers = static_cast<double>(rank * (inputs + memory));
      for (std::int64_t u = 0; u < units; ++u) {
        real sum = at(3, u), sizes = std::fabs(sum);
        for (std::int64_t f = u * rank; f < (u + 1) * rank; ++f)
          for (std::int64_t m = 0; m < memory; ++m) {
            real now = 0, size = 0;
            const auto add = [&](real term) { now += term, size += std::fabs(term); };
            if (m + 1 < memory) add(at(4, f * memory + m + 1));
            else
              for (std::int64_t i = 0; i < inputs; ++i) add(at(1, f * inputs + i) * at(0, i));
            const real weight = at(2, f * memory + m);
            sum += weight * now, sizes += std::fabs(weight) * size;
          }
        y.add(sum, sizes);
      }
      ops::svdf::attrs attrs;
      attrs.rank = rank;
      so_far.add(words_of<ops::svdf>(attrs), in, y);
    }
  so_far.check();
}

// --- dft ---------------------------------------------------------------------------

TEST_CASE("bounds: sums of a Fourier transform") {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("dft", ops::of<ops::dft>(), type);
    for (const std::int64_t length : {1, 2, 8, 15, 31, 64})
      for (const bool inverse : {false, true}) {
        const std::vector<real_operand> in{random_operand_of(type, {length, 2}, 3, 4)};
        exact_results exact;
        exact.numbers = static_cast<double>(2 * length);
        for (std::int64_t m = 0; m < length; ++m) {
          real sums[2] = {}, sizes[2] = {};
          const auto add = [&](int part, real term) { sums[part] += term, sizes[part] += std::fabs(term); };
          for (std::int64_t n = 0; n < length; ++n) {
            const real angle = 2 * std::acos(real{-1}) * static_cast<real>(m * n % length) / static_cast<real>(length),
                       cosine = std::cos(angle), sine = inverse ? std::sin(angle) : -std::sin(angle);
            const real re = in[0].numbers[static_cast<std::size_t>(2 * n)],
                       im = in[0].numbers[static_cast<std::size_t>(2 * n + 1)];
            add(0, re * cosine), add(0, -im * sine), add(1, re * sine), add(1, im * cosine);
          }
          const real divisor = inverse ? static_cast<real>(length) : 1;
          for (const int part : {0, 1}) exact.add(sums[part] / divisor, sizes[part] / divisor);
        }
        ops::dft::attrs attrs;
        attrs.axis = 0, attrs.inverse = inverse;
        so_far.add(words_of<ops::dft>(attrs), in, exact);
      }
    so_far.check();
  }
}

// --- detection_post_process ------------------------------------------------------

TEST_CASE("bounds: corners of boxes, all of which are taken") {
  constexpr std::int64_t boxes = 60;
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("detections", ops::of<ops::detection_post_process>(), type);
    for (const double range : {1.0, 0.01, 5.0})
      for (const double anchors : {1.0, 100.0, 1e-3}) {
        const std::vector<real_operand> in{random_operand_of(type, {1, boxes, 4}, 1, range),
                                           random_operand_of(type, {1, boxes, 1}, 2, 1),
                                           random_operand_of(type, {boxes, 4}, 3, anchors)};
        ops::detection_post_process::attrs attrs;
        attrs.max_detections = boxes;
        attrs.nms_iou_threshold = 1, attrs.nms_score_threshold = -2;
        attrs.scale = {2, 3, 1.7F, 0.9F};
        std::vector<std::size_t> order(boxes);
        for (std::size_t i = 0; i < boxes; ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return in[1].numbers[a] > in[1].numbers[b]; });
        exact_results corners, classes, scores, count;
        corners.numbers = 1 + range / 0.9;
        for (const std::size_t i : order) {
          const auto number = [&](std::size_t operand, int k) {
            return real{in[operand].numbers[i * 4 + static_cast<std::size_t>(k)]};
          };
          const auto corner = [&](int k, int sign) {
            const real moved = number(0, k) / real{attrs.scale[k]} * number(2, 2 + k),
                       half = std::exp(number(0, 2 + k) / real{attrs.scale[2 + k]}) * number(2, 2 + k) / 2;
            corners.add(moved + number(2, k) + sign * half,
                        std::fabs(moved) + std::fabs(number(2, k)) + std::fabs(half));
          };
          corner(0, -1), corner(1, -1), corner(0, 1), corner(1, 1);
          classes.add(0), scores.add(real{in[1].numbers[i]});
        }
        count.add(real{boxes});
        so_far.add(words_of<ops::detection_post_process>(attrs), in, {corners, classes, scores, count});
      }
    so_far.check();
  }
}

// --- non_max_suppression -----------------------------------------------------------

TEST_CASE("bounds: scores that fall by what boxes share, as long as no two boxes change places") {
  for (const dtype type : {f32, f16, f64}) {
    measured so_far("suppression", ops::of<ops::non_max_suppression>(), type);
    for (const double sigma : {0.25, 1.0, 10.0}) {
      // Unit squares in a row, each two of which share a half at most; the scores lie so far apart that they keep their
      // order.
      constexpr std::int64_t boxes = 5;
      std::vector<double> corners, scores;
      for (int i = 0; i < boxes; ++i) {
        for (const double number : {0.0, 0.375 * i, 1.0, 0.375 * i + 1}) corners.push_back(number);
        scores.push_back(as_quantised(type, std::ldexp(1.3, -2 * i)));
      }
      const std::vector<real_operand> in{
          {{boxes, 4}, corners}, {{boxes}, scores}, {{1}, {1}}, {{1}, {0}}, {{1}, {sigma}}};
      ops::non_max_suppression::attrs attrs;
      attrs.max_detections = boxes;
      exact_results left;
      left.numbers = boxes;
      for (int i = 0; i < boxes; ++i) {
        real score = real{scores[static_cast<std::size_t>(i)]};
        for (int k = 0; k < i; ++k) {
          const real common = std::max(real{0}, 1 - real{0.375} * (i - k)), share = common / (2 - common);
          score *= std::exp(-share * share / (2 * real{sigma}));
        }
        left.add(score);
      }
      so_far.add(words_of<ops::non_max_suppression>(attrs), in, {exact_results(), left});
    }
    so_far.check();
  }
}
