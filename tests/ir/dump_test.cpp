// dump_test: shapes, descs, attributes, logs and graphs as text.
#include <nnrt/ir/dump.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/passes/fuse.hpp>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

TEST_CASE("dump: shapes and descs in one line") {
  struct row {
    tensor_desc desc;
    const char* text;
  };
  const row table[] = {
      {{f32, {}}, "f32 []"},
      {{f32, {1, 8, 8, 16}}, "f32 [1, 8, 8, 16]"},
      {{i64, {-1, 3}}, "i64 [?, 3]"},
      {{f16, nchw, {1, 2, 3, 4}}, "f16 [1, 2, 3, 4] nchw"},
      {{i8, nd, {4}, quant{.scale = 0.5F, .zero_point = -3}}, "i8 [4] scale 0.5 zero point -3"},
      {{i8, nd, {4, 2}, per_channel<1>}, "i8 [4, 2] per channel of axis 1"},
  };
  for (const row& r : table) CHECK(ir::to_string(r.desc) == r.text);
}

template <class Function> std::string last_attributes(Function network) {
  const ir::graph g = written(network);
  return ir::attributes_text(g, g.nodes.back());
}

TEST_CASE("dump: attributes by name") {
  const auto conv = [](auto... keywords) {
    return last_attributes([=](builder& b) {
      auto x = b.input<f32, shape<1, 8, 8, 4>>("x");
      b.output("y", conv2d(x, b.weight<f32, shape<4, 3, 3, 2>>("w"), group<2>, keywords...));
    });
  };
  CHECK(conv(stride<2, 1>, same, relu) == "stride=2x1 dilation=1x1 pad=same group=2 fused=relu");
  CHECK(conv(valid) == "stride=1x1 dilation=1x1 pad=valid group=2 fused=none");
  CHECK(conv(padding<1, 2, 3, 4>) == "stride=1x1 dilation=1x1 pad=1,2,3,4 group=2 fused=none");
  CHECK(last_attributes([](builder& b) {
          auto [a, c] = split(b.input<f32, shape<1, 8>>("x"), sizes<3, 5>, axis<-1>);
          b.output("a", a);
        }) == "axis=-1 output_num=0 sizes=3,5");
  CHECK(last_attributes([](builder& b) {
          auto x = b.input<f32, shape<1, 8>>("x");
          b.output("y", full_connection(x, b.weight<f32, shape<3, 8>>("w"), axis<no_axis>));
        }) == "axis=none fused=none");
  pool<char> text;
  ir::detail::append_attribute(text, attribute_kind::reals, {});
  CHECK(letters_of(text).empty());
  const word scales[] = {3, std::bit_cast<std::int32_t>(0.5F), std::bit_cast<std::int32_t>(-10.0F),
                         std::bit_cast<std::int32_t>(0.1F)};
  ir::detail::append_attribute(text, attribute_kind::reals, scales);
  CHECK(letters_of(text) == "0.5,-10,0.1");
  CHECK(last_attributes([](builder& b) { b.output("y", relu(b.input<f32, shape<4>>("x"))); }).empty());
}

TEST_CASE("dump: a picture quotes what Graphviz would not understand") {
  const std::string dot =
      ir::dot(written([](builder& b) { b.output("a \"b\" \\", relu(b.input<f32, shape<4>>("x"))); }));
  CHECK(dot.find("label=\"a \\\"b\\\" \\\\\\nf32 [4]\"") != std::string::npos);
  CHECK(dot.find("v0 -> n0") != std::string::npos);
  CHECK(dot.find("n0 -> out0") != std::string::npos);
}

TEST_CASE("dump: a picture leads an input that is an output straight there") {
  const std::string dot = ir::dot(written([](builder& b) { b.output("y", b.input<f32, shape<4>>("x")); }));
  CHECK(dot.find("v0 -> out0") != std::string::npos);
}

TEST_CASE("dump: a picture draws a constant and a weight that are outputs") {
  const std::string dot = ir::dot(written([](builder& b) {
    b.output("c", b.constant<f32, shape<2>>({1, 2}));
    b.output("w", b.weight<f32, shape<3>>("kept"));
  }));
  CHECK(dot.find("v0 [shape=oval, label=\"f32 [2]\"];") != std::string::npos);
  CHECK(dot.find("v1 [shape=oval, label=\"kept\\nf32 [3]\"];") != std::string::npos);
}

TEST_CASE("dump: the log says in a line what became of each node") {
  ir::graph g = written([](builder& b) {
    auto x = b.input<f32, shape<1, 8, 8, 3>>("x");
    b.output("y", relu(conv2d(x, b.weight<f32, shape<4, 3, 3, 3>>("stem.weight"))));
  });
  passes::fuse_activations(g);
  g.log.push_back({ir::change::removed, g.nodes[0].label, nullptr, g.nodes[0].name});
  CHECK(ir::log_text(g) == "fused relu into conv2d \"stem\"\nremoved conv2d \"stem\"\n");
}

TEST_CASE("dump: the picture has states, and dashed arrows from what they become") {
  const std::string picture = ir::dot(written([](builder& b) {
    auto h = b.state<f32, shape<1, 4>>("h"), late = b.state<f32, shape<1, 4>>("late"),
         fixed = b.state<f32, shape<1, 4>>("fixed");
    b.next(h, relu(h));
    b.next(late, h);
    b.next(fixed, b.constant<f32, shape<1, 4>>({1, 2, 3, 4}));
    b.output("y", late);
  }));
  CAPTURE(picture);
  for (const char* line :
       {"  v0 [shape=oval, style=filled, fillcolor=\"#fef7e0\", label=\"h\\nf32 [1, 4]\"];\n", "  v0 -> n0;\n",
        "  n0 -> v0 [style=dashed, label=\"[1, 4]\"];\n", "  v0 -> v1 [style=dashed, label=\"[1, 4]\"];\n",
        "  v4 [shape=oval, label=\"f32 [1, 4]\"];\n", "  v4 -> v2 [style=dashed, label=\"[1, 4]\"];\n",
        "  v1 -> out0;\n"})
    CHECK(picture.find(line) != std::string::npos);
}

}  // namespace
