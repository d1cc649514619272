// calibrate_images: the same for a network that the compiler knows, whose callers give images.
// Flow: calibrate<graph<f>, Policy>(weights, samples, options, given); executor<graph<f>, Policy> then takes image_view
// for such inputs.
#pragma once

#include <nnrt/exec/calibrate.hpp>
#include <nnrt/exec/pixel_inputs.hpp>
#include <nnrt/ops/of.hpp>

#include <span>

namespace nnrt { inline namespace NNRT_ISA {

/// calibrate() for callers that give what `given` says of each input: inputs of images become pixels - 128 as i8, and
/// the accelerator's first layer has mean and scale in it. Where that cannot be, the input stays one of floats. Samples
/// are what the network of floats sees. Errors: as without `given`; invalid_argument (an input that is not what is
/// given for it).
template <class G, class Policy, class Samples>
result<calibrated<G, Policy>> calibrate(const weights& file, const Samples& samples, const calibration_options& wanted,
                                        std::span<const saved_input> given) {
  detail::pixel_inputs inputs(sample_source::of(samples), given, &ops::of<ops::depthwise_conv2d>());
  return detail::calibrate_with<G, Policy>(
      file, inputs, &detail::operators_for_bytes<G, ops::list, ops::depthwise_conv2d>::find, wanted);
}
/// The same with the network's own weights: those of a model file (NNRT_MODEL), or none.
template <class G, class Policy, class Samples>
  requires(G::has_own_weights)
result<calibrated<G, Policy>> calibrate(const Samples& samples, const calibration_options& wanted,
                                        std::span<const saved_input> given) {
  detail::pixel_inputs inputs(sample_source::of(samples), given, &ops::of<ops::depthwise_conv2d>());
  return detail::calibrate_with<G, Policy>(
      G::own_weights(), inputs, &detail::operators_for_bytes<G, ops::list, ops::depthwise_conv2d>::find, wanted);
}

}}  // namespace nnrt::NNRT_ISA
