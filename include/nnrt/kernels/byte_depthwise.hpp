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
#include <nnrt/kernels/byte_gemm.hpp>
#include <nnrt/kernels/depthwise.hpp>

#include <cstdint>

namespace nnrt::inline NNRT_ISA::kernels {

namespace detail {

/// How a depthwise convolution is cut up; follows from its shape and the weights' zero point alone.
struct byte_depthwise_plan {
  depthwise_shape s;
  /// Dot products per column of the kernel. A zero point z of the weights is -z as weights of their own; 128 takes two.
  std::int64_t repeats = 1;

  constexpr byte_depthwise_plan(const depthwise_shape& shape, std::int32_t weight_zero)
      : s(shape), repeats(weight_zero == 0 ? 1 : weight_zero == -128 ? 3 : 2) {}

  /// Output rows computed at once.
  constexpr std::int64_t rows_at_once() const { return s.stride_h == 1 && s.dilation_h == 1 ? 2 : 1; }
  /// Fours of input rows under them.
  constexpr std::int64_t fours() const { return (s.kernel_h + rows_at_once() - 1 + 3) / 4; }
  constexpr std::int64_t columns() const { return s.kernel_w * repeats; }

  // A row of the copy. Where registers hold many pixels, the columns of each remainder modulo the stride lie side by side,
  // in planes.
  constexpr std::int64_t planes() const { return s.out() < register_bytes ? s.stride_w : 1; }
  constexpr std::int64_t columns_under() const {
    return (s.out_width - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
  }
  constexpr std::int64_t plane_pixels() const { return (columns_under() + planes() - 1) / planes(); }
  constexpr std::int64_t row_bytes() const { return planes() * plane_pixels() * s.out(); }
  /// Where the byte under output byte 0 lies for a column of the kernel.
  constexpr std::int64_t column_offset(std::int64_t column) const {
    const std::int64_t x = column % s.kernel_w * s.dilation_w;
    return (x % planes() * plane_pixels() + x / planes()) * s.out();
  }
  constexpr std::int64_t copied_rows_for(std::int64_t outputs) const {
    return (outputs - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h + 1;
  }
  /// Rows below the copied ones that dot products read, with weights of 0.
  constexpr std::int64_t rows_below() const {
    return (4 * fours() - s.kernel_h) * s.dilation_h;
  }
  /// Output rows of a band, so that the copy stays in the second cache.
  constexpr std::int64_t band() const {
    const std::int64_t row = std::max<std::int64_t>(1, row_bytes()),
                       fitting = (160 * 1024 / row - (s.kernel_h - 1) * s.dilation_h) / s.stride_h;
    const std::int64_t rows = nnrt::detail::clamped(fitting, 1, std::max<std::int64_t>(1, s.out_height));
    return (rows + rows_at_once() - 1) / rows_at_once() * rows_at_once();
  }
  constexpr std::int64_t scratch_bytes() const {
    const std::int64_t rows = copied_rows_for(std::min(band(), s.out_height)) + rows_below();
    return (rows * row_bytes() + register_bytes + 63) / 64 * 64;
  }

  // Sets of channels: what the bytes of a register stand for.
  /// Many channels: vectors of them, the last of which ends with the last. Few: all ways in which they fill registers, whose bytes are a power
  /// of two, so that their greatest common divisor with the channels is the lowest bit of these.
  constexpr std::int64_t sets() const {
    const std::int64_t c = s.out();
    return c >= register_bytes ? (c + register_bytes - 1) / register_bytes : c / (c & -c);
  }
  constexpr std::int64_t first_byte(std::int64_t set) const {
    return s.out() >= register_bytes ? std::min(set * register_bytes, s.out() - register_bytes) : set * register_bytes;
  }
  constexpr std::int64_t step() const { return s.out() >= register_bytes ? s.out() : sets() * register_bytes; }
  /// The step of the input below.
  constexpr std::int64_t x_step() const { return s.out() >= register_bytes ? s.stride_w * s.out() : step(); }
  constexpr std::int64_t scale_bytes() const { return 4 * std::int64_t{sizeof(channel_scales)}; }
  constexpr std::int64_t column_bytes() const { return rows_at_once() * 4 * dot_bytes; }
  /// [scales of four vectors][starting sums][four rows][column][output row][vector]
  constexpr std::int64_t set_bytes() const {
    return (scale_bytes() + 4 * register_bytes + fours() * columns() * column_bytes() + 63) / 64 * 64;
  }
};

/// Lane and vector of a byte of a register, see channel_of_lane().
struct lane_place {
  std::int64_t vector, lane;
  constexpr explicit lane_place(std::int64_t byte) : vector(byte % 16 / 4), lane(byte / 16 * 4 + byte % 4) {}
  /// Where its scale lies: in the same lane, or, if others end the sums, in the order of the bytes.
  static constexpr lane_place of_scale(std::int64_t byte, bool leaves_sums) {
    lane_place at(byte);
    if (leaves_sums) at.vector = byte / int_lanes, at.lane = byte % int_lanes;
    return at;
  }
};

}  // namespace detail

constexpr std::int64_t byte_depthwise_packed_bytes(const depthwise_shape& s, const byte_factors& f) {
  const detail::byte_depthwise_plan plan(s, f.b_zero_as_seen());
  return plan.sets() * plan.set_bytes();
}
constexpr std::int64_t byte_depthwise_scratch_bytes(const depthwise_shape& s, const byte_factors& f) {
  return detail::byte_depthwise_plan(s, f.b_zero_as_seen()).scratch_bytes();
}

namespace detail {

/// The taps of a channel added up.
inline byte_column column_of_taps(const byte_depthwise_plan& plan, const byte_factors& f, const std::byte* w,
                                  std::int64_t channel) {
  byte_column column;
  for (std::int64_t tap = 0; tap < plan.s.taps(); ++tap) column.add(f.at(w, channel * plan.s.taps() + tap), f);
  column.sum -= std::int64_t{f.b_zero_as_seen()} * plan.s.taps();
  return column;
}

/// Packs the taps of one byte of a set.
inline void pack_taps(const byte_depthwise_plan& plan, const byte_factors& f, const std::byte* w, std::int64_t channel,
                      lane_place at, std::byte* weights) {
  const depthwise_shape& s = plan.s;
  const std::int32_t zero = f.b_zero_as_seen();
  for (std::int64_t ky = 0; ky < s.kernel_h; ++ky)
    for (std::int64_t kx = 0; kx < s.kernel_w; ++kx) {
      const std::int32_t stored = f.at(w, (channel * s.kernel_h + ky) * s.kernel_w + kx);
      for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
        const std::int32_t value = repeat == 0 ? stored + f.b_offset() : -zero / static_cast<std::int32_t>(plan.repeats - 1);
        for (std::int64_t row = 0; row < plan.rows_at_once(); ++row)
          put_weight(weights + ((ky + row) / 4 * plan.columns() + repeat * s.kernel_w + kx) * plan.column_bytes() +
                         (row * 4 + at.vector) * dot_bytes,
                     at.lane, (ky + row) % 4, static_cast<std::int8_t>(value));
      }
    }
}

}  // namespace detail

/// Packs weights [out, kernel_h, kernel_w].
///
/// \param channel_of channel_of(o) has factor and bias of output channel o
///
/// \param leaves_sums whether byte_depthwise() will leave the sums to an addend, or where they are kept
template <class ChannelOf>
void byte_depthwise_pack(const depthwise_shape& s, const byte_factors& f, scaled_range range, const std::byte* w,
                         ChannelOf channel_of, std::byte* out, bool leaves_sums = false) {
  const detail::byte_depthwise_plan plan(s, f.b_zero_as_seen());
  std::fill_n(out, plan.sets() * plan.set_bytes(), std::byte{});
  const auto scales_of = [&](std::int64_t set) { return reinterpret_cast<channel_scales*>(out + set * plan.set_bytes()); };
  for (std::int64_t set = 0; set < plan.sets(); ++set) {
    std::byte* const sums = out + set * plan.set_bytes() + plan.scale_bytes();
    std::int64_t column_sums[register_bytes];
    for (std::int64_t byte = 0; byte < register_bytes; ++byte) {
      const detail::lane_place at(byte), scale_at = detail::lane_place::of_scale(byte, leaves_sums);
      const std::int64_t place = plan.first_byte(set) + byte, channel = place % s.out();
      const detail::byte_column column = detail::column_of_taps(plan, f, w, channel);
      byte_channel made = channel_of(channel);
      if (made.reach.low == made.reach.high)
        made.reach = {column.reach.low + made.bias + made.addend.low, column.reach.high + made.bias + made.addend.high};
      const bool is_one_number = made.addend.low == made.addend.high && is_constant(made, range);
      if (is_one_number) made = constant_channel(made, range);
      else detail::pack_taps(plan, f, w, channel, at, sums + 4 * register_bytes);
      column_sums[byte] = is_one_number ? 0 : column.sum;
      if (s.out() < register_bytes && place >= s.out()) {
        const std::int64_t earlier = place - s.out();
        const auto from = detail::lane_place::of_scale(earlier % register_bytes, leaves_sums);
        copy_lane(scales_of(set)[scale_at.vector], scale_at.lane, scales_of(earlier / register_bytes)[from.vector], from.lane);
      } else {
        set_lane(scales_of(set)[scale_at.vector], scale_at.lane, made, range);
      }
    }
    choose_method(scales_of(set), 4);
    for (std::int64_t byte = 0; byte < register_bytes; ++byte) {
      const detail::lane_place at(byte), scale_at = detail::lane_place::of_scale(byte, leaves_sums);
      const std::int64_t included = included_in_sums(scales_of(set)[scale_at.vector], scale_at.lane);
      const std::int32_t start = detail::wrapped(included - std::int64_t{f.a_zero_as_seen()} * column_sums[byte]);
      std::memcpy(sums + at.vector * register_bytes + at.lane * 4, &start, sizeof start);
    }
  }
}

/// Columns of a kernel, repeats of weights with a zero point counted; wider ones are left to the reference.
inline constexpr std::int64_t most_depthwise_columns = 64;
constexpr std::int64_t byte_depthwise_columns(const depthwise_shape& s, const byte_factors& f) {
  return detail::byte_depthwise_plan(s, f.b_zero_as_seen()).columns();
}

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
    each<4>([&](auto v) __attribute__((always_inline)) {
      const auto x = load_vector<int_vector>(sums + v * register_bytes);
      each<Rows>([&](auto row) __attribute__((always_inline)) { of[row][v] = x; });
    });
  }
  [[gnu::always_inline]] void add(const interleaved& taps, const std::byte* w) {
    each<4>([&](auto v) __attribute__((always_inline)) {
      const dot_values values = values_of(taps.of[v]);
      each<Rows>([&](auto row) __attribute__((always_inline)) {
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
