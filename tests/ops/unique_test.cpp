// unique_test: rules, shapes, results and the DSL function of unique.
#include <nnrt/ops/unique.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::unique;
using rule = op::rule;

constexpr op::attrs in_order(bool sorted) {
  op::attrs a;
  a.sorted = sorted;
  return a;
}

template <class T> struct found {
  std::vector<T> y;
  std::vector<std::int32_t> positions;
  std::int32_t count = 0;
  std::vector<std::int32_t> first, repeats;
  friend constexpr bool operator==(const found&, const found&) = default;
};
template <class T> constexpr found<T> find(bool sorted, std::vector<T> elements) {
  const auto n = static_cast<std::int64_t>(elements.size());
  filled<T> x({n}, static_cast<std::vector<T>&&>(elements)), y({n});
  filled<std::int32_t> positions({n}), count({}), first({n}), repeats({n});
  const view in[] = {x.as_view()};
  const view out[] = {y.as_view(), positions.as_view(), count.as_view(), first.as_view(), repeats.as_view()};
  op::reference<T>(in_order(sorted), in, out);
  return {y.elements, positions.elements, count.elements[0], first.elements, repeats.elements};
}
static_assert(find<std::int32_t>(false, {3, 1, 3, 2, 1}) ==
              found<std::int32_t>{{3, 1, 2, 3, 3}, {0, 1, 0, 2, 1}, 3, {0, 1, 3, 0, 0}, {2, 2, 1, 0, 0}});

// numpy.unique([3, 1, 3, 2, 1], return_index=True, return_inverse=True, return_counts=True) and the first element of y
// as often as there is room.
TEST_CASE("unique: each element once, sorted or in the order in which they come first") {
  CHECK(find<std::int32_t>(true, {3, 1, 3, 2, 1}) ==
        found<std::int32_t>{{1, 2, 3, 1, 1}, {2, 0, 2, 1, 0}, 3, {1, 3, 0, 0, 0}, {2, 1, 2, 0, 0}});
  CHECK(find<std::uint8_t>(true, {255, 0, 255}) ==
        found<std::uint8_t>{{0, 255, 0}, {1, 0, 1}, 2, {1, 0, 0}, {1, 2, 0}});
  CHECK(find<std::int64_t>(false, {7, -7, 7}) == found<std::int64_t>{{7, -7, 7}, {0, 1, 0}, 2, {0, 1, 0}, {2, 1, 0}});
  CHECK(find<double>(false, {}) == found<double>{{}, {}, 0, {}, {}});
}

TEST_CASE("unique: NaNs are one element, which is the largest, and zeros of both signs are one") {
  constexpr float nan = math::nan<float>, inf = math::infinity<float>;
  const found<float> got = find<float>(true, {nan, -0.0F, inf, 0, nan});
  CHECK(got.positions == std::vector<std::int32_t>{2, 0, 1, 0, 2});
  CHECK(got.count == 3);
  CHECK(math::is_nan(got.y[2]));
  CHECK(std::bit_cast<std::uint32_t>(got.y[0]) == 0x80000000U);
  CHECK(find<float16>(false, {float16(nan), float16(1.0F), float16(nan)}).repeats ==
        std::vector<std::int32_t>{2, 1, 0});
}

TEST_CASE("unique: as many places as the list is long") {
  const tensor_desc stored{i8, nd, {7}, quant{0.5F, 3}};
  const verdict v = infer<op>({}, {computed(stored)});
  REQUIRE(bool(v));
  CHECK(v.output(0) == stored);
  CHECK(v.output(1) == tensor_desc{i32, {7}});
  CHECK(v.output(2) == tensor_desc{i32, {}});
  CHECK(v.output(4) == tensor_desc{i32, {7}});
  CHECK(shape_of(infer<op>({}, {computed(f32_of({-1}))})) == shape_t{-1});
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  NNRT_CHECK_REFUSED(
      op,
      {"many", {}, {computed(f32_of({most + 1}))}, {}, rule::elements_must_be_countable_in_32_bits, most + 1, most});
  NNRT_CHECK_REFUSED(op, {"matrix", {}, {computed(f32_of({2, 3}))}, {}, rule::input_rank_must_be_1, 2, 1});
}

constexpr auto network = [](builder& b) {
  auto [y, positions, count, first, repeats] = unique(b.input<i32, shape<6>>("x"), unsorted);
  static_assert(decltype(y)::desc == tensor_desc{i32, {6}} && decltype(count)::desc == tensor_desc{i32, {}});
  b.output("y", y);
};
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes[0].op->code;
}() == op_code{1023});

}  // namespace
