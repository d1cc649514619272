// model_literal: a model file as C++ text that NNRT_MODEL reads.
// Flow: `nnrt embed` and the program of CMake's nnrt_model() write it; a source includes it before NNRT_MODEL.
#pragma once

#include <nnrt/io/record.hpp>
#include <nnrt/io/tflite/document.hpp>

#include <string>
#include <string_view>

namespace nnrt::inline NNRT_ISA {

namespace detail {

/// Appends a string literal of these bytes. Escapes have three octal digits: hexadecimal ones would take letters that
/// follow. '?' may begin a trigraph.
[[gnu::cold]] inline void append_literal(std::string& text, std::string_view bytes) {
  text += '"';
  for (const char byte : bytes) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= 32 && code < 127 && byte != '"' && byte != '\\' && byte != '?') {
      text += byte;
      continue;
    }
    text += '\\';
    for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (code >> shift & 7));
  }
  text += '"';
}

}  // namespace detail

/// Model files of more bytes are put into programs by the assembler, too.
inline constexpr std::size_t largest_literal = std::size_t{1} << 20;

namespace detail {

/// The bytes of a file as a literal of many pieces: compilers read pieces of some hundred bytes fastest.
[[gnu::cold]] inline void append_pieces(std::string& text, std::string_view file) {
  constexpr std::size_t piece = 256;
  text.reserve(text.size() + 4 * file.size() + file.size() / 16);
  for (std::size_t i = 0; i < file.size(); i += piece) {
    text += "\n    ";
    append_literal(text, file.substr(i, piece));
  }
}

[[gnu::cold]] inline void append_small_model(std::string& text, std::string_view file, std::string_view name) {
  text += "#include <nnrt/io/model_bytes.hpp>\n\ntemplate <> inline constexpr bool nnrt::model_is_literal<";
  append_literal(text, name);
  text += "> = true;\nNNRT_MODEL_BYTES(";
  append_literal(text, name);
  text += ") =";
  append_pieces(text, file);
  text += ";\n";
}

/// A name as part of an identifier.
[[gnu::cold]] inline std::string identifier_of(std::string_view name) {
  std::string made = "model_of_";
  for (const char c : name) made += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return made;
}
[[gnu::cold]] inline void append_large_model(std::string& text, std::string_view file, std::string_view name, std::string_view path) {
  const std::string function = identifier_of(name), size = std::to_string(file.size()), digest = std::to_string(digest_of(bytes_of(file)));
  text += "#include <nnrt/io/large_model.hpp>\n\nnamespace nnrt::embedded_models {\nNNRT_EMBED_FUNCTION(" + function + ", ";
  append_literal(text, path);
  text += ")\n}\ntemplate <> struct nnrt::large_model<";
  append_literal(text, name);
  text += "> {\n  static constexpr std::size_t size = " + size + ";\n  static result<std::string_view> stored() { return bytes_of_model_file(embedded_models::" +
          function + "(), size, " + digest + "U); }\n";
  // In a function it takes clang a sixth of the memory; g++ would look at all of it whenever a pointer to it is an argument.
  text += "#ifdef __clang__\n  static constexpr const char* literal() {\n    return\n#else\n  static constexpr char letters[] =\n#endif";
  append_pieces(text, file);
  text += ";\n#ifdef __clang__\n  }\n#else\n  static constexpr const char* literal() { return letters; }\n#endif\n};\n";
}

}  // namespace detail

/// Text that defines the bytes of a model file for NNRT_MODEL, under this name: that of the network, or of the file. Of a
/// file of more than 1 MiB the text is for constant evaluation alone, and the assembler puts the file itself into programs:
/// `path` is where it finds that, an absolute path or one below a folder of the include path.
/// Errors: invalid_argument (an empty name), invalid_file (what is no .tflite file).
[[gnu::cold]] inline result<std::string> model_literal(std::string_view file, std::string_view name, std::string_view path) {
  if (name.empty()) return fail(error_code::invalid_argument, "name of the model: got none");
  if (auto found = tflite::document::verify(file); !found) return fail(std::move(found.error()));
  std::string text = "// The bytes of a model file for NNRT_MODEL, written by nnrt: changes here are lost.\n#pragma once\n";
  text += "#pragma GCC system_header  // a literal as long as this is more than C++ demands of compilers\n";
  if (file.size() <= largest_literal) detail::append_small_model(text, file, name);
  else detail::append_large_model(text, file, name, path);
  return text;
}

}  // namespace nnrt::inline NNRT_ISA
