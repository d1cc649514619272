// byte_depthwise: depthwise convolution of stored numbers over NHWC images; any kernel, stride, dilation, multiplier.
// Flow: a prepare step packs weights, bias and scales with byte_depthwise_pack(); a plan's step calls byte_depthwise().
//
// Registers of bytes from four rows of the input are interleaved, so that one dot product sums four taps of a column for
// each channel. With a stride of 1 downwards the same bytes serve two output rows, whose taps stand a place apart.
//
// Where a pixel has a register of channels, the input is read where it lies. Bands of others are copied first (byte_depthwise_copy.hpp): with zero
// points around them, with channels repeated if there is a multiplier, and with the columns apart that a stride tears apart. Then output byte j of a
// row meets, for each column of the kernel, the bytes a fixed distance behind j. So a register may hold many pixels of few channels as well as many
// channels of one.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/byte_depthwise_copy.hpp>
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

/// Rows of an image, or of the copy; and one of zero points for rows that are not there.
struct tap_rows {
  address first;
  std::int64_t line, count;
  address outside;

  address of(std::int64_t y) const { return y >= 0 && y < count ? bytes_further(first, y * line) : outside; }
};

/// One set of channels along the output rows of a band.
struct byte_block_rows {
  const std::int64_t* column_offsets;
  std::int64_t columns, fours;
  std::int64_t first, step, total;  // output bytes: of the first register, to the next one, of a row
  std::int64_t x_step;              // of the input
  const std::byte* set;             // packed
  std::int64_t scale_bytes;
  tap_rows x;
  std::int64_t top;                 // the first output row's first tap
  std::int64_t tap_step, row_step;  // rows of taps below each other, and of output rows that are computed together and the next
  byte_vector flip, padding;        // what bytes read in place are exclusive-ored with, and what then stands for those beside a row
  std::int64_t rows;
  std::byte* y;
};

/// Four rows of taps below each other.
template <bool InPlace> struct four_taps;

/// Of an image: a pixel or row beside it is padding, and bytes are flipped.
template <> struct four_taps<true> {
  address row[4];

  [[gnu::always_inline]] four_taps(const byte_block_rows& at, std::int64_t top) {
    each<4>([&](int i) __attribute__((always_inline)) { row[i] = at.x.of(top + i * at.tap_step); });
  }
  /// A register of bytes of each, so far from where rows begin.
  [[gnu::always_inline]] interleaved operator()(const byte_block_rows& at, std::int64_t offset) const {
    if (static_cast<std::uint64_t>(offset) >= static_cast<std::uint64_t>(at.x.line)) [[unlikely]] {
      const auto x = (int_vector)at.padding;
      return {{x, x, x, x}};
    }
    const auto bytes = [&](int i) __attribute__((always_inline)) {
      return load_vector<byte_vector>(reinterpret_cast<const std::byte*>(bytes_further(row[i], offset))) ^ at.flip;
    };
    return interleave(bytes(0), bytes(1), bytes(2), bytes(3));
  }
};

/// Of the copy, where all of them are there.
template <> struct four_taps<false> {
  address first;
  std::int64_t line;

  [[gnu::always_inline]] four_taps(const byte_block_rows& at, std::int64_t top) : first(bytes_further(at.x.first, top * at.x.line)), line(at.tap_step * at.x.line) {}
  [[gnu::always_inline]] interleaved operator()(const byte_block_rows&, std::int64_t offset) const {
    const address x = bytes_further(first, offset);
    const auto bytes = [&](int i) __attribute__((always_inline)) {
      auto row = load_vector<int_vector>(reinterpret_cast<const std::byte*>(bytes_further(x, i * line)));
      keep_vector(row);  // else g++ 12 loads it for each half of what it is interleaved to, across two lines of the cache
      return (byte_vector)row;
    };
    return interleave(bytes(0), bytes(1), bytes(2), bytes(3));
  }
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

/// Calls row(first row of taps, end) for each output row, or two of them: where its input begins, and what ends its blocks.
template <int Rows, class End, class To, class Row>
[[gnu::always_inline]] inline void for_each_block_row(const byte_block_rows& at, const To& to, Row row) {
  End end(at, to);
  std::int64_t top = at.top;
  for (std::int64_t i = 0; i < at.rows; i += Rows, top += at.row_step) {
    end.upper = at.y + i * at.total, end.lower = i + 1 < at.rows ? end.upper + at.total : nullptr;
    row(top, end);
  }
}

/// Any kernel.
template <int Rows, bool InPlace, class End, class To>
void depthwise_blocks(const byte_block_rows& given, const To& to) {
  const byte_block_rows at = given;
  const std::byte* const sums = at.set + at.scale_bytes;
  for_each_block_row<Rows, End>(at, to, [&](std::int64_t top, const End& end) __attribute__((always_inline)) {
    for (std::int64_t j = at.first, x = at.first; j < at.total; j += at.step, x += at.x_step) {
      byte_block<Rows> block;
      block.start(sums);
      const std::byte* w = sums + 4 * register_bytes;
      for (std::int64_t four = 0; four < at.fours; ++four) {
        const four_taps<InPlace> taps(at, top + four * 4 * at.tap_step);
        for (std::int64_t column = 0; column < at.columns; ++column, w += Rows * 4 * dot_bytes)
          block.add(taps(at, x + at.column_offsets[column]), w);
      }
      end.store(block, j);
    }
  });
}

/// How many columns of three the next register finds interleaved already.
enum class columns_reused { none, first, first_two };

/// Three columns and at most four rows. If the last column lies under the first one of the next register, it is
/// interleaved once for both, and if each lies under the one before it in the next, once for three.
template <int Rows, bool InPlace, scale_method Method, columns_reused Reused>
void depthwise_three(const byte_block_rows& given, const narrowing& to) {
  const byte_block_rows at = given;
  const std::byte *const sums = at.set + at.scale_bytes, *const w = sums + 4 * register_bytes;
  const std::int64_t offsets[] = {at.column_offsets[0], at.column_offsets[1], at.column_offsets[2]};
  using block_end = byte_block_end<Rows, Method>;
  for_each_block_row<Rows, block_end>(at, to, [&](std::int64_t top, const block_end& end) __attribute__((always_inline)) {
    const four_taps<InPlace> taps(at, top);
    std::int64_t x = at.first;
    const auto column = [&](int i) __attribute__((always_inline)) { return taps(at, x + offsets[i]); };
    interleaved left = column(0), middle = column(1);
    for (std::int64_t j = at.first; j < at.total; j += at.step, x += at.x_step) {
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

template <int Rows, bool InPlace, scale_method Method>
void depthwise_set(const byte_block_rows& at, const narrowing& to) {
  // Sums that are scaled one by one take so long that the rest does not matter.
  if constexpr (Method != scale_method::one_by_one)
    if (at.columns == 3 && at.fours == 1) {
      const std::int64_t second = at.column_offsets[1] - at.column_offsets[0],
                         third = at.column_offsets[2] - at.column_offsets[0];
      // What has no function of its own is rare: a multiplier of many channels, and strides of 1 and 2 at once.
      constexpr bool reuses_two = InPlace && Rows == 2, reuses_one = InPlace != (Rows == 2);
      if constexpr (reuses_two)
        if (second == at.x_step && third == 2 * at.x_step) return depthwise_three<Rows, InPlace, Method, columns_reused::first_two>(at, to);
      if constexpr (reuses_one)
        if (third == at.x_step) return depthwise_three<Rows, InPlace, Method, columns_reused::first>(at, to);
      if constexpr (!InPlace) return depthwise_three<Rows, InPlace, Method, columns_reused::none>(at, to);
    }
  depthwise_blocks<Rows, InPlace, byte_block_end<Rows, Method>>(at, to);
}

template <class Isa, bool LeavesSums, int Rows, bool InPlace>
void depthwise_sets(const byte_depthwise_plan& plan, const byte_depthwise_buffers& of, byte_block_rows at, interval sets) {
  for (std::int64_t set = sets.begin; set < sets.end; ++set) {
    at.set = of.packed + set * plan.set_bytes(), at.first = plan.first_byte(set);
    if (at.first >= at.total) return;  // a row of few pixels takes fewer registers than there are ways to fill them
    const auto* const scales = reinterpret_cast<const channel_scales*>(at.set);
    if constexpr (LeavesSums) depthwise_blocks<Rows, InPlace, byte_sums_end<Isa, Rows>>(at, of);
    else with_method(scales->method, [&](auto method) { depthwise_set<Rows, InPlace, method>(at, of.to); });
  }
}

/// The given output rows of one image.
template <class Isa, bool LeavesSums>
struct byte_depthwise_rows {
  const byte_depthwise_plan& plan;
  const byte_depthwise_buffers& of;
  std::int64_t column_offsets[most_depthwise_columns];
  byte_block_rows at{};

  byte_depthwise_rows(const byte_depthwise_plan& made, const byte_depthwise_buffers& buffers) : plan(made), of(buffers) {
    const depthwise_shape& s = plan.s;
    for (std::int64_t column = 0; column < plan.columns(); ++column) column_offsets[column] = plan.column_offset(column);
    at.column_offsets = column_offsets, at.columns = plan.columns(), at.fours = plan.fours();
    at.step = plan.step(), at.x_step = plan.x_step(), at.total = s.out_width * s.out(), at.scale_bytes = plan.scale_bytes();
    at.tap_step = s.dilation_h, at.row_step = plan.rows_at_once() * s.stride_h;
    at.flip = (byte_vector)int_lanes_of(of.factors.a_flip());
    at.padding = at.flip ^ (static_cast<std::int8_t>(of.factors.a_zero) - byte_vector{});
  }

  void run(interval rows, interval sets) {
    if (plan.is_in_place()) in_place(rows, sets);
    else in_bands(rows, sets);
  }

 private:
  void in_place(interval rows, interval sets) {
    const depthwise_shape& s = plan.s;
    at.top = rows.begin * s.stride_h - s.pad_top;
    at.x = {address_of_bytes(of.x), s.width * s.channels, s.height, address_of_bytes(of.x)};
    const std::int64_t below = at.top + (rows.size() - 1) * s.stride_h + (s.kernel_h - 1) * s.dilation_h;
    if (at.top < 0 || below >= s.height) {
      fill_registers(of.scratch, at.x.line, at.padding ^ at.flip);
      at.x.outside = address_of_bytes(of.scratch);
    }
    blocks<true>(rows, sets);
  }
  void in_bands(interval rows, interval sets) {
    const depthwise_shape& s = plan.s;
    const std::int64_t line = plan.row_bytes();
    at.x = {address_of_bytes(of.scratch), line, plan.copied_rows_for(plan.band()) + plan.rows_below(), 0};
    for (std::int64_t first = rows.begin; first < rows.end; first += plan.band()) {
      const std::int64_t count = std::min(plan.band(), rows.end - first);
      for (std::int64_t i = 0; i < plan.copied_rows_for(count); ++i)
        copy_row(plan, of.x, first * s.stride_h - s.pad_top + i, at.flip, at.padding, of.scratch + i * line);
      blocks<false>({first, first + count}, sets);
    }
  }
  template <bool InPlace> void blocks(interval rows, interval sets) {
    at.rows = rows.size(), at.y = of.y + rows.begin * at.total;
    if (plan.rows_at_once() == 2) depthwise_sets<Isa, LeavesSums, 2, InPlace>(plan, of, at, sets);
    else depthwise_sets<Isa, LeavesSums, 1, InPlace>(plan, of, at, sets);
  }
};

/// Pairs of output rows of all images, and sets of channels, that a part makes. Products of stored numbers around it are shared out by rows, so that
/// a core reads what it has written itself. Only where there are more parts than pairs of rows, channels may be shared out, in whole lines of the cache.
constexpr rectangle byte_depthwise_share(const byte_depthwise_plan& plan, part p) {
  constexpr std::int64_t line = 64;
  const std::int64_t pairs = plan.s.batch * ((plan.s.out_height + 1) / 2), lines = plan.s.out() % line == 0 ? plan.s.out() / line : 1;
  if (pairs >= p.count || lines == 1) return {share(pairs, p), {0, plan.sets()}};
  const rectangle work = share(pairs, lines, p);
  constexpr std::int64_t sets = line / register_bytes;
  return {work.rows, {work.columns.begin * sets, work.columns.end * sets}};
}

}  // namespace detail

/// y = clamp(depthwise_conv2d(x, w) + bias) of stored numbers. Parts are pairs of output rows, or lines of channels; every division into parts
/// gives the same bits. y must not overlap x. With LeavesSums an addend comes to the sums, or they are kept, and packing was told so.
template <class Isa = native, bool LeavesSums = false>
void byte_depthwise(const depthwise_shape& s, const byte_depthwise_buffers& of, part p = {}) {
  if (s.batch * s.out_height * s.out_width * s.out() <= 0) return;
  const detail::byte_depthwise_plan plan(s, of.factors.b_zero_as_seen());
  const std::int64_t pairs = (s.out_height + 1) / 2;
  const rectangle work = detail::byte_depthwise_share(plan, p);
  for (std::int64_t done = work.rows.begin; done < work.rows.end;) {
    const std::int64_t image = done / pairs, first = done - image * pairs, last = std::min(pairs, first + work.rows.end - done);
    byte_depthwise_buffers one = of;
    one.x += image * s.height * s.width * s.channels, one.y += image * s.out_height * s.out_width * s.out();
    detail::byte_depthwise_rows<Isa, LeavesSums>(plan, one).run({first * 2, std::min(s.out_height, last * 2)}, work.columns);
    done += last - first;
  }
}

}  // namespace nnrt::inline NNRT_ISA::kernels
