#include <nnrt/kernels/bind/broadcast_to.hpp>
#include <nnrt/kernels/bind/crop.hpp>
#include <nnrt/kernels/bind/depth_to_space.hpp>
#include <nnrt/kernels/bind/space_to_depth.hpp>
#include <nnrt/kernels/bind/unstack.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

constexpr dtype moved[] = {boolean, i8, f16, f32, i64};

}  // namespace

TEST_CASE("depth_to_space and space_to_depth: blocks of every size, in both orders") {
  for (const std::int64_t b : {1, 2, 3, 4})
    for (const std::int64_t channels : {1, 3, 16})
      for (const dtype type : moved) {
        CAPTURE(b);
        CAPTURE(channels);
        for (const bool crd : {false, true}) {
          ops::depth_to_space::attrs attrs;
          attrs.block_size = b, attrs.crd = crd;
          check_kernel<ops::depth_to_space>(attrs, {pattern(type, {2, 3, 5, channels * b * b})});
        }
        ops::space_to_depth::attrs attrs;
        attrs.block_size = b;
        if (b > 1) check_kernel<ops::space_to_depth>(attrs, {pattern(type, {2, 3 * b, 5 * b, channels})});
      }
}

TEST_CASE("broadcast_to: repeated axes anywhere, new ones in front, extents that are kept") {
  struct row {
    shape_t x;
    axis_list to;
  };
  for (const row& r : {row{{1, 3, 1, 5}, {2, 3, 4, 5}}, row{{5}, {2, 3, 5}}, row{{}, {2, 3}}, row{{4, 1}, {-1, 7}},
                       row{{2, 3}, {2, 3}}, row{{40, 1, 16}, {3, 40, 50, 16}}})
    for (const dtype type : moved) {
      CAPTURE(r.x.rank);
      ops::broadcast_to::attrs attrs;
      attrs.shape = r.to;
      check_kernel<ops::broadcast_to>(attrs, {pattern(type, r.x)});
    }
}

TEST_CASE("crop: boxes anywhere in a tensor") {
  struct row {
    axis_list offset;
    std::int64_t axis;
    std::vector<std::int64_t> size;
  };
  for (const row& r : {row{{}, 0, {2, 3, 4, 5}}, row{{1}, 0, {2, 2, 3, 4}}, row{{2, 0}, -2, {3, 2, 5, 5}},
                       row{{0, 1, 2, 3}, 0, {1, 1, 1, 1}}})
    for (const dtype type : moved) {
      CAPTURE(r.axis);
      ops::crop::attrs attrs;
      attrs.axis = r.axis, attrs.offset = r.offset;
      check_kernel<ops::crop>(attrs, {pattern(type, {3, 4, 7, 8}), integers_of(r.size)});
    }
}

TEST_CASE("unstack: along every axis") {
  for (const std::int64_t axis : {0, 1, 2, 3, -1})
    for (const dtype type : moved) {
      CAPTURE(axis);
      ops::unstack::attrs attrs;
      attrs.axis = axis;
      const shape_t x{3, 4, 7, 5};
      node_under_test<ops::unstack> node(attrs, {pattern(type, x)},
                                         std::vector<tensor_desc>(static_cast<std::size_t>(x[static_cast<int>(axis)])));
      const blocks expected = node.reference();
      for (const int tiles : {1, 2, 5}) CHECK(node.kernel(node.choose(), tiles) == expected);
    }
}
