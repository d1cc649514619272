// fixed_signal_test: rules, shapes and bits of the functions of audio front ends.
#include <nnrt/ops/fixed_signal.hpp>
#include <support/refused.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt_test;
using op = ops::fixed_signal;
using rule = op::rule;
using ops::signal_function;
using enum ops::signal_function;

constexpr op::attrs form(signal_function function, std::initializer_list<std::int64_t> numbers = {}) {
  op::attrs a;
  a.function = function, a.numbers = numbers;
  return a;
}
constexpr operand of(dtype type, shape_t shape) { return computed({type, shape}); }

/// Number i of a sequence without a pattern.
std::uint64_t mixed(std::uint64_t i) {
  i = (i + 1) * 0x9E3779B97F4A7C15U;
  i ^= i >> 29U;
  i *= 0xBF58476D1CE4E5B9U;
  return i ^ i >> 32U;
}
template <class T> filled<T> mixed_signal(shape_t shape, int shift = 0) {
  filled<T> x(shape);
  for (std::size_t i = 0; i < x.elements.size(); ++i)
    x.elements[i] = static_cast<T>(static_cast<T>(static_cast<std::make_unsigned_t<T>>(mixed(i))) >> shift);
  return x;
}
/// Of each magnitude.
filled<std::uint32_t> energies(std::int64_t count, std::uint64_t first) {
  filled<std::uint32_t> x({count});
  for (std::size_t i = 0; i < x.elements.size(); ++i)
    x.elements[i] = static_cast<std::uint32_t>(mixed(i + first)) >> (i * 3 % 32);
  return x;
}
template <class T> std::uint32_t digest(const std::vector<T>& numbers) {
  std::uint32_t made = 0;
  for (const T number : numbers) made = made * 31 + static_cast<std::make_unsigned_t<T>>(number);
  return made;
}
/// y of a function with one result, of type Y.
template <class Y, class X, class... In> std::vector<Y> made_by(const op::attrs& a, shape_t y, filled<X> x, In... in) {
  filled<Y> made(y);
  const view operands[] = {x.as_view(), in.as_view()...}, out[] = {made.as_view()};
  op::reference<X>(a, operands, out);
  return made.elements;
}

}  // namespace

TEST_CASE("fixed_signal: types and shapes of results follow from the function") {
  struct row {
    const char* what;
    op::attrs a;
    std::initializer_list<operand> in;
    std::vector<tensor_desc> out;
  };
  const row table[] = {
      {"scale", form(auto_scale), {of(i16, {2, 8})}, {{i16, {2, 8}}, {i32, {}}}},
      {"log", form(log, {3, 64}), {of(u32, {40})}, {{i16, {40}}}},
      {"energy", form(energy, {2, 5}), {of(i16, {2, 10})}, {{u32, {2, 5}}}},
      {"window", form(window, {12}), {of(i16, {3, 8}), of(i16, {8})}, {{i16, {3, 8}}}},
      {"spectra", form(rfft, {16}), {of(i16, {3, 10})}, {{i16, {3, 18}}}},
      {"spectra of 32 bits", form(rfft, {16}), {of(i32, {16})}, {{i32, {18}}}},
      {"inverse", form(irfft, {16}), {of(i32, {3, 18})}, {{i32, {3, 16}}}},
      {"bank",
       form(filter_bank),
       {of(u32, {257}), of(i16, {90}), of(i16, {90}), of(i16, {41}), of(i16, {41}), of(i16, {41})},
       {{u64, {40}}}},
      {"roots", form(square_root), {of(u64, {40}), of(i32, {})}, {{u32, {40}}}},
      {"noise",
       form(spectral_subtraction, {1, 2, 3, 4, 5, 6, 7, 1}),
       {of(u32, {40}), of(u32, {40})},
       {{u32, {40}}, {u32, {40}}}},
      {"gain", form(gain, {13}), {of(u32, {40}), of(u32, {40}), of(i16, {125})}, {{u32, {40}}}},
      {"unknown lines", form(rfft, {16}), {of(i16, {-1, -1})}, {{i16, {-1, 18}}}},
      {"unknown pairs", form(energy, {2, 5}), {of(i16, {-1})}, {{u32, {-1}}}},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const verdict v = infer<op>(r.a, r.in);
    REQUIRE(bool(v));
    REQUIRE(v.outputs.size() == r.out.size());
    for (std::size_t i = 0; i < r.out.size(); ++i) CHECK(v.output(static_cast<int>(i)) == r.out[i]);
  }
}

TEST_CASE("fixed_signal: each rule is broken with its two values") {
  constexpr rule extents = rule::extents_must_be_those_that_the_function_needs;
  NNRT_CHECK_REFUSED(op, {"no function",
                          form(static_cast<signal_function>(10)),
                          {of(i16, {8})},
                          {},
                          rule::function_must_be_one_of_them,
                          10,
                          9});
  NNRT_CHECK_REFUSED(op, {"a number", form(auto_scale), {of(i16, {})}, {}, rule::input_rank_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(op, {"type",
                          form(log, {0, 64}),
                          {of(i16, {8})},
                          {},
                          rule::input_type_must_be_that_of_the_function,
                          int(i16),
                          int(u32)});
  NNRT_CHECK_REFUSED(
      op, {"no weights", form(window, {1}), {of(i16, {8})}, {}, rule::operands_must_be_those_of_the_function, 0, 1});
  NNRT_CHECK_REFUSED(op, {"one too many",
                          form(auto_scale),
                          {of(i16, {8}), of(i16, {8})},
                          {},
                          rule::operands_must_be_those_of_the_function,
                          1,
                          0});
  NNRT_CHECK_REFUSED(op, {"type of weights",
                          form(window, {1}),
                          {of(i16, {8}), of(i32, {8})},
                          {},
                          rule::operand_types_must_be_those_of_the_function,
                          int(i32),
                          int(i16)});
  NNRT_CHECK_REFUSED(
      op, {"no numbers", form(log, {1}), {of(u32, {8})}, {}, rule::numbers_must_be_as_many_as_the_function_has, 1, 2});
  NNRT_CHECK_REFUSED(
      op, {"shift -1", form(log, {-1, 64}), {of(u32, {8})}, {}, rule::numbers_must_not_be_below_the_least, -1, 0});
  NNRT_CHECK_REFUSED(
      op, {"shift 32", form(log, {32, 64}), {of(u32, {8})}, {}, rule::numbers_must_not_be_above_the_most, 32, 31});
  NNRT_CHECK_REFUSED(
      op,
      {"begin after end", form(energy, {3, 2}), {of(i16, {8})}, {}, rule::numbers_must_not_be_above_the_most, 3, 2});
  NNRT_CHECK_REFUSED(
      op,
      {"end after the last", form(energy, {0, 5}), {of(i16, {8})}, {}, rule::numbers_must_not_be_above_the_most, 5, 4});
  NNRT_CHECK_REFUSED(
      op, {"odd length", form(rfft, {9}), {of(i16, {8})}, {}, rule::transforms_must_be_of_an_even_length, 1, 0});
  NNRT_CHECK_REFUSED(op, {"half a pair", form(energy, {0, 2}), {of(i16, {7})}, {}, extents, 1, 0});
  NNRT_CHECK_REFUSED(op, {"long lines", form(rfft, {8}), {of(i16, {9})}, {}, extents, 9, 8});
  NNRT_CHECK_REFUSED(op, {"short spectra", form(irfft, {8}), {of(i16, {8})}, {}, extents, 8, 10});
  NNRT_CHECK_REFUSED(op, {"short window", form(window, {1}), {of(i16, {8}), of(i16, {7})}, {}, extents, 7, 8});
  NNRT_CHECK_REFUSED(op, {"scale bits", form(square_root), {of(u64, {8}), of(i32, {2})}, {}, extents, 2, 1});
  NNRT_CHECK_REFUSED(
      op, {"short table", form(gain, {1}), {of(u32, {8}), of(u32, {8}), of(i16, {124})}, {}, extents, 124, 125});
  NNRT_CHECK_REFUSED(
      op, {"other estimates", form(gain, {1}), {of(u32, {8}), of(u32, {9}), of(i16, {125})}, {}, extents, 9, 8});
  NNRT_CHECK_REFUSED(op, {"other bands",
                          form(filter_bank),
                          {of(u32, {8}), of(i16, {9}), of(i16, {9}), of(i16, {3}), of(i16, {4}), of(i16, {3})},
                          {},
                          extents,
                          4,
                          3});
}

// Results below are those of TensorFlow Lite Micro's signal/src and of kissfft, version 130, compiled by g++ for x86-64
// (-fwrapv), on the inputs that mixed_signal() and energies() make: ApplyWindow, FftAutoScale, SpectrumToEnergy,
// FilterbankAccumulateChannels, FilterbankSqrt, FilterbankSpectralSubtraction, FilterbankLog,
// ApplyPcanAutoGainControlFixed, kiss_fftr and kiss_fftri with FIXED_POINT 16 and 32.

TEST_CASE("fixed_signal: windows round down and are cut to 16 bits") {
  CHECK(made_by<std::int16_t>(form(window, {12}), {2, 4}, mixed_signal<std::int16_t>({2, 4}),
                              mixed_signal<std::int16_t>({4})) ==
        std::vector<std::int16_t>{32767, 32767, 28355, 582, 32767, -32768, -32768, 7057});
}

TEST_CASE("fixed_signal: auto_scale keeps the largest magnitude in 15 bits, and takes -32768 for less than it is") {
  struct row {
    std::vector<std::int16_t> x, y;
    std::int32_t bits;
  };
  const row table[] = {{{3, -5, 0, 2}, {12288, -20480, 0, 8192}, 12},
                       {{0, 0, 0, 0}, {0, 0, 0, 0}, 0},
                       {{-32768, 1, 2, 3}, {0, 8192, 16384, 24576}, 13},
                       {{1, -32768, 0, 0}, {1, -32768, 0, 0}, 0},
                       {{-32768, -32768, -1, 0}, {-32768, -32768, -1, 0}, 0},
                       {{16384, 1, 0, 0}, {16384, 1, 0, 0}, 0},
                       {{-16383, 1, 0, 0}, {-32766, 2, 0, 0}, 1}};
  for (const row& r : table) {
    filled<std::int16_t> x({4}, r.x), y(shape_t{4});
    filled<std::int32_t> bits{shape_t{}};
    const view in[] = {x.as_view()}, out[] = {y.as_view(), bits.as_view()};
    op::reference<std::int16_t>(form(auto_scale), in, out);
    CHECK(y.elements == r.y);
    CHECK(bits.elements[0] == r.bits);
  }
}

TEST_CASE("fixed_signal: energies of pairs, and 0 of those that are not asked for") {
  filled<std::int16_t> x = mixed_signal<std::int16_t>({12});
  x.elements[2] = x.elements[3] = -32768;
  CHECK(made_by<std::uint32_t>(form(energy, {1, 5}), {6}, x) ==
        std::vector<std::uint32_t>{0, 2147483648, 729345645, 897764509, 1230683897, 0});
}

TEST_CASE("fixed_signal: bands of a filter bank have the weights of one and the rest of the next") {
  const filled<std::int16_t> weights = mixed_signal<std::int16_t>({9});
  filled<std::int16_t> unweights = weights;
  for (std::int16_t& weight : unweights.elements)
    weight = static_cast<std::int16_t>(static_cast<std::uint16_t>(4096 - weight));
  const filled<std::int16_t> starts({4}, {1, 2, 4, 6}), first({4}, {0, 1, 3, 6}), widths({4}, {1, 2, 3, 3});
  CHECK(made_by<std::uint64_t>(form(filter_bank), {3}, energies(10, 100), weights, unweights, starts, first, widths) ==
        std::vector<std::uint64_t>{18446735055124080312U, 18446743874922762266U, 6505790690U});
  const filled<std::int16_t> outside({4}, {-1, 9, 10, 32767}), ones({9}, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  const filled<std::uint32_t> x({10}, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
  CHECK(made_by<std::uint64_t>(form(filter_bank), {3}, x, ones, ones, outside, first, widths) ==
        std::vector<std::uint64_t>{512, 512, 0});
}

TEST_CASE("fixed_signal: roots are rounded, and those of 32 bits have 16") {
  const filled<std::uint64_t> x(
      {17}, {0, 1, 2, 3, 4, 6, 7, 65535, 65536, 4294836225U, 4294967294U, 4294967295U, 4294967296U, 4294967297U,
             18446744073709551615U, 18446744065119617025U, 1ULL << 63U});
  const filled<std::int32_t> none(shape_t{}), three(shape_t{}, {3}), all(shape_t{1}, {32}), negative(shape_t{}, {-1});
  const std::vector<std::uint32_t> roots{0,     1,     1,     2,     2,     2,           3,           256,        256,
                                         65535, 65535, 65535, 65536, 65536, 4294967295U, 4294967295U, 3037000500U};
  CHECK(made_by<std::uint32_t>(form(square_root), {17}, x, none) == roots);
  CHECK(made_by<std::uint32_t>(form(square_root), {17}, x, three) ==
        std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 32, 32, 8191, 8191, 8191, 8192, 8192, 536870911, 536870911,
                                   379625062});
  CHECK(made_by<std::uint32_t>(form(square_root), {17}, x, all) == std::vector<std::uint32_t>(17, 0));
  CHECK(made_by<std::uint32_t>(form(square_root), {17}, x, negative) == roots);
}

TEST_CASE("fixed_signal: the estimate of the noise follows the signal, in other steps in odd channels") {
  for (const bool clamps : {false, true}) {
    CAPTURE(clamps);
    const op::attrs a = form(spectral_subtraction, {410, 15974, 983, 15401, 819, 4, 14, clamps ? 1 : 0});
    filled<std::uint32_t> estimate({6}, {0, 1000, 50000, 4000000000U, 7, 0});
    const std::vector<std::uint32_t> y[] = {
        {248667211, 243887062, 49643738, 157841, 851642, 45981},
        {211104115, 115964660, 23383292, clamps ? 3600608U : 349315U, 360229, 48264},
        {162907595, 168371284, 52674705, 156495, 393053, 31729}};
    const std::vector<std::uint32_t> next[] = {
        {102119500, 249066366, 20437061, clamps ? 50521552U : 3763040935U, 349748, 46957},
        {178273406, 367493233, 30039815, clamps ? 54198610U : 3543975894U, 497682, 96246},
        {188915786, 539439442, 51671595, clamps ? 50090896U : 3334351324U, 659096, 128649}};
    for (std::size_t t = 0; t < 3; ++t) {
      filled<std::uint32_t> x = energies(6, 200 + t), made(shape_t{6}), after(shape_t{6});
      const view in[] = {x.as_view(), estimate.as_view()}, out[] = {made.as_view(), after.as_view()};
      op::reference<std::uint32_t>(a, in, out);
      CHECK(made.elements == y[t]);
      CHECK(after.elements == next[t]);
      estimate = after;
    }
  }
}

TEST_CASE("fixed_signal: logarithms by lines, cut to 16 bits") {
  const filled<std::uint32_t> x({12}, {0, 1, 2, 3, 4, 100, 65535, 65536, 65537, 1U << 31U, 4294967295U, 123456789});
  CHECK(made_by<std::int16_t>(form(log, {0, 1600}), {12}, x) ==
        std::vector<std::int16_t>{0, 0, 1109, 1758, 2218, 7368, 17747, 17745, 17745, 32767, 32767, 29811});
  CHECK(made_by<std::int16_t>(form(log, {3, 64}), {12}, x) ==
        std::vector<std::int16_t>{0, 133, 177, 203, 222, 428, 843, 843, 843, 0, 1420, 1326});
}

TEST_CASE("fixed_signal: gains of estimates of every magnitude") {
  filled<std::int16_t> table(shape_t{125});
  for (int i = 0; i < 125; ++i)
    table.elements[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(32000 - i * 200 + i % 3 * 17);
  const filled<std::uint32_t> estimate({10}, {0, 1, 2, 3, 7, 1023, 1024, 70000, 1U << 31U, 4294967295U});
  CHECK(made_by<std::uint32_t>(form(gain, {13}), {10}, energies(10, 300), estimate, table) ==
        std::vector<std::uint32_t>{46689579, 1606973, 2159870, 29248402, 5094, 1936, 475, 1, 0, 0});
}

TEST_CASE("fixed_signal: spectra of 16 and 32 bits, and what they are of, have kissfft's bits") {
  const filled<std::int16_t> eight = mixed_signal<std::int16_t>({8}, 1);
  CHECK(made_by<std::int16_t>(form(rfft, {8}), {10}, eight) ==
        std::vector<std::int16_t>{-3080, 0, 501, -301, -4195, -2067, -1340, -4573, -2154, 0});
  CHECK(made_by<std::int16_t>(form(irfft, {8}), {8}, mixed_signal<std::int16_t>({10})) ==
        std::vector<std::int16_t>{-3679, 2087, 820, 7880, -9991, 7009, 9402, -11360});
  struct row {
    std::int64_t length;
    std::uint32_t forward_16, backward_16, forward_32, backward_32;
  };
  // Radices 2, 3, 4, 5, 7 and 11.
  const row table[] = {{2, 1915341572U, 430075U, 251477828U, 969936951U},
                       {4, 3034711661U, 1936490396U, 1029389100U, 469491928U},
                       {6, 979808692U, 2584608275U, 1871575920U, 4083042192U},
                       {8, 2939713343U, 484373480U, 3694816168U, 20976232U},
                       {10, 3446127814U, 4246259051U, 2117040455U, 3081048907U},
                       {12, 4018055553U, 1535825670U, 2974446905U, 2380473162U},
                       {14, 3919550441U, 3788197962U, 319804470U, 2713365289U},
                       {22, 1286824158U, 1316503525U, 447525533U, 2461356443U},
                       {64, 489875079U, 1411084404U, 2620837636U, 502929520U},
                       {400, 2108456535U, 42988004U, 2788464614U, 2173564352U},
                       {480, 860363341U, 2382271356U, 436038304U, 1890599696U},
                       {512, 2054882719U, 2263579048U, 1368492932U, 2953328396U}};
  for (const row& r : table) {
    CAPTURE(r.length);
    const std::int64_t n = r.length;
    CHECK(digest(made_by<std::int16_t>(form(rfft, {n}), {n + 2}, mixed_signal<std::int16_t>({n}, 1))) == r.forward_16);
    CHECK(digest(made_by<std::int16_t>(form(irfft, {n}), {n}, mixed_signal<std::int16_t>({n + 2}))) == r.backward_16);
    CHECK(digest(made_by<std::int32_t>(form(rfft, {n}), {n + 2}, mixed_signal<std::int32_t>({n}, 1))) == r.forward_32);
    CHECK(digest(made_by<std::int32_t>(form(irfft, {n}), {n}, mixed_signal<std::int32_t>({n + 2}))) == r.backward_32);
  }
}

TEST_CASE("fixed_signal: short lines are continued with zeros, each line for itself") {
  filled<std::int16_t> lines({2, 8}, {100, -200, 3000, 4, 5, 0, 0, 0, 7, 8000, 9, 1000, 11, 0, 0, 0});
  const filled<std::int16_t> cut({2, 5}, {100, -200, 3000, 4, 5, 7, 8000, 9, 1000, 11});
  CHECK(made_by<std::int16_t>(form(rfft, {8}), {2, 10}, cut) == made_by<std::int16_t>(form(rfft, {8}), {2, 10}, lines));
}

static_assert([] {
  filled<std::int16_t> x({2}, {300, -400}), y(shape_t{4});
  const view in[] = {x.as_view()}, out[] = {y.as_view()};
  op::reference<std::int16_t>(form(rfft, {2}), in, out);
  return y.elements[0] < 0 && y.elements[2] > 0;
}());
