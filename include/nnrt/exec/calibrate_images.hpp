// calibrate_images: calibrates a static network whose callers supply images.
// Flow: calibrate<graph<f>, Policy>(weights, samples, options, given); executor<graph<f>, Policy> then accepts
// image_view for such inputs.
#pragma once

#include <nnrt/exec/calibrate.hpp>
#include <nnrt/exec/pixel_inputs.hpp>
#include <nnrt/ops/of.hpp>

#include <span>

namespace nnrt { inline namespace NNRT_ISA {

/// calibrate() with a description `given` of each input as callers supply it. Inputs for images become i8 with pixels -
/// 128, and the accelerator's first layer includes mean and scale. Where that is impossible, the input remains float.
/// Samples are inputs of the float network.
/// Errors: as without `given`; invalid_argument (an input that does not fit its description).
template <class G, class Policy, class Samples>
result<calibrated<G, Policy>> calibrate(const weights& file, const Samples& samples, const calibration_options& wanted,
                                        std::span<const saved_input> given) {
  detail::pixel_inputs inputs(sample_source::of(samples), given, &ops::of<ops::depthwise_conv2d>());
  return detail::calibrate_with<G, Policy>(
      file, inputs, &detail::operators_for_bytes<G, ops::list, ops::depthwise_conv2d>::find, wanted);
}
/// As above, with the network's included weights: none, or those of a model file (NNRT_MODEL).
template <class G, class Policy, class Samples>
  requires(G::has_own_weights)
result<calibrated<G, Policy>> calibrate(const Samples& samples, const calibration_options& wanted,
                                        std::span<const saved_input> given) {
  detail::pixel_inputs inputs(sample_source::of(samples), given, &ops::of<ops::depthwise_conv2d>());
  return detail::calibrate_with<G, Policy>(
      G::own_weights(), inputs, &detail::operators_for_bytes<G, ops::list, ops::depthwise_conv2d>::find, wanted);
}

}}  // namespace nnrt::NNRT_ISA
