// model_literal: converts a model file to C++ text that NNRT_MODEL reads.
// Flow: `nnrt embed` and CMake's nnrt_model() write the text; a source includes it before NNRT_MODEL.
#pragma once

#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/model_format.hpp>
#include <nnrt/io/onnx/weight_pages.hpp>
#include <nnrt/io/tflite/weight_pages.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Appends these bytes as a string literal. Escapes have three octal digits, because hexadecimal ones would include the
/// letters that follow. '?' is escaped because it may begin a trigraph.
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

/// Largest file, in bytes, whose literal is complete. The assembler puts larger files into the program.
inline constexpr std::size_t largest_literal = std::size_t{1} << 20;

namespace detail {

/// Appends a file as adjacent literals of 256 bytes, the size that compilers read fastest.
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

/// A name as part of an identifier: other characters become '_'.
[[gnu::cold]] inline std::string identifier_of(std::string_view name) {
  std::string made = "model_of_";
  for (const char c : name)
    made += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
  return made;
}

/// A large file as a literal: the bytes of the present pages, and the table for `file_bytes`.
struct pages_in_literal {
  std::string bytes;
  std::vector<std::int32_t> left_out;
};
[[gnu::cold]] inline pages_in_literal split_at_weight_pages(std::string_view file,
                                                            const std::vector<char>& of_weights) {
  constexpr std::size_t page = file_view::page_bytes;
  pages_in_literal made;
  std::int32_t left_out = 0;
  for (std::size_t i = 0; i < of_weights.size(); ++i) {
    made.left_out.push_back(of_weights[i] != 0 ? file_view::no_page : left_out);
    if (of_weights[i] != 0) left_out += static_cast<std::int32_t>(page);
    else made.bytes += file.substr(i * page, page);
  }
  made.left_out.push_back(left_out);
  return made;
}

[[gnu::cold]] inline void append_numbers(std::string& text, const std::vector<std::int32_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i % 16 == 0 ? "\n    " : " ") + std::to_string(numbers[i]) + ",";
}

[[gnu::cold]] inline void append_large_model(std::string& text, const std::vector<char>& of_weights,
                                             std::string_view file, std::string_view name, std::string_view path) {
  const pages_in_literal pages = split_at_weight_pages(file, of_weights);
  const std::string function = identifier_of(name), size = std::to_string(file.size()),
                    digest = std::to_string(digest_of(nnrt::bytes_of(file)));
  text +=
      "#include <nnrt/io/large_model.hpp>\n\nnamespace nnrt::embedded_models {\nNNRT_EMBED_FUNCTION(" + function + ", ";
  append_literal(text, path);
  text += ")\n}\ntemplate <> struct nnrt::large_model<";
  append_literal(text, name);
  text += "> {\n  static constexpr std::size_t size = " + size +
          ";\n  static result<std::string_view> stored() { return bytes_of_model_file(embedded_models::" + function +
          "(), size, " + digest + "U); }\n";
  text +=
      "  static_assert(file_view::page_bytes == " + std::to_string(file_view::page_bytes) +
      ", \"nnrt: this text is of another version: write it again\");\n  static constexpr std::int32_t left_out[] = {";
  append_numbers(text, pages.left_out);
  text += "};\n";
  // In a function, the literal takes clang a sixth of the memory. g++ needs an array: it would read a whole literal
  // whenever a pointer to it is an argument.
  text +=
      "#ifdef __clang__\n  static constexpr const char* literal() {\n    return\n#else\n  static constexpr char "
      "letters[] =\n#endif";
  append_pieces(text, pages.bytes);
  text += ";\n#ifdef __clang__\n  }\n#else\n  static constexpr const char* literal() { return letters; }\n#endif\n};\n";
}

}  // namespace detail

namespace detail {

/// Checks a file's structure and finds the pages that a literal can omit.
[[gnu::cold]] inline result<std::vector<char>> checked_weight_pages(std::string_view file) {
  switch (format_of_bytes(file)) {
    case model_format::unknown: break;
    case model_format::tflite: {
      auto verified = tflite::document::verify(file);
      if (!verified) return fail(std::move(verified.error()));
      return tflite::find_weight_pages(*verified);
    }
    case model_format::onnx: {
      auto parsed = onnx::parse_document(file);
      if (!parsed) return fail(std::move(parsed.error()));
      return onnx::find_weight_pages(*parsed);
    }
  }
  return fail(error_code::invalid_file,
              {"neither a .tflite file nor an .onnx file: got ", file.size(), " bytes that begin as neither"});
}

}  // namespace detail

/// Writes text that defines the bytes of a model file for NNRT_MODEL, under `name`: the network's or the file's name.
/// For a file of more than 1 MiB the text serves constant evaluation only and omits the elements of weights. The
/// assembler then puts the file into the program from `path`, which is absolute or relative to the include path.
/// Errors: invalid_argument (an empty name), invalid_file (neither a .tflite nor an .onnx file, or a damaged one),
/// not_supported (2 GiB or more).
[[gnu::cold]] inline result<std::string> model_literal(std::string_view file, std::string_view name,
                                                       std::string_view path) {
  if (name.empty()) return fail(error_code::invalid_argument, "name of the model: got none");
  if (file.size() > tflite::max_flatbuffer)
    return fail(error_code::not_supported,
                {"got ", file.size(), " bytes, expected at most ", tflite::max_flatbuffer, " in a program"});
  const auto of_weights = detail::checked_weight_pages(file);
  if (!of_weights) return fail(of_weights.error());
  std::string text =
      "// The bytes of a model file for NNRT_MODEL, written by nnrt: changes here are lost.\n#pragma once\n";
  text += "#pragma GCC system_header  // a literal as long as this is more than C++ demands of compilers\n";
  if (format_of_bytes(file) == model_format::onnx) text += "#include <nnrt/exec/onnx_format.hpp>\n";
  if (file.size() <= largest_literal) detail::append_small_model(text, file, name);
  else detail::append_large_model(text, *of_weights, file, name, path);
  return text;
}

}}  // namespace nnrt::NNRT_ISA
