#include <nnrt/kernels/bind/pools.hpp>
#include <support/bytes.hpp>
#include <support/kernels.hpp>
#include <support/measured.hpp>

using namespace nnrt_test;

namespace {

/// Attributes of either pool.
struct attributes {
  extent2 kernel{0, 0}, stride{1, 1};
  pads pad{};
  bool ceil_mode = false, global = false;
  activation fused = activation::none;
  bool count_include_pad = false;

  operator ops::max_pool::attrs() const { return as<ops::max_pool::attrs>(); }
  operator ops::avg_pool::attrs() const {
    auto made = as<ops::avg_pool::attrs>();
    made.count_include_pad = count_include_pad;
    return made;
  }

 private:
  template <class Attributes> Attributes as() const {
    Attributes made;
    made.kernel = kernel, made.stride = stride, made.pad = pad, made.ceil_mode = ceil_mode, made.global = global,
    made.fused = fused;
    return made;
  }
};

attributes window_of(extent2 kernel, extent2 stride, pads pad = {}, bool ceil_mode = false) {
  attributes a;
  a.kernel = kernel;
  a.stride = stride;
  a.pad = pad;
  a.ceil_mode = ceil_mode;
  return a;
}

constexpr pads around(std::int64_t n) { return {pad_mode::explicit_pads, n, n, n, n}; }
constexpr pads same_padding{pad_mode::same};

std::vector<float> floats_of(const std::vector<std::byte>& bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}
/// The largest finite number.
float largest_of(const std::vector<float>& numbers) {
  float most = 0;
  for (const float number : numbers)
    if (std::isfinite(number)) most = std::max(most, number);
  return most;
}

/// How far a kernel may be from its reference. That of max_pool: not at all. avg_pool's reference adds up in f64 and
/// rounds once; its kernel is within what `errors` says of windows of this length: units of the mean of a window's
/// magnitudes.
template <class Op> tolerance rounding_of(const attributes&, const given_operand&) { return {}; }
template <> tolerance rounding_of<ops::avg_pool>(const attributes& a, const given_operand& x) {
  std::vector<float> sizes = floats_of(x.bytes);
  for (float& size : sizes) size = std::fabs(size);
  attributes without_activation = a;
  without_activation.fused = activation::none;
  node_under_test<ops::avg_pool> of_magnitudes(without_activation, {floats(x.desc.shape, sizes)});
  const float largest_mean = largest_of(floats_of(of_magnitudes.reference()[0]));
  const auto in_image = [&](std::int64_t kernel, int axis) {
    return a.global || kernel > x.desc.shape[axis] ? x.desc.shape[axis] : kernel;
  };
  const auto taps = static_cast<double>(in_image(a.kernel.h, 1) * in_image(a.kernel.w, 2));
  const error_bound& bound = *bound_for(ops::avg_pool::errors, f32);
  return {(bound.ulp + bound.per_number * taps) * static_cast<double>(unit_of(f32, largest_mean)), 0};
}
template <class Op> void check_pool(const attributes& a, const given_operand& x) {
  check_kernel<Op>(a, {x}, rounding_of<Op>(a, x));
}

struct row {
  attributes a;
  std::int64_t h, w;
};

const row table[] = {
    {window_of({1, 1}, {1, 1}), 3, 5},
    {window_of({3, 3}, {2, 2}, {}, true), 2, 2},  // one window, larger than the image
    {window_of({4, 3}, {3, 2}, around(1), true), 1, 5},
    {window_of({2, 2}, {2, 2}), 8, 6},
    {window_of({2, 2}, {2, 2}), 7, 9},
    {window_of({2, 2}, {2, 2}, {}, true), 7, 9},
    {window_of({3, 3}, {2, 2}, around(1)), 9, 8},
    {window_of({3, 3}, {2, 2}, around(1), true), 8, 8},
    {window_of({3, 3}, {1, 1}, same_padding), 5, 4},
    {window_of({3, 2}, {2, 3}, same_padding), 10, 10},
    {window_of({1, 5}, {1, 1}, {pad_mode::explicit_pads, 0, 0, 4, 1}), 2, 6},
    {window_of({1, 1}, {4, 3}, same_padding), 9, 8},
    {window_of({9, 9}, {5, 5}, around(8)), 3, 3},
    {window_of({2000000000, 2000000000}, {1, 1}, same_padding), 3, 3},
};

}  // namespace

TEST_CASE_TEMPLATE(
    "pools: the kernel is the reference for any window and any number of channels, max_pool's bit for bit", Op,
    ops::max_pool, ops::avg_pool) {
  for (const row& r : table)
    for (const std::int64_t c : {std::int64_t{1}, kernels::f32_lanes - 1, kernels::f32_lanes,
                                 3 * kernels::f32_lanes + 2, 4 * kernels::f32_lanes, 9 * kernels::f32_lanes + 1}) {
      if (c == 0) continue;
      CAPTURE(r.a.kernel.h);
      CAPTURE(c);
      check_pool<Op>(r.a, floats({2, r.h, r.w, c}, 3));
      check_pool<Op>(r.a, floats({1, r.h, r.w, c}, with_special_values(random_floats(r.h * r.w * c, 4))));
    }
}

TEST_CASE("avg_pool: the kernel counts padding as the reference does, and bytes are left to that") {
  for (const row& r : table)
    for (const std::int64_t c : {std::int64_t{1}, 4 * kernels::f32_lanes + 1}) {
      CAPTURE(r.a.kernel.h);
      CAPTURE(c);
      attributes a = r.a;
      a.count_include_pad = true;
      check_pool<ops::avg_pool>(a, floats({2, r.h, r.w, c}, 3));
      const std::vector<float> large(static_cast<std::size_t>(r.h * r.w * c), 3e38F);
      check_pool<ops::avg_pool>(a, floats({1, r.h, r.w, c}, large));
      CHECK(has_no_kernel<ops::avg_pool>(a, {stored_bytes(i8, {2, r.h, r.w, c}, quant{0.05F, -20}, 3)}));
    }
}

TEST_CASE_TEMPLATE("pools: global, and fused activations", Op, ops::max_pool, ops::avg_pool) {
  attributes global;
  global.global = true;
  for (const std::int64_t c : {1, 10, 64, 130}) check_pool<Op>(global, floats({3, 7, 5, c}, 3));
  for (const activation fused : {activation::relu, activation::relu6}) {
    attributes a = window_of({3, 3}, {2, 2}, around(1));
    a.fused = fused;
    check_pool<Op>(a, floats({1, 9, 9, 20}, random_floats(9 * 9 * 20, 5, 20.0F)));
  }
}

TEST_CASE("pools: the number of parts follows from the pixels that are read") {
  attributes global;
  global.global = true;
  CHECK(node_under_test<ops::avg_pool>(global, {floats({1, 1, 3, 1280})}).choose().parts == 1);
  CHECK(node_under_test<ops::avg_pool>(global, {floats({1, 2, 2, 1280})}).choose().parts == 2);
}

TEST_CASE("pools: wider integers are left to the reference") {
  CHECK(has_no_kernel<ops::max_pool>(window_of({2, 2}, {2, 2}), {pattern(i16, {1, 4, 4, 2})}));
}

TEST_CASE_TEMPLATE("pools of stored bytes: any window, channels around whole registers, fused activations", Op,
                   ops::max_pool, ops::avg_pool) {
  for (const row& r : table)
    for (const std::int64_t c : {std::int64_t{1}, std::int64_t{7}, std::int64_t{8}, std::int64_t{16}, std::int64_t{35},
                                 kernels::register_bytes - 1, kernels::register_bytes, 2 * kernels::register_bytes + 1,
                                 2 * kernels::register_bytes + 5})
      for (const dtype type : {i8, u8})
        for (const activation fused : {activation::none, activation::relu, activation::relu6}) {
          CAPTURE(r.a.kernel.h);
          CAPTURE(c);
          attributes a = r.a;
          a.fused = fused;
          const quant q{0.05F, type == u8 ? 100 : -20};
          check_kernel<Op>(a, {stored_bytes(type, {2, r.h, r.w, c}, q, 3)}, {}, into_bytes(q.scale, q.zero_point));
        }
}

TEST_CASE_TEMPLATE("pools of stored bytes: the whole range, over as many pixels as a sum may have", Op, ops::max_pool,
                   ops::avg_pool) {
  attributes global;
  global.global = true;
  for (const std::int64_t h : {3, 250})
    for (const bytes_are fill : {bytes_are::random, bytes_are::all_lowest, bytes_are::all_highest})
      for (const dtype type : {i8, u8}) {
        CAPTURE(h);
        check_kernel<Op>(global, {stored_bytes(type, {1, h, 260, 3}, quant{0.05F, 3}, 3, fill)}, {},
                         into_bytes(0.05F, 3));
      }
}

TEST_CASE("max_pool: pixels of one to four vectors, rows longer than what is folded at once, and short ones") {
  const row rows[] = {{window_of({3, 3}, {2, 2}, around(1)), 5, 150},
                      {window_of({2, 2}, {2, 2}), 6, 9},
                      {window_of({3, 60}, {1, 2}, around(2)), 4, 64}};
  for (const row& r : rows)
    for (const std::int64_t c : {kernels::f32_lanes + 1, 2 * kernels::f32_lanes, 4 * kernels::f32_lanes - 1,
                                 kernels::register_bytes / 2 + 3}) {
      CAPTURE(r.w);
      CAPTURE(c);
      check_kernel<ops::max_pool>(r.a,
                                  {floats({2, r.h, r.w, c}, with_special_values(random_floats(2 * r.h * r.w * c, 4)))});
      for (const dtype type : {i8, u8})
        check_kernel<ops::max_pool>(r.a, {stored_bytes(type, {2, r.h, r.w, c}, quant{0.05F, 7}, 3)}, {},
                                    into_bytes(0.05F, 7));
    }
}

TEST_CASE(
    "max_pool: windows that overlap, of many channels, in rows longer than what is folded at once and in short ones") {
  const auto name_of_kernel = [](extent2 kernel, extent2 stride, std::int64_t c) {
    return node_under_test<ops::max_pool>(window_of(kernel, stride), {floats({1, 20, 20, c})}).choose().name;
  };
  const std::int64_t many = 5 * kernels::f32_lanes;
  CHECK(name_of_kernel({3, 3}, {1, 1}, many) == "pool rows");
  CHECK(name_of_kernel({5, 5}, {2, 2}, many) == "pool rows");
  CHECK(name_of_kernel({2, 2}, {1, 1}, many) == "pool channels");
  CHECK(name_of_kernel({3, 3}, {2, 2}, many) == "pool channels");
  CHECK(name_of_kernel({3, 3}, {1, 1}, 342) == "pool channels");
  const row rows[] = {{window_of({3, 3}, {1, 1}, around(1)), 6, 64},
                      {window_of({3, 3}, {1, 1}, same_padding), 9, 7},
                      {window_of({5, 5}, {2, 2}, around(2)), 11, 40}};
  for (const row& r : rows)
    for (const std::int64_t c : {many, 5 * kernels::f32_lanes + 3}) {
      CAPTURE(r.w);
      CAPTURE(c);
      check_kernel<ops::max_pool>(r.a,
                                  {floats({2, r.h, r.w, c}, with_special_values(random_floats(2 * r.h * r.w * c, 4)))});
    }
}

TEST_CASE("max_pool: few channels, rows and windows longer than what is folded at once, and many rows") {
  const row rows[] = {
      {window_of({3, 3}, {2, 2}, around(1)), 5, 900},    {window_of({2, 2}, {2, 2}), 4, 1500},
      {window_of({1, 700}, {1, 3}, around(0)), 2, 1100}, {window_of({2, 1000}, {1, 1}, same_padding), 2, 1000},
      {window_of({3, 2}, {1, 2}, same_padding), 90, 31}, {window_of({1, 1}, {1, 3}), 3, 1000},
  };
  for (const row& r : rows)
    for (const std::int64_t c : {1, 3, 7}) {
      CAPTURE(r.w);
      CAPTURE(c);
      check_kernel<ops::max_pool>(r.a,
                                  {floats({2, r.h, r.w, c}, with_special_values(random_floats(2 * r.h * r.w * c, 4)))});
      for (const dtype type : {i8, u8})
        check_kernel<ops::max_pool>(r.a, {stored_bytes(type, {2, r.h, r.w, c}, quant{0.05F, 7}, 3)}, {},
                                    into_bytes(0.05F, 7));
    }
}
