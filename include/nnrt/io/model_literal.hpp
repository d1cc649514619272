// model_literal: a model file as C++ text that NNRT_MODEL reads.
// Flow: `nnrt embed` and the program of CMake's nnrt_model() write it; a source includes it before NNRT_MODEL.
#pragma once

#include <nnrt/io/tflite/document.hpp>

#include <string>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// Appends a string literal of these bytes. Escapes have three octal digits: those of fewer, or hexadecimal ones, would
/// take digits that follow. '?' may begin a trigraph.
[[gnu::cold]] inline void append_literal(std::string& text, std::string_view bytes) {
  constexpr std::string_view escaped = "\"\\?0123456789";
  text += '"';
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 32 && code < 127 && escaped.find(byte) == escaped.npos) {
      text += byte;
      continue;
    }
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (code >> shift & 7));
  }
  text += '"';
}

}  // namespace detail

/// Text that defines the bytes of a model file for NNRT_MODEL, under this name: that of the network, or of the file.
/// Errors: invalid_argument (an empty name), invalid_file (what is no .tflite file).
[[gnu::cold]] inline result<std::string> model_literal(std::string_view file, std::string_view name) {
  // Compilers read pieces of some hundred bytes fastest.
  constexpr std::size_t piece = 256;
  if (name.empty()) return fail(error_code::invalid_argument, "name of the model: got none");
  if (auto found = tflite::document::verify(file); !found) return fail(std::move(found.error()));
  std::string text = "// The bytes of a model file for NNRT_MODEL, written by nnrt: changes here are lost.\n#pragma once\n";
  text += "#pragma GCC system_header  // a literal as long as this is more than C++ demands of compilers\n";
  text += "#include <nnrt/io/model_bytes.hpp>\n\ntemplate <> inline constexpr bool nnrt::model_is_literal<";
  detail::append_literal(text, name);
  text += "> = true;\nNNRT_MODEL_BYTES(";
  detail::append_literal(text, name);
  text += ") =";
  text.reserve(text.size() + 4 * file.size() + file.size() / 64);
  for (std::size_t i = 0; i < file.size(); i += piece) {
    text += "\n    ";
    detail::append_literal(text, file.substr(i, piece));
  }
  return text + ";\n";
}

}  // namespace nnrt::inline NNRT_ISA
