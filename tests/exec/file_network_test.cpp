// file_network_test: networks that the compiler reads of model files - what they compute, their weights, whatever else
// written networks do.
#include "../support/literals/convolved.inc"
#include "../support/literals/hybrid.inc"
#include "../support/literals/large.inc"
#include "../support/literals/listed.inc"
#include "../support/literals/shapes.inc"
#include "../support/literals/streaming.inc"

#include <nnrt/model.hpp>

#include <doctest/doctest.h>
#include <nnrt/bpu.hpp>
#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/model_literal.hpp>

#include <string>
#include <vector>

#include "../support/written_models.hpp"

namespace {

using namespace nnrt;

NNRT_MODEL(hybrid, "folder/hybrid.tflite");
NNRT_MODEL(arithmetic, "shapes");
NNRT_MODEL(listed, "listed");
NNRT_MODEL(streaming, "streaming");
NNRT_MODEL(convolved, "convolved");
using hybrid_net = graph<hybrid>;
using streaming_net = graph<streaming>;
using shapes_net = graph<arithmetic>;
using convolved_net = graph<convolved>;

// y = relu(w x + b); the rows of w are -5 … -2, -1 … 2 and 3 … 6, times 1/2, 1/4 and 1/8; b is 1, 0, -1.
static_assert(hybrid_net::inputs.size() == 1 && hybrid_net::inputs[0].name == "x");
static_assert(hybrid_net::inputs[0].desc.shape == shape_t{1, 4} && hybrid_net::outputs[0].name == "y");
static_assert(hybrid_net::has_own_weights && hybrid_net::weights.size() == 2 && hybrid_net::weights[0].name == "w");
constexpr float row(float first, float scale, float bias) {
  return (first + 2 * (first + 1) + 3 * (first + 2) + 4 * (first + 3)) * scale + bias;
}

TEST_CASE(
    "file_network: shapes that a file computes are known to the compiler, and inputs that nobody reads are there") {
  static_assert(shapes_net::nodes == 1 && shapes_net::inputs.size() == 2 && shapes_net::inputs[1].desc.type == i32);
  static_assert(shapes_net::outputs[0].desc.shape == shape_t{2, 6});
  executor<shapes_net> run;
  std::array<float, 12> x{};
  for (int i = 0; i < 12; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
  const auto y = run(x, std::array<std::int32_t, 1>{7});
  for (std::size_t i = 0; i < 12; ++i) CHECK(y[i] == x[i]);
}

TEST_CASE("file_network: variables are states, and loops are unrolled in the compiler") {
  static_assert(streaming_net::nodes == 3 && streaming_net::states.size() == 1 &&
                streaming_net::states[0].name == "sum");
  static_assert(evaluate<streaming_net>(std::array<float, 2>{1, 0}) == std::array<float, 2>{5, 2});  // 1, 2 + 4 x
  executor<streaming_net> run;
  CHECK(run(std::array<float, 2>{1, 0})[0] == 5);
  CHECK(run(std::array<float, 2>{2, 10})[1] == 42);
  CHECK(run.output<"y">()[0] == 13);
  run.reset();
  CHECK(run(std::array<float, 2>{0, 0})[1] == 2);
}

TEST_CASE("file_network: lists are known to the compiler, and none of the network") {
  static_assert(graph<listed>::nodes == 5 &&
                evaluate<graph<listed>>(std::array<float, 4>{1, 2, 3, -4}) == std::array<float, 4>{3, 6, 9, -12});
  executor<graph<listed>> run;
  const auto y = run(std::array<float, 4>{1, 2, 3, -4});
  CHECK(y[0] == 3);
  CHECK(y[3] == -12);
}

TEST_CASE("file_network: the compiler computes what the formula says") {
  // With one number at a time each row is quantised without a loss: dynamic_range gives 127 for it.
  constexpr auto y = evaluate<hybrid_net>(std::array<float, 4>{0, 0, 0, 1});
  static_assert(y[0] == 0 && y[1] == 0.5F && y[2] == 0);
}

TEST_CASE("file_network: an executor takes the file's weights, and others of the same names") {
  auto run = executor<hybrid_net>::create();
  REQUIRE(run);
  constexpr std::array<float, 4> x{1, 2, 3, 4};
  const auto y = (*run)(x);
  CHECK(y[0] == 0);  // below zero
  CHECK(std::abs(y[1] - row(-1, 0.25F, 0)) < 0.05F);
  CHECK(std::abs(y[2] - row(3, 0.125F, -1)) < 0.05F);

  executor<hybrid_net> made;
  CHECK(made(x)[1] == y[1]);
  executor<hybrid_net> shared = made.share();
  CHECK(shared(x)[2] == y[2]);

  const std::array<float, 12> ones = [] {
    std::array<float, 12> all{};
    all.fill(1);
    return all;
  }();
  const std::array<float, 3> zeros{};
  const tensor_entry entries[] = {{"w", f32, {3, 4}, std::as_bytes(std::span(ones))},
                                  {"b", f32, {3}, std::as_bytes(std::span(zeros))}};
  const auto others = make_weights(entries);
  REQUIRE(others);
  auto other = executor<hybrid_net>::create(*others);
  REQUIRE(other);
  CHECK(std::abs((*other)(x)[0] - 10) < 0.1F);
}

/// A file above 1 MiB: the compiler has its literal, and the program what is written here.
struct large_file {
  static constexpr bool is_given = true;
  static constexpr file_view bytes() {
    return {large_model<"large">::literal(), large_model<"large">::size, large_model<"large">::left_out};
  }
  static result<std::string_view> stored() {
    static const std::vector<std::byte> made = tflite_test::large_model().bytes();
    return letters_of(std::span(made));
  }
  static constexpr tflite::load_options choices() { return {}; }
};
inline constexpr file_network<large_file> large_network{};

TEST_CASE("file_network: the compiler reads a large file without elements of weights, the program has them all") {
  using net = graph<large_network>;
  static_assert(large_file::bytes().size() > largest_literal && net::weights.size() == 2 &&
                net::weights[0].desc.shape == shape_t{520, 512});
  // All but the ends of w and b, whose elements take 2,080 pages and 4.
  static_assert(large_model<"large">::left_out[std::size(large_model<"large">::left_out) - 1] ==
                (2079 + 3) * file_view::page_bytes);
  auto run = executor<net>::create();
  REQUIRE(run);
  std::array<float, 512> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 5) - 2;
  const auto y = (*run)(x);
  for (std::size_t row = 0; row < y.size(); ++row) {
    float sum = static_cast<float>(row);
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * (static_cast<float>((row * 512 + i) % 13) - 6);
    CHECK(y[row] == sum);
  }
  const auto same = evaluate<net>(x);
  CHECK(same[0] == y[0]);
  CHECK(same[519] == y[519]);
}

TEST_CASE("file_network: packed weights and dumps are as of written networks") {
  auto run = executor<hybrid_net>::create();
  REQUIRE(run);
  const auto bytes = store_weights(*run);
  REQUIRE(bytes);
  auto restored = restore_executor<executor<hybrid_net>>(shared_bytes::copy_of(*bytes));
  REQUIRE(restored);
  constexpr std::array<float, 4> x{1, -2, 3, 4};
  for (std::size_t i = 0; i < 3; ++i) CHECK((*restored)(x)[i] == (*run)(x)[i]);
  CHECK(hybrid_net::text().find("full_connection") != std::string::npos);
  CHECK(hybrid_net::dot().find("full_connection") != std::string::npos);
}

// The network of convolved_model(), by hand.
constexpr auto convolved_by_hand = [](builder& g) {
  auto x = g.input<f32, shape<1, 4, 4, 1>>("x");
  auto a = relu(conv2d(x, g.weight<f32, shape<2, 3, 3, 1>>("stem"), g.weight<f32, shape<2>>("stem_bias"), same));
  auto b = full_connection(flatten(a), g.weight<f32, shape<3, 32>>("head"), g.weight<f32, shape<3>>("head_bias"));
  g.output("y", softmax(b));
};
using by_hand = graph<convolved_by_hand>;
using careful = bpu<bayes, on_processor<"a">>;

static_assert(supports<bpu<bayes>, convolved_net> && supports<bpu<bernoulli2>, convolved_net> &&
              !supports<careful, convolved_net>);
static_assert(partition<bpu<bayes>, convolved_net>.segments.size() == partition<bpu<bayes>, by_hand>.segments.size());
static_assert(
    partition<careful, convolved_net>.nodes[0].reason.breaks(accelerator_rule::node_must_be_wanted_on_the_accelerator));

/// Three images.
std::vector<std::array<float, 16>> images() {
  std::vector<std::array<float, 16>> all(3);
  for (std::size_t i = 0; i < 48; ++i) all[i / 16][i % 16] = static_cast<float>(i * 29 % 64) / 32 - 1;
  return all;
}

/// What the network gives for the images on an accelerator, and in floats; its weights are those of the file.
struct quantised_results {
  std::vector<float> stored, floats;
  std::string places;
};
template <class G, class Policy> quantised_results run_quantised() {
  const auto file = convolved_net::own_weights();
  REQUIRE(file);
  const auto samples = images();
  auto made = [&] {
    if constexpr (G::has_own_weights) return calibrate<G, Policy>(samples, {.method = calibration_method::max});
    else return calibrate<G, Policy>(*file, samples, {.method = calibration_method::max});
  }();
  REQUIRE(made);
  auto run = executor<G, Policy>::create(*made);
  auto in_floats = executor<G>::create(*file);
  REQUIRE(run);
  REQUIRE(in_floats);
  quantised_results all;
  for (const auto& image : samples) {
    for (const float y : (*run)(image)) all.stored.push_back(y);
    for (const float y : (*in_floats)(image)) all.floats.push_back(y);
  }
  all.places = made->partition_text();
  return all;
}

TEST_CASE("file_network: an accelerator runs the file's network with the bits of the one written by hand") {
  const quantised_results of_file = run_quantised<convolved_net, bpu<bayes>>(),
                          of_hand = run_quantised<by_hand, bpu<bayes>>();
  CHECK(of_file.stored == of_hand.stored);
  CHECK(of_file.floats == of_hand.floats);
  for (std::size_t i = 0; i < of_file.stored.size(); ++i)
    CHECK(std::abs(of_file.stored[i] - of_file.floats[i]) < 0.02F);
  CHECK(of_file.places.find("accelerator  conv2d") != std::string::npos);
  const quantised_results held_back = run_quantised<convolved_net, careful>();
  CHECK(held_back.places.find("processor    conv2d") != std::string::npos);
  CHECK(held_back.stored != of_file.stored);
}

}  // namespace
