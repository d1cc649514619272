#include <nnrt/kernels/bind/detection_post_process.hpp>
#include <nnrt/kernels/bind/gru.hpp>
#include <nnrt/kernels/bind/lstm.hpp>
#include <nnrt/kernels/bind/non_max_suppression.hpp>
#include <nnrt/kernels/bind/unique.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

using detector_op = ops::detection_post_process;

detector_op::attrs detector(bool is_regular, std::int64_t classes, std::int64_t most, std::int64_t of_each) {
  detector_op::attrs attrs;
  attrs.use_regular_nms = is_regular;
  attrs.num_classes = classes, attrs.max_detections = most;
  attrs.detections_per_class = attrs.max_classes_per_detection = of_each;
  attrs.nms_iou_threshold = 0.3F, attrs.nms_score_threshold = -1;
  attrs.scale = {10, 10, 5, 5};
  return attrs;
}

/// Scores with many ties: multiples of 1/4.
given_operand few_scores(shape_t shape, std::uint32_t seed) {
  std::vector<float> values = random_floats(shape.elements(), seed);
  for (float& value : values) value = static_cast<float>(static_cast<int>(value * 4)) / 4;
  return floats(shape, values);
}

}  // namespace

TEST_CASE("detection_post_process: the kernel is the reference, bit for bit, with ties, both ways, for every batch") {
  for (const bool is_regular : {false, true})
    for (const std::int64_t images : {1, 3})
      for (const std::int64_t boxes : {1, 2, 37})
        for (const std::int64_t classes : {1, 3}) {
          CAPTURE(is_regular);
          CAPTURE(images);
          CAPTURE(boxes);
          CAPTURE(classes);
          const auto attrs = detector(is_regular, classes, 9, 2);
          const given_operand box = floats({images, boxes, 4}, 3), anchors = floats({boxes, 4}, 5);
          check_kernel<detector_op>(attrs, {box, few_scores({images, boxes, classes}, 4), anchors});
          check_kernel<detector_op>(attrs, {box, few_scores({images, boxes, classes + 1}, 6), anchors});
        }
}

TEST_CASE("detection_post_process: scores that are no numbers, and stored ones") {
  const auto attrs = detector(true, 3, 20, 20);
  const given_operand scores = floats({2, 9, 3}, with_special_values(random_floats(54, 8)));
  check_kernel<detector_op>(attrs, {floats({2, 9, 4}, 3), scores, floats({9, 4}, 5)});
  const auto stored = [](shape_t shape) {
    given_operand x = pattern(u8, shape);
    x.desc.quantised = quant{0.05F, 128};
    return x;
  };
  check_kernel<detector_op>(attrs, {stored({2, 9, 4}), stored({2, 9, 4}), stored({9, 4})});
}

TEST_CASE(
    "non_max_suppression: the kernel is the reference, bit for bit, with ties and scores that fall, for every class of "
    "every batch") {
  const auto number = [](float x) { return constant(floats({}, std::vector<float>{x})); };
  for (const std::int64_t boxes : {1, 2, 37, 200})
    for (const float share : {0.1F, 0.5F, 1.0F})
      for (const float sigma : {0.0F, 0.3F, 2.0F}) {
        CAPTURE(boxes);
        CAPTURE(share);
        CAPTURE(sigma);
        ops::non_max_suppression::attrs attrs;
        attrs.max_detections = 20;
        attrs.drops_equal = boxes == 37, attrs.center_point_box = boxes == 200;
        check_kernel<ops::non_max_suppression>(
            attrs, {floats({boxes, 4}, 3), few_scores({boxes}, 4), number(share), number(-1), number(sigma)});
        check_kernel<ops::non_max_suppression>(
            attrs, {floats({2, boxes, 4}, 5), floats({2, 3, boxes}, 6), number(share), number(0.5F), number(sigma)});
      }
  const std::vector<float> scores = with_special_values(random_floats(40, 8)),
                           corners = with_special_values(random_floats(160, 9));
  check_kernel<ops::non_max_suppression>({}, {floats({40, 4}, corners), floats({40}, scores)});
  check_kernel<ops::non_max_suppression>(
      {}, {elements<float16>({40, 4}, 3), elements<float16>({40}, 4), number(0.5F), number(0), number(0.5F)});
  check_kernel<ops::non_max_suppression>(
      {}, {elements<double>({40, 4}, 3), elements<double>({40}, 4), number(0.5F), number(0), number(0.5F)});
}

TEST_CASE("unique: the kernel is the reference, sorted or not, with many repeats, none, NaNs and zeros of both signs") {
  for (const bool sorted : {false, true})
    for (const std::int64_t n : {1, 2, 17, 500})
      for (const float range : {1.0F, 4.0F, 1e4F}) {
        CAPTURE(sorted);
        CAPTURE(n);
        CAPTURE(range);
        ops::unique::attrs attrs;
        attrs.sorted = sorted;
        std::vector<float> values = random_floats(n, 3, range);
        for (float& value : values) value = std::round(value);
        check_kernel<ops::unique>(attrs, {floats({n}, values)});
        check_kernel<ops::unique>(attrs, {floats({n}, with_special_values(values))});
        check_kernel<ops::unique>(attrs, {elements<std::int32_t>({n}, values)});
        check_kernel<ops::unique>(attrs, {elements<std::int64_t>({n}, values)});
      }
}

TEST_CASE("lstm: the kernel is the reference within some ulp, at sizes around whole vectors") {
  for (const std::int64_t hidden : {1, 3, 15, 16, 17, 40})
    for (const std::int64_t input : {1, 16, 21})
      for (const std::int64_t directions : {1, 2}) {
        CAPTURE(hidden);
        CAPTURE(input);
        CAPTURE(directions);
        ops::lstm::attrs attrs;
        attrs.bidirectional = directions == 2;
        const given_operand x = floats({5, 3, input}, 3),
                            w_ih = floats({directions, 4 * hidden, input},
                                          random_floats(directions * 4 * hidden * input, 4, 0.5F)),
                            w_hh = floats({directions, 4 * hidden, hidden},
                                          random_floats(directions * 4 * hidden * hidden, 5, 0.5F));
        check_kernel<ops::lstm>(attrs, {x, w_ih, w_hh}, {3e-6, 0});
        attrs.zoneout_cell = 0.25F, attrs.zoneout_hidden = 0.125F;
        check_kernel<ops::lstm>(attrs,
                                {x, w_ih, w_hh, floats({directions, 8 * hidden}, 6), floats({directions, 3, hidden}, 7),
                                 floats({directions, 3, hidden}, 8)},
                                {3e-6, 1e-6});
      }
}

TEST_CASE("gru: the kernel is the reference within some ulp, at sizes around whole vectors, reset before or after") {
  for (const std::int64_t hidden : {1, 3, 15, 16, 17, 40})
    for (const std::int64_t input : {1, 16, 21})
      for (const std::int64_t directions : {1, 2})
        for (const bool linear : {false, true}) {
          CAPTURE(hidden);
          CAPTURE(input);
          CAPTURE(directions);
          CAPTURE(linear);
          ops::gru::attrs attrs;
          attrs.bidirectional = directions == 2, attrs.linear_before_reset = linear;
          const auto random = [](shape_t shape, std::uint32_t seed) {
            return floats(shape, random_floats(shape.elements(), seed, 0.5F));
          };
          const given_operand x = floats({5, 3, input}, 3), w_ih = random({directions, 3 * hidden, input}, 4),
                              w_hh = random({directions, 3 * hidden, hidden}, 5);
          check_kernel<ops::gru>(attrs, {x, w_ih, w_hh}, {3e-6, 0});
          check_kernel<ops::gru>(
              attrs, {x, w_ih, w_hh, random({directions, 6 * hidden}, 6), floats({directions, 3, hidden}, 7)},
              {3e-6, 0});
        }
}
