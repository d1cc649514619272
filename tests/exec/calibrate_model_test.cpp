// calibrate_model_test: a network and an architecture that are known at run time give what the same ones give a static
// network.
#include <nnrt/exec/accelerated.hpp>
#include <nnrt/exec/calibrate_model.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/io/saved_model.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include "support/random_weights.hpp"
#include "support/same_graph.hpp"

#include <array>
#include <random>

using namespace nnrt;

namespace {

/// A convolution with a normalisation, what no accelerator takes, a dense layer, and softmax, which runs on request.
constexpr auto block = [](builder& g) {
  const auto row = [&](std::string_view name) { return g.weight<f32, shape<8>>(name); };
  auto x = g.input<f32, shape<1, 8, 8, 3>>("x");
  auto n = relu(batch_norm(layers::conv2d<8, 3, 3>(x, "stem", same), row("n.scale"), row("n.offset"), row("n.mean"),
                           row("n.variance")));
  auto d = erf(max_pool(n, kernel<2, 2>, stride<2, 2>));
  g.output("y", softmax(layers::full_connection<5>(flatten(d), "head")));
};
using net = graph<block>;
using sample = std::array<float, 8 * 8 * 3>;

float next_number(std::mt19937& random) { return static_cast<float>(random() % 2001) / 2000.0F + 0.01F; }

template <class Net = net> weights random_weights() {
  return nnrt_test::random_weights<Net>(3,
                                        [](std::mt19937& random, const tensor_info&) { return next_number(random); });
}
template <class Sample = sample> std::vector<Sample> random_samples() {
  std::mt19937 random(5);
  std::vector<Sample> samples(4);
  for (Sample& s : samples)
    for (float& v : s) v = next_number(random) - 0.5F;
  return samples;
}
/// As a reader of files makes it: with operators for every dtype.
template <class Net = net> model dynamic_model() {
  model made = *to_model<Net>(random_weights<Net>());
  for (ir::node& n : made.graph.nodes) n.op = ops::find(n.op->code);
  return made;
}

bool same_weights(const weights& a, const weights& b) {
  bool is_same = a.entries().size() == b.entries().size();
  for (const tensor_entry& tensor : a.entries()) {
    const tensor_entry* const other = b.find(tensor.name);
    is_same = is_same && other != nullptr && other->bytes.size() == tensor.bytes.size() &&
              std::equal(tensor.bytes.begin(), tensor.bytes.end(), other->bytes.begin());
  }
  return is_same;
}

/// What is read of a compiled network's bytes.
model saved_and_loaded(const calibrated_model& made, const char* architecture) {
  const saved_model saved[] = {{.network = made.network,
                                .name = "net",
                                .architecture = architecture,
                                .places = made.places,
                                .inputs = {},
                                .made_by = {}}};
  auto loaded = load_models(std::span<const std::byte>(*models_to_bytes(saved)));
  REQUIRE(loaded);
  return std::move(loaded->front().network);
}

}  // namespace

TEST_CASE("calibrate: a network at run time becomes what the static network becomes, for each architecture") {
  const std::vector<sample> samples = random_samples();
  const auto check = [&]<class Architecture>(Architecture) {
    CAPTURE(std::string(Architecture::table.name));
    const auto by_type = calibrate<net, bpu<Architecture>>(random_weights(), samples);
    const auto by_name =
        calibrate(dynamic_model(), {find_accelerator(Architecture::table.name)}, sample_source::of(samples));
    REQUIRE(by_type);
    REQUIRE(by_name);
    CHECK(nnrt_test::difference_of(by_type->network.graph, by_name->network.graph) == "");
    CHECK(same_weights(by_type->network.weights, by_name->network.weights));
    CHECK(by_type->text() == by_name->text());
  };
  check(bayes{});
  check(bayes_e{});
  check(bernoulli2{});
}

namespace {
/// Filters for each channel: with a sum after them, and as the last layer; and two transposed convolutions whose
/// results are summed.
constexpr auto depths = [](builder& g) {
  auto x = g.input<f32, shape<1, 6, 5, 4>>("x");
  g.output("y", layers::depthwise_conv2d<3, 3>(add(x, layers::depthwise_conv2d<3, 3>(x, "a", same), relu), "b",
                                               stride<2, 2>));
  g.output("last", layers::conv2d_transpose<3, 3, 3>(x, "e", stride<2, 2>));
  g.output("up", add(layers::conv2d_transpose<3, 2, 2>(x, "c", stride<2, 2>),
                     layers::conv2d_transpose<3, 3, 3>(x, "d", stride<2, 2>, same)));
};
}  // namespace

TEST_CASE(
    "calibrate: units of depthwise and transposed convolutions and sums, and sums that the last one keeps, are the "
    "same at run time") {
  using depth_net = graph<depths>;
  const auto samples = random_samples<std::array<float, 6 * 5 * 4>>();
  const auto by_type = calibrate<depth_net, bpu<bayes>>(random_weights<depth_net>(), samples, {.int32_tail = true});
  const auto by_name =
      calibrate(dynamic_model<depth_net>(), {&bayes::table}, sample_source::of(samples), {.int32_tail = true});
  REQUIRE((by_type && by_name));
  CHECK(nnrt_test::difference_of(by_type->network.graph, by_name->network.graph) == "");
  CHECK(same_weights(by_type->network.weights, by_name->network.weights));
  CHECK(by_name->partition_text() ==
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "accelerator  conv2d_add \"a\"\n"
        "accelerator  layer_sums \"b\"\n"
        "accelerator  conv2d_transpose_sums \"e\"\n"
        "accelerator  conv2d_transpose \"c\"\n"
        "accelerator  conv2d_transpose_add \"d\"\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n");
  CHECK(nnrt_test::difference_of(saved_and_loaded(*by_name, "bayes").graph, by_name->network.graph) == "");
}

TEST_CASE("calibrate: every node has a place, and those on the processor a reason") {
  const std::vector<sample> samples = random_samples();
  const auto made = calibrate(dynamic_model(), {&bayes::table}, sample_source::of(samples));
  REQUIRE(made);
  REQUIRE(made->places.size() == made->network.graph.nodes.size());
  for (std::size_t i = 0; i < made->places.size(); ++i)
    CHECK(made->places[i].on_accelerator == made->places[i].why.empty());
  CHECK(made->partition_text() ==
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "accelerator  conv2d \"stem\"\n"
        "accelerator  max_pool\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "processor    erf  - operator must be in the table (got 0, expected 1)\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "accelerator  reshape\n"
        "accelerator  full_connection \"head\"\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "processor    softmax  - operator must be asked for (got 0, expected 1)\n");
}

TEST_CASE(
    "calibrate: named nodes stay on the processor in floats, and the report says why; a name that no node has is "
    "refused") {
  const std::vector<sample> samples = random_samples();
  constexpr std::string_view kept[] = {"stem"}, none[] = {"stern"};
  const auto made = calibrate(dynamic_model(), {&bayes::table, false, kept}, sample_source::of(samples));
  REQUIRE(made);
  CHECK(made->partition_text().starts_with(
      "processor    conv2d \"stem\"  - node must be wanted on the accelerator (got 0, expected 1)\n"));
  const ir::graph& g = made->network.graph;
  CHECK(g.at(g.outputs_of(g.nodes[0])[0]).desc.type == f32);
  CHECK(calibrate(dynamic_model(), {&bayes::table, false, none}, sample_source::of(samples)).error().message() ==
        "no node is called \"stern\", which shall run on the processor");
  CHECK(calibrate(dynamic_model(), {&bayes::table, true, kept}, sample_source::of(samples)).error().message() ==
        "conv2d \"stem\": node must be wanted on the accelerator (got 0, expected 1)");
}

TEST_CASE("calibrate: a layer whose weights and bias are constants of the graph is stored as others are") {
  model_builder b;
  const float numbers[8] = {1, 2, 3, 4, -1, -2, -3, -4};
  const auto x = *b.input("x", {f32, {1, 4}});
  const auto w = *b.constant<float>({f32, {2, 4}}, numbers),
             bias = *b.constant<float>({f32, {2}}, array_ref<const float>(numbers, 2));
  (void)b.output("y", (*b.apply<ops::full_connection>({}, {x, w, bias}, {}, "fc"))[0]);
  const std::vector<std::array<float, 4>> samples{{1, -1, 0.5F, 0}, {0, 1, 1, 0.25F}};
  const auto made = calibrate(b.finish(), {&bayes::table}, sample_source::of(samples));
  REQUIRE(made);
  CHECK(made->partition_text().find("accelerator  full_connection \"fc\"") != std::string::npos);
  CHECK(made->layers.at(0).cosine > 0.999);
}

TEST_CASE("calibrate: a compiled network that was saved gives the same bits") {
  const std::vector<sample> samples = random_samples();
  const auto made = calibrate(dynamic_model(), {&bernoulli2::table}, sample_source::of(samples));
  REQUIRE(made);
  const model loaded = saved_and_loaded(*made, "bernoulli2");
  CHECK(nnrt_test::difference_of(made->network.graph, loaded.graph) == "");
  std::vector<float> results[2];
  for (const bool is_loaded : {false, true}) {
    const auto compiled = compile(is_loaded ? loaded : made->network);
    REQUIRE(compiled);
    session run(*compiled);
    std::copy(samples[0].begin(), samples[0].end(), run.input<float>(0).begin());
    REQUIRE(run.run());
    const auto y = run.output<float>(0);
    results[is_loaded ? 1 : 0].assign(y.begin(), y.end());
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE(
    "calibrate: ends without conversions are the quantised values, sums of 32 bits among them, also when they were "
    "saved") {
  const std::vector<sample> samples = random_samples();
  model network = dynamic_model();
  const passes::use_table use(network.graph);
  // what softmax reads
  network.graph.outputs[0].value = network.graph.inputs_of(
      network.graph.nodes[static_cast<std::size_t>(use.producer_of(network.graph.outputs[0].value))])[0];
  const auto bare = calibrate(network, {&bayes::table}, sample_source::of(samples), {.int32_tail = true},
                              {.inputs = true, .outputs = true});
  const auto whole = calibrate(network, {&bayes::table}, sample_source::of(samples), {.int32_tail = true});
  REQUIRE((bare && whole));
  CHECK(bare->partition_text() ==
        "accelerator  conv2d \"stem\"\n"
        "accelerator  max_pool\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "processor    erf  - operator must be in the table (got 0, expected 1)\n"
        "processor    quant_dtype_cast  - converts between floats and quantised values\n"
        "accelerator  reshape\n"
        "accelerator  layer_sums \"head\"\n");
  const model stored = saved_and_loaded(*bare, "bayes");
  const ir::graph& g = stored.graph;
  const tensor_desc &x = g.at(g.inputs[0]).desc, &y = g.at(g.outputs[0].value).desc;
  CHECK(
      (x.type == i8 && g.name_of(g.at(g.inputs[0]).name) == "x" && y == tensor_desc{i32, nd, {1, 5}, per_channel<1>}));
  const std::span<const float> scales = channel_scales(stored, g.outputs[0].value);
  REQUIRE(scales.size() == 5);
  session by_hand(*compile(stored)), by_conversions(*compile(whole->network));
  for (const sample& s : samples) {
    std::copy(s.begin(), s.end(), by_conversions.input<float>(0).begin());
    for (std::size_t i = 0; i < s.size(); ++i)
      by_hand.input<std::int8_t>(0)[i] = quantised_as<std::int8_t>(s[i], x.quantised);
    REQUIRE((by_hand.run() && by_conversions.run()));
    for (std::size_t o = 0; o < 5; ++o)
      CHECK(real_of(by_hand.output<std::int32_t>(0)[o], quant{scales[o]}) == by_conversions.output<float>(0)[o]);
  }
}

namespace {
/// A first layer on images, whose windows reach beyond them or not; then another.
template <bool IsPadded>
constexpr auto sees_images = [](builder& g) {
  auto x = g.input<f32, shape<1, 8, 8, 3>>("x");
  const auto stem = [&] {
    if constexpr (IsPadded) return layers::conv2d<8, 3, 3>(x, "stem", same, relu);
    else return conv2d(x, g.weight<f32, shape<8, 3, 3, 3>>("stem.weight"), stride<2, 2>);
  };
  g.output("y", layers::conv2d<4, 1, 1>(stem(), "head"));
};
template <bool IsPadded> model network_of_images() {
  std::mt19937 random(7);
  using of_images = graph<sees_images<IsPadded>>;
  std::vector<std::vector<float>> elements;
  std::vector<tensor_entry> entries;
  elements.reserve(of_images::weights.size());
  for (const tensor_info& w : of_images::weights) {
    std::vector<float>& e = elements.emplace_back(static_cast<std::size_t>(w.desc.elements()));
    for (float& v : e) v = next_number(random) - 0.4F;
    entries.push_back(tensor_of<float>(w.name, w.desc.shape, e));
  }
  model made = *to_model<of_images>(make_weights(std::span<const tensor_entry>(entries)).value());
  for (ir::node& n : made.graph.nodes) n.op = ops::find(n.op->code);
  return made;
}
std::string nodes_of(const model& network) {
  std::string names;
  for (const ir::node& n : network.graph.nodes) names += std::string(n.label->name) + " ";
  return names;
}
}  // namespace

TEST_CASE("calibrate: of images a compiled network sees pixels - 128, and its first layer has mean and scale in it") {
  struct row {
    const char* what;
    normalisation by;
    bool is_padded;
    std::string_view architecture, nodes;
    float scale;
  };
  constexpr normalisation centred{{128, 128, 128}, {0.0078125F, 0.0078125F, 0.0078125F}},
      odd_scale{{128, 128, 128}, {0.01F, 0.01F, 0.01F}},
      usual{{123.675F, 116.28F, 103.53F}, {0.0171F, 0.0175F, 0.0174F}};
  constexpr std::string_view folded = "conv2d conv2d quant_dtype_cast ",
                             apart = "depthwise_conv2d conv2d conv2d quant_dtype_cast ";
  const row table[] = {{"a mean of 128 and one scale", centred, true, "bayes", folded, 0.0078125F},
                       {"the same as shifts", centred, true, "bernoulli2", folded, 0.0078125F},
                       {"one scale that is no shift", odd_scale, true, "bernoulli2", folded, 1},
                       {"the same where scales are real", odd_scale, true, "bayes", folded, 0.01F},
                       {"means and scales, windows in the image", usual, false, "bayes", folded, 1},
                       {"the same as shifts", usual, false, "bernoulli2", folded, 1},
                       {"means and scales, windows beyond the image", usual, true, "bayes", apart, 1}};
  std::mt19937 random(11);
  std::vector<std::array<std::uint8_t, 192>> images(6);
  for (auto& image : images)
    for (std::uint8_t& pixel : image) pixel = static_cast<std::uint8_t>(random() % 256);
  for (const row& r : table) {
    CAPTURE(r.what);
    const model network = r.is_padded ? network_of_images<true>() : network_of_images<false>();
    std::vector<sample> samples(images.size());
    for (std::size_t i = 0; i < images.size(); ++i)
      REQUIRE(image_to_floats({.type = image_type::rgb, .height = 8, .width = 8, .first = images[i].data()},
                              colours::rgb, r.by, samples[i]));
    const saved_input given[] = {{.source = input_source::ddr,
                                  .is_image = true,
                                  .given = image_type::rgb,
                                  .seen = colours::rgb,
                                  .range = colour_range::full,
                                  .by = r.by}};
    const auto made = calibrate(network, {find_accelerator(r.architecture)}, sample_source::of(samples),
                                {.method = calibration_method::max}, {}, given);
    const auto with_floats = calibrate(network, {find_accelerator(r.architecture)}, sample_source::of(samples),
                                       {.method = calibration_method::max});
    REQUIRE((made && with_floats));
    CHECK(nodes_of(made->network) == r.nodes);
    const ir::value& in = made->network.graph.at(made->network.graph.inputs[0]);
    CHECK((in.desc == tensor_desc{i8, nhwc, {1, 8, 8, 3}, quant{r.scale, 0, quantised_rounding::half_to_even}}));
    CHECK(made->network.graph.name_of(in.name) == "x");
    CHECK(made->layers.back().signal_to_noise > with_floats->layers.back().signal_to_noise - 1);
    session stored(*compile(made->network)), floats(*compile(network));
    nnrt::detail::agreement all;
    for (std::size_t i = 0; i < images.size(); ++i) {
      REQUIRE(store_image({.type = image_type::rgb, .height = 8, .width = 8, .first = images[i].data()}, colours::rgb,
                          stored.input<std::int8_t>(0)));
      std::copy(samples[i].begin(), samples[i].end(), floats.input<float>(0).begin());
      REQUIRE((stored.run() && floats.run()));
      for (std::size_t e = 0; e < floats.output<float>(0).size(); ++e)
        all.add(double{floats.output<float>(0)[e]}, double{stored.output<float>(0)[e]});
    }
    CHECK(all.cosine() > 0.9995);
    CHECK(all.signal_to_noise() == doctest::Approx(made->layers.back().signal_to_noise).epsilon(0.01));
  }
}

TEST_CASE(
    "calibrate: a layer for mean and scale stays where others read its result, and reads floats where it shall not "
    "have 8 bits") {
  model network = network_of_images<false>();
  network.graph.outputs.push_back({network.graph.inputs[0], network.graph.add_text("seen")});
  const std::vector<sample> samples = random_samples();
  const saved_input given[] = {{.source = input_source::ddr,
                                .is_image = true,
                                .given = image_type::rgb,
                                .seen = colours::rgb,
                                .range = colour_range::full,
                                .by = {{1, 2, 3}, {0.1F, 0.1F, 0.1F}}}};
  const auto made = calibrate(network, {&bayes::table}, sample_source::of(samples), {.report = false}, {}, given);
  REQUIRE(made);
  CHECK(nodes_of(made->network) == "depthwise_conv2d conv2d conv2d quant_dtype_cast quant_dtype_cast ");
  CHECK((made->network.graph.at(made->network.graph.inputs[0]).desc.type == i8 && made->inputs[0].by.scale[0] == 0.1F));
  constexpr std::string_view wide[] = {"mean and scale"};
  const auto in_floats =
      calibrate(network, {&bayes::table}, sample_source::of(samples), {.in_16_bits = wide, .report = false}, {}, given);
  REQUIRE(in_floats);
  CHECK(in_floats->network.graph.at(in_floats->network.graph.inputs[0]).desc.type == f32);
  CHECK((in_floats->inputs[0].by.mean[1] == 128 && in_floats->inputs[0].by.scale[1] == 1));  // of pixels - 128
  saved_input gray = given[0];
  gray.seen = colours::gray;
  CHECK(calibrate(network, {&bayes::table}, sample_source::of(samples), {}, {}, {&gray, 1})
            .error()
            .message()
            .find("expected f32 [N, H, W, 1]") != std::string::npos);
}

TEST_CASE("calibrate: what cannot be quantised is refused with its reason") {
  const std::vector<sample> samples = random_samples();
  const auto source = sample_source::of(samples);
  const auto message = [&](const model& network, const dynamic_bpu& policy, const sample_source& with) {
    const auto made = calibrate(network, policy, with);
    return made ? std::string() : made.error().message();
  };
  CHECK(message(dynamic_model(), {&bayes::table, true}, source) ==
        "erf: operator must be in the table (got 0, expected 1)");
  CHECK(message(dynamic_model(), {&bayes::table}, {}) == "calibrate: got 0 samples, expected at least 1");
  const std::vector<std::array<float, 2>> small(1);
  CHECK(message(dynamic_model(), {&bayes::table}, sample_source::of(small)) ==
        "calibrate: input 0 of a sample has 2 elements, expected 192");
  model open = dynamic_model();
  open.graph.at(open.graph.inputs[0]).desc.shape[0] = -1;
  CHECK(message(open, {&bayes::table}, source) == "input \"x\" is f32 [?, 8, 8, 3], expected known extents");
  model missing = dynamic_model();
  missing.weights = {};
  CHECK(message(missing, {&bayes::table}, source).find("stem.weight") != std::string::npos);
  model empty;
  const std::int32_t x =
      empty.graph.add_value({{f32, {1, 192}}, ir::kind::input, empty.graph.add_text("x"), 0, ir::none});
  empty.graph.inputs.push_back(x);
  empty.graph.outputs.push_back({x, empty.graph.add_text("y")});
  CHECK(message(empty, {&bayes::table}, source) == "quantise: no node works on floats that bayes takes in 8 bits");
}

TEST_CASE("calibrate: a network of which nothing can be stored is refused before the first sample is looked at") {
  model_builder builder;
  const std::int32_t x = builder.input("x", {f32, {1, 192}}).value();
  REQUIRE(builder.output("y", builder.apply<ops::erf>({}, {x}).value()[0]));
  bool is_told = false;
  calibration_options options;
  options.progress_context = &is_told;
  options.progress = [](void* context, std::string_view, std::size_t, std::size_t) {
    *static_cast<bool*>(context) = true;
  };
  const std::vector<sample> samples = random_samples();
  const auto made = calibrate(builder.finish(), {&bayes::table}, sample_source::of(samples), options);
  REQUIRE(!made);
  CHECK(made.error().message() == "quantise: no node works on floats that bayes takes in 8 bits");
  CHECK(!is_told);
}

TEST_CASE(
    "calibrate: what rounds the input of a float layer goes where the layer is stored, and stays where it is not") {
  const std::vector<float> numbers(5 * 192, 0.25F);
  const tensor_entry entries[] = {tensor_of<float>("w", {5, 192}, numbers)};
  model_builder builder;
  const std::int32_t x = builder.input("x", {f32, {1, 192}}).value(), w = builder.weight("w", {f32, {5, 192}}).value();
  ops::dynamic_range::attrs rows;
  rows.axis = 1;
  const std::int32_t seen = builder.apply<ops::dynamic_range>(rows, {x}, {}, "head").value()[0];
  const std::int32_t h = builder.apply<ops::full_connection>({}, {seen, w}, {}, "head").value()[0];
  const std::int32_t again = builder.apply<ops::dynamic_range>(rows, {h}).value()[0],
                     v = builder.weight("v", {f32, {3, 5}}).value();
  REQUIRE(builder.output("y", builder.apply<ops::full_connection>({}, {again, v}, {}, "last").value()[0]));
  const std::vector<float> others(15, 0.5F);
  const tensor_entry both[] = {entries[0], tensor_of<float>("v", {3, 5}, others)};
  const model network = builder.finish(make_weights(both).value());
  const std::vector<sample> samples = random_samples();
  const auto operators = [&](array_ref<const std::string_view> on_processor) {
    const auto made = calibrate(network, {&bayes::table, false, on_processor}, sample_source::of(samples));
    REQUIRE(made);
    std::string names;
    for (const ir::node& n : made->network.graph.nodes) names += std::string(n.op->name) + " ";
    CHECK(made->places.size() == made->network.graph.nodes.size());
    return names;
  };
  CHECK(operators({}) == "quant_dtype_cast full_connection full_connection quant_dtype_cast ");
  const std::string_view last[] = {"last"};
  CHECK(operators(last) == "quant_dtype_cast full_connection quant_dtype_cast dynamic_range full_connection ");
}

TEST_CASE("accelerators: each table is found by its name, others are not") {
  for (const accelerator* table : all_accelerators()) CHECK(find_accelerator(table->name) == table);
  CHECK(all_accelerators().size() == 3);
  CHECK(find_accelerator("nash") == nullptr);
}
