// detection_post_process: the boxes that a detector found, without duplicates, best first.
// Flow: front ends call infer(); kernels/select.hpp binds it.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/dsl.hpp>
#include <nnrt/core/operator.hpp>
#include <nnrt/ops/detail/boxes.hpp>
#include <nnrt/ops/detail/quantised.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace nnrt { inline namespace NNRT_ISA {
namespace ops {

/// Decodes a detector's results for each anchor to boxes, and removes boxes that overlap better ones (non-maximum
/// suppression).
///
///   bbox: [B, N, 4], centre y and x, height and width
///   scores: [B, N, C], or [B, N, C + 1] with the background as the first column
///   anchors: [N, 4], in the order of bbox      M = max_detections * max_classes_per_detection
///   bboxes: [B, M, 4], top, left, bottom, right      classes, confidences: [B, M]      detections: [B]
///
/// With (y, x, h, w) = bbox / scale and an anchor (Y, X, H, W), the box has its centre at y * H + Y and x * W + X, the
/// height exp(h) * H and the width exp(w) * W. A box is selected if its score is at least nms_score_threshold and its
/// intersection over union with each selected box is at most nms_iou_threshold.
///
/// Regular (use_regular_nms): each class selects boxes separately, from the best score down, at most
/// detections_per_class. The results are the best max_detections of all classes.
/// Otherwise a box is selected once, by its best class. max_detections boxes are selected, and each gives
/// max_classes_per_detection results, for its best classes.
/// Of equal scores the smaller class is first, then the smaller index of a box. `detections` is the number of selected
/// boxes; further results are 0.
///
/// Operands may have different dtypes; quantised ones (i8, u8) are dequantised. Results have the dtype of bbox, or f32
/// if it is quantised. scale is 1, 1, 1, 1 by default. input_size is ignored.
///
/// Broken rules: see `rule`; values: ranks, extents and counts. Source: NNRt OH_NN_OPS_DETECTION_POST_PROCESS, with the
/// meaning of TensorFlow Lite's TFLite_Detection_PostProcess, which leaves the order of equal scores open.
struct detection_post_process {
  static constexpr op_code code{92};
  static constexpr std::string_view name = "detection_post_process";
  static constexpr operand_spec inputs[] = {
      {"bbox", detail::detected}, {"scores", detail::detected}, {"anchors", detail::detected}};
  static constexpr operand_spec outputs[] = {{"bboxes", types::floating},
                                             {"classes", types::floating},
                                             {"confidences", types::floating},
                                             {"detections", types::floating}};
  static constexpr operator_traits traits{.quantised = quantised_values::computed, .in_files = file_order::unchanged};
  static constexpr std::string_view choice = "an overlap is about nms_iou_threshold: then boxes may be others";
  static constexpr error_bound errors[] = {
      {types_of(f32), 1.6, error_unit::terms, 0, false, {}, choice},
      {types_of(f16), 0.51, error_unit::terms, 0, false, {}, choice},
      {types_of(f64), 3, error_unit::terms, 1, false, "the exponents of sizes, by magnitude", choice}};
  static constexpr foreign_numbers foreign{.nnrt = 92, .hdi = 46};
  static constexpr hdi_field hdi_fields[] = {hdi_field::always("format", 1).upstream_writes(0),
                                             hdi_field::named("scale", "scale").upstream_omitting()};
  static constexpr nnrt_parameter parameters[] = {{"input_size", 131, i64},
                                                  {"scale", 132, f32, -1},
                                                  {"nms_iou_threshold", 133, f32},
                                                  {"nms_score_threshold", 134, f32},
                                                  nnrt_parameter{"max_detections", 135, i64}.otherwise(0),
                                                  nnrt_parameter{"detections_per_class", 136, i64}.otherwise(0),
                                                  nnrt_parameter{"max_classes_per_detection", 137, i64}.otherwise(0),
                                                  nnrt_parameter{"num_classes", 138, i64}.otherwise(0),
                                                  {"use_regular_nms", 139, boolean},
                                                  {"out_quantized", 140, boolean}};

  struct attrs {
    NNRT_ATTRIBUTES(attrs, (std::int64_t, input_size), (float, nms_iou_threshold), (float, nms_score_threshold),
                    (std::int64_t, max_detections), (std::int64_t, detections_per_class),
                    (std::int64_t, max_classes_per_detection), (std::int64_t, num_classes), (bool, use_regular_nms),
                    (bool, out_quantized), (real_list<4>, scale));
    constexpr attrs()
        : input_size(0),
          nms_iou_threshold(0),
          nms_score_threshold(0),
          max_detections(10),
          detections_per_class(100),
          max_classes_per_detection(1),
          num_classes(1),
          use_regular_nms(false),
          out_quantized(false),
          scale{1, 1, 1, 1} {}
  };
  enum class rule {
    boxes_and_scores_rank_must_be_3,
    anchors_rank_must_be_2,
    boxes_and_anchors_must_have_four_numbers,
    extents_must_be_those_of_the_boxes,
    classes_must_be_at_least_1,
    scores_must_have_at_most_one_column_beside_the_classes,
    detections_must_be_at_least_1,
    scale_must_have_four_numbers,
    scale_must_be_positive_and_finite,
    iou_threshold_must_lie_between_0_and_1,
    score_threshold_must_be_finite,
    outputs_must_be_real_numbers,
    quantised_operands_must_have_one_scale,
  };

  template <class Rule = rule>
  static constexpr verdict infer(const attrs& a, array_ref<const operand> in, array_ref<const tensor_desc>) {
    if (auto v = check_operands(in); !v) return v;
    if (auto v = check_attributes(a); !v) return v;
    const std::int64_t columns = in[1].desc.shape[2];
    constexpr rule columns_fit = Rule::scores_must_have_at_most_one_column_beside_the_classes;
    if (columns >= 0)
      if (auto v = require_between(columns_fit, columns - a.num_classes, 0, 1); !v) return v;
    const tensor_desc &boxes = in[0].desc, &scores = in[1].desc;
    const dtype type = types::floating.contains(boxes.type) ? boxes.type : f32;
    const std::int64_t batch = boxes.shape[0] < 0 ? scores.shape[0] : boxes.shape[0];
    const std::int64_t results = extent_product(bounded(a.max_detections), bounded(a.max_classes_per_detection));
    const tensor_desc list{type, shape_t{batch, results}};
    return ok(tensor_desc{type, shape_t{batch, results, 4}}, list, list, tensor_desc{type, shape_t{batch}});
  }
  static constexpr auto macs = no_macs;

  template <class T> static constexpr void reference(const attrs& a, arguments in, results out) {
    using result = std::conditional_t<std::is_integral_v<T>, float, T>;
    for (std::int64_t image = 0; image < out[3].elements(); ++image) {
      detections<result> found(a, in, out, image);
      detail::candidate next;
      for (bool is_first = true; !found.is_full() && found.find_next(next, is_first); is_first = false)
        found.consider(next);
      found.finish();
    }
  }

  /// Collects the results of one image; R is the type of their elements.
  template <class R> class detections {
   public:
    constexpr detections(const attrs& a, arguments in, results out, std::int64_t image)
        : a_(a),
          boxes_(in[0]),
          scores_(in[1]),
          anchors_(in[2]),
          bboxes_(out[0].as<R>()),
          classes_(out[1].as<R>()),
          confidences_(out[2].as<R>()),
          counts_(out[3].as<R>()),
          image_(image),
          first_(image * classes_.extent(1)),
          columns_(scores_.shape()[2]),
          background_(columns_ - a.num_classes) {
      for (std::int64_t i = first_; i < first_ + classes_.extent(1); ++i) set(i, {}, {});
    }
    constexpr bool is_full() const { return taken_ == a_.max_detections; }
    constexpr void finish() {
      for (std::int64_t i = first_; a_.use_regular_nms && i < first_ + taken_; ++i)
        classes_[i] = math::convert<R>(static_cast<double>(kept_class(i)));
      counts_[image_] = math::convert<R>(static_cast<double>(taken_));
    }

    /// Largest number of candidates.
    constexpr std::int64_t candidates() const { return a_.use_regular_nms ? boxes() * a_.num_classes : boxes(); }
    /// Candidate i: a box with a class or, if a box is selected once, with its best class. False: its score is too low.
    constexpr bool candidate_at(std::int64_t i, detail::candidate& c) const {
      if (a_.use_regular_nms)
        c = {score(i / a_.num_classes, i % a_.num_classes), i % a_.num_classes, i / a_.num_classes};
      else c = best_of(i, nullptr), c.of_class = 0;
      return c.score >= double{a_.nms_score_threshold};
    }
    /// The best candidate after `c`, or of all.
    constexpr bool find_next(detail::candidate& c, bool is_first) const {
      const detail::candidate last = c;
      bool is_found = false;
      for (std::int64_t i = 0; i < candidates(); ++i) {
        detail::candidate other;
        if (!candidate_at(i, other) || (!is_first && !last.is_before(other))) continue;
        if (is_found && !other.is_before(c)) continue;
        c = other;
        is_found = true;
      }
      return is_found;
    }
    /// Selects the candidate, unless it overlaps a selected box or its class is full.
    constexpr void consider(const detail::candidate& c) {
      const auto box = decode(c.index);
      const std::int64_t each = a_.use_regular_nms ? 1 : a_.max_classes_per_detection;
      std::int64_t of_class = 0;
      for (std::int64_t k = 0; k < taken_; ++k) {
        const std::int64_t other = first_ + k * each;
        if (a_.use_regular_nms && kept_class(other) != bounded_class(c.of_class)) continue;
        if (detail::overlap(box, taken(other)) > a_.nms_iou_threshold) return;
        ++of_class;
      }
      if (a_.use_regular_nms && of_class >= a_.detections_per_class) return;
      if (a_.use_regular_nms) set(first_ + taken_, box, c), keep_class(first_ + taken_, c.of_class);
      else give_classes(first_ + taken_ * each, box, c.index);
      ++taken_;
    }

   private:
    using real = math::compute_t<R>;
    using class_word = std::conditional_t<sizeof(R) == 2, std::uint16_t,
                                          std::conditional_t<sizeof(R) == 4, std::uint32_t, std::uint64_t>>;

    // Until all boxes are selected, their classes are stored as integers in the places of the results: R may have too
    // few digits to distinguish two classes. Classes beyond a word, which are infinite in f16, count as one.
    static constexpr class_word bounded_class(std::int64_t of_class) {
      constexpr std::uint64_t last = std::numeric_limits<class_word>::max();
      const auto all_of_it = static_cast<std::uint64_t>(of_class);
      return static_cast<class_word>(std::min(all_of_it, last));
    }
    constexpr class_word kept_class(std::int64_t i) const { return std::bit_cast<class_word>(classes_[i]); }
    constexpr void keep_class(std::int64_t i, std::int64_t of_class) {
      classes_[i] = std::bit_cast<R>(bounded_class(of_class));
    }
    constexpr std::int64_t boxes() const { return boxes_.shape()[1]; }
    constexpr double score(std::int64_t box, std::int64_t of_class) const {
      return detail::real_element(scores_, (image_ * boxes() + box) * columns_ + background_ + of_class);
    }
    /// A box with its best class after `last`; the score is NaN if there is none.
    constexpr detail::candidate best_of(std::int64_t box, const detail::candidate* last) const {
      detail::candidate best{math::nan<double>, 0, box};
      for (std::int64_t k = 0; k < a_.num_classes; ++k) {
        const detail::candidate other{score(box, k), k, box};
        if (math::is_nan(other.score) || (last != nullptr && !last->is_before(other))) continue;
        if (math::is_nan(best.score) || other.is_before(best)) best = other;
      }
      return best;
    }
    constexpr detail::box<real> decode(std::int64_t box) const {
      double coded[4] = {}, anchor[4] = {};
      for (int k = 0; k < 4; ++k) {
        coded[k] = detail::real_element(boxes_, (image_ * boxes() + box) * 4 + k);
        anchor[k] = detail::real_element(anchors_, box * 4 + k);
      }
      return detail::decoded_box<R>(coded, anchor, a_.scale.begin());
    }
    constexpr detail::box<real> taken(std::int64_t i) const {
      const auto number = [&](std::int64_t k) { return static_cast<real>(bboxes_[4 * i + k]); };
      return {number(0), number(1), number(2), number(3)};
    }
    constexpr void set(std::int64_t i, const detail::box<real>& box, const detail::candidate& c) {
      const real corners[] = {box.top, box.left, box.bottom, box.right};
      for (std::int64_t k = 0; k < 4; ++k) bboxes_[4 * i + k] = math::convert<R>(corners[k]);
      classes_[i] = math::convert<R>(static_cast<double>(c.of_class));
      confidences_[i] = math::convert<R>(c.score);
    }
    /// Writes a box with its best classes from result i on.
    constexpr void give_classes(std::int64_t i, const detail::box<real>& box, std::int64_t index) {
      detail::candidate next = best_of(index, nullptr);
      for (std::int64_t k = 0; k < a_.max_classes_per_detection && !math::is_nan(next.score); ++k) {
        set(i + k, box, next);
        const detail::candidate last = next;
        next = best_of(index, &last);
      }
    }

    const attrs& a_;
    const view &boxes_, &scores_, &anchors_;
    tensor_view<R> bboxes_, classes_, confidences_, counts_;
    std::int64_t image_, first_, columns_, background_;
    std::int64_t taken_ = 0;
  };

 private:
  static constexpr verdict check_operands(array_ref<const operand> in) {
    const tensor_desc &boxes = in[0].desc, &scores = in[1].desc, &anchors = in[2].desc;
    for (const operand& x : in)
      if (!types::floating.contains(x.desc.type))
        if (auto v = detail::require_one_scale(rule::quantised_operands_must_have_one_scale, x.desc); !v) return v;
    if (auto v = require(rule::boxes_and_scores_rank_must_be_3, boxes.rank(), 3); !v) return v;
    if (auto v = require(rule::boxes_and_scores_rank_must_be_3, scores.rank(), 3); !v) return v;
    if (auto v = require(rule::anchors_rank_must_be_2, anchors.rank(), 2); !v) return v;
    constexpr rule four = rule::boxes_and_anchors_must_have_four_numbers;
    if (auto v = require_same_extent(four, boxes.shape[2], 4); !v) return v;
    if (auto v = require_same_extent(four, anchors.shape[1], 4); !v) return v;
    constexpr rule fit = rule::extents_must_be_those_of_the_boxes;
    if (auto v = require_same_extent(fit, scores.shape[0], boxes.shape[0]); !v) return v;
    if (auto v = require_same_extent(fit, scores.shape[1], boxes.shape[1]); !v) return v;
    return require_same_extent(fit, anchors.shape[0], boxes.shape[1] < 0 ? scores.shape[1] : boxes.shape[1]);
  }
  static constexpr verdict check_attributes(const attrs& a) {
    constexpr float least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
    if (auto v = require_at_least(rule::classes_must_be_at_least_1, a.num_classes, 1); !v) return v;
    const std::int64_t for_each_class = a.use_regular_nms ? a.detections_per_class : 1;
    for (const std::int64_t count : {a.max_detections, a.max_classes_per_detection, for_each_class})
      if (auto v = require_at_least(rule::detections_must_be_at_least_1, count, 1); !v) return v;
    const auto scales = static_cast<std::int64_t>(a.scale.size());
    if (auto v = require(rule::scale_must_have_four_numbers, scales, 4); !v) return v;
    for (const float scale : a.scale)
      if (auto v = require_real_between(rule::scale_must_be_positive_and_finite, scale, least, most); !v) return v;
    constexpr rule share = rule::iou_threshold_must_lie_between_0_and_1, score = rule::score_threshold_must_be_finite;
    if (auto v = require_real_between(share, a.nms_iou_threshold, 0, 1); !v) return v;
    if (auto v = require_real_between(score, a.nms_score_threshold, -most, most); !v) return v;
    return require(rule::outputs_must_be_real_numbers, a.out_quantized ? 1 : 0, 0);
  }
  static constexpr std::int64_t bounded(std::int64_t count) { return std::min(count, max_elements + 1); }
};

}  // namespace ops

/// auto [bboxes, classes, confidences, detections] = detection_post_process(bbox, scores, anchors, `num_classes<90>`,
/// `max_detections<10>`, `box_scale<10, 10, 5, 5>`, `iou_threshold<0.6>`, `score_threshold<0.3>`), with
/// `max_classes_per_detection<…>`, or with regular_nms and `detections_per_class<…>`.
template <tensor_desc B, tensor_desc S, tensor_desc A, dsl::keyword_argument... Keywords>
constexpr auto detection_post_process(tensor<B> bbox, tensor<S> scores, tensor<A> anchors, Keywords... keywords) {
  return dsl::apply<ops::detection_post_process>(bbox, scores, anchors, keywords...);
}

}}  // namespace nnrt::NNRT_ISA
