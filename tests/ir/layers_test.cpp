// layers_test: which weights layers declare, under which names, and what they make of keywords and refused inputs.
#include <nnrt/ir/layers.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace nnrt;

namespace {

struct named {
  std::string name;
  shape_t shape;
};
/// The weights of a graph in order of declaration.
std::vector<named> weights_of(const builder& g) {
  std::vector<named> list;
  for (const ir::value& v : g.graph().values)
    if (v.is == ir::kind::weight) list.push_back({std::string(g.graph().name_of(v.name)), v.desc.shape});
  return list;
}
void check_weights(const builder& g, const std::vector<named>& expected) {
  const std::vector<named> made = weights_of(g);
  REQUIRE(made.size() == expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    CAPTURE(expected[i].name);
    CHECK(made[i].name == expected[i].name);
    CHECK(made[i].shape == expected[i].shape);
  }
}
std::string node_name(const builder& g) { return std::string(g.graph().name_of(g.graph().nodes.back().name)); }

constexpr bool works_in_the_compiler() {
  builder g;
  auto x = g.input<f32, shape<1, 8, 8, 3>>("x");
  auto y = layers::conv2d<16, 3, 3>(x, "conv1", same);
  return decltype(y)::desc == tensor_desc{f32, {1, 8, 8, 16}} && g.graph().nodes.size() == 1 &&
         g.graph().name_of(g.graph().at(1).name) == "conv1.weight";
}
static_assert(works_in_the_compiler());

}  // namespace

TEST_CASE("layers: conv2d declares weight and bias, and takes its group from the keyword") {
  builder g;
  auto x = g.input<f32, shape<2, 8, 8, 6>>("x");
  auto y = layers::conv2d<4, 3, 5>(x, "stem.conv", same, stride<2, 2>, group<2>);
  static_assert(decltype(y)::desc.shape == shape_t{2, 4, 4, 4});
  check_weights(g, {{"stem.conv.weight", {4, 3, 5, 3}}, {"stem.conv.bias", {4}}});
  CHECK(node_name(g) == "stem.conv");
  const auto a = unpack<ops::conv2d::attrs>(g.graph().attrs_of(g.graph().nodes[0]));
  CHECK(a.group == 2);
  CHECK(a.stride == extent2{2, 2});
  CHECK(g.graph().inputs_of(g.graph().nodes[0]).size() == 3);
}

TEST_CASE("layers: conv2d_transpose declares weight and bias like conv2d") {
  builder g;
  auto x = g.input<f32, shape<2, 8, 8, 6>>("x");
  auto y = layers::conv2d_transpose<4, 3, 5>(x, "up", same, stride<2, 3>, group<2>);
  static_assert(decltype(y)::desc.shape == shape_t{2, 16, 24, 4});
  check_weights(g, {{"up.weight", {4, 3, 5, 3}}, {"up.bias", {4}}});
  CHECK(node_name(g) == "up");
  CHECK(unpack<ops::conv2d_transpose::attrs>(g.graph().attrs_of(g.graph().nodes[0])).group == 2);
}

TEST_CASE("layers: no_bias leaves the bias out, wherever it stands") {
  builder g;
  auto x = g.input<f32, shape<1, 8, 8, 6>>("x");
  layers::conv2d<4, 1, 1>(x, "a", no_bias);
  layers::depthwise_conv2d<3, 3>(x, "b", valid, no_bias, stride<2, 2>);
  layers::full_connection<5>(x, "c", no_bias, axis<2>);
  check_weights(g, {{"a.weight", {4, 1, 1, 6}}, {"b.weight", {6, 3, 3, 1}}, {"c.weight", {5, 48}}});
  for (const ir::node& n : g.graph().nodes) CHECK(g.graph().inputs_of(n).size() == 2);
  CHECK(unpack<ops::depthwise_conv2d::attrs>(g.graph().attrs_of(g.graph().nodes[1])).stride == extent2{2, 2});
}

TEST_CASE("layers: depthwise_conv2d has a filter, or several, for each channel") {
  builder g;
  auto x = g.input<f32, shape<1, 8, 8, 6>>("x");
  auto y = layers::depthwise_conv2d<3, 3>(x, "dw", same);
  auto z = layers::depthwise_conv2d<5, 1, 2>(y, "dw2", same);
  static_assert(decltype(z)::desc.shape == shape_t{1, 8, 8, 12});
  check_weights(g, {{"dw.weight", {6, 3, 3, 1}}, {"dw.bias", {6}}, {"dw2.weight", {12, 5, 1, 1}}, {"dw2.bias", {12}}});
}

TEST_CASE("layers: full_connection takes the axes from the given one on") {
  builder g;
  auto x = g.input<f16, shape<2, 3, 5>>("x");
  auto last = layers::full_connection<4>(x, "last");
  auto all = layers::full_connection<7>(x, "all", axis<1>);
  static_assert(decltype(last)::desc == tensor_desc{f16, {2, 3, 4}} && decltype(all)::desc == tensor_desc{f16, {2, 7}});
  check_weights(g, {{"last.weight", {4, 5}}, {"last.bias", {4}}, {"all.weight", {7, 15}}, {"all.bias", {7}}});
}

TEST_CASE("layers: normalisations have the names of PyTorch's state dicts") {
  builder g;
  auto x = g.input<f32, shape<2, 5, 7, 3>>("x");
  auto y = layers::batch_norm(x, "bn", epsilon<1e-5F>);
  auto z = layers::layer_norm(y, "ln", begin_norm_axis<2>);
  static_assert(decltype(z)::desc == decltype(x)::desc);
  check_weights(g, {{"bn.weight", {3}},
                    {"bn.bias", {3}},
                    {"bn.running_mean", {3}},
                    {"bn.running_var", {3}},
                    {"ln.weight", {7, 3}},
                    {"ln.bias", {7, 3}}});
  const auto in = g.graph().inputs_of(g.graph().nodes[0]);
  const char* const roles[] = {"bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"};
  for (std::size_t i = 0; i < 4; ++i) CHECK(g.graph().name_of(g.graph().at(in[i + 1]).name) == roles[i]);
  CHECK(unpack<ops::batch_norm::attrs>(g.graph().attrs_of(g.graph().nodes[0])).epsilon == 1e-5F);
}

TEST_CASE("layers: bias_add has a bias, prelu a slope for each channel or one for all") {
  builder g;
  auto x = g.input<f32, shape<2, 5, 3>>("x");
  layers::bias_add(x, "shift");
  layers::prelu(x, "each");
  layers::prelu<1>(x, "shared");
  check_weights(g, {{"shift.bias", {3}}, {"each.weight", {3}}, {"shared.weight", {1}}});
}

TEST_CASE("layers: a name that is used twice is one weight") {
  builder g;
  auto x = g.input<f32, shape<1, 4>>("x");
  auto y = layers::full_connection<4>(x, "shared");
  layers::full_connection<4>(y, "shared");
  check_weights(g, {{"shared.weight", {4, 4}}, {"shared.bias", {4}}});
  CHECK(g.graph().nodes.size() == 2);
  CHECK_FALSE(g.diagnostic().made);
}

// After a broken rule nothing more is complained about: the handle passes through every layer.
using refused = tensor<dsl::unknown_desc>;
static_assert(std::is_same_v<decltype(layers::conv2d<4, 3, 3>(refused{}, "a", same, no_bias)), refused>);
static_assert(std::is_same_v<decltype(layers::conv2d_transpose<4, 3, 3>(refused{}, "a", same)), refused>);
static_assert(std::is_same_v<decltype(layers::depthwise_conv2d<3, 3, 2>(refused{}, "a")), refused>);
static_assert(std::is_same_v<decltype(layers::full_connection<4>(refused{}, "a", axis<1>)), refused>);
static_assert(std::is_same_v<decltype(layers::batch_norm(refused{}, "a")), refused>);
static_assert(std::is_same_v<decltype(layers::bias_add(refused{}, "a")), refused>);
static_assert(std::is_same_v<decltype(layers::prelu<1>(refused{}, "a")), refused>);
static_assert(std::is_same_v<decltype(layers::layer_norm(refused{}, "a")), refused>);
