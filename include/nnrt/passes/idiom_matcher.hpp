// idiom_matcher: matches formulas and rearrangements of axes against the nodes of a graph.
// Flow: idioms.hpp tries each row of idiom_table.hpp with it.
#pragma once

#include <nnrt/core/math.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/broadcast_to.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/div.hpp>
#include <nnrt/ops/maximum.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/neg.hpp>
#include <nnrt/ops/pow.hpp>
#include <nnrt/ops/reciprocal.hpp>
#include <nnrt/ops/relu6.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/rsqrt.hpp>
#include <nnrt/ops/square.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/passes/idiom_table.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace passes { namespace detail {

/// Largest relative difference between a number of a graph and that of a formula: four units in the last place of the
/// dtype. So it remains if a file rounds the number, or the quotient or product of two.
constexpr double idiom_tolerance(dtype type) { return type == f16 ? 0x1p-8 : type == f32 ? 0x1p-21 : 0x1p-50; }

/// A factor or addend that is found in a graph.
struct found_part {
  enum class form { itself, inverse, inverse_root };
  std::int32_t value = ir::none;
  form is = form::itself;
};
/// The parts of a product or sum, and its number.
struct found_parts {
  found_part items[term::max_operands];
  int count = 0;
  double number = 0;
  bool has_number = false;

  constexpr bool add(std::int32_t value, found_part::form is = found_part::form::itself) {
    if (count == term::max_operands) return false;
    items[count++] = {value, is};
    return true;
  }
  constexpr void remove(int i) {
    for (--count; i < count; ++i) items[i] = items[i + 1];
  }
};

/// The nodes and captures of a partial match.
struct partial_match {
  static constexpr int max_nodes = 32;
  captured_values found;
  std::int32_t nodes[max_nodes] = {};
  int count = 0;
};

/// Matches patterns against the nodes of a graph.
class idiom_matcher {
 public:
  constexpr idiom_matcher(const ir::graph& g, const use_table& table) : g_(g), table_(table) {}

  /// Whether node `root` and those before it compute the formula and nobody else reads their values.
  constexpr bool matches(const pattern& written, std::int32_t root) {
    written_ = &written;
    m_ = {};
    const std::int32_t y = output_of(root);
    type_ = g_.at(y).desc.type;
    if (!types::floating.contains(type_) || !match(written.count - 1, y)) return false;
    return is_closed(root) && has_shape_of_x(y);
  }
  /// Whether a reshape, a transpose before it and a reshape before that move elements as the row says.
  constexpr bool matches_rearrangement(const idiom& row, std::int32_t root) {
    m_ = {};
    const ir::node* const merge = node_of(output_of(root), ops::reshape::code);
    const ir::node* const order = merge == nullptr ? nullptr : node_of(g_.inputs_of(*merge)[0], ops::transpose::code);
    const ir::node* const split = order == nullptr ? nullptr : node_of(g_.inputs_of(*order)[0], ops::reshape::code);
    if (split == nullptr) return false;
    for (const ir::node* n : {merge, order, split}) record(*n);
    m_.found.values[0] = g_.inputs_of(*split)[0];
    const shape_t &x = g_.at(m_.found.values[0]).desc.shape, &y = g_.at(output_of(root)).desc.shape,
                  &parts = g_.at(g_.outputs_of(*split)[0]).desc.shape;
    pool<std::int64_t> axes;
    ir::append_integers(g_, g_.at(g_.inputs_of(*order)[1]), axes);
    return is_split(row.from, x, parts) && is_merged(row, y, parts, axes) && is_closed(root);
  }
  constexpr const partial_match& found() const { return m_; }

 private:
  constexpr std::int32_t output_of(std::int32_t node) const {
    return g_.outputs_of(g_.nodes[static_cast<std::size_t>(node)])[0];
  }
  constexpr const ir::node* producer_of(std::int32_t id) const {
    const std::int32_t at = table_.producer_of(id);
    if (at == ir::none) return nullptr;
    const ir::node& n = g_.nodes[static_cast<std::size_t>(at)];
    return n.removed || n.outputs.count != 1 ? nullptr : &n;
  }
  constexpr const ir::node* node_of(std::int32_t id, op_code code) const {
    const ir::node* const n = producer_of(id);
    return n != nullptr && n->op->code == code ? n : nullptr;
  }
  constexpr bool record(const ir::node& n) {
    const auto at = static_cast<std::int32_t>(&n - g_.nodes.data());
    for (int i = 0; i < m_.count; ++i)
      if (m_.nodes[i] == at) return true;
    if (m_.count == partial_match::max_nodes) return false;
    m_.nodes[m_.count++] = at;
    return true;
  }
  constexpr bool is_found(std::int32_t node) const {
    for (int i = 0; i < m_.count; ++i)
      if (m_.nodes[i] == node) return true;
    return false;
  }

  /// The number that a constant of one element has.
  constexpr bool read_number(std::int32_t id, double& number) const {
    const ir::value& v = g_.at(id);
    if (v.is != ir::kind::constant || v.desc.elements() != 1 || v.desc.type != type_) return false;
    with_element<types::floating>(type_, [&]<class T>(T) { number = math::convert<double>(g_.element<T>(v, 0)); });
    return true;
  }
  constexpr bool is_close(double number, double expected) const {
    return math::abs(number - expected) <= idiom_tolerance(type_) * math::abs(expected);
  }
  constexpr float real_attribute(const ir::node& n, std::size_t i) const {
    return std::bit_cast<float>(static_cast<std::int32_t>(g_.attrs_of(n)[i]));
  }
  constexpr bool is_fused(const ir::node& n, activation expected) const {
    return n.op->fused_word >= 0 &&
           g_.attrs_of(n)[static_cast<std::size_t>(n.op->fused_word)] == static_cast<word>(expected);
  }

  /// The node that makes a value of the pattern's dtype, without an activation unless that is expected.
  constexpr const ir::node* maker(std::int32_t id, activation fused = activation::none) const {
    const ir::node* const n = producer_of(id);
    if (n == nullptr || g_.at(id).desc.type != type_) return nullptr;
    return n->op->fused_word < 0 || is_fused(*n, fused) ? n : nullptr;
  }

  constexpr bool match(int at, std::int32_t id, activation fused = activation::none) {
    const term& t = written_->terms[at];
    if (t.is == term_kind::capture) return match_capture(t, id);
    if (t.is == term_kind::product || t.is == term_kind::sum) return match_parts(t, id, fused);
    if (is_fused_clamp(t, id)) return match(t.operands[0], id, activation::relu6);
    const ir::node* n = maker(id, fused);
    if (n != nullptr && n->op->code == ops::broadcast_to::code && record(*n)) n = maker(g_.inputs_of(*n)[0], fused);
    if (n == nullptr) return false;
    switch (t.is) {
      case term_kind::capture:
      case term_kind::product:
      case term_kind::sum: return false;
      case term_kind::inverse: return false;  // of a product alone
      case term_kind::function: return is_function(t, *n) && match_operand(t, *n, 0);
      case term_kind::difference:
        return n->op->code == t.code && record(*n) && match(t.operands[0], g_.inputs_of(*n)[0]) &&
               match(t.operands[1], g_.inputs_of(*n)[1]);
      case term_kind::reduction: return is_reduction(t, *n) && match_operand(t, *n, 0);
      case term_kind::clamp: return match_clamp(t, *n);
      case term_kind::at_least: return match_at_least(t, *n);
    }
    __builtin_unreachable();
  }
  constexpr bool match_operand(const term& t, const ir::node& n, std::size_t i) {
    return record(n) && match(t.operands[0], g_.inputs_of(n)[i]);
  }
  constexpr bool match_capture(const term& t, std::int32_t id) {
    std::int32_t& captured = m_.found.values[t.capture];
    if (captured == ir::none) captured = id;
    return captured == id;
  }
  /// The operator with default attributes; a softmax may have others. A root may be written as a power.
  constexpr bool is_function(const term& t, const ir::node& n) const {
    double exponent = 0;
    if (t.code == ops::sqrt::code && is_plain_power(n, exponent)) return exponent == 0.5;
    if (n.op->code != t.code) return false;
    if (t.code == ops::exp::code)
      return real_attribute(n, 0) == -1 && real_attribute(n, 1) == 1 && real_attribute(n, 2) == 0;
    return true;
  }
  constexpr bool is_plain_power(const ir::node& n, double& exponent) const {
    return n.op->code == ops::pow::code && real_attribute(n, 0) == 1 && real_attribute(n, 1) == 0 &&
           read_number(g_.inputs_of(n)[1], exponent);
  }
  constexpr bool is_reduction(const term& t, const ir::node& n) {
    const array_ref<const word> words = g_.attrs_of(n);
    if (n.op->code != t.code || words[0] == 0 || words[1] != 0) return false;
    const array_ref<const std::int32_t> in = g_.inputs_of(n);
    pool<std::int64_t> list;
    if (in.size() > 1 && in[1] != ir::none) {
      ir::append_integers(g_, g_.at(in[1]), list);
      if (static_cast<std::int64_t>(list.size()) != g_.at(in[1]).desc.elements()) return false;
    }
    bool is_reduced[max_rank] = {};
    const int rank = g_.at(in[0]).desc.rank();
    for (const std::int64_t axis : list) is_reduced[normalise_axis(axis, rank)] = true;
    ops::chosen_axes axes;
    for (int i = 0; i < rank; ++i)
      if (is_reduced[i] || list.empty()) axes.add(i);
    ops::chosen_axes& before = m_.found.axes;
    if (!m_.found.has_axes) before = axes, m_.found.has_axes = true;
    bool is_same = before.count == axes.count;
    for (int i = 0; is_same && i < axes.count; ++i) is_same = before.items[i] == axes.items[i];
    return is_same;
  }
  /// Whether the node that makes the value clamps it as the term does, by its fused activation.
  constexpr bool is_fused_clamp(const term& t, std::int32_t id) const {
    const ir::node* const n = producer_of(id);
    return t.is == term_kind::clamp && t.number == 0 && t.most == 6 && n != nullptr && is_fused(*n, activation::relu6);
  }
  constexpr bool match_clamp(const term& t, const ir::node& n) {
    if (n.op->code == ops::clip::code)
      return double{real_attribute(n, 0)} == t.most && double{real_attribute(n, 1)} == t.number &&
             match_operand(t, n, 0);
    if (t.number != 0 || t.most != 6) return false;
    return n.op->code == ops::relu6::code && match_operand(t, n, 0);
  }
  constexpr bool match_at_least(const term& t, const ir::node& n) {
    const array_ref<const std::int32_t> in = g_.inputs_of(n);
    double& least = m_.found.number;
    if (n.op->code == ops::clip::code) {
      least = double{real_attribute(n, 1)};
      return real_attribute(n, 0) == math::infinity<float> && match_operand(t, n, 0);
    }
    if (n.op->code != ops::maximum::code) return false;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}})
      if (read_number(in[1 - i], least)) return match_operand(t, n, i);
    return false;
  }

  /// A product or sum: its root is taken apart, then its parts, until there are as many as in the pattern.
  constexpr bool match_parts(const term& t, std::int32_t id, activation fused) {
    found_parts parts;
    parts.number = t.is == term_kind::product ? 1 : 0;
    parts.add(id);
    return expand(t, parts, 0, fused) && match_expanded(t, parts, 4);
  }
  constexpr bool match_expanded(const term& t, const found_parts& parts, int further) {
    const bool fits_number = t.is_number_captured ? parts.has_number : is_close(parts.number, t.number);
    if (parts.count == t.count && fits_number) {
      const partial_match before = m_;
      if (t.is_number_captured) m_.found.number = parts.number;
      if (match_each(t, 0, parts)) return true;
      m_ = before;
    }
    for (int i = 0; i < parts.count && further > 0; ++i) {
      const partial_match before = m_;
      found_parts more = parts;
      if (expand(t, more, i, activation::none) && more.count <= t.count && match_expanded(t, more, further - 1))
        return true;
      m_ = before;
    }
    return false;
  }
  /// Matches the operands of the term from k on with the parts, in any order.
  constexpr bool match_each(const term& t, int k, const found_parts& parts) {
    if (k == t.count) return true;
    for (int i = 0; i < parts.count; ++i) {
      const partial_match before = m_;
      found_parts rest = parts;
      rest.remove(i);
      if (match_part(t.operands[k], parts.items[i]) && match_each(t, k + 1, rest)) return true;
      m_ = before;
    }
    return false;
  }
  constexpr bool match_part(int at, const found_part& part) {
    const term& t = written_->terms[at];
    if (t.is != term_kind::inverse) return part.is == found_part::form::itself && match(at, part.value);
    switch (part.is) {
      case found_part::form::itself: return false;
      case found_part::form::inverse: return match(t.operands[0], part.value);
      case found_part::form::inverse_root: {
        const term& root = written_->terms[t.operands[0]];
        const bool is_root = root.is == term_kind::function && root.code == ops::sqrt::code;
        return is_root && match(root.operands[0], part.value);
      }
    }
    __builtin_unreachable();
  }

  /// Replaces part i by the operands of the node that makes it. Returns false where that is no product or sum.
  constexpr bool expand(const term& t, found_parts& parts, int i, activation fused) {
    const found_part part = parts.items[i];
    const ir::node* const n = maker(part.value, fused);
    if (n == nullptr || !record(*n)) return false;
    parts.remove(i);
    return t.is == term_kind::product ? expand_product(parts, *n, part.is) : expand_sum(parts, *n);
  }
  constexpr bool expand_sum(found_parts& parts, const ir::node& n) {
    const array_ref<const std::int32_t> in = g_.inputs_of(n);
    const bool is_sum = n.op->code == ops::add::code;
    double number = 0;
    if (!is_sum && (n.op->code != ops::sub::code || !read_number(in[1], number))) return false;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
      if (!read_number(in[k], number)) {
        if (!parts.add(in[k])) return false;
        continue;
      }
      parts.number += is_sum || k == 0 ? number : -number;
      parts.has_number = true;
    }
    return true;
  }
  constexpr bool expand_product(found_parts& parts, const ir::node& n, found_part::form is) {
    using form = found_part::form;
    const array_ref<const std::int32_t> in = g_.inputs_of(n);
    if (is == form::inverse_root) return false;
    const form other = is == form::itself ? form::inverse : form::itself;
    const op_code code = n.op->code;
    if (code == ops::mul::code || code == ops::div::code)
      return add_factor(parts, in[0], is) && add_factor(parts, in[1], code == ops::mul::code ? is : other);
    if (code == ops::reciprocal::code) return parts.add(in[0], other);
    if (code == ops::rsqrt::code) return is == form::itself && parts.add(in[0], form::inverse_root);
    if (code == ops::square::code) return parts.add(in[0], is) && parts.add(in[0], is);
    if (code == ops::neg::code) {
      parts.number = -parts.number, parts.has_number = true;
      return parts.add(in[0], is);
    }
    double exponent = 0;
    if (!is_plain_power(n, exponent)) return false;
    if (exponent == -1) return parts.add(in[0], other);
    if (exponent == -0.5) return is == form::itself && parts.add(in[0], form::inverse_root);
    if (exponent != 2 && exponent != 3) return false;
    for (int k = 0; k < static_cast<int>(exponent); ++k)
      if (!parts.add(in[0], is)) return false;
    return true;
  }
  constexpr bool add_factor(found_parts& parts, std::int32_t id, found_part::form is) {
    double number = 0;
    if (!read_number(id, number)) return parts.add(id, is);
    const bool divides = is == found_part::form::inverse;
    if (divides && number == 0) return false;
    parts.number = divides ? parts.number / number : parts.number * number;
    parts.has_number = true;
    return true;
  }

  /// Whether the values between captures and root are read by nodes of the match alone.
  constexpr bool is_closed(std::int32_t root) const {
    for (int i = 0; i < m_.count; ++i) {
      if (m_.nodes[i] == root) continue;
      const std::int32_t y = output_of(m_.nodes[i]);
      std::int32_t reads = 0;
      for (int k = 0; k < m_.count; ++k)
        for (const std::int32_t id : g_.inputs_of(g_.nodes[static_cast<std::size_t>(m_.nodes[k])]))
          reads += id == y ? 1 : 0;
      if (table_.uses_of(y) != reads) return false;
    }
    for (const std::int32_t id : m_.found.values)
      if (id != ir::none && table_.producer_of(id) != ir::none && is_found(table_.producer_of(id))) return false;
    return true;
  }
  constexpr bool has_shape_of_x(std::int32_t y) const {
    const std::int32_t x = m_.found.values[0];
    return x != ir::none && g_.at(x).desc.type == type_ && g_.at(x).desc.shape == g_.at(y).desc.shape;
  }

  /// Whether x, with the axes that the letters say, is split into these parts. Remembers their extents.
  constexpr bool is_split(std::string_view letters, const shape_t& x, const shape_t& parts) {
    int axis = 0, part = 0;
    bool is_group = false;
    std::int64_t extent = 1;
    for (const char letter : letters) {
      if (letter == '(') is_group = true;
      else if (letter != ')') {
        if (part == parts.rank || parts[part] < 1) return false;
        m_.found.extents.of[letter - 'a'] = parts[part];
        extent = nnrt::detail::saturated_product(extent, parts[part++]);
      } else is_group = false;
      if (is_group) continue;
      if (axis == x.rank || x[axis++] != extent) return false;
      extent = 1;
    }
    return axis == x.rank && part == parts.rank;
  }
  /// Whether the parts, in this order of axes, are merged to y.
  constexpr bool is_merged(const idiom& row, const shape_t& y, const shape_t& parts,
                           array_ref<const std::int64_t> order) const {
    int axis = 0;
    std::size_t part = 0;
    bool is_group = false;
    std::int64_t extent = 1;
    for (const char letter : row.to) {
      if (letter == '(') is_group = true;
      else if (letter != ')') {
        if (part == order.size() || normalise_axis(order[part++], parts.rank) != place_of(row.from, letter))
          return false;
        extent *= m_.found.extents[letter];
      } else is_group = false;
      if (is_group) continue;
      if (axis == y.rank || y[axis++] != extent) return false;
      extent = 1;
    }
    return axis == y.rank && part == order.size();
  }
  static constexpr int place_of(std::string_view letters, char letter) {
    int place = 0;
    for (const char one : letters) {
      if (one == letter) return place;
      place += one == '(' || one == ')' ? 0 : 1;
    }
    return -1;
  }

  const ir::graph& g_;
  const use_table& table_;
  const pattern* written_ = nullptr;
  dtype type_ = dtype::none;
  partial_match m_;
};

}}}}  // namespace nnrt::NNRT_ISA::passes::detail
