// non_max_suppression: selects boxes and drops those that overlap better ones.
// Flow: front ends call infer(); kernels/select.hpp binds it.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/math.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/boxes.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Indices of the selected boxes of each class of each image, best first (non-maximum suppression).
///
///   boxes: [N, 4], two opposite corners (y, x, y, x)      scores_of_boxes: [N]      M = max_detections
///   indices (i32), chosen_scores: [M]      count (i32): [], the number of selected boxes
///
///   boxes: [B, N, 4]      scores_of_boxes: [B, C, N]      M = B * C * max_detections
///   indices (i32): [M, 3], image, class and box      chosen_scores: [M]      count (i32): []
///
///   iou_threshold, score_threshold, sigma: one number each; by default 0, minus infinity and 0
///
/// The box with the best score is selected repeatedly (of equal scores the smaller index), until max_detections are
/// selected or no score is above score_threshold. A box is dropped if its intersection over union with a selected box
/// exceeds iou_threshold, or equals it with drops_equal. Boxes without area have no intersection.
/// With a sigma above 0 (soft suppression) each selected box multiplies the scores of all others by exp(-share^2 / (2
/// sigma)), where share is their intersection over union. chosen_scores has the scores at selection.
/// Results after the first `count` are 0. With center_point_box, a box is given by centre, width and height (x, y, w,
/// h). NaN scores are below all thresholds.
///
/// Shares and scores are computed in f64; shares are compared in the dtype of the boxes.
///
/// Broken rules: see `rule`; values: ranks, extents and counts. Source: ONNX NonMaxSuppression, with an upper bound of
/// results; TFLite's NON_MAX_SUPPRESSION_V4 and _V5 (with drops_equal), which leave the order of equal scores open and
/// select a box without area more than once. Soft suppression: Bodla et al., https://arxiv.org/abs/1704.04503.
struct non_max_suppression {
  static constexpr op_code code{1021};
  static constexpr std::string_view name = "non_max_suppression";
  static constexpr operand_spec inputs[] = {{"boxes", types::floating},
                                            {"scores_of_boxes", types::floating},
                                            {"iou_threshold", types::floating, presence::optional},
                                            {"score_threshold", types::floating, presence::optional},
                                            {"sigma", types::floating, presence::optional}};
  static constexpr operand_spec outputs[] = {
      {"indices", types_of(i32)}, {"chosen_scores", types::floating}, {"count", types_of(i32)}};
  static constexpr operator_traits traits{.in_files = file_order::unchanged};
  static constexpr std::string_view choice =
      "a share is about iou_threshold, or a score about another one: then boxes may be others";
  static constexpr error_bound errors[] = {
      {types_of(f32, f16), 0.51, error_unit::result, 0, false, {}, choice},
      {types_of(f64), 3, error_unit::result, 4, false, "boxes that were chosen before", choice}};
  static constexpr foreign_numbers foreign{};
  static constexpr std::array<nnrt_parameter, 0> parameters{};

  /// Larger indices do not fit into i32.
  static constexpr std::int64_t max_boxes = std::int64_t{1} << 31;

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, max_detections), (bool, drops_equal), (bool, center_point_box));
    constexpr attrs() : max_detections(10), drops_equal(false), center_point_box(false) {}
  };
  enum class rule {
    boxes_rank_must_be_2_or_3,
    scores_rank_must_be_1_or_that_of_batches,
    boxes_must_have_four_numbers,
    extents_must_be_those_of_the_boxes,
    types_must_be_equal,
    thresholds_must_be_one_number,
    detections_must_not_be_negative,
    boxes_must_be_countable_in_32_bits,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    const tensor_desc &boxes = in[0].desc, &scores = in[1].desc;
    if (auto v = require_between(Rule::boxes_rank_must_be_2_or_3, boxes.rank(), 2, 3); !v) return v;
    const bool has_classes = boxes.rank() == 3;
    if (auto v = require(Rule::scores_rank_must_be_1_or_that_of_batches, scores.rank(), has_classes ? 3 : 1); !v)
      return v;
    if (auto v = require_same_extent(Rule::boxes_must_have_four_numbers, boxes.shape[-1], 4); !v) return v;
    constexpr rule fit = Rule::extents_must_be_those_of_the_boxes;
    if (auto v = require_same_extent(fit, scores.shape[-1], boxes.shape[-2]); !v) return v;
    if (has_classes)
      if (auto v = require_same_extent(fit, scores.shape[0], boxes.shape[0]); !v) return v;
    if (auto v = require(Rule::types_must_be_equal, scores.type, boxes.type); !v) return v;
    for (std::size_t i = 2; i < in.size(); ++i)
      if (in[i])
        if (auto v = require_same_extent(Rule::thresholds_must_be_one_number, in[i].desc.elements(), 1); !v) return v;
    if (auto v = require_at_least(Rule::detections_must_not_be_negative, a.max_detections, 0); !v) return v;
    const std::int64_t count = boxes.shape[-2] < 0 ? scores.shape[-1] : boxes.shape[-2];
    if (auto v = require_at_most(Rule::boxes_must_be_countable_in_32_bits, count, max_boxes); !v) return v;
    std::int64_t all = a.max_detections < max_elements ? a.max_detections : max_elements + 1;
    if (has_classes)
      all = extent_product(extent_product(boxes.shape[0] < 0 ? scores.shape[0] : boxes.shape[0], scores.shape[1]), all);
    return ok(tensor_desc{i32, has_classes ? shape_t{all, 3} : shape_t{all}}, tensor_desc{boxes.type, shape_t{all}},
              tensor_desc{i32, shape_t{}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    detections<T> found(a, in, out);
    do {
      detail::candidate best;
      while (found.has_room() && found.find_best(best)) found.take(best);
    } while (found.next_class());
    found.finish();
  }

  /// Collects the results, class by class; T is the type of boxes and scores.
  template <class T> class detections {
   public:
    constexpr detections(const attrs& a, arguments in, results out)
        : a_(a),
          boxes_(in[0].as<const T>()),
          scores_(in[1].as<const T>()),
          indices_(out[0].as<std::int32_t>()),
          chosen_(out[1].as<T>()),
          count_(out[2].as<std::int32_t>()),
          boxes_of_each_(in[0].shape()[-2]),
          columns_(in[0].shape().rank == 3 ? 3 : 1),
          classes_(columns_ == 3 ? in[1].shape()[1] : 1),
          all_classes_(columns_ == 3 ? in[1].shape()[0] * classes_ : 1),
          threshold_(number(in, 2, 0)),
          lowest_(number(in, 3, -math::infinity<double>)),
          sigma_(number(in, 4, 0)) {}

    constexpr std::int64_t boxes() const { return all_classes_ == 0 ? 0 : boxes_of_each_; }
    constexpr bool has_room() const { return taken_ - first_ < a_.max_detections && boxes() > 0; }
    /// Moves to the next class of an image, or to the first class of the next image; false after the last one.
    constexpr bool next_class() {
      first_ = taken_;
      return ++class_ < all_classes_;
    }
    constexpr void finish() {
      for (std::int64_t i = taken_ * columns_; i < indices_.elements(); ++i) indices_[i] = 0;
      for (std::int64_t i = taken_; i < chosen_.elements(); ++i) chosen_[i] = T{};
      count_[0] = static_cast<std::int32_t>(taken_);
    }

    /// Box i with its original score; false: it is too low.
    constexpr bool candidate_at(std::int64_t i, detail::candidate& c) const {
      c = {math::convert<double>(scores_[class_ * boxes_of_each_ + i]), 0, i};
      return is_high(c.score);
    }
    /// Number of selected boxes of this class.
    constexpr std::int64_t chosen() const { return taken_ - first_; }
    /// Lowers a candidate's score by the selected boxes from number `seen` on; false: it is dropped.
    constexpr bool survives(detail::candidate& c, std::int64_t seen) const {
      for (std::int64_t i = first_ + seen; i < taken_; ++i) {
        const std::int64_t other = indices_[i * columns_ + columns_ - 1];
        if (other == c.index) return false;
        const double share = detail::overlap(box_at(c.index), box_at(other));
        const double rounded = math::convert<double>(math::convert<T>(share));
        if (a_.drops_equal ? rounded >= threshold_ : rounded > threshold_) return false;
        if (!(sigma_ > 0) || share == 0) continue;
        c.score = math::product(c.score, math::exp(math::product(-0.5 / sigma_, math::product(share, share))));
        if (!is_high(c.score)) return false;
      }
      return true;
    }
    /// The best candidate after suppression by the selected boxes.
    constexpr bool find_best(detail::candidate& best) const {
      bool is_found = false;
      for (std::int64_t i = 0; i < boxes(); ++i) {
        detail::candidate c;
        if (!candidate_at(i, c) || !survives(c, 0) || (is_found && !c.is_before(best))) continue;
        best = c;
        is_found = true;
      }
      return is_found;
    }
    constexpr void take(const detail::candidate& c) {
      const std::int64_t at = taken_ * columns_;
      if (columns_ == 3) {
        indices_[at] = static_cast<std::int32_t>(class_ / classes_);
        indices_[at + 1] = static_cast<std::int32_t>(class_ % classes_);
      }
      indices_[at + columns_ - 1] = static_cast<std::int32_t>(c.index);
      chosen_[taken_++] = math::convert<T>(c.score);
    }

   private:
    static constexpr double number(arguments in, std::size_t i, double otherwise) {
      return i < in.size() && in[i] ? detail::real_element(in[i], 0) : otherwise;
    }
    constexpr bool is_high(double score) const { return score > lowest_; }
    constexpr detail::box<double> box_at(std::int64_t i) const {
      const std::int64_t first = (class_ / classes_ * boxes_of_each_ + i) * 4;
      double x[4] = {};
      for (int k = 0; k < 4; ++k) x[k] = math::convert<double>(boxes_[first + k]);
      if (a_.center_point_box) {
        const double half_w = math::product(0.5, x[2]), half_h = math::product(0.5, x[3]);
        return {x[1] - half_h, x[0] - half_w, x[1] + half_h, x[0] + half_w};
      }
      return {std::min(x[0], x[2]), std::min(x[1], x[3]), std::max(x[0], x[2]), std::max(x[1], x[3])};
    }

    const attrs& a_;
    tensor_view<const T> boxes_, scores_;
    tensor_view<std::int32_t> indices_;
    tensor_view<T> chosen_;
    tensor_view<std::int32_t> count_;
    std::int64_t boxes_of_each_, columns_, classes_, all_classes_;
    double threshold_, lowest_, sigma_;
    std::int64_t class_ = 0, first_ = 0, taken_ = 0;
  };
};

}  // namespace ops

/// auto [indices, scores, count] = non_max_suppression(boxes, scores, iou_threshold, score_threshold, sigma,
/// `max_detections<100>`). The last three operands may be numbers, and may be omitted from the last one on.
template <tensor_desc B, tensor_desc S, class... Rest>
constexpr auto non_max_suppression(tensor<B> boxes, tensor<S> scores, Rest... rest) {
  return dsl::apply<ops::non_max_suppression>(boxes, scores, rest...);
}

}}  // namespace nnrt::NNRT_ISA
