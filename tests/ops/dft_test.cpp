// dft_test: rules, shapes, and spectra against sums that Python made.
#include <nnrt/ops/dft.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace {

using namespace nnrt_test;
using op = ops::dft;
using rule = op::rule;

constexpr op::attrs form(std::int64_t axis, std::int64_t length = 0, bool inverse = false, bool onesided = false) {
  op::attrs a;
  a.axis = axis, a.length = length, a.inverse = inverse, a.onesided = onesided;
  return a;
}
constexpr operand real = computed(f32_of({2, 8, 3, 1})), complex = computed(f32_of({2, 5, 3, 2}));

/// i * factor % modulus - modulus / 2.
template <class T> filled<T> pattern(shape_t shape, int factor, int modulus) {
  filled<T> t(shape);
  for (std::size_t i = 0; i < t.elements.size(); ++i)
    t.elements[i] = static_cast<T>(static_cast<float>(static_cast<int>(i) * factor % modulus - modulus / 2));
  return t;
}
template <class T> void check_close(const std::vector<T>& got, const std::vector<double>& expected, double most) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(std::fabs(static_cast<double>(got[i]) - expected[i]) <= most);
  }
}

}  // namespace

TEST_CASE("dft: whole spectra, halves of them, and lines of halves") {
  CHECK(shape_of(infer<op>(form(1), {real})) == shape_t{2, 8, 3, 2});
  CHECK(shape_of(infer<op>(form(-3, 5), {complex})) == shape_t{2, 5, 3, 2});
  CHECK(shape_of(infer<op>(form(1, 0, false, true), {real})) == shape_t{2, 5, 3, 2});
  CHECK(shape_of(infer<op>(form(1, 13, false, true), {real})) == shape_t{2, 7, 3, 2});
  CHECK(shape_of(infer<op>(form(1, 0, true, true), {complex})) == shape_t{2, 8, 3, 1});
  CHECK(shape_of(infer<op>(form(1, 9, true, true), {complex})) == shape_t{2, 9, 3, 1});
  CHECK(shape_of(infer<op>(form(1, 0, false, true), {computed(f32_of({2, -1, -1, 1}))})) == shape_t{2, -1, -1, 2});
  CHECK(shape_of(infer<op>(form(1, 6), {computed(f32_of({2, -1, -1, 1}))})) == shape_t{2, 6, -1, 2});
  CHECK(shape_of(infer<op>(form(0), {computed(f32_of({2, -1}))})) == shape_t{2, 2});
}

TEST_CASE("dft: each broken rule is named with both values") {
  NNRT_CHECK_REFUSED(op, {"a list", form(0), {computed(f32_of({2}))}, {}, rule::input_rank_must_be_at_least_2, 1, 2});
  NNRT_CHECK_REFUSED(op, {"the parts", form(-1), {real}, {}, rule::axis_must_be_an_axis_before_the_last, -1, 2});
  NNRT_CHECK_REFUSED(op, {"no axis", form(4), {real}, {}, rule::axis_must_be_an_axis_before_the_last, 4, 2});
  NNRT_CHECK_REFUSED(
      op, {"three parts", form(0), {computed(f32_of({2, 3}))}, {}, rule::last_axis_must_have_one_or_two_parts, 3, 2});
  NNRT_CHECK_REFUSED(
      op, {"half of complex numbers", form(1, 0, false, true), {complex}, {}, rule::onesided_input_must_be_real, 2, 1});
  NNRT_CHECK_REFUSED(op, {"inverse of a real half",
                          form(1, 0, true, true),
                          {real},
                          {},
                          rule::onesided_input_of_the_inverse_must_be_complex,
                          1,
                          2});
  NNRT_CHECK_REFUSED(op, {"length -1", form(1, -1), {real}, {}, rule::length_must_not_be_negative, -1, 0});
  NNRT_CHECK_REFUSED(op, {"length of 32 bits",
                          form(1, std::int64_t{1} << 31),
                          {real},
                          {},
                          rule::length_must_be_at_most_2_to_the_30,
                          std::int64_t{1} << 31,
                          std::int64_t{1} << 30});
  NNRT_CHECK_REFUSED(op,
                     {"no numbers", form(1), {computed(f32_of({2, 0, 1}))}, {}, rule::lines_must_have_numbers, 0, 1});
  NNRT_CHECK_REFUSED(op, {"one of them alone",
                          form(1, 0, true, true),
                          {computed(f32_of({2, 1, 2}))},
                          {},
                          rule::lines_must_have_numbers,
                          0,
                          1});
}

// Python, with cmath: x[i] = i * 7 % 11 - 5 (real), and pairs of them (complex); sum(x[n] * exp(sign * 2j * pi * m * n
// / N) for n), N numbers of each line, which are cut or continued with 0. The axis is the first of [L, 2, K].
TEST_CASE("dft: spectra are those of the sums in its definition") {
  struct row {
    const char* what;
    op::attrs a;
    shape_t x, y;
    std::vector<double> numbers;
  };
  const row table[] = {
      {"real",
       form(0, 0, false, false),
       {6, 2, 1},
       {6, 2, 2},
       {-7.0,
        0.0,
        2.0,
        0.0,
        -8.999999999999998,
        -3.4641016151377544,
        1.9999999999999978,
        -3.4641016151377544,
        1.9999999999999996,
        5.196152422706633,
        2.0000000000000053,
        -13.856406460551018,
        -9.0,
        0.0,
        2.0,
        0.0,
        2.0000000000000027,
        -5.196152422706631,
        1.999999999999995,
        13.856406460551018,
        -9.0,
        3.4641016151377544,
        2.000000000000002,
        3.4641016151377544}},
      {"complex, an odd length",
       form(0, 0, false, false),
       {5, 2, 2},
       {5, 2, 2},
       {-9.0,
        4.0,
        6.0,
        -3.0,
        -7.718469352603709,
        1.2224854485742243,
        -3.7224854485742256,
        6.722485448574224,
        -12.869779347523078,
        -6.557480106940817,
        4.0574801069408135,
        -1.057480106940813,
        4.869779347523079,
        9.557480106940814,
        -12.057480106940815,
        15.057480106940814,
        -0.28153064739628997,
        1.7775145514257762,
        -4.277514551425776,
        7.277514551425776}},
      {"half a spectrum",
       form(0, 0, false, true),
       {8, 2, 1},
       {5, 2, 2},
       {0.0,
        0.0,
        1.0,
        0.0,
        -0.9999999999999991,
        2.4142135623730963,
        6.778174593052023,
        -5.363961030678927,
        -12.000000000000002,
        12.0,
        10.0,
        1.0000000000000002,
        -1.0000000000000009,
        0.41421356237309537,
        -8.778174593052022,
        -7.363961030678928,
        -12.0,
        0.0,
        -1.0,
        0.0}},
      {"half a spectrum of an odd length, continued",
       form(0, 5, false, true),
       {4, 2, 1},
       {3, 2, 2},
       {-2.0, 0.0, 4.0, 0.0, -9.663118960624633, 3.665468789467726, 5.97213595499958, -2.9919268245983477,
        -1.8368810393753678, -1.6775990443005138, -2.972135954999578, -5.792095810347828}},
      {"half a spectrum, cut",
       form(0, 4, false, true),
       {9, 2, 1},
       {3, 2, 2},
       {-2.0, 0.0, 4.0, 0.0, -6.000000000000001, 6.0, 5.0, -5.0, -6.0, 0.0, -6.0, 0.0}},
      {"inverse",
       form(0, 0, true, false),
       {5, 2, 2},
       {5, 2, 2},
       {-1.8,
        0.8,
        1.2,
        -0.6,
        -0.05630612947925808,
        0.35550291028515507,
        -0.8555029102851552,
        1.455502910285155,
        0.9739558695046163,
        1.9114960213881624,
        -2.4114960213881624,
        3.011496021388163,
        -2.5739558695046165,
        -1.3114960213881626,
        0.8114960213881627,
        -0.21149602138816279,
        -1.5436938705207415,
        0.24449708971484485,
        -0.7444970897148449,
        1.3444970897148452}},
      {"inverse of real numbers, continued",
       form(0, 4, true, false),
       {3, 2, 1},
       {4, 2, 2},
       {-1.5, 0.0, 1.0, 0.0, -1.5, -0.49999999999999994, 1.25, 1.25, -0.5, 0.0, -1.5, 0.0, -1.5, 0.5,
        1.2499999999999998, -1.25}},
      {"inverse of half a spectrum",
       form(0, 0, true, true),
       {4, 2, 2},
       {6, 2, 1},
       {-1.5, 1.5, -0.33333333333333304, 1.1100423396407313, 1.732050807568877, -1.4433756729740643,
        -2.8333333333333335, -2.8333333333333335, -1.7320508075688767, 1.4433756729740643, -0.3333333333333333,
        -1.7767090063073976}},
      {"inverse of half a spectrum of an odd length",
       form(0, 7, true, true),
       {4, 2, 2},
       {7, 2, 1},
       {-1.0, 2.0, -0.7142531454363178, 0.4721118924773466, 1.368887465809404, 0.21164197950030506,
        -0.21227670117987754, -3.20687293364913, -3.4105632663915415, -0.4159670339222883, -0.15269652788321617,
        1.0045489584258827, -0.8790978249184518, -2.0654628628321166}},
      {"inverse of half a spectrum, continued",
       form(0, 8, true, true),
       {3, 2, 2},
       {8, 2, 1},
       {-1.375, 0.5, -0.6678932188134523, 1.7071067811865475, 1.125, 0.0, 0.47855339059327384, -2.2071067811865475,
        -1.875, -1.5, -2.0821067811865475, 0.2928932188134524, -0.375, 0.0, -0.2285533905932738, -0.7928932188134525}},
      {"inverse of half a spectrum, cut",
       form(0, 4, true, true),
       {5, 2, 2},
       {4, 2, 1},
       {-1.75, 1.25, 1.25, -0.2500000000000001, -2.75, -2.75, -1.75, -0.25000000000000017}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    REQUIRE(shape_of(infer<op>(r.a, {computed(f32_of(r.x))})) == r.y);
    check_close(run<op, float>(r.a, r.y, pattern<float>(r.x, 7, 11)).elements, r.numbers, 2e-6);
    check_close(run<op, double>(r.a, r.y, pattern<double>(r.x, 7, 11)).elements, r.numbers, 1e-13);
    check_close(run<op, float16>(r.a, r.y, pattern<float16>(r.x, 7, 11)).elements, r.numbers, 0.02);
  }
}

TEST_CASE("dft: numbers of quarters of a turn are exact, and constant evaluation has them") {
  static_assert(run<op, float>(form(0), {4, 2}, filled<float>({4, 1}, {1, 2, 3, 4})).elements ==
                std::vector<float>{10, 0, -2, 2, -2, 0, -2, -2});
  const auto waves = run<op, float>(form(0, 0, false, true), {5, 2}, filled<float>({8, 1}, {1, 0, -1, 0, 1, 0, -1, 0}));
  CHECK(waves.elements == std::vector<float>{0, 0, 0, 0, 4, 0, 0, 0, 0, 0});
}

TEST_CASE("dft: the inverse restores what was transformed") {
  for (const std::int64_t length : {1, 2, 3, 7, 8, 12}) {
    CAPTURE(length);
    const filled<float> x = pattern<float>({length, 3, 1}, 5, 13);
    const filled<float> half = run<op, float>(form(0, 0, false, true), {length / 2 + 1, 3, 2}, x);
    check_close(run<op, float>(form(0, length, true, true), {length, 3, 1}, half).elements,
                {x.elements.begin(), x.elements.end()}, 4e-6);
    const filled<float> z = pattern<float>({length, 3, 2}, 5, 13), whole = run<op, float>(form(0), {length, 3, 2}, z);
    check_close(run<op, float>(form(0, 0, true), {length, 3, 2}, whole).elements,
                {z.elements.begin(), z.elements.end()}, 4e-6);
  }
}

TEST_CASE("dft: a line with an infinity or a NaN has no other results than NaNs, and others have theirs") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto y = run<op, float>(form(0), {2, 3, 2}, filled<float>({2, 3, 1}, {1, inf, 3, 1, 2, nan})).elements;
  for (const std::size_t i :
       {std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{5}, std::size_t{8}, std::size_t{11}})
    CHECK(y[i] != y[i]);
  CHECK(y[0] == 2);
  CHECK(y[6] == 0);
  // What is cut off, and the imaginary part of the first number of half a spectrum, nobody reads.
  CHECK(run<op, float>(form(0, 1), {1, 2}, filled<float>({2, 1}, {1, inf})).elements == std::vector<float>{1, 0});
  CHECK(run<op, float>(form(0, 2, true, true), {2, 1}, filled<float>({2, 2}, {1, nan, 3, inf})).elements ==
        std::vector<float>{2, -1});
}

TEST_CASE("dft: sums of large numbers that are finite do not overflow") {
  constexpr double large = std::numeric_limits<double>::max();
  CHECK(run<op, double>(form(0, 0, true), {2, 2}, filled<double>({2, 1}, {large, large})).elements ==
        std::vector<double>{large, 0, 0, 0});
}
