// plan_memory_test: no two values share bytes while both are needed, unless they are the same; little memory is wasted.
#include <nnrt/passes/plan_memory.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/sigmoid.hpp>
#include <nnrt/passes/optimise.hpp>

#include "support/random_states.hpp"

#include <algorithm>

namespace {

using namespace nnrt_test;

/// What the elements of every value are, as numbers: a view has those of the value that it shows, everything else new
/// ones.
struct element_tags {
  std::vector<std::vector<int>> of;

  constexpr explicit element_tags(const ir::graph& g) {
    int next = 0;
    for (const ir::value& v : g.values) {
      std::vector<int>& tags = of.emplace_back();
      for (std::int64_t i = 0; i < v.desc.elements(); ++i) tags.push_back(next++);
    }
    for (const ir::node& n : g.nodes) follow(g, n);
  }

 private:
  constexpr std::vector<int>& at(std::int32_t id) { return of[static_cast<std::size_t>(id)]; }
  /// Calls f with the tags of each element of a whole and of the part that it lies in. It stands before its use: clang
  /// 16 does not find a later member template in constant evaluation.
  template <class F>
  constexpr void move(const ir::graph& g, std::int32_t whole, std::span<const std::int32_t> parts, const ir::node& n,
                      F f) {
    const shape_t& shape = g.at(whole).desc.shape;
    const int axis = normalise_axis(g.attrs_of(n)[0], shape.rank);  // the first attribute of concat and split
    const std::int64_t inner = shape.elements(axis + 1);
    std::int64_t first = 0;
    for (const std::int32_t part : parts) {
      const std::int64_t extent = g.at(part).desc.shape[axis];
      for (std::int64_t i = 0; i < g.at(part).desc.elements(); ++i) {
        const std::int64_t outer = i / (extent * inner), within = i % (extent * inner);
        f(at(whole)[static_cast<std::size_t>((outer * shape[axis] + first) * inner + within)],
          at(part)[static_cast<std::size_t>(i)]);
      }
      first += extent;
    }
  }
  constexpr void follow(const ir::graph& g, const ir::node& n) {
    const auto in = g.inputs_of(n), out = g.outputs_of(n);
    if (n.op->traits.result == storage::alias_of_input) at(out[0]) = at(in[0]);
    if (n.op->traits.joins_inputs) move(g, out[0], in, n, [](int& whole, int& part) { whole = part; });
    if (n.op->code == ops::split::code) move(g, in[0], out, n, [](int& whole, int& part) { part = whole; });
  }
};

/// Where a value lies and when it is needed.
struct occupied {
  std::int32_t id = ir::none;
  std::int64_t begin = 0, end = 0;  // in bytes
  std::int32_t made = 0, last = 0;  // steps
};

constexpr std::vector<occupied> occupied_by(const ir::graph& g, const passes::memory_plan& plan) {
  const auto steps = static_cast<std::int32_t>(g.nodes.size());
  std::vector<occupied> all;
  for (std::int32_t i = 0; i < steps; ++i)
    for (const std::int32_t id : g.outputs_of(g.nodes[static_cast<std::size_t>(i)]))
      if (plan.at(id).block != ir::none)
        all.push_back({id, plan.address(id), plan.address(id) + g.at(id).desc.bytes(), i, i});
  for (const ir::state& s : g.states)  // there before the first step
    all.push_back({s.value, plan.address(s.value), plan.address(s.value) + g.at(s.value).desc.bytes(), -1, -1});
  for (occupied& o : all) {
    for (std::int32_t i = 0; i < steps; ++i)
      for (const std::int32_t id : g.inputs_of(g.nodes[static_cast<std::size_t>(i)]))
        if (id == o.id) o.last = i;
    for (const ir::output& out : g.outputs)
      if (out.value == o.id) o.last = steps;
    for (const ir::state& s : g.states)
      if (s.next == o.id) o.last = steps;
  }
  return all;
}

/// Whether b, made while a is needed, leaves a alone: other bytes, the same elements in them, or a's last reader writes
/// over it.
constexpr bool leaves_alone(const ir::graph& g, const element_tags& tags, const occupied& a, const occupied& b) {
  const std::int64_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
  bool same = true;
  for (std::int64_t byte = begin; byte < end; byte += 4)
    same = same && tags.of[static_cast<std::size_t>(a.id)][static_cast<std::size_t>((byte - a.begin) / 4)] ==
                       tags.of[static_cast<std::size_t>(b.id)][static_cast<std::size_t>((byte - b.begin) / 4)];
  if (begin >= end || same) return true;
  if (b.made < 0) return false;  // states are there at one time
  const ir::node& maker = g.nodes[static_cast<std::size_t>(b.made)];
  return a.last == b.made && maker.op->traits.result == storage::in_place && a.begin == b.begin && a.end == b.end;
}

struct findings {
  bool no_conflicts = true;
  bool aligned = true;
  bool inside = true;
  bool above_lower_bound = true;
  friend constexpr bool operator==(const findings&, const findings&) = default;
};

constexpr findings examine(const ir::graph& g) {
  passes::memory_plan plan = passes::assign_blocks(g, passes::known_values(g));
  passes::place_blocks(plan, g.nodes.size());
  const element_tags tags(g);
  const std::vector<occupied> all = occupied_by(g, plan);
  findings f;
  for (const occupied& a : all) {
    f.inside = f.inside && a.begin >= 0 && a.end <= plan.arena_bytes;
    for (const occupied& b : all)
      if (a.made <= b.made && b.made <= a.last && a.id != b.id)
        f.no_conflicts = f.no_conflicts && leaves_alone(g, tags, a, b);
  }
  for (const passes::block& b : plan.blocks)
    f.aligned = f.aligned && (b.parent != ir::none || b.offset % passes::arena_alignment == 0);
  f.above_lower_bound = plan.arena_bytes >= plan.lower_bound && plan.arena_bytes % passes::arena_alignment == 0;
  return f;
}

constexpr passes::memory_plan planned(const ir::graph& g) {
  passes::memory_plan plan = passes::assign_blocks(g, passes::known_values(g));
  passes::place_blocks(plan, g.nodes.size());
  return plan;
}

/// 64 floats are 256 bytes: sizes below read in such units.
inline constexpr std::int64_t unit_bytes = 256;
constexpr auto input(builder& g, const char* name = "x") { return g.input<f32, shape<1, 64>>(name); }

struct layout_row {
  const char* what;
  ir::graph (*network)();
  std::int64_t arena_units, lower_bound_units;
};
inline constexpr layout_row layouts[] = {
    {"nothing is computed", [] { return written([](builder& g) { g.output("y", input(g)); }); }, 0, 0},
    {"one result", [] { return written([](builder& g) { g.output("y", relu(input(g))); }); }, 1, 1},
    {"a chain in place", [] { return written([](builder& g) { g.output("y", nnrt::tanh(sigmoid(relu(input(g))))); }); },
     1, 1},
    {"a chain not in place",
     [] { return written([](builder& g) { g.output("y", softmax(softmax(softmax(input(g))))); }); }, 2, 2},
    {"both operands are one value",
     [] {
       return written([](builder& g) {
         auto h = relu(input(g));
         g.output("y", h + h);
       });
     },
     1, 1},
    {"a value read again later is not written over",
     [] {
       return written([](builder& g) {
         auto h = relu(input(g));
         g.output("y", nnrt::tanh(h) + h);
       });
     },
     2, 2},
    {"an output is not written over",
     [] {
       return written([](builder& g) {
         auto h = relu(input(g));
         g.output("h", h);
         g.output("y", nnrt::tanh(h));
       });
     },
     2, 2},
    {"an output's view is not written over",
     [] {
       return written([](builder& g) {
         auto h = relu(input(g));
         g.output("h", reshape(h, shape<64>));
         g.output("y", nnrt::tanh(h));
       });
     },
     2, 2},
    {"a view is written over when its owner is read no more",
     [] { return written([](builder& g) { g.output("y", nnrt::tanh(reshape(relu(input(g)), shape<8, 8>))); }); }, 1, 1},
    {"operands of a concat along the outermost axis are computed in place",
     [] {
       return written([](builder& g) { g.output("y", concat(relu(input(g)), nnrt::tanh(input(g, "z")), axis<0>)); });
     },
     2, 2},
    {"so they are when all axes outside have one element",
     [] {
       return written([](builder& g) { g.output("y", concat(relu(input(g)), nnrt::tanh(input(g, "z")), axis<1>)); });
     },
     2, 2},
    {"operands of a concat along an inner axis are copied",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<2, 32>>("x");
         g.output("y", concat(relu(x), nnrt::tanh(x), axis<1>));
       });
     },
     4, 4},
    {"the same operand twice is copied",
     [] {
       return written([](builder& g) {
         auto h = relu(input(g));
         g.output("y", concat(h, h, axis<0>));
       });
     },
     3, 3},
    {"an input is copied into a concat",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         g.output("y", concat(relu(x), x, axis<0>));
       });
     },
     3, 3},
    {"a second concat of a joined operand copies",
     [] {
       return written([](builder& g) {
         auto x = input(g);
         auto a = relu(x), b = nnrt::tanh(x), c = sigmoid(x);
         g.output("y", concat(a, b, axis<0>));
         g.output("z", concat(b, c, axis<0>));
       });
     },
     5, 5},
    {"the parts of a split are views",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(softmax(g.input<f32, shape<2, 64>>("x")), axis<0>);
         g.output("a", a);
         g.output("b", b);
       });
     },
     2, 2},
    {"a whole is not written over while a part of it is an operand",
     [] {
       return written([](builder& g) {
         auto h = softmax(g.input<f32, shape<2, 64>>("x"));
         auto [a, b] = split<2>(h, axis<0>);
         g.output("y", h - a);
       });
     },
     4, 4},
    {"a part is written over once the whole is not needed",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(softmax(g.input<f32, shape<2, 64>>("x")), axis<0>);
         g.output("y", relu(a));
       });
     },
     2, 2},
    {"a part is written over next to the part before it, of which the result is no part",
     [] {
       return written([](builder& g) {
         auto [a, b] = split(softmax(g.input<f32, shape<3, 64>>("x")), sizes<1, 2>, axis<0>);
         g.output("y", b - a);
       });
     },
     3, 3},
    {"a part is not written over while another one is needed",
     [] {
       return written([](builder& g) {
         auto [a, b] = split<2>(softmax(g.input<f32, shape<2, 64>>("x")), axis<0>);
         auto c = relu(a);
         g.output("y", softmax(c) + b);
       });
     },
     4, 4},
};

constexpr bool lies_as_stated(const layout_row& row) {
  const ir::graph g = row.network();
  const passes::memory_plan plan = planned(g);
  return examine(g) == findings{} && plan.arena_bytes == row.arena_units * unit_bytes &&
         plan.lower_bound == row.lower_bound_units * unit_bytes;
}
static_assert(std::all_of(std::begin(layouts), std::end(layouts), lies_as_stated));

constexpr auto state(builder& g, const char* name = "h") { return g.state<f32, shape<1, 64>>(name); }

inline constexpr layout_row states[] = {
    {"a state that stays",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         g.next(h, h), g.output("y", h);
       });
     },
     1, 1},
    {"what a state becomes is written over it",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         auto next = relu(h + input(g));
         g.next(h, next), g.output("y", next);
       });
     },
     1, 1},
    {"and so it is where nobody reads it",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         g.next(h, softmax(input(g))), g.output("y", g.constant<f32, shape<1>>({1}));
       });
     },
     1, 1},
    {"and after its last reader",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         auto sum = h + input(g);  // one more
         g.next(h, softmax(sum)), g.output("y", sum);
       });
     },
     2, 2},
    {"by a way that works in place, over the other operand's memory alone if need be",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         auto x = input(g);
         auto gate = sigmoid(x);  // one more, until its product
         g.next(h, nnrt::tanh((gate * h) + x)), g.output("y", x);
       });
     },
     2, 2},
    {"not before its last reader",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         auto next = softmax(input(g));
         g.next(h, next), g.output("y", nnrt::tanh(h) + next);
       });
     },
     3, 3},
    {"not by a node that reads it otherwise than element by element",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         g.next(h, softmax(h)), g.output("y", input(g));
       });
     },
     2, 2},
    {"not where it is an output",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         g.next(h, relu(h)), g.output("y", h);
       });
     },
     2, 2},
    {"not up to a node that may fail",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         g.next(h, relu(h)), g.output("y", gather(input(g), g.input<i32, shape<1>>("i"), axis<0>));
       });
     },
     3, 3},
    {"nor so by a node that does not read it",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         auto x = input(g);
         g.next(h, softmax(x)), g.output("y", gather(x, g.input<i32, shape<1>>("i"), axis<0>));
       });
     },
     3, 3},
    {"after a node that may fail",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         auto picked = gather(input(g), g.input<i32, shape<1>>("i"), axis<0>);
         g.next(h, h + picked), g.output("y", picked);
       });
     },
     2, 2},
    {"no operand of a concat is a state",
     [] {
       return written([](builder& g) {
         auto h = state(g);
         g.next(h, h), g.output("y", concat(h, relu(input(g)), axis<1>));
       });
     },
     4, 4},
};
static_assert(std::all_of(std::begin(states), std::end(states), lies_as_stated));

TEST_CASE("plan_memory: states keep their memory, and share it with what they become where they can") {
  for (const layout_row& r : states) {
    CAPTURE(r.what);
    CHECK(planned(r.network()).arena_bytes == r.arena_units * unit_bytes);
    CHECK(lies_as_stated(r));
  }
}

TEST_CASE("plan_memory: every layout takes exactly what its values need") {
  for (const layout_row& row : layouts) {
    CAPTURE(row.what);
    const ir::graph g = row.network();
    const passes::memory_plan plan = planned(g);
    CHECK(examine(g) == findings{});
    CHECK(plan.arena_bytes == row.arena_units * unit_bytes);
    CHECK(plan.lower_bound == row.lower_bound_units * unit_bytes);
    CHECK(computed_by_plan(g, {.fast_kernels = false}, 1, 2) == computed_by_references(g));
  }
}

/// The arena of two computed i8 tensors of 256 bytes after each other, of which the second has this scale.
template <quant Second> constexpr std::int64_t arena_of_quantised_concat() {
  return planned(written([](builder& g) {
           auto x = g.input<i8, shape<1, 256>, nd, quant{0.5F, 3}>("x");
           auto a = relu(x, into<quant{0.5F, 3}>);
           auto b = relu6(x, into<Second>);
           g.output("y", concat(a, b, axis<0>, into<quant{0.5F, 3}>));
         }))
      .arena_bytes;
}
static_assert(arena_of_quantised_concat<quant{0.5F, 3}>() == 512);

TEST_CASE("plan_memory: quantised operands of a concat are computed in place only where they keep their scale") {
  CHECK(arena_of_quantised_concat<quant{0.5F, 3}>() == 512);
  CHECK(arena_of_quantised_concat<quant{0.25F, 3}>() == 1024);
  CHECK(arena_of_quantised_concat<quant{0.5F, 4}>() == 1024);
}

/// The arena of 256 bytes that are computed, and stored as numbers of another type.
template <dtype To> constexpr std::int64_t arena_of_quantised() {
  return planned(written([](builder& g) {
           auto x = g.input<i8, shape<1, 256>, nd, quant{0.5F, 3}>("x");
           g.output("y", quant_dtype_cast<To>(relu(x, into<quant{0.5F, 3}>), into<quant{0.25F, 3}>));
         }))
      .arena_bytes;
}

TEST_CASE("plan_memory: a result has the bytes of an operand of the same type alone") {
  CHECK(arena_of_quantised<i8>() == 256);
  CHECK(arena_of_quantised<u8>() == 512);
}

TEST_CASE("plan_memory: values of random graphs keep their elements while they are needed") {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    ir::graph g = random_graph(seed).made();
    CHECK(examine(g) == findings{});
    passes::optimise(g);
    CHECK(examine(g) == findings{});
  }
}

TEST_CASE("plan_memory: so do states of random graphs, and what they become") {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    ir::graph g = with_random_states(seed);
    CHECK(examine(g) == findings{});
    passes::optimise(g);
    CHECK(examine(g) == findings{});
  }
}

TEST_CASE("plan_memory: plans of random graphs give in poisoned memory what the references give") {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    ir::graph g = random_graph(seed).made();
    const outputs_of_graph expected = computed_by_references(g, seed);
    CHECK(computed_by_plan(g, {.fast_kernels = false}, seed) == expected);
    CHECK(computed_by_plan(g, {.fast_kernels = false}, seed, 2) == expected);
    passes::optimise(g);
    CHECK(computed_by_plan(g, {.fast_kernels = false}, seed, 2) == computed_by_references(g, seed));
    CHECK(close(computed_by_plan(g, {.fast_kernels = true}, seed, 2), expected, 1e-5));
  }
}

}  // namespace
