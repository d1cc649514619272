// saved_input: the data that callers supply for an input of a network - a plain tensor, 4-bit values, or an image.
// Flow: calibrate() makes a network for it and saved models store it; hbDNN's functions and executors of accelerators
// convert inputs by it.
#pragma once

#include <nnrt/core/half_bytes.hpp>
#include <nnrt/core/rule_names.hpp>
#include <nnrt/ir/diagnose.hpp>
#include <nnrt/ir/dump.hpp>
#include <nnrt/policy/image_input.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace nnrt { inline namespace NNRT_ISA {

/// Where an accelerator reads an input: from memory, or from the unit that crops and resizes images.
enum class input_source { ddr, resizer };

/// The data that callers supply for an input. For images, the graph's input is the result of image_to_floats(), f32 [N,
/// H, W, C], or of store_image(), i8 with a scale; in the latter case the network contains mean and scale.
struct saved_input {
  input_source source = input_source::ddr;
  bool is_image = false;  // false: a feature map, used unchanged
  image_type given = image_type::rgb;
  colours seen = colours::rgb;  // the colours with which the network was trained
  colour_range range = colour_range::full;
  normalisation by;  // the network's input is (pixel - mean) * scale
  // for a feature map: callers supply 4-bit values, two to a byte; the graph has i8 or u8
  std::optional<half_byte> packed = {};
};

namespace detail {

/// The error in 4-bit values for a tensor of the graph; empty if there is none.
[[gnu::cold]] inline std::string fault_of(const std::optional<half_byte>& packed, const tensor_desc& desc) {
  if (!packed || (desc.type == unpacked_type(*packed) && desc.rank() > 0)) return {};
  return joined({" is ", ir::to_string(desc), ", expected ", name_of(unpacked_type(*packed)), " for numbers of type ",
                 name_of(*packed)});
}

/// The broken rule of check_image() in words.
[[gnu::cold]] inline std::string words_of_image_rule(const verdict& v) {
  return joined({words_of(rule_names<image_rule>()[static_cast<std::size_t>(v.rule)]), " (got ", v.actual,
                 ", expected ", v.expected, ")"});
}

/// The error in mean and scale; empty if there is none. The scale of a channel may be 0, but not all three.
[[gnu::cold]] inline std::string fault_of(const normalisation& by) {
  for (int c = 0; c < 3; ++c)
    if (!math::is_finite(by.mean[c]) || !math::is_finite(by.scale[c]))
      return joined({" has a mean or scale of channel ", c, " that is no finite number"});
  if (by.scale[0] == 0 && by.scale[1] == 0 && by.scale[2] == 0) return " has scales that are all 0";
  return {};
}

/// The error in the description of an input of the graph; empty if there is none.
[[gnu::cold]] inline std::string fault_of(const saved_input& in, const tensor_desc& desc) {
  if (in.source != input_source::ddr && in.source != input_source::resizer)
    return joined({" has source ", static_cast<int>(in.source), ", expected 0 or 1"});
  if (std::string fault = fault_of(in.by); !fault.empty()) return fault;
  if (!in.is_image)
    return in.source == input_source::resizer ? " comes from the resizer, but is no image" : fault_of(in.packed, desc);
  const bool is_quantised = desc.type == i8 && desc.quantised.mode == quantisation::kind::per_tensor;
  if ((desc.type != f32 && !is_quantised) || desc.rank() != 4 || desc.layout != format::nhwc ||
      !desc.shape.is_known() || desc.shape[3] != channels_of(in.seen))
    return joined({" is ", ir::to_string(desc), ", expected f32 [N, H, W, ", channels_of(in.seen), "] of ",
                   name_of(in.seen), " images"});
  const std::uint8_t pixel = 0;
  const verdict v = check_image({.type = in.given,
                                 .height = desc.shape[1],
                                 .width = desc.shape[2],
                                 .first = &pixel,
                                 .second = &pixel,
                                 .stride = 0,
                                 .is_planar = false,
                                 .range = in.range},
                                in.seen);
  if (v) return {};
  return joined({" is an image of type ", name_of(in.given), " for ", name_of(in.seen), ": ", words_of_image_rule(v)});
}

}  // namespace detail

/// Checks that input i of a graph fits its description. An image's input must be f32 or quantised i8, [N, H, W, C]; the
/// image must contain the network's colours; input from the resizer must be an image. Mean and scale must be finite,
/// and some scale not 0. Error: invalid_argument, which names the input.
inline result<void> check_input(const saved_input& said, const ir::graph& g, std::size_t i) {
  const ir::value& v = g.at(g.inputs[i]);
  const std::string fault = detail::fault_of(said, v.desc);
  return fault.empty() ? result<void>()
                       : fail(error_code::invalid_argument, {"input ", piece::in_quotes(g.name_of(v.name)), fault});
}

}}  // namespace nnrt::NNRT_ISA
