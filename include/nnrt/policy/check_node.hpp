// check_node: whether a node breaks a limit of an accelerator, and which, with value and limit.
// Flow: bpu<architecture>::check() calls it in constant evaluation and at run time; partitions and errors follow from its answers.
#pragma once

#include <nnrt/policy/alignment.hpp>
#include <nnrt/policy/node_facts.hpp>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// What a rule counts of a node: values that must lie in the row's limits; or two that must be as a comparison says.
struct measured {
  std::int64_t values[8] = {};
  int count = 0;

  constexpr measured() = default;
  constexpr measured(std::initializer_list<std::int64_t> list) {
    for (const std::int64_t v : list) add(v);
  }
  constexpr void add(std::int64_t v) {
    if (count < 8) values[count++] = v;
  }
};

constexpr accelerator_verdict broken_limit(accelerator_rule rule, std::int64_t got, std::int64_t limit, unit counted = unit::number) {
  return {static_cast<int>(rule), counted, got, limit};
}

constexpr bool is_power_of_two(std::int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/// The pads that explicit numbers, `same` or `valid` come to: top, bottom, left, right.
constexpr measured pads_of(const node_facts& f) {
  const shape_t& x = f.image;
  const extent2 kernel = f.kernel, stride = f.stride, dilation = f.dilation;
  const pads p = f.padding();
  if (p.mode == pad_mode::explicit_pads) return {p.top, p.bottom, p.left, p.right};
  if (p.mode == pad_mode::valid) return {0, 0, 0, 0};
  measured out;
  if (f.n.op->traits.weights == weights_role::conv2d_transpose) {  // of the result: what is more than H * stride
    for (const std::int64_t more : {(kernel.h - 1) * dilation.h + 1 - stride.h, (kernel.w - 1) * dilation.w + 1 - stride.w}) {
      const std::int64_t all = more > 0 ? more : 0;
      out.add(all / 2), out.add(all - all / 2);
    }
    return out;
  }
  for (const window& w : {window_of_height(x[1], kernel.h, stride, dilation, p), window_of_width(x[2], kernel.w, stride, dilation, p)}) {
    const std::int64_t all = (w.outputs() - 1) * w.stride + w.span() - w.input;
    out.add(w.pad_before()), out.add(all > 0 ? all - w.pad_before() : 0);
  }
  return out;
}

/// Extents of an operand of a binary operator, as the result's rank has them.
constexpr shape_t widened(const shape_t& s, int rank) {
  shape_t out;
  for (int i = s.rank; i < rank; ++i) out.push_back(1);
  for (const std::int64_t extent : s) out.push_back(extent);
  return out;
}
constexpr bool is_pixel(const shape_t& s, const shape_t& of) {
  for (int i = 0; i + 1 < of.rank; ++i)
    if (s[i] != 1 && (i > 0 || s[i] != of[i])) return false;
  return s.rank == of.rank && (of.rank == 0 || s[of.rank - 1] == of[of.rank - 1]);
}

/// Rank of a broadcast after axes are merged: those of extent 1 go; neighbours stay apart where not both are broadcast by the same operand.
constexpr std::int64_t collapsed_rank(const node_facts& f) {
  const shape_t& y = f.y().shape;
  const shape_t a = widened(f.x(0).shape, y.rank), b = widened(f.x(1).shape, y.rank);
  std::int64_t rank = 0;
  int before = -1;
  for (int i = 0; i < y.rank; ++i) {
    if (y[i] == 1) continue;
    const int by = a[i] != y[i] ? 1 : b[i] != y[i] ? 2 : 0;
    if (by != before) ++rank;
    before = by;
  }
  return rank;
}

/// Whether operand `i` is broadcast along an axis; outermost alone: along the first.
constexpr bool is_broadcast(const node_facts& f, int i, bool outermost_alone = false) {
  const shape_t& y = f.y().shape;
  const shape_t x = widened(f.x(i).shape, y.rank);
  const int axes = !outermost_alone ? y.rank : y.rank > 1 ? 1 : 0;
  for (int axis = 0; axis < axes; ++axis)
    if (x[axis] != y[axis]) return true;
  return false;
}

/// Zeros among the elements of constants whose elements stand in the graph.
constexpr std::int64_t zeros_in_constants(const node_facts& f) {
  std::int64_t zeros = 0;
  for (int i = 0; i < f.operands(); ++i) {
    if (!f.has_input(i) || f.g.at(f.input_id(i)).is != ir::kind::constant) continue;
    const ir::value& v = f.g.at(f.input_id(i));
    with_element<types_of(f32) | types_of(i8) | types_of(i16)>(v.desc.type, [&]<class T>(T) {
      for (std::int64_t e = 0; e < v.desc.elements(); ++e) zeros += f.g.element<T>(v, e) == T{} ? 1 : 0;
    });
  }
  return zeros;
}

/// The axes that an operator works along, in the image of x; all of them when it names none.
constexpr pool<std::int64_t> axes_of(const node_facts& f) {
  pool<std::int64_t> list, named = f.integers("axes");
  if (f.name() == "softmax") {
    const array_ref<const word> axis = f.attribute("axis");
    for (std::size_t i = 1; i < axis.size(); ++i) named.push_back(axis[i]);
    if (named.empty()) named.push_back(-1);
  } else if (named.empty() && !f.attribute("axis").empty()) {
    named.push_back(f.number("axis"));
  } else if (named.empty()) {
    for (int i = 0; i < f.x().rank(); ++i) named.push_back(i);
  }
  for (const std::int64_t axis : named) {
    const std::int64_t at = node_facts::axis_in_image(f.x(), axis);
    bool is_listed = false;
    for (const std::int64_t known : list) is_listed = is_listed || known == at;
    if (!is_listed) list.push_back(at);
  }
  return list;
}

/// The first axis that an operator works along, counted as in x.
constexpr std::int64_t first_axis(const node_facts& f) {
  const array_ref<const word> words = f.attribute("axis");
  if (words.empty()) return 0;
  const bool is_list = f.name() == "softmax";
  const std::int64_t axis = !is_list ? words[0] : words.size() > 1 ? words[1] : -1;
  return axis < 0 ? axis + f.x().rank() : axis;
}

/// Extents of x that the result has otherwise.
constexpr std::int64_t changed_extents(const node_facts& f) {
  const shape_t& y = f.y().shape;
  const shape_t x = widened(f.x().shape, y.rank);
  std::int64_t changed = 0;
  for (int i = 0; i < y.rank; ++i) changed += x[i] != y[i] ? 1 : 0;
  return changed;
}

/// Pads that are not 0 along other axes than height and width.
constexpr std::int64_t pads_elsewhere(const node_facts& f) {
  const pool<std::int64_t> paddings = f.integers("paddings");
  std::int64_t elsewhere = 0;
  for (std::size_t i = 0; i < paddings.size(); ++i) {
    const int axis = node_facts::axis_in_image(f.x(), static_cast<std::int64_t>(i / 2));
    elsewhere += paddings[i] != 0 && axis != 1 && axis != 2 ? 1 : 0;
  }
  return elsewhere;
}

/// Taps of the kernels that a transposed convolution comes to, one for each place within a stride, times input channels of a group.
constexpr std::int64_t decomposed_volume(const node_facts& f) {
  const extent2 kernel = f.kernel, stride = f.stride;
  const measured p = pads_of(f);
  const std::int64_t h = (kernel.h - 1 + p.values[0] % stride.h) / stride.h + 1, w = (kernel.w - 1 + p.values[2] % stride.w) / stride.w + 1;
  return h * w * f.channels_per_group();
}

/// What a rule with limits counts; nothing for rules that compare.
constexpr measured measure(accelerator_rule rule, const node_facts& f) {
  using enum accelerator_rule;
  const shape_t &x = f.image, &y = f.result;
  const extent2 &kernel = f.kernel, &stride = f.stride, &dilation = f.dilation;
  switch (rule) {
    case rank_must_lie_within_the_limits: {
      measured ranks;
      for (int i = 0; i < f.operands(); ++i)
        if (f.is_computed(i)) ranks.add(f.x(i).rank());
      ranks.add(f.y().rank());
      return ranks;
    }
    case batch_must_lie_within_the_limits: return {f.batch(f.x()), f.batch(f.y())};
    case channels_must_lie_within_the_limits: return {x[3], y[3]};
    case sides_must_lie_within_the_limits: return {x[1], x[2], y[1], y[2]};
    case elements_must_lie_within_the_limits: return {f.x().elements(), f.y().elements()};
    case elements_of_an_image_must_lie_within_the_limits: return {x[1] * x[2] * x[3]};
    case aligned_elements_must_lie_within_the_limits: {
      const std::int64_t wide = x[1] * in_multiples(x[2], 8) * in_multiples(x[3], 4), deep = x[1] * x[2] * in_multiples(x[3], 32);
      return {wide < deep ? wide : deep};
    }
    case aligned_blocks_of_the_result_must_lie_within_the_limits: return {y[1] * ((y[2] + 7) / 8) * ((y[3] + 3) / 4)};
    case kernel_must_lie_within_the_limits: return {kernel.h, kernel.w};
    case kernel_area_must_lie_within_the_limits: return {kernel.h * kernel.w};
    case kernel_volume_must_lie_within_the_limits: return {f.has_kernel() ? kernel.h * kernel.w * f.channels_per_group() : f.channels_per_group()};
    case decomposed_kernel_volume_must_lie_within_the_limits: return {decomposed_volume(f)};
    case filters_must_lie_within_the_limits: return {f.filters()};
    case channels_per_group_must_lie_within_the_limits: return {f.channels_per_group()};
    case strides_must_lie_within_the_limits: return {stride.h, stride.w};
    case strides_of_a_dilated_kernel_must_be_1: return f.is_dilated() ? measured{stride.h, stride.w} : measured{};
    case strides_before_a_residual_add_must_lie_within_the_limits: return f.is_before_residual_add() ? measured{stride.h, stride.w} : measured{};
    case stride_area_must_lie_within_the_limits: return {stride.h * stride.w};
    case dilations_must_lie_within_the_limits: return {dilation.h, dilation.w};
    case pads_must_lie_within_the_limits: return pads_of(f);
    case output_paddings_must_lie_within_the_limits: {
      const array_ref<const word> more = f.attribute("output_paddings");
      return more.size() == 2 ? measured{more[0], more[1]} : measured{};
    }
    case area_of_a_global_pool_must_lie_within_the_limits: return f.is_global() ? measured{x[1] * x[2]} : measured{};
    case sides_of_a_global_pool_must_lie_within_the_limits: return f.is_global() ? measured{x[1], x[2]} : measured{};
    case constants_must_not_be_too_many: {
      std::int64_t constants = 0;
      for (int i = 0; i < f.operands(); ++i) constants += f.has_input(i) && !f.is_computed(i) ? 1 : 0;
      return {constants};
    }
    case constants_must_not_hold_0: return {zeros_in_constants(f)};
    case collapsed_rank_must_lie_within_the_limits: return {collapsed_rank(f)};
    case exponent_must_be_one_number: return {f.x(1).elements()};
    case extent_of_the_axis_must_lie_within_the_limits: {
      measured extents;
      for (const std::int64_t axis : axes_of(f)) extents.add(x[static_cast<int>(axis)]);
      return extents;
    }
    case results_must_not_be_too_many: return {f.number("k", 1)};
    case block_size_must_lie_within_the_limits: return {f.number("block_size", 1)};
    case enlargement_must_lie_within_the_limits: return {(y[1] + x[1] - 1) / x[1], (y[2] + x[2] - 1) / x[2]};
    case reduction_must_lie_within_the_limits: return {x[1] / y[1], x[2] / y[2]};
    case extents_that_change_must_not_be_too_many: return {changed_extents(f)};
    case extents_of_matrices_must_lie_within_the_limits: {
      return {f.x(0).shape[-2], f.x(0).shape[-1], f.x(1).shape[-2], f.x(1).shape[-1]};
    }
    case outer_extents_must_lie_within_the_limits: {
      measured outer;
      for (int i = 0; i + 2 < f.y().rank(); ++i) outer.add(f.y().shape[i]);
      return outer;
    }
    case outer_extents_of_the_second_factor_must_be_1: return {f.x(1).shape.elements(0, f.x(1).rank() - 2)};
    default: return {};
  }
}

/// Axes of a factor in front of its matrix that the product repeats it along; and whether it has any of another extent than 1 there.
constexpr accelerator_verdict check_first_factor(accelerator_rule rule, const node_facts& f) {
  const shape_t& y = f.y().shape;
  const shape_t a = widened(f.x(0).shape, y.rank);
  bool is_repeated = false;
  for (int i = 0; i + 2 < y.rank; ++i) is_repeated = is_repeated || a[i] != y[i];
  for (int i = 0; is_repeated && i + 2 < y.rank; ++i)
    if (a[i] != 1) return broken_limit(rule, a[i], 1);
  return {};
}
/// Behind the first axis along which the second factor is repeated all others are, too.
constexpr accelerator_verdict check_second_factor(accelerator_rule rule, const node_facts& f) {
  const shape_t& y = f.y().shape;
  const shape_t b = widened(f.x(1).shape, y.rank);
  bool is_repeated = false;
  for (int i = 0; i + 2 < y.rank; ++i) {
    if (is_repeated && b[i] != 1) return broken_limit(rule, b[i], 1);
    is_repeated = is_repeated || b[i] != y[i];
  }
  return {};
}

constexpr accelerator_verdict check_same_or_pixel(accelerator_rule rule, const node_facts& f, bool takes_numbers) {
  const shape_t& y = f.y().shape;
  for (int i = 0; i < 2; ++i) {
    if (f.x(i).shape == y) continue;
    const shape_t x = widened(f.x(i).shape, y.rank);
    if (takes_numbers && x.elements() == 1) continue;
    if (!is_pixel(x, y)) return broken_limit(rule, x.elements(), y[-1]);
  }
  return {};
}

/// Each pad against its bound, which depends on kernel and stride along the same side.
constexpr accelerator_verdict check_pads(accelerator_rule rule, const node_facts& f) {
  const measured p = pads_of(f);
  const extent2 kernel = f.kernel, stride = f.stride;
  for (int i = 0; i < p.count; ++i) {
    const std::int64_t k = i < 2 ? kernel.h : kernel.w, s = i < 2 ? stride.h : stride.w;
    std::int64_t most = (k - 1) / 2;
    if (rule == accelerator_rule::pads_must_not_exceed_kernel_over_stride) most = s % 2 == 0 ? k / s : (k + s - 1) / s - 1;
    if (p.values[i] > most) return broken_limit(rule, p.values[i], most);
  }
  return {};
}

/// Rules that compare facts of a node with each other.
constexpr accelerator_verdict compare(accelerator_rule rule, const node_facts& f) {
  using enum accelerator_rule;
  const extent2 stride = f.stride, dilation = f.dilation;
  const auto holds = [&](bool ok, std::int64_t got, std::int64_t limit) { return ok ? accelerator_verdict{} : broken_limit(rule, got, limit); };
  const auto first_of_axes = [&] { return axes_of(f)[0]; };
  switch (rule) {
    case strides_must_be_powers_of_two:
      return is_power_of_two(stride.h) ? holds(is_power_of_two(stride.w), stride.w, 2) : holds(false, stride.h, 2);
    case stride_height_must_not_exceed_stride_width: return holds(stride.h <= stride.w, stride.h, stride.w);
    case dilations_must_be_powers_of_two:
      return is_power_of_two(dilation.h) ? holds(is_power_of_two(dilation.w), dilation.w, 2) : holds(false, dilation.h, 2);
    case dilations_must_be_multiples_of_the_strides: {
      if (!f.is_dilated()) return {};
      const bool high = dilation.h % stride.h == 0;
      return holds(high && dilation.w % stride.w == 0, high ? dilation.w : dilation.h, high ? stride.w : stride.h);
    }
    case dilation_height_must_not_exceed_dilation_width: return holds(dilation.h <= dilation.w, dilation.h, dilation.w);
    case image_must_be_a_multiple_of_the_dilation: {
      const shape_t& x = f.image;
      const bool high = x[1] % dilation.h == 0;
      return holds(high && x[2] % dilation.w == 0, high ? x[2] : x[1], high ? dilation.w : dilation.h);
    }
    case result_of_a_dilated_kernel_must_be_i8: {
      const dtype made = f.y().type;
      if (!f.is_dilated() || types::floating.contains(made) || made == i8) return {};
      return broken_limit(rule, static_cast<int>(made), static_cast<int>(i8), unit::type);
    }
    case pads_must_not_exceed_half_of_the_kernel:
    case pads_must_not_exceed_kernel_over_stride: return check_pads(rule, f);
    case operands_must_have_one_shape_or_one_be_a_pixel: return check_same_or_pixel(rule, f, false);
    case operands_must_have_one_shape_or_one_be_a_pixel_or_a_number: return check_same_or_pixel(rule, f, true);
    case batch_must_not_be_broadcast: return holds(!is_broadcast(f, 0, true) && !is_broadcast(f, 1, true), 1, f.y().shape[0]);
    case one_operand_alone_may_be_broadcast: return holds(!is_broadcast(f, 0) || !is_broadcast(f, 1), 2, 1);
    case axis_must_be_that_of_channels: return holds(axes_of(f).size() == 1 && first_of_axes() == 3, first_of_axes(), 3);
    case axis_must_not_be_that_of_the_batch: return holds(first_axis(f) != 0 || f.x().rank() < 2, 0, 1);
    case node_must_be_the_last: return holds(f.about.reader[static_cast<std::size_t>(f.g.outputs_of(f.n)[0])] == ir::none, 1, 0);
    case parts_must_be_equal: {
      const std::int64_t axis = f.number("axis");
      for (int i = 1; i < f.n.outputs.count; ++i) {
        const std::int64_t got = f.y(i).shape[static_cast<int>(axis)], first = f.y(0).shape[static_cast<int>(axis)];
        if (got != first) return broken_limit(rule, got, first);
      }
      return {};
    }
    case padding_mode_must_be_constant: return holds(f.number("mode") == 0, f.number("mode"), 0);
    case height_and_width_alone_may_be_padded: return holds(pads_elsewhere(f) == 0, pads_elsewhere(f), 0);
    case result_channels_must_be_multiples_of_4: return holds(f.result[3] % 4 == 0, f.result[3], 4);
    case axes_must_be_height_and_width:
    case axes_must_be_one_or_height_and_width: {
      const pool<std::int64_t> axes = axes_of(f);
      const bool both = axes.size() == 2 && axes[0] + axes[1] == 3 && axes[0] * axes[1] == 2;
      const bool one = axes.size() == 1 && rule == axes_must_be_one_or_height_and_width;
      return holds(both || one, static_cast<std::int64_t>(axes.size()), 2);
    }
    case axes_must_be_one: return holds(axes_of(f).size() == 1, static_cast<std::int64_t>(axes_of(f).size()), 1);
    case axes_must_be_kept: return holds(f.number("keep_dims") != 0, 0, 1);
    case computed_indices_must_be_i32:
      return !f.is_computed(1) || f.x(1).type == i32 ? accelerator_verdict{} : broken_limit(rule, static_cast<int>(f.x(1).type), static_cast<int>(i32), unit::type);
    case results_must_be_sorted: return holds(f.number("sorted") != 0, 0, 1);
    case ranks_of_factors_must_be_equal: return holds(f.x(0).rank() == f.x(1).rank(), f.x(1).rank(), f.x(0).rank());
    case first_factor_must_be_broadcast_as_a_whole_or_not_at_all: return check_first_factor(rule, f);
    case broadcast_extents_of_the_second_factor_must_follow_the_others: return check_second_factor(rule, f);
    default: return {};
  }
}

/// Every extent of an operand or result, the first one apart: it counts images.
constexpr accelerator_verdict check_extents_of(const accelerator_limit& row, const node_facts& f) {
  const auto check = [&](const shape_t& s) -> accelerator_verdict {
    for (int i = s.rank > 1 ? 1 : 0; i < s.rank; ++i)
      if (s[i] < row.least || s[i] > row.most) return broken_limit(row.rule, s[i], s[i] < row.least ? row.least : row.most);
    return {};
  };
  for (int i = 0; i < f.operands(); ++i)
    if (f.is_computed(i))
      if (const accelerator_verdict v = check(f.x(i).shape); !v) return v;
  for (int i = 0; i < f.n.outputs.count; ++i)
    if (const accelerator_verdict v = check(f.y(i).shape); !v) return v;
  return {};
}

constexpr accelerator_verdict check_row(const accelerator_limit& row, const node_facts& f) {
  if (row.rule == accelerator_rule::extents_must_lie_within_the_limits) return check_extents_of(row, f);
  if (const accelerator_verdict v = compare(row.rule, f); !v) return v;
  const measured got = measure(row.rule, f);
  for (int i = 0; i < got.count; ++i) {
    if (got.values[i] < row.least) return broken_limit(row.rule, got.values[i], row.least);
    if (got.values[i] > row.most) return broken_limit(row.rule, got.values[i], row.most);
  }
  return {};
}

/// The operator in the table that a node is one of; eltwise is the one that its mode names.
constexpr std::string_view name_in_table(const node_facts& f) {
  if (f.name() != "eltwise") return f.name();
  const std::int64_t mode = f.number("mode");
  return mode == static_cast<std::int64_t>(eltwise_mode::product) ? "mul" : mode == static_cast<std::int64_t>(eltwise_mode::sum) ? "add" : "maximum";
}

/// The row of an operator; the number of rows when there is none.
constexpr std::size_t row_for(const accelerator& table, std::string_view name) {
  std::size_t row = 0;
  while (row < table.operators.size() && table.operators[row].name != name) ++row;
  return row;
}

constexpr bool is_for(limits_of nodes, const accelerator& table, const node_facts& f) {
  const auto takes = [&](std::string_view name) {
    const std::size_t row = row_for(table, name);
    return row < table.operators.size() && table.operators[row].runs == placement::on_accelerator;
  };
  switch (nodes) {
    case limits_of::all: return true;
    case limits_of::plain: return f.groups() == 1 && !f.is_dilated();
    case limits_of::grouped: return f.groups() != 1 || f.is_dilated();
    case limits_of::last: return f.is_last(takes);
    case limits_of::followed: return !f.is_last(takes);
    case limits_of::windowed: return !f.is_global();
    case limits_of::one_pixel: return f.image[1] * f.image[2] == 1;
    case limits_of::many_pixels: return f.image[1] * f.image[2] != 1;
    case limits_of::two_computed: return f.is_computed(0) && f.is_computed(1);
    case limits_of::with_weight: return !f.is_computed(0) || !f.is_computed(1);
  }
  return true;
}

/// dtypes and zero points of what a node reads; floats are accepted, since they are quantised before they get there.
constexpr accelerator_verdict check_types(const accelerator_operator& row, const node_facts& f) {
  const auto typed_by = static_cast<int>(f.n.op->traits.typed_by);
  constexpr dtype_set to_be_quantised = types_of(f32) | types_of(f16);
  for (int i = 0; i < f.operands(); ++i) {
    if (!f.has_input(i)) continue;
    const tensor_desc& d = f.x(i);
    for (const std::int64_t extent : d.shape)
      if (extent < 0) return broken_limit(accelerator_rule::extents_must_be_known, extent, 0);
    if (d.quantised.mode == quantisation::kind::per_tensor && d.quantised.zero_point != 0) return broken_limit(accelerator_rule::zero_point_must_be_0, d.quantised.zero_point, 0);
    const bool is_data = i == typed_by || (f.is_computed(i) && row_of(f.n.op->inputs, static_cast<std::size_t>(i)) == row_of(f.n.op->inputs, static_cast<std::size_t>(typed_by)));
    if (is_data && !to_be_quantised.contains(d.type) && !row.accepts.contains(d.type))
      return broken_limit(accelerator_rule::operand_type_must_be_accepted_by_the_accelerator, static_cast<int>(d.type), static_cast<int>(i8), unit::type);
  }
  return {};
}

}  // namespace detail

/// What an accelerator's table says of a node: every limit that its operator and all operators have. Where the node runs that breaks none is
/// the row's `runs`. The values of a broken rule are those of the first extent, stride, … that breaks it.
constexpr accelerator_verdict check_node(const accelerator& table, const ir::graph& g, const ir::node& n, const detail::graph_facts& about) {
  const detail::node_facts f(g, n, about);
  const std::string_view name = detail::name_in_table(f);
  const std::size_t at = detail::row_for(table, name);
  if (at == table.operators.size()) return detail::broken_limit(accelerator_rule::operator_must_be_in_the_table, 0, 1);
  const accelerator_operator& row = table.operators[at];
  if (row.runs == placement::fused_only) return detail::broken_limit(accelerator_rule::operator_must_be_fused_into_a_convolution, 0, 1);
  if (row.runs == placement::folded) {
    const bool is_free = n.op->traits.result == storage::alias_of_input || n.op->traits.reads_descs_alone;
    return is_free ? accelerator_verdict{} : detail::broken_limit(accelerator_rule::operator_must_be_folded_away, 0, 1);
  }
  if (const accelerator_verdict v = detail::check_types(row, f); !v) return v;
  for (const array_ref<const accelerator_limit> list : {row.limits, row.further, table.limits})
    for (const accelerator_limit& limit : list)
      if (detail::is_for(limit.nodes, table, f))
        if (const accelerator_verdict v = detail::check_row(limit, f); !v) return v;
  return {};
}

}  // namespace nnrt::inline NNRT_ISA
