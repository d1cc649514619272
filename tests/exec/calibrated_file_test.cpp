// calibrated_file_test: a calibrated network comes back from its file as it was, and no other one comes in its place.
#include <nnrt/bpu_file.hpp>
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/calibrate_model.hpp>

#include <doctest/doctest.h>

#include "support/random_weights.hpp"
#include "support/same_graph.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

using namespace nnrt;

namespace {

template <int Classes>
constexpr auto sees_images = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 6, 3>>("x");
  g.output("y", erf(layers::conv2d<Classes, 1, 1>(layers::conv2d<8, 3, 3>(x, "stem", same, relu), "head")));
};
using net = graph<sees_images<4>>;
using sample = std::array<float, 144>;

template <class G = net> weights random_weights() {
  return nnrt_test::random_weights<G>(
      7, [](std::mt19937& random, const tensor_info&) { return static_cast<float>(random() % 2001) / 2000.0F - 0.4F; });
}
std::vector<sample> random_samples() {
  std::mt19937 random(5);
  std::vector<sample> made(4);
  for (sample& s : made)
    for (float& v : s) v = static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
  return made;
}
std::vector<std::uint8_t> random_pixels() {
  std::mt19937 random(9);
  std::vector<std::uint8_t> made(144);
  for (std::uint8_t& b : made) b = static_cast<std::uint8_t>(random() % 256);
  return made;
}

/// What an executor of a calibrated network makes of some input.
template <class G, class Policy, class Input>
std::vector<float> numbers_from(const calibrated<G, Policy>& network, const Input& input) {
  auto run = executor<G, Policy>::create(network);
  REQUIRE(run);
  const auto y = (*run)(input);
  return {y.begin(), y.end()};
}

template <class Policy> void check_return() {
  const temporary_folder folder;
  const std::string path = folder.file("net.safetensors");
  const auto made = calibrate<net, Policy>(random_weights(), random_samples());
  REQUIRE(made);
  REQUIRE(save_calibrated(path, *made));
  const auto loaded = load_calibrated<net, Policy>(path);
  REQUIRE(loaded);
  CHECK(nnrt_test::difference_of(loaded->network.graph, made->network.graph) == "");
  CHECK(loaded->partition_text() == made->partition_text());
  CHECK(made->partition_text().find("processor    erf") != std::string::npos);
  CHECK(loaded->layers.empty());
  for (const sample& s : random_samples()) CHECK(numbers_from(*loaded, s) == numbers_from(*made, s));
}

}  // namespace

TEST_CASE("calibrated file: a network comes back with its scales, places and results, for each architecture") {
  check_return<bpu<bayes>>();
  check_return<bpu<bernoulli2>>();
  check_return<bpu<bayes, on_processor<"head">>>();
}

TEST_CASE("calibrated file: what callers give for an input comes back, too") {
  const temporary_folder folder;
  const saved_input given{.is_image = true,
                          .given = image_type::rgb,
                          .seen = colours::rgb,
                          .by = {{128, 128, 128}, {0.0078125F, 0.0078125F, 0.0078125F}}};
  const auto made = calibrate<net, bpu<bayes>>(random_weights(), random_samples(), {}, std::array{given});
  REQUIRE(made);
  REQUIRE(save_calibrated(folder.file("a.safetensors"), *made, "camera"));
  const auto loaded = load_calibrated<net, bpu<bayes>>(folder.file("a.safetensors"));
  REQUIRE(loaded);
  const std::vector<std::uint8_t> pixels = random_pixels();
  const image_view image{.type = image_type::rgb, .height = 8, .width = 6, .first = pixels.data()};
  CHECK(numbers_from(*loaded, image) == numbers_from(*made, image));
  CHECK(load_models(folder.file("a.safetensors"))->front().name == "camera");
}

TEST_CASE("calibrated file: a network that was calibrated at run time serves the static graph that it is") {
  const temporary_folder folder;
  model dynamic = *to_model<net>(random_weights());
  for (ir::node& n : dynamic.graph.nodes) n.op = ops::find(n.op->code);
  const std::vector<sample> samples = random_samples();
  const auto at_run_time = calibrate(dynamic, {find_accelerator("bayes")}, sample_source::of(samples));
  REQUIRE(at_run_time);
  const saved_model saved[] = {{.network = at_run_time->network,
                                .name = "net",
                                .architecture = "bayes",
                                .places = at_run_time->places,
                                .inputs = {},
                                .made_by = {}}};
  REQUIRE(save_models(folder.file("b.safetensors"), saved));
  const auto loaded = load_calibrated<net, bpu<bayes>>(folder.file("b.safetensors"));
  REQUIRE(loaded);
  const auto made = calibrate<net, bpu<bayes>>(random_weights(), samples);
  CHECK(numbers_from(*loaded, samples[0]) == numbers_from(*made, samples[0]));
}

TEST_CASE("calibrated file: other networks are refused, with the file and both sides") {
  const temporary_folder folder;
  const std::string path = folder.file("c.safetensors");
  const auto diagnostic = [&]<class G, class Policy>(const G&, const Policy&) {
    const auto loaded = load_calibrated<G, Policy>(path);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().message().starts_with(path + ": "));
    return loaded.error().message().substr(path.size() + 2);
  };
  CHECK(load_calibrated<net, bpu<bayes>>(path).error().code() == error_code::not_found);
  const auto made = calibrate<net, bpu<bayes>>(random_weights(), random_samples());
  REQUIRE(save_calibrated(path, *made));
  CHECK(diagnostic(net{}, bpu<bernoulli2>{}) == "network \"c\" was compiled for bayes, expected bernoulli2");
  CHECK(diagnostic(graph<sees_images<5>>{}, bpu<bayes>{}) ==
        "output \"y\": the stored network has f32 [1, 8, 6, 4], expected f32 [1, 8, 6, 5]");
  REQUIRE(to_model<net>(random_weights())->save(path));
  CHECK(diagnostic(net{}, bpu<bayes>{}) == "network \"c\" was compiled for no accelerator, expected bayes");
  const saved_model two[] = {{.network = made->network,
                              .name = "a",
                              .architecture = "bayes",
                              .places = made->places,
                              .inputs = {},
                              .made_by = {}},
                             {.network = made->network,
                              .name = "b",
                              .architecture = "bayes",
                              .places = made->places,
                              .inputs = {},
                              .made_by = {}}};
  REQUIRE(save_models(path, two));
  CHECK(diagnostic(net{}, bpu<bayes>{}) == "got a file of 2 networks, expected 1");
  calibrated<net, bpu<bayes>> placeless = *made;
  placeless.places.clear();
  CHECK_FALSE(save_calibrated(path, placeless));
}
