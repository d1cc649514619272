// quantised_test: a network of 8-bit integers, with scales that come by name, gives the same numbers in each way of
// running.
// nightly: every day kernels and networks run on bytes, too
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

constexpr auto classifier = [](builder& g) {
  auto x = g.input<i8, shape<2, 5, 6, 3>, nhwc, quant{.scale = 0.05F, .zero_point = -4}>("image");
  auto h = conv2d(x, g.weight<i8, shape<4, 3, 3, 3>, nhwc, per_channel<0>>("conv.weight"),
                  g.weight<i32, shape<4>>("conv.bias"), same, relu, into<quant{.scale = 0.4F, .zero_point = 10}>);
  auto d = depthwise_conv2d(h, g.weight<i8, shape<4, 3, 3, 1>, nhwc, per_channel<0>>("depthwise.weight"),
                            g.weight<i32, shape<4>>("depthwise.bias"), same, stride<2, 2>, relu6,
                            into<quant{.scale = 0.3F, .zero_point = -20}>);
  auto p = reshape(avg_pool(d, kernel<2, 2>), shape<2, 16>);
  auto f = full_connection(p, g.weight<i8, shape<5, 16>, nd, per_channel<0>>("fc.weight"),
                           g.weight<i32, shape<5>>("fc.bias"), into<quant{.scale = 0.015F, .zero_point = 3}>);
  g.output("logit", f);
  g.output("probability", softmax(f, into<quant{.scale = 1.0F / 256, .zero_point = -128}>));
};
using net = graph<classifier>;

// Computed in Python integers from the definitions of TFLite's reference kernels (see each operator's test).
const std::vector<std::int8_t> logits{-29, -9, 8, 10, 59, -36, -12, 14, 7, 63};
const std::vector<std::int8_t> probabilities{-101, -92, -82, -80, -28, -104, -94, -78, -83, -24};

/// i * factor % modulus + first.
template <class T> std::vector<T> pattern(int count, int factor, int modulus, int first) {
  std::vector<T> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back(static_cast<T>(i * factor % modulus + first));
  return numbers;
}
weights named_weights(float of_a_channel = 0.004F) {
  const auto conv = pattern<std::int8_t>(108, 53, 255, -127), depthwise = pattern<std::int8_t>(36, 71, 255, -127),
             fc = pattern<std::int8_t>(80, 29, 255, -127);
  const auto conv_bias = pattern<std::int32_t>(4, 100, 1000, -150),
             depthwise_bias = pattern<std::int32_t>(4, 300, 2000, -500),
             fc_bias = pattern<std::int32_t>(5, 500, 3000, -1000);
  const std::vector<float> conv_scale{0.01F, 0.02F, 0.005F, 0.03F}, depthwise_scale{0.01F, of_a_channel, 0.02F, 0.01F},
      fc_scale{0.0006F, 0.0009F, 0.0003F, 0.0006F, 0.0012F};
  const tensor_entry tensors[] = {tensor_of<std::int8_t>("conv.weight", {4, 3, 3, 3}, conv),
                                  tensor_of<float>("conv.weight.scale", {4}, conv_scale),
                                  tensor_of<std::int32_t>("conv.bias", {4}, conv_bias),
                                  tensor_of<std::int8_t>("depthwise.weight", {4, 3, 3, 1}, depthwise),
                                  tensor_of<float>("depthwise.weight.scale", {4}, depthwise_scale),
                                  tensor_of<std::int32_t>("depthwise.bias", {4}, depthwise_bias),
                                  tensor_of<std::int8_t>("fc.weight", {5, 16}, fc),
                                  tensor_of<float>("fc.weight.scale", {5}, fc_scale),
                                  tensor_of<std::int32_t>("fc.bias", {5}, fc_bias)};
  return make_weights(tensors).value();
}
const std::vector<std::int8_t> image = pattern<std::int8_t>(180, 37, 256, -128);

template <class Span> std::vector<std::int8_t> copied(Span elements) { return {elements.begin(), elements.end()}; }

TEST_CASE("a static network of bytes takes its scales by name, in each form of executor") {
  auto run = executor<net>::create(named_weights(), {.threads = 2});
  REQUIRE(run);
  auto [logit, probability] = (*run)(image);
  CHECK(copied(logit) == logits);
  CHECK(copied(probability) == probabilities);
  auto planned = executor<net, cpu_planned>::create(named_weights());
  REQUIRE(planned);
  CHECK(copied(std::get<1>((*planned)(image))) == probabilities);
}

TEST_CASE("a channel's scale that is none is refused by its name, place and value; 0 makes a channel of zeros") {
  for (const float scale : {-0.01F, math::nan<float>, math::infinity<float>}) {
    const auto run = executor<net>::create(named_weights(scale));
    const auto made = compile(*to_model<net>(named_weights(scale)));
    REQUIRE(!run);
    REQUIRE(!made);
    const std::string expected =
        "\"depthwise.weight.scale\": scale 1: got " + text_of(scale) + ", expected a finite number of at least 0";
    CHECK(run.error().message().find(expected) != std::string::npos);
    CHECK(made.error().message().find(expected) != std::string::npos);
  }
  CHECK(executor<net>::create(named_weights(0)));
}

template <class Policy> void check_restored() {
  auto made = executor<net, Policy>::create(named_weights());
  REQUIRE(made);
  auto back = restore_executor<executor<net, Policy>>(shared_bytes::copy_of(store_weights(*made).value()));
  REQUIRE(back);
  CHECK(copied(std::get<0>((*back)(image))) == logits);
  CHECK(copied(std::get<1>((*back)(image))) == probabilities);
}
TEST_CASE("a static network of bytes whose weights were stored has its scales with them, in each form of executor") {
  check_restored<cpu>();
  check_restored<cpu_planned>();
}

TEST_CASE("a dynamic network of bytes gives the same numbers") {
  auto model = to_model<net>(named_weights());
  REQUIRE(model);
  auto made = compile(*model, {.threads = 3});
  REQUIRE(made);
  session s(*made);
  REQUIRE(s.input<std::int8_t>(0).size() == image.size());
  std::copy(image.begin(), image.end(), s.input<std::int8_t>(0).begin());
  REQUIRE(s.run());
  CHECK(copied(s.output<std::int8_t>(0)) == logits);
  CHECK(copied(s.output<std::int8_t>(1)) == probabilities);
}

TEST_CASE("scales that are missing are an error with their name") {
  const auto fc = pattern<std::int8_t>(80, 29, 255, -127);
  const tensor_entry tensors[] = {tensor_of<std::int8_t>("fc.weight", {5, 16}, fc)};
  auto run = executor<net>::create(make_weights(tensors).value());
  REQUIRE(!run);
  CHECK(std::string(run.error().message()).find("fc.weight.scale") != std::string::npos);
}

}  // namespace
