// layers: a matrix product and typical layers through graph<f> and executor, each beside the machine's own peak.
// Flow: bench/run.sh runs it with repetitions and reads its JSON. Shapes are NHWC, batch 1.
#include "support/measured.hpp"

namespace {

using namespace nnrt;

constexpr auto matmul_512 = [](builder& g) {
  auto a = g.input<f32, shape<512, 512>>("a");
  g.output("c", matmul(a, g.weight<f32, shape<512, 512>>("b.weight")));
};

/// Out channels of a convolution over Size x Size pixels of In channels, relu6 as in the networks that it comes from.
template <std::int64_t Size, std::int64_t In, std::int64_t Out, std::int64_t Kernel>
constexpr auto convolution = [](builder& g) {
  auto x = g.input<f32, shape<1, Size, Size, In>>("x");
  g.output("y", layers::conv2d<Out, Kernel, Kernel>(x, "conv", same, relu6));
};

constexpr auto depthwise_112 = [](builder& g) {
  auto x = g.input<f32, shape<1, 112, 112, 32>>("x");
  g.output("y", layers::depthwise_conv2d<3, 3>(x, "conv", same, relu6));
};

template <std::int64_t In, std::int64_t Out>
constexpr auto dense = [](builder& g) {
  auto x = g.input<f32, shape<1, In>>("x");
  g.output("y", layers::full_connection<Out>(x, "fc"));
};

constexpr auto softmax_1000 = [](builder& g) {
  auto x = g.input<f32, shape<1, 1000>>("x");
  g.output("y", softmax(x));
};

constexpr auto max_pool_112 = [](builder& g) {
  auto x = g.input<f32, shape<1, 112, 112, 64>>("x");
  g.output("y", max_pool(x, kernel<3, 3>, stride<2, 2>, padding<1, 1, 1, 1>));
};

constexpr auto add_per_channel = [](builder& g) {
  auto x = g.input<f32, shape<1, 56, 56, 64>>("x");
  auto b = g.input<f32, shape<1, 1, 1, 64>>("b");
  g.output("y", x + b);
};

// The same of stored numbers; scales that spread results over their range.
constexpr quant step_of_x{.scale = 0.05F, .zero_point = 3}, step_of_weights{.scale = 0.01F, .zero_point = 0};
template <std::int64_t Depth> constexpr auto result = into<quant{.scale = 0.00006F * Depth + 0.01F, .zero_point = -128}>;

constexpr auto matmul_512_i8 = [](builder& g) {
  auto a = g.input<i8, shape<512, 512>, nd, step_of_x>("a");
  g.output("c", matmul(a, g.weight<i8, shape<512, 512>, nd, step_of_weights>("b.weight"), result<512>));
};

template <std::int64_t Size, std::int64_t In, std::int64_t Out, std::int64_t Kernel>
constexpr auto convolution_i8 = [](builder& g) {
  auto x = g.input<i8, shape<1, Size, Size, In>, nhwc, step_of_x>("x");
  auto w = g.weight<i8, shape<Out, Kernel, Kernel, In>, nhwc, step_of_weights>("conv.weight");
  g.output("y", conv2d(x, w, g.weight<i32, shape<Out>>("conv.bias"), same, relu, result<Kernel * Kernel * In>));
};

constexpr auto depthwise_112_i8 = [](builder& g) {
  auto x = g.input<i8, shape<1, 112, 112, 32>, nhwc, step_of_x>("x");
  auto w = g.weight<i8, shape<32, 3, 3, 1>, nhwc, step_of_weights>("conv.weight");
  g.output("y", depthwise_conv2d(x, w, g.weight<i32, shape<32>>("conv.bias"), same, relu, result<9>));
};

template <std::int64_t In, std::int64_t Out>
constexpr auto dense_i8 = [](builder& g) {
  auto x = g.input<i8, shape<1, In>, nd, step_of_x>("x");
  auto w = g.weight<i8, shape<Out, In>, nd, step_of_weights>("fc.weight");
  g.output("y", full_connection(x, w, g.weight<i32, shape<Out>>("fc.bias"), result<In>));
};

}  // namespace

int main(int argc, char** argv) {
  bench::add_network<matmul_512>("layer", "matmul 512x512x512");
  bench::add_network<matmul_512_i8>("layer", "matmul 512x512x512");
  bench::add_network<convolution<56, 64, 64, 3>>("layer", "conv 3x3, 64 to 64 at 56x56");
  bench::add_network<convolution_i8<56, 64, 64, 3>>("layer", "conv 3x3, 64 to 64 at 56x56");
  bench::add_network<convolution<28, 256, 256, 1>>("layer", "conv 1x1, 256 to 256 at 28x28");
  bench::add_network<convolution_i8<28, 256, 256, 1>>("layer", "conv 1x1, 256 to 256 at 28x28");
  bench::add_network<depthwise_112>("layer", "depthwise 3x3, 32 at 112x112");
  bench::add_network<depthwise_112_i8>("layer", "depthwise 3x3, 32 at 112x112");
  bench::add_network<dense<1568, 64>>("layer", "full_connection 1568 to 64");
  bench::add_network<dense<1024, 1000>>("layer", "full_connection 1024 to 1000");
  bench::add_network<dense_i8<1024, 1000>>("layer", "full_connection 1024 to 1000");
  bench::add_network<softmax_1000>("layer", "softmax of 1000");
  bench::add_network<max_pool_112>("layer", "max_pool 3x3 stride 2, 64 at 112x112");
  bench::add_network<add_per_channel>("layer", "add one number per channel, 64 at 56x56");
  return bench::run_benchmarks(argc, argv);
}
