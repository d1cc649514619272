// Every operator and keyword that the public face shows, in the two ways in which networks are written:
// names that argument-dependent lookup finds, and names of the library's own.
#include <nnrt/nnrt.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

using nnrt::f32;
using nnrt::shape;

constexpr auto images = [](nnrt::builder& g) {
  auto x = g.input<f32, shape<1, 16, 16, 8>>("x");
  auto w = g.weight<f32, shape<64, 3, 3, 8>>("w");
  auto b = g.weight<f32, shape<64>>("b");
  auto h = conv2d(x, w, b, nnrt::stride<2, 2>, nnrt::dilation<1, 1>, nnrt::group<1>, nnrt::same, nnrt::relu6);
  auto without_bias = conv2d(x, w, nnrt::relu6, nnrt::same, nnrt::stride<2, 2>);
  auto p = max_pool(h, nnrt::kernel<3, 3>, nnrt::stride<2, 2>, nnrt::padding<1, 1, 1, 1>);  // top, bottom, left, right
  auto s = softmax(p, nnrt::axis<-1>);
  auto [top, index] = top_k(s, nnrt::k<5>);  // along the last axis, unless axis<…> says otherwise
  auto c = concat(h, without_bias, nnrt::relu(h), nnrt::axis<-1>);  // any number of tensors
  auto r = add(h, without_bias, nnrt::relu);                        // a sum with a fused activation
  auto f = full_connection(flatten(p), g.weight<f32, shape<10, 4 * 4 * 64>>("fc.w"), g.weight<f32, shape<10>>("fc.b"));
  auto m = reduce_mean(p, nnrt::axes<1, 2>, nnrt::keep_dims);
  auto v = g.input<f32, shape<1, 64, 4>>("v");
  auto t = transpose(reshape(v, nnrt::shape<1, 64, 2, 2>), nnrt::perm<0, 2, 3, 1>);
  auto o = slice(pad(x, nnrt::paddings<0, 0, 1, 1, 1, 1, 0, 0>), nnrt::begin<0, 0, 0, 0>, nnrt::size<1, 4, 4, 8>);
  g.output("s", s);
  g.output("c", c);
  g.output("r", r);
  g.output("f", f);
  g.output("m", m);
  g.output("t", t);
  g.output("o", o);
  g.output("top", top);
  g.output("index", index);
};

constexpr auto arithmetic = [](nnrt::builder& g) {
  auto a = g.input<f32, shape<4>>("a");
  auto b = g.input<f32, shape<4>>("b");
  g.output("y", (a + b) * 2 - a / (1.0f + nnrt::sigmoid(b)));
  g.output("z", nnrt::relu(0.5 - a));
};

constexpr auto formats = [](nnrt::builder& g) {
  auto image = g.input<nnrt::f32, nnrt::shape<1, 3, 224, 224>, nnrt::nchw>("image");
  g.output("y", transpose(image, nnrt::perm<0, 2, 3, 1>));
};

constexpr auto quantised = [](nnrt::builder& g) {
  auto xq = g.input<nnrt::i8, nnrt::shape<1, 96, 96, 1>, nnrt::nhwc, nnrt::quant{.scale = 0.0039f, .zero_point = -128}>(
      "image");
  auto wq = g.weight<nnrt::i8, nnrt::shape<16, 3, 3, 1>, nnrt::nhwc, nnrt::per_channel<0>>("w");  // scales: "w.scale"
  auto bq = g.weight<nnrt::i32, nnrt::shape<16>>("b");
  auto q = conv2d(xq, wq, bq, nnrt::same, nnrt::into<nnrt::quant{.scale = 0.02f, .zero_point = -3}>);
  static_assert(decltype(q)::desc.quantised == nnrt::quantisation(nnrt::quant{.scale = 0.02f, .zero_point = -3}));
  g.output("q", q);
};

using image_net = nnrt::graph<images>;
using arithmetic_net = nnrt::graph<arithmetic>;
using quantised_net = nnrt::graph<quantised>;

static_assert(image_net::outputs[0].desc.shape == nnrt::shape_t{1, 4, 4, 64});
static_assert(image_net::outputs[1].desc.shape == nnrt::shape_t{1, 8, 8, 192});
static_assert(image_net::outputs[2].desc.shape == nnrt::shape_t{1, 8, 8, 64});
static_assert(image_net::outputs[3].desc.shape == nnrt::shape_t{1, 10});
static_assert(image_net::outputs[4].desc.shape == nnrt::shape_t{1, 1, 1, 64});
static_assert(image_net::outputs[5].desc.shape == nnrt::shape_t{1, 2, 2, 64});
static_assert(image_net::outputs[6].desc.shape == nnrt::shape_t{1, 4, 4, 8});
static_assert(image_net::outputs[7].desc == nnrt::tensor_desc{f32, {1, 4, 4, 5}});
static_assert(image_net::outputs[8].desc == nnrt::tensor_desc{nnrt::i32, {1, 4, 4, 5}});
static_assert(image_net::weights[0].name == "w" && image_net::weights.size() == 4);
static_assert(image_net::inputs[1].name == "v" && image_net::arena_bytes >= image_net::arena_lower_bound);
static_assert(quantised_net::weights.size() == 3 && quantised_net::weights[1].name == "w.scale");

constexpr auto computed =
    nnrt::evaluate<arithmetic_net>(std::array{1.f, 2.f, 3.f, 4.f}, std::array{0.f, 0.f, 0.f, 0.f});
static_assert(std::get<1>(computed)[0] == 0.f);

int main() {
  nnrt::executor<arithmetic_net> run;
  auto [y, z] = run(std::array{1.f, 2.f, 3.f, 4.f}, std::array{0.f, 0.f, 0.f, 0.f});
  for (std::size_t i = 0; i < 4; ++i)
    if (std::fabs(y[i] - std::get<0>(computed)[i]) > 1e-5f) return 1;
  if (std::fabs(run.output<"y">()[3] - (8 - 4 / 1.5f)) > 1e-5f || z[3] != 0) return 2;

  nnrt::executor<nnrt::graph<formats>> turned;
  static std::array<float, 3 * 224 * 224> image;
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i);
  if (turned(image)[1] != 224 * 224) return 3;

  auto refused = nnrt::executor<image_net>::create(nnrt::weights{});
  if (refused || refused.error().message().find("\"fc.w\"") == std::string::npos) return 4;
  if (image_net::text().empty() || image_net::dot().find("digraph") == std::string::npos) return 5;
  return 0;
}
