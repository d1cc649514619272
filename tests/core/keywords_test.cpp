// keywords_test: a keyword fills the attribute of its name, whatever its kind, or becomes a constant operand.
#include <nnrt/core/keywords.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

struct everything {
  extent2 stride, dilation, kernel;
  pads pad;
  std::int64_t group = 1, axis = 0;
  axis_list axes;
  bool keep_dims = false, ceil_mode = false;
  float epsilon = 0;
  border mode = border::constant;
};
template <class... Keywords> constexpr everything with(Keywords...) {
  everything a;
  (Keywords::set(a), ...);  // all that a keyword says is in its type
  return a;
}

static_assert(with(stride<2, 3>).stride == extent2{2, 3} && with(dilation<2, 3>).dilation == extent2{2, 3});
static_assert(with(kernel<5, 1>).kernel == extent2{5, 1} && with(group<4>).group == 4 && with(axis<-1>).axis == -1);
static_assert(with(padding<1, 2, 3, 4>).pad == pads{pad_mode::explicit_pads, 1, 2, 3, 4});
static_assert(with(same).pad.mode == pad_mode::same && with(valid).pad.mode == pad_mode::valid);
static_assert(with(axes<1, -2>).axes == axis_list{1, -2} && with(keep_dims).keep_dims && with(ceil_mode).ceil_mode);
static_assert(with(epsilon<1e-3F>).epsilon == 1e-3F && with(reflect).mode == border::reflect);
static_assert(with(symmetric).mode == border::symmetric);

TEST_CASE("keywords: as operands, lists have rank 1 and single numbers are scalars") {
  CHECK(decltype(begin<1, 2>)::desc() == tensor_desc{i64, {2}});
  CHECK(decltype(begin<1, 2>)::values[1] == 2);
  CHECK(decltype(axis<3>)::desc() == tensor_desc{i64, {}});
  CHECK(decltype(axes<>)::desc() == tensor_desc{i64, {0}});
}

TEST_CASE("keywords: axis and axes stand for each other where an operator has the other name") {
  CHECK(with(keyword::as_axes(axis<2>)).axes == axis_list{2});
  CHECK(with(keyword::as_axes(axes<1, 2>)).axes == axis_list{1, 2});
  CHECK(with(keyword::as_axis(axes<2>)).axis == 2);
  CHECK(with(keyword::as_axis(keep_dims)).keep_dims);
}

TEST_CASE("keywords: into states a dtype, a quantisation, or both") {
  constexpr tensor_desc type = decltype(into<f16>)::wanted();
  static_assert(type.type == f16 && !type.quantised);
  constexpr tensor_desc both = decltype(into<i8, quant{.scale = 0.5F, .zero_point = -3}>)::wanted();
  static_assert(both.type == i8 && both.quantised == quantisation(quant{.scale = 0.5F, .zero_point = -3}));
  CHECK(decltype(into<quant{.scale = 0.5F}>)::wanted().type == dtype::none);
}

}  // namespace
