// desc_test: what is known of a tensor without its elements.
#include <nnrt/core/desc.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

static_assert(tensor_desc{f32, {1, 2, 3, 4}}.layout == nhwc && tensor_desc{f32, {2, 3}}.layout == nd);
static_assert(tensor_desc{f32, nchw, {1, 2, 3, 4}}.layout == nchw);
static_assert(tensor_desc{f16, {2, 3}}.bytes() == 12 && tensor_desc{f64, {}}.bytes() == 8);
static_assert(tensor_desc{f32, {-1, 3}}.bytes() == -1 && tensor_desc{f32, {0, 3}}.bytes() == 0);
static_assert(!tensor_desc{}.quantised && tensor_desc{}.type == dtype::none);

TEST_CASE("desc: another shape keeps dtype and quantisation; the format follows the rank when that changes") {
  const tensor_desc image{i8, nchw, {1, 2, 3, 4}, quant{.scale = 0.5F, .zero_point = 1}};
  CHECK(image.with_shape({1, 2, 5, 6}).layout == nchw);
  CHECK(image.with_shape({24}).layout == nd);
  CHECK(image.with_shape({24}).quantised == image.quantised);
  CHECK(image.with_shape({24}).with_shape({1, 1, 1, 24}).layout == nhwc);
  CHECK(image.with_type(f32).type == f32);
  CHECK(image.with_type(f32).layout == nchw);
}

TEST_CASE("desc: descs differ by any of their parts") {
  const tensor_desc x{i8, nhwc, {1, 2, 3, 4}, quant{.scale = 0.5F, .zero_point = 1}};
  CHECK(x == tensor_desc{i8, nhwc, {1, 2, 3, 4}, quant{.scale = 0.5F, .zero_point = 1}});
  CHECK(x != x.with_type(u8));
  CHECK(x != x.with_shape({1, 2, 3, 5}));
  CHECK(x != tensor_desc{i8, nchw, x.shape, x.quantised});
  CHECK(x != tensor_desc{i8, nhwc, x.shape, quant{.scale = 0.5F, .zero_point = 2}});
  CHECK(x != tensor_desc{i8, nhwc, x.shape, quant{.scale = 0.25F, .zero_point = 1}});
  CHECK(x != tensor_desc{i8, nhwc, x.shape});
  CHECK(quantisation(per_channel<0>) != quantisation(per_channel<1>));
}

TEST_CASE("desc: formats have names") {
  CHECK(name_of(format::none) == "none");
  CHECK(name_of(nchw) == "nchw");
  CHECK(name_of(nhwc) == "nhwc");
  CHECK(name_of(nd) == "nd");
}

}  // namespace
