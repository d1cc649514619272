// make_plan_test: a plan addresses every operand where it lies, runs known nodes once, and copies what is no result.
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>
#include <nnrt/exec/make_plan.hpp>

#include "support/networks.hpp"
#include "support/random_states.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace nnrt_test;

struct row {
  const char* what;
  ir::graph (*network)();
  std::size_t steps, prepare;
  bool needs_prepared, needs_prepare_scratch;
};
constexpr auto four(builder& g, std::string_view name) { return g.weight<f32, shape<4>>(name); }

/// With references alone, so that no kernel packs anything.
constexpr row table[] = {
    {"a node", [] { return written([](builder& g) { g.output("y", relu(g.input<f32, shape<4>>("x"))); }); }, 1, 0,
     false, false},
    {"an input that is an output is copied",
     [] { return written([](builder& g) { g.output("y", g.input<f32, shape<4>>("x")); }); }, 1, 0, false, false},
    {"a view of it, too",
     [] { return written([](builder& g) { g.output("y", reshape(g.input<f32, shape<4>>("x"), shape<2, 2>)); }); }, 1, 0,
     false, false},
    {"a part of it, too",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(g.input<f32, shape<4>>("x"));
         g.output("y", b);
       });
     },
     1, 0, false, false},
    {"a weight, too",
     [] {
       return written([](builder& g) {
         g.output("x", relu(g.input<f32, shape<4>>("x")));
         g.output("w", four(g, "w"));
       });
     },
     2, 0, false, false},
    {"reshapes, splits and joins along the outermost axis take no step",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(reshape(g.input<f32, shape<8>>("x"), shape<2, 4>), axis<0>);
         g.output("y", reshape(concat(relu(a), relu6(b), axis<0>), shape<8>));
       });
     },
     2, 0, false, false},
    {"a node on weights runs once",
     [] {
       return written([](builder& g) { g.output("y", g.input<f32, shape<4>>("x") * (four(g, "v") + four(g, "w"))); });
     },
     1, 1, true, false},
    {"what only such nodes read needs no memory later",
     [] {
       return written([](builder& g) {
         auto w = relu(four(g, "v") + four(g, "w"));
         g.output("y", g.input<f32, shape<4>>("x") * softmax(w));
       });
     },
     1, 3, true, true},
    {"a reshaped weight is the weight",
     [] {
       return written(
           [](builder& g) { g.output("y", g.input<f32, shape<2, 2>>("x") * reshape(four(g, "w"), shape<2, 2>)); });
     },
     1, 0, false, false},
    {"an output that is known is computed once and copied",
     [] {
       return written([](builder& g) {
         g.output("x", relu(g.input<f32, shape<4>>("x")));
         g.output("w", relu(four(g, "w")));
       });
     },
     2, 1, true, false},
};

constexpr bool planned_as_stated(const row& r) {
  const plan p = make_plan(r.network(), {.fast_kernels = false});
  bool in_arena_all = true;
  for (const port& out : p.outputs)
    in_arena_all = in_arena_all && p.slots[static_cast<std::size_t>(out.slot)].base == in_arena;
  return p.steps.size() == r.steps && p.prepare.size() == r.prepare && (p.prepared_bytes > 0) == r.needs_prepared &&
         (p.prepare_scratch_bytes > 0) == r.needs_prepare_scratch && in_arena_all;
}
static_assert(std::all_of(std::begin(table), std::end(table), planned_as_stated));

TEST_CASE("plan: steps are for what runs each time, prepare for what runs once, and outputs lie in the arena") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(planned_as_stated(r));
    CHECK(computed_by_plan(r.network(), {.fast_kernels = false}, 1, 2) == computed_by_references(r.network()));
  }
}

TEST_CASE("plan: networks of every kind, with fast kernels and without, threads and without") {
  thread_pool threads;
  REQUIRE(threads.start(3));
  for (const ir::graph& g : {graph<affine>::ir(), graph<branches>::ir(), graph<several>::ir(), graph<large>::ir()}) {
    const outputs_of_graph expected = computed_by_references(g);
    ir::graph optimised = g;
    passes::optimise(optimised);
    CHECK(computed_by_plan(g, {.fast_kernels = false}) == expected);
    const outputs_of_graph fast = computed_by_plan(optimised, {}, 1, 2);
    CHECK(close(fast, expected, 1e-5));
    CHECK(computed_by_plan(optimised, {}, 1, 2, &threads) == fast);
  }
}

TEST_CASE("plan: a kernel that is computed by the network is packed before each use") {
  const ir::graph g = graph<[](builder& b) {
    auto x = b.input<f32, shape<5, 16>>("x");
    auto w = relu(b.input<f32, shape<24, 16>>("kernel"));
    b.output("y", full_connection(x, w));
  }>::ir();
  const plan made = make_plan(g);
  CHECK(std::any_of(made.steps.begin(), made.steps.end(), [](const step& s) { return s.kernel == "pack"; }));
  CHECK(close(computed_by_plan(g, {}, 1, 2), computed_by_references(g), 1e-5));
}

TEST_CASE("plan: unrolled networks whose results fill less than a page reuse no memory; all others do") {
  const auto chain = [](auto elements) {
    return [](builder& g) {
      constexpr std::int64_t n = decltype(elements)::value;
      const auto turned = [](auto x) { return transpose(x, perm<1, 0>); };
      g.output("y", turned(turned(turned(turned(g.input<f32, shape<n, 2>>("x"))))));
    };
  };
  const auto reuses = [](const plan& made) {
    std::vector<std::int64_t> begins;
    for (const step& s : made.steps) begins.push_back(made.slots[static_cast<std::size_t>(s.outputs.first)].offset);
    std::sort(begins.begin(), begins.end());
    return std::adjacent_find(begins.begin(), begins.end()) != begins.end();
  };
  const ir::graph small = written(chain(std::integral_constant<std::int64_t, 16>{})),
                  large = written(chain(std::integral_constant<std::int64_t, 1000>{}));
  CHECK_FALSE(reuses(make_plan(small, {.unrolled = true})));
  CHECK(reuses(make_plan(small)));
  CHECK(reuses(make_plan(large, {.unrolled = true})));
}

TEST_CASE("plan: ports have the names and descs that were declared") {
  const plan made = make_plan(graph<branches>::ir());
  const plan_view p = plan_view::of(made);
  REQUIRE(p.inputs.size() == 1);
  CHECK(p.name_of(p.inputs[0]) == "image");
  CHECK(p.desc_of(p.inputs[0]) == tensor_desc{f32, {1, 12, 12, 3}});
  REQUIRE(p.outputs.size() == 1);
  CHECK(p.name_of(p.outputs[0]) == "probability");
  REQUIRE(p.weights.size() == graph<branches>::weights.size());
  for (std::size_t i = 0; i < p.weights.size(); ++i) {
    CHECK(p.name_of(p.weights[i]) == graph<branches>::weights[i].name);
    CHECK(p.desc_of(p.weights[i]) == graph<branches>::weights[i].desc);
  }
  CHECK(p.base_count() == 4 + 1 + p.weights.size());
}

TEST_CASE("make_plan: states of random graphs are in each run what references make of them, in poisoned memory") {
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    ir::graph g = with_random_states(seed);
    const outputs_of_graph expected = computed_by_references(g, seed, 3);
    CHECK(computed_by_plan(g, {.fast_kernels = false}, seed, 3) == expected);
    passes::optimise(g);
    CHECK(computed_by_plan(g, {.fast_kernels = false}, seed, 3) == expected);
    CHECK(computed_by_plan(g, {.fast_kernels = false, .unrolled = true}, seed, 3) == expected);
  }
}

}  // namespace
