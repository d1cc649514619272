#include "hb_dnn/networks.hpp"

#include <nnrt/bpu.hpp>
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/calibrate_model.hpp>
#include <nnrt/passes/quantised_ends.hpp>

#include "support/networks.hpp"
#include "support/sanitized.hpp"

#include <array>
#include <cstdlib>

namespace nnrt_test {
namespace {

template <int N>
constexpr auto camera_net = [](builder& g) {
  auto x = g.input<f32, shape<N, 12, 24, 3>>("image");
  auto map = layers::conv2d<8, 3, 3>(x, "stem", stride<2, 2>, same, relu);
  g.output("map", map);
  g.output("scores", layers::full_connection<10>(flatten(max_pool(map, kernel<2, 2>, stride<2, 2>)), "fc"));
};
constexpr auto gray_net = [](builder& g) {
  auto x = g.input<f32, shape<1, 12, 24, 1>>("image");
  g.output("map", layers::conv2d<8, 3, 3>(x, "stem", stride<2, 2>, same, relu));
};
template <int N>
constexpr auto patch_net = [](builder& g) {
  auto x = g.input<f32, shape<N, 16, 16, 3>>("patch");
  auto b = g.input<f32, shape<N, 1, 1, 4>>("offset");
  auto y = avg_pool(layers::conv2d<4, 3, 3>(x, "stem", same, relu), kernel<16, 16>, stride<16, 16>) + b;
  g.output("y", flatten(y));
};
constexpr auto quantised_net = [](builder& g) {
  auto x = g.input<f32, shape<1, 5, 7, 6>>("x");
  g.output("y", layers::conv2d<20, 3, 3>(x, "stem", same, relu));
};
constexpr auto sums_net = [](builder& g) {
  auto x = g.input<f32, shape<1, 5, 7, 6>>("x");
  g.output("y", layers::conv2d<20, 3, 3>(x, "stem", same));
};
constexpr auto pair_net = [](builder& g) {
  auto a = g.input<f32, shape<2, 3, 5, 4>>("a");
  auto b = g.input<f32, shape<2, 3, 5, 4>>("b");
  g.output("sum", a + b);
  g.output("product", a * b);
};
constexpr auto counter_net = [](builder& g) {
  auto x = g.input<f32, shape<1>>("x");
  g.output("next", x + g.constant<f32, shape<1>>({1}));
  g.output("rank", x + g.constant<f32, shape<1>>({0}));
};
constexpr auto total_net = [](builder& g) {
  auto total = g.state<f32, shape<1>>("total", {5});
  auto next = total + g.input<f32, shape<1>>("x");
  g.next(total, next);
  g.output("doubled", next + next);
};
constexpr auto weighted_net = [](builder& g) {
  g.output("y", g.input<f32, shape<4>>("x") + g.weight<f32, shape<4>>("w"));
};
template <std::int64_t extent>
constexpr auto slow_net = [](builder& g) {
  auto x = g.input<f32, shape<1, extent, extent, 16>>("x");
  auto a = layers::conv2d<64, 5, 5>(x, "c1", same);
  auto b = layers::conv2d<64, 5, 5>(softmax(a), "c2", same);
  auto c = layers::conv2d<64, 5, 5>(softmax(b), "c3", same);
  auto d = layers::conv2d<64, 5, 5>(softmax(c), "c4", same);
  g.output("y", layers::conv2d<16, 1, 1>(softmax(d), "c5", same));
};
constexpr auto table_net = [](builder& g) {
  auto at = g.input<i32, shape<2>>("at");
  auto table = g.constant<f32, shape<4, 3>>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  g.output("y", gather(table, at, axis<0>));
};

constexpr auto relu_net = [](builder& g) { g.output("y", relu(g.input<f32, shape<1, 4>>("x"))); };
constexpr auto signed_net = [](builder& g) {
  g.output("y", transpose(g.input<i8, shape<1, 2, 3, 4>, nhwc, quant{0.5F, 100}>("x"), perm<0, 2, 1, 3>));
};
constexpr auto unsigned_net = [](builder& g) {
  g.output("y", transpose(g.input<u8, shape<1, 2, 3, 4>, nhwc, quant{0.5F, 200}>("x"), perm<0, 2, 1, 3>));
};

template <class T> T must(result<T>&& made) {
  if (made) return std::move(*made);
  std::fprintf(stderr, "networks: %s\n", made.error().message().c_str());
  std::abort();
}

/// Calibrated on numbers that follow from the inputs' names.
template <class G, class Architecture, std::size_t... I>
model calibrated_by(std::index_sequence<I...>, bool int32_tail) {
  std::vector<decltype(std::tuple(((void)I, std::vector<float>())...))> samples;
  for (std::uint32_t seed = 1; seed < 4; ++seed) samples.push_back(std::tuple(input_for<G>(I, seed)...));
  return must(calibrate<G, bpu<Architecture>>(weights_for<G>(), samples, {.int32_tail = int32_tail, .report = false}))
      .network;
}
template <class G> model compiled_for(std::string_view architecture, bool int32_tail = false) {
  constexpr auto inputs = std::make_index_sequence<G::inputs.size()>();
  return architecture == "bernoulli2" ? calibrated_by<G, bernoulli2>(inputs, int32_tail)
                                      : calibrated_by<G, bayes>(inputs, int32_tail);
}
template <class G> model floats() { return must(to_model<G>(weights_for<G>())); }

network named(const char* name, std::string_view architecture, model stored, std::vector<saved_input> inputs = {}) {
  saved_model made{.network = std::move(stored),
                   .name = name,
                   .architecture = std::string(architecture),
                   .places = {},
                   .inputs = std::move(inputs),
                   .made_by = {}};
  made.places.resize(made.network.graph.nodes.size());
  return std::make_shared<const saved_model>(std::move(made));
}
saved_input image(image_type given, colours seen, input_source from = input_source::ddr) {
  return {.source = from,
          .is_image = true,
          .given = given,
          .seen = seen,
          .range = colour_range::full,
          .by = {{128, 128, 128}, {1.0F / 128, 1.0F / 128, 1.0F / 128}}};
}

}  // namespace

network camera(const char* architecture, int batch) {
  return named(
      batch == 1 ? "camera" : "camera of 4", architecture,
      batch == 1 ? compiled_for<graph<camera_net<1>>>(architecture) : compiled_for<graph<camera_net<4>>>(architecture),
      {image(image_type::nv12, colours::rgb)});
}
network camera_of(image_type given, colours seen) {
  return named(
      "camera", "bayes",
      seen == colours::gray ? compiled_for<graph<gray_net>>("bayes") : compiled_for<graph<camera_net<1>>>("bayes"),
      {image(given, seen)});
}
network camera_of_pixels(const char* architecture) {
  using net = graph<camera_net<1>>;
  model network = floats<net>();
  for (ir::node& n : network.graph.nodes) n.op = ops::find(n.op->code);
  const std::vector<std::vector<float>> samples{copied(input_for<net>(0, 1))};
  const saved_input given = image(image_type::nv12, colours::rgb);
  calibrated_model made = must(calibrate(network, {find_accelerator(architecture)}, sample_source::of(samples),
                                         {.report = false}, {}, {&given, 1}));
  return named("camera", architecture, std::move(made.network), made.inputs);
}
network patches(const char* architecture, int batch) {
  return named(
      "patches", architecture,
      batch == 1 ? compiled_for<graph<patch_net<1>>>(architecture) : compiled_for<graph<patch_net<2>>>(architecture),
      {image(image_type::nv12, colours::yuv444, input_source::resizer), {}});
}
std::vector<float> patches_run(const char* architecture, const std::vector<std::uint8_t>& nv12, const float* offset) {
  const network from = patches(architecture);
  session s(must(compile(from->network)));
  const std::span<float> x = s.input<float>(0);
  const image_view view{.type = image_type::nv12,
                        .height = 16,
                        .width = 16,
                        .first = nv12.data(),
                        .second = nullptr,
                        .stride = 0,
                        .is_planar = false,
                        .range = colour_range::full};
  if (!image_to_floats(view, from->inputs[0].seen, from->inputs[0].by, {x.data(), x.size()})) std::abort();
  std::copy(offset, offset + 4, s.input<float>(1).begin());
  if (!s.run()) std::abort();
  return copied(s.output<float>(0));
}
template <class G> network without_conversions(const char* name, const char* architecture, bool int32_tail = false) {
  model made = compiled_for<G>(architecture, int32_tail);
  passes::take_off_conversions(made.graph, {.inputs = true, .outputs = true});
  return named(name, architecture, std::move(made));
}
network stored(const char* architecture) { return without_conversions<graph<quantised_net>>("stored", architecture); }
network sums(const char* architecture) { return without_conversions<graph<sums_net>>("sums", architecture, true); }
network halves(const char* architecture) {
  saved_model made = *stored(architecture);
  made.name = "halves";
  made.inputs.resize(1);
  made.inputs[0].packed = half_byte::s4;
  made.outputs = {{.packed = half_byte::s4}};
  return std::make_shared<const saved_model>(std::move(made));
}
network pair() { return named("pair", "bayes", floats<graph<pair_net>>()); }
network counter() { return named("counter", "bayes", floats<graph<counter_net>>()); }
network total() { return named("total", "bayes", floats<graph<total_net>>()); }
network weighted() { return named("weighted", "bayes", floats<graph<weighted_net>>()); }
network slow() {
  return named("slow", "bayes", runs_in_valgrind() ? floats<graph<slow_net<6>>>() : floats<graph<slow_net<48>>>());
}
network rows_of_table() { return named("rows", "bayes", floats<graph<table_net>>()); }
network of_no_items() {
  model made = floats<graph<relu_net>>();
  for (ir::value& v : made.graph.values) v.desc.shape[0] = 0;  // what builders refuse
  return named("no items", "bayes", std::move(made));
}
network moved(bool is_unsigned) {
  return named("moved", "bayes", is_unsigned ? floats<graph<unsigned_net>>() : floats<graph<signed_net>>());
}

network renamed(const network& one, const std::string& name) {
  saved_model copy = *one;
  copy.name = name;
  return std::make_shared<const saved_model>(std::move(copy));
}
std::vector<network> many(const network& one, int count) {
  std::vector<network> all;
  for (int i = 0; i < count; ++i) {
    saved_model copy = *one;
    copy.name += std::to_string(i);
    all.push_back(std::make_shared<const saved_model>(std::move(copy)));
  }
  return all;
}
std::string bytes_of(const std::vector<network>& networks) {
  std::vector<saved_model> all;
  for (const network& each : networks) all.push_back(*each);
  const byte_list bytes = must(models_to_bytes(all));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace nnrt_test
