// limit_check: measures what each rule of an accelerator counts or compares in a node.
// Flow: check_node() checks a node against each limit of a table's row with it.
#pragma once

#include <nnrt/policy/alignment.hpp>
#include <nnrt/policy/node_facts.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

constexpr accelerator_verdict broken_limit(accelerator_rule rule, std::int64_t got, std::int64_t limit,
                                           unit counted = unit::number) {
  return {static_cast<int>(rule), counted, got, limit};
}

constexpr bool is_power_of_two(std::int64_t v) { return v > 0 && (v & (v - 1)) == 0; }

/// The pads in pixels, for explicit pads, `same` and `valid`.
struct pixels_around {
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;
};
constexpr pixels_around pads_of(const node_facts& f) {
  const shape_t& x = f.image;
  const extent2 kernel = f.kernel, stride = f.stride, dilation = f.dilation;
  const pads p = f.padding();
  if (p.mode == pad_mode::explicit_pads) return {p.top, p.bottom, p.left, p.right};
  if (p.mode == pad_mode::valid) return {};
  if (f.n.op->traits.weights == weights_role::conv2d_transpose) {  // of the result: the part that exceeds H * stride
    const std::int64_t down = (kernel.h - 1) * dilation.h + 1 - stride.h,
                       across = (kernel.w - 1) * dilation.w + 1 - stride.w;
    const std::int64_t h = down > 0 ? down : 0, w = across > 0 ? across : 0;
    return {h / 2, h - h / 2, w / 2, w - w / 2};
  }
  const auto behind = [](const window& w) {
    const std::int64_t all = (w.outputs() - 1) * w.stride + w.span() - w.input;
    return all > 0 ? all - w.pad_before() : 0;
  };
  const window h = window_of_height(x[1], kernel.h, stride, dilation, p),
               w = window_of_width(x[2], kernel.w, stride, dilation, p);
  return {h.pad_before(), behind(h), w.pad_before(), behind(w)};
}

/// The shape of a binary operator's operand with leading ones, up to the result's rank.
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

/// Rank of a broadcast after axes are merged. Axes of extent 1 are dropped; neighbours are merged if the same operand,
/// or none, is broadcast along both.
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

/// Whether operand `i` is broadcast along any axis. outermost_alone: along the first axis only.
constexpr bool is_broadcast(const node_facts& f, int i, bool outermost_alone = false) {
  const shape_t& y = f.y().shape;
  const shape_t x = widened(f.x(i).shape, y.rank);
  const int axes = !outermost_alone ? y.rank : y.rank > 1 ? 1 : 0;
  for (int axis = 0; axis < axes; ++axis)
    if (x[axis] != y[axis]) return true;
  return false;
}

/// Number of zeros in constant operands whose elements are in the graph.
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

/// The axes of an operator without duplicates, as axes of x; all axes if it names none.
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
    const std::int64_t at = axis < 0 ? axis + f.x().rank() : axis;
    bool is_listed = false;
    for (const std::int64_t known : list) is_listed = is_listed || known == at;
    if (!is_listed) list.push_back(at);
  }
  if (f.number("reduce_to_end") == 0 || list.empty()) return list;
  pool<std::int64_t> to_end;  // from the first named axis
  for (std::int64_t axis = list[0]; axis < f.x().rank(); ++axis) to_end.push_back(axis);
  return to_end;
}

/// The first axis of an operator, as an axis of x.
constexpr std::int64_t first_axis(const node_facts& f) {
  const array_ref<const word> words = f.attribute("axis");
  if (words.empty()) return 0;
  const bool is_list = f.name() == "softmax";
  const std::int64_t axis = !is_list ? words[0] : words.size() > 1 ? words[1] : -1;
  return axis < 0 ? axis + f.x().rank() : axis;
}

/// Number of extents that differ between x and the result.
constexpr std::int64_t changed_extents(const node_facts& f) {
  const shape_t& y = f.y().shape;
  const shape_t x = widened(f.x().shape, y.rank);
  std::int64_t changed = 0;
  for (int i = 0; i < y.rank; ++i) changed += x[i] != y[i] ? 1 : 0;
  return changed;
}

/// Number of nonzero pads on axes other than height and width.
constexpr std::int64_t pads_elsewhere(const node_facts& f) {
  const pool<std::int64_t> paddings = f.integers("paddings");
  std::int64_t elsewhere = 0;
  for (std::size_t i = 0; i < paddings.size(); ++i) {
    const int axis = node_facts::axis_in_image(f.x(), static_cast<std::int64_t>(i / 2));
    elsewhere += paddings[i] != 0 && axis != 1 && axis != 2 ? 1 : 0;
  }
  return elsewhere;
}

/// Size of the sub-kernels of a transposed convolution, one for each position within a stride: taps times input
/// channels of a group.
constexpr std::int64_t decomposed_volume(const node_facts& f) {
  const extent2 kernel = f.kernel, stride = f.stride;
  const pixels_around p = pads_of(f);
  const std::int64_t h = (kernel.h - 1 + p.top % stride.h) / stride.h + 1,
                     w = (kernel.w - 1 + p.left % stride.w) / stride.w + 1;
  return saturated_product(h, w, f.channels_per_group());
}
/// Number of elements, saturated; 0 if an extent is 0.
constexpr std::int64_t volume(const shape_t& s) {
  std::int64_t all = 1;
  for (const std::int64_t extent : s) all = saturated_product(all, extent);
  return all;
}
/// The first factor of a matrix product may be broadcast along its outer axes only if all its outer extents are 1.
constexpr accelerator_verdict check_first_factor(accelerator_rule rule, const node_facts& f) {
  const shape_t& y = f.y().shape;
  const shape_t a = widened(f.x(0).shape, y.rank);
  bool is_repeated = false;
  for (int i = 0; i + 2 < y.rank; ++i) is_repeated = is_repeated || a[i] != y[i];
  for (int i = 0; is_repeated && i + 2 < y.rank; ++i)
    if (a[i] != 1) return broken_limit(rule, a[i], 1);
  return {};
}
/// After the first outer axis along which the second factor is broadcast, all its outer extents must be 1.
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

/// Checks one limit of one node.
class limit_check {
  using enum accelerator_rule;

 public:
  constexpr limit_check(const accelerator_limit& limit, const node_facts& facts) : row_(limit), f_(facts) {}

  // One line for each rule: longer than other functions, so that the compiler sees that none is missing.
  constexpr accelerator_verdict run() const {
    const shape_t &x = f_.image, &y = f_.result;
    const extent2 k = f_.kernel, s = f_.stride, d = f_.dilation, two{2, 2};
    switch (row_.rule) {
      // Of nodes as a whole: check_node() has checked them.
      case operator_must_be_in_the_table:
      case operator_must_be_fused_into_a_convolution:
      case operator_must_be_folded_away:
      case operator_must_be_asked_for:
      case node_must_be_wanted_on_the_accelerator:
      case operand_type_must_be_accepted_by_the_accelerator:
      case zero_point_must_be_0:
      case extents_must_be_known: break;

      // Ranks and extents of images.
      case rank_must_lie_within_the_limits: return every_rank();
      case batch_must_lie_within_the_limits: return within({f_.batch(f_.x()), f_.batch(f_.y())});
      case first_extent_must_lie_within_the_limits: return within({f_.x().shape[0], f_.y().shape[0]});
      case extents_must_lie_within_the_limits: return every_extent();
      case channels_must_lie_within_the_limits: return within({x[3], y[3]});
      case sides_must_lie_within_the_limits: return within({x[1], x[2], y[1], y[2]});

      // Numbers of elements, plain and aligned.
      case elements_must_lie_within_the_limits: return within({volume(f_.x().shape), volume(f_.y().shape)});
      case elements_of_an_image_must_lie_within_the_limits: return within({saturated_product(x[1], x[2], x[3])});
      case aligned_elements_must_lie_within_the_limits: return aligned_elements();
      case aligned_blocks_of_the_result_must_lie_within_the_limits:
        return within({saturated_product(y[1], (y[2] + 7) / 8, (y[3] + 3) / 4)});

      // The window of a layer or pool, and its filters.
      case kernel_must_lie_within_the_limits: return within({k.h, k.w});
      case kernel_area_must_lie_within_the_limits: return within({saturated_product(k.h, k.w)});
      case kernel_volume_must_lie_within_the_limits: return kernel_volume();
      case decomposed_kernel_volume_must_lie_within_the_limits: return within({decomposed_volume(f_)});
      case filters_must_lie_within_the_limits: return within({f_.filters()});
      case channels_per_group_must_lie_within_the_limits: return within({f_.channels_per_group()});

      // Strides and dilations.
      case strides_must_lie_within_the_limits: return within({s.h, s.w});
      case strides_must_be_powers_of_two: return both_hold(is_power_of_two(s.h), s, two, is_power_of_two(s.w));
      case strides_of_a_dilated_kernel_must_be_1: return within_if(f_.is_dilated(), {s.h, s.w});
      case strides_before_a_residual_add_must_lie_within_the_limits:
        return within_if(f_.is_before_residual_add(), {s.h, s.w});
      case stride_area_must_lie_within_the_limits: return within({saturated_product(s.h, s.w)});
      case stride_height_must_not_exceed_stride_width: return holds(s.h <= s.w, s.h, s.w);
      case dilations_must_lie_within_the_limits: return within({d.h, d.w});
      case dilations_must_be_powers_of_two: return both_hold(is_power_of_two(d.h), d, two, is_power_of_two(d.w));
      case dilations_must_be_multiples_of_the_strides:
        return f_.is_dilated() ? both_hold(d.h % s.h == 0, d, s, d.w % s.w == 0) : accelerator_verdict{};
      case dilation_height_must_not_exceed_dilation_width: return holds(d.h <= d.w, d.h, d.w);
      case image_must_be_a_multiple_of_the_dilation:
        return both_hold(x[1] % d.h == 0, {x[1], x[2]}, d, x[2] % d.w == 0);
      case result_of_a_dilated_kernel_must_be_i8: return type_of_dilated();

      // Pads of layers and pools.
      case pads_must_lie_within_the_limits: return every_pad();
      case pads_must_not_exceed_half_of_the_kernel: return pads_within((k.h - 1) / 2, (k.w - 1) / 2);
      case pads_must_not_exceed_kernel_over_stride:
        return pads_within(pad_over_stride(k.h, s.h), pad_over_stride(k.w, s.w));
      case output_paddings_must_lie_within_the_limits: return output_paddings();

      case area_of_a_global_pool_must_lie_within_the_limits:
        return within_if(f_.is_global(), {saturated_product(x[1], x[2])});
      case sides_of_a_global_pool_must_lie_within_the_limits: return within_if(f_.is_global(), {x[1], x[2]});

      // Constants and broadcasting of elementwise operators.
      case constants_must_not_be_too_many: return constants();
      case constants_must_not_hold_0: return within({zeros_in_constants(f_)});
      case operands_must_have_one_shape_or_one_be_a_pixel: return one_shape_or_pixel(false);
      case operands_must_have_one_shape_or_one_be_a_pixel_or_a_number: return one_shape_or_pixel(true);
      case batch_must_not_be_broadcast:
        return holds(!is_broadcast(f_, 0, true) && !is_broadcast(f_, 1, true), 1,
                     f_.y().rank() == 0 ? 1 : f_.y().shape[0]);
      case one_operand_alone_may_be_broadcast: return holds(!is_broadcast(f_, 0) || !is_broadcast(f_, 1), 2, 1);
      case collapsed_rank_must_lie_within_the_limits: return within({collapsed_rank(f_)});
      case exponent_must_be_one_number: return within({volume(f_.x(1).shape)});

      // The axis of an operator.
      case axis_must_be_that_of_channels: return axis_of_channels();
      case axis_must_not_be_that_of_the_batch: return holds(first_axis(f_) != 0 || f_.x().rank() < 2, 0, 1);
      case extent_of_the_axis_must_lie_within_the_limits: return extents_of_axes();
      case node_must_be_the_last:
        return holds(f_.about.reader[static_cast<std::size_t>(f_.g.outputs_of(f_.n)[0])] == ir::none, 1, 0);
      case results_must_not_be_too_many: return within({f_.number("k", 1)});
      case results_must_be_sorted: return holds(f_.number("sorted") != 0, 0, 1);
      case parts_must_be_equal: return equal_parts();

      // Borders, blocks and indices of operators that move values.
      case padding_mode_must_be_constant: return holds(f_.number("mode") == 0, f_.number("mode"), 0);
      case height_and_width_alone_may_be_padded: return holds(pads_elsewhere(f_) == 0, pads_elsewhere(f_), 0);
      case block_size_must_lie_within_the_limits: return within({f_.number("block_size", 1)});
      case result_channels_must_be_multiples_of_4: return holds(y[3] % 4 == 0, y[3], 4);
      case computed_indices_must_be_i32: return type_of_indices();

      // How many extents an operator changes, and by which factor.
      case enlargement_must_lie_within_the_limits: return within({(y[1] + x[1] - 1) / x[1], (y[2] + x[2] - 1) / x[2]});
      case reduction_must_lie_within_the_limits: return within({x[1] / y[1], x[2] / y[2]});
      case extents_that_change_must_not_be_too_many: return within({changed_extents(f_)});

      // The axes of reductions, and whether these are kept.
      case axes_must_be_height_and_width: return height_and_width(false);
      case axes_must_be_one_or_height_and_width: return height_and_width(true);
      case axes_must_be_one: return one_axis();
      case axes_must_be_kept: return holds(f_.number("keep_dims") != 0, 0, 1);

      // Factors of matrix products.
      case ranks_of_factors_must_be_equal:
        return holds(f_.x(0).rank() == f_.x(1).rank(), f_.x(1).rank(), f_.x(0).rank());
      case extents_of_matrices_must_lie_within_the_limits:
        return within({f_.x(0).shape[-2], f_.x(0).shape[-1], f_.x(1).shape[-2], f_.x(1).shape[-1]});
      case outer_extents_must_lie_within_the_limits: return outer_extents();
      case outer_extents_of_the_second_factor_must_be_1: return outer_extents_of_second();
      case first_factor_must_be_broadcast_as_a_whole_or_not_at_all: return check_first_factor(row_.rule, f_);
      case broadcast_extents_of_the_second_factor_must_follow_the_others: return check_second_factor(row_.rule, f_);
    }
    return {};
  }

 private:
  /// The first value outside the limits of the row.
  constexpr accelerator_verdict within(std::initializer_list<std::int64_t> values) const {
    for (const std::int64_t v : values) {
      if (v < row_.least) return broken_limit(row_.rule, v, row_.least);
      if (v > row_.most) return broken_limit(row_.rule, v, row_.most);
    }
    return {};
  }
  constexpr accelerator_verdict within_if(bool is_asked, std::initializer_list<std::int64_t> values) const {
    return is_asked ? within(values) : accelerator_verdict{};
  }
  /// The verdict of a comparison of two facts.
  constexpr accelerator_verdict holds(bool ok, std::int64_t got, std::int64_t limit) const {
    return ok ? accelerator_verdict{} : broken_limit(row_.rule, got, limit);
  }
  constexpr accelerator_verdict both_hold(bool high, extent2 got_if_high, extent2 limit, bool wide) const {
    return high ? holds(wide, got_if_high.w, limit.w) : holds(false, got_if_high.h, limit.h);
  }

  constexpr accelerator_verdict every_rank() const {
    for (int i = 0; i < f_.operands(); ++i)
      if (f_.is_computed(i))
        if (const accelerator_verdict v = within({f_.x(i).rank()}); !v) return v;
    return within({f_.y().rank()});
  }
  /// Skips the first extent if there are more: it is the batch.
  constexpr accelerator_verdict every_extent_of(const shape_t& s) const {
    for (int i = s.rank > 1 ? 1 : 0; i < s.rank; ++i)
      if (const accelerator_verdict v = within({s[i]}); !v) return v;
    return {};
  }
  constexpr accelerator_verdict every_extent() const {
    for (int i = 0; i < f_.operands(); ++i)
      if (f_.is_computed(i))
        if (const accelerator_verdict v = every_extent_of(f_.x(i).shape); !v) return v;
    for (int i = 0; i < f_.n.outputs.count; ++i)
      if (const accelerator_verdict v = every_extent_of(f_.y(i).shape); !v) return v;
    return {};
  }

  constexpr accelerator_verdict aligned_elements() const {
    const shape_t& x = f_.image;
    const std::int64_t wide = saturated_product(x[1], rounded_up(x[2], 8), rounded_up(x[3], 4));
    const std::int64_t deep = saturated_product(x[1], x[2], rounded_up(x[3], 32));
    return within({wide < deep ? wide : deep});
  }
  constexpr accelerator_verdict kernel_volume() const {
    const std::int64_t channels = f_.channels_per_group();
    return within({f_.has_kernel() ? saturated_product(f_.kernel.h, f_.kernel.w, channels) : channels});
  }
  constexpr accelerator_verdict type_of_dilated() const {
    const dtype made = f_.y().type;
    if (!f_.is_dilated() || types::floating.contains(made) || made == i8) return {};
    return broken_limit(row_.rule, static_cast<int>(made), static_cast<int>(i8), unit::type);
  }

  constexpr accelerator_verdict every_pad() const {
    const pixels_around p = pads_of(f_);
    return within({p.top, p.bottom, p.left, p.right});
  }
  /// Checks each pad against the bound along its axis.
  constexpr accelerator_verdict pads_within(std::int64_t max_h, std::int64_t max_w) const {
    const pixels_around p = pads_of(f_);
    for (const std::int64_t pad : {p.top, p.bottom})
      if (pad > max_h) return broken_limit(row_.rule, pad, max_h);
    for (const std::int64_t pad : {p.left, p.right})
      if (pad > max_w) return broken_limit(row_.rule, pad, max_w);
    return {};
  }
  static constexpr std::int64_t pad_over_stride(std::int64_t kernel, std::int64_t stride) {
    return stride % 2 == 0 ? kernel / stride : (kernel + stride - 1) / stride - 1;
  }
  constexpr accelerator_verdict output_paddings() const {
    const array_ref<const word> more = f_.attribute("output_paddings");
    return more.size() == 2 ? within({more[0], more[1]}) : accelerator_verdict{};
  }

  constexpr accelerator_verdict constants() const {
    std::int64_t count = 0;
    for (int i = 0; i < f_.operands(); ++i) count += f_.has_input(i) && !f_.is_computed(i) ? 1 : 0;
    return within({count});
  }
  constexpr accelerator_verdict one_shape_or_pixel(bool takes_numbers) const {
    const shape_t& y = f_.y().shape;
    for (int i = 0; i < 2; ++i) {
      if (f_.x(i).shape == y) continue;
      const shape_t x = widened(f_.x(i).shape, y.rank);
      if (takes_numbers && volume(x) == 1) continue;
      if (!is_pixel(x, y)) return broken_limit(row_.rule, volume(x), y[-1]);
    }
    return {};
  }

  constexpr accelerator_verdict axis_of_channels() const {
    const pool<std::int64_t> list = axes_of(f_);
    const std::int64_t first = list.empty() ? 0 : node_facts::axis_in_image(f_.x(), list[0]);
    return holds(list.size() == 1 && first == 3, first, 3);
  }
  constexpr accelerator_verdict extents_of_axes() const {
    for (const std::int64_t axis : axes_of(f_))
      if (const accelerator_verdict v = within({f_.x().shape[static_cast<int>(axis)]}); !v) return v;
    return {};
  }
  constexpr accelerator_verdict equal_parts() const {
    const int axis = static_cast<int>(f_.number("axis"));
    for (int i = 1; i < f_.n.outputs.count; ++i)
      if (f_.y(i).shape[axis] != f_.y(0).shape[axis])
        return broken_limit(row_.rule, f_.y(i).shape[axis], f_.y(0).shape[axis]);
    return {};
  }
  constexpr accelerator_verdict height_and_width(bool takes_one) const {
    const pool<std::int64_t> list = axes_of(f_);
    const auto in_image = [&](std::size_t i) { return node_facts::axis_in_image(f_.x(), list[i]); };
    const bool both = list.size() == 2 && in_image(0) + in_image(1) == 3 && in_image(0) * in_image(1) == 2;
    return holds(both || (takes_one && list.size() == 1), static_cast<std::int64_t>(list.size()), 2);
  }
  constexpr accelerator_verdict one_axis() const {
    const auto count = static_cast<std::int64_t>(axes_of(f_).size());
    return holds(count == 1, count, 1);
  }
  constexpr accelerator_verdict type_of_indices() const {
    if (!f_.is_computed(1) || f_.x(1).type == i32) return {};
    return broken_limit(row_.rule, static_cast<int>(f_.x(1).type), static_cast<int>(i32), unit::type);
  }

  constexpr accelerator_verdict outer_extents() const {
    for (int i = 0; i + 2 < f_.y().rank(); ++i)
      if (const accelerator_verdict v = within({f_.y().shape[i]}); !v) return v;
    return {};
  }
  constexpr accelerator_verdict outer_extents_of_second() const {
    std::int64_t outer = 1;
    for (int i = 0; i + 2 < f_.x(1).rank(); ++i) outer = saturated_product(outer, f_.x(1).shape[i]);
    return within({outer});
  }

  const accelerator_limit& row_;
  const node_facts& f_;
};

}}}  // namespace nnrt::NNRT_ISA::detail
