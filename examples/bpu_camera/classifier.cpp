// classifier: the network of ../digits with a camera's images - it reads Y, U and V of an image, and its first layer
// looks at Y alone.
// Flow: calibrate() finds scales and stores the weights, models_to_bytes() makes of it what hbDNNInitializeFromDDR
// loads.
#include "classifier.hpp"

#include <nnrt/bpu.hpp>
#include <nnrt/dynamic.hpp>

#include <cstdio>
#include <cstdlib>

NNRT_EMBED(digits_file, "digits.safetensors");

namespace example {
namespace {

using namespace nnrt;

constexpr auto reader = [](builder& g) {
  auto image = g.input<f32, shape<1, 8, 8, 3>>("camera");
  auto strokes = layers::conv2d<16, 3, 3>(image, "conv1", same, relu);
  auto corners = layers::conv2d<32, 3, 3>(strokes, "conv2", same, relu);
  auto halved = max_pool(corners, kernel<2, 2>, stride<2, 2>);
  auto shapes = layers::conv2d<32, 3, 3>(halved, "conv3", same, relu);
  auto quartered = max_pool(shapes, kernel<2, 2>, stride<2, 2>);
  auto scores = layers::full_connection<10>(flatten(quartered), "fc");
  g.output("probability", softmax(scores, axis<-1>));
};
using net = graph<reader>;
using board = bpu<bayes>;

/// Paper is bright and ink is dark: (Y - 255) / -255 is 0 for paper, 1 for ink, as the network was trained.
constexpr saved_input from_camera{.source = input_source::ddr,
                                  .is_image = true,
                                  .given = image_type::nv12,
                                  .seen = colours::yuv444,
                                  .range = colour_range::full,
                                  .by = {{255, 128, 128}, {-1.0F / 255, 1.0F / 128, 1.0F / 128}}};

template <class T> T must(result<T>&& made) {
  if (made) return std::move(*made);
  std::fprintf(stderr, "bpu_camera: %s\n", made.error().message().c_str());
  std::exit(1);
}

/// The weights of digits.safetensors, the first layer's with zeros for U and V.
const weights& weights_for_camera() {
  static const weights made = [] {
    const weights file = must(weights::parse(digits_file));
    std::vector<float> widened;
    std::vector<tensor_entry> tensors;
    for (const tensor_entry& each : file.entries()) tensors.push_back(each);
    for (tensor_entry& each : tensors) {
      if (each.name != "conv1.weight") continue;
      const auto* const grey = reinterpret_cast<const float*>(each.bytes.data());
      for (std::int64_t i = 0; i < each.shape.elements(); ++i) widened.insert(widened.end(), {grey[i], 0.0F, 0.0F});
      each = tensor_of<float>("conv1.weight", {16, 3, 3, 3}, widened);
    }
    return must(make_weights(std::span<const tensor_entry>(tensors)));
  }();
  return made;
}

std::array<float, 192> seen_by_network(const patch& nv12) {
  const image_view view{.type = image_type::nv12,
                        .height = 8,
                        .width = 8,
                        .first = nv12.data(),
                        .second = nullptr,
                        .stride = 0,
                        .is_planar = false,
                        .range = from_camera.range};
  std::array<float, 192> pixels{};
  if (!image_to_floats(view, from_camera.seen, from_camera.by, pixels)) std::abort();
  return pixels;
}

}  // namespace

compiled_classifier compile_classifier(const std::vector<patch>& samples) {
  std::vector<std::array<float, 192>> seen;
  seen.reserve(samples.size());
  for (const patch& each : samples) seen.push_back(seen_by_network(each));
  const auto calibrated = must(calibrate<net, board>(weights_for_camera(), seen));
  const saved_model made{.network = calibrated.network,
                         .name = "digits",
                         .architecture = "bayes",
                         .places = calibrated.places,
                         .inputs = {from_camera},
                         .made_by = {}};
  const byte_list bytes = must(models_to_bytes({&made, 1}));
  return {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, partition<board, net>.text(), calibrated.text()};
}

std::array<float, 10> read_in_floats(const patch& image) {
  static auto run = must(executor<net>::create(weights_for_camera()));
  std::array<float, 10> probability{};
  const auto found = run(seen_by_network(image));
  std::copy(found.begin(), found.end(), probability.begin());
  return probability;
}

}  // namespace example
