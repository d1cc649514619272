// nonzero_test: rules, shapes, results and the DSL function of nonzero.
#include <nnrt/ops/nonzero.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/convert.hpp>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::nonzero;
using rule = op::rule;

struct found {
  std::vector<std::int64_t> indices;
  std::int32_t count = 0;
  friend constexpr bool operator==(const found&, const found&) = default;
};
template <class T> constexpr found find(shape_t shape, std::vector<T> elements) {
  filled<T> x(shape, static_cast<std::vector<T>&&>(elements));
  filled<std::int64_t> indices({shape.elements(), shape.rank});
  for (std::int64_t& index : indices.elements) index = -9;
  filled<std::int32_t> count({});
  const view in[] = {x.as_view()};
  const view out[] = {indices.as_view(), count.as_view()};
  op::reference<T>({}, in, out);
  return {indices.elements, count.elements[0]};
}
static_assert(find<float>({2, 2}, {0, 1.5F, -0.0F, -2}) == found{{0, 1, 1, 1, 0, 0, 0, 0}, 2});

TEST_CASE("nonzero: indices in the order of memory, then zeros, and how many there are") {
  CHECK(find<std::uint8_t>({2, 1, 3}, {0, 1, 2, 0, 0, 255}) ==
        found{{0, 0, 1, 0, 0, 2, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 3});
  CHECK(find<float>({4}, {math::nan<float>, -0.0F, 1e-45F, 0}) == found{{0, 2, 0, 0}, 2});
  CHECK(find<float16>({2}, {float16(0.0F), float16(1.0F)}) == found{{1, 0}, 1});
  CHECK(find<std::int8_t>({3}, {-128, 0, 127}) == found{{0, 2, 0}, 2});
  CHECK(find<std::uint64_t>({2}, {0, ~std::uint64_t{0}}) == found{{1, 0}, 1});
  CHECK(find<double>({2}, {0, 0}) == found{{0, 0}, 0});
}

TEST_CASE("nonzero: a boolean counts where it is true") {
  bool booleans[] = {false, true, true};
  const tensor_desc desc{boolean, {3}};
  filled<std::int64_t> indices({3, 1});
  filled<std::int32_t> count({});
  const view in[] = {{&desc, booleans}};
  const view out[] = {indices.as_view(), count.as_view()};
  op::reference<bool>({}, in, out);
  CHECK(indices.elements == std::vector<std::int64_t>{1, 2, 0});
  CHECK(count.elements[0] == 2);
}

TEST_CASE("nonzero: of one number there is no index, and of no numbers none") {
  CHECK(find<float>({}, {3}) == found{{}, 1});
  CHECK(find<float>({}, {0}) == found{{}, 0});
  CHECK(find<float>({0, 3}, {}) == found{{}, 0});
}

TEST_CASE("nonzero: as many indices as there are elements, and more than 32 bits count are refused") {
  const verdict v = infer<op>({}, {computed({boolean, {2, 3, 4}})});
  REQUIRE(bool(v));
  CHECK(v.output(0) == tensor_desc{i64, {24, 3}});
  CHECK(v.output(1) == tensor_desc{i32, {}});
  CHECK(shape_of(infer<op>({}, {computed(f32_of({-1, 3}))})) == shape_t{-1, 2});
  CHECK(shape_of(infer<op>({}, {computed(f32_of({}))})) == shape_t{1, 0});
  constexpr std::int64_t most = (std::int64_t{1} << 31) - 1;
  NNRT_CHECK_REFUSED(
      op,
      {"many", {}, {computed(f32_of({most + 1}))}, {}, rule::elements_must_be_countable_in_32_bits, most + 1, most});
}

constexpr auto network = [](builder& b) {
  auto [indices, count] = nonzero(b.input<boolean, shape<2, 3>>("x"));
  static_assert(decltype(indices)::desc == tensor_desc{i64, {6, 2}} && decltype(count)::desc == tensor_desc{i32, {}});
  b.output("indices", indices);
  b.output("count", count);
};
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes[0].op->code;
}() == op_code{1022});

}  // namespace
