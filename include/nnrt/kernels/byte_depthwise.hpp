// byte_depthwise: depthwise convolution of stored numbers over NHWC images; any kernel, stride, dilation, multiplier.
// Flow: a prepare step packs weights, bias and scales with byte_depthwise_pack(); a plan's step calls byte_depthwise().
//
// Registers of bytes from four rows of the input are interleaved, so that one dot product sums four taps of a column for
// each channel. With a stride of 1 downwards the same bytes serve two output rows, whose taps stand a place apart.
//
// Bands of the input are copied first: with zero points around them, with channels repeated if there is a multiplier, and
// with the columns apart that a stride tears apart. Then output byte j of a row meets, for each column of the kernel, the
// bytes a fixed distance behind j. So a register may hold many pixels of few channels as well as many channels of one.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/byte_depthwise_pack.hpp>
#include <nnrt/kernels/byte_gemm.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

/// What a call works on.
struct byte_depthwise_buffers {
  const std::byte* x;
  const std::byte* packed;
  std::byte* y;
  std::byte* scratch;
  byte_factors factors;
  narrowing to;
  const byte_addend* addend = nullptr;
  const byte_sums_target* kept = nullptr;
};

namespace detail {

// --- the copy ---------------------------------------------------------------

/// Copies n bytes, `flip` exclusive-ored.
inline void copy_flipped(const std::byte* from, std::int64_t n, byte_vector flip, std::byte* to) {
  std::int64_t i = 0;
  for (; i + register_bytes <= n; i += register_bytes)
    store_vector(to + i, load_vector<byte_vector>(from + i) ^ flip);
  std::uint64_t word;
  __builtin_memcpy(&word, &flip, sizeof word);
  for (; i + 8 <= n; i += 8) {
    std::uint64_t eight;
    __builtin_memcpy(&eight, from + i, sizeof eight);
    eight ^= word;
    __builtin_memcpy(to + i, &eight, sizeof eight);
  }
  for (; i < n; ++i) to[i] = from[i] ^ static_cast<std::byte>(word);
}

/// Copies one pixel, each channel as often as the multiplier says. May write up to 7 bytes behind it: what comes there is
/// written later.
inline void copy_pixel(const depthwise_shape& s, const std::byte* from, std::uint64_t flip, std::byte* to) {
  const auto flipped = static_cast<std::byte>(flip);
  std::int64_t c = 0;
  if (s.multiplier == 1) {
    for (; c + 8 <= s.channels; c += 8) {
      std::uint64_t eight;
      __builtin_memcpy(&eight, from + c, sizeof eight);
      eight ^= flip;
      __builtin_memcpy(to + c, &eight, sizeof eight);
    }
    for (; c < s.channels; ++c) to[c] = from[c] ^ flipped;
    return;
  }
  for (; c < s.channels; ++c, to += s.multiplier) {
    const std::byte x = from[c] ^ flipped;
    const std::uint64_t eight = std::to_integer<std::uint64_t>(x) * 0x0101010101010101U;
    if (s.multiplier <= 8) __builtin_memcpy(to, &eight, sizeof eight);
    else std::fill_n(to, s.multiplier, x);
  }
}

/// Copies every `step`-th pixel of so many bytes.
template <int Bytes>
inline void copy_pixels(const std::byte* from, std::int64_t step, std::int64_t count, std::uint64_t flip, std::byte* to) {
  typedef std::uint64_t words __attribute__((vector_size(Bytes < 16 ? 16 : Bytes)));
  for (; count > 0; --count, from += step, to += Bytes) {
    words pixel{};
    __builtin_memcpy(&pixel, from, Bytes);
    pixel ^= flip;
    __builtin_memcpy(to, &pixel, Bytes);
  }
}

/// Copies pixels `first`, `first` + step, … up to `end` of a row, side by side.
inline void copy_every(const depthwise_shape& s, const std::byte* row, interval pixels, std::int64_t step,
                       std::uint64_t flip, std::byte* to) {
  const std::int64_t count = (pixels.size() + step - 1) / step;
  const std::byte* const from = row + pixels.begin * s.channels;
  if (s.multiplier == 1 && s.channels == 8) return copy_pixels<8>(from, step * 8, count, flip, to);
  if (s.multiplier == 1 && s.channels == 16) return copy_pixels<16>(from, step * 16, count, flip, to);
  if (s.multiplier == 1 && s.channels == 32) return copy_pixels<32>(from, step * 32, count, flip, to);
  for (std::int64_t x = pixels.begin; x < pixels.end; x += step, to += s.out())
    copy_pixel(s, row + x * s.channels, flip, to);
}

/// Copies row y of an image as the plan wants it; `zero` stands for the padding.
inline void copy_row(const byte_depthwise_plan& plan, const std::byte* image, std::int64_t y, byte_vector flip,
                     std::byte zero, std::byte* out) {
  const depthwise_shape& s = plan.s;
  const std::int64_t columns = plan.columns_under(), pixel = s.out();
  if (y < 0 || y >= s.height) return void(std::fill_n(out, plan.row_bytes(), zero));
  const std::byte* const row = image + (y * s.width - s.pad_left) * s.channels;
  const std::int64_t left = nnrt::detail::clamped(s.pad_left, 0, columns),
                     right = nnrt::detail::clamped(s.width + s.pad_left, left, columns);
  if (plan.planes() == 1 && s.multiplier == 1) {
    std::fill_n(out, left * pixel, zero);
    copy_flipped(row + left * pixel, (right - left) * pixel, flip, out + left * pixel);
    std::fill_n(out + right * pixel, (columns - right) * pixel, zero);
    return;
  }
  const std::uint64_t flips = flip[0] != 0 ? 0x8080808080808080U : 0;
  for (std::int64_t first = 0; first < plan.planes(); ++first, out += plan.plane_pixels() * pixel) {
    const auto pixels_to = [&](std::int64_t end) {  // of this plane
      return end <= first ? 0 : (end - first + plan.planes() - 1) / plan.planes();
    };
    const std::int64_t before = pixels_to(left), inside = pixels_to(right), all = pixels_to(columns);
    std::fill_n(out, before * pixel, zero);
    copy_every(s, row, {first + before * plan.planes(), right}, plan.planes(), flips, out + before * pixel);
    std::fill_n(out + inside * pixel, (all - inside) * pixel, zero);
  }
}

// --- rows of blocks -----------------------------------------------------------

/// The sums of a register of output bytes, in each of `Rows` rows.
template <int Rows> struct byte_block {
  int_vector of[Rows][4];

  [[gnu::always_inline]] void start(const std::byte* sums) {
    each<4>([&](int v) __attribute__((always_inline)) {
      const auto x = load_vector<int_vector>(sums + v * register_bytes);
      each<Rows>([&](int row) __attribute__((always_inline)) { of[row][v] = x; });
    });
  }
  [[gnu::always_inline]] void add(const interleaved& taps, const std::byte* w) {
    each<4>([&](int v) __attribute__((always_inline)) {
      const dot_values values = values_of(taps.of[v]);
      each<Rows>([&](int row) __attribute__((always_inline)) {
        of[row][v] = dot4(of[row][v], values, load_weights(w + (row * 4 + v) * dot_bytes));
      });
    });
  }
};

/// Four rows of a register of bytes, the first of which lies at x.
[[gnu::always_inline]] inline interleaved four_rows(address x, std::int64_t line) {
  const auto row = [&](std::int64_t i) __attribute__((always_inline)) {
    return load_vector<byte_vector>(reinterpret_cast<const std::byte*>(bytes_further(x, i * line)));
  };
  return interleave(row(0), row(1), row(2), row(3));
}

/// One set of channels along the output rows of a band.
struct byte_block_rows {
  const std::int64_t* column_offsets;
  std::int64_t columns, fours;
  std::int64_t first, step, total;  // output bytes: of the first register, to the next one, of a row
  std::int64_t x_step;              // of the input
  const std::byte* set;             // packed
  std::int64_t scale_bytes;
  address x;                        // the copy, under output byte 0
  std::int64_t line;                // bytes between the input rows of neighbouring taps
  std::int64_t row_step;            // between those of output rows that are computed together, and the next
  std::int64_t rows;
  std::byte* y;
};

/// Stores the first n bytes. A function of its own: what it takes to call one is paid by those who do.
[[gnu::noinline]] inline void store_first_bytes(byte_vector x, std::byte* p, std::int64_t n) {
  __builtin_memcpy(p, &x, static_cast<std::size_t>(n));
}

/// Scales and stores the sums of a register in each row.
template <int Rows, scale_method Method> struct byte_block_end {
  scaler<Method> scale[4];
  narrowing to;
  std::byte *upper = nullptr, *lower = nullptr;
  std::int64_t total;

  [[gnu::always_inline]] byte_block_end(const byte_block_rows& at, const narrowing& stored)
      : scale{scaler<Method>(scales_of(at)[0]), scaler<Method>(scales_of(at)[1]), scaler<Method>(scales_of(at)[2]),
              scaler<Method>(scales_of(at)[3])},
        to(stored),
        total(at.total) {}

  [[gnu::always_inline]] void store(const byte_block<Rows>& block, std::int64_t j) const {
    store_row(block.of[0], upper, j);
    if constexpr (Rows == 2)
      if (lower != nullptr) store_row(block.of[1], lower, j);
  }

 private:
  static const channel_scales* scales_of(const byte_block_rows& at) {
    return reinterpret_cast<const channel_scales*>(at.set);
  }
  [[gnu::always_inline]] void store_row(const int_vector (&sums)[4], std::byte* y, std::int64_t j) const {
    const byte_vector bytes = narrowed<!includes_zero_point(Method)>(scale[0](sums[0]), scale[1](sums[1]),
                                                                     scale[2](sums[2]), scale[3](sums[3]), to);
    if (total - j >= register_bytes) [[likely]] store_vector(y + j, bytes);
    else store_first_bytes(bytes, y + j, total - j);
  }
};

/// Leaves the sums of a register in each row to what ends those of products, in the order of the bytes.
template <class Isa, int Rows> struct byte_sums_end {
  const byte_depthwise_buffers& of;
  const channel_scales* scales;
  std::byte *upper = nullptr, *lower = nullptr;
  std::int64_t total;

  byte_sums_end(const byte_block_rows& at, const byte_depthwise_buffers& buffers)
      : of(buffers), scales(reinterpret_cast<const channel_scales*>(at.set)), total(at.total) {}

  void store(const byte_block<Rows>& block, std::int64_t j) const {
    alignas(64) std::int32_t sums[4 * vector_of_sums];
    for (int row = 0; row < Rows; ++row) {
      alignas(64) std::int32_t lanes[4][int_lanes];
      for (int v = 0; v < 4; ++v) store_vector(lanes[v], block.of[row][v]);
      for (std::int64_t byte = 0; byte < register_bytes; byte += 4) {
        const lane_place at(byte);
        __builtin_memcpy(sums + byte / int_lanes * vector_of_sums + row * sum_stride + byte % int_lanes, lanes[at.vector] + at.lane, 4 * sizeof(std::int32_t));
      }
    }
    constexpr std::int64_t width = byte_layout::panel_width;
    for (std::int64_t first = 0; first < std::min(register_bytes, total - j); first += width)
      finish_sums<Isa>(of, sums + first / int_lanes * vector_of_sums, scales + first / int_lanes, {upper + j + first, total, Rows == 2 && lower != nullptr ? 2 : 1}, std::min(width, total - j - first));
  }
};

/// Calls row(x, end) for each output row, or two of them: where its input begins, and what ends its blocks.
template <int Rows, class End, class To, class Row>
[[gnu::always_inline]] inline void for_each_block_row(const byte_block_rows& at, const To& to, Row row) {
  End end(at, to);
  address x = bytes_further(at.x, at.first);
  for (std::int64_t i = 0; i < at.rows; i += Rows, x = bytes_further(x, at.row_step)) {
    end.upper = at.y + i * at.total, end.lower = i + 1 < at.rows ? end.upper + at.total : nullptr;
    row(x, end);
  }
}

/// Any kernel.
template <int Rows, class End, class To>
void depthwise_blocks(const byte_block_rows& given, const To& to) {
  const byte_block_rows at = given;
  const std::byte* const sums = at.set + at.scale_bytes;
  for_each_block_row<Rows, End>(at, to, [&](address x, const End& end) __attribute__((always_inline)) {
    for (std::int64_t j = at.first; j < at.total; j += at.step, x = bytes_further(x, at.x_step)) {
      byte_block<Rows> block;
      block.start(sums);
      const std::byte* w = sums + 4 * register_bytes;
      for (std::int64_t four = 0; four < at.fours; ++four)
        for (std::int64_t column = 0; column < at.columns; ++column, w += Rows * 4 * dot_bytes)
          block.add(four_rows(bytes_further(x, four * 4 * at.line + at.column_offsets[column]), at.line), w);
      end.store(block, j);
    }
  });
}

/// How many columns of three the next register finds interleaved already.
enum class columns_reused { none, first, first_two };

/// Three columns and at most four rows. If the last column lies under the first one of the next register, it is
/// interleaved once for both, and if each lies under the one before it in the next, once for three.
template <int Rows, scale_method Method, columns_reused Reused>
void depthwise_three(const byte_block_rows& given, const narrowing& to) {
  const byte_block_rows at = given;
  const std::byte *const sums = at.set + at.scale_bytes, *const w = sums + 4 * register_bytes;
  const std::int64_t offsets[] = {at.column_offsets[0], at.column_offsets[1], at.column_offsets[2]};
  using block_end = byte_block_end<Rows, Method>;
  for_each_block_row<Rows, block_end>(at, to, [&](address x, const block_end& end) __attribute__((always_inline)) {
    const auto column = [&](int i) __attribute__((always_inline)) {
      return four_rows(bytes_further(x, offsets[i]), at.line);
    };
    interleaved left = column(0), middle = column(1);
    for (std::int64_t j = at.first; j < at.total; j += at.step, x = bytes_further(x, at.x_step)) {
      const interleaved right = column(2);
      if constexpr (Reused == columns_reused::none) left = column(0);
      if constexpr (Reused != columns_reused::first_two) middle = column(1);
      byte_block<Rows> block;
      block.start(sums);
      block.add(left, w), block.add(middle, w + Rows * 4 * dot_bytes), block.add(right, w + 2 * Rows * 4 * dot_bytes);
      end.store(block, j);
      if constexpr (Reused == columns_reused::first) left = right;
      if constexpr (Reused == columns_reused::first_two) left = middle, middle = right;
    }
  });
}

template <int Rows, scale_method Method>
void depthwise_set(const byte_block_rows& at, const narrowing& to) {
  // Sums that are scaled one by one take so long that the rest does not matter.
  if constexpr (Method != scale_method::one_by_one)
    if (at.columns == 3 && at.fours == 1) {
      const std::int64_t second = at.column_offsets[1] - at.column_offsets[0],
                         third = at.column_offsets[2] - at.column_offsets[0];
      if (second == at.x_step && third == 2 * at.x_step) return depthwise_three<Rows, Method, columns_reused::first_two>(at, to);
      if (third == at.x_step) return depthwise_three<Rows, Method, columns_reused::first>(at, to);
      return depthwise_three<Rows, Method, columns_reused::none>(at, to);
    }
  depthwise_blocks<Rows, byte_block_end<Rows, Method>>(at, to);
}

template <class Isa, bool LeavesSums, int Rows>
void depthwise_sets(const byte_depthwise_plan& plan, const byte_depthwise_buffers& of, byte_block_rows at) {
  for (std::int64_t set = 0; set < plan.sets(); ++set) {
    at.set = of.packed + set * plan.set_bytes(), at.first = plan.first_byte(set);
    if (at.first >= at.total) return;  // a row of few pixels takes fewer registers than there are ways to fill them
    const auto* const scales = reinterpret_cast<const channel_scales*>(at.set);
    if constexpr (LeavesSums) depthwise_blocks<Rows, byte_sums_end<Isa, Rows>>(at, of);
    else with_method(scales->method, [&](auto method) { depthwise_set<Rows, method>(at, of.to); });
  }
}

/// The given output rows of one image.
template <class Isa, bool LeavesSums>
void depthwise_rows(const byte_depthwise_plan& plan, const byte_depthwise_buffers& of, interval rows) {
  const depthwise_shape& s = plan.s;
  const std::int64_t line = plan.row_bytes(), out_line = s.out_width * s.out();
  const byte_vector flip = (byte_vector)int_lanes_of(of.factors.a_flip());
  std::int64_t column_offsets[most_depthwise_columns];
  for (std::int64_t column = 0; column < plan.columns(); ++column) column_offsets[column] = plan.column_offset(column);
  const auto zero = static_cast<std::byte>(of.factors.a_zero) ^ static_cast<std::byte>(of.factors.a_flip());
  for (std::int64_t first = rows.begin; first < rows.end; first += plan.band()) {
    const std::int64_t count = std::min(plan.band(), rows.end - first);
    for (std::int64_t i = 0; i < plan.copied_rows_for(count); ++i)
      copy_row(plan, of.x, first * s.stride_h - s.pad_top + i, flip, zero, of.scratch + i * line);
    byte_block_rows at{};
    at.column_offsets = column_offsets, at.columns = plan.columns(), at.fours = plan.fours();
    at.step = plan.step(), at.x_step = plan.x_step(), at.total = out_line, at.scale_bytes = plan.scale_bytes();
    at.x = address_of_bytes(of.scratch), at.line = s.dilation_h * line;
    at.row_step = plan.rows_at_once() * s.stride_h * line, at.rows = count, at.y = of.y + first * out_line;
    if (plan.rows_at_once() == 2) depthwise_sets<Isa, LeavesSums, 2>(plan, of, at);
    else depthwise_sets<Isa, LeavesSums, 1>(plan, of, at);
  }
}

}  // namespace detail

/// y = clamp(depthwise_conv2d(x, w) + bias) of stored numbers. Parts are pairs of output rows; every division into parts
/// gives the same bits. y must not overlap x. With LeavesSums an addend comes to the sums, or they are kept, and packing was told so.
template <class Isa = native, bool LeavesSums = false>
void byte_depthwise(const depthwise_shape& s, const byte_depthwise_buffers& of, part p = {}) {
  if (s.batch * s.out_height * s.out_width * s.out() <= 0) return;
  const detail::byte_depthwise_plan plan(s, of.factors.b_zero_as_seen());
  const std::int64_t pairs = (s.out_height + 1) / 2;
  const interval work = share(s.batch * pairs, p);
  for (std::int64_t done = work.begin; done < work.end;) {
    const std::int64_t image = done / pairs, first = done - image * pairs, last = std::min(pairs, first + work.end - done);
    byte_depthwise_buffers one = of;
    one.x += image * s.height * s.width * s.channels, one.y += image * s.out_height * s.out_width * s.out();
    detail::depthwise_rows<Isa, LeavesSums>(plan, one, {first * 2, std::min(s.out_height, last * 2)});
    done += last - first;
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
