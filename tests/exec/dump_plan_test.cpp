// dump_plan_test: the table of a plan, letter by letter for a small network.
#include <nnrt/exec/dump_plan.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/batch_norm.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/relu.hpp>
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
        "  fold_affine \"fc\"                  f32 [3, 4]                  reference                   prepared+0          epsilon=1e-04 axis=0\n"
        "steps\n"
        "  full_connection \"fc\"              f32 [2, 3]                  reference                   arena+64            axis=-1 fused=relu\n"
        "  copy\n"
        "memory\n"
        "  arena 128 bytes (lower bound 128), prepared weights 128 bytes\n");
}

}  // namespace
