// tile: register tiles of a matrix product: MR rows times NR columns of C stay in registers.
// Flow: f32/gemm/gemm.hpp and f32/conv/conv2d.hpp iterate over tiles; f32/gemm/pack.hpp packs B;
// f32/gemm/tables.hpp lists the functions.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/kernels/f32/gemm/pack.hpp>

#include <cstdint>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// Rows of C per register tile (MR), each of tile_vectors vectors; must be even, see tile_args.
/// 28 accumulators with 32 registers, 12 with 16. Machines with fma by lane keep four k of each row in a register, too:
/// 16 accumulators.
inline constexpr int mr = has_lane_products ? 8 : vector_registers == 32 ? 14 : 6;

// --- division of rows among tiles ------------------------------------------

namespace detail {
/// Row count of the tile function that computes `rows` rows. Functions exist for 1, 2, 4, 6, … rows.
constexpr std::int64_t function_rows(std::int64_t rows) { return rows == 1 ? 1 : (rows + 1) / 2 * 2; }
/// First row of the second half of a tile. With an odd number of rows, both halves contain the middle row.
constexpr std::int64_t second_half(std::int64_t rows) { return rows == 1 ? 0 : rows - function_rows(rows) / 2; }
}  // namespace detail

/// Divides m rows (or pixels of a line) into as few tiles as possible; the last tiles have two rows fewer than the
/// first. No tile is very small, two functions compute all tiles, and threads get equal work. The division follows from
/// m alone, so the order of summation does not depend on the number of threads.
class m_blocking {
  // number of tiles; number of larger tiles; rows of those; 1 if the last larger tile has one row less
  std::int64_t count_, larger_, max_, odd_;

 public:
  explicit constexpr m_blocking(std::int64_t m) : m_blocking(m, (m + mr - 1) / mr) {}
  /// Divides m rows into `tiles` tiles, which must be enough.
  constexpr m_blocking(std::int64_t m, std::int64_t tiles)
      : count_(tiles), larger_(tiles), max_(detail::function_rows(tiles <= 1 ? m : (m + tiles - 1) / tiles)), odd_(0) {
    const std::int64_t missing = max_ * tiles - m;
    larger_ -= missing / 2, odd_ = missing % 2;
  }

  constexpr std::int64_t count() const { return count_; }
  constexpr std::int64_t begin(std::int64_t tile) const {
    return tile < larger_ ? tile * max_ : tile * (max_ - 2) + 2 * larger_ - odd_;
  }
  constexpr std::int64_t rows(std::int64_t tile) const { return begin(tile + 1) - begin(tile); }
  /// Number of consecutive tiles, from this one, with the same number of rows.
  constexpr std::int64_t alike(std::int64_t tile) const {
    const std::int64_t whole = larger_ - odd_;
    return (tile < whole ? whole : tile < larger_ ? larger_ : count_) - tile;
  }
};

/// Divides the rows of a product into tiles: four instead of three partly filled ones, for equal work of two threads.
/// Three remain if four tiles would have fewer than 8 rows each: too few accumulators to hide the latency of fma.
constexpr m_blocking m_blocking_of(std::int64_t m) {
  return mr > 8 && m > 4 * 8 - 2 && m < 3 * mr ? m_blocking{m, 4} : m_blocking{m};
}

/// Distance between rows of `row_bytes` bytes that avoids 4K aliasing, in bytes; see rows_alias_4k().
constexpr std::int64_t bytes_apart(std::int64_t row_bytes) {
  return row_bytes > 0 && row_bytes % 4096 == 0 ? row_bytes + 64 : row_bytes;
}

/// True if the rows of a tile suffer from 4K aliasing.
/// If rows start a multiple of 4 KiB apart, the values of one k map to one set of L1 (8 or 12 ways). With 14 rows each
/// line is evicted before its next use, and products take a quarter longer. Copies of the rows are one line further
/// apart.
constexpr bool rows_alias_4k(std::int64_t rows, std::int64_t row_bytes, std::int64_t columns) {
  return bytes_apart(row_bytes) > row_bytes && std::min<std::int64_t>(rows, mr) > 12 && columns >= nr;
}

namespace detail {

// --- one tile ---------------------------------------------------------------

/// Arguments of one tile function: `runs` runs of k products. Values of A start run_stride floats apart; B is
/// contiguous. A plain product is one run; the runs of a convolution are the rows of its kernel. One call computes
/// `count` tiles of the same columns; the overhead of a call equals 8 products per element.
///
/// Rows come in two halves with separate base addresses. So a tile may span two image rows. A function for 14 rows also
/// serves 13: the halves overlap by one row, which is computed and stored twice. This halves the number of functions to
/// compile.
struct tile_args {
  address a = 0, a_second = 0;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t k = 0;
  float *c = nullptr, *c_second = nullptr;
  std::int64_t ldc = 0;
  const float* bias = nullptr;
  clamp_range range = {};
  std::int64_t last = f32_lanes;  // lanes in use in the last vector
  std::int64_t runs = 1, run_stride = 0;
  std::int64_t count = 1, a_step = 0, c_step = 0;  // tiles, and floats from one to the next
  address ahead = 0;                               // see panel_prefetch and bytes_ahead
  std::int64_t ahead_step = 0;                     // bytes per k
};

/// Bytes that a tile prefetches per k: whole cache lines, as many as the panel's weights of one k.
inline constexpr std::int64_t bytes_ahead = std::max<std::int64_t>(64, nr * 4);

/// Reads the rows of A one k at a time.
template <int Rows> struct row_cursor {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  strides step;

  explicit row_cursor(const tile_args& t) : first(t.a), second(t.a_second), step(t.lda) {}
  [[gnu::always_inline]] void advance(std::int64_t floats) {
    first = advanced(first, floats), second = advanced(second, floats);
  }
  /// The value of row `Row`, at offset `ahead` floats, in every lane.
  template <int Row> [[gnu::always_inline]] f32_vec value(int ahead) const { return broadcast(at<Row>() + ahead); }
  /// The value of row `Row`, as value(), for use in several products.
  template <int Row> [[gnu::always_inline]] f32_vec shared_value(int ahead) const {
    return broadcast_load(at<Row>() + ahead);
  }
  /// The values of f32_lanes consecutive k, one per lane.
  template <int Row> [[gnu::always_inline]] f32_vec values() const { return load(at<Row>()); }
  /// Two consecutive values, in every pair of lanes.
  template <int Row> [[gnu::always_inline]] f32_vec pair(int ahead) const { return broadcast_pair(at<Row>() + ahead); }

 private:
  template <int Row> [[gnu::always_inline]] const float* at() const {
    return floats_at(step.template from<Row % half>(Row < half ? first : second));
  }
};

/// Row addresses of C for a tile.
template <int Rows> struct output_rows {
  static constexpr int half = (Rows + 1) / 2;
  address first, second;
  std::int64_t ldc;

  explicit output_rows(const tile_args& t) : first(address_of(t.c)), second(address_of(t.c_second)), ldc(t.ldc) {}
  [[gnu::always_inline]] void advance(std::int64_t floats) {
    first = advanced(first, floats), second = advanced(second, floats);
  }
  template <int Row> [[gnu::always_inline]] float* at() const {
    return reinterpret_cast<float*>(advanced(Row < half ? first : second, Row % half * ldc));
  }
};

/// Number of accumulator sets: if a tile has too few accumulators to hide the latency of fma (two per cycle),
/// consecutive k go to different sets.
constexpr int sets_for(int accumulators) {
  constexpr int enough = 8;
  return (enough + accumulators - 1) / accumulators;
}

/// True if all tiles of one vector along mr rows or more use the same number of sets, hence the same order of
/// summation.
constexpr bool narrow_tiles_sum_alike() {
  for (std::int64_t m = mr; m < 4 * mr; ++m) {
    const m_blocking tiles{m};
    for (std::int64_t i = 0; i < tiles.count(); ++i)
      if (sets_for(static_cast<int>(function_rows(tiles.rows(i)))) != sets_for(mr)) return false;
  }
  return true;
}

/// Loop unrolling of a tile, in k. With 16 registers there are only 12 accumulators, and loop overhead is a quarter of
/// all instructions. It limits throughput if the core's other hardware thread takes half of the decode cycles.
constexpr int k_of_a_turn(int accumulators) {
  return vector_registers == 16 && f32_lanes == 8 && sets_for(accumulators) == 1 ? 8 : 1;
}

/// Accumulators of a tile with 1 or 2 full vectors per row. `step`: number of k per vector of weights.
template <int Vectors, class Rows> struct sums;
template <int Vectors, int... Row> struct sums<Vectors, std::integer_sequence<int, Row...>> {
  static_assert(Vectors == 1 || Vectors == 2);
  static constexpr int rows = sizeof...(Row), accumulators = rows * Vectors, step = 1;
  static constexpr std::int64_t columns = Vectors * f32_lanes;  // of a panel
  f32_vec of[Vectors][rows];

  [[gnu::always_inline]] void start(const float* bias) {
    const f32_vec first = load(bias), last = load(bias + (Vectors - 1) * f32_lanes);
    ((of[0][Row] = first, of[Vectors - 1][Row] = last), ...);
  }
  [[gnu::always_inline]] void start() { ((of[0][Row] = f32_vec(0.0F), of[Vectors - 1][Row] = f32_vec(0.0F)), ...); }
  [[gnu::always_inline]] void add_products(const row_cursor<rows>& a, const float* b, int ahead) {
    f32_vec b0 = load(b), b1 = load(b + (Vectors - 1) * f32_lanes);
    optimization_barrier(b0), optimization_barrier(b1);
    if constexpr (Vectors == 1) ((of[0][Row] = fma(a.template value<Row>(ahead), b0, of[0][Row])), ...);
    else (add_row(of[0][Row], of[1][Row], a.template shared_value<Row>(ahead), b0, b1), ...);
  }
  /// add_products() of a single row whose value is x.
  [[gnu::always_inline]] void add_products_of(f32_vec x, const float* b) {
    add_row(of[0][0], of[1][0], x, load(b), load(b + f32_lanes));
  }
  /// Adds four k, taken from the lanes of one vector per row; k go to the sets in turn.
  template <int Sets>
  [[gnu::always_inline]] static void add_four(sums (&to)[Sets], const row_cursor<rows>& a, const float* b) {
    const f32_vec x[] = {a.template values<Row>()...};
    each<4>([&](auto i) __attribute__((always_inline)) {
      const f32_vec b0 = load(b + i * columns), b1 = load(b + i * columns + (Vectors - 1) * f32_lanes);
      sums& sum = to[i % Sets];
      ((sum.of[0][Row] = fma_lane<i>(b0, x[Row], sum.of[0][Row])), ...);
      if constexpr (Vectors == 2) ((sum.of[1][Row] = fma_lane<i>(b1, x[Row], sum.of[1][Row])), ...);
    });
  }
  [[gnu::always_inline]] void add(const sums& other) {
    ((of[0][Row] = of[0][Row] + other.of[0][Row]), ...);
    if constexpr (Vectors == 2) ((of[1][Row] = of[1][Row] + other.of[1][Row]), ...);
  }
  [[gnu::always_inline]] void store(const tile_args& t, const output_rows<rows>& c) const {
    const f32_vec lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    if constexpr (Vectors == 2) (kernels::store(c.template at<Row>(), clamp(of[0][Row], lo, hi)), ...);
    if (t.last == f32_lanes)
      (kernels::store(c.template at<Row>() + (Vectors - 1) * f32_lanes, clamp(of[Vectors - 1][Row], lo, hi)), ...);
    else if constexpr (masks_are_free || rows == 1)
      (store_n(c.template at<Row>() + (Vectors - 1) * f32_lanes, clamp(of[Vectors - 1][Row], lo, hi), t.last), ...);
    // In a loop: without masked stores a partial store is three branches, compiled once and not per row.
    else {
      f32_vec last_of[] = {of[Vectors - 1][Row]...};
      float* const last_at[] = {c.template at<Row>()...};
      for (int r = 0; r < rows; ++r) store_n(last_at[r] + (Vectors - 1) * f32_lanes, clamp(last_of[r], lo, hi), t.last);
    }
  }

 private:
  [[gnu::always_inline]] static void add_row(f32_vec& to_first, f32_vec& to_last, f32_vec x, f32_vec b0, f32_vec b1) {
    add_product(to_first, x, b0);
    add_product(to_last, x, b1);
  }
};

/// Accumulators of a tile with one and a half vectors per row; two rows share one vector for their halves. See
/// ends_in_half_vector().
template <class Pairs> struct sums_and_half;
template <int... Pair> struct sums_and_half<std::integer_sequence<int, Pair...>> {
  static constexpr int pairs = sizeof...(Pair), rows = 2 * pairs, accumulators = rows + pairs, step = 1;
  static constexpr std::int64_t columns = 2 * f32_lanes;
  f32_vec of[rows], halves[pairs];

  [[gnu::always_inline]] void start(const float* bias) {
    const f32_vec whole = load(bias), half = load_half_twice(bias + f32_lanes);
    ((of[2 * Pair] = whole, of[2 * Pair + 1] = whole, halves[Pair] = half), ...);
  }
  [[gnu::always_inline]] void add_products(const row_cursor<rows>& a, const float* b, int ahead) {
    const f32_vec b0 = load(b), b1 = load(b + f32_lanes);
    (add_pair<Pair>(a.template shared_value<2 * Pair>(ahead), a.template shared_value<2 * Pair + 1>(ahead), b0, b1),
     ...);
  }
  [[gnu::always_inline]] void store(const tile_args& t, const output_rows<rows>& c) const {
    const f32_vec lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    (store_pair<Pair>(c.template at<2 * Pair>(), c.template at<2 * Pair + 1>(), lo, hi, t.last), ...);
  }

 private:
  template <int P> [[gnu::always_inline]] void add_pair(f32_vec x0, f32_vec x1, f32_vec b0, f32_vec b1) {
    of[2 * P] = fma(x0, b0, of[2 * P]);
    of[2 * P + 1] = fma(x1, b0, of[2 * P + 1]);
    halves[P] = fma(blend_halves(x0, x1), b1, halves[P]);
  }
  template <int P>
  [[gnu::always_inline]] void store_pair(float* c0, float* c1, f32_vec lo, f32_vec hi, std::int64_t last) const {
    kernels::store(c0, clamp(of[2 * P], lo, hi));
    kernels::store(c1, clamp(of[2 * P + 1], lo, hi));
    store_halves(c0 + f32_lanes, c1 + f32_lanes, clamp(halves[P], lo, hi), last);
  }
};

/// Accumulators of a tile with half a vector per row: pairs of lanes hold the sums of even and of odd k. See
/// is_lane_paired().
template <class Rows> struct sums_of_pairs;
template <int... Row> struct sums_of_pairs<std::integer_sequence<int, Row...>> {
  static constexpr int rows = sizeof...(Row), accumulators = rows, step = 2;
  static constexpr std::int64_t columns = f32_lanes;
  f32_vec of[rows];

  [[gnu::always_inline]] void start(const float* bias) { fill(pair_lanes(load(bias), f32_vec(0.0F))); }
  [[gnu::always_inline]] void start() { fill(f32_vec(0.0F)); }
  [[gnu::always_inline]] void add_products(const row_cursor<rows>& a, const float* b, int ahead) {
    const f32_vec weights = load(b);
    ((of[Row] = fma(a.template pair<Row>(ahead), weights, of[Row])), ...);
  }
  [[gnu::always_inline]] void add_single(const row_cursor<rows>& a, const float* b) {
    const f32_vec weights = load(b);
    ((of[Row] = fma(a.template value<Row>(0), weights, of[Row])), ...);
  }
  [[gnu::always_inline]] void add(const sums_of_pairs& other) { ((of[Row] = of[Row] + other.of[Row]), ...); }
  [[gnu::always_inline]] void store(const tile_args& t, const output_rows<rows>& c) const {
    const f32_vec lo = broadcast(&t.range.lo), hi = broadcast(&t.range.hi);
    (store_two<Row>(t, c, lo, hi), ...);
  }

 private:
  [[gnu::always_inline]] void fill(f32_vec x) { ((of[Row] = x), ...); }
  /// Stores an even row and the next one; for a single row both halves are stored at the same address.
  template <int R>
  [[gnu::always_inline]] void store_two(const tile_args& t, const output_rows<rows>& c, f32_vec lo, f32_vec hi) const {
    constexpr int next = R + 1 < rows ? R + 1 : R;
    if constexpr (R % 2 == 0)
      store_halves(c.template at<R>(), c.template at<next>(), clamp(sums_of_lane_pairs(of[R], of[next]), lo, hi),
                   t.last);
  }
};

/// True if a tile has free load slots for prefetches: two vectors per row and 12 or more accumulators (8 or more with
/// 16 registers, for the tiles of 4 rows).
template <class Sums>
inline constexpr bool may_fetch =
    Sums::accumulators >= (vector_registers == 32 ? 12 : 8) && Sums::accumulators > Sums::rows;

/// Prefetches bytes_ahead bytes for each of `Count` k; addresses advance by `step` bytes per k.
template <class Sums, int Count> [[gnu::always_inline]] inline void fetch_ahead(address& ahead, std::int64_t step) {
  if constexpr (may_fetch<Sums>) {
    if (Count > 4 && step == 0) return;  // nothing to prefetch
    each<Count>([&](int i) __attribute__((always_inline)) {
      for (std::int64_t line = 0; line < bytes_ahead; line += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(ahead + static_cast<address>(i * step + line)), 0, 2);
    });
    ahead += static_cast<address>(Count * step);
  }
}

/// Computes `t.count` tiles with accumulators of type `Sums`: bias, products of all runs, clamp, store.
// One function: if the loops over a run are a second one, which is inlined, clang 16 makes up to 83 instructions more
// of a tile for AVX2.
template <class Isa, class Sums> [[gnu::noinline]] void tile(const tile_args& t) {
  constexpr int sets = sets_for(Sums::accumulators), step = Sums::step,
                turn = step == 1 ? k_of_a_turn(Sums::accumulators) : 1;
  row_cursor<Sums::rows> a(t);
  output_rows<Sums::rows> c(t);
  address ahead = t.ahead;
  const std::int64_t a_step = t.a_step - t.runs * t.run_stride;  // from the end of the last run
  for (std::int64_t left = t.count; left > 0; --left) {
    Sums sum[sets];
    sum[0].start(t.bias);
    if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[s + 1].start(); });
    const float* b = t.b;
    for (std::int64_t run = t.runs; run > 0; --run) {
      const float* const end = b + t.k / step * Sums::columns;
      if constexpr (has_lane_products && 4 % sets == 0) {
        for (const float* const whole = b + t.k / 4 * (4 * Sums::columns); b != whole;
             b += 4 * Sums::columns, a.advance(4)) {
          fetch_ahead<Sums, 4>(ahead, t.ahead_step);
          Sums::add_four(sum, a, b);
        }
      } else if constexpr (sets > 1) {
        for (const float* const whole = b + t.k / (sets * step) * (sets * Sums::columns); b != whole;
             b += sets * Sums::columns, a.advance(sets * step))
          each<sets>([&](int s)
                         __attribute__((always_inline)) { sum[s].add_products(a, b + s * Sums::columns, s * step); });
      }
      if constexpr (turn > 1) {
        for (const float* const whole = b + t.k / turn * (turn * Sums::columns); b != whole;
             b += turn * Sums::columns, a.advance(turn)) {
          fetch_ahead<Sums, turn>(ahead, t.ahead_step);
          each<turn>([&](int i) __attribute__((always_inline)) { sum[0].add_products(a, b + i * Sums::columns, i); });
        }
      }
      for (; b != end; b += Sums::columns, a.advance(step)) {
        fetch_ahead<Sums, 1>(ahead, t.ahead_step);
        sum[0].add_products(a, b, 0);
      }
      if constexpr (step == 2)
        if (t.k % 2 != 0) sum[0].add_single(a, b), b += Sums::columns, a.advance(1);
      a.advance(t.run_stride - t.k);
    }
    if constexpr (sets > 1) each<sets - 1>([&](int s) __attribute__((always_inline)) { sum[0].add(sum[s + 1]); });
    sum[0].store(t, c);
    a.advance(a_step), c.advance(t.c_step);
  }
}

/// True if single rows may be computed in two full panels at once. Each panel then uses as many sets as in a tile of
/// one panel, so that results do not depend on the pairing of panels.
inline constexpr bool has_rows_of_two_panels = vector_registers == 32 && !has_lane_products;

/// Computes one row of one run in `count` pairs of adjacent panels.
/// A single row reads each weight once, so loop overhead matters: pairs take a tenth less time if weights come from L2
/// (128 rows, on an Intel core).
template <class Isa> [[gnu::noinline]] void row_of_two_panels(const tile_args& t) {
  using panel = sums<tile_vectors, std::integer_sequence<int, 0>>;
  constexpr int sets = sets_for(panel::accumulators);
  const std::int64_t step = t.k * nr;  // from a panel to the next
  const float *b = t.b, *bias = t.bias;
  output_rows<1> c(t);
  for (std::int64_t left = t.count; left > 0; --left, b += step, bias += 2 * nr) {
    panel first[sets], second[sets];
    first[0].start(bias), second[0].start(bias + nr);
    each<sets - 1>([&](int s) __attribute__((always_inline)) { first[s + 1].start(), second[s + 1].start(); });
    row_cursor<1> a(t);
    const auto add = [&](int set, int ahead) __attribute__((always_inline)) {
      const f32_vec x = a.template shared_value<0>(ahead);
      const float* const at = b + ahead * nr;
      first[set].add_products_of(x, at), second[set].add_products_of(x, at + step);
    };
    const float* const end = b + step;
    for (const float* const whole = b + t.k / sets * (sets * nr); b != whole; b += sets * nr, a.advance(sets))
      each<sets>([&](int s) __attribute__((always_inline)) { add(s, s); });
    for (; b != end; b += nr, a.advance(1)) add(0, 0);
    each<sets - 1>([&](int s)
                       __attribute__((always_inline)) { first[0].add(first[s + 1]), second[0].add(second[s + 1]); });
    first[0].store(t, c), c.advance(nr);
    second[0].store(t, c), c.advance(nr);
  }
}

using tile_function = void (*)(const tile_args&);

template <int N> using first_integers = std::make_integer_sequence<int, N>;

/// Number of functions: for 1, 2, 4, 6, … rows.
inline constexpr int row_counts = mr / 2 + 1;

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
