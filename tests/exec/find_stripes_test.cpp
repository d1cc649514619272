// find_stripes_test: steps run in stripes where nobody else reads what lies between them, and where it would leave the
// cache; and threads make those together that need no rows of each other.
#include <nnrt/exec/find_stripes.hpp>

#include <doctest/doctest.h>
#include <nnrt/exec/make_plan.hpp>
#include <nnrt/nnrt.hpp>
#include <nnrt/ops/registry.hpp>

#include <string>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

constexpr auto image(builder& g) { return g.input<f32, shape<1, 20, 16, 8>>("x"); }
template <class X> constexpr auto mixed(X x, std::string_view name) { return layers::conv2d<8, 1, 1>(x, name); }
template <class X> constexpr auto filtered(X x, std::string_view name) {
  return layers::depthwise_conv2d<3, 3>(x, name, same);
}
/// Widen, filter each channel, narrow: between them lie Height * Width * 96 floats, twice.
template <std::int64_t Height, std::int64_t Width> constexpr void write_inverted(builder& g) {
  auto x = g.input<f32, shape<1, Height, Width, 16>>("x");
  auto wide = layers::conv2d<96, 1, 1>(x, "expand");
  g.output("y", layers::conv2d<16, 1, 1>(filtered(wide, "filter"), "project"));
}

struct row {
  const char* what;
  ir::graph (*network)();
  std::int64_t rows;   // asked for
  const char* groups;  // first step + steps
};
constexpr row table[] = {
    {"a chain",
     [] { return written([](builder& g) { g.output("y", mixed(filtered(mixed(image(g), "a"), "b"), "c")); }); }, 1,
     "0+3 "},
    {"what is read twice ends a group",
     [] {
       return written([](builder& g) {
         auto h = mixed(image(g), "a");
         g.output("y", filtered(h, "b") + filtered(h, "c"));
       });
     },
     1, "2+2 "},
    {"so does an output",
     [] {
       return written([](builder& g) {
         auto h = mixed(image(g), "a");
         g.output("h", h);
         g.output("y", filtered(h, "b"));
       });
     },
     1, ""},
    {"and a step of another kind",
     [] {
       return written([](builder& g) { g.output("y", filtered(filtered(softmax(mixed(image(g), "a")), "b"), "c")); });
     },
     1, "2+2 "},
    {"a shortcut is added to the newer operand, since the older one is still read for further rows",
     [] {
       return written([](builder& g) {
         auto h = softmax(image(g));
         g.output("y", h + filtered(mixed(h, "a"), "b"));
       });
     },
     1, "1+3 "},
    {"a group does not begin by writing over what was made before it",
     [] {
       return written([](builder& g) {
         auto h = softmax(image(g)) + g.weight<f32, shape<1, 20, 16, 8>>("w");
         g.output("y", mixed(filtered(h, "a"), "b"));
       });
     },
     1, "2+2 "},
    {"a product of narrow rows, which are parts of tiles, runs as a whole",
     [] {
       return written([](builder& g) {
         auto x = g.input<f32, shape<1, 20, 2, 8>>("x");
         g.output("y", mixed(filtered(filtered(x, "a"), "b"), "c"));
       });
     },
     1, "0+2 "},
    {"a group has at most eight steps",
     [] {
       return written([](builder& g) {
         auto two = filtered(filtered(image(g), "a"), "b"), four = filtered(filtered(two, "c"), "d");
         auto six = filtered(filtered(four, "e"), "f"), eight = filtered(filtered(six, "g"), "h");
         g.output("y", filtered(eight, "i"));
       });
     },
     1, "1+8 "},
    {"what fits into the cache runs as a whole", [] { return written([](builder& g) { write_inverted<28, 28>(g); }); },
     0, ""},
    {"what leaves it does not", [] { return written([](builder& g) { write_inverted<56, 56>(g); }); }, 0, "0+3 "},
    {"nor where even two rows are too large for it",
     [] { return written([](builder& g) { write_inverted<8, 4000>(g); }); }, 0, ""},
};

/// A graph of the DSL with the operators that plans made at run time have kernels for.
ir::graph dynamic(ir::graph g) {
  for (ir::node& n : g.nodes) n.op = ops::find(n.op->code);
  return g;
}

std::string groups_of(const plan& made) {
  std::string text;
  for (const stripe_group& group : made.stripes)
    text += std::to_string(group.steps.first) + "+" + std::to_string(group.steps.count) + " ";
  return text;
}

TEST_CASE("find_stripes: groups are chains that pay") {
  for (const row& r : table) {
    CAPTURE(r.what);
    const ir::graph g = dynamic(r.network());
    CHECK(groups_of(make_plan(g, {.stripes = {.rows = r.rows}})) == r.groups);
    CHECK(make_plan(g, {.stripes = {.enabled = false, .rows = r.rows}}).stripes.empty());
    CHECK(make_plan(g, {.unrolled = true, .stripes = {.rows = r.rows}}).stripes.empty());
  }
}

template <std::int64_t Out, class X> constexpr auto product(X x, std::string_view name) {
  return layers::conv2d<Out, 1, 1>(x, name);
}
template <std::int64_t Height, std::int64_t Channels, std::int64_t Out> constexpr void write_separable(builder& g) {
  auto x = g.input<f32, shape<1, Height, 10, Channels>>("x");
  g.output("y", product<Out>(filtered(x, "filter"), "mix"));
}

constexpr row joined_table[] = {
    {"a product after a filter", [] { return written([](builder& g) { write_separable<10, 64, 64>(g); }); }, 0, "0+2 "},
    {"and what is added to it",
     [] {
       return written([](builder& g) {
         auto h = product<64>(g.input<f32, shape<1, 10, 10, 64>>("x"), "a");
         g.output("y", h + product<64>(filtered(h, "b"), "c"));
       });
     },
     0, "1+3 "},
    {"not a filter after a product, which needs rows of others",
     [] {
       return written(
           [](builder& g) { g.output("y", filtered(product<64>(g.input<f32, shape<1, 10, 10, 64>>("x"), "a"), "b")); });
     },
     0, ""},
    {"nor what another step reads, too",
     [] {
       return written([](builder& g) {
         auto h = filtered(g.input<f32, shape<1, 10, 10, 64>>("x"), "a");
         g.output("y", product<64>(h, "b"));
         g.output("z", filtered(h, "c"));
       });
     },
     0, ""},
    {"nor a product with many weights, which each thread would read",
     [] { return written([](builder& g) { write_separable<10, 256, 256>(g); }); }, 0, ""},
    {"nor where the arena grows, since what the filter reads is kept until the product is done",
     [] {
       return written([](builder& g) {
         g.output("y", product<64>(filtered(product<64>(g.input<f32, shape<1, 10, 10, 64>>("x"), "a"), "b"), "c"));
       });
     },
     0, ""},
    {"nor rows that are too few to share out",
     [] { return written([](builder& g) { write_separable<5, 64, 64>(g); }); }, 0, ""},
    {"nor work that one thread does sooner", [] { return written([](builder& g) { write_separable<10, 4, 4>(g); }); },
     0, ""},
};

TEST_CASE("find_stripes: threads make steps together that need no rows of each other") {
  for (const row& r : joined_table) {
    CAPTURE(r.what);
    const plan made = make_plan(dynamic(r.network()));
    CHECK(groups_of(made) == r.groups);
    for (const stripe_group& group : made.stripes) CHECK((group.rows == 0 && group.parts > 1));
    CHECK(made.arena_bytes == make_plan(dynamic(r.network()), {.stripes = {.enabled = false}}).arena_bytes);
  }
}

constexpr std::int64_t arena_of_inverted(bool in_stripes) {
  return make_plan(written([](builder& g) { write_inverted<56, 56>(g); }), {.stripes = {.enabled = in_stripes}})
      .arena_bytes;
}
static_assert(arena_of_inverted(false) == 56 * 56 * 4 * (96 + 96));
static_assert(arena_of_inverted(true) < 56 * 56 * 4 * 16 + nnrt::detail::l2_bytes);

TEST_CASE("find_stripes: the arena holds the rows between the steps, which fit into the cache, and not whole tensors") {
  const plan made = make_plan(dynamic(written([](builder& g) { write_inverted<56, 56>(g); })));
  REQUIRE(made.stripes.size() == 1);
  const stripe_group& group = made.stripes[0];
  CHECK(group.rows % 2 == 0);
  CHECK(group.rows >= 2);
  CHECK(group.scratch_bytes <= nnrt::detail::l2_bytes);
  CHECK(made.arena_bytes == 56 * 56 * 16 * 4 + group.scratch_bytes);
  CHECK(made.part_scratch_bytes == group.scratch_bytes);
}

}  // namespace
