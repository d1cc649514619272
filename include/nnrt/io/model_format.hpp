// model_format: the format of a model file, by its first bytes.
// Flow: NNRT_MODEL, `nnrt embed` and the nnrt command choose the reader of a file with it.
#pragma once

#include <nnrt/io/protobuf.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// Formats of other libraries' model files. TensorFlow Lite's is also that of Circle files.
enum class model_format : std::uint8_t { unknown, tflite, onnx };

/// The format that the first bytes of a file show: the identifier of a .tflite or Circle file, or the first field of an
/// ONNX model. `unknown` for others. A file of the format can still be damaged.
constexpr model_format format_of_bytes(const file_view& file) {
  if (file.size() >= 8) {
    const std::string_view identifier = file.bytes(4, 4);
    if (identifier == "TFL3" || identifier == "CIR0") return model_format::tflite;
  }
  // ModelProto: fields 1 to 8, 14, 20, 25 and 26 in any order; most files begin with field 1, ir_version.
  message_fields field(file, {0, file.size()});
  if (!field.next()) return model_format::unknown;
  const std::uint64_t number = field.number();
  const bool is_integer = number == 1 || number == 5;  // ir_version, model_version
  const bool is_message = (number >= 2 && number <= 8) || number == 14 || number == 20 || number == 25 || number == 26;
  if (is_integer && field.type() == wire::varint) return model_format::onnx;
  return !is_integer && is_message && field.type() == wire::counted_bytes ? model_format::onnx : model_format::unknown;
}

}}  // namespace nnrt::NNRT_ISA
