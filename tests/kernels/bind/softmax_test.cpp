#include <nnrt/kernels/bind/softmax.hpp>
#include <support/kernels.hpp>

#include <limits>
#include <new>
#include <type_traits>
#include <vector>

using namespace nnrt_test;

namespace {

constexpr tolerance allowed{2e-7, 1e-6};

ops::softmax::attrs along(std::initializer_list<std::int64_t> axes) {
  ops::softmax::attrs attrs;
  attrs.axis = axes;
  return attrs;
}

}  // namespace

TEST_CASE("softmax: rows of every length around whole vectors") {
  for (std::int64_t n = 1; n <= 6 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::softmax>({}, {floats({3, n}, random_floats(3 * n, 5, 20.0F))}, allowed);
  }
  check_kernel<ops::softmax>({}, {floats({1000})}, allowed);
}

TEST_CASE("softmax: columns of every number around whole vectors") {
  for (std::int64_t n = 2; n <= 3 * kernels::f32_lanes + 1; ++n) {
    CAPTURE(n);
    check_kernel<ops::softmax>(along({1}), {floats({2, 5, n}, random_floats(10 * n, 6, 20.0F))}, allowed);
  }
}

TEST_CASE("softmax: any axis, and several axes side by side") {
  const axis_list lists[] = {{0}, {1}, {-1}, {2, 3}, {-2, 1}, {0, 1, 2, 3}, {2}};
  for (const axis_list& list : lists) {
    ops::softmax::attrs attrs;
    attrs.axis = list;
    CAPTURE(list[0]);
    check_kernel<ops::softmax>(attrs, {floats({2, 3, 5, 17}, 4)}, allowed);
  }
  check_kernel<ops::softmax>(along({0, 2}), {floats({3, 1, 7})}, allowed);
}

TEST_CASE("softmax: axes that others stand between are left to the reference") {
  CHECK(has_no_kernel<ops::softmax>(along({0, 2}), {floats({2, 3, 5})}));
}

TEST_CASE("softmax: large, equal, infinite and missing numbers") {
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> rows[] = {
      {1e30F, -1e30F, 0.0F},    {-3e38F, -3e38F, -3e38F}, {-infinity, 1.0F, 2.0F},           {infinity, 1.0F, 2.0F},
      {nan, 1.0F, 2.0F},        {1.0F, 2.0F, nan},        {-infinity, -infinity, -infinity}, {0.0F, -87.0F, -88.0F},
      {0.0F, -103.0F, -104.0F},
  };
  for (const std::vector<float>& row : rows) {
    CAPTURE(row[0]);
    check_kernel<ops::softmax>({}, {floats({3}, row)}, allowed);
    check_kernel<ops::softmax>(along({0}), {floats({3, 2}, {row[0], row[0], row[1], row[1], row[2], row[2]})}, allowed);
  }
}

TEST_CASE("softmax of quantised values: tables give the reference's bits, along any axis, for every scale and beta") {
  const auto given = [](dtype type, shape_t shape, float scale) {
    given_operand x = pattern(type, shape);
    x.desc.quantised = quant{scale, 0};
    return x;
  };
  const auto into = [](float scale, std::int32_t zero) {
    tensor_desc wanted;
    wanted.quantised = quant{scale, zero};
    return std::vector<tensor_desc>{wanted};
  };
  ops::softmax::attrs sharp = along({1});
  sharp.beta = 2.5F;
  for (const shape_t& shape : {shape_t{3, 5, 67}, shape_t{1, 1000}, shape_t{2, 513}, shape_t{40, 7}, shape_t{1, 10},
                               shape_t{3, 1}, shape_t{2, 127}, shape_t{2, 128}, shape_t{1, 5000}})
    for (const float scale : {1e-4F, 0.05F, 0.3F, 1e30F}) {
      CAPTURE(shape.elements());
      CAPTURE(scale);
      for (const ops::softmax::attrs& attrs : {ops::softmax::attrs{}, along({0}), along({0, 1}), sharp}) {
        check_kernel<ops::softmax>(attrs, {given(i8, shape, scale)}, {}, into(1 / 256.0F, -128));
        check_kernel<ops::softmax>(attrs, {given(u8, shape, scale)}, {}, into(1 / 256.0F, 0));
        check_kernel<ops::softmax>(attrs, {given(u8, shape, scale)}, {}, into(0.01F, 3));
        check_kernel<ops::softmax>(attrs, {given(i16, shape, scale / 256)}, {}, into(1 / 32768.0F, 0));
      }
    }
  const auto choose = [&](const given_operand& x, const std::vector<tensor_desc>& y) {
    return node_under_test<ops::softmax>({}, {x}, y).choose();
  };
  CHECK_FALSE(bool(choose(given(i8, {0, 3}, 0.1F), into(1 / 256.0F, -128))));
  CHECK_FALSE(bool(choose(given(i16, {1000}, 0.1F), into(1 / 256.0F, 0))));
}

TEST_CASE("softmax of quantised values: rows whose numbers are alike, and whose largest is any") {
  for (const int largest : {-128, -127, -3, 0, 1, 100, 127})
    for (const int step : {0, 1, 7, 64})
      for (const std::int64_t n : {5, 200, 777}) {
        std::vector<std::int8_t> numbers;
        for (std::int64_t i = 0; i < n; ++i)
          numbers.push_back(static_cast<std::int8_t>(std::max<std::int64_t>(-128, largest - (n - 1 - i) * step % 255)));
        CAPTURE(largest);
        CAPTURE(step);
        CAPTURE(n);
        given_operand x = bytes_of({i8, nd, {1, n}, quant{0.1F, 3}}, numbers.data());
        tensor_desc wanted;
        wanted.quantised = quant{1 / 256.0F, -128};
        check_kernel<ops::softmax>({}, {x}, {}, {wanted});
        wanted.quantised = quant{1 / 200.0F, -100};
        check_kernel<ops::softmax>({}, {x}, {}, {wanted});
      }
}

TEST_CASE("softmax of quantised values: one number far above many, and as many as have a share") {
  for (const float scale : {0.01F, 0.02F, 0.05F, 0.2F})
    for (const std::int32_t others : {-128, -60, 0, 90})
      for (const std::int64_t n : {128, 159, 160, 191, 1000}) {
        std::vector<std::int8_t> numbers;
        for (std::int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<std::int8_t>(others + i * 31 % 37));
        numbers[static_cast<std::size_t>(n / 2)] = 127;
        CAPTURE(scale);
        CAPTURE(others);
        CAPTURE(n);
        given_operand x = bytes_of({i8, nd, {1, n}, quant{scale, 3}}, numbers.data());
        tensor_desc wanted;
        wanted.quantised = quant{1 / 256.0F, -128};
        check_kernel<ops::softmax>({}, {x}, {}, {wanted});
      }
}

TEST_CASE_TEMPLATE("softmax of quantised values: a row that another process raises during a run leads out of no table",
                   T, std::int8_t, std::uint8_t) {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  using powers_type = kernels::int8_powers<T>;
  fenced memory(sizeof(powers_type) / sizeof(float));  // nothing after it may be read
  const quantisation x = quant{0.1F, 0}, y = quant{1 / 256.0F, std::is_signed_v<T> ? -128 : 0};
  const auto* const powers = new (memory.data()) powers_type(ops::detail::fixed_softmax<T>{x, y, 1.0F});
  const std::vector<T> row(512, most);  // when its largest number was looked for, all were the least
  const std::int64_t sum = powers->addends.sum(kernels::byte_range<T>{least, least}, row.data(), 512);
  CHECK(sum >= 0);
  CHECK(sum <= 512 * powers->by.addend(powers->power_of(0)));
  CHECK(powers->power_of(least - most) == powers->power_of(0));
}

TEST_CASE("softmax of quantised values: long rows in place") {
  const kernels::int8_powers<std::int8_t> powers(
      ops::detail::fixed_softmax<std::int8_t>{quant{0.1F, 0}, quant{1 / 256.0F, -128}, 1.0F});
  for (std::int64_t n = 128; n < 300; n += 7) {
    std::vector<std::int8_t> x, y(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<std::int8_t>(i * 31 % 251 - 125));
    const kernels::axis_block row{1, n, 1};
    kernels::int8_softmax<kernels::native>(row, x.data(), powers, y.data(), {});
    kernels::int8_softmax<kernels::native>(row, x.data(), powers, x.data(), {});
    CAPTURE(n);
    CHECK(x == y);
  }
}
