#include <nnrt/kernels/bind/batch_to_space_nd.hpp>
#include <nnrt/kernels/bind/concat.hpp>
#include <nnrt/kernels/bind/fill.hpp>
#include <nnrt/kernels/bind/gather.hpp>
#include <nnrt/kernels/bind/gather_nd.hpp>
#include <nnrt/kernels/bind/one_hot.hpp>
#include <nnrt/kernels/bind/slice.hpp>
#include <nnrt/kernels/bind/space_to_batch_nd.hpp>
#include <nnrt/kernels/bind/split.hpp>
#include <nnrt/kernels/bind/stack.hpp>
#include <nnrt/kernels/bind/strided_slice.hpp>
#include <nnrt/kernels/bind/tile.hpp>
#include <nnrt/kernels/bind/transpose.hpp>
#include <support/kernels.hpp>

#include <algorithm>

using namespace nnrt_test;

namespace {

constexpr dtype moved[] = {boolean, i8, f16, f32, i64};

using list = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("transpose: every permutation of shapes with extents of 1, odd and around whole squares") {
  const shape_t shapes[] = {{2, 3, 4, 5}, {1, 17, 1, 9}, {3, 16, 33, 2}, {2, 5, 1, 40}, {1, 1, 1, 1}};
  list perm = {0, 1, 2, 3};
  do {
    CAPTURE(perm[0] * 1000 + perm[1] * 100 + perm[2] * 10 + perm[3]);
    for (const shape_t& shape : shapes)
      for (const dtype type : moved) check_kernel<ops::transpose>({}, {pattern(type, shape), integers_of(perm)});
  } while (std::next_permutation(perm.begin(), perm.end()));
}

TEST_CASE("transpose: planes of every size around whole tiles") {
  for (std::int64_t rows = 1; rows <= 35; rows += 2)
    for (std::int64_t columns = 1; columns <= 70; columns += 3)
      for (const dtype type : {i8, f32}) {
        CAPTURE(rows);
        CAPTURE(columns);
        check_kernel<ops::transpose>({}, {pattern(type, {2, rows, columns}), integers_of({0, 2, 1})});
      }
}

TEST_CASE("transpose: other ranks, negative axes, channel shuffles") {
  check_kernel<ops::transpose>({}, {pattern(f32, {7}), integers_of({0})});
  check_kernel<ops::transpose>({}, {pattern(f32, {7, 9}), integers_of({-1, -2})});
  check_kernel<ops::transpose>({}, {pattern(f32, {5, 2, 29}), integers_of({0, 2, 1})});
  check_kernel<ops::transpose>({}, {pattern(f32, {2, 3, 2, 3, 2, 3, 2, 3}), integers_of({7, 5, 3, 1, 0, 2, 4, 6})});
  check_kernel<ops::transpose>({}, {pattern(f32, {2, 3, 2, 3, 2, 3, 2, 3}), integers_of({0, 4, 2, 3, 1, 5, 6, 7})});
  check_kernel<ops::transpose>({}, {pattern(f32, {300, 301}), integers_of({1, 0})});
}

TEST_CASE("concat: any axis, any number of inputs") {
  for (const dtype type : moved) {
    for (std::int64_t axis = -3; axis < 3; ++axis) {
      CAPTURE(axis);
      ops::concat::attrs attrs;
      attrs.axis = axis;
      std::vector<given_operand> in;
      for (const std::int64_t extent : {1, 5, 2, 16, 0, 7})
        in.push_back(pattern(type, shape_t{3, 4, 5}.with(static_cast<int>(axis < 0 ? axis + 3 : axis), extent)));
      check_kernel<ops::concat>(attrs, std::move(in));
    }
    check_kernel<ops::concat>({}, {pattern(type, {2, 3})});
  }
  ops::concat::attrs channels;
  channels.axis = 3;
  check_kernel<ops::concat>(channels, {pattern(f32, {1, 40, 40, 33}), pattern(f32, {1, 40, 40, 31})});
}

TEST_CASE("split: any axis, equal and given parts") {
  for (const dtype type : moved)
    for (std::int64_t axis = -3; axis < 3; ++axis) {
      CAPTURE(axis);
      ops::split::attrs attrs;
      attrs.axis = axis;
      attrs.output_num = 3;
      check_kernel<ops::split>(attrs, {pattern(type, {6, 9, 12})});
      ops::split::attrs sized;
      sized.axis = axis;
      sized.sizes = {1, 4, -1};
      check_kernel<ops::split>(sized, {pattern(type, {6, 9, 12})});
      sized.sizes = {0, 5, 0, -1};
      check_kernel<ops::split>(sized, {pattern(type, {6, 9, 12})});
    }
}

TEST_CASE("slice: boxes of any shape") {
  struct row {
    shape_t x;
    list begin, size;
    axis_list axes;
  };
  const row table[] = {
      {{5, 6, 7}, {0, 0, 0}, {5, 6, 7}, {}},   {{5, 6, 7}, {1, 2, 3}, {2, 3, 4}, {}},
      {{5, 6, 7}, {0, 5, 0}, {-1, 1, -1}, {}}, {{5, 6, 7}, {6}, {1}, {-1}},
      {{5, 6, 7}, {3, 2}, {-1, 2}, {2, 0}},    {{2, 30, 40, 16}, {0, 3, 5, 0}, {2, 20, 30, 16}, {}},
      {{40, 3}, {0, 1}, {40, 2}, {}},          {{9}, {4}, {5}, {}},
  };
  for (const row& r : table)
    for (const dtype type : moved) {
      CAPTURE(r.begin[0]);
      ops::slice::attrs attrs;
      attrs.axes = r.axes;
      check_kernel<ops::slice>(attrs, {pattern(type, r.x), integers_of(r.begin), integers_of(r.size)});
    }
}

TEST_CASE("stack: a new axis anywhere, any number of inputs") {
  for (const dtype type : moved)
    for (const std::size_t count : {1U, 2U, 7U})
      for (std::int64_t axis = -4; axis < 4; ++axis) {
        CAPTURE(axis);
        CAPTURE(count);
        ops::stack::attrs attrs;
        attrs.axis = axis;
        check_kernel<ops::stack>(attrs, std::vector<given_operand>(count, pattern(type, {3, 4, 5})));
      }
  check_kernel<ops::stack>({}, {pattern(f32, {}), pattern(f32, {})});
  ops::stack::attrs last;
  last.axis = -1;
  check_kernel<ops::stack>(last, {pattern(f32, {200, 300}), pattern(f32, {200, 300})});
}

TEST_CASE("tile: any multiples") {
  struct row {
    shape_t x;
    list multiples;
  };
  const row table[] = {
      {{5}, {3}},
      {{}, {}},
      {{3, 4, 5}, {1, 1, 1}},
      {{3, 4, 5}, {2, 1, 1}},
      {{3, 4, 5}, {1, 3, 1}},
      {{3, 4, 5}, {1, 1, 4}},
      {{3, 4, 5}, {2, 3, 4}},
      {{1, 4, 1}, {7, 1, 9}},
      {{2, 1, 2, 1, 2, 1, 2, 1}, {2, 3, 2, 3, 2, 3, 2, 3}},
      {{2, 2, 2, 2, 2, 2, 2, 2}, {2, 2, 2, 2, 2, 2, 2, 2}},
      {{1, 100, 7, 3}, {3, 1, 30, 2}},
      {{}, {3, 2}},
      {{5}, {4, 3}},
      {{3, 4}, {2, 1, 1, 5, 1, 2, 1, 3}},
  };
  for (const row& r : table)
    for (const dtype type : moved) {
      CAPTURE(r.x.rank);
      check_kernel<ops::tile>({}, {pattern(type, r.x), integers_of(r.multiples)});
    }
}

TEST_CASE("fill: any number of elements of any size") {
  for (const dtype type : moved)
    for (const std::int64_t count : {1, 3, 64, 1000, 200'000}) {
      CAPTURE(count);
      given_operand one = pattern(type, {3});
      one = bytes_of({type, {}}, one.bytes.data() + size_of(type));
      check_kernel<ops::fill>({}, {one, integers_of({count})});
    }
}

TEST_CASE("gather: rows of any size, along any axis, by indices of either width") {
  for (const dtype type : moved)
    for (std::int64_t axis = -3; axis < 3; ++axis)
      for (const shape_t& shape : {shape_t{6, 7, 8}, shape_t{5, 6, 5}, shape_t{9, 5, 6}}) {
        CAPTURE(axis);
        check_kernel<ops::gather>({}, {pattern(type, shape), integers_of({4, -5, 0, 0, -1, 4}), integers_of({axis})});
        const std::int32_t narrow[] = {1, 0, -2, 3};
        check_kernel<ops::gather>({}, {pattern(type, shape), bytes_of({i32, {2, 2}}, narrow), integers_of({axis})});
      }
  list many;
  for (std::int64_t i = 0; i < 4000; ++i) many.push_back(i * 7 % 500);
  check_kernel<ops::gather>({}, {pattern(f32, {500, 33}), integers_of(many), integers_of({0})});
}

TEST_CASE("gather: for an index outside, the caller gets the fault, and the row is zeros") {
  const std::int32_t indices[] = {0, 4, -5, 3};
  node_under_test<ops::gather> node({}, {pattern(f32, {4, 3}), bytes_of({i32, {4}}, indices), integers_of({0})});
  const blocks got = node.kernel(node.choose(), 3);
  CHECK(std::equal(got[0].begin(), got[0].begin() + 12, node.in[0].bytes.begin()));
  CHECK(std::all_of(got[0].begin() + 12, got[0].begin() + 36, [](std::byte b) { return b == std::byte{}; }));
  CHECK(std::equal(got[0].begin() + 36, got[0].end(), node.in[0].bytes.begin() + 36));
  blocks memory = {std::vector<std::byte>(48)};
  const view in[] = {node.in[0].as_view(), node.in[1].as_view(), node.in[2].as_view()};
  const view out[] = {{&node.outputs[0], any_pointer::bytes(memory[0].data())}};
  run_fault fault;
  node.choose().run({node.words, in, out, nullptr, 0, 1, 0, 1, &fault});
  CHECK(fault.rule == static_cast<int>(ops::gather::rule::indices_must_lie_in_the_axis));
  CHECK(fault.position == 1);
}

TEST_CASE("gather and gather_nd: where indices count from the start alone, a negative one is outside") {
  ops::detail::index_attributes from_start;
  from_start.negative_indices = false;
  const auto check = [&](auto node, int rule) {
    std::vector<view> in;
    for (auto& each : node.in) in.push_back(each.as_view());
    std::vector<std::byte> memory(24, std::byte{1});
    const view out[] = {{&node.outputs[0], any_pointer::bytes(memory.data())}};
    run_fault fault;
    node.choose().run({node.words, in, out, nullptr, 0, 1, 0, 1, &fault});
    CHECK(fault.rule == rule);
    CHECK(fault.actual == -1);
    CHECK(fault.expected == 0);
    CHECK(std::equal(memory.begin(), memory.begin() + 12, node.in[0].bytes.begin() + 12));
    CHECK(std::all_of(memory.begin() + 12, memory.end(), [](std::byte b) { return b == std::byte{}; }));
  };
  const std::int32_t indices[] = {1, -1};
  check(
      node_under_test<ops::gather>(from_start, {pattern(f32, {2, 3}), bytes_of({i32, {2}}, indices), integers_of({0})}),
      static_cast<int>(ops::gather::rule::indices_must_lie_in_the_axis));
  check(node_under_test<ops::gather_nd>(from_start, {pattern(f32, {2, 3}), bytes_of({i32, {2, 1}}, indices)}),
        static_cast<int>(ops::gather_nd::rule::indices_must_lie_in_their_axes));
}

TEST_CASE("gather_nd: places of any size, named by indices of any number and either width") {
  const shape_t x = {3, 4, 5, 3};
  const std::int32_t narrow[] = {1, -1, 0, -3, 2, -2, 2, 0, 2, 0, 1, 1};
  const std::int64_t wide[] = {0, 2, -3, 1, 1, -1, 0, 2, -2, 2, 0, 1};
  for (const dtype type : moved)
    for (const std::int64_t length : {1, 2, 3, 4}) {
      CAPTURE(length);
      check_kernel<ops::gather_nd>({}, {pattern(type, x), bytes_of({i64, {12 / length, length}}, wide)});
      check_kernel<ops::gather_nd>({}, {pattern(type, x), bytes_of({i32, {12 / length, 1, length}}, narrow)});
    }
  std::vector<std::int32_t> many;
  for (std::int32_t i = 0; i < 4000; ++i) many.push_back(i * 7 % 20);
  check_kernel<ops::gather_nd>({}, {pattern(f32, {20, 20, 33}), bytes_of({i32, {2000, 2}}, many.data())});
  check_kernel<ops::gather_nd>({}, {pattern(f32, {2, 3}), bytes_of({i32, {2, 0}}, many.data())});
}

TEST_CASE("gather_nd: for an index outside, the caller gets the fault, and the place is zeros") {
  const std::int32_t indices[] = {0, 1, 1, 2, -3, 0, -1, -2};
  node_under_test<ops::gather_nd> node({}, {pattern(f32, {2, 2, 3}), bytes_of({i32, {4, 2}}, indices)});
  const blocks got = node.kernel(node.choose(), 3);
  CHECK(std::equal(got[0].begin(), got[0].begin() + 12, node.in[0].bytes.begin() + 12));
  CHECK(std::all_of(got[0].begin() + 12, got[0].begin() + 36, [](std::byte b) { return b == std::byte{}; }));
  CHECK(std::equal(got[0].begin() + 36, got[0].end(), node.in[0].bytes.begin() + 24));
  blocks memory = {std::vector<std::byte>(48)};
  const view in[] = {node.in[0].as_view(), node.in[1].as_view()};
  const view out[] = {{&node.outputs[0], any_pointer::bytes(memory[0].data())}};
  run_fault fault;
  node.choose().run({node.words, in, out, nullptr, 0, 1, 0, 1, &fault});
  CHECK(fault.rule == static_cast<int>(ops::gather_nd::rule::indices_must_lie_in_their_axes));
  CHECK(fault.position == 3);
}

TEST_CASE("strided_slice: steps of any size and sign, and every mask") {
  struct row {
    shape_t x;
    list begin, end, strides;
    std::int64_t masks[5] = {};
  };
  const row table[] = {
      {{9}, {1}, {8}, {1}},
      {{9}, {1}, {8}, {3}},
      {{9}, {-1}, {-10}, {-1}},
      {{9}, {7}, {0}, {-2}},
      {{5, 6, 7}, {1, 2, 3}, {4, 5, 7}, {1, 1, 1}},
      {{5, 6, 7}, {0, 0, 0}, {5, 6, 7}, {2, 1, 1}},
      {{5, 6, 7}, {0, 0, 0}, {5, 6, 7}, {1, 4, 3}},
      {{5, 6, 7}, {4, 5, 6}, {-9, -9, -9}, {-1, -1, -1}},
      {{5, 6, 7}, {4, 0, 6}, {-9, 9, -9}, {-2, 2, -3}},
      {{5, 6, 7}, {0, 2, 0}, {0, 3, 0}, {1, 1, 1}, {5, 5, 0, 0, 2}},
      {{5, 6, 7}, {0, 0, 5}, {0, 0, 1}, {1, 1, -2}, {0, 0, 1, 2, 0}},
      {{5, 6, 7}, {-1, -1, -1}, {0, 0, 0}, {1, 1, 1}, {0, 0, 0, 0, 7}},
      {{2, 30, 40, 16}, {0, 1, 0, 0}, {2, 30, 40, 16}, {1, 2, 2, 1}},
      {{1, 2, 1, 3, 1, 2, 1, 2}, {0}, {1}, {1}, {0, 0, 0, 0, 1}},
  };
  for (const row& r : table)
    for (const dtype type : moved) {
      CAPTURE(r.x.rank);
      CAPTURE(r.strides[0]);
      ops::strided_slice::attrs attrs;
      attrs.begin_mask = r.masks[0];
      attrs.end_mask = r.masks[1];
      attrs.ellipsis_mask = r.masks[2];
      attrs.new_axis_mask = r.masks[3];
      attrs.shrink_axis_mask = r.masks[4];
      check_kernel<ops::strided_slice>(
          attrs, {pattern(type, r.x), integers_of(r.begin), integers_of(r.end), integers_of(r.strides)});
    }
}

TEST_CASE("strided_slice: lists of a run that do not give the planned shape are a fault, and nothing is written") {
  const std::int32_t begin[] = {1}, end[] = {9}, strides[] = {1};
  node_under_test<ops::strided_slice> node(
      {}, {pattern(f32, {9}), bytes_of({i32, {1}}, begin), bytes_of({i32, {1}}, end), bytes_of({i32, {1}}, strides)},
      {tensor_desc{f32, {3}}});
  blocks memory = {std::vector<std::byte>(12, std::byte{7})};
  std::vector<view> in;
  for (given_operand& x : node.in) in.push_back(x.as_view());
  const view out[] = {{&node.outputs[0], any_pointer::bytes(memory[0].data())}};
  run_fault fault;
  node.choose().run({node.words, in, out, nullptr, 0, 1, 0, 1, &fault});
  CHECK(fault.rule == static_cast<int>(ops::strided_slice::rule::extent_must_be_that_of_the_output));
  CHECK(fault.actual == 8);
  CHECK(memory[0] == std::vector<std::byte>(12, std::byte{7}));
}

TEST_CASE("space_to_batch_nd and batch_to_space_nd: blocks of any size, with and without a border") {
  struct row {
    shape_t image;  // of space_to_batch_nd's input
    extent2 block;
    int_list<4> border;
  };
  const row table[] = {
      {{1, 4, 4, 1}, {1, 1}, {}},           {{1, 4, 4, 1}, {2, 2}, {}},
      {{3, 4, 9, 5}, {2, 3}, {0, 0, 0, 0}}, {{2, 5, 7, 3}, {2, 2}, {1, 0, 0, 1}},
      {{2, 5, 7, 3}, {3, 4}, {3, 1, 4, 1}}, {{1, 2, 2, 4}, {4, 5}, {9, 9, 8, 10}},
      {{1, 1, 1, 2}, {7, 1}, {0, 6, 0, 0}}, {{2, 40, 40, 24}, {2, 2}, {1, 1, 1, 1}},
  };
  for (const row& r : table)
    for (const dtype type : moved) {
      CAPTURE(r.block.h);
      CAPTURE(r.image[1]);
      ops::space_to_batch_nd::attrs apart;
      apart.block = r.block;
      apart.paddings = r.border;
      check_kernel<ops::space_to_batch_nd>(apart, {pattern(type, r.image)});
      const tensor_desc x{type, r.image};
      const operand given{x, {}, false};
      const shape_t blocks = infer_node<ops::space_to_batch_nd>(apart, std::span(&given, 1), {}).output(0).shape;
      ops::batch_to_space_nd::attrs together;
      together.block = r.block;
      together.crops = r.border;
      check_kernel<ops::batch_to_space_nd>(together, {pattern(type, blocks)});
    }
  given_operand stored = pattern(i8, {1, 3, 3, 2});
  stored.desc.quantised = quant{.scale = 0.5F, .zero_point = -3};
  ops::space_to_batch_nd::attrs apart;
  apart.block = {2, 2};
  apart.paddings = {1, 0, 0, 1};
  check_kernel<ops::space_to_batch_nd>(apart, {stored});
}

TEST_CASE("one_hot: every dtype, axis and kind of index, in any number of parts") {
  const std::int32_t narrow[] = {1, 0, -2, 3, 9, 4};
  for (const dtype type : moved)
    for (const std::int64_t axis : {-1, 0, 1}) {
      CAPTURE(int(type));
      CAPTURE(axis);
      ops::one_hot::attrs attrs;
      attrs.axis = axis;
      given_operand on = pattern(type, {1}), off = pattern(type, {});
      if (type != boolean) on.bytes[0] = std::byte{0x5c};
      off.bytes[0] = std::byte{0};
      check_kernel<ops::one_hot>(attrs, {integers_of({4, -5, 0, 0, 17, 16}), integers_of({17}), on, off});
      check_kernel<ops::one_hot>(attrs, {bytes_of({i32, {2, 3}}, narrow), integers_of({5}), on, off});
    }
  CHECK(has_no_kernel<ops::one_hot>({}, {integers_of({1, 2}), integers_of({0}), floats({1}), floats({1})}));
}
