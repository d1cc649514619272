// First: operators must find their kernels wherever they are named.
#include <nnrt/kernels/select.hpp>

#include <nnrt/hal/bpu_driver.hpp>

#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/softmax.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstring>

using namespace nnrt;

namespace {

constexpr quantisation q(float scale, int zero_point = 0) { return quant{scale, zero_point}; }

/// y = conv2d(x, 3 x 3, stride) of i8, with a name; then another operator, if one is wanted.
template <class Next = void> model layer(std::int64_t kernel = 3, std::int64_t stride = 1, int zero_point = 0) {
  model_builder b;
  const auto x = b.input("x", {i8, nhwc, {1, 12, 12, 4}, q(0.25F, zero_point)});
  std::vector<std::int8_t> filters(static_cast<std::size_t>(5 * kernel * kernel * 4));
  for (std::size_t i = 0; i < filters.size(); ++i) filters[i] = static_cast<std::int8_t>(i * 37 % 19) - 9;
  const auto w = b.constant<std::int8_t>(tensor_desc{i8, nhwc, {5, kernel, kernel, 4}, q(0.5F)}, filters);
  ops::conv2d::attrs a;
  a.stride = {stride, stride};
  a.pad.mode = pad_mode::same;
  const std::int64_t side = (12 + stride - 1) / stride;
  auto y = b.apply<ops::conv2d>(a, {*x, *w}, {tensor_desc{i8, nhwc, {1, side, side, 5}, q(0.75F)}}, "stem");
  REQUIRE(bool(y));
  if constexpr (!std::is_void_v<Next>)
    y = b.apply<Next>({}, {(*y)[0]}, {tensor_desc{i8, nhwc, {1, side, side, 5}, q(0.75F)}}, "next");
  REQUIRE(bool(y));
  REQUIRE(bool(b.output("y", (*y)[0])));
  return b.finish();
}

std::string reason_of(hal::driver& device, const model& network, std::size_t node = 0) {
  const auto reasons = device.refusals(network);
  REQUIRE(bool(reasons));
  return (*reasons)[node];
}

std::vector<std::int8_t> numbers(std::size_t count) {
  std::vector<std::int8_t> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<std::int8_t>(i * 97 % 251);
  return x;
}
std::vector<std::int8_t> run(hal::prepared_model& prepared, std::vector<std::int8_t> x) {
  std::vector<std::int8_t> y(static_cast<std::size_t>(prepared.output_desc(0).elements()));
  auto execution = prepared.make_execution();
  REQUIRE(bool(execution));
  const hal::argument in[] = {{reinterpret_cast<std::byte*>(x.data()), x.size(), prepared.input_desc(0).shape}};
  hal::argument out[] = {{reinterpret_cast<std::byte*>(y.data()), y.size(), {}}};
  REQUIRE(bool((*execution)->run(in, out, no_deadline)));
  return y;
}

}  // namespace

TEST_CASE("bpu_driver: a device takes what its table takes, and says which limit else") {
  hal::bpu_driver x3(bernoulli2::table), ultra(bayes::table);
  CHECK(reason_of(x3, layer(7)) == "");
  CHECK(reason_of(x3, layer(9)) == "conv2d \"stem\": kernel must lie within the limits (got 9, expected 7)");
  CHECK(reason_of(ultra, layer(9)) == "");
  CHECK(reason_of(ultra, layer(3, 1, 5)) == "conv2d \"stem\": zero point must be 0 (got 5, expected 0)");
  CHECK(reason_of(ultra, layer<ops::neg>(3), 1) == "neg \"next\": operator must be in the table (got 0, expected 1)");
  const auto refused = ultra.prepare(layer<ops::neg>(3), {});
  REQUIRE_FALSE(bool(refused));
  CHECK(refused.error().code() == error_code::not_supported);
  CHECK(refused.error().message().find("neg \"next\": operator must be in the table") != std::string::npos);
}

TEST_CASE("bpu_driver: tensors of floats are nobody's but the processor's") {
  model_builder b;
  const auto x = b.input("x", {f32, {1, 2, 2, 3}});
  const auto y = b.apply<ops::add>({}, {*x, *x});
  REQUIRE(bool(b.output("y", (*y)[0])));
  hal::bpu_driver device(bayes::table);
  CHECK(reason_of(device, b.finish()).find("operand type must be accepted by the accelerator (got f32, expected i8)") !=
        std::string::npos);
}

TEST_CASE("bpu_driver: results are rounded once, halves to even numbers, whatever the program's tensors say") {
  const model network = layer(3, 2);
  model even = network;
  for (ir::value& v : even.graph.values)
    if (v.desc.quantised) v.desc.quantised.rounding = quantised_rounding::half_to_even;
  hal::bpu_driver device(bayes_e::table);
  hal::cpu_driver processor;
  const auto on_device = device.prepare(network, {}), rounded = processor.prepare(even, {}),
             twice = processor.prepare(network, {});
  REQUIRE(bool(on_device));
  REQUIRE(bool(rounded));
  REQUIRE(bool(twice));
  const std::vector<std::int8_t> x = numbers(12 * 12 * 4), y = run(**on_device, x);
  CHECK(y == run(**rounded, x));
  CHECK(y != run(**twice, x));
}

TEST_CASE("bpu_driver: what it exports it restores, with the same bytes") {
  hal::bpu_driver device(bernoulli2::table);
  const auto prepared = device.prepare(layer(5), {});
  REQUIRE(bool(prepared));
  const auto buffers = (*prepared)->exported();
  REQUIRE(bool(buffers));
  std::vector<array_ref<const std::byte>> views;
  for (const auto& one : *buffers) views.push_back({one.data(), one.size()});
  const auto restored = device.restore(views, {});
  REQUIRE(bool(restored));
  const std::vector<std::int8_t> x = numbers(12 * 12 * 4);
  CHECK(run(**prepared, x) == run(**restored, x));
}

TEST_CASE("bpu_driver: what another device prepared is refused, as a cache and as an offline model") {
  hal::bpu_driver device(bernoulli2::table), other(*find_accelerator("bayes"));
  hal::cpu_driver processor;
  hal::driver* const all[] = {&device, &other, &processor};
  for (hal::driver* const from : all) {
    const auto prepared = from->prepare(layer(3), {});
    REQUIRE(bool(prepared));
    const auto buffers = (*prepared)->exported();
    REQUIRE(bool(buffers));
    const array_ref<const std::byte> bytes((*buffers)[0].data(), (*buffers)[0].size());
    for (hal::driver* const to : all) {
      CAPTURE(from->name());
      CAPTURE(to->name());
      const auto restored = to->restore({&bytes, 1}, {}), offline = to->prepare_offline(bytes, {});
      CHECK(restored.has_value() == (from == to));
      CHECK(offline.has_value() == (from == to));
      if (!offline)
        CHECK(offline.error().message() == "stored program: is for device \"" + std::string(from->name()) +
                                               "\", not \"" + std::string(to->name()) + "\"");
    }
  }
}

TEST_CASE("bpu_driver: accelerators stand after the processor, each once, under names that stay") {
  REQUIRE(bool(hal::add_accelerators()));
  REQUIRE(bool(hal::add_accelerators()));
  std::string names;
  for (const std::size_t id : hal::registry().ids()) names += std::string(hal::registry().find(id)->name) + " ";
  CHECK(names == "cpu_nnrt_v2_1 bernoulli2_nnrt_v2_1 bayes_nnrt_v2_1 bayes_e_nnrt_v2_1 ");
  CHECK(*hal::registry().find(hal::registry().ids()[1])->device.type() == hal::device_type::accelerator);
}
