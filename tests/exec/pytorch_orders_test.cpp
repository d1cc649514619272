// pytorch_orders: what weights of a PyTorch state dict become in networks that make maps of columns, columns of maps,
// and join or normalise on the way.
#include <nnrt/exec/weight_specs.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ir/layers.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/depth_to_space.hpp>
#include <nnrt/ops/instance_norm.hpp>
#include <nnrt/ops/l2_normalize.hpp>
#include <nnrt/ops/leaky_relu.hpp>
#include <nnrt/ops/lrn.hpp>
#include <nnrt/ops/matmul.hpp>
#include <nnrt/ops/max_pool.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/resize_bilinear.hpp>
#include <nnrt/ops/slice.hpp>
#include <nnrt/ops/transpose.hpp>

#include "support/graphs.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace nnrt_test;

using tensors = std::vector<std::pair<std::string, shape_t>>;

/// Tensors whose elements are 0, 1, 2, … each.
weights file_of(const tensors& list, layout order = layout::pytorch) {
  std::vector<std::vector<float>> elements;
  for (const auto& [name, shape] : list) {
    elements.emplace_back();
    for (std::int64_t i = 0; i < shape.elements(); ++i) elements.back().push_back(static_cast<float>(i));
  }
  std::vector<tensor_entry> entries;
  for (std::size_t i = 0; i < list.size(); ++i)
    entries.push_back(tensor_of<float>(list[i].first, list[i].second, elements[i]));
  return *make_weights(entries, {}, order);
}

/// The elements that a network gets for the weight of this name, or the reason in one element's place.
struct answer {
  std::vector<float> elements;
  std::string refusal;
};
answer bound(const ir::graph& g, const weights& file, std::string_view name) {
  const auto specs = weight_specs_of(g);
  const auto made = bind_weights(file, specs);
  if (!made) return {{}, made.error().message()};
  for (std::size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == name) {
      const auto* first = reinterpret_cast<const float*>(made->pointers()[i]);
      return {{first, first + specs[i].desc.elements()}, ""};
    }
  return {{}, "no such weight"};
}

/// Elements of a file's tensor in the order of these extents and strides.
std::vector<float> strided(std::initializer_list<std::pair<std::int64_t, std::int64_t>> axes) {
  std::vector<float> list{0};
  for (const auto& [extent, stride] : axes) {
    std::vector<float> longer;
    for (const float first : list)
      for (std::int64_t i = 0; i < extent; ++i) longer.push_back(first + static_cast<float>(i * stride));
    list = longer;
  }
  return list;
}

constexpr auto map(builder& g) { return relu(g.input<f32, shape<1, 2, 3, 4>>("map")); }
constexpr auto filter(builder& g) { return g.constant<f32, shape<1, 1, 1, 4>>({1, 2, 3, 4}); }
constexpr auto generator(builder& g) { return layers::full_connection<24>(g.input<f32, shape<1, 5>>("z"), "fc"); }
template <int Rows, int Columns> constexpr auto matrix(builder& g) { return g.weight<f32, shape<Rows, Columns>>("w"); }

// The map [1, 2, 3, 4] in the order of nnrt, its elements in that of PyTorch: c * 6 + h * 3 + w.
const std::vector<float> of_map = strided({{2, 3}, {3, 1}, {4, 6}});
const std::vector<float> in_order = strided({{24, 1}});

struct row {
  const char* what;
  ir::graph (*network)();
  tensors file;
  const char* name;
  std::vector<float> expected;
};
const row table[] = {
    {"rows that become a map",
     [] {
       return written([](builder& g) { g.output("y", conv2d(reshape(generator(g), shape<1, 2, 3, 4>), filter(g))); });
     },
     {{"fc.weight", {24, 5}}, {"fc.bias", {24}}},
     "fc.weight",
     strided({{2, 15}, {3, 5}, {4, 30}, {5, 1}})},
    {"the bias of rows that become a map",
     [] {
       return written(
           [](builder& g) { g.output("y", max_pool(reshape(relu(generator(g)), shape<1, 2, 3, 4>), kernel<2, 2>)); });
     },
     {{"fc.weight", {24, 5}}, {"fc.bias", {24}}},
     "fc.bias",
     of_map},
    {"a normalisation between rows and the map that they become",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(relu(reshape(layers::batch_norm(generator(g), "bn", epsilon<1e-5F>), shape<1, 2, 3, 4>)),
                              filter(g)));
       });
     },
     {{"fc.weight", {24, 5}},
      {"fc.bias", {24}},
      {"bn.weight", {24}},
      {"bn.bias", {24}},
      {"bn.running_mean", {24}},
      {"bn.running_var", {24}}},
     "bn.running_mean",
     of_map},
    {"a normalisation of the map that rows become, by channels",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(layers::batch_norm(reshape(generator(g), shape<1, 2, 3, 4>), "bn", epsilon<1e-5F>),
                              filter(g)));
       });
     },
     {{"fc.weight", {24, 5}},
      {"fc.bias", {24}},
      {"bn.weight", {4}},
      {"bn.bias", {4}},
      {"bn.running_mean", {4}},
      {"bn.running_var", {4}}},
     "fc.bias",
     of_map},
    {"rows that become heads",
     [] {
       return written(
           [](builder& g) { g.output("y", transpose(reshape(generator(g), shape<1, 1, 6, 4>), perm<0, 2, 1, 3>)); });
     },
     {{"fc.weight", {24, 5}}, {"fc.bias", {24}}},
     "fc.bias",
     in_order},
    {"rows that the network moves itself",
     [] {
       return written(
           [](builder& g) { g.output("y", transpose(reshape(generator(g), shape<1, 4, 2, 3>), perm<0, 2, 3, 1>)); });
     },
     {{"fc.weight", {24, 5}}, {"fc.bias", {24}}},
     "fc.bias",
     in_order},
    {"columns of a map, and rows that become one",
     [] {
       return written([](builder& g) {
         g.output("y", max_pool(reshape(full_connection(flatten(map(g)), matrix<4, 24>(g)), shape<1, 1, 2, 2>),
                                kernel<1, 1>));
       });
     },
     {{"w", {4, 24}}},
     "w",
     strided({{2, 24}, {2, 48}, {2, 3}, {3, 1}, {4, 6}})},
    {"a factor after a flattened map",
     [] { return written([](builder& g) { g.output("y", matmul(flatten(map(g)), matrix<24, 5>(g))); }); },
     {{"w", {24, 5}}},
     "w",
     strided({{2, 15}, {3, 5}, {4, 30}, {5, 1}})},
    {"a transposed factor after a flattened map",
     [] { return written([](builder& g) { g.output("y", matmul(flatten(map(g)), matrix<5, 24>(g), transpose_b)); }); },
     {{"w", {5, 24}}},
     "w",
     strided({{5, 24}, {2, 3}, {3, 1}, {4, 6}})},
    {"a factor",
     [] { return written([](builder& g) { g.output("y", matmul(g.input<f32, shape<2, 4>>("x"), matrix<4, 6>(g))); }); },
     {{"w", {4, 6}}},
     "w",
     in_order},
    {"a square factor of no layer",
     [] { return written([](builder& g) { g.output("y", matmul(g.input<f32, shape<2, 4>>("x"), matrix<4, 4>(g))); }); },
     {{"w", {4, 4}}},
     "w",
     strided({{16, 1}})},
    {"numbers for each element of a map",
     [] { return written([](builder& g) { g.output("y", map(g) + g.weight<f32, shape<1, 2, 3, 4>>("w")); }); },
     {{"w", {1, 4, 2, 3}}},
     "w",
     of_map},
    {"the same without the axis of images",
     [] { return written([](builder& g) { g.output("y", map(g) + g.weight<f32, shape<2, 3, 4>>("w")); }); },
     {{"w", {4, 2, 3}}},
     "w",
     of_map},
    {"the same in nnrt's order, which the shape tells",
     [] { return written([](builder& g) { g.output("y", map(g) + g.weight<f32, shape<2, 3, 4>>("w")); }); },
     {{"w", {2, 3, 4}}},
     "w",
     in_order},
    {"slopes as exporters write them",
     [] { return written([](builder& g) { g.output("y", prelu(map(g), g.weight<f32, shape<1, 1, 4>>("w"))); }); },
     {{"w", {4, 1, 1}}},
     "w",
     {0, 1, 2, 3}},
    {"a normalisation of whole maps",
     [] { return written([](builder& g) { g.output("y", layers::layer_norm(map(g), "n", epsilon<1e-5F>)); }); },
     {{"n.weight", {4, 2, 3}}, {"n.bias", {4, 2, 3}}},
     "n.weight",
     of_map},
    {"a map that is a weight",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(g.weight<f32, shape<1, 2, 3, 4>>("w"), filter(g)) + g.input<f32, shape<1>>("x"));
       });
     },
     {{"w", {1, 4, 2, 3}}},
     "w",
     of_map},
    {"kernels that are joined along their filters",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(map(g), concat(g.weight<f32, shape<1, 1, 3, 4>>("w"),
                                             g.weight<f32, shape<2, 1, 3, 4>>("v"), axis<0>)));
       });
     },
     {{"w", {1, 4, 1, 3}}, {"v", {2, 4, 1, 3}}},
     "v",
     strided({{2, 12}, {3, 1}, {4, 3}})},
    {"a kernel that the network moves itself",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(map(g), transpose(g.weight<f32, shape<1, 4, 2, 3>>("w"), perm<0, 2, 3, 1>)));
       });
     },
     {{"w", {1, 4, 2, 3}}},
     "w",
     in_order},
};

TEST_CASE("pytorch_orders: each weight is put into the order that the network reads it in") {
  for (const row& r : table) {
    CAPTURE(r.what);
    const answer got = bound(r.network(), file_of(r.file), r.name);
    CHECK(got.refusal == "");
    CHECK(got.elements == r.expected);
  }
}

struct refused_row {
  const char* what;
  ir::graph (*network)();
  tensors file;
  const char* reason;
};
const refused_row refused_table[] = {
    {"a cube with a map",
     [] {
       return written([](builder& g) {
         g.output("y", g.input<f32, shape<1, 3, 3, 3>>("x") + g.weight<f32, shape<1, 3, 3, 3>>("w"));
       });
     },
     {{"w", {1, 3, 3, 3}}},
     "its shape does not tell whether the file has it in C,H,W or in H,W,C order"},
    {"a square factor of a layer",
     [] {
       return written([](builder& g) {
         g.output("y", matmul(g.input<f32, shape<2, 4>>("x"), g.weight<f32, shape<4, 4>>("fc.weight")));
       });
     },
     {{"fc.weight", {4, 4}}},
     "nothing tells it from a layer's [out, in]"},
    {"a kernel that is cut",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(map(g), slice(g.weight<f32, shape<2, 4, 4, 4>>("w"), begin<0>, size<1>, axes<0>), same));
       });
     },
     {{"w", {2, 4, 4, 4}}},
     "is joined, cut or computed on its way to a layer"},
    {"kernels that are joined along their channels",
     [] {
       return written([](builder& g) {
         g.output("y", conv2d(map(g), concat(g.weight<f32, shape<2, 2, 2, 2>>("w"),
                                             g.weight<f32, shape<2, 2, 2, 2>>("v"), axis<3>)));
       });
     },
     {{"w", {2, 2, 2, 2}}, {"v", {2, 2, 2, 2}}},
     "is joined, cut or computed on its way to a layer"},
    {"a dense layer's weight that is cut, after a map",
     [] {
       return written([](builder& g) {
         g.output("y", full_connection(flatten(map(g)), slice(matrix<9, 24>(g), begin<0>, size<5>, axes<0>)));
       });
     },
     {{"w", {9, 24}}},
     "is joined, cut or computed on its way to a layer"},
    {"columns of rows of a map",
     [] {
       return written([](builder& g) {
         g.output("y", full_connection(reshape(max_pool(map(g), kernel<1, 1>), shape<2, 12>), matrix<5, 12>(g)));
       });
     },
     {{"w", {5, 12}}},
     "is read in two orders"},
};

TEST_CASE(
    "pytorch_orders: where no order follows, binding refuses with the reason, and files in nnrt's order are taken") {
  for (const refused_row& r : refused_table) {
    CAPTURE(r.what);
    const ir::graph g = r.network();
    const answer got = bound(g, file_of(r.file), r.file[0].first);
    CAPTURE(got.refusal);
    CHECK(got.refusal.find(r.reason) != std::string::npos);
    CHECK(bound(g, file_of(r.file, layout::native), r.file[0].first).refusal == "");
  }
}

struct open_row {
  const char* what;
  ir::graph (*open)();
  ir::graph (*said)();
  tensors file;
  const char* reason;
};
/// A map that a weight takes part in.
constexpr auto shifted(builder& g) { return map(g) + g.weight<f32, shape<4>>("w"); }
const tensors normalisation{{"n.weight", {4}}, {"n.bias", {4}}};
const open_row open_table[] = {
    {"batch_norm",
     [] { return written([](builder& g) { g.output("y", layers::batch_norm(map(g), "n")); }); },
     [] { return written([](builder& g) { g.output("y", layers::batch_norm(map(g), "n", epsilon<1e-4F>)); }); },
     {{"n.weight", {4}},
      {"n.bias", {4}},
      {"n.running_mean", {4}},
      {"n.running_var", {4}},
      {"n.num_batches_tracked", {1}}},
     "\"n.weight\": batch_norm is not told its epsilon, and nnrt's default is not PyTorch's (1e-5)"},
    {"layer_norm",
     [] { return written([](builder& g) { g.output("y", layers::layer_norm(map(g), "n", begin_norm_axis<-1>)); }); },
     [] {
       return written(
           [](builder& g) { g.output("y", layers::layer_norm(map(g), "n", begin_norm_axis<-1>, epsilon<1e-5F>)); });
     },
     normalisation, "layer_norm is not told its epsilon"},
    {"instance_norm",
     [] {
       return written([](builder& g) {
         g.output("y", instance_norm(g.input<f32, shape<1, 4, 3>>("x"), g.weight<f32, shape<4>>("n.weight"),
                                     g.weight<f32, shape<4>>("n.bias")));
       });
     },
     [] {
       return written([](builder& g) {
         g.output("y", instance_norm(g.input<f32, shape<1, 4, 3>>("x"), g.weight<f32, shape<4>>("n.weight"),
                                     g.weight<f32, shape<4>>("n.bias"), epsilon<0.0F>));
       });
     },
     normalisation, "instance_norm is not told its epsilon"},
    {"leaky_relu",
     [] { return written([](builder& g) { g.output("y", leaky_relu(map(g) + g.weight<f32, shape<4>>("w"))); }); },
     [] {
       return written(
           [](builder& g) { g.output("y", leaky_relu(map(g) + g.weight<f32, shape<4>>("w"), negative_slope<0.01F>)); });
     },
     {{"w", {4}}},
     "leaky_relu is not told its negative_slope, and nnrt's default is not PyTorch's (0.01)"},
    {"resize_bilinear",
     [] {
       return written(
           [](builder& g) { g.output("y", resize_bilinear(map(g) + g.weight<f32, shape<4>>("w"), size<4, 6>)); });
     },
     [] {
       return written([](builder& g) {
         g.output("y", resize_bilinear(map(g) + g.weight<f32, shape<4>>("w"), size<4, 6>, asymmetric));
       });
     },
     {{"w", {4}}},
     "resize_bilinear is not told its coordinate_mode"},
    {"avg_pool, explicit pads",
     [] { return written([](builder& g) { g.output("y", avg_pool(shifted(g), kernel<2, 2>, padding<1, 0, 0, 0>)); }); },
     [] {
       return written([](builder& g) {
         g.output("y", avg_pool(shifted(g), kernel<2, 2>, padding<1, 0, 0, 0>, count_include_pad<false>));
       });
     },
     {{"w", {4}}},
     "avg_pool is not told its count_include_pad, and nnrt's default is not PyTorch's (true)"},
    {"avg_pool, padded as needed",
     [] { return written([](builder& g) { g.output("y", avg_pool(shifted(g), kernel<2, 2>, stride<2, 2>, same)); }); },
     [] {
       return written([](builder& g) {
         g.output("y", avg_pool(shifted(g), kernel<2, 2>, stride<2, 2>, same, count_include_pad<true>));
       });
     },
     {{"w", {4}}},
     "avg_pool is not told its count_include_pad"},
    {"depth_to_space",
     [] {
       return written(
           [](builder& g) { g.output("y", depth_to_space(concat(shifted(g), shifted(g), axis<3>), block_size<2>)); });
     },
     [] {
       return written([](builder& g) {
         g.output("y", depth_to_space(concat(shifted(g), shifted(g), axis<3>), block_size<2>, dcr));
       });
     },
     {{"w", {4}}},
     "depth_to_space is not told its crd"},
    {"lrn",
     [] { return written([](builder& g) { g.output("y", lrn(shifted(g), depth_radius<2>)); }); },
     [] {
       return written(
           [](builder& g) { g.output("y", lrn(shifted(g), depth_radius<2>, with_alpha<1.0F>, beta<0.5F>)); });
     },
     {{"w", {4}}},
     "lrn is not told its alpha"},
    {"lrn's other one",
     [] { return written([](builder& g) { g.output("y", lrn(shifted(g), depth_radius<2>, with_alpha<1.0F>)); }); },
     [] {
       return written(
           [](builder& g) { g.output("y", lrn(shifted(g), depth_radius<2>, beta<0.5F>, with_alpha<1.0F>)); });
     },
     {{"w", {4}}},
     "lrn is not told its beta, and nnrt's default is not PyTorch's (0.75)"},
    {"l2_normalize",
     [] { return written([](builder& g) { g.output("y", l2_normalize(shifted(g), axis<-1>)); }); },
     [] { return written([](builder& g) { g.output("y", l2_normalize(shifted(g), axis<-1>, epsilon<1e-6F>)); }); },
     {{"w", {4}}},
     "l2_normalize is not told its epsilon"},
};

struct idle_row {
  const char* what;
  ir::graph (*network)();
};
const idle_row idle_table[] = {
    {"a mean over whole windows",
     [] { return written([](builder& g) { g.output("y", avg_pool(shifted(g), kernel<2, 2>, stride<2, 2>)); }); }},
    {"pads of nothing",
     [] {
       return written([](builder& g) { g.output("y", avg_pool(shifted(g), kernel<2, 2>, padding<0, 0, 0, 0>)); });
     }},
    {"a window that ends after the image",
     [] {
       return written([](builder& g) { g.output("y", avg_pool(shifted(g), kernel<2, 2>, stride<2, 2>, ceil_mode)); });
     }},
    {"as much padding as needed, which is none",
     [] { return written([](builder& g) { g.output("y", avg_pool(shifted(g), kernel<2, 3>, stride<2, 3>, same)); }); }},
    {"the mean of an image", [] { return written([](builder& g) { g.output("y", avg_pool(shifted(g), global)); }); }},
    {"a maximum with padding",
     [] { return written([](builder& g) { g.output("y", max_pool(shifted(g), kernel<2, 2>, same)); }); }},
    {"blocks of one channel",
     [] { return written([](builder& g) { g.output("y", depth_to_space(shifted(g), block_size<2>)); }); }},
};

TEST_CASE("pytorch_orders: nothing need be said of an attribute that plays no part") {
  for (const idle_row& r : idle_table) {
    CAPTURE(r.what);
    CHECK(bound(r.network(), file_of({{"w", {4}}}), "w").refusal == "");
  }
}

TEST_CASE(
    "pytorch_orders: an attribute whose default is not PyTorch's must be said, even if it is said to be the default") {
  for (const open_row& r : open_table) {
    CAPTURE(r.what);
    const std::string_view first = r.file[0].first;
    const answer got = bound(r.open(), file_of(r.file), first);
    CAPTURE(got.refusal);
    CHECK(got.refusal.find(r.reason) != std::string::npos);
    CHECK(bound(r.said(), file_of(r.file), first).refusal == "");
    tensors native = r.file;
    if (native.back().first.ends_with("tracked")) native.pop_back();  // which PyTorch alone has
    CHECK(bound(r.open(), file_of(native, layout::native), first).refusal == "");
  }
}

TEST_CASE(
    "pytorch_orders: a model that is put together at run time says attributes by other values than the defaults") {
  for (const float epsilon : {ops::batch_norm::attrs{}.epsilon, 1e-5F}) {
    CAPTURE(epsilon);
    model_builder b;
    std::vector<std::int32_t> operands{*b.input("x", {f32, {2, 4}})};
    for (const char* name : {"n.weight", "n.bias", "n.running_mean", "n.running_var"})
      operands.push_back(*b.weight(name, {f32, {4}}));
    ops::batch_norm::attrs a;
    a.epsilon = epsilon;
    REQUIRE(b.apply<ops::batch_norm>(a, operands));
    const answer got =
        bound(b.graph(), file_of({{"n.weight", {4}}, {"n.bias", {4}}, {"n.running_mean", {4}}, {"n.running_var", {4}}}),
              "n.weight");
    CHECK((got.refusal == "") == (epsilon == 1e-5F));
  }
}

TEST_CASE("pytorch_orders: a model that is put together at run time says that defaults are meant") {
  for (const bool is_said : {false, true}) {
    CAPTURE(is_said);
    model_builder b;
    const std::int32_t w = *b.weight("w", {f32, nhwc, {1, 3, 3, 2}});
    ops::avg_pool::attrs a;
    a.kernel = {2, 2}, a.pad = {pad_mode::same};
    REQUIRE(b.apply<ops::avg_pool>(a, {w}));
    if (is_said) b.say_defaults();
    const answer got = bound(b.graph(), file_of({{"w", {1, 2, 3, 3}}}), "w");
    CAPTURE(got.refusal);
    CHECK((got.refusal == "") == is_said);
  }
}

}  // namespace
