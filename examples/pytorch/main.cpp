// main: a network whose weights PyTorch trained, with the names and the order of axes of its state dict.
// Flow: digits.py trains and writes digits.safetensors, which is embedded here; README.md shows both.
#include <nnrt/nnrt.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

constexpr auto digits = [](nnrt::builder& g) {
  using namespace nnrt;
  auto image = g.input<f32, shape<1, 8, 8, 1>>("image");                // N, H, W, C
  auto strokes = layers::conv2d<16, 3, 3>(image, "conv1", same, relu);  // conv1.weight, conv1.bias
  auto halved = max_pool(strokes, kernel<2, 2>, stride<2, 2>);
  g.output("probability", softmax(layers::full_connection<10>(flatten(halved), "fc"), axis<-1>));
};
using net = nnrt::graph<digits>;
static_assert(net::macs == 11'776 && net::parameters == 2'730);  // known before the program runs

NNRT_EMBED(weights_file, "digits.safetensors");

constexpr std::array<float, 64> image{0, 0, 0, 5, 14, 12, 2,  0,  0,  0, 7, 15, 8, 14, 4, 0, 0,  0,  6, 2, 3,  13,
                                      1, 0, 0, 0, 0,  1,  13, 4,  0,  0, 0, 0,  1, 11, 9, 0, 0,  0,  0, 8, 16, 13,
                                      0, 0, 0, 0, 0,  5,  14, 16, 11, 2, 0, 0,  0, 0,  0, 6, 12, 13, 3, 0};

int main() {
  const auto weights = nnrt::weights::parse(weights_file, nnrt::layout::pytorch);
  auto run = nnrt::executor<net>::create(weights.value()).value();  // value() of an error prints it and ends
  const auto probability = run(image);                              // no heap, no lock, no system call
  const auto best = std::max_element(probability.begin(), probability.end());
  std::printf("digit %d, probability %.4f\n", static_cast<int>(best - probability.begin()), static_cast<double>(*best));
  return best == probability.begin() + 2 ? 0 : 1;  // it is a 2
}
