// saved_model_test: what was saved is loaded as it was, and no file that is not as it was written gives a network.
#include <nnrt/io/saved_model.hpp>

#include <doctest/doctest.h>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/avg_pool.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/reshape.hpp>

#include "support/same_graph.hpp"
#include "support/signed_model.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace {

using namespace nnrt;

/// An image of quantised values through a convolution with scales for each channel, and a reshape by a constant; a clip
/// without a limit.
model quantised_network() {
  model_builder b;
  const tensor_desc image{i8, nhwc, {1, 4, 4, 2}, quant{0.1F, 3, quantised_rounding::half_to_even}},
      filters{i8, nhwc, {3, 3, 3, 2}, per_channel<0>};
  const auto x = *b.input("image", image);
  const auto w = *b.weight("stem.weight", filters), scales = *b.weight("stem.weight.scale", {f32, {3}}),
             bias = *b.weight("stem.bias", {i32, {3}});
  b.set_scales(w, scales);
  ops::conv2d::attrs how;
  how.pad = {pad_mode::explicit_pads, 1, 1, 0, 2};
  how.fused = activation::relu;
  const auto y = *b.apply<ops::conv2d>(
      how, {x, w, bias}, {tensor_desc{i8, nhwc, {}, quant{0.25F, -128, quantised_rounding::half_to_even}}},
      "stem \"1\"\n");
  const std::int64_t to[] = {1, -1};
  const auto shape = *b.constant<std::int64_t>({i64, {2}}, to);
  const auto flat = *b.apply<ops::reshape>({}, {y[0], shape}, {}, "flat");
  (void)b.output("y", flat[0]);
  const std::byte zeros[54] = {};
  const tensor_entry tensors[] = {{"stem.weight", i8, {3, 3, 3, 2}, std::span(zeros)},
                                  {"stem.weight.scale", f32, {3}, std::span(zeros).first(12)},
                                  {"stem.bias", i32, {3}, std::span(zeros).first(12)}};
  return b.finish(*make_weights(tensors));
}

/// A network of floats with an extent that is not known, and attributes that are no numbers.
model open_network() {
  model_builder b;
  const auto x = *b.input("x", {f32, {-1, 5}});
  ops::clip::attrs how;
  how.min = -std::numeric_limits<float>::infinity(), how.max = 0.1F;
  const auto y = *b.apply<ops::clip>(how, {x});
  (void)b.output("y", y[0]);
  return b.finish();
}

saved_model compiled_network() {
  saved_model made{.network = quantised_network(),
                   .name = "net",
                   .architecture = "bayes",
                   .places = {},
                   .inputs = {},
                   .made_by = {}};
  made.places = {{true, {}}, {false, "reshape: it is \"slow\""}};
  made.inputs = {{}};
  return made;
}

/// A network that sees images.
model image_network(std::int64_t channels = 3) {
  model_builder b;
  (void)b.output("y", *b.input("x", {f32, {1, 4, 6, channels}}));
  return b.finish();
}

/// A network that has the same numbers twice.
saved_model network_of_two_constants() {
  model_builder b;
  const float numbers[] = {1, 2};
  for (const char* name : {"a", "b"}) (void)b.output(name, *b.constant<float>({f32, {2}}, numbers));
  return {.network = b.finish(), .name = "net", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}};
}

byte_list bytes_of(const saved_model& made) { return models_to_bytes({&made, 1}).value(); }
std::string message_of(const byte_list& file) {
  const auto loaded = load_models(std::span<const std::byte>(file));
  return loaded ? std::string() : loaded.error().message();
}
/// The file with the first `from` in its header exchanged, and signed again.
byte_list signed_with(const byte_list& file, std::string_view from, std::string_view to) {
  std::string letters(reinterpret_cast<const char*>(file.data()), file.size());
  const std::size_t at = letters.find(from);
  REQUIRE(at != letters.npos);
  letters.replace(at, from.size(), to);
  std::uint64_t length = 0;
  std::memcpy(&length, letters.data(), sizeof length);
  length += to.size() - from.size();
  std::memcpy(letters.data(), &length, sizeof length);
  const auto* const first = reinterpret_cast<const std::byte*>(letters.data());
  byte_list changed(first, first + letters.size());
  nnrt_test::sign(changed);
  return changed;
}
bool is_same(const weights& a, const weights& b) {
  if (a.order() != b.order() || a.entries().size() != b.entries().size()) return false;
  for (const tensor_entry& tensor : a.entries()) {
    const tensor_entry* const other = b.find(tensor.name);
    if (other == nullptr || other->type != tensor.type || other->shape != tensor.shape ||
        std::memcmp(other->bytes.data(), tensor.bytes.data(), tensor.bytes.size()) != 0)
      return false;
  }
  return true;
}

/// A sum that is kept, begun with a constant, and what it was before.
saved_model network_with_states() {
  model_builder b;
  const float first[] = {1, 2};
  const auto x = *b.input("x", {f32, {2}});
  const auto total = *b.state("total", {f32, {2}}, *b.constant<float>({f32, {2}}, first)),
             late = *b.state("late", {f32, {2}});
  const auto sum = (*b.apply<ops::add>({}, {total, x}))[0];
  (void)b.next(total, sum);
  (void)b.next(late, total);
  (void)b.output("y", late);
  return {.network = b.finish(), .name = "net", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}};
}

TEST_CASE("saved model: states come back, and those that cannot be do not") {
  const saved_model made = network_with_states();
  const byte_list file = bytes_of(made);
  const auto loaded = load_models(std::span<const std::byte>(file));
  REQUIRE(loaded);
  CHECK(nnrt_test::difference_of((*loaded)[0].network.graph, made.network.graph) == "");
  CHECK(message_of(signed_with(file, "\\\"next\\\":4", "\\\"next\\\":9")).find("state \"total\" has no next value") !=
        std::string::npos);
  CHECK(message_of(signed_with(file, "\\\"value\\\":2,\\\"next", "\\\"value\\\":0,\\\"next"))
            .find("lists value 0 as a state, which it is not") != std::string::npos);
  CHECK(
      message_of(signed_with(file, "\\\"initial\\\":1", "\\\"initial\\\":0")).find("neither a constant nor a weight") !=
      std::string::npos);
}

}  // namespace

TEST_CASE("saved_model: a network comes back with every value, node, constant and weight") {
  struct row {
    const char* what;
    model network;
  };
  const row table[] = {{"quantised values", quantised_network()},
                       {"unknown extents, an infinite attribute", open_network()},
                       {"no node", image_network()}};
  const temporary_folder folder;
  for (const row& r : table) {
    CAPTURE(r.what);
    const std::string path = folder.file("some.net.safetensors");
    REQUIRE(r.network.save(path));
    const auto from_file = model::load(path);
    REQUIRE(from_file);
    CHECK(nnrt_test::difference_of(r.network.graph, from_file->graph) == "");
    CHECK(is_same(r.network.weights, from_file->weights));
    CHECK(load_models(path)->front().name == "some.net");
    CHECK(load_models(path)->front().made_by == joined({"nnrt ", version}));
  }
}

TEST_CASE("saved_model: a network loaded from memory outlives the bytes") {
  byte_list file = bytes_of(compiled_network());
  const auto made = model::load(std::span<const std::byte>(file));
  std::fill(file.begin(), file.end(), std::byte{0xFF});
  file.clear();
  REQUIRE(made);
  CHECK(nnrt_test::difference_of(quantised_network().graph, made->graph) == "");
  CHECK(is_same(quantised_network().weights, made->weights));
}

TEST_CASE("saved_model: a compiled network comes back with its places, reasons and inputs") {
  saved_model made = compiled_network();
  made.network = image_network();
  made.places.clear();
  made.inputs = {{.source = input_source::resizer,
                  .is_image = true,
                  .given = image_type::nv12,
                  .seen = colours::bgr,
                  .range = colour_range::bt601_video,
                  .by = {{1, 2.5F, 3}, {0.1F, -1, 2}}}};
  const saved_model both[] = {compiled_network(), [&] {
                                saved_model second = made;
                                second.name = "net/2";
                                return second;
                              }()};
  const auto loaded = load_models(std::span<const std::byte>(*models_to_bytes(both)));
  REQUIRE(loaded);
  REQUIRE(loaded->size() == 2);
  const saved_model &first = (*loaded)[0], &second = (*loaded)[1];
  CHECK(first.name == "net");
  CHECK(first.architecture == "bayes");
  CHECK(is_same(first.network.weights, compiled_network().network.weights));
  REQUIRE(first.places.size() == 2);
  CHECK(first.places[0].on_accelerator);
  CHECK_FALSE(first.places[1].on_accelerator);
  CHECK(first.places[1].why == "reshape: it is \"slow\"");
  CHECK_FALSE(first.inputs.at(0).is_image);
  CHECK(second.name == "net/2");
  const saved_input& in = second.inputs.at(0);
  CHECK(in.source == input_source::resizer);
  CHECK(in.given == image_type::nv12);
  CHECK(in.seen == colours::bgr);
  CHECK(in.range == colour_range::bt601_video);
  CHECK(in.by.mean[1] == 2.5F);
  CHECK(in.by.scale[0] == 0.1F);
  const auto one = model::load(std::span<const std::byte>(*models_to_bytes(both)));
  REQUIRE_FALSE(one);
  CHECK(one.error().message() == "got a file with 2 networks, expected 1: load_models() reads them");
}

TEST_CASE("saved_model: a file with any byte changed is refused, with a reason") {
  const byte_list file = bytes_of(compiled_network());
  int without_reason = 0, accepted = 0;
  for (std::size_t i = 0; i < file.size(); ++i)
    for (const unsigned flip : {1U, 0x20U, 0x80U, 0xFFU}) {
      byte_list damaged = file;
      damaged[i] ^= static_cast<std::byte>(flip);
      const auto loaded = load_models(std::span<const std::byte>(damaged));
      if (loaded) ++accepted;
      else if (loaded.error().message().empty()) ++without_reason;
    }
  CHECK(accepted == 0);
  CHECK(without_reason == 0);
}

TEST_CASE("saved_model: a changed header that somebody signed gives a network that is in order, or a reason") {
  const byte_list file = bytes_of(compiled_network());
  int loads = 0, refusals = 0, broken_promises = 0;
  for (std::size_t i = 8; i < file.size(); ++i)
    for (const unsigned flip : {1U, 2U, 3U, 0x10U, 0x1EU}) {
      byte_list changed = file;
      changed[i] ^= static_cast<std::byte>(flip);
      nnrt_test::sign(changed);
      const auto loaded = load_models(std::span<const std::byte>(changed));
      ++(loaded ? loads : refusals);
      if (loaded && !check_graph(loaded->front().network.graph)) ++broken_promises;
      if (!loaded && loaded.error().message().empty()) ++broken_promises;
    }
  CHECK(broken_promises == 0);
  CHECK(loads > 100);  // other names and numbers make other networks
  CHECK(refusals > 100);
}

TEST_CASE("saved_model: signed metadata that make no network say what is wrong, and where") {
  struct row {
    const char *from, *to, *message;
  };
  const row table[] = {
      {"conv2d", "conv9d", "nnrt.models: node 0: byte "},
      {"\\\"stride\\\"", "\\\"strides\\\"", "expected the member \"stride\", got \"strides\""},
      {"half_to_even", "half_to_odd_", "got \"half_to_odd_\", expected one of twice, half_to_even"},
      {"\\\"i8\\\"", "\\\"i9\\\"", "nnrt.models: value 0: "},
      {"[0,1,3]", "[0,1,9]", "network \"net\": graph: node 0 (conv2d) reads value 9 of 7"},
      {"[0,1,3]", "[0,3,1]", "network \"net\": conv2d \"stem"},
      {"stem.weight.scale", "stem.weight.scalf", "network \"net\": tensor \"stem.weight.scalf\" is not in the file"},
      {"\\\"shape\\\":[1,4", "\\\"shape\\\":[-2,4", "got -2, expected -1 to "},
      {"[1,1,0,2]", "[1,1,0,2,3]", "got 5 numbers, expected 4"},
      {"[1,1,0,2]", "[1,1,0]", "got 3 numbers, expected 4"},
      {"constant 5\\\"}", "constant 7\\\"}", "network \"net\": tensor \"constant 7\" is not in the file"},
      {"[{\\\"accelerator", "[],[{\\\"accelerator", "nnrt.models: byte "},
  };
  const byte_list file = bytes_of(compiled_network());
  for (const row& r : table) {
    CAPTURE(r.from);
    const std::string message = message_of(signed_with(file, r.from, r.to));
    CAPTURE(message);
    CHECK(message.find(r.message) != std::string::npos);
  }
}

TEST_CASE("saved_model: a flag that its operator has got since the file was written is as operators are made") {
  model_builder b;
  ops::avg_pool::attrs windows;
  windows.kernel = {2, 2}, windows.pad.mode = pad_mode::same;
  const std::int32_t zero = *b.constant<std::int64_t>({i64, {}}, std::vector<std::int64_t>{0}),
                     index = *b.input("i", {i32, {1}});
  const std::int32_t mean = (*b.apply<ops::avg_pool>(windows, {*b.input("x", {f32, {1, 2, 2, 1}})}))[0];
  (void)b.output("y", (*b.apply<ops::gather>({}, {mean, index, zero}))[0]);
  const byte_list file =
      bytes_of({.network = b.finish(), .name = "net", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}});
  const byte_list older =
      signed_with(signed_with(file, R"(,\"count_include_pad\":false)", ""), R"(\"negative_indices\":true)", "");
  const auto now = load_models(std::span<const std::byte>(file)), then = load_models(std::span<const std::byte>(older));
  REQUIRE(now);
  REQUIRE(then);
  const ir::graph &g = (*now)[0].network.graph, &old = (*then)[0].network.graph;
  REQUIRE(old.nodes.size() == g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const auto a = g.attrs_of(g.nodes[i]), same = old.attrs_of(old.nodes[i]);
    CHECK(std::equal(a.begin(), a.end(), same.begin(), same.end()));
  }
  CHECK(message_of(signed_with(file, R"(\"ceil_mode\":false,)", "")) != "");
}

TEST_CASE("saved_model: a tensor is described once, and is one constant at most") {
  const byte_list file = bytes_of(network_of_two_constants());
  REQUIRE(message_of(file) == "");
  CHECK(message_of(signed_with(file, R"(\"name\":\"constant 1\")", R"(\"name\":\"constant 0\")")) ==
        "network \"net\": tensor \"constant 0\" is described twice");
  CHECK(message_of(signed_with(file, R"(\"tensor\":\"constant 1\")", R"(\"tensor\":\"constant 0\")")) ==
        "network \"net\": tensor \"constant 0\" is read as two constants");
}

TEST_CASE("saved_model: a weight may have the name that a constant would have") {
  model_builder b;
  const float numbers[] = {1, 2};
  (void)b.output("y", *b.weight("constant 1", {f32, {3}}));
  (void)b.output("z", *b.constant<float>({f32, {2}}, numbers));
  const std::byte zeros[12] = {};
  const tensor_entry tensors[] = {{"constant 1", f32, {3}, std::span(zeros)}};
  const model network = b.finish(*make_weights(tensors));
  REQUIRE(network.graph.values[1].is == ir::kind::constant);
  const byte_list file =
      bytes_of({.network = network, .name = "net", .architecture = {}, .places = {}, .inputs = {}, .made_by = {}});
  const auto loaded = model::load(std::span<const std::byte>(file));
  REQUIRE(loaded);
  CHECK(nnrt_test::difference_of(network.graph, loaded->graph) == "");
  CHECK(is_same(network.weights, loaded->weights));
}

TEST_CASE("saved_model: a file that ends early, or late, is refused") {
  byte_list file = bytes_of(compiled_network());
  for (std::size_t size = 0; size < file.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(load_models(std::span<const std::byte>(file).first(size)));
  }
  file.push_back(std::byte{});
  CHECK_FALSE(load_models(std::span<const std::byte>(file)));
}

TEST_CASE("saved_model: messages name the file, what is wrong, and where") {
  const saved_model made = compiled_network();
  const byte_list file = bytes_of(made);
  const auto changed = [&](std::string_view from, std::string_view to) {
    std::string letters(reinterpret_cast<const char*>(file.data()), file.size());
    const std::size_t at = letters.find(from);
    REQUIRE(at != letters.npos);
    letters.replace(at, from.size(), to);
    const auto* const first = reinterpret_cast<const std::byte*>(letters.data());
    return message_of(byte_list(first, first + letters.size()));
  };
  CHECK(changed("\"nnrt.format\":\"2\"", "\"nnrt.format\":\"1\"") == "it has format \"1\", expected \"2\"");
  CHECK(changed("relu", "rely").starts_with("its header is damaged: got digest "));
  CHECK(changed("nnrt.digest", "nnrt.diges2").starts_with("its header is damaged: it has no \"nnrt.digest\""));
  byte_list damaged = file;
  damaged.back() ^= std::byte{1};  // i8 comes last: the filters
  CHECK(message_of(damaged).starts_with("network \"net\": tensor \"stem.weight\": its bytes are damaged: got digest "));
}

TEST_CASE("saved_model: another file of tensors is no saved model, a missing one is not found") {
  const std::byte zeros[4] = {};
  const tensor_entry tensors[] = {{"w", f32, {1}, std::span(zeros)}};
  const temporary_folder folder;
  REQUIRE(safetensors::save(folder.file("weights"), tensors));
  const auto loaded = model::load(folder.file("weights"));
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code() == error_code::invalid_file);
  CHECK(loaded.error().message() ==
        folder.file("weights") + ": its metadata have no \"nnrt.format\", as those of a saved model do");
  CHECK(model::load(folder.file("none")).error().code() == error_code::not_found);
}

TEST_CASE("saved_model: numbers of four bits come back as what callers give and get") {
  saved_model made = compiled_network();
  made.network = image_network();
  made.network.graph.at(made.network.graph.inputs[0]).desc = {i8, {1, 3}};
  made.places.clear();
  made.inputs = {{.source = input_source::ddr,
                  .is_image = false,
                  .given = {},
                  .seen = {},
                  .range = {},
                  .by = {},
                  .packed = half_byte::s4}};
  made.outputs = {{.packed = half_byte::s4}};
  const auto loaded = load_models(std::span<const std::byte>(bytes_of(made)));
  REQUIRE(loaded);
  CHECK(loaded->front().inputs.at(0).packed == half_byte::s4);
  CHECK(loaded->front().outputs.at(0).packed == half_byte::s4);
  const byte_list plain = bytes_of(compiled_network());
  CHECK_FALSE(load_models(std::span<const std::byte>(plain))->front().inputs.at(0).packed.has_value());
  CHECK(load_models(std::span<const std::byte>(plain))->front().outputs.empty());
  const auto message = [](const saved_model& m) { return models_to_bytes({&m, 1}).error().message(); };
  made.outputs[0].packed = half_byte::u4;
  CHECK(message(made).find("output \"y\" is i8 [1, 3], expected u8 for numbers of type u4") != std::string::npos);
  made.outputs.resize(2);
  CHECK(message(made).find("got descriptions of 2 outputs, expected 1") != std::string::npos);
  made.outputs.clear();
  made.inputs[0].packed = half_byte::u4;
  CHECK(message(made).find("input \"x\" is i8 [1, 3], expected u8 for numbers of type u4") != std::string::npos);
}

TEST_CASE("saved_model: what cannot be a saved model is not written") {
  struct row {
    const char* message;
    saved_model made;
  };
  const auto with = [](auto change) {
    saved_model made = compiled_network();
    change(made);
    return made;
  };
  const auto image = [](model network, const saved_input& in) {
    return saved_model{
        .network = std::move(network), .name = "net", .architecture = {}, .places = {}, .inputs = {in}, .made_by = {}};
  };
  const saved_input nv12{.source = input_source::ddr,
                         .is_image = true,
                         .given = image_type::nv12,
                         .seen = colours::rgb,
                         .range = colour_range::full,
                         .by = {}};
  const saved_input y{.source = input_source::ddr,
                      .is_image = true,
                      .given = image_type::y,
                      .seen = colours::rgb,
                      .range = colour_range::full,
                      .by = {}};
  const row table[] = {
      {"a network has no name", with([](saved_model& m) { m.name.clear(); })},
      {"got places of 1 nodes, expected 2", with([](saved_model& m) { m.places.pop_back(); })},
      {"got places of 2 nodes, expected 0", with([](saved_model& m) { m.architecture.clear(); })},
      {"got 2 descriptions of inputs, expected 1", with([](saved_model& m) { m.inputs.resize(2); })},
      {"input \"image\" comes from the resizer, but is no image",
       with([](saved_model& m) { m.inputs[0].source = input_source::resizer; })},
      {"graph: node 1 (reshape) reads value 6 before it is made", with([](saved_model& m) {
         m.network.graph.operands[static_cast<std::size_t>(m.network.graph.nodes[1].inputs.first)] = 6;
       })},
      {"input \"x\" is f32 [1, 4, 6, 1], expected f32 [N, H, W, 3] of rgb images", image(image_network(1), nv12)},
      {"input \"x\" is an image of type y for rgb: image must hold the colours of the network",
       image(image_network(), y)},
  };
  for (const row& r : table) {
    CAPTURE(r.message);
    const auto bytes = models_to_bytes({&r.made, 1});
    REQUIRE_FALSE(bytes);
    CHECK(bytes.error().message().find(r.message) != std::string::npos);
  }
  const saved_model twice[] = {compiled_network(), compiled_network()};
  CHECK(models_to_bytes(twice).error().message() == "two networks are called \"net\"");
  CHECK_FALSE(models_to_bytes({}));
}

TEST_CASE("saved models: a network that has no name has its file's, up to the last point") {
  CHECK(detail::stem_of("a.b/digits.v1.safetensors") == "digits.v1");
  CHECK(detail::stem_of("digits.safetensors") == "digits");
  CHECK(detail::stem_of("a/digits") == "digits");
  CHECK(detail::stem_of("a/.digits") == ".digits");
}
