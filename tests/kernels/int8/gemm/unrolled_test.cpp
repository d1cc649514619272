#include <nnrt/kernels/bind/full_connection.hpp>
#include <nnrt/nnrt.hpp>
#include <support/bytes.hpp>

#include "../../../../bench/networks/micro_mlp.hpp"

#include <nnrt/io/make_weights.hpp>

#include <algorithm>

using namespace nnrt_test;

namespace {

/// Checks the layer with these extents, known to the compiler, against the reference; whether it could be scaled by
/// lines.
template <int In, int Out>
bool check_layer(dtype type, std::int64_t rows, activation fused, bytes_are fill, float scale) {
  CAPTURE(In);
  CAPTURE(Out);
  CAPTURE(rows);
  const int middle = type == u8 ? 128 : 0;
  ops::full_connection::attrs attrs;
  attrs.fused = fused;
  given_operand w = constant(stored_bytes(type, {Out, In}, quant{0.01F, middle}, 4, fill));
  if (type == i8) w = quantised_filters(i8, {Out, In}, 0.01F, 4, fill);
  node_under_test<ops::full_connection> node(
      attrs, {stored_bytes(type, {rows, In}, quant{0.02F, middle + 11}, 3), w, quantised_bias(Out, 5)},
      into_bytes(scale, middle - 7));
  const kernel_choice choice = node.choose();
  REQUIRE(bool(choice));
  alignas(64) static std::byte packed[1 << 16];
  const tensor_desc packed_desc{u8, {choice.packed_bytes}};
  REQUIRE(choice.packed_bytes <= std::int64_t{sizeof packed});
  std::vector<view> operands;
  for (given_operand& x : node.in) operands.push_back(x.as_view());
  const view into[] = {{&packed_desc, any_pointer::bytes(packed)}, {&node.outputs[0], {}}};
  choice.pack(nnrt_test::call_of(choice, node.words, operands, into));
  fenced_bytes x(node.in[0].bytes), y(std::vector<std::byte>(static_cast<std::size_t>(rows * Out), std::byte{0x5a}));
  const kernels::int8_factors factors{middle + 11, middle, type == u8};
  const quantised_range range = type == u8 ? quantised_range_of<std::uint8_t>(node.outputs[0].quantised, fused)
                                           : quantised_range_of<std::int8_t>(node.outputs[0].quantised, fused);
  const kernels::narrowing to(range.low, range.high, middle - 7, type == u8);
  constexpr kernels::int8_packing of_one_row = kernels::int8_packing::of(1, In, Out),
                                  of_more = kernels::int8_packing::of(2, In, Out);
  const bool done = rows == 1 ? kernels::int8_dense<of_one_row>(x.data(), packed, y.data(), rows, factors.a_flip(), to)
                              : kernels::int8_dense<of_more>(x.data(), packed, y.data(), rows, factors.a_flip(), to);
  if (done) CHECK(y.copy() == node.reference()[0]);
  else CHECK(y.copy() == std::vector<std::byte>(static_cast<std::size_t>(rows * Out), std::byte{0x5a}));
  return done;
}

template <int In, int Out> void check_extents() {
  int done = 0;
  for (const dtype type : {i8, u8})
    for (const std::int64_t rows : {1, 3})
      for (const activation fused : {activation::none, activation::relu, activation::relu6})
        for (const float scale : {0.02F, 0.05F})
          done += check_layer<In, Out>(type, rows, fused, bytes_are::random, scale);
  if (kernels::has_lines) CHECK(done > 20);
  check_layer<In, Out>(i8, 2, activation::none, bytes_are::all_lowest, 0.02F);
}

}  // namespace

TEST_CASE(
    "unrolled layers of bytes: every depth and width around dot products, vectors and panels has the reference's "
    "bits") {
  check_extents<1, 1>();
  check_extents<3, 7>();
  check_extents<4, 16>();
  check_extents<8, 1>();
  check_extents<8, 17>();
  check_extents<10, 33>();
  check_extents<16, 16>();
  check_extents<33, 5>();
  check_extents<37, 40>();
  check_extents<63, 20>();
  check_extents<64, 32>();
  check_extents<80, 9>();
  check_extents<100, 64>();
}

TEST_CASE(
    "unrolled layers of bytes: results smaller than a step of the sums, which no line scales, are left to others") {
  if (kernels::has_lines) CHECK_FALSE(check_layer<8, 4>(i8, 1, activation::none, bytes_are::random, 1e-5F));
}

namespace {

template <class T> std::vector<T> counted(std::int64_t n, int factor, int modulus, int first) {
  std::vector<T> numbers;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<T>(i * factor % modulus + first));
  return numbers;
}

}  // namespace

TEST_CASE("a micro network of bytes: unrolled it gives what the loop over steps and the references give") {
  using net = graph<networks::micro_mlp_of_bytes>;
  static_assert(net::is_micro);
  const auto w1 = counted<std::int8_t>(128, 53, 255, -127), w2 = counted<std::int8_t>(256, 71, 255, -127),
             w3 = counted<std::int8_t>(16, 29, 255, -127);
  const auto b1 = counted<std::int32_t>(16, 517, 3000, -1000), b2 = counted<std::int32_t>(16, 811, 3000, -1500),
             b3 = counted<std::int32_t>(1, 1, 10, 300);
  const std::vector<float> s16(16, 0.008F), s1(1, 0.006F);
  const tensor_entry tensors[] = {
      tensor_of<std::int8_t>("fc1.weight", {16, 8}, w1), tensor_of<float>("fc1.weight.scale", {16}, s16),
      tensor_of<std::int32_t>("fc1.bias", {16}, b1),     tensor_of<std::int8_t>("fc2.weight", {16, 16}, w2),
      tensor_of<float>("fc2.weight.scale", {16}, s16),   tensor_of<std::int32_t>("fc2.bias", {16}, b2),
      tensor_of<std::int8_t>("fc3.weight", {1, 16}, w3), tensor_of<float>("fc3.weight.scale", {1}, s1),
      tensor_of<std::int32_t>("fc3.bias", {1}, b3)};
  const weights file = make_weights(tensors).value();
  auto unrolled = executor<net>::create(file);
  auto planned = executor<net, cpu_planned>::create(file);
  REQUIRE(unrolled);
  REQUIRE(planned);
  int different[256] = {};
  for (int seed = 0; seed < 300; ++seed) {
    const auto x = counted<std::int8_t>(8, 37 + 2 * seed, 256, -128 + seed % 3);
    const auto expected = (*planned)(x)[0];
    CAPTURE(seed);
    CHECK((*unrolled)(x)[0] == expected);
    ++different[expected + 128];
  }
  CHECK(std::count_if(different, different + 256, [](int n) { return n > 0; }) > 5);
}
