// stored_program_test: programs that were stored and restored compute the same bits, and bytes that are not such a
// program are refused - damaged ones always, forged ones without harm.
#include <nnrt/dynamic.hpp>
#include <nnrt/exec/stored_program.hpp>
#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/write_file.hpp>

#include <doctest/doctest.h>

#include "support/forged.hpp"
#include "support/random_graph.hpp"
#include "support/random_network.hpp"
#include "support/sanitized.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace nnrt;

// ---- Networks ----

std::vector<float> reals(std::int64_t count, int seed, float size = 0.5F) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i)
    made.push_back(static_cast<float>((i * 37 + seed * 101 + i / 7) % 61 - 30) / 30 * size);
  return made;
}

/// A model_builder for tests: what does not work ends the test.
struct author {
  model_builder to;
  int seed = 0;

  std::int32_t real(const shape_t& shape, float size = 0.5F) {
    return to.constant<float>({f32, shape}, reals(shape.elements(), ++seed, size)).value();
  }
  std::int32_t positive(std::int64_t count) {
    std::vector<float> made = reals(count, ++seed, 0.25F);
    for (float& x : made) x += 1;
    return to.constant<float>({f32, {count}}, made).value();
  }
  template <class Op>
  std::int32_t node(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> in,
                    std::initializer_list<tensor_desc> wanted = {}) {
    auto made = to.apply<Op>(attrs, in, wanted);
    INFO((made ? std::string() : made.error().message()));
    REQUIRE(made);
    return (*made)[0];
  }
  std::int32_t conv2d(std::int32_t x, const shape_t& weight, std::int64_t stride = 1,
                      activation act = activation::none) {
    ops::conv2d::attrs a;
    a.pad.mode = pad_mode::same, a.stride = {stride, stride}, a.fused = act;
    return node<ops::conv2d>(a, {x, real(weight), real({weight[0]})});
  }
};

/// LeNet's layers over a grey image.
model lenet() {
  author a;
  const std::int32_t x = a.to.input("image", {f32, {2, 28, 28, 1}}).value();
  ops::max_pool::attrs pool;
  pool.kernel = {2, 2}, pool.stride = {2, 2};
  const std::int32_t first = a.node<ops::max_pool>(pool, {a.conv2d(x, {6, 5, 5, 1}, 1, activation::relu)});
  const std::int32_t second = a.node<ops::max_pool>(pool, {a.conv2d(first, {16, 5, 5, 6}, 1, activation::relu)});
  const std::int64_t flat[] = {2, 784};
  const std::int32_t row = a.node<ops::reshape>({}, {second, a.to.constant<std::int64_t>({i64, {2}}, flat).value()});
  const std::int32_t hidden =
      a.node<ops::relu>({}, {a.node<ops::full_connection>({}, {row, a.real({84, 784}), a.real({84})})});
  REQUIRE(a.to.output("probability", a.node<ops::softmax>({}, {a.node<ops::full_connection>(
                                                                  {}, {hidden, a.real({10, 84}), a.real({10})})})));
  return a.to.finish();
}

/// Blocks of a MobileNet with the batch normalisations that it was trained with, a layer that Winograd's method may
/// take, and images so large that steps run in stripes.
model mobilenet() {
  author a;
  std::int32_t x = a.to.input("image", {f32, {1, 96, 96, 3}}).value();
  const auto normalised = [&](std::int32_t y, std::int64_t channels) {
    return a.node<ops::relu6>({}, {a.node<ops::batch_norm>({}, {y, a.positive(channels), a.real({channels}),
                                                                a.real({channels}), a.positive(channels)})});
  };
  x = normalised(a.conv2d(x, {16, 3, 3, 3}), 16);
  ops::depthwise_conv2d::attrs depthwise;
  depthwise.pad.mode = pad_mode::same, depthwise.stride = {2, 2};
  x = normalised(a.node<ops::depthwise_conv2d>(depthwise, {x, a.real({16, 3, 3, 1}), a.real({16})}), 16);
  x = normalised(a.conv2d(x, {64, 1, 1, 16}), 64);
  x = a.conv2d(x, {64, 3, 3, 64}, 1, activation::relu6);
  const std::int64_t image[] = {1, 2};
  const std::int32_t mean = a.node<ops::reduce_mean>({}, {x, a.to.constant<std::int64_t>({i64, {2}}, image).value()});
  REQUIRE(a.to.output("scores", a.node<ops::full_connection>({}, {mean, a.real({100, 64}), a.real({100})})));
  return a.to.finish();
}

/// Layers with many weights.
model dense() {
  author a;
  const std::int32_t x = a.to.input("x", {f32, {3, 300}}).value();
  const std::int32_t hidden =
      a.node<ops::relu>({}, {a.node<ops::full_connection>({}, {x, a.real({400, 300}), a.real({400})})});
  REQUIRE(a.to.output("y", a.node<ops::full_connection>({}, {hidden, a.real({200, 400}), a.real({200})})));
  return a.to.finish();
}

/// 8-bit layers with a scale for each channel.
model bytes() {
  author a;
  const auto stored = [&](const shape_t& shape, float scale) {
    std::vector<std::int8_t> numbers;
    for (std::int64_t i = 0; i < shape.elements(); ++i)
      numbers.push_back(static_cast<std::int8_t>((i * 53 + 11) % 255 - 127));
    const std::int32_t id =
        a.to.constant<std::int8_t>({i8, shape.rank == 4 ? nhwc : nd, shape, per_channel<0>}, numbers).value();
    std::vector<float> scales = reals(shape[0], ++a.seed, scale / 4);
    for (float& s : scales) s += scale;
    a.to.set_scales(id, a.to.constant<float>({f32, {shape[0]}}, scales).value());
    return id;
  };
  const auto bias = [&](std::int64_t count) {
    std::vector<std::int32_t> numbers;
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<std::int32_t>(i * 71 % 400 - 200));
    return a.to.constant<std::int32_t>({i32, {count}}, numbers).value();
  };
  const std::int32_t x = a.to.input("image", {i8, nhwc, {1, 9, 11, 24}, quant{0.05F, -4}}).value();
  ops::conv2d::attrs same;
  same.pad.mode = pad_mode::same;
  const std::int32_t y = a.node<ops::conv2d>(same, {x, stored({40, 3, 3, 24}, 0.004F), bias(40)},
                                             {{i8, nhwc, {1, 9, 11, 40}, quant{0.2F, 3}}});
  const std::int32_t z = a.node<ops::depthwise_conv2d>({}, {y, stored({40, 3, 3, 1}, 0.01F), bias(40)},
                                                       {{i8, nhwc, {1, 7, 9, 40}, quant{0.3F, -9}}});
  REQUIRE(a.to.output("y", z));
  return a.to.finish();
}

/// Rows of a table by indices that a run gets and may reject; a constant, and an input, as outputs.
model looked_up() {
  author a;
  const std::int32_t rows = a.to.input("rows", {i32, {5}}).value();
  const std::int64_t zero = 0;
  const std::int32_t axis = a.to.constant<std::int64_t>({i64, {}}, array_ref<const std::int64_t>(&zero, 1)).value();
  const std::int32_t table = a.real({7, 300});
  REQUIRE(a.to.output("looked up", a.node<ops::gather>({}, {table, rows, axis})));
  REQUIRE(a.to.output("table", table));
  REQUIRE(a.to.output("rows again", rows));
  return a.to.finish();
}

/// Images of any size to three scores.
model of_any_size() {
  author a;
  const std::int32_t x = a.to.input("image", {f32, {-1, -1, -1, 2}}).value();
  const std::int64_t image[] = {1, 2};
  const std::int32_t axes = a.to.constant<std::int64_t>({i64, {2}}, image).value();
  const std::int32_t mean = a.node<ops::reduce_mean>({}, {a.conv2d(x, {80, 3, 3, 2}, 1, activation::relu), axes});
  REQUIRE(a.to.output("scores", a.node<ops::full_connection>({}, {mean, a.real({3, 80}), a.real({3})})));
  return a.to.finish();
}

/// The smallest network that has a weight, for tests that visit every byte.
model smallest() {
  author a;
  const std::int32_t x = a.to.input("x", {f32, {1, 4}}).value();
  REQUIRE(a.to.output("y", a.node<ops::full_connection>({}, {x, a.real({3, 4}), a.real({3})})));
  return a.to.finish();
}

/// Numbers that the names of weights give, as nnrt_test::random_graph's.
weights weights_of(const ir::graph& g) {
  std::vector<std::vector<float>> numbers;
  std::vector<tensor_entry> tensors;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight) numbers.push_back(nnrt_test::numbers_named(g.name_of(v.name), v.desc.elements(), 1));
  std::size_t next = 0;
  for (const ir::value& v : g.values)
    if (v.is == ir::kind::weight) tensors.push_back(tensor_of<float>(g.name_of(v.name), v.desc.shape, numbers[next++]));
  return make_weights(tensors).value();
}

// ---- Running them ----

/// The bytes of all outputs, for inputs that follow from their sizes.
std::string results_of(const program& p, std::initializer_list<shape_t> shapes = {}) {
  session s(p);
  if (shapes.size() > 0) REQUIRE(s.resize(shapes));
  for (std::size_t i = 0; i < s.compiled().input_count(); ++i) {
    const tensor_desc& desc = s.input_desc(i);
    if (desc.type == f32) {
      const std::vector<float> x = reals(desc.elements(), static_cast<int>(i) + 50, 2);
      std::copy(x.begin(), x.end(), s.input<float>(i).begin());
    } else if (size_of(desc.type) == 1) {
      for (std::size_t k = 0; k < s.input_bytes(i).size(); ++k)
        s.input_bytes(i)[k] = static_cast<std::byte>(k * 37 % 256 + 128);
    } else {
      for (std::size_t k = 0; k < s.input<std::int32_t>(i).size(); ++k)
        s.input<std::int32_t>(i)[k] = static_cast<std::int32_t>(k % 7);
    }
  }
  const auto done = s.run();
  INFO((done ? std::string() : done.error().message()));
  REQUIRE(done);
  std::string all;
  for (std::size_t i = 0; i < s.compiled().output_count(); ++i) {
    const std::span<const std::byte> y = s.output_bytes(i);
    all.append(reinterpret_cast<const char*>(y.data()), y.size());
  }
  return all;
}
program restored(const byte_list& bytes, const options& wanted = {}) {
  auto made = restore_program(shared_bytes::copy_of(bytes), wanted);
  INFO((made ? std::string() : made.error().message()));
  REQUIRE(made);
  return *made;
}
std::string refusal_of(const byte_list& bytes) {
  const auto made = restore_program(shared_bytes::copy_of(bytes));
  if (made) return {};
  return made.error().code() == error_code::invalid_file || !made.error().message().empty() ? made.error().message()
                                                                                            : "no reason";
}

struct named_model {
  const char* name;
  model (*make)();
};
constexpr named_model networks[] = {{"lenet", lenet}, {"mobilenet", mobilenet}, {"bytes", bytes},
                                    {"dense", dense}, {"looked up", looked_up}, {"smallest", smallest}};

}  // namespace

TEST_CASE("stored program: it computes the same bits when it is restored, by any number of threads") {
  for (const auto& [name, make] : networks) {
    CAPTURE(name);
    const program fresh = compile(make()).value();
    const byte_list bytes = store_program(fresh).value();
    const std::string expected = results_of(fresh);
    CHECK(results_of(restored(bytes)) == expected);
    const program again = restored(bytes, {.threads = 2});
    CHECK(results_of(again) == expected);
    CHECK(again.input_name(0) == fresh.input_name(0));
    CHECK(again.output_desc(0) == fresh.output_desc(0));
    CHECK(again.arena_bytes() == fresh.arena_bytes());
    CHECK(again.steps() == fresh.steps());
  }
}

TEST_CASE("stored program: any graph comes back") {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    model network{nnrt_test::random_graph(seed).made(), {}};
    network.weights = weights_of(network.graph);
    const program fresh = compile(network).value();
    CHECK(results_of(restored(store_program(fresh).value())) == results_of(fresh));
  }
}

TEST_CASE("stored program: networks over images, of floats and of stored bytes") {
  for (std::uint64_t seed = 0; seed < nnrt_test::cases<std::uint64_t>(100, 10); ++seed)
    for (const bool is_quantised : {false, true}) {
      CAPTURE(seed);
      CAPTURE(is_quantised);
      model network{nnrt_test::random_network(seed, is_quantised).made(), {}};
      network.weights = weights_of(network.graph);
      const program fresh = compile(network).value();
      CHECK(results_of(restored(store_program(fresh).value())) == results_of(fresh));
    }
}

TEST_CASE("stored program: without Winograd's method it comes back without") {
  const program off = compile(mobilenet(), {.winograd = winograd::off}).value(), on = compile(mobilenet()).value();
  REQUIRE(results_of(off) != results_of(on));
  CHECK(results_of(restored(store_program(off).value())) == results_of(off));
}

TEST_CASE("stored program: with weights of 16 bits it comes back with them, and takes half of the memory") {
  const program halved = compile(dense(), {.float16_weights = true}).value(), whole = compile(dense()).value();
  const byte_list bytes = store_program(halved).value();
  CHECK(results_of(restored(bytes)) == results_of(halved));
  CHECK(results_of(restored(bytes)) != results_of(whole));
  CHECK(bytes.size() * 2 < store_program(whole).value().size() + 8192);
}

TEST_CASE("stored program: one whose extents are unknown is planned when it gets some") {
  const program fresh = compile(of_any_size()).value();
  const program back = restored(store_program(fresh).value());
  CHECK(!back.has_plan());
  CHECK(back.input_desc(0) == fresh.input_desc(0));
  CHECK(results_of(back, {{1, 5, 7, 2}}) == results_of(fresh, {{1, 5, 7, 2}}));
  CHECK(results_of(back, {{3, 12, 6, 2}}) == results_of(fresh, {{3, 12, 6, 2}}));
  // It has all of its weights, so it can be stored again; and so can one of its plans.
  CHECK(store_program(back).value() == store_program(fresh).value());
  const program fixed = fresh.with_shapes({{1, 5, 7, 2}}).value();
  CHECK(results_of(restored(store_program(fixed).value())) == results_of(fixed));
}

TEST_CASE("stored program: one whose extents are unknown keeps its choices of kernels and weights") {
  author a;
  const std::int32_t x = a.to.input("image", {f32, {1, -1, -1, 32}}).value();
  REQUIRE(a.to.output("y", a.conv2d(x, {64, 3, 3, 32})));
  const model open = a.to.finish();
  const shape_t image{1, 24, 24, 32};
  const std::string by_choice = results_of(compile(open).value(), {image});
  for (const options& wanted : {options{.winograd = winograd::off}, options{.float16_weights = true}}) {
    const program fresh = compile(open, wanted).value();
    const std::string expected = results_of(fresh, {image});
    REQUIRE(expected != by_choice);
    CHECK(results_of(restored(store_program(fresh).value()), {image}) == expected);
  }
}

TEST_CASE("stored program: one that is given no time to be restored is not") {
  const byte_list bytes = store_program(compile(smallest()).value()).value();
  const auto late = restore_program(shared_bytes::copy_of(bytes), {.deadline = 1});
  REQUIRE(!late);
  CHECK(late.error().code() == error_code::deadline_missed);
}

TEST_CASE("stored program: storing is the same bytes each time, and none of what was packed is there twice") {
  const program fresh = compile(mobilenet()).value();
  const byte_list bytes = store_program(fresh).value();
  CHECK(store_program(fresh).value() == bytes);
  CHECK(store_program(compile(mobilenet()).value()).value() == bytes);
  const auto refused = store_program(restored(bytes));
  REQUIRE(!refused);
  CHECK(refused.error().code() == error_code::not_supported);
  // Large constants: 64*3*3*64 numbers, for Winograd's method up to four times as many, and 100*64.
  CHECK(bytes.size() < (64 * 64 * 36 + 8 * 16 * 100 + 20'000) * sizeof(float));
}

TEST_CASE("stored program: weights are read where the file is mapped") {
  const temporary_folder folder;
  const program fresh = compile(lenet()).value();
  const std::string expected = results_of(fresh), path = folder.file("program");
  REQUIRE(write_file(path, store_program(fresh).value()));
  auto back = restore_program(shared_bytes(mapped_file::open(path).value()));
  REQUIRE(back);
  CHECK(results_of(*back) == expected);
  REQUIRE(write_file(path, byte_list{}));  // another file takes its name: the mapping stays what it was
  CHECK(results_of(*back) == expected);
}

TEST_CASE("stored program: a run's faults have their names still") {
  const program back = restored(store_program(compile(looked_up()).value()).value());
  session s(back);
  s.input<std::int32_t>(0)[3] = 7;
  const auto done = s.run();
  REQUIRE(!done);
  CHECK(done.error().message().find("gather") != std::string::npos);
  session original(compile(looked_up()).value());
  original.input<std::int32_t>(0)[3] = 7;
  CHECK(done.error().message() == original.run().error().message());
}

TEST_CASE("stored program: damage to any byte is seen, and so is any end that is missing") {
  const byte_list whole = store_program(compile(smallest()).value()).value();
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (const int change : {0x01, 0x80, 0xFF}) {
      byte_list broken = whole;
      broken[i] ^= static_cast<std::byte>(change);
      CAPTURE(i);
      REQUIRE(!refusal_of(broken).empty());
    }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    REQUIRE(!refusal_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}).empty());
  }
  byte_list longer = whole;
  longer.push_back(std::byte{});
  CHECK(!refusal_of(longer).empty());
}

TEST_CASE("stored program: another version's, and another instruction set's, are refused by name, each with its code") {
  const byte_list whole = store_program(compile(smallest()).value()).value();
  const auto with = [&](std::string_view text, std::string_view other, error_code code) {
    const auto made = restore_program(shared_bytes::copy_of(nnrt_test::with_other_text(whole, text, other)));
    REQUIRE(!made);
    CHECK(made.error().code() == code);
    return std::string(made.error().message());
  };
  CHECK(with(version, "9", error_code::invalid_file).find("was stored by version 9") != std::string::npos);
  CHECK(with(isa, "X", error_code::not_supported).find("is for X") != std::string::npos);
}

/// The end of a head: bytes of what is prepared, how many places of weights follow, and the first of them.
struct places_of_weights {
  std::int64_t prepared_bytes, count, first;
  std::vector<std::byte> bytes() const {
    byte_writer words;
    words.put(prepared_bytes), words.put(static_cast<std::uint64_t>(count)), words.put(first);
    return {words.bytes.begin(), words.bytes.end()};
  }
};
byte_list with_places(byte_list bytes, const places_of_weights& stored, const places_of_weights& others) {
  std::uint64_t head = 0;
  std::memcpy(&head, bytes.data() + 8, sizeof head);
  const std::vector<std::byte> from = stored.bytes(), to = others.bytes();
  const auto end = bytes.begin() + static_cast<std::ptrdiff_t>(head),
             at = std::find_end(bytes.begin(), end, from.begin(), from.end());
  REQUIRE(at != end);
  std::copy(to.begin(), to.end(), at);
  nnrt_test::mend(bytes);
  return bytes;
}

TEST_CASE("stored program: places of weights that are none, or not those of the plan, are refused by their number") {
  const byte_list whole = store_program(compile(looked_up()).value()).value();
  nnrt::detail::stored_parts parts;
  REQUIRE(nnrt::detail::take_apart(whole, false, {}, parts));
  REQUIRE(parts.places.size() == 1);
  REQUIRE(parts.prepared_bytes == 0);
  const auto end = static_cast<std::int64_t>(parts.data.size());
  struct row {
    places_of_weights words;
    const char* refusal;
  };
  const row table[] = {
      {{0, 1, 0}, ""},
      {{64, 1, 0}, "stored program: has 64 bytes of prepared weights, expected 0"},
      {{0, 0, 0}, "stored program: has places of 0 weights, expected 1"},
      {{0, 1, nnrt::detail::not_quantised}, "stored program: weight 0 is not in it"},
      {{0, 1, -64}, "stored program: weight 0 lies outside of it"},
      {{0, 1, 32}, "stored program: weight 0 lies outside of it"},
      {{0, 1, 64}, "stored program: weight 0 lies outside of it"},
      {{0, 1, end}, "stored program: weight 0 lies outside of it"},
      {{0, 1, end + 64}, "stored program: weight 0 lies outside of it"},
  };
  for (const row& r : table) {
    CAPTURE(r.words.first);
    CHECK(refusal_of(with_places(whole, table[0].words, r.words)) == r.refusal);
  }
}

TEST_CASE("stored program: another format, a head that is no whole lines, and another plan are refused by name") {
  const byte_list whole = store_program(compile(smallest()).value()).value();
  const auto with_word = [&](std::size_t at, auto number) {
    byte_list forged = whole;
    std::memcpy(forged.data() + at, &number, sizeof number);
    nnrt_test::mend(forged);
    return refusal_of(forged);
  };
  CHECK(with_word(32, std::uint32_t{5}) == "stored program: has format 5, expected 6");
  std::uint64_t head = 0;
  std::memcpy(&head, whole.data() + 8, sizeof head);
  CHECK(with_word(8, head + 8) == "stored program: its head has " + std::to_string(head + 8) + " bytes");
  CHECK(with_word(8, std::uint64_t{0}) == "stored program: its head has 0 bytes");
  nnrt::detail::stored_parts parts;
  REQUIRE(nnrt::detail::take_apart(whole, false, {}, parts));
  const std::uint64_t digest = parts.plan_digest, other = digest + 1;
  const auto bytes_of = [](const std::uint64_t& number) {
    return std::string_view(reinterpret_cast<const char*>(&number), sizeof number);
  };
  CHECK(refusal_of(nnrt_test::with_other_text(whole, bytes_of(digest), bytes_of(other))) ==
        "stored program: was packed for other kernels");
}

TEST_CASE("stored program: one without a plan waits for shapes, and has all of its weights") {
  const byte_list whole = store_program(compile(looked_up()).value()).value(),
                  open = store_program(compile(of_any_size()).value()).value();
  const auto words_of = [](auto... numbers) {
    byte_writer words;
    (words.put(numbers), ...);
    return std::string(reinterpret_cast<const char*>(words.bytes.data()), words.bytes.size());
  };
  nnrt::detail::stored_parts planned, unplanned;
  REQUIRE(nnrt::detail::take_apart(whole, false, {}, planned));
  REQUIRE(nnrt::detail::take_apart(open, false, {}, unplanned));
  const std::string refusal = "stored program: has no plan, and is not one that waits for shapes";
  CHECK(refusal_of(nnrt_test::with_other_text(whole, words_of(planned.plan_digest, std::uint8_t{1}),
                                              words_of(planned.plan_digest, std::uint8_t{0}))) == refusal);
  REQUIRE(unplanned.places.size() == 1);
  const places_of_weights stored{unplanned.prepared_bytes, 1, unplanned.places[0]};
  CHECK(refusal_of(with_places(open, stored, stored)).empty());
  CHECK(refusal_of(with_places(open, stored, {stored.prepared_bytes, 1, nnrt::detail::not_quantised})) == refusal);
}

TEST_CASE("stored program: a plan for an input whose extents are not known is refused, though nothing reads it") {
  author a;
  const std::int32_t x = a.to.input("x", {f32, {2}}).value();
  REQUIRE(a.to.input("unread", {f32, {77}}));
  REQUIRE(a.to.output("y", a.node<ops::relu>({}, {x})));
  const std::int64_t extent = 77, unknown = -1;
  const auto bytes_of = [](const std::int64_t& number) {
    return std::string_view(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const byte_list whole = store_program(compile(a.to.finish()).value()).value();
  CHECK(refusal_of(whole).empty());
  CHECK(refusal_of(nnrt_test::with_other_text(whole, bytes_of(extent), bytes_of(unknown))) ==
        "input \"unread\" is f32 [?], expected known extents");
}

/// Dense layers of bytes for one row and for several, and the shares of a long row.
model shares() {
  author a;
  const auto dense = [&](std::int32_t x, std::int64_t rows, std::int64_t n, std::int64_t k) {
    std::vector<std::int8_t> numbers;
    for (std::int64_t i = 0; i < n * k; ++i) numbers.push_back(static_cast<std::int8_t>((i * 53 + 11) % 61 - 30));
    const std::int32_t w = a.to.constant<std::int8_t>({i8, nd, {n, k}, quant{0.02F, 0}}, numbers).value();
    return a.node<ops::full_connection>({}, {x, w, ir::none}, {{i8, nd, {rows, n}, quant{0.3F, 1}}});
  };
  const std::int32_t row = a.to.input("row", {i8, nd, {1, 16}, quant{0.05F, -4}}).value(),
                     rows = a.to.input("rows", {i8, nd, {6, 16}, quant{0.05F, -4}}).value();
  const std::int32_t narrow = dense(row, 1, 40, 16),
                     wide = a.to.input("wide", {i8, nd, {2, 300}, quant{0.1F, 3}}).value();
  REQUIRE(a.to.output("y", a.node<ops::softmax>({}, {narrow}, {{i8, nd, {1, 40}, quant{1.0F / 256, -128}}})));
  REQUIRE(a.to.output("several", dense(rows, 6, 24, 16)));
  REQUIRE(a.to.output("shares", a.node<ops::softmax>({}, {wide}, {{i8, nd, {2, 300}, quant{1.0F / 256, -128}}})));
  return a.to.finish();
}

TEST_CASE(
    "stored program: forged words of what kernels prepared lead nowhere, though they say what is called and how far") {
  const byte_list whole = store_program(compile(shares()).value()).value();
  std::uint64_t head = 0;
  std::memcpy(&head, whole.data() + 8, sizeof head);
  int taken = 0;
  const auto run_with = [&](std::size_t at, const void* word, std::size_t bytes) {
    if (at + bytes > whole.size()) return;
    byte_list forged = whole;
    std::memcpy(forged.data() + at, word, bytes);
    nnrt_test::mend(forged);
    const auto made = restore_program(shared_bytes::copy_of(forged));
    if (!made) return;
    ++taken;
    session s(*made);
    for (std::size_t k = 0; k < made->input_count(); ++k) {
      const auto x = s.input<std::int8_t>(k);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int8_t>(i * 37 + k);
    }
    (void)s.run();
  };
  for (std::size_t at = head; at < whole.size(); at += 4)
    for (const std::int64_t word : {std::int64_t{-1000}, std::int64_t{2}, std::int64_t{3}, std::int64_t{1} << 30}) {
      const auto low = static_cast<std::int32_t>(word);
      run_with(at, &low, sizeof low);
      run_with(at, &word, sizeof word);
    }
  CHECK(taken > 0);
}

TEST_CASE("stored program: forged bytes are refused, or harmless") {
  int taken = 0, refused = 0;
  for (model (*const make)() : {smallest, looked_up, bytes}) {
    const byte_list whole = store_program(compile(make()).value()).value();
    std::uint64_t head = 0;
    std::memcpy(&head, whole.data() + 8, sizeof head);
    const std::size_t step = head > 4096 ? 7 : 1;
    for (std::size_t i = 0; i < whole.size(); i += i < head ? step : 97)
      for (const int change : {0x01, 0x02, 0x40, 0x80, 0xFF}) {
        byte_list forged = whole;
        forged[i] ^= static_cast<std::byte>(change);
        nnrt_test::mend(forged);
        const auto made = restore_program(shared_bytes::copy_of(forged));
        if (!made) {
          ++refused;
          continue;
        }
        ++taken;
        if (!made->has_plan() || made->arena_bytes() > 1 << 20) continue;
        std::int64_t elements = 0;
        for (std::size_t k = 0; k < made->input_count(); ++k) elements += made->input_desc(k).elements();
        if (elements > 1 << 20) continue;
        session s(*made);
        (void)s.run();
      }
  }
  CHECK(taken > 0);
  CHECK(refused > 0);
}
