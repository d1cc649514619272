#include <nnrt/bpu.hpp>
#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace nnrt;

namespace {

using old = bpu<bernoulli2>;
using ultra = bpu<bayes>;
using wanted = bpu<bayes, strict>;

/// A layer that X3 has not, between two that it has, and a softmax at the end.
constexpr auto mixed = [](builder& g) {
  auto x = g.input<f32, shape<1, 16, 16, 4>>("x");
  auto a = layers::conv2d<8, 3, 3>(x, "stem", same, relu);
  auto b = hswish(a);
  auto c = layers::conv2d<8, 3, 3>(b, "body", same);
  g.output("y", softmax(layers::full_connection<10>(flatten(c), "head")));
};
using net = graph<mixed>;

constexpr auto large_kernel = [](builder& g) {
  auto x = g.input<f32, shape<1, 16, 16, 4>>("x");
  g.output("y", layers::conv2d<8, 9, 7>(x, "wide", same));
};

static_assert(supports<ultra, net> && supports<wanted, net> && !supports<old, net>);
static_assert(supports<cpu, net> && !supports<old, graph<large_kernel>>);

// On the processor: softmax on request, hswish and what needs it not at all on X3.
static_assert(partition<ultra, net>.segments.size() == 2 && partition<ultra, net>.on_processor == 1);
static_assert(partition<wanted, net>.segments.size() == 1 && partition<wanted, net>.on_processor == 0);
static_assert(partition<old, net>.segments.size() == 4 && partition<old, net>.on_processor == 2);
static_assert(partition<old, net>.segments[0].place == node_place::accelerator &&
              partition<old, net>.segments[1].place == node_place::processor);
static_assert(partition<old, net>.nodes[1].op == "hswish" &&
              partition<old, net>.nodes[1].reason.breaks(accelerator_rule::operator_must_be_in_the_table));
static_assert(partition<cpu, net>.segments.size() == 1 && partition<cpu, net>.on_accelerator == 0);

constexpr auto normalised = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 4>>("x");
  auto a = conv2d(x, g.weight<f32, shape<8, 3, 3, 4>>("a.weight"), same);
  auto b = batch_norm(a, g.weight<f32, shape<8>>("n.scale"), g.weight<f32, shape<8>>("n.offset"),
                      g.weight<f32, shape<8>>("n.mean"), g.weight<f32, shape<8>>("n.variance"));
  g.output("y", relu(b));
};
constexpr auto not_folded = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 4>>("x");
  auto b =
      batch_norm(max_pool(x, kernel<2, 2>), g.weight<f32, shape<4>>("n.scale"), g.weight<f32, shape<4>>("n.offset"),
                 g.weight<f32, shape<4>>("n.mean"), g.weight<f32, shape<4>>("n.variance"));
  g.output("y", b);
};
// What passes fold into a layer's weights runs before the network, and no limit is asked about it.
static_assert(supports<old, graph<normalised>> && !supports<old, graph<not_folded>> &&
              supports<ultra, graph<not_folded>>);

// Named nodes stay on the processor, for a policy that takes them; a name that nobody has changes nothing.
using careful = bpu<bayes, on_processor<"stem", "head">>;
static_assert(!supports<careful, net> && partition<careful, net>.on_processor == 3 &&
              partition<careful, net>.segments.size() == 3);
static_assert(
    partition<careful, net>.nodes[0].reason.breaks(accelerator_rule::node_must_be_wanted_on_the_accelerator) &&
    partition<careful, net>.nodes[1].reason);
static_assert(supports<bpu<bayes, on_processor<"other">, strict>, net>);
static_assert(partition<careful, net>.segments[0].nodes == 1 && partition<careful, net>.segments[1].nodes == 3 &&
              partition<careful, net>.segments[2].nodes == 2);

}  // namespace

TEST_CASE("partition: the text names node, operator, rule, value and limit") {
  CHECK(partition<old, graph<large_kernel>>.text() ==
        "0  processor  conv2d \"wide\": kernel must lie within the limits (got 9, expected 7)\n");
  CHECK(partition<ultra, net>.text() ==
        "0  accelerator  conv2d \"stem\"\n"
        "0  accelerator  hswish\n"
        "0  accelerator  conv2d \"body\"\n"
        "0  accelerator  reshape\n"
        "0  accelerator  full_connection \"head\"\n"
        "1  processor  softmax: operator must be asked for (got 0, expected 1)\n");
  CHECK(partition<careful, net>.text() ==
        "0  processor  conv2d \"stem\": node must be wanted on the accelerator (got 0, expected 1)\n"
        "1  accelerator  hswish\n"
        "1  accelerator  conv2d \"body\"\n"
        "1  accelerator  reshape\n"
        "2  processor  full_connection \"head\": node must be wanted on the accelerator (got 0, expected 1)\n"
        "2  processor  softmax: operator must be asked for (got 0, expected 1)\n");
}

TEST_CASE("partition: a graph that arrives at run time is placed as the compiler places it") {
  ir::graph g = net::ir();
  passes::optimise(g);
  const graph_placement placed = old::place(g);
  REQUIRE(placed.nodes.size() == partition<old, net>.nodes.size());
  REQUIRE(placed.segments.size() == partition<old, net>.segments.size());
  for (std::size_t i = 0; i < placed.nodes.size(); ++i) {
    CHECK(placed.nodes[i].place == partition<old, net>.nodes[i].place);
    CHECK(placed.nodes[i].segment == partition<old, net>.nodes[i].segment);
    CHECK(placed.nodes[i].reason == partition<old, net>.nodes[i].reason);
  }
}

TEST_CASE("dot: segments have colours, one for each place") {
  const std::string picture = net::dot<old>();
  const auto count = [&](const std::string& colour) {
    int found = 0;
    for (std::size_t at = picture.find(colour); at != std::string::npos; at = picture.find(colour, at + 1)) ++found;
    return found;
  };
  CHECK(count("#d7f0d2") == 1);                     // stem
  CHECK(count("#a9dba0") == 3);                     // body, reshape, head: the second segment of the accelerator
  CHECK(count("#fde3c0") + count("#f8c68a") == 2);  // hswish, softmax
  CHECK(count("fillcolor=\"#f6f6f6\"") == 0);
}
