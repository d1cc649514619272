// onnx_file: see the header; protobuf's classes stay in this file.
#include "oracles/onnx_file.hpp"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace nnrt_test::onnx_file {

namespace {

template <class Message> Message parsed(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  Message message;
  if (!in || !message.ParseFromIstream(&in)) throw std::runtime_error("cannot read " + file.string());
  return message;
}

dtype dtype_of(int type) {
  using proto = onnx::TensorProto;
  switch (type) {
    case proto::FLOAT: return f32;
    case proto::DOUBLE: return f64;
    case proto::FLOAT16: return f16;
    case proto::BOOL: return boolean;
    case proto::INT8: return i8;
    case proto::INT16: return i16;
    case proto::INT32: return i32;
    case proto::INT64: return i64;
    case proto::UINT8: return u8;
    case proto::UINT16: return u16;
    case proto::UINT32: return u32;
    case proto::UINT64: return u64;
  }
  return dtype::none;
}

template <class T, class Field> void append_as(std::vector<std::byte>& bytes, const Field& field) {
  for (const auto& number : field) {
    const T element = static_cast<T>(number);
    const auto* first = reinterpret_cast<const std::byte*>(&element);
    bytes.insert(bytes.end(), first, first + sizeof(T));
  }
}

/// The elements where they do not stand as raw bytes: each type has a field of wider numbers.
std::vector<std::byte> elements_of_fields(const onnx::TensorProto& t, dtype type) {
  std::vector<std::byte> bytes;
  switch (type) {
    case f32: append_as<float>(bytes, t.float_data()); break;
    case f64: append_as<double>(bytes, t.double_data()); break;
    case f16:  // the bits
    case u16: append_as<std::uint16_t>(bytes, t.int32_data()); break;
    case i16: append_as<std::int16_t>(bytes, t.int32_data()); break;
    case boolean:
    case i8:
    case u8: append_as<std::uint8_t>(bytes, t.int32_data()); break;
    case i32: append_as<std::int32_t>(bytes, t.int32_data()); break;
    case i64: append_as<std::int64_t>(bytes, t.int64_data()); break;
    case u32: append_as<std::uint32_t>(bytes, t.uint64_data()); break;
    case u64: append_as<std::uint64_t>(bytes, t.uint64_data()); break;
    case dtype::none: break;
  }
  return bytes;
}

stored_tensor tensor_of(const onnx::TensorProto& t) {
  stored_tensor made;
  made.name = t.name();
  if (t.dims_size() > max_rank) throw std::runtime_error("tensor " + t.name() + " has more than 8 extents");
  shape_t shape;
  for (const std::int64_t extent : t.dims()) shape.push_back(extent);
  made.desc = {dtype_of(t.data_type()), shape};
  if (made.desc.type == dtype::none) return made;
  made.bytes = elements_of_fields(t, made.desc.type);
  if (t.has_raw_data()) {
    const auto* first = reinterpret_cast<const std::byte*>(t.raw_data().data());
    made.bytes.assign(first, first + t.raw_data().size());
  }
  if (static_cast<std::int64_t>(made.bytes.size()) != made.desc.bytes())
    throw std::runtime_error("tensor " + t.name() + " has other bytes than its shape says");
  return made;
}

attribute attribute_of(const onnx::AttributeProto& a) {
  attribute made;
  made.integer = a.i();
  made.real = a.f();
  made.text = a.s();
  made.integers.assign(a.ints().begin(), a.ints().end());
  made.reals.assign(a.floats().begin(), a.floats().end());
  if (a.has_t()) made.value = tensor_of(a.t());
  return made;
}

/// The files <what>_0.pb, <what>_1.pb, … of a data set.
std::vector<stored_tensor> read_tensors(const std::filesystem::path& folder, const std::string& what) {
  std::vector<stored_tensor> tensors;
  for (int i = 0;; ++i) {
    const auto file = folder / (what + "_" + std::to_string(i) + ".pb");
    if (!std::filesystem::exists(file)) return tensors;
    tensors.push_back(tensor_of(parsed<onnx::TensorProto>(file)));
  }
}

}  // namespace

model read_model(const std::filesystem::path& file) {
  const auto proto = parsed<onnx::ModelProto>(file);
  model made;
  for (const auto& set : proto.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx") made.opset = set.version();
  for (const onnx::NodeProto& n : proto.graph().node()) {
    node& added = made.nodes.emplace_back();
    added.type = n.domain().empty() ? n.op_type() : n.domain() + "." + n.op_type();
    added.inputs.assign(n.input().begin(), n.input().end());
    added.outputs.assign(n.output().begin(), n.output().end());
    for (const onnx::AttributeProto& a : n.attribute()) added.attributes.emplace(a.name(), attribute_of(a));
  }
  for (const onnx::TensorProto& t : proto.graph().initializer()) made.initializers.push_back(tensor_of(t));
  for (const auto& in : proto.graph().input()) {
    const bool is_given =
        std::ranges::any_of(made.initializers, [&](const stored_tensor& t) { return t.name == in.name(); });
    if (!is_given) made.inputs.push_back(in.name());
    made.declared[in.name()] = dtype_of(in.type().tensor_type().elem_type());
  }
  for (const auto& out : proto.graph().output()) {
    made.outputs.push_back(out.name());
    made.declared[out.name()] = dtype_of(out.type().tensor_type().elem_type());
  }
  return made;
}

std::vector<data_set> read_data_sets(const std::filesystem::path& folder) {
  std::vector<data_set> sets;
  for (int i = 0;; ++i) {
    const auto set = folder / ("test_data_set_" + std::to_string(i));
    if (!std::filesystem::exists(set)) return sets;
    sets.push_back({read_tensors(set, "input"), read_tensors(set, "output")});
  }
}

}  // namespace nnrt_test::onnx_file
