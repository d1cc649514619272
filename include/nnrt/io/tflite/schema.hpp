// schema: the tables of a .tflite or .circle file that nnrt reads, with field slots, defaults and type numbers.
// Flow: document.hpp verifies a file by these tables; tensors.hpp and the operators' readers get fields by them.
#pragma once

#include <nnrt/core/dtype.hpp>
#include <nnrt/io/tflite/flatbuffer.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace tflite::schema {

// Slots, defaults and numbers are from TensorFlow Lite's schema, version 3, which never changes them. `fields` is the
// number of fields of a table, including fields that are not read. Newer writers append fields, whose meaning is
// unknown.

/// An operator that the file uses.
struct operator_code {
  static constexpr std::string_view kind = "OperatorCode";
  static constexpr int fields = 4;
  static constexpr scalar<std::int8_t> deprecated_builtin_code{0};
  static constexpr text custom_code{1};
  static constexpr scalar<std::int32_t> version{2, 1}, builtin_code{3};
  static constexpr bool each(auto f) {
    return f(deprecated_builtin_code) && f(custom_code) && f(version) && f(builtin_code);
  }
};

/// Quantisation of a tensor: one scale and zero point, or one for each index of an axis.
struct quantization {
  static constexpr std::string_view kind = "QuantizationParameters";
  static constexpr int fields = 7;
  static constexpr vector<float> scale{2};
  static constexpr vector<std::int64_t> zero_point{3};
  static constexpr scalar<std::uint8_t> details_type{4};
  static constexpr scalar<std::int32_t> quantized_dimension{6};
  static constexpr bool each(auto f) { return f(scale) && f(zero_point) && f(details_type) && f(quantized_dimension); }
};

/// A table that holds a list of numbers.
template <class T> struct number_list {
  static constexpr vector<T> values{0};
  static constexpr bool each(auto f) { return f(values); }
};

/// How one axis of a sparse tensor is stored: dense, or compressed (CSR). A CSR axis has one segment of listed indices
/// for each index of the preceding axis.
struct dimension_metadata {
  static constexpr std::string_view kind = "DimensionMetadata";
  static constexpr int fields = 6;
  static constexpr scalar<std::int8_t> format{0};  // DENSE 0, SPARSE_CSR 1
  static constexpr scalar<std::int32_t> dense_size{1};
  static constexpr scalar<std::uint8_t> segments_type{2}, indices_type{4};  // int 1, ushort 2, ubyte 3
  static constexpr one_of segments{3}, indices{5};
  static constexpr bool each(auto f) {
    return f(format) && f(dense_size) && f(segments_type) && f(segments) && f(indices_type) && f(indices);
  }
};

/// Describes which elements of a sparse tensor are stored.
struct sparsity {
  static constexpr std::string_view kind = "SparsityParameters";
  static constexpr int fields = 3;
  static constexpr vector<std::int32_t> traversal_order{0}, block_map{1};
  static constexpr tables<schema::dimension_metadata> dim_metadata{2};
  static constexpr bool each(auto f) { return f(traversal_order) && f(block_map) && f(dim_metadata); }
};

/// A tensor. `buffer` 0 is empty. An empty buffer means that the tensor is computed.
struct tensor {
  static constexpr std::string_view kind = "Tensor";
  static constexpr int fields = 11;
  static constexpr vector<std::int32_t> shape{0};
  static constexpr scalar<std::int8_t> type{1};
  static constexpr scalar<std::uint32_t> buffer{2};
  static constexpr text name{3};
  static constexpr table<schema::quantization> quantization{4};
  static constexpr scalar<bool> is_variable{5};
  static constexpr table<schema::sparsity> sparsity{6};
  static constexpr vector<std::int32_t> shape_signature{7};
  static constexpr vector<std::uint32_t> variant_tensors{9};
  static constexpr scalar<std::uint32_t> external_buffer{10};
  static constexpr bool each(auto f) {
    return f(shape) && f(type) && f(buffer) && f(name) && f(quantization) && f(is_variable) && f(sparsity) &&
           f(shape_signature) && f(variant_tensors) && f(external_buffer);
  }
};

/// One operator call. Inputs and outputs are indices of the subgraph's tensors; -1 is a missing optional one.
/// `intermediates` are tensors whose scales quantise intermediate results.
struct node {
  static constexpr std::string_view kind = "Operator";
  static constexpr int fields = 14;
  static constexpr scalar<std::uint32_t> opcode_index{0};
  static constexpr vector<std::int32_t> inputs{1};
  static constexpr vector<std::int32_t> outputs{2};
  static constexpr scalar<std::uint8_t> builtin_options_type{3};
  static constexpr one_of builtin_options{4};
  static constexpr vector<std::uint8_t> custom_options{5};
  static constexpr scalar<std::int8_t> custom_options_format{6};
  static constexpr vector<std::uint8_t> mutating_variable_inputs{7};
  static constexpr vector<std::int32_t> intermediates{8};
  static constexpr scalar<std::uint64_t> large_custom_options_offset{9}, large_custom_options_size{10};
  static constexpr scalar<std::uint8_t> builtin_options_2_type{11};
  static constexpr one_of builtin_options_2{12};
  static constexpr bool each(auto f) {
    return f(opcode_index) && f(inputs) && f(outputs) && f(builtin_options_type) && f(builtin_options) &&
           f(custom_options) && f(custom_options_format) && f(mutating_variable_inputs) && f(intermediates) &&
           f(large_custom_options_offset) && f(large_custom_options_size) && f(builtin_options_2_type) &&
           f(builtin_options_2);
  }
};

/// A network. Its operators are in execution order.
struct subgraph {
  static constexpr std::string_view kind = "SubGraph";
  static constexpr int fields = 6;
  static constexpr tables<schema::tensor> tensors{0};
  static constexpr vector<std::int32_t> inputs{1};
  static constexpr vector<std::int32_t> outputs{2};
  static constexpr tables<schema::node> operators{3};
  static constexpr text name{4};
  static constexpr scalar<std::int8_t> data_format{5};  // Circle files only
  static constexpr bool each(auto f) {
    return f(tensors) && f(inputs) && f(outputs) && f(operators) && f(name) && f(data_format);
  }
};

/// Elements of constants. In files beyond 2 GB they follow the FlatBuffer: `size` bytes at `offset` from the file's
/// begin. Offsets 0 and 1 mean that they do not.
struct buffer {
  static constexpr std::string_view kind = "Buffer";
  static constexpr int fields = 3;
  static constexpr vector<std::uint8_t> data{0};
  static constexpr scalar<std::uint64_t> offset{1}, size{2};
  static constexpr bool each(auto f) { return f(data) && f(offset) && f(size); }
};

/// An input or output of a signature: the caller's name of a tensor.
struct tensor_map {
  static constexpr std::string_view kind = "TensorMap";
  static constexpr int fields = 2;
  static constexpr text name{0};
  static constexpr scalar<std::uint32_t> tensor_index{1};
  static constexpr bool each(auto f) { return f(name) && f(tensor_index); }
};

/// A signature: a subgraph with named inputs and outputs.
struct signature_def {
  static constexpr std::string_view kind = "SignatureDef";
  static constexpr int fields = 5;
  static constexpr tables<schema::tensor_map> inputs{0}, outputs{1};
  static constexpr text signature_key{2};
  static constexpr scalar<std::uint32_t> subgraph_index{4};
  static constexpr bool each(auto f) { return f(inputs) && f(outputs) && f(signature_key) && f(subgraph_index); }
};

/// The root of a file.
struct model {
  static constexpr std::string_view kind = "Model";
  static constexpr int fields = 10;
  static constexpr scalar<std::uint32_t> version{0};
  static constexpr tables<schema::operator_code> operator_codes{1};
  static constexpr tables<schema::subgraph> subgraphs{2};
  static constexpr tables<schema::buffer> buffers{4};
  static constexpr tables<schema::signature_def> signature_defs{7};
  static constexpr bool each(auto f) {
    return f(version) && f(operator_codes) && f(subgraphs) && f(buffers) && f(signature_defs);
  }
};

}}}  // namespace nnrt::NNRT_ISA::tflite::schema
