// dump_plan_test: the table of a plan, letter by letter for a small network.
// Kernels come first: operators that are named before they have been seen have none.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/dump_plan.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/registry.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/passes/optimise.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

TEST_CASE("dump_plan: what the passes did, what runs once, the steps and where results lie") {
  ir::graph g = written([](builder& b) {
    const auto row = [&](std::string_view name) { return b.weight<f32, shape<3>>(name); };
    auto x = b.input<f32, shape<2, 4>>("x");
    auto h = full_connection(x, b.weight<f32, shape<3, 4>>("fc.weight"));
    auto n = batch_norm(h, row("bn.scale"), row("bn.offset"), row("bn.mean"), row("bn.variance"));
    b.output("y", relu(n));
    b.output("x", x);
  });
  passes::optimise(g);
  const plan made = make_plan(g, {.fast_kernels = false});
  CHECK(dump_plan(g, plan_view::of(made), made.arena_lower_bound) ==
        "passes\n"
        "  folded batch_norm into full_connection \"fc\"\n"
        "  fused relu into full_connection \"fc\"\n"
        "prepare, once\n"
        "  fold_affine \"fc\"                  f32 [3, 4]                  reference                   prepared+0      "
        "    epsilon=0.0001 axis=0 divided=false\n"
        "steps\n"
        "  full_connection \"fc\"              f32 [2, 3]                  reference                   arena+64        "
        "    axis=-1 fused=relu\n"
        "  copy\n"
        "memory\n"
        "  arena 128 bytes (lower bound 128), prepared weights 128 bytes\n");
}

TEST_CASE("dump_plan: steps that run in stripes stand together, with the rows that they make at a time") {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<1, 9, 16, 32>>("x");
    auto h = depthwise_conv2d(x, b.weight<f32, shape<32, 3, 3, 1>>("a.weight"), same);
    auto d = depthwise_conv2d(h, b.weight<f32, shape<32, 3, 3, 1>>("b.weight"), same, relu);
    b.output("y", softmax(d));
  });
  for (ir::node& n : g.nodes) n.op = ops::find(n.op->code);  // a plan made at run time has kernels for these
  const plan made = make_plan(g, {.stripes = {.rows = 2}});
  const std::string text = dump_plan(g, plan_view::of(made), made.arena_lower_bound);
  CHECK(text.substr(text.find("steps\n"), text.find("memory\n") - text.find("steps\n")) ==
        "steps\n"
        "  in stripes of 2 rows, 8192 bytes between\n"
        "    depthwise_conv2d \"a\"            f32 [1, 9, 16, 32]          depthwise                   band+0          "
        "    stride=1x1 dilation=1x1 pad=same fused=none\n"
        "    depthwise_conv2d \"b\"            f32 [1, 9, 16, 32]          depthwise                   arena+0         "
        "    stride=1x1 dilation=1x1 pad=same fused=relu\n"
        "  softmax                           f32 [1, 9, 16, 32]          softmax rows                arena+18432       "
        "  beta=1\n");
}

TEST_CASE("dump_plan: steps that threads make together stand together") {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<1, 10, 10, 64>>("x");
    auto h = depthwise_conv2d(x, b.weight<f32, shape<64, 3, 3, 1>>("a.weight"), same);
    b.output("y", conv2d(h, b.weight<f32, shape<64, 1, 1, 64>>("b.weight"), relu));
  });
  for (ir::node& n : g.nodes) n.op = ops::find(n.op->code);
  const plan made = make_plan(g);
  const std::string text = dump_plan(g, plan_view::of(made), made.arena_lower_bound);
  CHECK(text.substr(text.find("steps\n"), text.find("depthwise_conv2d", text.find("steps\n")) - text.find("steps\n")) ==
        "steps\n"
        "  rows shared out together\n"
        "    ");
}

}  // namespace
