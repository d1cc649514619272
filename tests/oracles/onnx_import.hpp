// onnx_import: ONNX nodes as nodes of nnrt, one row for each pair of an ONNX operator and one of ours that computes it.
// Flow: onnx_nodes_test.cpp imports each model of the test data; a network keeps what the references make of it.
#pragma once

#include "oracles/onnx_file.hpp"
#include "support/attribute_words.hpp"

#include <nnrt/dynamic.hpp>

#include <cstring>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt_test::onnx_import {

using namespace nnrt;

/// Thrown where a case is none of ours: it asks for what no contract of our operators has.
struct left_out {
  std::string_view reason;
};

/// Every reason there is; a case that is left out for another one, or fails to build, fails.
namespace reasons {
inline constexpr std::string_view element_type = "a tensor of strings, bfloat16 or sequences";
inline constexpr std::string_view three_spatial_axes = "three spatial axes";
inline constexpr std::string_view not_depthwise = "a convolution whose groups have more than one input channel";
inline constexpr std::string_view no_row_bias = "a product whose summand is no row";
inline constexpr std::string_view dilated_pool = "a pool with dilation";
inline constexpr std::string_view no_elements = "a tensor without elements, which the contracts have no shape for";
inline constexpr std::string_view step = "a slice with steps, which only strided_slice has";
inline constexpr std::string_view no_axes = "a reduction along no axis";
inline constexpr std::string_view edge_border = "padding with the value at the edge";
inline constexpr std::string_view last_of_equals = "the last index of equal maxima";
inline constexpr std::string_view training = "training mode";
inline constexpr std::string_view not_linear = "an interpolation other than linear";
inline constexpr std::string_view crop_and_resize = "crop and resize";
inline constexpr std::string_view scale_not_of_extents = "a scale that is not output extent over input extent";
inline constexpr std::string_view one_pixel_of_pytorch = "pytorch_half_pixel's rule for an output extent of 1";
inline constexpr std::string_view no_bounds = "clip without bounds, which computes nothing";
inline constexpr std::string_view per_channel_result = "a result with a scale for each channel";
inline constexpr std::string_view axis_of_the_second = "broadcasting from an axis on";
inline constexpr std::string_view sign_of_the_dividend = "remainders with the sign of the dividend";
inline constexpr std::string_view clip_of_integers = "clip of integers";
inline constexpr std::string_view even_window = "a window with more channels on one side";
inline constexpr std::string_view range_of_reals = "a range of real numbers";
inline constexpr std::string_view batch_dims = "indices that differ within a batch";
inline constexpr std::string_view scatter_without_sum = "scattered updates that are not added";
inline constexpr std::string_view peepholes = "peepholes";
inline constexpr std::string_view other_cells = "lengths, clips and activations of recurrent cells";
inline constexpr std::string_view backwards_alone = "a sequence that is only read backwards";
inline constexpr std::string_view per_channel_zero_points = "zero points that differ between channels";
}  // namespace reasons

/// A graph of nnrt in the making, with the elements of all its values as the operators' references compute them.
/// `first_input_only`: inputs of the ONNX model but the first become constants.
class network {
 public:
  network(const onnx_file::model& source, const onnx_file::data_set& given, bool first_input_only);

  std::int64_t opset() const { return opset_; }

  // What a node of the ONNX model has.
  bool has(const onnx_file::node& n, std::size_t i) const { return i < n.inputs.size() && !n.inputs[i].empty(); }
  /// Input i as a value of the graph.
  std::int32_t value(const onnx_file::node& n, std::size_t i);
  /// Input i as quantised values with one scale.
  std::int32_t stored(const onnx_file::node& n, std::size_t i, quant how);
  /// Elements of input i, which then need not be a value of the graph.
  std::vector<std::int64_t> integers(const onnx_file::node& n, std::size_t i) const;
  std::vector<double> reals(const onnx_file::node& n, std::size_t i) const;
  const tensor_desc& desc_of(const onnx_file::node& n, std::size_t i) const { return find(n.inputs[i]).desc; }

  // What the graph gets.
  tensor_desc desc(std::int32_t id) const { return builder_.desc(id); }  // by value: values move when one is added
  shape_t shape(std::int32_t id) const { return desc(id).shape; }
  std::int32_t constant(const tensor_desc& desc, std::span<const std::byte> bytes);
  std::int32_t list(std::span<const std::int64_t> numbers);
  std::int32_t list(std::initializer_list<std::int64_t> numbers) {
    return list(std::span(numbers.begin(), numbers.size()));
  }
  /// A scalar or a list of numbers of a dtype.
  std::int32_t number(dtype type, double number);
  std::int32_t numbers(dtype type, std::span<const double> list);
  /// Outputs of one node of ours; throws std::runtime_error with the broken rule's words.
  std::vector<std::int32_t> apply(std::string_view op, const std::vector<std::int32_t>& in,
                                  std::span<const named_attribute> attributes = {},
                                  std::span<const tensor_desc> wanted = {});
  std::vector<std::int32_t> apply(std::string_view op, const std::vector<std::int32_t>& in,
                                  std::initializer_list<named_attribute> attributes) {
    return apply(op, in, std::span(attributes.begin(), attributes.size()));
  }
  std::int32_t one(std::string_view op, const std::vector<std::int32_t>& in,
                   std::initializer_list<named_attribute> attributes = {}) {
    return apply(op, in, attributes)[0];
  }
  /// Output i of the ONNX node.
  void define(const onnx_file::node& n, std::size_t i, std::int32_t id);
  /// The ONNX node's output is a constant.
  void define(const onnx_file::node& n, const onnx_file::stored_tensor& value);

  // Shorthands.
  std::int32_t reshaped(std::int32_t x, const shape_t& to);
  std::int32_t transposed(std::int32_t x, std::initializer_list<std::int64_t> perm);
  std::int32_t cast(std::int32_t x, dtype type);
  std::int32_t repeated_to(std::int32_t x, const shape_t& to);

  /// Whether the ONNX model's output was defined, and its elements by the references.
  bool is_defined(const std::string& output) const { return names_.contains(output); }
  const tensor_desc& desc_of(const std::string& output) const { return find(output).desc; }
  std::span<const std::byte> reference(const std::string& output) const { return find(output).bytes; }

  /// The finished model with the outputs that were defined, in this order, and the elements of its inputs.
  model finish(std::span<const std::string> outputs);
  const std::vector<onnx_file::stored_tensor>& inputs() const { return inputs_; }

 private:
  const onnx_file::stored_tensor& find(const std::string& name) const;

  std::int64_t opset_;
  bool first_input_only_;
  std::map<std::string, onnx_file::stored_tensor> names_;  // of the ONNX model: desc and elements
  std::map<std::string, std::int32_t> ids_;                // of those that are values of the graph
  std::vector<std::string> fed_;                           // names of the ONNX model's inputs
  std::vector<onnx_file::stored_tensor> inputs_;           // of the graph
  std::vector<std::vector<std::byte>> memory_;             // by id
  model_builder builder_;
};

/// Adds what computes one ONNX node by the operator `op` of ours.
using mapping = void (*)(network& net, const onnx_file::node& n, std::string_view op);
struct row {
  std::string_view type;  // of the ONNX node
  std::string_view op;
  mapping add;
};

std::span<const row> elementwise_rows();
std::span<const row> layout_rows();
std::span<const row> image_rows();
std::span<const row> quantised_rows();
std::span<const row> newer_rows();

/// [N, C, H, W], or [N, C, W] as an image of one row, in NHWC order; and back to the order and rank of the ONNX node.
std::int32_t to_nhwc(network& net, std::int32_t x);
std::int32_t to_nchw(network& net, std::int32_t y, int rank);
/// Stride, dilation, padding and group of a convolution with this kernel over an image.
std::vector<named_attribute> convolution_attributes(const onnx_file::node& n, const shape_t& weight, const shape_t& x);

// Attributes of an ONNX node, or what they are when it does not say.
std::int64_t integer(const onnx_file::node& n, std::string_view name, std::int64_t otherwise);
float real(const onnx_file::node& n, std::string_view name, float otherwise);
std::string_view text(const onnx_file::node& n, std::string_view name, std::string_view otherwise);
std::vector<std::int64_t> integers(const onnx_file::node& n, std::string_view name);
bool names(const onnx_file::node& n, std::string_view name);

/// An axis that counts from the front.
inline std::int64_t from_front(std::int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace nnrt_test::onnx_import
