// detections: readers of the custom operators of .tflite files, of which detectors have one.
// Flow: operators.hpp lists them; each takes a node_reader and adds the operator's nodes to the network.
#pragma once

#include <nnrt/io/tflite/node_reader.hpp>
#include <nnrt/ops/detection_post_process.hpp>

namespace nnrt::inline NNRT_ISA::tflite {

/// TFLite_Detection_PostProcess. Its options have names; detections_per_class and use_regular_nms may be missing.
[[gnu::cold]] constexpr void read_detection_post_process(node_reader& node) {
  const named_numbers options = node.custom_options();
  const auto required = [&](std::string_view name) {
    const auto number = options[name];
    if (!number) node.refuse(error_code::invalid_file, {"options: ", name, " is missing"});
    return number.value_or(0);
  };
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

}  // namespace nnrt::inline NNRT_ISA::tflite
