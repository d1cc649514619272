// quantised_ends_test: conversions at the ends of a network go where nobody else needs them; all others, and names,
// stay.
#include <nnrt/passes/quantised_ends.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/abs.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

constexpr quant q{.scale = 0.5F, .zero_point = 3};

constexpr auto floats(builder& g, std::string_view name = "x") { return g.input<f32, shape<2, 3>>(name); }
constexpr auto stored(builder& g, std::string_view name = "x") { return g.input<i8, shape<2, 3>, format::nd, q>(name); }

template <tensor_desc X> constexpr auto kept(tensor<X> x) { return relu(x, into<q>); }

/// x -> quantise -> relu -> dequantise -> y
constexpr ir::graph converted() {
  return written([](builder& g) { g.output("y", dequantise(kept(quantise(floats(g), into<q>)))); });
}

struct row {
  const char* what;
  ir::graph (*network)();
  quantised_ends wanted;
  std::size_t left;   // nodes
  dtype first, last;  // of the first input and the last output
};
constexpr row table[] = {
    {"nothing is wanted", converted, {}, 3, f32, f32},
    {"inputs", converted, {.inputs = true}, 2, i8, f32},
    {"outputs", converted, {.outputs = true}, 2, f32, i8},
    {"both", converted, {.inputs = true, .outputs = true}, 1, i8, i8},
    {"an input that two conversions read",
     [] {
       return written([](builder& g) {
         auto x = floats(g);
         g.output("a", kept(quantise(x, into<q>)));
         g.output("b", kept(quantise<u8>(x, into<q>)));
       });
     },
     {.inputs = true},
     4,
     f32,
     u8},
    {"an input that a conversion and another node read",
     [] {
       return written([](builder& g) {
         auto x = floats(g);
         g.output("a", neg(x));
         g.output("b", kept(quantise(x, into<q>)));
       });
     },
     {.inputs = true},
     3,
     f32,
     i8},
    {"an input that a conversion reads and that is an output",
     [] {
       return written([](builder& g) {
         auto x = floats(g);
         g.output("a", quantise(x, into<q>));
         g.output("b", x);
       });
     },
     {.inputs = true},
     1,
     f32,
     f32},
    {"an input that no conversion reads",
     [] { return written([](builder& g) { g.output("y", neg(floats(g))); }); },
     {.inputs = true},
     1,
     f32,
     f32},
    {"a conversion of an input that is stored",
     [] { return written([](builder& g) { g.output("y", neg(dequantise(stored(g)))); }); },
     {.inputs = true},
     2,
     i8,
     f32},
    {"a conversion that is no end",
     [] { return written([](builder& g) { g.output("y", neg(dequantise(quantise(neg(floats(g)), into<q>)))); }); },
     {.inputs = true, .outputs = true},
     4,
     f32,
     f32},
    {"an output that a conversion stores",
     [] { return written([](builder& g) { g.output("y", quantise(neg(floats(g)), into<q>)); }); },
     {.outputs = true},
     2,
     f32,
     i8},
    {"an output that no conversion makes",
     [] { return written([](builder& g) { g.output("y", neg(floats(g))); }); },
     {.outputs = true},
     1,
     f32,
     f32},
    {"an output that is an input",
     [] {
       return written([](builder& g) {
         auto x = floats(g);
         g.output("a", dequantise(kept(quantise(x, into<q>))));
         g.output("b", x);
       });
     },
     {.outputs = true},
     2,
     f32,
     f32},
    {"a conversion that is an output and read again",
     [] {
       return written([](builder& g) {
         auto y = dequantise(kept(quantise(floats(g), into<q>)));
         g.output("a", neg(y));
         g.output("b", y);
       });
     },
     {.outputs = true},
     4,
     f32,
     i8},
};

constexpr bool takes_off_as_stated(const row& r) {
  ir::graph g = r.network();
  passes::take_off_conversions(g, r.wanted);
  return g.nodes.size() == r.left && g.at(g.inputs[0]).desc.type == r.first &&
         g.at(g.inputs[0]).is == ir::kind::input && g.name_of(g.at(g.inputs[0]).name) == "x" &&
         g.at(g.outputs[g.outputs.size() - 1].value).desc.type == r.last;
}
static_assert(takes_off_as_stated(table[0]) && takes_off_as_stated(table[3]));

TEST_CASE("stored_ends: conversions go from the ends that are wanted, and only where nobody else needs them") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(takes_off_as_stated(r));
  }
}

TEST_CASE("stored_ends: names of outputs stay, and each of several inputs has its own conversion") {
  ir::graph g = written([](builder& b) {
    b.output("first", dequantise(kept(quantise(floats(b, "a"), into<q>))));
    b.output("second", dequantise<f16>(kept(quantise<u8>(floats(b, "b"), into<q>))));
  });
  passes::take_off_conversions(g, {.inputs = true, .outputs = true});
  REQUIRE(g.nodes.size() == 2);
  const dtype types[] = {i8, u8};
  const std::string_view inputs[] = {"a", "b"}, outputs[] = {"first", "second"};
  for (std::size_t i = 0; i < 2; ++i) {
    CAPTURE(i);
    CHECK(g.at(g.inputs[i]).desc.type == types[i]);
    CHECK(g.name_of(g.at(g.inputs[i]).name) == inputs[i]);
    CHECK(g.at(g.outputs[i].value).desc.type == types[i]);
    CHECK(g.name_of(g.outputs[i].name) == outputs[i]);
  }
}

TEST_CASE("stored_ends: the conversion of one input goes if it makes the dtype that is asked for, or any is") {
  struct asked {
    dtype type;
    bool is_off;
  };
  for (const asked& a : {asked{dtype::none, true}, asked{i8, true}, asked{u8, false}, asked{i16, false}}) {
    CAPTURE(name_of(a.type));
    ir::graph g = converted();
    CHECK(passes::take_off_conversion(g, 0, a.type) == a.is_off);
    CHECK(g.nodes.size() == (a.is_off ? 2U : 3U));
    CHECK(g.at(g.inputs[0]).desc.type == (a.is_off ? i8 : f32));
  }
  ir::graph plain = written([](builder& g) { g.output("y", neg(floats(g))); });
  CHECK_FALSE(passes::take_off_conversion(plain, 0));
  CHECK(plain.nodes.size() == 1);
}

}  // namespace
