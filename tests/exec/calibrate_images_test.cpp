#include <nnrt/bpu.hpp>
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/calibrate_model.hpp>

#include <doctest/doctest.h>

#include "support/random_weights.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace nnrt;

namespace {

/// A network that sees images; windows of its first layer lie in them, or reach beyond.
template <bool IsPadded>
constexpr auto sees_images = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 6, 3>>("x");
  const auto stem = [&] {
    if constexpr (IsPadded) return layers::conv2d<8, 3, 3>(x, "stem", same, relu);
    else return layers::conv2d<8, 2, 2>(x, "stem", stride<2, 2>, relu);
  };
  g.output("y", layers::conv2d<4, 1, 1>(stem(), "head"));
};
using sample = std::array<float, 144>;

template <class G> weights random_weights() {
  return nnrt_test::random_weights<G>(
      7, [](std::mt19937& random, const tensor_info&) { return static_cast<float>(random() % 2001) / 2000.0F - 0.4F; });
}

using bytes = std::vector<std::uint8_t>;
bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  bytes made(count);
  for (std::uint8_t& b : made) b = static_cast<std::uint8_t>(random() % 256);
  return made;
}
image_view rgb_image(const bytes& of) { return {.type = image_type::rgb, .height = 8, .width = 6, .first = of.data()}; }

constexpr normalisation centred{{128, 128, 128}, {0.0078125F, 0.0078125F, 0.0078125F}},
    usual{{123.675F, 116.28F, 103.53F}, {0.0171F, 0.0175F, 0.0174F}};
saved_input of_images(const normalisation& by, colours seen = colours::rgb) {
  return {.is_image = true, .given = image_type::rgb, .seen = seen, .by = by};
}

std::vector<sample> samples_of(const normalisation& by) {
  std::vector<sample> made(5);
  for (std::size_t i = 0; i < made.size(); ++i)
    REQUIRE(image_to_floats(rgb_image(random_bytes(144, static_cast<unsigned>(i))), colours::rgb, by, made[i]));
  return made;
}

/// What a static network becomes is what the same network becomes at run time, and an image runs on it as its pixels -
/// 128 do there.
template <class Policy, bool IsPadded> void check(const normalisation& by) {
  using net = graph<sees_images<IsPadded>>;
  const weights file = random_weights<net>();
  const std::vector<sample> samples = samples_of(by);
  const saved_input given[] = {of_images(by)};
  const auto made = calibrate<net, Policy>(file, samples, {}, given);
  REQUIRE(made);
  model network = *to_model<net>(file);
  for (ir::node& n : network.graph.nodes) n.op = ops::find(n.op->code);
  const auto expected = calibrate(network, {&Policy::table}, sample_source::of(samples), {}, {}, given);
  REQUIRE(expected);
  CHECK(made->text() == expected->text());
  CHECK(made->network.graph.at(made->network.graph.inputs[0]).desc ==
        expected->network.graph.at(expected->network.graph.inputs[0]).desc);

  auto run = executor<net, Policy>::create(*made);
  REQUIRE(run);
  session stored(*compile(expected->network));
  for (unsigned seed = 20; seed < 24; ++seed) {
    const bytes image = random_bytes(144, seed);
    REQUIRE(store_image(rgb_image(image), colours::rgb, stored.input<std::int8_t>(0)));
    REQUIRE(stored.run());
    const auto y = stored.output<float>(0);
    const std::vector<float> same_as(y.begin(), y.end());
    const auto of_view = (*run)(rgb_image(image));
    CHECK(std::vector<float>(of_view.begin(), of_view.end()) == same_as);
    const auto of_pixels = (*run)(stored.input<std::int8_t>(0));
    CHECK(std::vector<float>(of_pixels.begin(), of_pixels.end()) == same_as);
  }
}

template <class Net, class Policy, class X> std::string refusal(executor<Net, Policy>& run, const X& x) {
  const auto done = run.try_run(x);
  return done ? std::string() : done.error().message();
}

}  // namespace

TEST_CASE("calibrate: a static network whose callers give images is what the same network is at run time") {
  check<bpu<bayes>, true>(centred);
  check<bpu<bayes>, false>(usual);
  check<bpu<bayes>, true>(usual);  // a layer for mean and scale stays in front
  check<bpu<bernoulli2>, true>(centred);
  check<bpu<bernoulli2>, false>(usual);
}

TEST_CASE(
    "calibrate: the layer in front of an image and the sum after it are one node, of an operator that the network "
    "does not name") {
  constexpr auto sums_images = [](builder& g) {
    auto x = g.input<f32, shape<1, 8, 6, 3>>("x"), z = g.input<f32, shape<1, 8, 6, 3>>("z");
    g.output("y", max_pool(add(x, z), kernel<2, 2>, stride<2, 2>));
  };
  using net = graph<sums_images>;
  std::vector<std::tuple<sample, sample>> samples;
  for (const sample& s : samples_of(usual)) samples.emplace_back(s, s);
  const saved_input given[] = {of_images(usual), {}};
  const auto made = calibrate<net, bpu<bayes>>(weights(), samples, {}, given);
  REQUIRE(made);
  const ir::graph& g = made->network.graph;
  CHECK(std::any_of(g.nodes.begin(), g.nodes.end(),
                    [](const ir::node& n) { return n.op->code == ops::conv2d_add::code; }));
  CHECK(executor<net, bpu<bayes>>::create(*made));
}

TEST_CASE("calibrate: an input that is not stored reads images as floats") {
  using net = graph<sees_images<false>>;
  const saved_input given[] = {of_images({{0, 0, 0}, {0.01F, 0, 0.01F}})};  // nothing divides by a scale of 0
  const std::vector<sample> samples = samples_of(given[0].by);
  const auto made = calibrate<net, bpu<bayes>>(random_weights<net>(), samples, {.report = false}, given);
  REQUIRE(made);
  CHECK(made->network.graph.at(made->network.graph.inputs[0]).desc.type == f32);
  auto run = executor<net, bpu<bayes>>::create(*made).value();
  const bytes image = random_bytes(144, 9);
  sample floats;
  REQUIRE(image_to_floats(rgb_image(image), colours::rgb, given[0].by, floats));
  const auto of_image = run(rgb_image(image));
  const std::vector<float> got(of_image.begin(), of_image.end());
  const auto of_floats = run(floats);
  CHECK(got == std::vector<float>(of_floats.begin(), of_floats.end()));
}

TEST_CASE("calibrate: NV12 is given, and what is no such image is refused") {
  using net = graph<sees_images<true>>;
  const saved_input given[] = {of_images(centred)};
  const std::vector<sample> samples = samples_of(centred);
  const weights file = random_weights<net>();
  auto run =
      executor<net, bpu<bayes>>::create(calibrate<net, bpu<bayes>>(file, samples, {.report = false}, given).value())
          .value();
  const bytes frame = random_bytes(72, 3);
  const image_view nv12{.type = image_type::nv12, .height = 8, .width = 6, .first = frame.data()};
  std::array<std::int8_t, 144> pixels;
  REQUIRE(store_image(nv12, colours::rgb, pixels));
  const auto of_frame = run(nv12);
  const std::vector<float> got(of_frame.begin(), of_frame.end());
  const auto of_pixels = run(pixels);
  CHECK(got == std::vector<float>(of_pixels.begin(), of_pixels.end()));

  CHECK(refusal(run, samples[0]) == "input \"x\": got f32, expected an image, or its pixels - 128 as i8");
  CHECK(refusal(run, std::span<const std::int8_t>(pixels).first(9)) == "input \"x\": got 9 elements, expected 144");
  image_view wrong = nv12;
  wrong.width = 4;
  CHECK(refusal(run, wrong) == "input \"x\": got an image of 8 x 4, expected one of [1, 8, 6, 3]");
  wrong = nv12, wrong.first = nullptr;
  CHECK(refusal(run, wrong).find("image must have pixels") != std::string::npos);
  wrong = nv12, wrong.type = image_type::y;
  CHECK(refusal(run, wrong).find("image must hold the colours of the network") != std::string::npos);

  auto of_tensors =
      executor<net, bpu<bayes>>::create(calibrate<net, bpu<bayes>>(file, samples, {.report = false}).value()).value();
  CHECK(refusal(of_tensors, nv12) == "input \"x\": got an image, expected f32: the network was calibrated for tensors");
  CHECK(refusal(of_tensors, pixels) == "input \"x\": got i8, expected f32");
  CHECK(refusal(of_tensors, samples[0]).empty());
  const auto taken = std::move(of_tensors);
  CHECK(refusal(of_tensors, samples[0]) == "the session was moved away");

  const saved_input gray[] = {of_images(centred, colours::gray)};
  CHECK(calibrate<net, bpu<bayes>>(file, samples, {}, gray).error().message().find("expected f32 [N, H, W, 1]") !=
        std::string::npos);
  const std::vector<saved_input> two(2, given[0]);
  CHECK(calibrate<net, bpu<bayes>>(file, samples, {}, two).error().message() ==
        "got descriptions of 2 inputs, expected 1");
}
