// apply_test: calls of operators become nodes - operands in their slots, keywords in attributes or constants, scalars
// typed.
#include <nnrt/ir/apply.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/split.hpp>

namespace {

using namespace nnrt;

struct fixture {
  builder b;
  const ir::graph& g = b.graph();
  const ir::node& last() const { return g.nodes.back(); }
  template <class Op> typename Op::attrs attributes() const { return unpack<typename Op::attrs>(g.attrs_of(last())); }
};

TEST_CASE("apply: keywords fill attributes in any order, and what is not said has its default") {
  fixture f;
  auto x = f.b.input<f32, shape<1, 9, 9, 4>>("x");
  auto w = f.b.weight<f32, shape<6, 3, 3, 2>>("w");
  const auto check = [&] {
    const auto a = f.attributes<ops::conv2d>();
    CHECK(a.stride == extent2{2, 3});
    CHECK(a.group == 2);
    CHECK(a.pad.mode == pad_mode::same);
    CHECK(a.fused == activation::relu);
    CHECK(a.dilation == extent2{1, 1});
  };
  conv2d(x, w, stride<2, 3>, group<2>, same, relu);
  check();
  conv2d(x, w, relu, same, group<2>, stride<2, 3>);
  check();
}

TEST_CASE("apply: tensors fill the slots in order, and a missing optional operand is not there") {
  fixture f;
  auto x = f.b.input<f32, shape<1, 9, 9, 4>>("x");
  auto w = f.b.weight<f32, shape<6, 1, 1, 4>>("w");
  auto bias = f.b.weight<f32, shape<6>>("b");
  conv2d(x, w);
  CHECK(f.g.inputs_of(f.last()).size() == 2);
  conv2d(x, w, bias);
  REQUIRE(f.g.inputs_of(f.last()).size() == 3);
  CHECK(f.g.inputs_of(f.last())[0] == x.id);
  CHECK(f.g.inputs_of(f.last())[1] == w.id);
  CHECK(f.g.inputs_of(f.last())[2] == bias.id);
}

TEST_CASE("apply: keywords that are operands become constants in the slot of their name") {
  fixture f;
  auto x = f.b.input<f32, shape<4, 5>>("x");
  auto y = slice(x, size<2, 3>, begin<1, 2>);
  static_assert(decltype(y)::desc.shape == shape_t{2, 3});
  const auto in = f.g.inputs_of(f.last());
  REQUIRE(in.size() == 3);
  const auto integer = [&](std::size_t operand, std::int64_t i) {
    return f.g.element<std::int64_t>(f.g.at(in[operand]), i);
  };
  CHECK(integer(1, 0) == 1);
  CHECK(integer(1, 1) == 2);
  CHECK(integer(2, 0) == 2);
  CHECK(integer(2, 1) == 3);
  CHECK(f.g.at(in[1]).desc == tensor_desc{i64, {2}});
}

TEST_CASE("apply: a scalar takes the dtype of the tensor with it, on either side") {
  fixture f;
  auto x = f.b.input<i8, shape<4>>("x");
  x + 3;
  std::int32_t scalar = f.g.inputs_of(f.last())[1];
  CHECK(f.g.at(scalar).desc == tensor_desc{i8, {}});
  CHECK(f.g.element<std::int8_t>(f.g.at(scalar), 0) == 3);
  auto z = f.b.input<f32, shape<4>>("z");
  2 + z;
  scalar = f.g.inputs_of(f.last())[0];
  CHECK(f.g.at(scalar).desc == tensor_desc{f32, {}});
  CHECK(f.g.element<float>(f.g.at(scalar), 0) == 2.0F);
}

TEST_CASE("apply: several outputs come apart in structured bindings, in order") {
  fixture f;
  auto x = f.b.input<f32, shape<6, 2>>("x");
  auto [a, b, c] = split(x, sizes<1, 2, 3>, axis<0>);
  static_assert(decltype(a)::desc.shape == shape_t{1, 2} && decltype(b)::desc.shape == shape_t{2, 2});
  static_assert(decltype(c)::desc.shape == shape_t{3, 2});
  const auto out = f.g.outputs_of(f.last());
  REQUIRE(out.size() == 3);
  CHECK(a.id == out[0]);
  CHECK(b.id == out[1]);
  CHECK(c.id == out[2]);
  CHECK(f.g.at(c.id).desc.shape == shape_t{3, 2});
}

TEST_CASE("apply: nodes name the operator of their dtype, so that no other one is compiled") {
  fixture f;
  relu(f.b.input<f32, shape<4>>("x"));
  CHECK(f.last().op == &static_operator<ops::relu, f32>);
  relu(f.b.input<i32, shape<4>>("z"));
  CHECK(f.last().op == &static_operator<ops::relu, i32>);
}

TEST_CASE("apply: into<> wishes for the quantisation of the output") {
  fixture f;
  auto x = f.b.input<i8, shape<1, 4, 4, 1>, nhwc, quant{.scale = 0.5F, .zero_point = 1}>("x");
  auto w = f.b.weight<i8, shape<2, 1, 1, 1>, nhwc, quant{.scale = 0.25F}>("w");
  auto y = conv2d(x, w, into<quant{.scale = 0.02F, .zero_point = -3}>);
  static_assert(decltype(y)::desc.quantised == quantisation(quant{.scale = 0.02F, .zero_point = -3}));
  CHECK(f.g.at(y.id).desc == decltype(y)::desc);
}

}  // namespace
