// random_node: see the header. What an operand may look like follows from its row of the signature, from the operands
// before it and from chance; the rules choose what is kept, so no operator is known here by its name.
#include "battery/random_node.hpp"

#include <nnrt/ir/dump.hpp>

#include "support/attribute_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

namespace nnrt_test {

namespace {

using numbers_t = std::vector<std::int64_t>;

constexpr std::int64_t most_elements = 3000, max_macs = 200'000;
constexpr std::int64_t lowest_number = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest_number = std::numeric_limits<std::int64_t>::max();

// --- shapes ----------------------------------------------------------------

/// Mostly small; none, or longer than vectors and blocks of kernels are, now and then.
std::int64_t any_extent(dice& random) {
  if (random.once_in(60)) return 0;
  return random.once_in(50) ? random.between(7, 300) : random.between(1, 6);
}

shape_t any_shape(shape_wish wish, dice& random) {
  const bool is_of_max_rank = wish == shape_wish::max_rank;
  const int rank = is_of_max_rank ? max_rank : random.once_in(2) ? 4 : random.below(6);
  shape_t shape;
  for (int i = 0; i < rank; ++i) shape.push_back(is_of_max_rank ? random.between(1, 2) : any_extent(random));
  if (wish == shape_wish::empty && rank > 0) shape[random.below(rank)] = 0;
  return shape;
}

/// How an operand's shape may follow from that of another one.
enum class likeness {
  same,
  repeated_along_axes,
  inner_axes,
  one_axis,
  scalar,
  one_number,
  another_extent,
  filters,
  matrix,
  matrix_partner,
  none_at_all,
  count
};

shape_t filters_for(const shape_t& image, dice& random) {
  const std::int64_t channels = image.rank > 0 ? image[-1] : 1;
  const std::int64_t inner = random.once_in(3) ? 1 : channels / random.between(1, 3);
  const std::int64_t outer = random.once_in(3) ? channels * random.between(1, 2) : random.between(1, 6);
  return {outer, random.between(1, 3), random.between(1, 3), inner};
}

/// The other factor of a matrix product: batches unchanged or repeated, rows or columns that fit.
shape_t partner_of(const shape_t& matrix, dice& random) {
  if (matrix.rank < 2) return matrix;
  shape_t other = matrix;
  other[-2] = matrix[-1], other[-1] = random.between(1, 6);
  if (random.once_in(2)) std::swap(other[-1], other[-2]);
  if (random.once_in(3)) other = {other[-2], other[-1]};
  return other;
}

shape_t like(likeness how, const shape_t& from, shape_wish wish, dice& random) {
  shape_t shape = from;
  const int axis = from.rank > 0 ? random.below(from.rank) : 0;
  switch (how) {
    case likeness::same: return from;
    case likeness::repeated_along_axes:
      for (int i = 0; i < shape.rank; ++i)
        if (random.once_in(2)) shape[i] = 1;
      return shape;
    case likeness::inner_axes:
      shape = {};
      for (int i = axis; i < from.rank; ++i) shape.push_back(from[i]);
      return shape;
    case likeness::one_axis:
      return from.rank == 0 ? shape_t{} : shape_t{from[random.once_in(2) ? from.rank - 1 : axis]};
    case likeness::scalar: return {};
    case likeness::one_number: return {1};
    case likeness::another_extent:
      if (shape.rank > 0) shape[axis] = random.between(1, 6);
      return shape;
    case likeness::filters: return filters_for(from, random);
    case likeness::matrix: return {random.between(1, 6), from.elements(axis)};
    case likeness::matrix_partner: return partner_of(from, random);
    case likeness::none_at_all:
    case likeness::count: break;
  }
  return any_shape(wish, random);
}
likeness any_likeness(dice& random) { return static_cast<likeness>(random.below(static_cast<int>(likeness::count))); }

/// Gates of a recurrent layer whose weights have the rows of all gates.
std::int64_t gates_of(const operator_info& op) { return op.name == "gru" ? 3 : 4; }

/// Operands whose shapes follow from those of two others: no likeness to one of them makes such. They are known by
/// their roles: boxes with scores, anchors and thresholds, what a recurrent layer reads in addition to its steps, and
/// what a layer adds to its sums.
std::optional<shape_t> like_partners(const operator_info& op, std::string_view role, const std::vector<shape_t>& before,
                                     dice& random) {
  const shape_t first = before.empty() ? shape_t{} : before[0];
  if (role == "boxes")
    return random.once_in(2) ? shape_t{any_extent(random), 4} : shape_t{any_extent(random), any_extent(random), 4};
  if (role == "scores_of_boxes" && first.rank > 1)
    return first.rank == 2 ? shape_t{first[0]} : shape_t{first[0], random.between(1, 3), first[1]};
  if (role == "iou_threshold" || role == "score_threshold" || role == "sigma")
    return random.once_in(2) ? shape_t{} : shape_t{1};
  if (role == "bbox") return shape_t{any_extent(random), any_extent(random), 4};
  if (role == "anchors" && first.rank > 1) return shape_t{first[1], 4};
  if (role == "scores" && first.rank > 1) return shape_t{first[0], first[1], random.between(1, 5)};
  if (role == "w_ih" && first.rank > 2)
    return shape_t{random.between(1, 2), gates_of(op) * random.between(1, 3), first[2]};
  if (role == "weight" && first.rank == 4)
    return random.once_in(2) ? shape_t{random.between(1, 5), 1, 1, first[3]} : filters_for(first, random);
  if (role == "addend" && first.rank == 4 && before.size() > 1 && before[1].rank == 4)
    return shape_t{first[0], first[1], first[2], before[1][0]};
  if (before.size() < 2 || before[1].rank != 3) return std::nullopt;
  const std::int64_t directions = before[1][0], gates = before[1][1], hidden = gates / gates_of(op);
  if (role == "w_hh") return shape_t{directions, gates, hidden};
  if (role == "bias" && before.size() == 3 && before[2].rank == 3 && before[2][1] == gates_of(op) * before[2][2])
    return shape_t{directions, 2 * gates};
  if ((role == "hx" || role == "cx") && first.rank > 1) return shape_t{directions, first[1], hidden};
  return std::nullopt;
}

// --- lists of integers -----------------------------------------------------

numbers_t many(std::size_t count, std::int64_t least, std::int64_t most, dice& random) {
  numbers_t list(count);
  for (std::int64_t& number : list) number = random.between(least, most);
  return list;
}

/// Extents with this product, of which one may be left to be inferred.
numbers_t factors_of(std::int64_t product, dice& random) {
  numbers_t list;
  while (random.below(3) > 0 && list.size() < 4) {
    const std::int64_t factor = random.between(1, 6);
    if (product % factor != 0) continue;
    list.push_back(factor);
    product /= factor;
  }
  list.push_back(random.once_in(4) ? -1 : product);
  return list;
}
/// Positive numbers with this sum.
numbers_t parts_of(std::int64_t sum, dice& random) {
  numbers_t list;
  while (sum > 0) sum -= list.emplace_back(random.between(1, sum));
  return list;
}
numbers_t some_axes(int rank, dice& random) {
  numbers_t list(static_cast<std::size_t>(rank));
  std::iota(list.begin(), list.end(), 0);
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  if (random.once_in(2)) list.resize(static_cast<std::size_t>(random.below(rank + 1)));
  for (std::int64_t& axis : list)
    if (random.once_in(4)) axis -= rank;
  return list;
}

/// Numbers as operators ask for them, about a tensor of this shape: axes, permutations, extents, places, steps.
numbers_t any_list(const shape_t& x, dice& random) {
  const auto rank = static_cast<std::size_t>(x.rank);
  numbers_t list;
  switch (random.below(9)) {
    case 0: return some_axes(x.rank, random);
    case 1: return {random.between(-x.rank - 1, x.rank + 1)};
    case 2: return {random.between(0, 13)};
    case 3: return factors_of(x.elements(), random);
    case 4:
      for (const std::int64_t extent : x) list.push_back(random.between(0, std::max<std::int64_t>(extent - 1, 0)));
      return list;
    case 5:
      for (const std::int64_t extent : x)
        list.push_back(random.once_in(4) ? -1 : random.between(1, std::max<std::int64_t>(extent, 1)));
      return list;
    case 6: return many(rank, 1, 3, random);
    case 7: return many(2 * rank, 0, 2, random);
    default:
      for (std::size_t i = 0; i < rank; ++i) list.push_back(random.one_of({-2, -1, 1, 1, 2}));
      return list;
  }
}

/// A random list for an attribute; also of the lengths that attributes have.
numbers_t any_attribute_list(const shape_t& x, dice& random) {
  switch (random.below(5)) {
    case 0: return many(2, 1, 3, random);
    case 1: return many(static_cast<std::size_t>(random.one_of({2, 4})), 0, 1, random);
    case 2: return x.rank == 0 ? numbers_t{} : parts_of(x[random.below(x.rank)], random);
    default: return any_list(x, random);
  }
}

// --- attributes ------------------------------------------------------------

/// How many numbers the list of this name takes; its type alone knows, so it is tried out.
std::size_t capacity_of(const operator_info& op, std::string_view name) {
  static std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
  const auto [place, is_new] = known.try_emplace({op.name, name}, 0);
  if (!is_new) return place->second;
  std::size_t count = 0;
  for (bool fits = true; fits && count < 65; ++count) {
    std::vector<word> words = default_words(op);
    set_attribute(op, words, {name, numbers_t(count + 1, 0)});
    fits = is_well_formed(op, words);
  }
  return place->second = count - 1;
}

void append_attribute(std::vector<word>& words, const operator_info& op, const attribute_field& field, const shape_t& x,
                      dice& random) {
  switch (field.kind) {
    case attribute_kind::flag: words.push_back(random.below(2)); return;
    case attribute_kind::real:
      words.push_back(std::bit_cast<std::int32_t>(random.one_of({0.0F, 1.0F, -1.0F, 0.5F, 2.0F, 1e-3F, 6.0F})));
      return;
    case attribute_kind::fused:
    case attribute_kind::choice: words.push_back(random.below(3)); return;
    case attribute_kind::extent: words.insert(words.end(), {random.between(1, 3), random.between(1, 3)}); return;
    case attribute_kind::padding: {
      const int mode = random.below(3);  // 0: explicit pads
      words.push_back(mode);
      for (int side = 0; side < 4; ++side) words.push_back(mode == 0 ? random.below(3) : 0);
      return;
    }
    case attribute_kind::list: {
      const numbers_t list = any_attribute_list(x, random);
      words.push_back(static_cast<word>(std::min(list.size(), capacity_of(op, field.name))));
      words.insert(words.end(), list.begin(), list.begin() + words.back());
      return;
    }
    case attribute_kind::reals: {
      const std::size_t count = capacity_of(op, field.name);
      words.push_back(static_cast<word>(count));
      for (std::size_t i = 0; i < count; ++i)
        words.push_back(std::bit_cast<std::int32_t>(random.one_of({1.0F, 5.0F, 10.0F, 0.5F})));
      return;
    }
    case attribute_kind::integer:
      words.push_back(random.once_in(2) ? random.between(-3, 6) : random.between(0, 13));  // axes, counts; dtypes
      return;
  }
}

/// Each attribute as it is by default, or, as often, another one.
std::vector<word> words_for(const operator_info& op, const shape_t& x, dice& random) {
  const std::vector<word> defaults = default_words(op);
  std::vector<word> words;
  std::size_t at = 0;
  for (const attribute_field& field : op.label->attributes) {
    const std::size_t count = words_of(field.kind, array_ref<const word>(defaults).subspan(at));
    // Of many, most are unchanged: else hardly any node would be accepted.
    if (random.once_in(op.label->attributes.size() < 8 ? 2 : 4)) append_attribute(words, op, field, x, random);
    else
      words.insert(words.end(), defaults.begin() + static_cast<std::ptrdiff_t>(at),
                   defaults.begin() + static_cast<std::ptrdiff_t>(at + count));
    at += count;
  }
  return words;
}

// --- quantisation ----------------------------------------------------------

/// Mostly one of layers that were trained; any from 1e-30 to 1e30 now and then.
float any_scale(dice& random) {
  return static_cast<float>(random.once_in(12) ? std::pow(10.0, random.real(-30, 30)) : random.real(0.01, 0.5));
}

/// Any scale, or one of those that some functions have for results between -1 and 1, or 0 and 1.
quantisation any_quantisation(dtype type, dice& random) {
  if (random.once_in(3))
    return random.one_of(
        {quant{0x1p-8F, type == i8 ? -128 : 0}, quant{0x1p-7F, type == u8 ? 128 : 0}, quant{0x1p-15F, 0}});
  const std::int64_t lowest = type == u8 ? 0 : -100, highest = type == u8 ? 200 : 100;
  const bool has_zero_point = size_of(type) == 1 && !random.once_in(3);
  return quant{any_scale(random), static_cast<std::int32_t>(has_zero_point ? random.between(lowest, highest) : 0)};
}

/// Scales for integers of 8 and 16 bits: the same for all, one for each, or one for each index of the first axis.
void quantise(random_node& made, dtype computed, dice& random, bool is_first_given) {
  if (made.op->traits.quantised == quantised_values::refused || random.once_in(4)) return;
  const bool is_shared = random.once_in(3);
  const quantisation shared = is_first_given ? made.in[0].desc.quantised : any_quantisation(computed, random);
  for (std::size_t i = is_first_given ? 1 : 0; i < made.in.size(); ++i) {
    random_operand& x = made.in[i];
    if (x.desc.type == dtype::none || !types::quantised.contains(x.desc.type)) continue;
    if (x.desc.type == i32 && computed != i32) continue;  // sums that start at a bias: its scale is not looked at
    x.desc.quantised = is_shared ? shared : any_quantisation(x.desc.type, random);
    if (i == 0 || x.desc.rank() == 0 || x.desc.shape[0] == 0 || !random.once_in(3)) continue;
    x.desc.quantised = per_channel<0>;
    for (std::int64_t k = 0; k < x.desc.shape[0]; ++k) x.scales.push_back(any_scale(random));
  }
  for (std::size_t i = 0; i < made.op->outputs.size(); ++i) {
    made.wanted.emplace_back();
    if (!random.once_in(3)) made.wanted.back().quantised = is_shared ? shared : any_quantisation(computed, random);
  }
}

// --- elements --------------------------------------------------------------

template <class T> T any_number(dice& random) {
  if constexpr (std::is_same_v<T, bool>) return random.once_in(2);
  else if constexpr (std::is_integral_v<T>) {
    if (sizeof(T) > 1 && !random.once_in(4)) return static_cast<T>(random.between(std::is_signed_v<T> ? -50 : 0, 50));
    return static_cast<T>(random.between(lowest_number, highest_number));
  } else return static_cast<T>(random.real(-4, 4));
}

/// NaN, infinities, zeros, a number too small to be normal; of integers there is none.
template <class T> T special_number(T otherwise, dice& random) {
  if constexpr (std::is_integral_v<T>) return otherwise;
  else {
    constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    return static_cast<T>(random.one_of({nan, infinity, -infinity, 0.0, -0.0, 1e-40}));
  }
}

/// Numbers of operands that name places: small ones, or, now and then, such as count from the end.
std::int64_t any_place(const shape_t& x, dice& random) {
  std::int64_t least = 6;
  for (const std::int64_t extent : x) least = std::min(least, extent);
  least = std::max<std::int64_t>(least, 1);
  return random.once_in(8) ? random.between(-least, least - 1) : random.between(0, least - 1);
}

void fill(random_operand& x, const operand_spec& row, const shape_t& first, bool is_weight, dice& random) {
  const std::int64_t n = x.desc.elements();
  x.bytes.resize(static_cast<std::size_t>(x.desc.bytes()));
  const bool are_places = !row.constant && (row.accepts.bits & ~types::index.bits) == 0;
  // Kernels multiply weights with the zeros of a padding, references do not: weights are finite.
  const bool has_special_numbers = !is_weight && random.once_in(6);
  with_element<types::any>(x.desc.type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < n; ++i) {
      T element = any_number<T>(random);
      if (has_special_numbers && random.once_in(8)) element = special_number<T>(element, random);
      if (!x.values.empty()) element = static_cast<T>(x.values[static_cast<std::size_t>(i)]);
      else if (are_places) element = static_cast<T>(any_place(first, random));
      // The one operand whose numbers cannot be negative.
      else if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, float16>) {
        if (row.role == "variance") element = static_cast<T>(std::fabs(static_cast<double>(element)) + 0.1);
      }
      std::memcpy(x.bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &element, sizeof(T));
    }
  });
}

/// Constants of few integers are known to the rules; those that no list was made for have any.
void make_known(random_operand& x, dice& random) {
  if (!x.is_constant || !x.values.empty() || x.desc.elements() > 256) return;
  with_element<types::integer | types::logical>(x.desc.type, [&]<class T>(T) {
    for (std::int64_t i = 0; i < x.desc.elements(); ++i)
      x.values.push_back(static_cast<std::int64_t>(any_number<T>(random)));
  });
}

// --- operands --------------------------------------------------------------

random_operand constant_list(const operand_spec& row, const shape_t& first, dice& random) {
  random_operand x;
  x.is_constant = true;
  x.values = any_list(first, random);
  const auto count = static_cast<std::int64_t>(x.values.size());
  shape_t shape{count};
  if (count == 1 && random.once_in(2)) shape = {};
  if (count > 0 && count % 2 == 0 && random.once_in(4)) shape = {count / 2, 2};
  x.desc = {random.one_of(row.accepts), shape};
  with_element<types::integer>(x.desc.type, [&]<class T>(T) {  // such as there are
    for (std::int64_t& value : x.values) value = static_cast<std::int64_t>(static_cast<T>(value));
  });
  return x;
}

/// How many operands there are for each row of the signature.
std::vector<std::size_t> rows_of(const operator_info& op, dice& random) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < op.inputs.size(); ++i)
    for (int more = op.inputs[i].given == presence::variadic ? 1 + random.below(4) : 1; more > 0; --more)
      rows.push_back(i);
  while (!rows.empty() && op.inputs[rows.back()].given == presence::optional && random.once_in(3)) rows.pop_back();
  return rows;
}

/// An operand of one scale, which the rules of an operator name; elements are those that it has.
void make_scaled(random_operand& x, float scale, std::int64_t zero_point = 0) {
  x.desc.quantised = quant{scale, static_cast<std::int32_t>(zero_point)};
  x.scales.clear();
}

/// Operators that go from state to state: too many operands whose shapes, dtypes and scales follow from others for
/// chance to find them. Now and then one of these is another one.
void make_recurrent(random_node& made, dtype computed, dice& random) {
  const operator_info& op = *made.op;
  const std::string_view role = op.inputs.size() > 1 ? op.inputs[1].role : "";
  const bool is_svdf = role == "features", is_cell = role == "w" && computed == u8, is_rnn = role == "w" && !is_cell,
             is_lstm = role == "w_i";
  if (!(is_svdf || is_rnn || is_lstm || is_cell) || random.once_in(8)) return;
  const std::int64_t batch = random.between(1, 3), steps = random.between(0, 4), inputs = any_extent(random) % 40,
                     cells = random.between(1, 6);
  const bool is_quantised = computed != f32, is_wide = computed == i16;
  const bool is_coupled = random.once_in(3) && !is_wide, has_peepholes = random.once_in(2) && !is_wide,
             has_factors = random.once_in(3) && !is_wide;
  const bool is_projected = random.once_in(2) && !is_wide;
  const std::int64_t outputs = is_projected ? random.between(1, 6) : cells, rank = random.between(1, 3),
                     memory = random.between(1, 4);
  const bool time_major = !is_svdf && !is_cell && made.words[0] != 0;
  const auto set = [&](std::size_t i, dtype type, const shape_t& shape, bool is_there = true) {
    random_operand& x = made.in[i];
    x = {};
    if (!is_there) return;
    x.desc = {type, shape};
    x.is_constant = random.once_in(2);
    if (is_quantised && types_of(i8, i16).contains(type)) make_scaled(x, static_cast<float>(random.real(0.001, 0.02)));
  };
  made.in.resize(op.inputs.size());
  const dtype weight = is_quantised ? i8 : f32, vector = is_quantised ? i16 : f32,
              bias = is_wide        ? i64
                     : is_quantised ? i32
                                    : f32;
  const shape_t sequence = time_major ? shape_t{steps, batch, inputs} : shape_t{batch, steps, inputs};
  set(0, computed, is_svdf ? shape_t{batch, inputs} : sequence);
  if (is_svdf) {
    made.words[0] = rank;
    set(1, weight, {rank * cells, inputs}), set(2, vector, {rank * cells, memory}),
        set(3, bias, {cells}, random.once_in(2));
    set(4, vector, {batch, rank * cells * memory});
  } else if (is_cell) {
    set(0, u8, {batch, inputs + cells}), set(1, u8, {4 * cells, inputs + cells}), set(2, i32, {4 * cells}),
        set(3, i16, {batch, cells});
    make_scaled(made.in[0], 0x1p-7F, 128), make_scaled(made.in[1], 0.01F, random.between(0, 255)),
        make_scaled(made.in[3], 0x1p-11F);
    made.wanted.clear();
  } else if (is_rnn) {
    set(1, f32, {cells, inputs}), set(2, f32, {cells, cells}), set(3, f32, {cells}), set(4, f32, {batch, cells});
  } else {
    for (std::size_t gate = 0; gate < 4; ++gate) {
      const bool is_there = gate != 0 || !is_coupled;
      set(1 + gate, weight, {cells, inputs}, is_there), set(5 + gate, weight, {cells, outputs}, is_there),
          set(12 + gate, bias, {cells}, is_there);
      set(20 + gate, vector, {cells}, is_there && has_factors);
      if (gate < 3) set(9 + gate, vector, {cells}, is_there && has_peepholes);
    }
    set(16, weight, {outputs, cells}, is_projected),
        set(17, is_quantised ? i32 : f32, {outputs}, is_projected && random.once_in(2));
    set(18, computed, {batch, outputs}), set(19, vector, {batch, cells});
    if (is_quantised) make_scaled(made.in[19], std::ldexp(1.0F, -static_cast<int>(random.between(9, 15))));
    if (is_quantised) set_attribute(op, made.words, {"activation", numbers_t{4}});
  }
  if (computed != i8) return;
  make_scaled(made.in[0], 0.02F, random.between(-128, 127));
  if (is_lstm) make_scaled(made.in[18], 0.01F, random.between(-128, 127));
}
/// Operators whose attribute says which function of a signal they are: operands and numbers of each are of one kind,
/// which chance seldom finds. Now and then something of that is another.
void make_signal(random_node& made, dtype computed, dice& random) {
  const operator_info& op = *made.op;
  const bool is_signal = !op.label->attributes.empty() && op.label->attributes[0].name == "function";
  if (!is_signal || random.once_in(16)) return;
  enum { auto_scale, log, energy, window, rfft, irfft, filter_bank, square_root, spectral_subtraction, gain };
  const std::int64_t lines = random.between(1, 3), count = any_extent(random) % 40, length = 2 * random.between(1, 12);
  const int function = computed == i32   ? random.one_of({rfft, irfft})
                       : computed == u64 ? static_cast<int>(square_root)
                       : computed == u32 ? random.one_of({log, filter_bank, spectral_subtraction, gain})
                                         : random.one_of({auto_scale, energy, window, rfft, irfft});
  const auto put = [&](std::size_t i, dtype type, const shape_t& shape) {
    made.in[i] = {};
    made.in[i].desc = {type, shape};
  };
  numbers_t numbers;
  made.in.clear();
  made.in.resize(function == filter_bank                                                             ? 6
                 : function == gain                                                                  ? 3
                 : function == window || function == square_root || function == spectral_subtraction ? 2
                                                                                                     : 1);
  put(0, computed, {lines, count});
  if (function == log) numbers = {random.between(0, 31), random.between(0, 4000)};
  if (function == energy)
    put(0, i16, {lines, 2 * count}), numbers = {random.between(0, count / 2), random.between(count / 2, count)};
  if (function == window) put(1, i16, {count}), numbers = {random.between(0, 31)};
  if (function == rfft) put(0, computed, {lines, random.between(0, length)}), numbers = {length};
  if (function == irfft) put(0, computed, {lines, length + 2}), numbers = {length};
  if (function == square_root) put(1, i32, {});
  if (function == spectral_subtraction)
    put(1, u32, {lines, count}),
        numbers = {410, 15974, 983, 15401, 819, random.between(0, 31), random.between(0, 63), random.between(0, 1)};
  if (function == gain)
    put(1, u32, {lines, count}), put(2, i16, {125 + random.between(0, 3)}), numbers = {random.between(0, 63)};
  if (function == filter_bank) {
    put(0, u32, {count});
    const std::int64_t weights = any_extent(random), stripes = random.between(1, 8);
    for (std::size_t i = 1; i < 6; ++i) put(i, i16, {i < 3 ? weights : stripes});
  }
  set_attribute(op, made.words, {"function", numbers_t{function}});
  set_attribute(op, made.words, {"numbers", numbers});
}
/// What such an operator is wanted to make of quantised values: y with another scale.
void want_recurrent(random_node& made, dtype computed, dice& random) {
  const std::string_view role = made.op->inputs.back().role;
  if ((role != "n_o" && role != "state") || random.once_in(8)) return;
  made.wanted.clear();
  if (computed == f32) return;
  made.wanted.emplace_back();
  made.wanted[0].quantised = any_quantisation(computed, random);
}

/// Shapes, dtypes and constants of all operands; one kind of likeness for all of them makes lists of vectors likelier.
void make_operands(random_node& made, dtype computed, shape_wish wish, dice& random, const random_operand* given) {
  const operator_info& op = *made.op;
  const bool is_alike = random.once_in(2);
  const likeness common = any_likeness(random);
  std::vector<shape_t> before;
  for (const std::size_t r : rows_of(op, random)) {
    const operand_spec& row = op.inputs[r];
    random_operand x;
    if (before.empty() && given != nullptr) {
      before.push_back(given->desc.shape);
      made.in.push_back(*given);
      continue;
    }
    if (row.given == presence::optional && random.once_in(4)) {
      made.in.push_back(x);
      continue;
    }
    const bool is_list = (row.accepts.bits & ~types::integer.bits) == 0 && (row.constant || random.once_in(2));
    if (is_list && !before.empty()) x = constant_list(row, before[0], random);
    else {
      const bool is_typed = static_cast<int>(made.in.size()) == op.traits.typed_by || !random.once_in(6);
      const dtype type = row.accepts.contains(computed) && is_typed ? computed : random.one_of(row.accepts);
      const likeness how =
          is_alike ? common : any_likeness(random);  // a separate statement: the order of random numbers matters
      const std::optional<shape_t> fitting = op.inputs[0].role == "bbox" || op.inputs[0].role == "boxes" ||
                                                     (op.inputs.size() > 1 && op.inputs[1].role == "w_ih") ||
                                                     op.inputs.back().role == "addend"
                                                 ? like_partners(op, row.role, before, random)
                                                 : std::nullopt;
      const shape_t shape = fitting          ? *fitting
                            : before.empty() ? any_shape(wish, random)
                                             : like(how, random.one_of(before), wish, random);
      x.desc = {type, shape};
      x.is_constant = row.constant || random.once_in(5);
    }
    before.push_back(x.desc.shape);
    made.in.push_back(std::move(x));
  }
}

bool is_small(const random_node& made, const verdict& v) {
  std::int64_t elements = 0;
  for (const random_operand& x : made.in) {
    if (x.desc.elements() < 0) return false;
    elements += x.desc.elements();
  }
  for (const tensor_desc& y : v.outputs) {
    if (y.elements() < 0) return false;
    elements += y.elements();
  }
  return elements <= most_elements;
}

}  // namespace

std::uint64_t seed_of_run() {
  const char* given = std::getenv("NNRT_SEED");
  return given == nullptr ? 20260520 : std::strtoull(given, nullptr, 10);
}

view random_operand::as_view() {
  if (desc.type == dtype::none) return {};
  view v{&desc, any_pointer::bytes(bytes.data())};
  v.scales = scales;
  return v;
}

std::vector<operand> random_node::operands() const {
  std::vector<operand> all;
  for (const random_operand& x : in) all.push_back(x.as_operand());
  return all;
}
std::vector<view> random_node::views() {
  std::vector<view> all;
  for (random_operand& x : in) all.push_back(x.as_view());
  return all;
}
verdict random_node::infer() const { return op->infer(words, operands(), wanted); }

std::string random_node::text() const {
  std::string line(op->name);
  line += '(';
  for (const random_operand& x : in) {
    line += x.desc.type == dtype::none ? "missing" : (x.is_constant ? "constant " : "") + ir::to_string(x.desc);
    for (const std::int64_t value : x.values) line += ' ' + std::to_string(value);
    line += ", ";
  }
  line += "words";
  for (const word w : words) line += ' ' + std::to_string(w);
  line += ") ->";
  for (const tensor_desc& y : out) line += ' ' + ir::to_string(y);
  return line;
}

std::optional<random_node> try_node(const operator_info& op, dtype computed, dice& random, shape_wish wish,
                                    const random_operand* given) {
  random_node made;
  made.op = &op;
  make_operands(made, computed, wish, random, given);
  made.words = words_for(op, made.in[0].desc.shape, random);
  quantise(made, computed, random, given != nullptr);
  if (given == nullptr)
    make_recurrent(made, computed, random), want_recurrent(made, computed, random), make_signal(made, computed, random);
  for (random_operand& x : made.in) make_known(x, random);
  const verdict v = made.infer();
  if (!v || !is_small(made, v)) return std::nullopt;
  made.out.assign(v.outputs.begin(), v.outputs.end());
  if (op.macs(made.words, made.operands(), made.out) > max_macs) return std::nullopt;
  // Places are those of the first operand; of the result where that one holds them itself and others are put there.
  const bool are_of_result = op.inputs.size() > 1 && op.inputs[0].role == "indices" && op.inputs[1].role == "updates";
  const shape_t& named = are_of_result ? made.out[0].shape : made.in[0].desc.shape;
  if (are_of_result && named.elements() == 0) return std::nullopt;
  for (std::size_t i = given != nullptr ? 1 : 0; i < made.in.size(); ++i)
    if (made.in[i].desc.type != dtype::none)
      fill(made.in[i], op.inputs[std::min(i, op.inputs.size() - 1)], named,
           op.traits.weights != weights_role::none && i > 0, random);
  return made;
}

bool random_node::is_wished(shape_wish wish) const {
  const auto has_it = [&](const tensor_desc& x) {
    return x.type != dtype::none && (wish == shape_wish::max_rank ? x.rank() == max_rank : x.elements() == 0);
  };
  return wish == shape_wish::any || std::ranges::any_of(in, has_it, &random_operand::desc) ||
         std::ranges::any_of(out, has_it);
}

std::vector<random_node> random_nodes(const operator_info& op, dtype computed, std::size_t count, dice& random,
                                      shape_wish wish) {
  const int attempts = wish == shape_wish::any ? 300'000 : 1000;
  std::vector<random_node> nodes;
  for (int attempt = 0; attempt < attempts && nodes.size() < count; ++attempt)
    if (auto made = try_node(op, computed, random, wish); made && made->is_wished(wish))
      nodes.push_back(std::move(*made));
  return nodes;
}

std::vector<word> random_words(const operator_info& op, int rank, dice& random) {
  shape_t shape;
  for (int i = 0; i < rank; ++i) shape.push_back(random.between(1, 6));
  return words_for(op, shape, random);
}

// --- hostile ---------------------------------------------------------------

std::int64_t hostile_number(dice& random) {
  if (random.once_in(2)) return random.between(-3, 9);
  if (random.once_in(2)) return random.between(lowest_number, highest_number);
  const std::int64_t power = std::int64_t{1} << random.below(63);
  return random.one_of({power, power - 1, -power, lowest_number, highest_number, highest_number - 1});
}

std::vector<word> hostile_words(const operator_info& op, dice& random) {
  std::vector<word> words = random_words(op, random.below(9), random);
  for (word& w : words)
    if (random.once_in(3)) w = hostile_number(random);
  if (random.once_in(8)) words.push_back(hostile_number(random));
  if (random.once_in(8) && !words.empty()) words.pop_back();
  return words;
}

tensor_desc hostile_desc(dice& random) {
  tensor_desc desc;
  desc.type = static_cast<dtype>(random.below(dtype_count));
  desc.layout = static_cast<format>(random.below(4));
  for (int rank = random.once_in(2) ? 4 : random.below(max_rank + 1); rank > 0; --rank)
    desc.shape.push_back(random.once_in(4) ? hostile_number(random) : random.between(-1, 6));
  if (!random.once_in(4)) return desc;
  desc.quantised.mode = static_cast<quantisation::kind>(random.below(3));
  desc.quantised.scale = random.one_of({0.0F, 1.0F, -1.0F, 1e-45F, 3e38F, std::numeric_limits<float>::infinity(),
                                        std::numeric_limits<float>::quiet_NaN()});
  desc.quantised.zero_point = static_cast<std::int32_t>(hostile_number(random));
  desc.quantised.axis = static_cast<int>(random.once_in(2) ? random.between(0, 8) : hostile_number(random));
  return desc;
}

}  // namespace nnrt_test
