// shapes_test: a graph's extents follow from those of its inputs, in the compiler as at run time.
#include <nnrt/nnrt.hpp>
#include <nnrt/passes/shapes.hpp>

#include <doctest/doctest.h>

#include "support/graphs.hpp"
#include "support/operators.hpp"

namespace {

using namespace nnrt_test;

/// A convolution, a pool, a reshape that infers one extent, a product with a weight.
constexpr auto network = [](builder& b) {
  auto x = b.input<f32, shape<2, 8, 8, 3>>("x");
  auto y = relu(conv2d(x, b.weight<f32, shape<4, 3, 3, 3>>("w"), same));
  auto z = max_pool(y, kernel<2, 2>, stride<2, 2>);
  b.output("y", mul(reshape(z, shape<-1, 64>), b.weight<f32, shape<64>>("s")));
};

/// The graph of `network` for a batch of `batch` images; the descs of all results are unknown but for their ranks.
constexpr ir::graph asked_for(std::int64_t batch) {
  ir::graph g = written(network);
  for (ir::value& v : g.values)
    if (v.is == ir::kind::result) v.desc.shape = shape_t::unknown(v.desc.rank());
  g.at(g.inputs[0]).desc.shape[0] = batch;
  return g;
}
constexpr shape_t result_of(const ir::graph& g) { return g.at(g.outputs[0].value).desc.shape; }

constexpr shape_t result_for(std::int64_t batch) {
  ir::graph g = asked_for(batch);
  return passes::infer_shapes(g) ? result_of(g) : shape_t{};
}
static_assert(result_for(2) == shape_t{2, 64});
static_assert(result_for(5) == shape_t{5, 64});
static_assert(result_for(-1) == shape_t{-1, 64});

// Which results may be declared with other axes of extent 1.
using passes::detail::same_but_for_ones;
static_assert(same_but_for_ones({}, {}) && same_but_for_ones({2, 3}, {2, 3}));
static_assert(same_but_for_ones({}, {1}) && same_but_for_ones({}, {-1}) && same_but_for_ones({1}, {}));
static_assert(same_but_for_ones({2, 1, 3}, {2, 3}) && same_but_for_ones({2, 3}, {1, 2, 1, 3, 1}));
static_assert(same_but_for_ones({1, 2}, {2, 1}) && same_but_for_ones({-1, 3}, {2, 3}) &&
              same_but_for_ones({2, 3}, {-1, 3}));
static_assert(same_but_for_ones({3}, {-1, 3}) && !same_but_for_ones({-1, 3}, {3}));
static_assert(!same_but_for_ones({2}, {3}) && !same_but_for_ones({2}, {}) && !same_but_for_ones({}, {2}) &&
              !same_but_for_ones({2, 3}, {3, 2}));
static_assert(!same_but_for_ones({0}, {3}) && !same_but_for_ones({3}, {0}) && !same_but_for_ones({}, {0}) &&
              !same_but_for_ones({0}, {}));
static_assert(!same_but_for_ones({2, 3}, {2}) && !same_but_for_ones({2}, {2, 3}) &&
              !same_but_for_ones({2, 1, 3}, {2, 2, 3}));

TEST_CASE("shapes: what is written is what follows, node by node") {
  ir::graph g = asked_for(2);
  REQUIRE(passes::infer_shapes(g));
  const ir::graph stated = written(network);
  for (std::size_t id = 0; id < stated.values.size(); ++id) CHECK(g.values[id].desc == stated.values[id].desc);
}

TEST_CASE("shapes: the first node that breaks a rule is named") {
  ir::graph g = asked_for(2);
  g.at(g.inputs[0]).desc.shape[3] = 4;
  const passes::shape_inference inferred = passes::infer_shapes(g);
  REQUIRE(!inferred);
  CHECK(inferred.node == 0);
  CHECK(breaks(inferred.broken, ops::conv2d::rule::input_channels_must_equal_weight_channels_times_group, 4, 3));
}

TEST_CASE("shapes: a result that declares another extent, or another rank, breaks a rule") {
  ir::graph g = asked_for(2);
  g.at(g.outputs[0].value).desc.shape = {3, 64};
  CHECK(breaks(passes::infer_shapes(g).broken, signature_rule::declared_output_extent_must_match, 2, 3));
  g = asked_for(2);
  g.at(g.outputs[0].value).desc.shape = {};
  CHECK(breaks(passes::infer_shapes(g).broken, signature_rule::declared_output_rank_must_match, 2, 0));
}

TEST_CASE("shapes: a result that is declared as NHWC stays that, whatever its operator calls it") {
  constexpr auto turned = [](builder& b) {
    b.output("y", relu(transpose(b.input<f32, shape<1, 5, 7, 3>>("x"), perm<0, 3, 1, 2>)));
  };
  ir::graph g = written(turned);
  REQUIRE(passes::infer_shapes(g));
  CHECK(g.at(g.outputs[0].value).desc.layout == nchw);
  for (ir::value& v : g.values)
    if (v.is == ir::kind::result) v.desc.layout = nhwc;
  REQUIRE(passes::infer_shapes(g));
  CHECK(g.at(g.outputs[0].value).desc == tensor_desc{f32, nhwc, {1, 3, 5, 7}});
}

TEST_CASE("shapes: constants are evaluated on the way, and integers that shapes will tell are awaited") {
  constexpr auto extents = [](builder& b) {
    auto x = b.input<f32, shape<2, 3>>("x");
    b.output("extents", add(shape_of(x), b.constant<i32, shape<2>>({10, 20})));
  };
  ir::graph g = written(extents);
  REQUIRE(passes::infer_shapes(g));
  CHECK(g.nodes.empty());
  const ir::value& made = g.at(g.outputs[0].value);
  REQUIRE(made.is == ir::kind::constant);
  CHECK(g.element<std::int32_t>(made, 0) == 12);
  CHECK(g.element<std::int32_t>(made, 1) == 23);

  ir::graph open = written(extents);
  open.at(open.inputs[0]).desc.shape[0] = -1;
  REQUIRE(passes::infer_shapes(open));
  REQUIRE(open.nodes.size() == 2);
  pool<passes::readiness> ready;
  for (const ir::value& v : open.values) ready.push_back(passes::readiness_of(v));
  for (const ir::node& n : open.nodes)
    ready[static_cast<std::size_t>(open.outputs_of(n)[0])] = passes::readiness_of(open, n, ready);
  const auto operands = passes::operands_of(open, open.inputs_of(open.nodes[1]), ready);
  CHECK(operands.operands[0].awaited);
  CHECK(operands.operands[0].constant);
  CHECK(!operands.operands[1].awaited);
  CHECK(operands.operands[1].has_values());
}

}  // namespace
