// choices_test: which kernel a node gets, with how much memory and in how many parts - for each operator that has
// several kernels, nodes on both sides of each threshold. Results do not show a wrong choice: it is only slower.
#include <nnrt/kernels/select.hpp>

#include <support/operators.hpp>

#include <doctest/doctest.h>

using namespace nnrt_test;
using namespace nnrt::kernels;

namespace {

/// What is decided about a node. Sizes are in bytes; no name: the reference runs.
struct decision {
  std::string_view name;
  std::int64_t packed_bytes = 0, scratch_bytes = 0;
  int parts = 1;
  int method = -1;  // of a binding with several; -1: it has one, or the test does not say
  int pack_parts = 1;
  int table = -1;  // of tiles; -1: the test does not say
  unrolled_kernel unrolled = unrolled_kernel::none;
};

/// What is asked besides attributes and operands.
struct circumstances {
  bool unrolled = false, must_pack = false;
  winograd use = winograd::automatic;
  std::int64_t stripe_rows = 0;
  std::initializer_list<tensor_desc> wanted = {};
};

template <class Op>
constexpr decision chosen(const typename Op::attrs& attrs, std::initializer_list<operand> in,
                          const circumstances& under = {}) {
  const verdict v = infer<Op>(attrs, in, under.wanted);
  if (!v) return {"refused"};
  std::vector<word> words;
  pack(attrs, words);
  const kernel_choice choice =
      select_for<Op, reference_types<Op>(), true>({words, std::span(in.begin(), in.size()), v.outputs, under.unrolled,
                                                   under.use, under.stripe_rows, under.must_pack});
  return {choice.name,        choice.packed_bytes, choice.scratch_bytes, choice.parts,
          choice.code.method, choice.pack_parts,   choice.code.table,    choice.unrolled};
}

/// The name that the same node gets with f64 in place of f32.
template <class Op> constexpr decision of_doubles(const typename Op::attrs& attrs, std::initializer_list<operand> in) {
  std::array<operand, 6> wide;
  std::size_t count = 0;
  for (const operand& one : in) {
    wide[count] = one;
    if (one.desc.type == f32) wide[count].desc.type = f64;
    ++count;
  }
  const verdict v = infer_node<Op>(attrs, std::span(wide.data(), count), {});
  if (!v) return {"refused"};
  std::vector<word> words;
  pack(attrs, words);
  return {select_for<Op, reference_types<Op>(), true>({words, std::span(wide.data(), count), v.outputs}).name};
}

struct row {
  std::string_view what;
  decision got, expected;
};

template <std::size_t N> void check(const row (&table)[N]) {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.got.name == r.expected.name);
    CHECK(r.got.packed_bytes == r.expected.packed_bytes);
    CHECK(r.got.scratch_bytes == r.expected.scratch_bytes);
    CHECK(r.got.parts == r.expected.parts);
    if (r.expected.method >= 0) CHECK(r.got.method == r.expected.method);
    if (r.expected.table >= 0) CHECK(r.got.table == r.expected.table);
    CHECK(r.got.pack_parts == r.expected.pack_parts);
    CHECK((r.got.unrolled == r.expected.unrolled));
  }
}

constexpr decision reference{};
constexpr std::int64_t float_bytes = 4;

constexpr operand x(shape_t shape) { return computed(f32_of(shape)); }
constexpr operand w(shape_t shape) { return weight(f32_of(shape)); }

/// Quantised values of one scale, weights of one for each index of axis 0, and what results are to be stored as.
constexpr quantisation tenths = quant{0.1F, 3};
constexpr operand stored(dtype type, shape_t shape, const quantisation& q = tenths) {
  return computed({type, default_format(shape.rank), shape, q});
}
constexpr operand bytes(shape_t shape) { return stored(i8, shape); }
constexpr operand filters(shape_t shape) { return weight({i8, default_format(shape.rank), shape, per_channel<0>}); }
constexpr tensor_desc as(const quantisation& q) {
  tensor_desc wanted;
  wanted.quantised = q;
  return wanted;
}
constexpr tensor_desc as_bytes = as(tenths);

template <class Attrs> constexpr Attrs with(auto set) {
  Attrs attrs;
  set(attrs);
  return attrs;
}

// --- layers of floats ---------------------------------------------------------

using conv_attrs = ops::conv2d::attrs;
constexpr conv_attrs by_2 = with<conv_attrs>([](conv_attrs& a) { a.stride = {2, 2}; });
constexpr conv_attrs groups_of(std::int64_t group) {
  return with<conv_attrs>([&](conv_attrs& a) { a.group = group; });
}

/// An image of height and width `side`, without padding.
constexpr conv_shape convolution(std::int64_t side, std::int64_t in, std::int64_t out, std::int64_t kernel,
                                 std::int64_t stride = 1, std::int64_t group = 1) {
  const std::int64_t outputs = (side - kernel) / stride + 1;
  return {.batch = 1,
          .height = side,
          .width = side,
          .in = in,
          .out = out,
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride,
          .dilation_h = 1,
          .dilation_w = 1,
          .pad_top = 0,
          .pad_left = 0,
          .out_height = outputs,
          .out_width = outputs,
          .group = group};
}
constexpr int parts_of_convolution(const conv_shape& s) { return parts_for(s.out_pixels() * s.out * s.depth() / 16); }
constexpr decision by_products(std::string_view name, const conv_shape& s) {
  return {name, conv_packed_floats(s) * float_bytes, conv_scratch_floats(s) * float_bytes, parts_of_convolution(s),
          static_cast<int>(kernels::detail::float_method_of(s))};
}
constexpr decision with_tables(std::string_view name, const conv_shape& s, tile_set tiles) {
  decision made = by_products(name, s);
  return made.table = tile_table_for(tiles), made;
}
constexpr decision by_winograd(std::string_view name, const conv_shape& s, int tile, int method) {
  return {name, winograd_packed_floats(s, tile) * float_bytes, winograd_scratch_floats(s, tile) * float_bytes,
          parts_of_convolution(s), method};
}
/// Of an image without padding, with a filter for each channel.
constexpr depthwise_shape taps(std::int64_t side, std::int64_t channels, std::int64_t kernel) {
  const std::int64_t outputs = side - kernel + 1;
  return {.batch = 1,
          .height = side,
          .width = side,
          .channels = channels,
          .multiplier = 1,
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = 1,
          .stride_w = 1,
          .dilation_h = 1,
          .dilation_w = 1,
          .pad_top = 0,
          .pad_left = 0,
          .out_height = outputs,
          .out_width = outputs};
}
constexpr decision taps_of_floats(std::int64_t side, std::int64_t channels) {
  const depthwise_shape s = taps(side, channels, 3);
  return {"depthwise", depthwise_packed_floats(s) * float_bytes, 0,
          parts_for(s.out_height * s.out_width * channels * 9 / 16)};
}
constexpr decision taps_of_bytes(std::int64_t side, std::int64_t channels) {
  const depthwise_shape s = taps(side, channels, 3);
  const int8_factors f{3, 0, false};
  return {"dot taps", int8_depthwise_packed_bytes(s, f), int8_depthwise_scratch_bytes(s, f),
          parts_for(2 * s.out_height * s.out_width * channels * 9 / int8_depthwise_rows_at_once(s) / 16)};
}

}  // namespace

TEST_CASE("choices: conv2d of floats - pixels, windows, groups, Winograd's tiles, taps") {
  using fast_conv = binding<ops::conv2d>;
  constexpr conv_shape lines_of_three = [] {
    conv_shape s = convolution(8, 4, 8, 1);
    return s.kernel_w = 3, s.out_width = 6, s;
  }();
  static constexpr row table[] = {
      {"1x1", chosen<ops::conv2d>({}, {x({1, 56, 56, 64}), w({64, 1, 1, 64})}),
       by_products("gemm pixels", convolution(56, 64, 64, 1))},
      {"5x5", chosen<ops::conv2d>({}, {x({1, 28, 28, 16}), w({16, 5, 5, 16})}),
       by_products("gemm windows", convolution(28, 16, 16, 5))},
      {"1x3 is no pixel", chosen<ops::conv2d>({}, {x({1, 8, 8, 4}), w({8, 1, 3, 4})}),
       by_products("gemm windows", lines_of_three)},
      {"two groups", chosen<ops::conv2d>(groups_of(2), {x({1, 28, 28, 16}), w({16, 3, 3, 8})}),
       by_products("gemm groups", convolution(28, 16, 16, 3, 1, 2))},
      {"a group for each channel", chosen<ops::conv2d>(groups_of(16), {x({1, 28, 28, 16}), w({16, 3, 3, 1})}),
       taps_of_floats(28, 16)},
      {"one channel is one group", chosen<ops::conv2d>({}, {x({1, 9, 9, 1}), w({8, 5, 5, 1})}),
       by_products("gemm windows", convolution(9, 1, 8, 5))},
      {"large image", chosen<ops::conv2d>({}, {x({1, 56, 56, 64}), w({64, 3, 3, 64})}),
       by_winograd("winograd 4x4", convolution(56, 64, 64, 3), 4, fast_conv::winograd_4)},
      {"small image", chosen<ops::conv2d>({}, {x({1, 8, 8, 128}), w({16, 3, 3, 128})}),
       by_winograd("winograd 2x2", convolution(8, 128, 16, 3), 2, fast_conv::winograd_2)},
      {"large image by 2", chosen<ops::conv2d>(by_2, {x({1, 56, 56, 64}), w({64, 3, 3, 64})}),
       by_winograd("winograd 4x4 by 2", convolution(56, 64, 64, 3, 2), 4, fast_conv::winograd_4_by_2)},
      {"small image by 2", chosen<ops::conv2d>(by_2, {x({1, 14, 14, 32}), w({64, 3, 3, 32})}),
       by_winograd("winograd 2x2 by 2", convolution(14, 32, 64, 3, 2), 2, fast_conv::winograd_2_by_2)},
      {"Winograd's method is off",
       chosen<ops::conv2d>({}, {x({1, 56, 56, 64}), w({64, 3, 3, 64})}, {.use = winograd::off}),
       by_products("gemm windows", convolution(56, 64, 64, 3))},
      {"stripes of rows", chosen<ops::conv2d>({}, {x({1, 20, 20, 64}), w({64, 1, 1, 64})}, {.stripe_rows = 2}),
       with_tables("gemm pixels", convolution(20, 64, 64, 1), conv_tile_set_of_stripes(convolution(20, 64, 64, 1), 2))},
      {"all rows", chosen<ops::conv2d>({}, {x({1, 20, 20, 64}), w({64, 1, 1, 64})}),
       with_tables("gemm pixels", convolution(20, 64, 64, 1), conv_tile_set(convolution(20, 64, 64, 1)))},
      {"weights of the run", chosen<ops::conv2d>({}, {x({1, 56, 56, 64}), x({64, 3, 3, 64})}),
       by_products("gemm windows", convolution(56, 64, 64, 3))},
  };
  check(table);
}

TEST_CASE("choices: full_connection of floats - single rows, tiles, copies, unrolled") {
  using fast_layer = binding<ops::full_connection>;
  constexpr auto in_tiles = [](std::int64_t rows, std::int64_t k, std::int64_t n) {
    const bool collide = rows > 12 && mr > 12 && k % 1024 == 0;  // which begin whole pages apart
    return decision{"gemm rows", packed_floats(k, n) * float_bytes,
                    collide ? copied_rows_floats(rows, k) * float_bytes : 0,
                    std::max(parts_for(rows * k * n / 16), parts_for(k * n / 4)),
                    collide ? fast_layer::in_tiles_of_copies : fast_layer::in_tiles};
  };
  constexpr auto layer = [](std::int64_t rows, std::int64_t k, std::int64_t n, const circumstances& under = {}) {
    return chosen<ops::full_connection>({}, {x({rows, k}), w({n, k})}, under);
  };
  constexpr auto unrolled = [](std::int64_t k, std::int64_t n) {
    return decision{"dense unrolled", dense_packed_floats(k, n) * float_bytes, 0, 1, -1, 1, -1, unrolled_kernel::dense};
  };
  constexpr std::int64_t widest = 8 * f32_lanes;
  static constexpr row table[] = {
      {"a row of 1 MiB", layer(1, 256, 1024), {"dot rows", 0, 0, parts_for(256 * 1024 / 4), fast_layer::by_row}},
      {"a row of less", layer(1, 256, 1023), in_tiles(1, 256, 1023)},
      {"two rows of 1 MiB", layer(2, 256, 1024), in_tiles(2, 256, 1024)},
      {"a row that must be packed", layer(1, 256, 1024, {.must_pack = true}), in_tiles(1, 256, 1024)},
      {"rows with 4K aliasing", layer(66, 1024, 64), in_tiles(66, 1024, 64)},
      {"rows that do not", layer(66, 1040, 64), in_tiles(66, 1040, 64)},
      {"4096 products, unrolled", layer(1, 4096 / widest, widest, {.unrolled = true}), unrolled(4096 / widest, widest)},
      {"more products", layer(1, 4096 / widest + 1, widest, {.unrolled = true}),
       in_tiles(1, 4096 / widest + 1, widest)},
      {"more outputs", layer(1, 4, widest + 1, {.unrolled = true}), in_tiles(1, 4, widest + 1)},
      {"not unrolled", layer(1, 4096 / widest, widest), in_tiles(1, 4096 / widest, widest)},
  };
  check(table);
}

TEST_CASE("choices: matmul of floats - copies, transposed rows, parts of many matrices") {
  using fast_product = binding<ops::matmul>;
  constexpr auto transposed = with<ops::matmul::attrs>([](ops::matmul::attrs& a) { a.transpose_a = true; });
  constexpr auto packed = [](std::int64_t count, std::int64_t k, std::int64_t n) {
    return count * packed_floats(k, n) * float_bytes;
  };
  static constexpr row table[] = {
      {"rows with 4K aliasing",
       chosen<ops::matmul>({}, {x({66, 1024}), x({1024, 64})}),
       {"gemm batch", packed(1, 1024, 64), mr > 12 ? copied_rows_floats(66, 1024) * float_bytes : 0,
        parts_for(66 * 1024 * 64 / 16), mr > 12 ? fast_product::in_tiles_of_copies : fast_product::in_tiles,
        parts_for(1024 * 64)}},
      {"rows that do not",
       chosen<ops::matmul>({}, {x({66, 1040}), x({1040, 64})}),
       {"gemm batch", packed(1, 1040, 64), 0, parts_for(66 * 1040 * 64 / 16), fast_product::in_tiles,
        parts_for(1040 * 64)}},
      {"one transposed matrix is one part",
       chosen<ops::matmul>(transposed, {x({1024, 66}), x({1024, 64})}),
       {"gemm batch", packed(1, 1024, 64), 66 * copied_row_floats(1024) * float_bytes, 1, fast_product::in_tiles}},
      {"three transposed matrices are three parts",
       chosen<ops::matmul>(transposed, {x({3, 64, 32}), x({3, 64, 32})}),
       {"gemm batch", packed(3, 64, 32), 32 * copied_row_floats(64) * float_bytes, 3, fast_product::in_tiles, 3}},
      {"but not small ones",
       chosen<ops::matmul>(transposed, {x({3000, 2, 2}), x({3000, 2, 2})}),
       {"gemm batch", packed(3000, 2, 2), 2 * copied_row_floats(2) * float_bytes, parts_for(3000 * 4 / 4),
        fast_product::in_tiles}},
  };
  check(table);
}

TEST_CASE("choices: conv2d_transpose - a product for each phase, at most 1,024 of them, or taps") {
  constexpr auto by = [](std::int64_t h, std::int64_t width, std::int64_t group = 1) {
    return with<ops::conv2d_transpose::attrs>([&](auto& a) { a.stride = {h, width}, a.group = group; });
  };
  // Of one pixel, with a kernel as long as the stride.
  constexpr auto pixel = [](std::int64_t h, std::int64_t width, std::int64_t channels) {
    return conv_transpose_shape{1, channels, 2, 1, {1, h, h, h, 1, 0}, {1, width, width, width, 1, 0}};
  };
  constexpr conv_transpose_shape largest = pixel(32, 32, 2), taps{1, 4, 4, 4, {5, 11, 3, 2, 1, 0}, {5, 11, 3, 2, 1, 0}};
  // Each in a separate evaluation, since clang counts the steps of one.
  constexpr decision floats = chosen<ops::conv2d_transpose>(by(32, 32), {x({1, 1, 1, 2}), w({2, 32, 32, 2})});
  constexpr decision floats_expected{"gemm phases", conv_transpose_packed_floats(largest) * float_bytes,
                                     conv_transpose_scratch_floats(largest) * float_bytes, 1, 0};
  constexpr decision of_bytes =
      chosen<ops::conv2d_transpose>(by(32, 32), {bytes({1, 1, 1, 2}), filters({2, 32, 32, 2})}, {.wanted = {as_bytes}});
  constexpr decision of_bytes_expected{"dot phases", int8_conv_transpose_packed_bytes(largest),
                                       int8_conv_transpose_scratch_bytes(largest)};
  static constexpr row table[] = {
      {"1,024 phases", floats, floats_expected},
      {"more", chosen<ops::conv2d_transpose>(by(32, 33), {x({1, 1, 1, 2}), w({2, 32, 33, 2})}), reference},
      {"a group for each channel",
       chosen<ops::conv2d_transpose>(by(2, 2, 4), {x({1, 5, 5, 4}), w({4, 3, 3, 1})}),
       {"depthwise phases", conv_transpose_packed_floats(taps) * float_bytes, 0, 1, 1}},
      {"1,024 phases of bytes", of_bytes, of_bytes_expected},
      {"more",
       chosen<ops::conv2d_transpose>(by(32, 33), {bytes({1, 1, 1, 2}), filters({2, 32, 33, 2})},
                                     {.wanted = {as_bytes}}),
       reference},
      {"bytes, a group for each channel",
       chosen<ops::conv2d_transpose>(by(2, 2, 4), {bytes({1, 5, 5, 4}), filters({4, 3, 3, 1})}, {.wanted = {as_bytes}}),
       reference},
  };
  check(table);
}

TEST_CASE("choices: conv2d of bytes - pixels, windows, groups, Winograd's tiles, taps; no sum leaves 32 bits") {
  constexpr auto of_bytes = [](std::string_view name, const conv_shape& s) {
    const int8_conv_plan plan = int8_conv_plan::of(s);
    return decision{name, int8_conv_packed_bytes(plan), int8_conv_scratch_bytes(plan),
                    parts_for(s.out_pixels() * s.out * s.depth() / 16 / (int8_conv_packing(plan).in_blocks ? 16 : 4))};
  };
  constexpr auto layer = [](shape_t image, shape_t w, std::int64_t group = 1) {
    return chosen<ops::conv2d>(groups_of(group), {bytes(image), filters(w)}, {.wanted = {as_bytes}});
  };
  static constexpr row table[] = {
      {"1x1", layer({1, 28, 28, 32}, {64, 1, 1, 32}), of_bytes("dot pixels", convolution(28, 32, 64, 1))},
      {"3x3", layer({1, 28, 28, 3}, {64, 3, 3, 3}), of_bytes("dot windows", convolution(28, 3, 64, 3))},
      {"3x3 of many channels", layer({1, 56, 56, 128}, {128, 3, 3, 128}),
       of_bytes(int8_winograd_pays(convolution(56, 128, 128, 3)) ? "dot winograd" : "dot windows",
                convolution(56, 128, 128, 3))},
      {"two groups", layer({1, 28, 28, 16}, {16, 3, 3, 8}, 2),
       of_bytes("dot groups", convolution(28, 16, 16, 3, 1, 2))},
      {"a group for each channel", layer({1, 28, 28, 16}, {16, 3, 3, 1}, 16), taps_of_bytes(28, 16)},
      {"one channel is one group", layer({1, 28, 28, 1}, {16, 3, 3, 1}),
       of_bytes("dot windows", convolution(28, 1, 16, 3))},
      {"as many products as a sum holds", layer({1, 1, 1, max_byte_products}, {1, 1, 1, max_byte_products}),
       of_bytes("dot pixels", convolution(1, max_byte_products, 1, 1))},
      {"more", layer({1, 1, 1, max_byte_products + 1}, {1, 1, 1, max_byte_products + 1}), reference},
  };
  check(table);
}

namespace {

/// Whether a layer with these operands and this result counts as one of bytes.
constexpr bool is_of_bytes(const operand& image, const operand& w, const operand& y) {
  const operand in[] = {image, w};
  return is_int8_layer({{}, in, std::span(&y.desc, 1)}, 1);
}
constexpr operand four_bytes = bytes({1, 4}), four_of_16_bits = stored(i16, {1, 4}),
                  four_unscaled = computed({i8, {1, 4}});
static_assert(is_of_bytes(four_bytes, four_bytes, four_bytes));
static_assert(!is_of_bytes(four_of_16_bits, four_of_16_bits, four_of_16_bits));
static_assert(!is_of_bytes(four_bytes, stored(u8, {1, 4}), four_bytes) &&
              !is_of_bytes(four_bytes, four_bytes, stored(u8, {1, 4})));
static_assert(!is_of_bytes(four_unscaled, four_bytes, four_bytes) &&
              !is_of_bytes(four_bytes, four_unscaled, four_bytes) &&
              !is_of_bytes(four_bytes, four_bytes, four_unscaled));

}  // namespace

TEST_CASE("choices: depthwise_conv2d of bytes - taps, and windows of a single channel") {
  constexpr auto layer = [](shape_t image, shape_t w) {
    return chosen<ops::depthwise_conv2d>({}, {bytes(image), filters(w)}, {.wanted = {as_bytes}});
  };
  constexpr int8_conv_plan single = int8_conv_plan::of(convolution(8, 1, 4, 3));
  static constexpr row table[] = {
      {"two channels", layer({1, 28, 28, 2}, {2, 3, 3, 1}), taps_of_bytes(28, 2)},
      {"one channel",
       layer({1, 8, 8, 1}, {4, 3, 3, 1}),
       {"dot windows", int8_conv_packed_bytes(single), int8_conv_scratch_bytes(single)}},
  };
  check(table);
}

TEST_CASE("choices: full_connection of bytes - one row of whole steps, rows, unrolled") {
  constexpr auto layer = [](std::int64_t rows, std::int64_t k, std::int64_t n, const quantisation& q = per_channel<0>) {
    return chosen<ops::full_connection>({}, {bytes({rows, k}), weight({i8, nd, {n, k}, q})}, {.wanted = {as_bytes}});
  };
  constexpr auto expected = [](std::string_view name, std::int64_t rows, std::int64_t k, std::int64_t n, int method) {
    const int8_packing packing = int8_packing::of(rows, k, n);
    return decision{name, packing.bytes(), int8_matrix_scratch_bytes(packing, rows),
                    std::max(parts_for(rows * k * n / 64), parts_for(n * k / 16)), method};
  };
  constexpr auto unrolled_layer = [](std::int64_t k, std::int64_t n) {
    return chosen<ops::full_connection>({}, {bytes({1, k}), filters({n, k})}, {.unrolled = true, .wanted = {as_bytes}});
  };
  constexpr auto in_lines = [expected](std::int64_t k, std::int64_t n, bool is_small) {
    decision made = expected("dot row", 1, k, n, 1);
    return made.unrolled = has_lines && is_small ? unrolled_kernel::int8_dense : unrolled_kernel::none, made;
  };
  constexpr std::int64_t widest = 4 * int8_packing::panel_width;
  static constexpr row table[] = {
      {"a row", layer(1, 256, 300), expected("dot row", 1, 256, 300, 1)},
      {"a row that is no multiple of 4", layer(1, 254, 300), expected("dot row", 1, 254, 300, 2)},
      {"a row, weights that are not around 0", layer(1, 256, 300, quant{0.1F, 1}), expected("dot row", 1, 256, 300, 2)},
      {"two rows", layer(2, 256, 300), expected("dot rows", 2, 256, 300, 0)},
      {"4096 products, unrolled", unrolled_layer(4096 / widest, widest), in_lines(4096 / widest, widest, true)},
      {"more products", unrolled_layer(4096 / widest + 4, widest), in_lines(4096 / widest + 4, widest, false)},
      {"more outputs", unrolled_layer(4, widest + 1), in_lines(4, widest + 1, false)},
  };
  check(table);
}

TEST_CASE("choices: matmul of bytes - packed by threads, but with a scale for each column") {
  constexpr auto product = [](const operand& a, const operand& b, bool is_transposed = false) {
    return chosen<ops::matmul>(with<ops::matmul::attrs>([&](auto& attrs) { attrs.transpose_a = is_transposed; }),
                               {a, b}, {.wanted = {as_bytes}});
  };
  constexpr operand b = bytes({2, 128, 256}), b_of_columns = weight({i8, nd, {128, 256}, per_channel<1>});
  constexpr int8_packing packing = int8_packing::of(128, 128, 256);
  constexpr std::int64_t scratch = int8_matrix_scratch_bytes(packing, 128);
  constexpr int parts = parts_for(2 * 128 * 128 * 256 / 16 / (packing.in_blocks ? 16 : 4));
  static constexpr row table[] = {
      {"two matrices",
       product(bytes({2, 128, 128}), b),
       {"dot batch", 2 * packing.bytes(), scratch, parts, -1, parts_for(2 * 128 * 256 / 4)}},
      {"one b for both",
       product(bytes({2, 128, 128}), bytes({1, 128, 256})),
       {"dot batch", packing.bytes(), scratch, parts, -1, parts_for(128 * 256 / 4)}},
      {"a scale for each column",
       product(bytes({2, 128, 128}), b_of_columns),
       {"dot batch", packing.bytes(), scratch, parts, -1, 1}},
      {"transposed",
       product(bytes({2, 128, 128}), b, true),
       {"dot batch", 2 * packing.bytes(), copied_rows_bytes(packing, 128), parts, -1, parts_for(2 * 128 * 256 / 4)}},
  };
  check(table);
}

TEST_CASE("choices: layers of 16 bits without zero points") {
  static constexpr quantisation plain = quant{0.1F, 0};
  constexpr auto convolution_of = [](const operand& image, const operand& w) {
    return chosen<ops::conv2d>({}, {image, w}, {.wanted = {as(plain)}});
  };
  static constexpr row table[] = {
      {"conv2d",
       convolution_of(stored(i16, {1, 8, 8, 4}, plain), filters({8, 3, 3, 4})),
       {"dot i16", 0, 32 * 36 * 2, 1}},
      {"full_connection",
       chosen<ops::full_connection>({}, {stored(i16, {3, 64}, plain), filters({64, 64})}, {.wanted = {as(plain)}}),
       {"dot i16"}},
  };
  check(table);
}

// --- what is not a layer -------------------------------------------------------

TEST_CASE("choices: softmax - short rows, rows, columns, quantised values") {
  using fast_softmax = binding<ops::softmax>;
  using attributes = ops::softmax::attrs;
  constexpr attributes along_1 = with<attributes>([](attributes& a) { a.axis.push_back(1); });
  constexpr quantisation shares = quant{0x1p-8F, -128}, shares_of_16 = quant{0x1p-15F, 0};
  constexpr auto of_i16 = [](const quantisation& y) {
    return chosen<ops::softmax>({}, {stored(i16, {2, 8}, quant{0.1F, 0})}, {.wanted = {as(y)}});
  };
  static constexpr row table[] = {
      {"rows of one vector",
       chosen<ops::softmax>({}, {x({2, f32_lanes})}),
       {"softmax rows", 0, 0, 1, fast_softmax::int16_rows}},
      {"longer ones", chosen<ops::softmax>({}, {x({2, f32_lanes + 1})}), {"softmax rows", 0, 0, 1, fast_softmax::rows}},
      {"columns", chosen<ops::softmax>(along_1, {x({2, 3, 5})}), {"softmax columns", 0, 0, 1, fast_softmax::columns}},
      {"many elements",
       chosen<ops::softmax>({}, {x({64, 1000})}),
       {"softmax rows", 0, 0, parts_for(64 * 1000 * 8), fast_softmax::rows}},
      {"another beta", chosen<ops::softmax>(with<attributes>([](attributes& a) { a.beta = 2; }), {x({2, 8})}),
       reference},
      {"bytes",
       chosen<ops::softmax>({}, {bytes({2, 8})}, {.wanted = {as(shares)}}),
       {"softmax quantised", sizeof(int8_powers<std::int8_t>)}},
      {"16 bits", of_i16(shares_of_16), {"softmax quantised", sizeof(int16_powers)}},
      {"16 bits with other shares", of_i16(quant{0x1p-14F, 0}), reference},
  };
  check(table);
}

TEST_CASE("choices: pools - vectors of channels, rows of maxima, bytes, windows that are worth more parts") {
  using mean = ops::avg_pool::attrs;
  using largest = ops::max_pool::attrs;
  constexpr auto window = [](auto attrs, std::int64_t h, std::int64_t width, activation fused = activation::none) {
    return attrs.kernel = {h, width}, attrs.fused = fused, attrs;
  };
  constexpr std::int64_t many = 4 * f32_lanes;
  constexpr auto of_bytes = [](const mean& a, shape_t shape, const quantisation& q = tenths) {
    return chosen<ops::avg_pool>(a, {stored(i8, shape, q)}, {.wanted = {as(q)}});
  };
  static constexpr row table[] = {
      {"means of few channels",
       chosen<ops::avg_pool>(window(mean{}, 2, 2), {x({1, 8, 8, many - 1})}),
       {"pool channels", 0, 0, parts_for(49 * (many - 1) * 4), 0}},
      {"means of many",
       chosen<ops::avg_pool>(window(mean{}, 2, 2), {x({1, 8, 8, many})}),
       {"pool channels", 0, 0, parts_for(49 * many * 4), 1}},
      {"maxima of few channels",
       chosen<ops::max_pool>(window(largest{}, 2, 2), {x({1, 8, 8, many - 1})}),
       {"pool rows", 0, 0, parts_for(49 * (many - 1) * 4), 2}},
      {"maxima of very many",
       chosen<ops::max_pool>(window(largest{}, 2, 2), {x({1, 8, 8, 1000 * many})}),
       {"pool channels", 0, 0, parts_for(49 * 1000 * many * 4), 1}},
      {"windows longer than the image",
       chosen<ops::avg_pool>(with<mean>([](mean& a) { a.global = true; }), {x({1, 32, 32, 64})}),
       {"pool channels", 0, 0, parts_for(64 * 64), 64 >= many}},
      {"bytes", of_bytes(window(mean{}, 2, 2), {1, 32, 32, 64}), {"pool int8", 0, 0, parts_for(31 * 31 * 64 * 4 / 4)}},
      {"bytes, clamped when quantised", of_bytes(window(mean{}, 2, 2, activation::relu), {1, 8, 8, 4}), {"pool int8"}},
      {"bytes, clamped",
       chosen<ops::max_pool>(window(largest{}, 2, 2, activation::relu), {stored(i8, {1, 8, 8, 4}, {})}), reference},
      {"as many pixels as a sum holds", of_bytes(window(mean{}, 50, 1300), {1, 50, 1300, 1}), {"pool int8"}},
      {"more", of_bytes(window(mean{}, 50, 1301), {1, 50, 1301, 1}), reference},
  };
  check(table);
}

TEST_CASE("choices: reductions - rows, columns, axes that lie apart, bytes") {
  constexpr auto mean = [](const operand& from, const operand& axes, const circumstances& under = {}) {
    return chosen<ops::reduce_mean>({}, {from, axes}, under);
  };
  constexpr auto of_bytes = [mean](shape_t shape, const quantisation& y = tenths) {
    return mean(bytes(shape), integers(numbers<1>), {.wanted = {as(y)}});
  };
  constexpr quantisation to_even{quant{0.1F, 3, quantised_rounding::half_to_even}};
  static constexpr row table[] = {
      {"rows", mean(x({8, 512, 64}), integers(numbers<2>)), {"reduce rows", 0, 0, parts_for(8 * 512 * 64)}},
      {"columns", mean(x({8, 512, 64}), integers(numbers<1>)), {"reduce columns", 0, 0, parts_for(8 * 512 * 64)}},
      {"all", mean(x({8, 512, 64}), missing()), {"reduce rows", 0, 0, parts_for(8 * 512 * 64)}},
      {"axes that lie apart", mean(x({2, 3, 4}), integers(numbers<0, 2>)), reference},
      {"eight bytes", of_bytes({2, 3, 8}), {"reduce int8"}},
      {"seven", of_bytes({2, 3, 7}), reference},
      {"as many bytes as a sum holds",
       of_bytes({1, max_mean_pixels, 8}),
       {"reduce int8", 0, 0, parts_for(max_mean_pixels * 2)}},
      {"more", of_bytes({1, max_mean_pixels + 1, 8}), reference},
      {"halves to even", of_bytes({2, 3, 8}, to_even), reference},
      {"norms of rows", chosen<ops::reduce_l2>({}, {x({2, 3}), integers(numbers<1>)}), {"l2 rows"}},
      {"norms of columns", chosen<ops::reduce_l2>({}, {x({2, 3}), integers(numbers<0>)}), {"l2 columns"}},
      {"booleans of rows",
       chosen<ops::reduce_all>({}, {computed({boolean, {2, 3}}), integers(numbers<1>)}),
       {"reduce boolean rows"}},
      {"booleans of columns",
       chosen<ops::reduce_all>({}, {computed({boolean, {2, 3}}), integers(numbers<0>)}),
       {"reduce boolean columns"}},
  };
  check(table);
}

TEST_CASE("choices: normalisations") {
  using l2 = ops::l2_normalize::attrs;
  using local = ops::lrn::attrs;
  constexpr auto lrn = [](std::int64_t radius, float bias, float alpha, float beta) {
    return chosen<ops::lrn>(
        with<local>([&](local& a) { a.depth_radius = radius, a.bias = bias, a.alpha = alpha, a.beta = beta; }),
        {x({1, 4, 4, 200})});
  };
  constexpr decision kernel{"lrn", 0, 0, parts_for(4 * 4 * 200 * 40)};
  constexpr auto unit = [](std::int64_t axis) {
    return chosen<ops::l2_normalize>(with<l2>([&](l2& a) { a.axis.push_back(axis); }), {x({2, 3, 4})});
  };
  static constexpr row table[] = {
      {"the largest radius", lrn(largest_radius, 1, 1, 0.5F), kernel},
      {"a larger one", lrn(largest_radius + 1, 1, 1, 0.5F), reference},
      {"no bias", lrn(2, 0, 1, 0.5F), kernel},
      {"a bias below 0", lrn(2, -1, 1, 0.5F), reference},
      {"no alpha", lrn(2, 1, 0, 0.5F), kernel},
      {"an alpha below 0", lrn(2, 1, -1, 0.5F), reference},
      {"no power", lrn(2, 1, 1, 0), reference},
      {"l2 of rows", unit(2), {"l2 normalize rows"}},
      {"l2 of columns", unit(1), {"l2 normalize columns"}},
      {"l2 of everything", chosen<ops::l2_normalize>({}, {x({2, 3, 4})}), {"l2 normalize rows"}},
      {"log softmax of rows", chosen<ops::log_softmax>({}, {x({2, 3})}), {"log softmax rows"}},
      {"log softmax of columns",
       chosen<ops::log_softmax>(with<ops::log_softmax::attrs>([](auto& a) { a.axis = 0; }), {x({2, 3})}),
       {"log softmax columns"}},
  };
  check(table);
}

TEST_CASE("choices: elements - scales of channels or rows, powers, tables of bytes, lines of sums") {
  using powers = ops::exp::attrs;
  constexpr auto power = [](float base, float factor, float shift) {
    return chosen<ops::exp>(with<powers>([&](powers& a) { a.base = base, a.scale = factor, a.shift = shift; }),
                            {x({3})});
  };
  constexpr auto scaled = [](std::int64_t axis, std::int64_t n) {
    return chosen<ops::scale>(with<ops::scale::attrs>([&](auto& a) { a.axis = axis; }), {x({2, 3, 4}), w({n}), w({n})});
  };
  constexpr auto sum = [](shape_t a, shape_t b) {
    return chosen<ops::add>({}, {bytes(a), bytes(b)}, {.wanted = {as_bytes}});
  };
  constexpr std::int64_t line = sizeof(int8_pair_sum);
  static constexpr row table[] = {
      {"powers of e", power(-1, 1, 0), {"unary"}},
      {"of 2", power(2, 1, 0), reference},
      {"of e, scaled", power(-1, 2, 0), reference},
      {"of e, shifted", power(-1, 1, 1), reference},
      {"scales of channels", scaled(2, 4), {"scale channels"}},
      {"of rows", scaled(1, 3), {"scale rows"}},
      {"bytes by a table", chosen<ops::exp>({}, {bytes({3})}, {.wanted = {as_bytes}}), {"lookup table", 256}},
      {"1,024 sums", sum({128, 8}, {128, 8}), {"binary quantised", line}},
      {"fewer", sum({127, 8}, {127, 8}), {"binary quantised"}},
      {"rows of seven", sum({200, 7}, {200, 1}), {"binary quantised"}},
      {"rows of eight", sum({200, 8}, {200, 1}), {"binary quantised", line}},
  };
  check(table);
}

TEST_CASE("choices: conversions") {
  constexpr auto as_type = [](dtype from, dtype to) {
    const std::array<std::int64_t, 1> number{static_cast<std::int64_t>(to)};
    return chosen<ops::cast>({}, {computed({from, {5}}), integer(number)});
  };
  constexpr quantisation to_even{quant{0.1F, 3, quantised_rounding::half_to_even}};
  constexpr auto into = [](const operand& from, dtype type, const quantisation& q) {
    tensor_desc wanted = as(q);
    wanted.type = type;
    const auto attrs = with<ops::quant_dtype_cast::attrs>(
        [&](auto& a) { a.src_t = static_cast<int>(from.desc.type), a.dst_t = static_cast<int>(type); });
    return chosen<ops::quant_dtype_cast>(attrs, {from}, {.wanted = {wanted}});
  };
  static constexpr row table[] = {
      {"bytes to floats", as_type(i8, f32), {"widen"}},
      {"integers to floats", as_type(i64, f32), {"convert"}},
      {"floats to booleans", as_type(f32, boolean), {"convert"}},
      {"wider integers", as_type(i32, i64), {"convert"}},
      {"narrower integers", as_type(i64, i32), {"convert"}},
      {"integers to bytes", as_type(i32, i8), reference},
      {"halves to integers", as_type(f16, i64), reference},
      {"floats are stored", into(x({5}), i8, tenths), {"quantise"}},
      {"to even", into(x({5}), i8, to_even), {"quantise to even"}},
      {"quantised values are restored", into(bytes({5}), f32, {}), {"dequantise"}},
      {"bytes to other bytes", into(bytes({5}), u8, tenths), {"lookup table", 256}},
  };
  check(table);
}

TEST_CASE("choices: searches and movers") {
  constexpr auto first_of = [](std::int64_t k) {
    return chosen<ops::arg_max>(with<ops::arg_max::attrs>([&](auto& a) { a.k = k; }), {x({2, 8})});
  };
  constexpr auto where = [](dtype type, const quantisation& q, const quantisation& y) {
    return chosen<ops::where>({},
                              {computed({boolean, {5}}), computed({type, nd, {5}, q}), computed({type, nd, {5}, q})},
                              {.wanted = {as(y)}});
  };
  constexpr auto cut = [](shape_t image, std::int64_t block) {
    return chosen<ops::space_to_batch_nd>(with<ops::space_to_batch_nd::attrs>([&](auto& a) {
                                            a.block = {block, block}, a.paddings = {0, 0, 0, 0};
                                          }),
                                          {x(image)});
  };
  using choice = choice_binding<void>;
  constexpr auto boxes = [](std::int64_t n) {
    const auto attrs = with<ops::detection_post_process::attrs>([](auto& a) {
      a.num_classes = a.max_detections = a.detections_per_class = a.max_classes_per_detection = 1;
      a.scale = {10, 10, 5, 5};
    });
    return chosen<ops::detection_post_process>(attrs, {x({1, n, 4}), x({1, n, 1}), w({n, 4})});
  };
  constexpr std::int64_t most_boxes = std::int64_t{1} << 22, candidate_bytes = sizeof(ops::detail::candidate);
  static constexpr row table[] = {
      {"the largest", first_of(1), {"arg max"}},
      {"the largest two", first_of(2), reference},
      {"the largest five",
       chosen<ops::top_k>({}, {x({2, 8}), integer(numbers<5>)}),
       {"top k heap", 0, 5 * std::int64_t{sizeof(ranked<float>)}}},
      {"bytes are chosen", where(i8, {}, {}), {"select", 0, 0, 1, choice::of_1_byte}},
      {"halves", where(f16, {}, {}), {"select", 0, 0, 1, choice::of_2_bytes}},
      {"floats", where(f32, {}, {}), {"select", 0, 0, 1, choice::of_4_bytes}},
      {"integers", where(i64, {}, {}), {"select", 0, 0, 1, choice::of_8_bytes}},
      {"quantised values", where(i8, tenths, tenths), {"select", 0, 0, 1, choice::of_1_byte}},
      {"of another scale", where(i8, tenths, quant{0.2F, 3}), reference},
      {"of another zero point", where(i8, tenths, quant{0.1F, 4}), reference},
      {"rows are joined",
       chosen<ops::concat>({}, {bytes({2, 3}), bytes({2, 3})}, {.wanted = {as_bytes}}),
       {"copy rows"}},
      {"of another scale", chosen<ops::concat>({}, {bytes({2, 3}), bytes({2, 3})}, {.wanted = {as(quant{0.2F, 3})}}),
       reference},
      {"none are joined", chosen<ops::concat>({}, {x({0, 3}), x({0, 3})}), reference},
      {"tiles", chosen<ops::tile>({}, {x({2, 3}), integers(numbers<2, 1>)}), {"copy rows"}},
      {"as many boxes as a heap holds", boxes(most_boxes), {"nms heap", 0, most_boxes * candidate_bytes}},
      {"more", boxes(most_boxes + 1), reference},
      {"one", boxes(1), {"nms heap", 0, candidate_bytes}},
      {"four images of a large one", cut({1, 64, 64, 64}, 2), {"copy pixels", 0, 0, 4}},
      {"images of few pixels", cut({1, 64, 64, 1}, 32), {"copy pixels", 0, 0, parts_for(64 * 64)}},
  };
  check(table);
}

TEST_CASE("choices: kernels of floats leave doubles to the reference") {
  constexpr operand image = x({1, 8, 8, 4}), row_of_4 = w({4});
  constexpr auto spatial = integers(numbers<1, 2>);
  constexpr auto norm = with<ops::layer_norm::attrs>([](auto& a) { a.begin_norm_axis = a.begin_param_axis = 3; });
  constexpr auto window = with<ops::max_pool::attrs>([](auto& a) { a.global = true; });
  constexpr auto sequence = [](auto set) {
    return with<ops::lstm::attrs>([&](auto& a) { a.has_bias = false, a.input_size = 3, a.hidden_size = 5, set(a); });
  };
  static constexpr row table[] = {
      {"conv2d", of_doubles<ops::conv2d>({}, {image, w({8, 3, 3, 4})}), reference},
      {"depthwise_conv2d", of_doubles<ops::depthwise_conv2d>({}, {image, w({4, 3, 3, 1})}), reference},
      {"conv2d_transpose", of_doubles<ops::conv2d_transpose>({}, {image, w({8, 3, 3, 4})}), reference},
      {"full_connection", of_doubles<ops::full_connection>({}, {x({2, 8}), w({4, 8})}), reference},
      {"matmul", of_doubles<ops::matmul>({}, {x({2, 8}), x({8, 4})}), reference},
      {"softmax", of_doubles<ops::softmax>({}, {image}), reference},
      {"log_softmax", of_doubles<ops::log_softmax>({}, {image}), reference},
      {"max_pool", of_doubles<ops::max_pool>(window, {image}), reference},
      {"reduce_mean", of_doubles<ops::reduce_mean>({}, {image, spatial}), reference},
      {"reduce_l2", of_doubles<ops::reduce_l2>({}, {image, spatial}), reference},
      {"batch_norm", of_doubles<ops::batch_norm>({}, {image, row_of_4, row_of_4, row_of_4, row_of_4}), reference},
      {"instance_norm", of_doubles<ops::instance_norm>({}, {image, w({8}), w({8})}), reference},
      {"layer_norm", of_doubles<ops::layer_norm>(norm, {image, row_of_4, row_of_4}), reference},
      {"l2_normalize", of_doubles<ops::l2_normalize>({}, {image}), reference},
      {"lrn", of_doubles<ops::lrn>({}, {image}), reference},
      {"scale", of_doubles<ops::scale>({}, {image, row_of_4, row_of_4}), reference},
      {"resize_bilinear",
       of_doubles<ops::resize_bilinear>(
           with<ops::resize_bilinear::attrs>([](auto& a) { a.new_height = a.new_width = 5; }), {image}),
       reference},
      {"sqrt", of_doubles<ops::sqrt>({}, {image}), reference},
      {"lstm", of_doubles<ops::lstm>(sequence([](auto&) {}), {x({7, 2, 3}), w({1, 20, 3}), w({1, 20, 5})}), reference},
      {"lstm of floats",
       chosen<ops::lstm>(sequence([](auto&) {}), {x({7, 2, 3}), w({1, 20, 3}), w({1, 20, 5})}),
       {"sequence", 0, 4 * 5 * float_bytes, 2}},
      {"gru", of_doubles<ops::gru>({}, {x({7, 2, 3}), w({1, 15, 3}), w({1, 15, 5})}), reference},
      {"gru of floats",
       chosen<ops::gru>({}, {x({7, 2, 3}), w({1, 15, 3}), w({1, 15, 5})}),
       {"sequence", 0, 4 * 5 * float_bytes, 2}},
      {"add is for any type", of_doubles<ops::add>({}, {image, image}), {"binary elements"}},
  };
  check(table);
}

TEST_CASE("choices: layers whose sums something else ends") {
  constexpr operand image = bytes({1, 5, 5, 4}), added = bytes({1, 3, 3, 8});
  constexpr auto sum = [](const operand& w, const operand& addend, std::int64_t group = 1) {
    return chosen<ops::conv2d_add>(with<ops::conv2d_add::attrs>([&](auto& a) { a.group = group; }),
                                   {bytes({1, 5, 5, 4}), w, missing(), addend}, {.wanted = {as_bytes}})
        .name;
  };
  constexpr auto by = [](auto attrs, extent2 stride, std::int64_t group = 1) {
    return attrs.stride = stride, attrs.group = group, attrs;
  };
  constexpr auto sum_of_k = [](std::int64_t k) {
    const auto filter = filters({1, 1, 1, k}), from = bytes({1, 1, 1, k}), one = bytes({1, 1, 1, 1});
    return chosen<ops::conv2d_add>({}, {from, filter, missing(), one}, {.wanted = {as_bytes}}).name;
  };
  constexpr auto phases_of_k = [](std::int64_t k) {
    const auto filter = filters({2, 1, 1, k}), from = bytes({1, 1, 1, k}), two = bytes({1, 1, 1, 2});
    return chosen<ops::conv2d_transpose_add>({}, {from, filter, missing(), two}, {.wanted = {as_bytes}}).name;
  };
  constexpr auto phases_and_addend = [by](shape_t w, shape_t addend, extent2 stride, std::int64_t group = 1) {
    return chosen<ops::conv2d_transpose_add>(by(ops::conv2d_transpose_add::attrs{}, stride, group),
                                             {bytes({1, 1, 1, 2}), filters(w), missing(), bytes(addend)},
                                             {.wanted = {as_bytes}})
        .name;
  };
  constexpr auto phases = [by](shape_t w, extent2 stride, std::int64_t group = 1) {
    return chosen<ops::conv2d_transpose_sums>(by(ops::conv2d_transpose_sums::attrs{}, stride, group),
                                              {bytes({1, 1, 1, 2}), filters(w)})
        .name;
  };
  constexpr auto layer = [](const operand& from, const operand& w, std::int64_t group = 1) {
    return chosen<ops::layer_sums>(with<ops::layer_sums::attrs>([&](auto& a) { a.group = group; }), {from, w}).name;
  };
  constexpr std::string_view max_phases = phases_and_addend({2, 32, 32, 2}, {1, 32, 32, 2}, {32, 32}),
                             max_kept_phases = phases({2, 32, 32, 2}, {32, 32});
  static constexpr struct {
    std::string_view what, got, expected;
  } table[] = {
      {"windows and an addend", sum(filters({8, 3, 3, 4}), added), "dot windows with addend"},
      {"taps and an addend", sum(filters({8, 3, 3, 1}), added, 4), "dot taps with addend"},
      {"groups and an addend", sum(filters({8, 3, 3, 2}), added, 2), "dot windows with addend"},
      {"phases and an addend", phases_and_addend({3, 2, 2, 2}, {1, 2, 2, 3}, {2, 2}), "dot phases with addend"},
      {"with gaps", phases_and_addend({3, 2, 2, 2}, {1, 2, 2, 3}, {3, 2}), ""},
      {"a group for each channel", phases_and_addend({2, 2, 2, 1}, {1, 2, 2, 2}, {2, 2}, 2), ""},
      {"as many products and an addend as a sum holds", sum_of_k(max_byte_products), "dot windows with addend"},
      {"more", sum_of_k(max_byte_products + 1), ""},
      {"as many in phases", phases_of_k(max_byte_products), "dot phases with addend"},
      {"more", phases_of_k(max_byte_products + 1), ""},
      {"1,024 phases and an addend", max_phases, "dot phases with addend"},
      {"more", phases_and_addend({2, 32, 33, 2}, {1, 32, 33, 2}, {32, 33}), ""},
      {"phases", phases({3, 2, 2, 2}, {2, 2}), "dot phases to i32"},
      {"1,024 phases", max_kept_phases, "dot phases to i32"},
      {"more", phases({2, 32, 33, 2}, {32, 33}), ""},
      {"phases with gaps", phases({3, 2, 2, 2}, {2, 3}), ""},
      {"phases, a group for each channel", phases({2, 2, 2, 1}, {2, 2}, 2), ""},
      {"rows", layer(bytes({2, 8}), filters({5, 8})), "dot rows to i32"},
      {"windows", layer(image, filters({8, 3, 3, 4})), "dot windows to i32"},
      {"windows of one channel", layer(bytes({1, 5, 5, 1}), filters({8, 3, 3, 1})), "dot windows to i32"},
      {"groups", layer(image, filters({8, 3, 3, 2}), 2), "dot groups to i32"},
      {"taps", layer(image, filters({8, 3, 3, 1}), 4), "dot taps to i32"},
      {"as many products as a sum holds", layer(bytes({1, max_byte_products}), filters({1, max_byte_products})),
       "dot rows to i32"},
      {"more", layer(bytes({1, max_byte_products + 1}), filters({1, max_byte_products + 1})), ""},
  };
  for (const auto& r : table) {
    CAPTURE(r.what);
    CHECK(r.got == r.expected);
  }
}
