// depthwise: float depthwise convolution over NHWC images, vectorised over channels; any kernel, stride, multiplier.
// Flow: a prepare step packs weights and bias once with depthwise_pack(); a plan's step calls depthwise().
//
// 3x3 and 5x5 kernels of stride 1 and 2 compute tiles of output pixels for one vector of channels, so that an input
// loaded once serves up to kernel_h * kernel_w sums; images of half a vector of channels have two pixels in each vector.
// Everything else goes pixel by pixel. Taps outside the image are left out, not multiplied by zero.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/gemm_tile.hpp>
#include <nnrt/kernels/part.hpp>

#include <cstdint>
#include <utility>

namespace nnrt::inline NNRT_ISA::kernels {

/// x: [batch, height, width, channels], w: [channels * multiplier, kernel_h, kernel_w], y: [batch, out_height,
/// out_width, channels * multiplier]; output channel o reads input channel o / multiplier.
///
/// Extents may be 0, kernels larger than the padded image; stride, dilation and multiplier are at least 1. Padding
/// below and to the right is what the output extents imply.
struct depthwise_shape {
  std::int64_t batch = 1, height = 0, width = 0, channels = 0, multiplier = 1;
  std::int64_t kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  std::int64_t pad_top = 0, pad_left = 0;
  std::int64_t out_height = 0, out_width = 0;

  constexpr std::int64_t out() const { return channels * multiplier; }
  constexpr std::int64_t taps() const { return kernel_h * kernel_w; }
};

namespace detail {

/// First output channel of a vector. The last vector ends with the last channel and overlaps the one before, so all
/// vectors are whole as soon as there are `lanes` channels; what overlaps is computed and stored twice.
constexpr std::int64_t first_channel(std::int64_t vector, std::int64_t out) {
  return std::max<std::int64_t>(0, std::min(vector * lanes, out - lanes));
}
constexpr std::int64_t channel_vectors(std::int64_t out) { return (out + lanes - 1) / lanes; }

// --- tiles of pixels ----------------------------------------------------------

/// Vectors in a row of a tile, which has two rows: 14 accumulators of 32 registers, 8 of 16.
inline constexpr int depthwise_vectors = vector_registers == 32 ? 7 : 4;

/// One tile of outputs in one image.
struct depthwise_tile_args {
  const float* w;
  float* y;   // first output pixel
  address x;  // input pixel under the first tap, which may lie outside the image
  std::int64_t channels;
  interval vectors;                  // of channels that are wanted
  std::int64_t line, out_line;       // floats from one row to the next
  std::int64_t first_row, last_row;  // rows of the tile's input that lie in the image
  std::uint32_t columns_inside;      // bit j: input column j lies in the image
  std::int64_t rows, columns;        // output rows and columns wanted of the tile
  clamp_range range;
};

/// The sums of neighbouring outputs of one row, which lie `Stride` input columns apart.
template <int K, int Stride> struct depthwise_sums {
  static constexpr int in_columns = (depthwise_vectors - 1) * Stride + K;
  vf of[depthwise_vectors];

  [[gnu::always_inline]] void start(vf bias) {
    each<depthwise_vectors>([&](auto c) __attribute__((always_inline)) { of[c] = bias; });
  }
  /// Adds what input column J, holding x, contributes through one row of the kernel, in the lanes that fma() is told.
  template <int J, class... Where> [[gnu::always_inline]] void add(vf x, const vf (&w)[K], Where... where) {
    constexpr int first = J < K ? 0 : (J - K) / Stride + 1, last = std::min(depthwise_vectors - 1, J / Stride);
    add_to<J, first>(std::make_integer_sequence<int, last - first + 1>{}, x, w, where...);
  }

 private:
  template <int J, int First, int... I, class... Where>
  [[gnu::always_inline]] void add_to(std::integer_sequence<int, I...>, vf x, const vf (&w)[K], Where... where) {
    ((of[First + I] = fma(x, w[J - (First + I) * Stride], of[First + I], where...)), ...);
  }
};

/// Which of a tile's two output rows see a row of the input.
enum class seen_by { upper, both, lower };

/// One vector of channels of a tile, or, with two Pixels, the channels of two neighbouring ones in each vector: what lies under a tap begins at
/// every column then, and outputs are two columns apart. A Checked tile leaves out input outside the image and outputs not wanted, and may
/// have fewer channels than lanes if masks are free; any other is whole.
template <int K, int Stride, int Pixels, bool Checked> struct depthwise_vector {
  static_assert(Pixels == 1 || Stride == 1);
  using sums = depthwise_sums<K, Stride * Pixels>;
  static constexpr std::int64_t kernel_row = K * lanes;
  const depthwise_tile_args& t;
  strides step;
  const float* w;     // taps of these channels
  std::int64_t used;  // channels, at most lanes
  std::uint32_t inside;
  sums upper, lower;

  /// Adds row i of the input, which lies at `row`.
  template <seen_by Rows> [[gnu::always_inline]] void add_row(std::int64_t i, address row) {
    vf upper_w[K], lower_w[K];
    each<K>([&](auto k) __attribute__((always_inline)) {
      if constexpr (Rows != seen_by::lower) upper_w[k] = load(w + i * kernel_row + k * lanes);
      if constexpr (Rows != seen_by::upper) lower_w[k] = load(w + (i - Stride) * kernel_row + k * lanes);
    });
    const address bases[] = {row, row + step.x7, row + 2 * step.x7};
    asm volatile("" : "+r"(inside));  // or g++ 12 tests all bits ahead of the rows and parks the answers in vector registers
    each<sums::in_columns>([&](auto j) __attribute__((always_inline)) {
      if (Checked && (inside >> j & (Pixels == 2 ? 3U : 1U)) == 0) return;
      const float* const p = floats_at(step.template from<j % 7>(bases[j / 7]));
      if constexpr (Checked && Pixels == 2) {
        const some_halves there(inside >> j & 3U);
        vf x = load_halves(p, there);
        keep(x);
        if constexpr (Rows != seen_by::lower) upper.template add<j>(x, upper_w, there);
        if constexpr (Rows != seen_by::upper) lower.template add<j>(x, lower_w, there);
      } else {
        vf x = Checked && masks_are_free ? load_first(p, used) : load(p);
        keep(x);
        if constexpr (Rows != seen_by::lower) upper.template add<j>(x, upper_w);
        if constexpr (Rows != seen_by::upper) lower.template add<j>(x, lower_w);
      }
    });
  }
  /// Adds rows i … end - 1 of the input, of which the next one lies at `row`.
  template <seen_by Rows> [[gnu::always_inline]] void add_rows(std::int64_t& i, std::int64_t end, address& row) {
    for (; i < end; ++i, row = advanced(row, t.line)) add_row<Rows>(i, row);
  }
  [[gnu::always_inline]] void store_row(const sums& row, float* y) const {
    const vf lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    each<depthwise_vectors>([&](auto c) __attribute__((always_inline)) {
      const std::int64_t wanted = t.columns - c * Pixels;
      if (Checked && wanted <= 0) return;
      const vf value = clamp(row.of[c], lo, hi);
      float* const to = reinterpret_cast<float*>(step.template from<c * Pixels % 7>(address_of(y)) + c * Pixels / 7 * step.x7);
      if constexpr (Checked && masks_are_free) store_first(to, value, wanted < Pixels ? t.channels : used);
      else store(to, value);
    });
  }
  /// Adds all rows of a tile that lies in the image as a whole, the first of them at `row`. Written out, which takes 8 % less time.
  [[gnu::always_inline]] void add_all(address row) {
    each<Stride + K>([&](auto i) __attribute__((always_inline)) {
      add_row<i < Stride ? seen_by::upper : i < K ? seen_by::both : seen_by::lower>(i, row);
      row = advanced(row, t.line);
    });
  }
  /// Adds the rows that lie in the image; what would be row 0 is at `row`.
  [[gnu::always_inline]] void add_inside(address row) {
    std::int64_t i = t.first_row;
    row = advanced(row, i * t.line);
    add_rows<seen_by::upper>(i, std::min<std::int64_t>(t.last_row, t.rows == 1 ? K : Stride), row);
    add_rows<seen_by::both>(i, std::min<std::int64_t>(t.last_row, K), row);
    add_rows<seen_by::lower>(i, t.rows == 1 ? 0 : t.last_row, row);
  }
  [[gnu::always_inline]] void run(std::int64_t channel) {
    const vf bias = load(w);
    w += lanes;
    upper.start(bias), lower.start(bias);
    if constexpr (Checked) add_inside(advanced(t.x, channel));
    else add_all(advanced(t.x, channel));
    store_row(upper, t.y + channel);
    if (!Checked || t.rows == 2) store_row(lower, t.y + t.out_line + channel);
  }
};

/// Channels of one tile.
template <class Isa, int K, int Stride, int Pixels, bool Checked>
[[gnu::noinline]] void depthwise_tile(const depthwise_tile_args& t) {
  const strides step(t.channels);
  const float* w = t.w + t.vectors.begin * (K * K + 1) * lanes;
  for (std::int64_t v = t.vectors.begin; v < t.vectors.end; ++v, w += (K * K + 1) * lanes)
    depthwise_vector<K, Stride, Pixels, Checked>{t, step, w, Pixels == 2 ? lanes : std::min(lanes, t.channels), t.columns_inside, {}, {}}.run(
        first_channel(v, t.channels));
}

/// One or two output rows, from row oy of an image on, of some vectors of channels.
template <class Isa, int K, int Stride, int Pixels>
void depthwise_row_tiles(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                         std::int64_t oy, std::int64_t rows, interval vectors) {
  constexpr std::int64_t columns = depthwise_vectors * Pixels, in_rows = Stride + K, in_columns = (columns - 1) * Stride + K;
  const std::int64_t iy = oy * Stride - s.pad_top;
  depthwise_tile_args t{};
  t.w = packed, t.channels = s.channels, t.vectors = vectors, t.range = range, t.rows = rows;
  t.line = s.width * s.channels, t.out_line = s.out_width * s.channels;
  t.first_row = nnrt::detail::clamped(-iy, 0, in_rows),
  t.last_row = nnrt::detail::clamped(s.height - iy, t.first_row, in_rows);
  const bool has_all_rows = rows == 2 && t.last_row - t.first_row == in_rows;
  for (std::int64_t ox = 0; ox < s.out_width; ox += columns) {
    const std::int64_t ix = ox * Stride - s.pad_left;
    t.x = advanced(address_of(x), iy * t.line + ix * s.channels);
    t.y = y + (oy * s.out_width + ox) * s.channels;
    t.columns = std::min<std::int64_t>(columns, s.out_width - ox);
    const std::int64_t left = nnrt::detail::clamped(-ix, 0, in_columns),
                       right = nnrt::detail::clamped(s.width - ix, left, in_columns);
    t.columns_inside = (1U << right) - (1U << left);
    if (has_all_rows && left == 0 && right == in_columns && t.columns == columns && Pixels * s.channels >= lanes)
      depthwise_tile<Isa, K, Stride, Pixels, false>(t);
    else depthwise_tile<Isa, K, Stride, Pixels, true>(t);
  }
}

// --- pixel by pixel -----------------------------------------------------------

/// The inputs of `count` output channels from o on; input channels lie at x.
inline vf load_inputs(const float* x, std::int64_t o, std::int64_t count, std::int64_t multiplier) {
  if (multiplier == 1) return load_first(x + o, count);
  float inputs[lanes] = {};
  std::int64_t c = o / multiplier, left = multiplier - o % multiplier;
  for (std::int64_t l = 0; l < count; ++l) {
    inputs[l] = x[c];
    if (--left == 0) ++c, left = multiplier;
  }
  return load(inputs);
}

/// The taps of one axis that lie in the image when the first lies at `start`.
constexpr interval taps_inside(std::int64_t start, std::int64_t extent, std::int64_t kernel, std::int64_t dilation) {
  const auto taps_before = [&](std::int64_t i) {
    return nnrt::detail::clamped((i + dilation - 1) / dilation, 0, kernel);
  };
  const std::int64_t first = start < 0 ? taps_before(-start) : 0;
  return {first, std::max(first, start < extent ? taps_before(extent - start) : 0)};
}

/// One output pixel, from the image's first float.
inline void depthwise_pixel(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                            std::int64_t oy, std::int64_t ox, interval vectors) {
  const std::int64_t iy = oy * s.stride_h - s.pad_top, ix = ox * s.stride_w - s.pad_left, out = s.out(),
                     count = std::min(lanes, out);
  const interval ky = taps_inside(iy, s.height, s.kernel_h, s.dilation_h),
                 kx = taps_inside(ix, s.width, s.kernel_w, s.dilation_w);
  const vf lo = broadcast(&range.lo), hi = broadcast(&range.hi);
  const address corner =
      advanced(address_of(x), ((iy + ky.begin * s.dilation_h) * s.width + ix + kx.begin * s.dilation_w) * s.channels);
  const std::int64_t tap = s.dilation_w * s.channels, line = s.dilation_h * s.width * s.channels;
  packed += vectors.begin * (s.taps() + 1) * lanes;
  for (std::int64_t v = vectors.begin; v < vectors.end; ++v, packed += (s.taps() + 1) * lanes) {
    const std::int64_t o = first_channel(v, out);
    vf sum = load(packed);
    address row = corner;
    for (std::int64_t i = ky.begin; i < ky.end; ++i, row = advanced(row, line)) {
      const float* w = packed + (i * s.kernel_w + kx.begin + 1) * lanes;
      address pixel = row;
      for (std::int64_t j = kx.begin; j < kx.end; ++j, pixel = advanced(pixel, tap), w += lanes)
        sum = fma(load_inputs(floats_at(pixel), o, count, s.multiplier), load(w), sum);
    }
    store_first(y + o, clamp(sum, lo, hi), count);
  }
}

template <class Isa>
void depthwise_row_pixels(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range,
                          std::int64_t oy, std::int64_t rows, interval vectors) {
  for (; rows > 0; --rows, ++oy)
    for (std::int64_t ox = 0; ox < s.out_width; ++ox)
      depthwise_pixel(s, x, packed, y + (oy * s.out_width + ox) * s.out(), range, oy, ox, vectors);
}

/// What a part makes: output rows of all images, and some of the vectors that hold the channels, in whole lines of `line` channels.
///
/// Layers are shared out as the products around them are, by pixels or by channels, so that a core reads what it has written itself; by channels only
/// where each part has some lines of them, or where rows are fewer than parts. Vectors that overlap, see first_channel(), are not shared out.
constexpr rectangle share_of_layer(const depthwise_shape& s, std::int64_t line, std::int64_t vectors, part p) {
  const std::int64_t rows = s.batch * s.out_height, lines = s.out() % line == 0 ? s.out() / line : 1;
  const std::int64_t tiles = row_tiles{rows * s.out_width}.count();
  const bool has_enough = lines >= 4 * p.count && !takes_rows(tiles, panels_of(s.out()), p.count);
  if (p.count == 1 || lines == 1 || (rows >= p.count && !has_enough)) return {share(rows, p), {0, vectors}};
  const interval mine = share(lines, p);
  return {{0, rows}, {mine.begin * (vectors / lines), mine.end * (vectors / lines)}};
}

}  // namespace detail

/// How the output is computed: tiles of pixels for square kernels of 3 or 5 and strides of 1 or 2, one pixel in a vector or two, else pixel by
/// pixel (kernel 0).
struct depthwise_method {
  int kernel = 0;
  int stride = 0;
  int pixels = 1;

  friend constexpr bool operator==(const depthwise_method&, const depthwise_method&) = default;
};

/// The fastest method for a shape, whatever the extents of its images; asked at plan time, so that a program has the methods that its layers
/// use and no others.
constexpr depthwise_method depthwise_method_of(const depthwise_shape& s) {
  const bool is_square = s.kernel_h == s.kernel_w && s.stride_h == s.stride_w;
  const bool has_tiles = is_square && s.dilation_h == 1 && s.dilation_w == 1 && s.multiplier == 1 && (s.channels >= lanes || masks_are_free);
  if (!has_tiles || (s.kernel_h != 3 && s.kernel_h != 5) || s.stride_h > 2) return {};
  const bool shares_vectors = has_halves && 2 * s.channels == lanes && s.stride_h == 1;
  return {static_cast<int>(s.kernel_h), static_cast<int>(s.stride_h), shares_vectors ? 2 : 1};
}

/// Floats that depthwise_pack() writes.
constexpr std::int64_t depthwise_packed_floats(const depthwise_shape& s) {
  return detail::channel_vectors(s.out()) * lanes * (s.taps() + 1);
}

/// Packs weights and bias [out] (null: zeros) to [vector of channels][bias, taps][lane]; where two pixels share a vector, its channels are there
/// for both.
///
/// \param w weights, those of an output channel `filter` floats behind those of the one before
///
/// \param place_of place_of(tap) is where a tap lies among the weights of its channel
template <class PlaceOf>
void depthwise_pack_taps(const depthwise_shape& s, const float* w, std::int64_t filter, PlaceOf place_of,
                         const float* bias, float* out) {
  const std::int64_t channels = s.out(), used = std::min(lanes, channels * depthwise_method_of(s).pixels);
  for (std::int64_t v = 0; v < detail::channel_vectors(channels); ++v) {
    const auto channel_of = [&](std::int64_t lane) { return detail::first_channel(v, channels) + (lane < channels ? lane : lane - channels); };
    for (std::int64_t l = 0; l < lanes; ++l) *out++ = l < used && bias != nullptr ? bias[channel_of(l)] : 0.0F;
    for (std::int64_t tap = 0; tap < s.taps(); ++tap)
      for (std::int64_t l = 0; l < lanes; ++l) *out++ = l < used ? w[channel_of(l) * filter + place_of(tap)] : 0.0F;
  }
}

/// The same for weights [out, kernel_h, kernel_w].
inline void depthwise_pack(const depthwise_shape& s, const float* w, const float* bias, float* out) {
  depthwise_pack_taps(s, w, s.taps(), [](std::int64_t tap) { return tap; }, bias, out);
}

/// y = clamp(depthwise_conv2d(x, w) + bias) by the method of this kernel, stride and pixels in a vector, which must be
/// depthwise_method_of(s).
///
/// Parts are output rows, or lines of channels; every division into parts gives the same bits. Taps outside the image are left out.
/// y must not overlap x.
///
/// \param packed what depthwise_pack() made of weights and bias
template <class Isa, int Kernel, int Stride, int Pixels>
void depthwise_by(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range = {}, part p = {}) {
  if (s.out_width <= 0 || s.out() <= 0) return;
  const rectangle work = detail::share_of_layer(s, std::max<std::int64_t>(lanes, 16), detail::channel_vectors(s.out()), p);
  std::int64_t rows = 0;
  for (std::int64_t done = work.rows.begin; done < work.rows.end; done += rows) {
    const std::int64_t image = done / s.out_height, oy = done % s.out_height;
    rows = std::min<std::int64_t>(2, std::min(s.out_height - oy, work.rows.end - done));
    const float* const from = x + image * s.height * s.width * s.channels;
    float* const to = y + image * s.out_height * s.out_width * s.out();
    if constexpr (Kernel == 0) detail::depthwise_row_pixels<Isa>(s, from, packed, to, range, oy, rows, work.columns);
    else detail::depthwise_row_tiles<Isa, Kernel, Stride, Pixels>(s, from, packed, to, range, oy, rows, work.columns);
  }
}

/// The same by the fastest method, chosen at run time.
template <class Isa = native>
void depthwise(const depthwise_shape& s, const float* x, const float* packed, float* y, clamp_range range = {}, part p = {}) {
  const depthwise_method method = depthwise_method_of(s);
  if constexpr (has_halves) {
    if (method.kernel == 3 && method.pixels == 2) return depthwise_by<Isa, 3, 1, 2>(s, x, packed, y, range, p);
    if (method.kernel == 5 && method.pixels == 2) return depthwise_by<Isa, 5, 1, 2>(s, x, packed, y, range, p);
  }
  if (method.kernel == 3 && method.stride == 1) return depthwise_by<Isa, 3, 1, 1>(s, x, packed, y, range, p);
  if (method.kernel == 3 && method.stride == 2) return depthwise_by<Isa, 3, 2, 1>(s, x, packed, y, range, p);
  if (method.kernel == 5 && method.stride == 1) return depthwise_by<Isa, 5, 1, 1>(s, x, packed, y, range, p);
  if (method.kernel == 5 && method.stride == 2) return depthwise_by<Isa, 5, 2, 1>(s, x, packed, y, range, p);
  depthwise_by<Isa, 0, 0, 1>(s, x, packed, y, range, p);
}

}  // namespace nnrt::inline NNRT_ISA::kernels
