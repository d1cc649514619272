#include <nnrt/kernels/bind/conv2d.hpp>
#include <nnrt/kernels/bind/conv2d_transpose.hpp>
#include <nnrt/kernels/bind/depthwise_conv2d.hpp>
#include <nnrt/kernels/bind/full_connection.hpp>
#include <nnrt/kernels/bind/matmul.hpp>
#include <nnrt/kernels/bind/pools.hpp>
#include <nnrt/kernels/bind/scale.hpp>
#include <support/measured.hpp>

using namespace nnrt_test;

// Layers are linear in each operand: the exact result is the reference's for f64, the sum of the terms' magnitudes the
// same of the operands' magnitudes.

namespace {

std::vector<double> in_double(const operator_info& op, const std::vector<word>& words, std::vector<real_operand> in,
                              bool of_magnitudes) {
  std::vector<given_operand> given;
  for (real_operand& x : in) {
    if (of_magnitudes)
      for (double& number : x.numbers) number = std::fabs(number);
    given.push_back(bytes_of({f64, x.shape}, x.numbers.data()));
  }
  tested_node node(op, words, std::move(given), {});
  const std::vector<std::byte> bytes = node.reference()[0];
  std::vector<double> y(bytes.size() / sizeof(double));
  std::memcpy(y.data(), bytes.data(), bytes.size());
  return y;
}

enum class numbers { random, alike, lost };

/// Operand `number` of a layer: random numbers, all the same, or such that each product is lost when it is added to one
/// that came before.
real_operand layer_operand(dtype type, const std::vector<shape_t>& shapes, std::size_t number, numbers kind,
                           double range) {
  real_operand x{shapes[number], {}};
  x.is_constant = number > 0;  // weights, which may be transformed beforehand
  const std::int64_t inner = shapes[number][-1];
  for (const float random : random_floats(x.shape.elements(), static_cast<std::uint32_t>(number) + 3)) {
    const auto i = static_cast<std::int64_t>(x.numbers.size());
    const bool is_first = shapes.size() == 1 ? i < inner : i % inner == 0;  // of the numbers of a sum
    const double lost = number == 1 || (number == 0 && is_first) ? 1 : std::ldexp(1.0, -digits_of(type));
    x.numbers.push_back(as_quantised(type, range * (kind == numbers::random  ? double{random}
                                                    : kind == numbers::alike ? 0.1
                                                                             : lost)));
  }
  return x;
}

/// Operands of these shapes, of several magnitudes and kinds, with n numbers for each result.
template <class Op>
void measure_layer(const char* what, const typename Op::attrs& attrs, const std::vector<shape_t>& shapes, double n) {
  for (const dtype type : {f32, f16}) {
    measured so_far(what, ops::of<Op>(), type);
    for (const double range : {1.0, 1e-3, 30.0})
      for (const numbers kind : {numbers::random, numbers::alike, numbers::lost}) {
        std::vector<real_operand> in;
        while (in.size() < shapes.size()) in.push_back(layer_operand(type, shapes, in.size(), kind, range));
        const std::vector<double> exact = in_double(ops::of<Op>(), words_of<Op>(attrs), in, false);
        const std::vector<double> sizes = in_double(ops::of<Op>(), words_of<Op>(attrs), in, true);
        exact_results results;
        results.numbers = n;
        const double largest = *std::max_element(sizes.begin(), sizes.end());
        for (std::size_t i = 0; i < exact.size(); ++i)
          results.add(exact[i], std::is_same_v<Op, ops::conv2d> ? largest : sizes[i]);
        so_far.add(words_of<Op>(attrs), in, results);
      }
    so_far.check();
  }
}

}  // namespace

TEST_CASE("bounds: products of matrices and dense layers, short sums and long ones") {
  for (const std::int64_t k : {1, 3, 33, 260, 2000}) {
    CAPTURE(k);
    measure_layer<ops::matmul>("matmul", {}, {{5, k}, {k, 19}}, static_cast<double>(k));
    measure_layer<ops::full_connection>("full_connection", {}, {{3, k}, {17, k}, {17}}, static_cast<double>(k + 1));
  }
}

TEST_CASE("bounds: a product of matrices of f64, whose exact sums are those of long double") {
  measured so_far("matmul", ops::of<ops::matmul>(), f64);
  for (const std::int64_t k : {1, 33, 2000})
    for (const numbers kind : {numbers::random, numbers::alike, numbers::lost}) {
      const std::vector<shape_t> shapes{{3, k}, {k, 2}};
      const std::vector<real_operand> in{layer_operand(f64, shapes, 0, kind, 1.0),
                                         layer_operand(f64, shapes, 1, kind, 1.0)};
      exact_results exact;
      exact.numbers = static_cast<double>(k);
      for (std::size_t i = 0; i < 6; ++i) {
        long double sum = 0, sizes = 0;
        for (std::size_t j = 0; j < static_cast<std::size_t>(k); ++j) {
          const long double product = static_cast<long double>(in[0].numbers[i / 2 * static_cast<std::size_t>(k) + j]) *
                                      in[1].numbers[j * 2 + i % 2];
          sum += product, sizes += std::fabs(product);
        }
        exact.add(sum, sizes);
      }
      so_far.add(words_of<ops::matmul>({}), in, exact);
    }
  so_far.check();
}

TEST_CASE("bounds: convolutions, transformed ones too, means of windows, factors and offsets") {
  ops::conv2d::attrs padded;
  padded.pad = {.top = 1, .bottom = 1, .left = 1, .right = 1};
  for (const std::int64_t c : {1, 16, 48}) {
    CAPTURE(c);
    measure_layer<ops::conv2d>("conv2d", padded, {{1, 14, 14, c}, {16, 3, 3, c}, {16}}, static_cast<double>(9 * c + 1));
    ops::conv2d::attrs halved = padded;
    halved.stride = {2, 2};
    measure_layer<ops::conv2d>("conv2d by 2", halved, {{1, 14, 14, c}, {16, 3, 3, c}, {16}},
                               static_cast<double>(9 * c + 1));
    measure_layer<ops::conv2d>("conv2d, 1x1", {}, {{1, 6, 7, c}, {20, 1, 1, c}}, static_cast<double>(c));
    ops::conv2d_transpose::attrs wide;
    wide.stride = {2, 2};
    measure_layer<ops::conv2d_transpose>("conv2d_transpose", wide, {{1, 5, 6, c}, {17, 3, 3, c}, {17}},
                                         static_cast<double>(9 * c + 1));
    measure_layer<ops::depthwise_conv2d>("depthwise_conv2d", {}, {{1, 9, 9, c}, {c, 3, 3, 1}, {c}}, 10);
    measure_layer<ops::scale>("scale", {}, {{3, c}, {c}, {c}}, 2);
    ops::avg_pool::attrs window;
    window.kernel = {7, 5};
    measure_layer<ops::avg_pool>("avg_pool", window, {{1, 9, 9, c}}, 35);
  }
}
