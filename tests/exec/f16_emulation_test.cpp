// f16_emulation_test: operators on float16 compute with kernels for float32, rounded to float16 after each of them;
// others are unchanged.
#include <nnrt/exec/f16_emulation.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/of.hpp>
#include <nnrt/ops/quant_dtype_cast.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/passes/optimise.hpp>
#include <nnrt/passes/shapes.hpp>

#include "support/graphs.hpp"

#include <algorithm>

namespace {

using namespace nnrt_test;
using ir::change;

/// The operators as front ends find them: static ones know one dtype.
template <class... Ops> ir::graph with_dynamic(ir::graph g) {
  for (ir::node& n : g.nodes) ((n.op->code == Ops::code ? void(n.op = &ops::of<Ops>()) : void()), ...);
  return g;
}
ir::graph made_of(ir::graph (*network)()) {
  return with_dynamic<ops::add, ops::cast, ops::conv2d, ops::quant_dtype_cast, ops::reduce_mean, ops::relu,
                      ops::softmax, ops::transpose, ops::fold_affine>(network());
}
ir::graph widened(ir::graph g) {
  nnrt::detail::f16_emulation(g, &ops::of<ops::half_cast>());
  return g;
}

/// A layer with its activation, a mean and shares of float16, between casts; the layer's result is read twice.
ir::graph classifier() {
  return written([](builder& g) {
    auto x = cast<f16>(g.input<f32, shape<2, 9, 9, 3>>("image"));
    auto w = cast<f16>(g.weight<f32, shape<8, 3, 3, 3>>("w"));
    auto h = relu(conv2d(x, w, cast<f16>(g.weight<f32, shape<8>>("b")), same));
    g.output("map", cast<f32>(h));
    g.output("shares", cast<f32>(softmax(reduce_mean(h, axes<1, 2>, keep_dims))));
  });
}

TEST_CASE(
    "f16_emulation: what has no kernel for float16 gets casts around it, once for each value, those of weights first") {
  ir::graph g = made_of(classifier);
  passes::optimise(g);
  const std::size_t events = g.log.size(), nodes = g.nodes.size();
  const ir::graph wide = widened(g);
  CHECK(wide.log.size() == events + 3);
  for (std::size_t i = events; i < wide.log.size(); ++i) CHECK(wide.log[i].what == change::widened);
  // To: image, two weights, the layer's result, the mean. From: three results.
  CHECK(count_of<ops::half_cast>(wide) == 8);
  CHECK(wide.nodes.size() == nodes + 8);
  const pool<char> known = passes::known_values(wide);
  const auto is_prepared = [&](const ir::node& n) {
    return known[static_cast<std::size_t>(wide.outputs_of(n)[0])] != 0;
  };
  CHECK(std::is_partitioned(wide.nodes.begin(), wide.nodes.end(), is_prepared));
  CHECK(std::count_if(wide.nodes.begin(), wide.nodes.end(), is_prepared) == 4);
  for (const ir::node& n : wide.nodes)
    if (n.op->code == ops::conv2d::code)
      for (const std::int32_t id : wide.inputs_of(n)) CHECK(wide.at(id).desc.type == f32);
}

TEST_CASE("f16_emulation: results are those of the references on float16, but for the order of additions") {
  const ir::graph g = made_of(classifier);
  const outputs_of_graph expected = computed_by_references(g);
  ir::graph optimised = g;
  passes::optimise(optimised);
  const ir::graph wide = widened(optimised);
  CHECK(close(computed_by_references(wide), expected, 0x1p-9));
  CHECK(close(computed_by_plan(wide, {}), expected, 0x1p-9));
  const plan made = make_plan(wide, {});
  for (const step& s : made.steps) CHECK(s.kernel != "reference");
}

TEST_CASE("f16_emulation: each result is a float16") {
  for (const std::vector<float>& numbers : computed_by_plan(widened(made_of(classifier)), {}))
    for (const float number : numbers) CHECK(static_cast<float>(static_cast<float16>(number)) == number);
}

TEST_CASE("f16_emulation: attributes that repeat a dtype name the one that the node computes with, and rules hold") {
  struct to_and_from {
    const char* what;
    ir::graph (*network)();
    dtype from, to;
  };
  constexpr to_and_from table[] = {
      {"float16 to quantised values",
       [] {
         return written([](builder& g) {
           g.output("y", dequantise(quantise(cast<f16>(g.input<f32, shape<2, 40>>("x")), into<quant{0.25F, 3}>)));
         });
       },
       f32, i8},
      {"quantised values to float16",
       [] {
         return written([](builder& g) {
           g.output("y", cast<f32>(dequantise<f16>(quantise(g.input<f32, shape<2, 40>>("x"), into<quant{0.25F, 3}>))));
         });
       },
       i8, f32},
  };
  for (const to_and_from& r : table) {
    CAPTURE(r.what);
    const ir::graph g = made_of(r.network), wide = widened(g);
    CHECK(count_of<ops::half_cast>(wide) == 1);
    bool has_cast = false;
    for (const ir::node& n : wide.nodes) {
      if (n.op->code != ops::quant_dtype_cast::code) continue;
      const auto attrs = unpack<ops::quant_dtype_cast::attrs>(wide.attrs_of(n));
      CHECK(attrs.src_t == static_cast<int>(wide.at(wide.inputs_of(n)[0]).desc.type));
      CHECK(attrs.dst_t == static_cast<int>(wide.at(wide.outputs_of(n)[0]).desc.type));
      has_cast = has_cast || (attrs.src_t == static_cast<int>(r.from) && attrs.dst_t == static_cast<int>(r.to));
    }
    CHECK(has_cast);
    passes::judge_nodes(wide, [](std::size_t, const verdict& v) { CHECK(v); });
    CHECK(computed_by_references(wide) == computed_by_references(g));
  }
}

struct row {
  const char* what;
  ir::graph (*network)();
};
constexpr row untouched[] = {
    {"floats of 32 bits",
     [] { return written([](builder& g) { g.output("y", softmax(g.input<f32, shape<2, 4>>("x"))); }); }},
    {"what moves elements has a kernel for any",
     [] {
       return written([](builder& g) {
         g.output("y", cast<f32>(transpose(cast<f16>(g.input<f32, shape<2, 3, 4>>("x")), perm<0, 2, 1>)));
       });
     }},
    {"casts from integers round once",
     [] { return written([](builder& g) { g.output("y", cast<f32>(cast<f16>(g.input<i32, shape<7>>("x")))); }); }},
    {"what is computed once, from weights",
     [] {
       return written([](builder& g) {
         auto w = softmax(cast<f16>(g.weight<f32, shape<2, 3>>("w")));
         g.output("y", g.input<f32, shape<2, 3>>("x") + cast<f32>(w));
       });
     }},
};

TEST_CASE("f16_emulation: other nodes do not change") {
  for (const row& r : untouched) {
    CAPTURE(r.what);
    const ir::graph g = made_of(r.network), same = widened(g);
    CHECK(same.nodes.size() == g.nodes.size());
    CHECK(same.log.size() == g.log.size());
  }
}

}  // namespace
