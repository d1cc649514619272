// node_table: what each node of a planned network makes, costs and runs on, and where its result lies.
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

constexpr auto classifier = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 4>>("image");
  auto h = layers::batch_norm(layers::conv2d<16, 3, 3>(x, "stem", same, no_bias), "norm");
  auto s = layers::full_connection<10>(flatten(relu(h)), "head");
  g.output("score", s);
};
using classifier_net = graph<classifier>;

constexpr auto halves = [](builder& g) {
  auto x = sigmoid(g.input<f32, shape<1, 64>>("x"));
  auto [left, right] = split(x, axis<1>, output_num<2>);
  g.output("y", matmul(left, reshape(right, shape<32, 1>)));
};
using halves_net = graph<halves>;

constexpr auto cut = [](builder& g) {
  auto x = sigmoid(g.input<f32, shape<1, 64>>("x"));
  g.output("y", nnrt::tanh(slice(x, begin<0, 16>, size<1, 32>)));
};
using cut_net = graph<cut>;

constexpr auto joined = [](builder& g) {
  auto x = g.input<f32, shape<1, 32>>("x");
  g.output("y", concat(nnrt::tanh(x), sigmoid(x), axis<-1>));
};
using joined_net = graph<joined>;

constexpr auto untouched = [](builder& g) { g.output("y", flatten(g.input<f32, shape<1, 2, 2, 1>>("x"))); };

constexpr auto wide = [](builder& g) {
  auto x = g.input<f32, shape<1, 56, 56, 16>>("x");
  auto filtered = layers::depthwise_conv2d<3, 3>(layers::conv2d<96, 1, 1>(x, "expand"), "filter", same);
  g.output("y", softmax(layers::conv2d<16, 1, 1>(filtered, "project")));
};
using wide_net = graph<wide>;

/// The row of the first node of this operator.
template <class G> constexpr node_info row_of(std::string_view op) {
  const std::span<const node_info> rows = G::table();
  for (const node_info& row : rows)
    if (row.op == op) return row;
  return {};
}

}  // namespace

static_assert(classifier_net::table().size() == 3,
              "batch_norm is part of the convolution's weights, relu of the convolution");
static_assert(row_of<classifier_net>("conv2d").macs == 8 * 8 * 16 * 3 * 3 * 4);
static_assert(row_of<classifier_net>("conv2d").parameters == 16 * 3 * 3 * 4 + 16,
              "with the bias that batch_norm gave it");
static_assert(row_of<classifier_net>("full_connection").parameters == 10 * 8 * 8 * 16 + 10);
static_assert(row_of<classifier_net>("full_connection").macs == 10 * 8 * 8 * 16);
static_assert(row_of<classifier_net>("conv2d").stripe == -1 && row_of<classifier_net>("conv2d").stripe_rows == 0);

TEST_CASE("node_table: rows name their nodes, outputs and kernels") {
  struct row {
    const char *op, *name;
    shape_t output;
    bool runs;
  };
  static constexpr row expected[] = {{"conv2d", "stem", {1, 8, 8, 16}, true},
                                     {"reshape", "", {1, 1024}, false},
                                     {"full_connection", "head", {1, 10}, true}};
  const std::span<const node_info> rows = classifier_net::table();
  REQUIRE(rows.size() == std::size(expected));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(expected[i].op);
    CHECK(rows[i].op == expected[i].op);
    CHECK(rows[i].name == expected[i].name);
    CHECK(rows[i].output.shape == expected[i].output);
    CHECK(rows[i].kernel.empty() == !expected[i].runs);
  }
}

TEST_CASE("node_table: a node without a step has its result where its operand lies") {
  CHECK(row_of<classifier_net>("reshape").arena_offset == row_of<classifier_net>("conv2d").arena_offset);
  CHECK(row_of<classifier_net>("reshape").arena_offset >= 0);

  const std::int64_t whole = row_of<halves_net>("sigmoid").arena_offset;
  REQUIRE(row_of<halves_net>("split").kernel.empty());
  CHECK(row_of<halves_net>("split").arena_offset == whole);
  CHECK(row_of<halves_net>("reshape").arena_offset == whole + 32 * 4);

  REQUIRE(row_of<cut_net>("slice").kernel.empty());
  CHECK(row_of<cut_net>("slice").arena_offset == row_of<cut_net>("sigmoid").arena_offset + 16 * 4);
}

TEST_CASE("node_table: a join lies where its first operand was written") {
  REQUIRE(row_of<joined_net>("concat").kernel.empty());
  CHECK(row_of<joined_net>("concat").arena_offset == row_of<joined_net>("tanh").arena_offset);
  CHECK(row_of<joined_net>("sigmoid").arena_offset == row_of<joined_net>("tanh").arena_offset + 32 * 4);
}

TEST_CASE(
    "node_table: nodes that run in stripes say of which group they are, and have no place if only rows of them are "
    "kept") {
  const std::span<const node_info> rows = wide_net::table();
  REQUIRE(rows.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(rows[i].stripe == 0);
    CHECK(rows[i].stripe_rows == wide_net::plan.stripes[0].rows);
    CHECK((rows[i].arena_offset < 0) == (i < 2));
  }
  CHECK(rows[3].stripe == -1);
}

TEST_CASE("node_table: the bytes of an input are not in the arena") {
  CHECK(row_of<graph<untouched>>("reshape").arena_offset == -1);
}

TEST_CASE("node_table: rows add up to the network's own counts when no pass changed a weight") {
  std::int64_t macs = 0;
  for (const node_info& row : classifier_net::table()) macs += row.macs;
  CHECK(macs == classifier_net::macs);
}
