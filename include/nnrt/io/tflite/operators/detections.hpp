// detections: readers of the .tflite operators that select boxes in object detectors.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/node_reader.hpp>
#include <nnrt/ops/detection_post_process.hpp>
#include <nnrt/ops/non_max_suppression.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite {

/// TFLite_Detection_PostProcess. Its options have names; detections_per_class and use_regular_nms are optional.
[[gnu::cold]] constexpr void read_detection_post_process(node_reader& node) {
  const named_numbers options = node.custom_options();
  const auto required = [&](std::string_view name) { return node.required_option(options, name); };
  const auto integer = [](double number) { return math::convert<std::int64_t>(number); };
  ops::detection_post_process::attrs attrs;
  attrs.max_detections = integer(required("max_detections"));
  attrs.max_classes_per_detection = integer(required("max_classes_per_detection"));
  attrs.detections_per_class = integer(options["detections_per_class"].value_or(100));
  attrs.num_classes = integer(required("num_classes"));
  attrs.nms_score_threshold = static_cast<float>(required("nms_score_threshold"));
  attrs.nms_iou_threshold = static_cast<float>(required("nms_iou_threshold"));
  attrs.use_regular_nms = options["use_regular_nms"].value_or(0) != 0;
  attrs.scale = {};
  for (const std::string_view name : {"y_scale", "x_scale", "h_scale", "w_scale"})
    attrs.scale.push_back(static_cast<float>(required(name)));
  node.finish<ops::detection_post_process>(attrs, {node.input(0), node.input(1), node.input(2)});
}

/// NON_MAX_SUPPRESSION_V4 and _V5, which has an additional sigma and returns scores. The largest number of results must
/// be known.
[[gnu::cold]] constexpr void read_non_max_suppression(node_reader& node) {
  const bool is_soft = node.input_count() == 6;
  ops::non_max_suppression::attrs attrs;
  attrs.max_detections = node.integer(2);
  attrs.drops_equal = true;
  for (const std::size_t i : std::initializer_list<std::size_t>{0, 1, 3, 4, 5})
    if (node.is_fine() && node.has(i) && node.desc(node.input(i)).type != f32)
      node.not_supported_beside(i, node.input(i), "f32");
  if (is_soft && node.is_constant(5) && node.real(5) < 0)
    node.refuse(error_code::invalid_file, {"input 5: got a sigma of ", node.real(5), ", expected at least 0"});
  pool<std::int32_t> in{node.input(0), node.input(1), node.input(3), node.input(4)};
  if (is_soft) in.push_back(node.input(5));
  const pool<std::int32_t> made = node.add_all<ops::non_max_suppression>(attrs, in, {});
  if (!node.is_fine()) return;
  node.conclude(0, made[0]);
  if (is_soft) node.conclude(1, made[1]);
  node.conclude(is_soft ? 2 : 1, made[2]);
}

}}}  // namespace nnrt::NNRT_ISA::tflite
