#include <nnrt/bpu.hpp>
#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <nnrt/passes/open_states.hpp>

#include "support/random_weights.hpp"

#include <cmath>
#include <random>

using namespace nnrt;

namespace {

using accelerator_policy = bpu<bayes>;
using shifting_policy = bpu<bernoulli2>;

/// Random weights for a network, and samples between -1 and 1.
template <class G> weights random_weights() {
  return nnrt_test::random_weights<G>(3, [](std::mt19937& random, const tensor_info& w) {
    return static_cast<float>(random() % 2001) / 2000.0F - (w.name.find("variance") != w.name.npos ? -0.2F : 0.5F);
  });
}
template <std::size_t N> std::vector<std::array<float, N>> samples_of(std::size_t count) {
  std::mt19937 random(5);
  std::vector<std::array<float, N>> samples(count);
  for (std::array<float, N>& s : samples)
    for (float& v : s) v = static_cast<float>(random() % 2001) / 1000.0F - 1;
  return samples;
}

/// A residual block after a folded normalisation, a branch that the accelerator has not, a dense layer, softmax.
constexpr auto block = [](builder& g) {
  auto x = g.input<f32, shape<1, 9, 7, 3>>("x");
  auto a = layers::conv2d<8, 3, 3>(x, "stem", same);
  auto n = relu(batch_norm(a, g.weight<f32, shape<8>>("n.scale"), g.weight<f32, shape<8>>("n.offset"),
                           g.weight<f32, shape<8>>("n.mean"), g.weight<f32, shape<8>>("n.variance")));
  auto b = layers::depthwise_conv2d<3, 3>(n, "depth", same, relu6);
  auto c = add(n, layers::conv2d<8, 1, 1>(b, "point"), relu);
  auto d = neg(avg_pool(c, kernel<2, 2>, stride<2, 2>));
  auto e = sigmoid(max_pool(d, kernel<2, 2>));
  g.output("y", softmax(layers::full_connection<5>(flatten(e), "head")));
  g.output("map", c);
};
using net = graph<block>;
constexpr std::size_t pixels = 9 * 7 * 3;

/// What the references make of the stored network.
std::vector<float> by_references(const model& network, std::span<const float> x, std::size_t output,
                                 std::span<const float> second = {}) {
  ir::graph g = network.graph;
  std::vector<typed_buffer> buffers;
  for (const ir::value& v : g.values) {
    if (v.is == ir::kind::constant) buffers.push_back(passes::detail::load(g, v));
    else buffers.emplace_back(v.desc.type, v.desc.elements());
    if (v.is == ir::kind::weight)
      std::memcpy(buffers.back().data().raw(), network.weights.find(g.name_of(v.name))->bytes.data(),
                  static_cast<std::size_t>(v.desc.bytes()));
  }
  std::copy(x.begin(), x.end(), buffers[static_cast<std::size_t>(g.inputs[0])].as<float>().begin());
  if (!second.empty())
    std::copy(second.begin(), second.end(), buffers[static_cast<std::size_t>(g.inputs[1])].as<float>().begin());
  const auto view_of = [&](std::int32_t id) {
    if (id == ir::none) return view{};
    view v{&g.at(id).desc, buffers[static_cast<std::size_t>(id)].data()};
    if (g.at(id).scales != ir::none) v.scales = buffers[static_cast<std::size_t>(g.at(id).scales)].as<float>();
    return v;
  };
  for (const ir::node& n : g.nodes) {
    pool<view> in, out;
    for (const std::int32_t id : g.inputs_of(n)) in.push_back(view_of(id));
    for (const std::int32_t id : g.outputs_of(n)) out.push_back(view_of(id));
    n.op->reference(g.attrs_of(n), in, out);
  }
  const auto y = buffers[static_cast<std::size_t>(g.outputs[output].value)].as<float>();
  return {y.begin(), y.end()};
}

template <class Policy> void check_bits() {
  const auto samples = samples_of<pixels>(6);
  const auto made = calibrate<net, Policy>(random_weights<net>(), samples, {.report = false});
  REQUIRE(bool(made));
  std::vector<float> first;
  for (const int threads : {1, 2, 3}) {
    auto run = executor<net, Policy>::create(*made, {.threads = threads});
    REQUIRE(bool(run));
    CHECK(run->compiled().text().find("dot windows with addend") != std::string::npos);  // no reference
    for (const auto& sample : samples) {
      const auto [y, map] = (*run)(sample);
      // The map is quantised values times their scale: equal to the bit, or not at all.
      const std::vector<float> expected = by_references(made->network, sample, 1);
      CHECK(std::equal(map.begin(), map.end(), expected.begin(), expected.end()));
      const std::vector<float> shares = by_references(made->network, sample, 0);
      for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(shares[i]).epsilon(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("calibrate: the stored network gives the references' bits on any number of threads") {
  check_bits<accelerator_policy>();
  check_bits<shifting_policy>();
}

TEST_CASE("calibrate: the stored network is near the one of floats, and the report says how near") {
  const auto file = random_weights<net>();
  const auto samples = samples_of<pixels>(8);
  auto floats = executor<net>::create(file);
  REQUIRE(bool(floats));
  for (const calibration_method method :
       {calibration_method::max, calibration_method::percentile, calibration_method::mixed}) {
    CAPTURE(static_cast<int>(method));
    const auto made = calibrate<net, accelerator_policy>(file, samples, {.method = method});
    REQUIRE(bool(made));
    auto run = executor<net, accelerator_policy>::create(*made);
    REQUIRE(bool(run));
    const auto [y, map] = (*run)(samples[0]);
    const auto [true_y, true_map] = (*floats)(samples[0]);
    nnrt::detail::agreement all;
    for (std::size_t i = 0; i < map.size(); ++i) all.add(double{true_map[i]}, double{map[i]});
    CHECK(all.cosine() > 0.999);
    std::string stored;
    for (const layer_report& r : made->layers) stored += r.op + " ";
    // the point is part of the sum; neg computes floats, but max_pool reads them stored
    CHECK(stored == "conv2d depthwise_conv2d add avg_pool neg max_pool sigmoid reshape full_connection ");
    for (const layer_report& r : made->layers) {
      CHECK(r.cosine > 0.99);
      CHECK(r.signal_to_noise > 15);
      CHECK(r.saturated < 0.02);
      CHECK(r.scale > 0);
      CHECK(r.high >= r.low);
    }
    CHECK(made->text().find("stem") != std::string::npos);
  }
}

TEST_CASE("calibrate: scales of X3 are powers of two, those of RDK Ultra the threshold over 127") {
  const auto file = random_weights<net>();
  const auto samples = samples_of<pixels>(4);
  const auto shifted = calibrate<net, shifting_policy>(file, samples, {.method = calibration_method::max});
  const auto scaled = calibrate<net, accelerator_policy>(file, samples, {.method = calibration_method::max});
  REQUIRE(bool(shifted));
  REQUIRE(bool(scaled));
  for (const ir::value& v : shifted->network.graph.values) {
    int exponent = 0;
    if (v.desc.quantised.mode == quantisation::kind::per_tensor)
      CHECK(std::frexp(v.desc.quantised.scale, &exponent) == 0.5F);
  }
  for (const layer_report& r : scaled->layers)
    if (r.op == "conv2d") CHECK(r.scale == r.threshold / 127);
}

namespace {
/// A shortcut around a convolution with this stride.
template <std::int64_t Stride>
constexpr auto shortcut = [](builder& g) {
  auto x = g.input<f32, shape<1, 7, 7, 4>>("x");
  auto a = layers::conv2d<4, 1, 1>(x, "a", stride<Stride, Stride>);
  g.output("y", add(layers::conv2d<4, 3, 3>(x, "b", stride<Stride, Stride>, same), a, relu));
};
template <std::int64_t Stride> std::string quantised_nodes() {
  using residual_net = graph<shortcut<Stride>>;
  const auto made = calibrate<residual_net, accelerator_policy>(random_weights<residual_net>(),
                                                                samples_of<7 * 7 * 4>(2), {.report = false});
  REQUIRE(bool(made));
  std::string names;
  for (const ir::node& n : made->network.graph.nodes) names += std::string(n.label->name) + " ";
  return names;
}
}  // namespace

TEST_CASE(
    "calibrate: a convolution with strides up to 2 is one unit with the sum after it, one with strides of 3 stays on "
    "the processor") {
  CHECK(quantised_nodes<2>() == "quant_dtype_cast conv2d conv2d_add quant_dtype_cast ");
  CHECK(quantised_nodes<3>() == "conv2d conv2d quant_dtype_cast quant_dtype_cast add quant_dtype_cast ");
}

namespace {
/// Layers of a filter for each channel: one whose result comes to its input, and one at the end.
constexpr auto depths = [](builder& g) {
  auto x = g.input<f32, shape<1, 9, 7, 20>>("x");
  auto a = add(x, layers::depthwise_conv2d<3, 3>(x, "a", same), relu6);
  g.output("y", a);
  g.output("last", layers::depthwise_conv2d<3, 3>(a, "b", stride<2, 2>));
};
template <class Policy> void check_depths() {
  using depth_net = graph<depths>;
  const auto file = random_weights<depth_net>();
  const auto samples = samples_of<9 * 7 * 20>(4);
  const auto made = calibrate<depth_net, Policy>(file, samples, {.int32_tail = true});
  REQUIRE(bool(made));
  std::string names;
  for (const ir::node& n : made->network.graph.nodes) names += std::string(n.label->name) + " ";
  CHECK(names == "quant_dtype_cast conv2d_add layer_sums quant_dtype_cast quant_dtype_cast ");
  for (const layer_report& r : made->layers) CHECK(r.cosine > 0.998);
  for (const int threads : {1, 2, 3}) {
    auto run = executor<depth_net, Policy>::create(*made, {.threads = threads});
    REQUIRE(bool(run));
    CHECK(run->compiled().text().find("dot taps with addend") != std::string::npos);
    CHECK(run->compiled().text().find("dot taps to i32") != std::string::npos);
    for (const auto& sample : samples) {
      const auto [y, last] = (*run)(sample);
      const std::vector<float> expected = by_references(made->network, sample, 0),
                               sums = by_references(made->network, sample, 1);
      CHECK((std::equal(y.begin(), y.end(), expected.begin(), expected.end()) &&
             std::equal(last.begin(), last.end(), sums.begin(), sums.end())));
    }
  }
}
}  // namespace

TEST_CASE(
    "calibrate: a depthwise convolution is one unit with the sum after it, and may keep its sums, with the "
    "references' bits") {
  check_depths<accelerator_policy>();
  check_depths<shifting_policy>();
}

namespace {
/// A decoder: what is upsampled comes to a tensor of that size, rectified, to another one of its kind, or nowhere.
constexpr auto decoder = [](builder& g) {
  auto x = g.input<f32, shape<1, 5, 4, 12>>("x");
  auto skip = g.input<f32, shape<1, 10, 8, 20>>("skip");
  auto a = add(skip, layers::conv2d_transpose<20, 3, 3>(x, "a", stride<2, 2>, same), relu);
  auto b = add(layers::conv2d_transpose<6, 2, 2>(a, "b", stride<2, 2>),
               layers::conv2d_transpose<6, 4, 4>(a, "c", stride<2, 2>, same));
  g.output("y", b);
  g.output("last", layers::conv2d_transpose<3, 3, 3>(a, "d", stride<2, 2>, same));
};
template <class Policy> void check_decoder() {
  using decoder_net = graph<decoder>;
  std::vector<std::tuple<std::array<float, 240>, std::array<float, 1600>>> samples;
  const auto small = samples_of<240>(4);
  const auto large = samples_of<1600>(4);
  for (std::size_t i = 0; i < small.size(); ++i) samples.push_back({small[i], large[i]});
  const auto made = calibrate<decoder_net, Policy>(random_weights<decoder_net>(), samples, {.int32_tail = true});
  REQUIRE(bool(made));
  std::string names;
  for (const ir::node& n : made->network.graph.nodes) names += std::string(n.label->name) + " ";
  CHECK(names ==
        "quant_dtype_cast quant_dtype_cast conv2d_transpose_add conv2d_transpose conv2d_transpose_add "
        "conv2d_transpose_sums quant_dtype_cast quant_dtype_cast ");
  for (const layer_report& r : made->layers) CHECK(r.cosine > 0.998);
  for (const int threads : {1, 2, 3}) {
    auto run = executor<decoder_net, Policy>::create(*made, {.threads = threads});
    REQUIRE(bool(run));
    CHECK(run->compiled().text().find("dot phases with addend") != std::string::npos);
    CHECK(run->compiled().text().find("dot phases to i32") != std::string::npos);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto [y, last] = (*run)(small[i], large[i]);
      const std::vector<float> expected = by_references(made->network, small[i], 0, large[i]),
                               sums = by_references(made->network, small[i], 1, large[i]);
      CHECK((std::equal(y.begin(), y.end(), expected.begin(), expected.end()) &&
             std::equal(last.begin(), last.end(), sums.begin(), sums.end())));
    }
  }
}
}  // namespace

TEST_CASE(
    "calibrate: a transposed convolution is one unit with the sum after it, and may keep its sums, with the "
    "references' bits") {
  check_decoder<accelerator_policy>();
  check_decoder<shifting_policy>();
}

TEST_CASE("calibrate: named nodes have 16 bits where the table takes that, with less noise and the references' bits") {
  const auto file = random_weights<net>();
  const auto samples = samples_of<pixels>(4);
  constexpr std::string_view named[] = {"stem", "depth", "point", "head"};  // a dense layer has 8 bits on RDK Ultra
  const auto narrow = calibrate<net, accelerator_policy>(file, samples),
             wide = calibrate<net, accelerator_policy>(file, samples, {.in_16_bits = named});
  REQUIRE(bool(narrow));
  REQUIRE(bool(wide));
  const auto layer = [](const auto& made, std::string_view name) {
    for (const layer_report& r : made->layers)
      if (r.name == name) return r;
    return layer_report{};
  };
  for (const std::string_view name : {"stem", "depth"}) {
    CAPTURE(name);
    CHECK(layer(narrow, name).bits == 8);
    CHECK(layer(wide, name).bits == 16);
    CHECK(layer(wide, name).scale == layer(narrow, name).scale / 256);
    CHECK(layer(wide, name).signal_to_noise > layer(narrow, name).signal_to_noise + 3);
  }
  CHECK(layer(wide, "point").bits == 16);
  CHECK(layer(wide, "head").bits == 8);
  for (const int threads : {1, 3}) {
    auto run = executor<net, accelerator_policy>::create(*wide, {.threads = threads});
    REQUIRE(bool(run));
    for (const auto& sample : samples) {
      const auto [y, map] = (*run)(sample);
      const std::vector<float> expected = by_references(wide->network, sample, 1);
      CHECK(std::equal(map.begin(), map.end(), expected.begin(), expected.end()));
    }
  }
  constexpr std::string_view nobody[] = {"stern"};
  CHECK(calibrate<net, accelerator_policy>(file, samples, {.in_16_bits = nobody}).error().message() ==
        "no node is called \"stern\", which shall have 16 bits");
  // X3 has no 16 bits.
  const auto shifted = calibrate<net, shifting_policy>(file, samples, {.in_16_bits = named});
  REQUIRE(bool(shifted));
  for (const layer_report& r : shifted->layers) CHECK(r.bits == 8);
}

namespace {
constexpr auto spread = [](builder& g) {
  auto x = layers::conv2d<4, 3, 3>(g.input<f32, shape<1, 10, 8, 3>>("x"), "plain", same);
  g.output("y", layers::conv2d<4, 3, 3>(x, "spread", same, dilation<2, 2>));
};
}  // namespace

TEST_CASE("calibrate: a node whose results the table wants in 8 bits has no 16 in any graph") {
  constexpr std::string_view named[] = {"plain", "spread"};
  const auto made = calibrate<graph<spread>, accelerator_policy>(random_weights<graph<spread>>(), samples_of<240>(2),
                                                                 {.in_16_bits = named});
  REQUIRE(bool(made));
  REQUIRE(made->layers.size() == 2);
  CHECK(made->layers[0].bits == 16);
  CHECK(made->layers[1].bits == 8);
}

namespace {
/// Heads of a detector: one as it is, one whose boxes stand in rows, one that is rectified.
constexpr auto heads = [](builder& g) {
  auto x = layers::conv2d<8, 3, 3>(g.input<f32, shape<1, 9, 7, 3>>("x"), "stem", same, relu);
  g.output("scores", layers::conv2d<5, 1, 1>(x, "scores"));
  g.output("boxes", reshape(layers::conv2d<4, 3, 3>(x, "boxes", stride<2, 2>), shape<12, 4>));
  g.output("sizes", layers::full_connection<3>(flatten(max_pool(x, kernel<2, 2>)), "sizes", relu));
};
using detector = graph<heads>;

template <class Policy> void check_sums() {
  const auto file = random_weights<detector>();
  const auto samples = samples_of<pixels>(5);
  const auto scaled = calibrate<detector, Policy>(file, samples, {.method = calibration_method::max});
  const auto made = calibrate<detector, Policy>(file, samples, {.method = calibration_method::max, .int32_tail = true});
  auto floats = executor<detector>::create(file);
  REQUIRE((scaled && made && floats));
  CHECK(made->layers.size() + 1 == scaled->layers.size());  // boxes get their shape as floats
  for (const layer_report& sums : made->layers) {
    if (sums.name.empty()) continue;
    const layer_report& bytes = *std::find_if(scaled->layers.begin(), scaled->layers.end(),
                                              [&](const layer_report& r) { return r.name == sums.name; });
    CAPTURE(sums.name);
    const bool keeps = sums.name == "scores" || sums.name == "boxes";
    CHECK(sums.bits == (keeps ? 32 : 8));
    CHECK(sums.scale > 0);
    if (keeps) CHECK(sums.signal_to_noise > bytes.signal_to_noise + 0.5);
    else CHECK(sums.signal_to_noise == bytes.signal_to_noise);
  }
  for (const int threads : {1, 2, 3}) {
    auto run = executor<detector, Policy>::create(*made, {.threads = threads});
    REQUIRE(bool(run));
    CHECK(run->compiled().text().find("dot windows to i32") != std::string::npos);  // no reference
    for (const auto& sample : samples) {
      const auto [scores, boxes, sizes] = (*run)(sample);
      const auto same = [&](const auto& y, std::size_t output) {
        const std::vector<float> expected = by_references(made->network, sample, output);
        return std::equal(y.begin(), y.end(), expected.begin(), expected.end());
      };
      CHECK((same(scores, 0) && same(boxes, 1) && same(sizes, 2)));
      const auto [true_scores, true_boxes, true_sizes] = (*floats)(sample);
      nnrt::detail::agreement all;
      for (std::size_t i = 0; i < boxes.size(); ++i) all.add(double{true_boxes[i]}, double{boxes[i]});
      CHECK(all.cosine() > 0.999);
    }
  }
}
}  // namespace

TEST_CASE("calibrate: last layers keep their sums, nearer to the floats, with the references' bits") {
  check_sums<accelerator_policy>();
  check_sums<shifting_policy>();
}

namespace {
/// A channel of weights close to zero, with a bias.
constexpr auto faint = [](builder& g) {
  g.output("y", relu(layers::conv2d<2, 1, 1>(g.input<f32, shape<1, 4, 4, 2>>("x"), "c")));
};
constexpr auto longer = [](builder& g) {
  g.output("y", relu(layers::conv2d<2, 1, 1>(g.input<f32, shape<1, 8, 4, 2>>("x"), "c")));
};
constexpr auto summed = [](builder& g) {
  auto x = g.input<f32, shape<1, 4, 4, 2>>("x");
  g.output("y", add(layers::conv2d<2, 1, 1>(x, "c"), g.input<f32, shape<1, 4, 4, 2>>("z")));
};
weights faint_weights(std::array<float, 4> weight) {
  static const std::array<float, 2> bias{1, 0.25F};
  const tensor_entry tensors[] = {tensor_of<float>("c.weight", {2, 1, 1, 2}, weight),
                                  tensor_of<float>("c.bias", {2}, bias)};
  return make_weights(tensors).value();
}
}  // namespace

TEST_CASE("calibrate: layers of 16 bits keep a bias with weights close to zero") {
  const auto samples = samples_of<32>(4);
  for (const float least : {0.001F, 0.0F}) {
    const weights file = faint_weights({least, -least / 2, 1, -0.5F});
    const std::string_view wide[] = {"c"};
    auto made = calibrate<graph<faint>, accelerator_policy>(file, samples, {.in_16_bits = wide});
    REQUIRE(made);
    CHECK(made->layers[0].bits == 16);
    auto run = executor<graph<faint>, accelerator_policy>::create(*made);
    auto floats = executor<graph<faint>>::create(file);
    REQUIRE(run);
    const auto stored = (*run)(samples[0]), real = (*floats)(samples[0]);
    // a step of the weights; the bias was lost
    for (std::size_t i = 0; i < real.size(); ++i) CHECK(std::fabs(stored[i] - real[i]) < 1e-2F);
  }
}

TEST_CASE(
    "calibrate: weights that are not finite, samples of other inputs, and another network's numbers are refused") {
  CHECK(calibrate<graph<faint>, accelerator_policy>(faint_weights({1, INFINITY, 1, 1}), samples_of<32>(1))
            .error()
            .message() == "calibrate: weight \"c.weight\" is not finite at element 1");
  const weights file = faint_weights({1, 2, 3, 4});
  CHECK(calibrate<graph<summed>, accelerator_policy>(file, samples_of<32>(1)).error().message() ==
        "calibrate: a sample is one range, expected a tuple of 2");
  const std::vector<std::tuple<std::array<float, 32>>> one(1);
  CHECK(calibrate<graph<summed>, accelerator_policy>(file, one).error().message() ==
        "calibrate: a sample has 1 inputs, expected 2");
  CHECK(calibrate<graph<faint>, accelerator_policy>(file, one));

  const auto short_one = calibrate<graph<faint>, accelerator_policy>(file, samples_of<32>(1));
  REQUIRE(short_one);
  calibrated<graph<longer>, accelerator_policy> other;
  other.network = short_one->network;
  CHECK(executor<graph<longer>, accelerator_policy>::create(other).error().message() ==
        "input \"x\": the stored network has f32 [1, 4, 4, 2], expected f32 [1, 8, 4, 2]");
  calibrated<graph<summed>, accelerator_policy> fewer;
  fewer.network = short_one->network;
  CHECK(executor<graph<summed>, accelerator_policy>::create(fewer).error().message() ==
        "the stored network has 1 inputs and 1 outputs, expected 2 and 1");
}

namespace {
/// A layer after values without a logarithm.
constexpr auto logarithmic = [](builder& g) {
  g.output("y", layers::conv2d<2, 1, 1>(log(g.input<f32, shape<1, 4, 4, 2>>("x")), "c"));
};
constexpr auto bare = [](builder& g) {
  g.output("y", layers::conv2d<2, 1, 1>(g.input<f32, shape<1, 4, 4, 2>>("x"), "c"));
};
}  // namespace

TEST_CASE(
    "calibrate: a layer whose results are no finite numbers whatever the sample is refused, one that has some is not") {
  using network = graph<logarithmic>;
  const weights file = random_weights<network>();
  std::vector<std::array<float, 32>> samples(2);
  for (auto& sample : samples) sample.fill(-1);
  CHECK(calibrate<network, accelerator_policy>(file, samples).error().message() ==
        "calibrate: log: got no finite number from any sample, expected some");
  samples[1].fill(2);
  samples[1][0] = 0;  // whose logarithm is infinite
  const auto made = calibrate<network, accelerator_policy>(file, samples);
  REQUIRE(made);
  for (const layer_report& layer : made->layers) {
    CAPTURE(layer.op);
    CHECK(layer.cosine > 0.99);  // of what there is
    CHECK(layer.saturated <= 1);
  }
}

TEST_CASE("calibrate: the least quantised value is not beyond the range") {
  const weights file = faint_weights({1, 0, 0, 1});
  std::vector<std::array<float, 32>> samples(1);
  samples[0].fill(-1);
  const auto made =
      calibrate<graph<bare>, accelerator_policy>(file, samples, {.method = calibration_method::max, .steps = 128});
  REQUIRE(made);
  CHECK(made->layers[0].low == -0.75F);
  CHECK(made->layers[0].saturated == 0);
}

namespace {
/// A layer, and another result that the processor computes from a mask.
constexpr auto masked = [](builder& g) {
  g.output("y", layers::conv2d<2, 1, 1>(g.input<f32, shape<1, 4, 4, 2>>("x"), "c"));
  g.output("z", erf(g.input<f32, shape<1, 4>>("mask")));
};
}  // namespace

TEST_CASE("calibrate: numbers that the processor alone reads may be infinite, as those of masks are") {
  std::vector<std::tuple<std::array<float, 32>, std::array<float, 4>>> samples(1);
  std::get<0>(samples[0]) = samples_of<32>(1)[0];
  std::get<1>(samples[0])[2] = -INFINITY;
  CHECK(calibrate<graph<masked>, accelerator_policy>(random_weights<graph<masked>>(), samples));
  std::get<0>(samples[0])[3] = -INFINITY;
  CHECK(calibrate<graph<masked>, accelerator_policy>(random_weights<graph<masked>>(), samples).error().message() ==
        "calibrate: input \"x\" of sample 0: got -inf at element 3, expected finite numbers");
}

TEST_CASE(
    "calibrate: no samples, a sample of the wrong size, weights that do not fit are errors; progress is told of each "
    "stage") {
  const auto file = random_weights<net>();
  const std::vector<std::array<float, pixels>> none;
  CHECK(calibrate<net, accelerator_policy>(file, none).error().message() ==
        "calibrate: got 0 samples, expected at least 1");
  const std::vector<std::vector<float>> small{std::vector<float>(5)};
  CHECK(calibrate<net, accelerator_policy>(file, small).error().message() ==
        "calibrate: input 0 of a sample has 5 elements, expected 189");
  CHECK_FALSE(bool(calibrate<net, accelerator_policy>(weights{}, samples_of<pixels>(1))));
  auto with_nan = samples_of<pixels>(3);
  with_nan[2][7] = std::nanf("");
  CHECK(calibrate<net, accelerator_policy>(file, with_nan).error().message() ==
        "calibrate: input \"x\" of sample 2: got nan at element 7, expected numbers");
  for (const float endless : {INFINITY, -INFINITY}) {
    with_nan[2][7] = 0, with_nan[1][188] = endless;
    const std::string got = endless > 0 ? "inf" : "-inf";
    CHECK(calibrate<net, accelerator_policy>(file, with_nan).error().message() ==
          "calibrate: input \"x\" of sample 1: got " + got + " at element 188, expected finite numbers");
  }
  for (const double share : {0.0, -1.0, 1.5, std::nan("")})
    CHECK(calibrate<net, accelerator_policy>(file, samples_of<pixels>(1), {.percentile = share}).error().message() ==
          "calibrate: the percentile must be above 0 and at most 1");
  for (const float steps : {0.0F, -127.0F, INFINITY, std::nanf("")})
    CHECK(calibrate<net, accelerator_policy>(file, samples_of<pixels>(1), {.steps = steps}).error().message() ==
          "calibrate: steps must be a finite number above 0");

  std::string told;
  calibration_options options;
  options.progress_context = &told;
  options.progress = [](void* context, std::string_view stage, std::size_t done, std::size_t all) {
    if (done == 0) *static_cast<std::string*>(context) += std::string(stage) + " of " + std::to_string(all) + "; ";
  };
  REQUIRE(bool(calibrate<net, accelerator_policy>(file, samples_of<pixels>(2), options)));
  CHECK(told == "ranges of 2; histograms of 2; choice of 2; report of 2; ");
}

TEST_CASE("calibrate: a run with an input of the wrong size is an error that names it") {
  const auto made = calibrate<net, accelerator_policy>(random_weights<net>(), samples_of<pixels>(1));
  REQUIRE(bool(made));
  auto run = executor<net, accelerator_policy>::create(*made);
  REQUIRE(bool(run));
  const auto refused = run->try_run(std::vector<float>(7));
  REQUIRE_FALSE(bool(refused));
  CHECK(refused.error().message() == "input \"x\": got 7 elements, expected 189");
}

TEST_CASE("calibrate: a run copies its results into the caller's ranges, which may be read as inputs of the same run") {
  constexpr auto accumulates = [](builder& g) {
    auto x = g.input<f32, shape<1, 2, 2, 4>>("x"), state = g.input<f32, shape<1, 2, 2, 4>>("state");
    auto sum = add(x, state);
    g.output("y", relu(sum)), g.output("state", sum);
  };
  using accumulator = graph<accumulates>;
  using values = std::array<float, 16>;
  std::vector<std::tuple<values, values>> samples(1);
  std::get<0>(samples[0]).fill(1), std::get<1>(samples[0]).fill(-3);
  const auto made = calibrate<accumulator, accelerator_policy>(weights(), samples);
  REQUIRE(bool(made));
  auto run = executor<accumulator, accelerator_policy>::create(*made);
  REQUIRE(bool(run));
  values x, state, y{};
  x.fill(1), state.fill(-3);
  const auto [first_y, first_state] = (*run)(x, state);
  const std::vector<float> expected_y(first_y.begin(), first_y.end()), expected(first_state.begin(), first_state.end());
  auto other = run->share();
  other(x, state, y, state);
  CHECK(std::equal(y.begin(), y.end(), expected_y.begin()));
  CHECK(std::equal(state.begin(), state.end(), expected.begin()));
  CHECK(other.output<"state">().size() == 16);
  CHECK(std::equal(state.begin(), state.end(), other.output<"state">().begin()));
  std::vector<float> longer(17, 5.0F);
  const auto refused = other.try_run(x, state, y, longer);
  REQUIRE_FALSE(bool(refused));
  CHECK(refused.error().message() == "output \"state\": got 17 elements, expected 16");
  CHECK(longer == std::vector<float>(17, 5.0F));
  CHECK(other.try_run(x, state, y, state));
}

namespace {
/// What has no weights: tables of functions, products, several tensors joined, means.
constexpr auto functions = [](builder& g) {
  auto x = g.input<f32, shape<1, 6, 5, 4>>("x");
  auto joined = concat(tanh(x), exp(x), hswish(x) * sigmoid(x), axis<3>);
  g.output("mean", reduce_mean(joined, axes<1, 2>, keep_dims));
  g.output("larger", maximum(joined, gelu(joined)));
};
}  // namespace

TEST_CASE("calibrate: functions, products and joined tensors are stored, with the references' bits") {
  using function_net = graph<functions>;
  const auto samples = samples_of<120>(4);
  const auto made = calibrate<function_net, accelerator_policy>(weights{}, samples);
  REQUIRE(bool(made));
  CHECK(made->layers.size() == 9);
  for (const layer_report& r : made->layers) CHECK(r.cosine > 0.995);
  auto run = executor<function_net, accelerator_policy>::create(*made, {.threads = 2});
  REQUIRE(bool(run));
  for (const auto& sample : samples) {
    const auto [mean, larger] = (*run)(sample);
    const std::vector<float> expected_mean = by_references(made->network, sample, 0),
                             expected = by_references(made->network, sample, 1);
    CHECK(std::equal(mean.begin(), mean.end(), expected_mean.begin(), expected_mean.end()));
    CHECK(std::equal(larger.begin(), larger.end(), expected.begin(), expected.end()));
  }
}

namespace {
constexpr auto two_inputs = [](builder& g) {
  auto a = g.input<f32, shape<1, 4, 4, 2>>("a");
  auto b = g.input<f32, shape<1, 4, 4, 2>>("b");
  g.output("sum", relu(a + b));
  g.output("difference", a - b);
};
}  // namespace

namespace {
/// Weights that come in 8 bits and are used as floats.
constexpr auto dequantised = [](builder& g) {
  auto x = g.input<f32, shape<1, 4>>("x");
  g.output("y", full_connection(x, dequantise(g.weight<i8, shape<3, 4>, nd, per_channel<0>>("w"))));
};
/// Weights of which a number that comes by name says which there are.
constexpr auto chosen_rows = [](builder& g) {
  auto x = g.input<f32, shape<1, 4>>("x");
  g.output("y",
           full_connection(x, gather(g.weight<f32, shape<5, 4>>("rows"), g.weight<i32, shape<2>>("chosen"), axis<0>)));
};
/// Calls check() with the results that a calibrated network and the one of floats have for each sample.
template <class G, class Policy, class Samples, class Check>
void compare_with_floats(const weights& file, const Samples& samples, Check check) {
  const auto made = calibrate<G, Policy>(file, samples);
  REQUIRE(bool(made));
  auto stored = executor<G, Policy>::create(*made);
  auto floats = executor<G>::create(file);
  REQUIRE((stored && floats));
  for (const auto& x : samples) check((*stored)(x), (*floats)(x));
}
}  // namespace

TEST_CASE("calibrate: weights with a scale for each channel become floats as they do elsewhere") {
  const std::int8_t numbers[] = {1, -2, 3, -4, 50, 60, -70, 80, 100, -100, 127, -127};
  const float scales[] = {0.25F, 0.01F, 0.005F};
  const tensor_entry entries[] = {tensor_of<std::int8_t>("w", {3, 4}, numbers),
                                  tensor_of<float>("w.scale", {3}, scales)};
  const weights file = make_weights(entries).value();
  compare_with_floats<graph<dequantised>, accelerator_policy>(file, samples_of<4>(4),
                                                              [](const auto& y, const auto& expected) {
                                                                for (std::size_t i = 0; i < 3; ++i)
                                                                  CHECK(std::fabs(y[i] - expected[i]) < 0.05F);
                                                              });
}

namespace {
/// Parts of one weight.
constexpr auto cut = [](builder& g) {
  auto x = g.input<f32, shape<1, 4>>("x");
  auto [a, b] = split<2>(g.weight<f32, shape<6, 4>>("both"), axis<0>);
  g.output("y", full_connection(x, a));
  g.output("z", full_connection(x, b));
};
/// A layer with filters of nothing, one of them after a residual sum.
constexpr auto dead = [](builder& g) {
  auto x = g.input<f32, shape<1, 4, 4, 4>>("x");
  auto y = conv2d(x, g.weight<f32, shape<4, 1, 1, 4>>("w"), g.weight<f32, shape<4>>("b"));
  g.output("y", y);
  g.output("z", add(conv2d(y, g.weight<f32, shape<4, 1, 1, 4>>("v"), g.weight<f32, shape<4>>("c")), y));
};
}  // namespace

TEST_CASE("calibrate: parts of a weight are separate weights") {
  compare_with_floats<graph<cut>, accelerator_policy>(
      random_weights<graph<cut>>(), samples_of<4>(4), [](const auto& got, const auto& expected) {
        const auto& [y, z] = got;
        const auto& [true_y, true_z] = expected;
        for (std::size_t i = 0; i < 3; ++i)
          CHECK((std::fabs(y[i] - true_y[i]) < 0.05F && std::fabs(z[i] - true_z[i]) < 0.05F));
      });
}

// Their sums are counted in steps of input scale times weight scale: those of no weight, or next to none, would be
// worth more than the bias, or next to nothing.
TEST_CASE("calibrate: filters of zeros, or of next to nothing, keep their bias and what is added to them") {
  const auto check = [](auto policy) {
    using accelerator = decltype(policy);
    std::vector<float> w(16), v(16), b{0.4F, 0.3F, -0.2F, 0.7F}, c{0.25F, -0.5F, 0, 0.125F};
    for (std::size_t i = 0; i < 4; ++i) w[4 + i] = 1e-10F, w[8 + i] = 1e-3F, v[4 + i] = -1e-12F;
    const tensor_entry entries[] = {tensor_of<float>("w", {4, 1, 1, 4}, w), tensor_of<float>("b", {4}, b),
                                    tensor_of<float>("v", {4, 1, 1, 4}, v), tensor_of<float>("c", {4}, c)};
    const weights file = make_weights(entries).value();
    auto samples = samples_of<64>(4);
    for (auto& s : samples)
      for (float& x : s) x *= 100;
    compare_with_floats<graph<dead>, accelerator>(file, samples, [](const auto& got, const auto& expected) {
      const auto& [y, z] = got;
      const auto& [true_y, true_z] = expected;
      for (std::size_t i = 0; i < 64; ++i) {
        CHECK(std::fabs(y[i] - true_y[i]) < 0.02F);
        CHECK(std::fabs(z[i] - true_z[i]) < 0.03F);
      }
    });
  };
  check(accelerator_policy{});
  check(shifting_policy{});
}

TEST_CASE("calibrate: weights whose values break a rule are refused as elsewhere") {
  const float rows[20] = {};
  const std::int32_t chosen[] = {1, 7};
  const tensor_entry entries[] = {tensor_of<float>("rows", {5, 4}, rows),
                                  tensor_of<std::int32_t>("chosen", {2}, chosen)};
  const weights file = make_weights(entries).value();
  const auto refused = calibrate<graph<chosen_rows>, accelerator_policy>(file, samples_of<4>(1));
  REQUIRE(!refused);
  CHECK(refused.error().message() == executor<graph<chosen_rows>>::create(file).error().message());
  CHECK(refused.error().message().find("(got 7, expected 4) at element 1") != std::string::npos);
}

TEST_CASE("calibrate: a network of several inputs takes tuples of samples") {
  using pair_net = graph<two_inputs>;
  std::vector<std::tuple<std::array<float, 32>, std::vector<float>>> samples;
  for (const auto& s : samples_of<32>(4)) samples.push_back({s, std::vector<float>(s.rbegin(), s.rend())});
  const auto made = calibrate<pair_net, accelerator_policy>(weights{}, samples);
  REQUIRE(bool(made));
  auto run = executor<pair_net, accelerator_policy>::create(*made);
  REQUIRE(bool(run));
  const auto& [a, b] = samples[1];
  const auto [sum, difference] = (*run)(a, b);
  for (std::size_t i = 0; i < 32; ++i) {
    CHECK(std::fabs(sum[i] - std::fmax(0.0F, a[i] + b[i])) < 0.03F);
    CHECK(std::fabs(difference[i] - (a[i] - b[i])) < 0.03F);
  }
}

/// An image that is mixed with what is left of those before it.
constexpr auto remembers = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 3>>("x");
  auto h = g.state<f32, shape<1, 8, 8, 4>>("h");
  auto next = add(layers::conv2d<4, 3, 3>(x, "stem", same), layers::conv2d<4, 1, 1>(h, "back"), relu);
  g.next(h, next);
  g.output("y", next);
  g.output("before", h);
};

TEST_CASE("calibrate: samples of a network with states are one stream, and its executors keep states") {
  using net = graph<remembers>;
  const auto samples = samples_of<192>(6);
  const auto check = [&]<class Policy>(Policy) {
    const weights file = random_weights<net>();
    const auto made = calibrate<net, Policy>(file, samples);
    REQUIRE(bool(made));
    for (const layer_report& layer : made->layers) CHECK(layer.cosine > 0.995);
    auto stored = executor<net, Policy>::create(*made);
    auto floats = executor<net>::create(file);
    REQUIRE(bool(stored));
    REQUIRE(bool(floats));
    model opened = made->network;
    passes::open_states(opened.graph);
    session by_hand(compile(opened).value());
    saved_state kept;
    std::vector<float> after_third;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto [y, before] = (*stored)(samples[i]);
      const auto [true_y, true_before] = (*floats)(samples[i]);
      std::copy(samples[i].begin(), samples[i].end(), by_hand.input<float>(0).begin());
      REQUIRE(by_hand.run());
      const std::span<const float> next = by_hand.output<float>(2);
      CHECK(std::equal(y.begin(), y.end(), next.begin()));
      std::copy(next.begin(), next.end(), by_hand.input<float>(1).begin());
      for (std::size_t e = 0; e < y.size(); ++e) {
        CHECK(std::fabs(y[e] - true_y[e]) < 0.1F);
        CHECK(std::fabs(before[e] - true_before[e]) < 0.1F);
      }
      if (i == 1) kept = stored->save_state();
      if (i == 2) after_third.assign(y.begin(), y.end());
    }
    REQUIRE(stored->load_state(kept));
    const auto again = std::get<0>((*stored)(samples[2]));
    CHECK(std::equal(again.begin(), again.end(), after_third.begin()));
    stored->reset();
    auto other = stored->share();
    const auto first = std::get<0>((*stored)(samples[0])), shared = std::get<0>(other(samples[0]));
    CHECK(std::equal(first.begin(), first.end(), shared.begin()));
  };
  check(accelerator_policy{});
  check(shifting_policy{});
}
