// schema: field numbers and element types of .onnx files.
// Flow: document.hpp, tensor_proto.hpp and attribute.hpp read messages by them. Source: onnx.proto, IR version 13.
#pragma once

#include <nnrt/core/dtype.hpp>

#include <cstdint>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace onnx { namespace schema {

using number = std::uint64_t;

namespace model {
inline constexpr number ir_version = 1, graph = 7, opset_import = 8, functions = 25;
}
namespace opset {
inline constexpr number domain = 1, version = 2;
}
namespace graph {
inline constexpr number node = 1, name = 2, initializer = 5, input = 11, output = 12, value_info = 13,
                        sparse_initializer = 15;
}
namespace function {
inline constexpr number name = 1, input = 4, output = 5, attribute = 6, node = 7, opset_import = 9, domain = 10,
                        attribute_proto = 11, overload = 13;
}
namespace node {
inline constexpr number input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7, overload = 8;
}
namespace attribute {
inline constexpr number name = 1, f = 2, i = 3, s = 4, t = 5, g = 6, floats = 7, ints = 8, strings = 9, tensors = 10,
                        graphs = 11, tp = 14, type = 20, ref_attr_name = 21, sparse_tensor = 22;
}
namespace tensor {
inline constexpr number dims = 1, data_type = 2, segment = 3, float_data = 4, int32_data = 5, string_data = 6,
                        int64_data = 7, name = 8, raw_data = 9, double_data = 10, uint64_data = 11, external_data = 13,
                        data_location = 14;
}
namespace value_info {
inline constexpr number name = 1, type = 2;
}
namespace type {
inline constexpr number tensor_type = 1, sequence_type = 4, map_type = 5, sparse_tensor_type = 8, optional_type = 9;
}
namespace tensor_type {
inline constexpr number elem_type = 1, shape = 2;
}
namespace shape {
inline constexpr number dim = 1;
}
namespace dimension {
inline constexpr number value = 1, param = 2;
}
namespace entry {
inline constexpr number key = 1, value = 2;
}

/// An element type (TensorProto.DataType). `type` is the dtype of the elements in a graph: bfloat16 becomes f32, which
/// has all its values, and 4-bit integers become 8-bit ones; `none` when nnrt has none. `bits` is the size in the file.
struct element_type {
  std::string_view name;
  dtype type = dtype::none;
  int bits = 0;

  /// Whether elements have the same type in a graph.
  constexpr bool is_kept() const { return type != dtype::none && bits == 8 * static_cast<int>(size_of(type)); }
};
inline constexpr element_type element_types[] = {
    {"undefined"},
    {"float", f32, 32},
    {"uint8", u8, 8},
    {"int8", i8, 8},
    {"uint16", u16, 16},
    {"int16", i16, 16},
    {"int32", i32, 32},
    {"int64", i64, 64},
    {"string"},
    {"bool", boolean, 8},
    {"float16", f16, 16},
    {"double", f64, 64},
    {"uint32", u32, 32},
    {"uint64", u64, 64},
    {"complex64"},
    {"complex128"},
    {"bfloat16", f32, 16},
    {"float8e4m3fn"},
    {"float8e4m3fnuz"},
    {"float8e5m2"},
    {"float8e5m2fnuz"},
    {"uint4", u8, 4},
    {"int4", i8, 4},
    {"float4e2m1"},
    {"float8e8m0"},
    {"uint2"},
    {"int2"},
};
enum element_number : std::int64_t { of_string = 8, of_bfloat16 = 16, of_uint4 = 21, of_int4 = 22 };

constexpr element_type element_type_of(std::int64_t code) {
  constexpr auto count = static_cast<std::int64_t>(sizeof element_types / sizeof element_types[0]);
  return code >= 0 && code < count ? element_types[code] : element_type{"an unknown type"};
}
/// The number of a dtype among element types.
constexpr std::int64_t number_of(dtype type) {
  for (std::int64_t i = 0; i < 14; ++i)
    if (element_types[i].type == type && type != dtype::none) return i;
  return 0;
}

}}}}  // namespace nnrt::NNRT_ISA::onnx::schema
