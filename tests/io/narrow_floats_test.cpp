// narrow_floats: every number of 8 and 16 bits is widened to the float that its format says, through each way that
// weights come in.
#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/weights.hpp>

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using nnrt::narrow_float;

float widened(narrow_float stored, std::uint32_t bits) {
  std::byte bytes[2] = {static_cast<std::byte>(bits & 255U), static_cast<std::byte>(bits >> 8U)};
  float made = 0;
  nnrt::widen(stored, bytes, 1, &made);
  return made;
}

/// The definition of a floating-point format: (-1)^s 2^(e - bias) (1 + m / 2^M), or 2^(1 - bias) m / 2^M for e = 0.
double formula(std::uint32_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(bits >> mantissa_bits) % (1 << exponent_bits);
  const double share = std::ldexp(bits % (1U << mantissa_bits), -mantissa_bits);
  const double size = exponent == 0 ? std::ldexp(share, 1 - bias) : std::ldexp(1 + share, exponent - bias);
  return bits >> (exponent_bits + mantissa_bits) != 0 ? -size : size;
}

}  // namespace

TEST_CASE(
    "narrow_floats: F8_E4M3 has NaN where all bits but the sign are set, no infinities, and 448 as its largest "
    "number") {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    CAPTURE(bits);
    const float got = widened(narrow_float::f8_e4m3, bits);
    CHECK(std::signbit(got) == (bits >= 128));
    if ((bits & 127U) == 127) CHECK(std::isnan(got));
    else CHECK(double{got} == formula(bits, 4, 3));
  }
  CHECK(widened(narrow_float::f8_e4m3, 0x7E) == 448);
  CHECK(widened(narrow_float::f8_e4m3, 0x01) == std::ldexp(1.0F, -9));
}

TEST_CASE("narrow_floats: F8_E5M2 has infinities, three NaNs of each sign, and 57344 as its largest number") {
  for (std::uint32_t bits = 0; bits < 256; ++bits) {
    CAPTURE(bits);
    const float got = widened(narrow_float::f8_e5m2, bits);
    CHECK(std::signbit(got) == (bits >= 128));
    if ((bits & 127U) > 124) CHECK(std::isnan(got));
    else if ((bits & 127U) == 124) CHECK(std::isinf(got));
    else CHECK(double{got} == formula(bits, 5, 2));
  }
  CHECK(widened(narrow_float::f8_e5m2, 0x7B) == 57344);
  CHECK(widened(narrow_float::f8_e5m2, 0x01) == std::ldexp(1.0F, -16));
}

TEST_CASE("narrow_floats: BF16 is the upper half of a float") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits)
    if (std::bit_cast<std::uint32_t>(widened(narrow_float::bf16, bits)) != bits << 16U) FAIL("bits ", bits);
}

namespace {

constexpr std::array<std::byte, 8> halves{std::byte{0x80}, std::byte{0x3F}, std::byte{0x00}, std::byte{0xC0},
                                          std::byte{0x80}, std::byte{0x7F}, std::byte{0x01}, std::byte{0x00}};
constexpr std::array<std::byte, 3> bytes{std::byte{0x38}, std::byte{0xB8}, std::byte{0x7E}};
constexpr std::array<std::byte, 3> others{std::byte{0x3C}, std::byte{0xBC}, std::byte{0x7C}};

std::vector<nnrt::tensor_entry> tensors() {
  return {nnrt::narrow_tensor("a", {2, 2}, narrow_float::bf16, halves),
          nnrt::narrow_tensor("b", {3}, narrow_float::f8_e4m3, bytes),
          nnrt::narrow_tensor("c", {3}, narrow_float::f8_e5m2, others),
          nnrt::narrow_tensor("d", {0}, narrow_float::bf16, {})};
}
void check(const nnrt::weights& file) {
  REQUIRE(file.entries().size() == 4);
  const std::vector<std::vector<float>> expected{
      {1, -2, INFINITY, std::bit_cast<float>(0x10000U)}, {1, -1, 448}, {1, -1, INFINITY}, {}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const nnrt::tensor_entry& got = file.entries()[i];
    CAPTURE(got.name);
    CHECK(got.type == nnrt::f32);
    CHECK(got.stored == narrow_float::none);
    REQUIRE(got.bytes.size() == expected[i].size() * sizeof(float));
    const auto* first = reinterpret_cast<const float*>(got.bytes.data());
    CHECK(reinterpret_cast<std::uintptr_t>(first) % sizeof(float) == 0);
    CHECK(std::vector<float>(first, first + expected[i].size()) == expected[i]);
  }
}

}  // namespace

TEST_CASE("narrow_floats: weights in a file, in borrowed or copied bytes and in memory come as f32") {
  const auto file = nnrt::safetensors::serialize(tensors());
  REQUIRE(file);
  const std::string_view text(reinterpret_cast<const char*>(file->data()), file->size());
  for (const char* name : {"\"dtype\":\"BF16\"", "\"dtype\":\"F8_E4M3\"", "\"dtype\":\"F8_E5M2\""})
    CHECK(text.find(name) != text.npos);
  check(*nnrt::weights::parse(*file));
  check(*nnrt::weights::parse_copy(*file));
  check(*nnrt::make_weights(tensors()));
  const std::string path = "narrow_floats_test.safetensors";
  REQUIRE(nnrt::safetensors::save(path, tensors()));
  check(*nnrt::weights::open(path));
  REQUIRE(nnrt::save_weights(path, *nnrt::weights::open(path)));
  check(*nnrt::weights::open(path));  // as f32 now
  std::remove(path.c_str());
}

TEST_CASE("narrow_floats: bytes that do not fit the shape are refused, and so is another dtype") {
  nnrt::tensor_entry one[] = {nnrt::narrow_tensor("a", {3}, narrow_float::bf16, halves)};
  CHECK(nnrt::make_weights(one).error().message() == "tensor \"a\": got 8 bytes, expected 6 for BF16 as f32 [3]");
  one[0].type = nnrt::f16;
  CHECK(nnrt::make_weights(one).error().message() ==
        "tensor \"a\": its elements are stored in fewer bits, as those of f32 alone can be");
}
