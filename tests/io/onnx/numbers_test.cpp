// numbers_test: integers of .onnx files wrap around and are truncated, and NaN stays, as in ONNX's reference.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "outcomes.hpp"
#include "support/onnx_writer.hpp"

namespace {

using namespace onnx_test;

template <class T> struct element;
template <> struct element<std::uint8_t> {
  static constexpr int number = 2;
  static constexpr const char* name = "u8";
};
template <> struct element<std::int8_t> {
  static constexpr int number = 3;
  static constexpr const char* name = "i8";
};
template <> struct element<std::uint16_t> {
  static constexpr int number = 4;
  static constexpr const char* name = "u16";
};
template <> struct element<std::int16_t> {
  static constexpr int number = 5;
  static constexpr const char* name = "i16";
};
template <> struct element<std::int32_t> {
  static constexpr int number = 6;
  static constexpr const char* name = "i32";
};
template <> struct element<std::int64_t> {
  static constexpr int number = 7;
  static constexpr const char* name = "i64";
};
template <> struct element<std::uint32_t> {
  static constexpr int number = 12;
  static constexpr const char* name = "u32";
};
template <> struct element<std::uint64_t> {
  static constexpr int number = 13;
  static constexpr const char* name = "u64";
};

/// Numbers at both ends of a type and around 0.
template <class T> std::vector<T> edges() {
  std::vector<T> made;
  for (const int step : {0, 1, 2, 7}) {
    made.push_back(static_cast<T>(std::numeric_limits<T>::min() + static_cast<T>(step)));
    made.push_back(static_cast<T>(std::numeric_limits<T>::max() - static_cast<T>(step)));
    made.push_back(static_cast<T>(step));
    made.push_back(static_cast<T>(-step));
  }
  return made;
}

template <class To, class F> void compare(const char* what, const outcome& made, std::size_t count, F expected) {
  CAPTURE(std::string(what));
  if (!made.error.empty()) {
    CAPTURE(made.error);
    CHECK(made.error.find("uint64") != std::string::npos);
    return;
  }
  REQUIRE(made.outputs.size() == 1);
  CHECK(made.outputs[0].type == element<To>::name);
  REQUIRE(made.outputs[0].bytes.size() == count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    To got{};
    std::memcpy(&got, made.outputs[0].bytes.data() + i * sizeof(To), sizeof(To));
    CAPTURE(i);
    CHECK(got == expected(i));
  }
}

/// The bits of a wider result.
template <class T> T low_bits(std::uint64_t wide) { return static_cast<T>(wide); }

template <class T> void check_arithmetic() {
  const std::vector<T> some = edges<T>();
  std::vector<T> a, b;
  for (const T x : some)
    for (const T y : some) a.push_back(x), b.push_back(y);
  const auto run = [&](const char* type, const std::vector<T>& divisors) {
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(a.size())};
    const parts p{{node(type, {"a", "b"}, {"y"})},
                  {},
                  {declaration("a", element<T>::number, shape), declaration("b", element<T>::number, shape)},
                  {declaration("y", element<T>::number, shape)}};
    return run_bytes(bytes_of(model(p, 14)),
                     {tensor_like(element<T>::name, shape, a), tensor_like(element<T>::name, shape, divisors)});
  };
  using wide = std::uint64_t;
  CAPTURE(std::string(element<T>::name));
  compare<T>("Add", run("Add", b), a.size(), [&](std::size_t i) { return low_bits<T>(wide(a[i]) + wide(b[i])); });
  compare<T>("Sub", run("Sub", b), a.size(), [&](std::size_t i) { return low_bits<T>(wide(a[i]) - wide(b[i])); });
  compare<T>("Mul", run("Mul", b), a.size(), [&](std::size_t i) { return low_bits<T>(wide(a[i]) * wide(b[i])); });
  compare<T>("Max", run("Max", b), a.size(), [&](std::size_t i) { return std::max(a[i], b[i]); });
  compare<T>("Min", run("Min", b), a.size(), [&](std::size_t i) { return std::min(a[i], b[i]); });
  std::vector<T> divisors = b;
  for (std::size_t i = 0; i < a.size(); ++i)  // neither by zero nor beyond the type
    if (divisors[i] == 0 || (std::is_signed_v<T> && divisors[i] == static_cast<T>(-1))) divisors[i] = 3;
  compare<T>("Div", run("Div", divisors), a.size(), [&](std::size_t i) { return static_cast<T>(a[i] / divisors[i]); });
}

template <class To, class From> void check_cast() {
  const std::vector<From> some = edges<From>();
  const std::vector<std::int64_t> shape{static_cast<std::int64_t>(some.size())};
  const parts p{{node("Cast", {"x"}, {"y"}, {attribute("to", std::int64_t{element<To>::number})})},
                {},
                {declaration("x", element<From>::number, shape)},
                {declaration("y", element<To>::number, shape)}};
  CAPTURE(std::string(element<From>::name));
  compare<To>("Cast", run_bytes(bytes_of(model(p, 14)), {tensor_like(element<From>::name, shape, some)}), some.size(),
              [&](std::size_t i) { return static_cast<To>(some[i]); });
}
template <class To> void check_casts() {
  check_cast<To, std::uint8_t>(), check_cast<To, std::int8_t>(), check_cast<To, std::uint16_t>();
  check_cast<To, std::int16_t>(), check_cast<To, std::int32_t>(), check_cast<To, std::uint32_t>();
  check_cast<To, std::int64_t>(), check_cast<To, std::uint64_t>();
}

}  // namespace

TEST_CASE("onnx: integers wrap around, and quotients are truncated") {
  check_arithmetic<std::uint8_t>(), check_arithmetic<std::int8_t>(), check_arithmetic<std::uint16_t>();
  check_arithmetic<std::int16_t>(), check_arithmetic<std::int32_t>(), check_arithmetic<std::uint32_t>();
  check_arithmetic<std::int64_t>(), check_arithmetic<std::uint64_t>();
}

TEST_CASE("onnx: casts between integers keep the low bits") {
  check_casts<std::uint8_t>(), check_casts<std::int8_t>(), check_casts<std::uint16_t>(), check_casts<std::int16_t>();
  check_casts<std::int32_t>(), check_casts<std::uint32_t>(), check_casts<std::int64_t>(), check_casts<std::uint64_t>();
}

TEST_CASE("onnx: a NaN stays where NumPy keeps it") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const tensor x = numbers_of({2, 2}, {nan, 1, 2, nan}), z = numbers_of({2, 2}, {0, nan, 3, -1});
  struct row {
    const char* type;
    std::size_t inputs;
    std::vector<message> attributes;
    std::vector<bool> is_nan;
  };
  const row rows[] = {
      {"Max", 2, {}, {true, true, false, true}},
      {"Min", 2, {}, {true, true, false, true}},
      {"Relu", 1, {}, {true, false, false, true}},
      {"Clip", 1, {attribute("min", -1.0F), attribute("max", 1.0F)}, {true, false, false, true}},
      {"LeakyRelu", 1, {}, {true, false, false, true}},
      {"Sign", 1, {}, {true, false, false, true}},
      {"Abs", 1, {}, {true, false, false, true}},
      {"Neg", 1, {}, {true, false, false, true}},
      {"HardSigmoid", 1, {}, {true, false, false, true}},
      {"Elu", 1, {}, {true, false, false, true}},
      {"ReduceMax", 1, {attribute("axes", std::vector<std::int64_t>{1})}, {true, true}},
      {"ReduceMin", 1, {attribute("axes", std::vector<std::int64_t>{1})}, {true, true}},
  };
  for (const row& r : rows) {
    CAPTURE(std::string(r.type));
    names inputs{"x"};
    std::vector<tensor> given{x};
    parts p{{}, {}, {declaration("x", of_float, {2, 2})}, {declaration("y", of_float, {-1, -1})}};
    if (r.inputs == 2)
      inputs.push_back("z"), given.push_back(z), p.inputs.push_back(declaration("z", of_float, {2, 2}));
    p.nodes = {node(r.type, inputs, {"y"}, r.attributes)};
    const std::vector<double> made = result(run_bytes(bytes_of(model(p, 10)), given));
    REQUIRE(made.size() == r.is_nan.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      CAPTURE(i);
      CHECK(std::isnan(made[i]) == r.is_nan[i]);
    }
  }
}
