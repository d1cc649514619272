// model: NNRT_MODEL makes a static network of a model file, which the compiler reads.
// Flow: programs include it for networks in .tflite and .onnx files; it includes nnrt.hpp.
#pragma once

#include <nnrt/exec/file_network.hpp>
#include <nnrt/io/model_bytes.hpp>
#include <nnrt/nnrt.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The index where the file name begins in a path; the file name names a model's bytes.
template <fixed_string Path> constexpr std::size_t first_of_file_name() {
  std::size_t first = 0;
  for (std::size_t i = 0; i + 1 < sizeof Path.letters; ++i)
    if (Path.letters[i] == '/' || Path.letters[i] == '\\') first = i + 1;
  return first;
}
template <fixed_string Path> constexpr auto file_name_of() {
  constexpr std::size_t first = first_of_file_name<Path>();
  char name[sizeof Path.letters - first] = {};
  for (std::size_t i = 0; i < sizeof name; ++i) name[i] = Path.letters[first + i];
  return fixed_string(name);
}

template <fixed_string Name>
inline constexpr bool has_bytes = !std::is_same_v<std::remove_cvref_t<decltype(model_bytes<Name>)>, no_model_bytes>;
template <fixed_string Name>
inline constexpr std::string_view bytes_of_model{model_bytes<Name>,
                                                 sizeof model_bytes<Name> - (model_is_literal<Name> ? 1 : 0)};

/// The bytes that were given under a model's name, else under the name of its file.
template <fixed_string Name, fixed_string Path> constexpr file_view find_model_bytes() {
  constexpr auto file = file_name_of<Path>();
  if constexpr (has_bytes<Name>) return bytes_of_model<Name>;
  else if constexpr (large_model<Name>::size > 0)
    return {large_model<Name>::literal(), large_model<Name>::size, large_model<Name>::left_out};
  else if constexpr (has_bytes<file>) return bytes_of_model<file>;
  else if constexpr (large_model<file>::size > 0)
    return {large_model<file>::literal(), large_model<file>::size, large_model<file>::left_out};
  else return {};
}
/// All bytes, for programs. For large files, these are the bytes that the assembler included.
template <fixed_string Name, fixed_string Path> result<std::string_view> find_stored_bytes() {
  constexpr auto file = file_name_of<Path>();
  if constexpr (!has_bytes<Name> && large_model<Name>::size > 0) return large_model<Name>::stored();
  else if constexpr (!has_bytes<Name> && !has_bytes<file> && large_model<file>::size > 0)
    return large_model<file>::stored();
  else return find_model_bytes<Name, Path>().bytes(0, find_model_bytes<Name, Path>().size());
}

/// The bytes of a model as NNRT_MODEL names it.
template <fixed_string Name, fixed_string Path> struct model_file {
  static constexpr bool is_given = !find_model_bytes<Name, Path>().empty();
  static constexpr file_view bytes() { return find_model_bytes<Name, Path>(); }
  static result<std::string_view> stored() { return find_stored_bytes<Name, Path>(); }
};

constexpr no_choices choices_of(no_choices none) { return none; }
constexpr tflite::load_options choices_of(std::string_view signature, no_choices) { return {.signature = signature}; }

}}}  // namespace nnrt::NNRT_ISA::detail

/// Defines `name`, at namespace scope, as the network of a .tflite or .onnx file: a constexpr function of
/// nnrt::builder&, which `graph<name>` accepts like one written in C++.
///
///   `NNRT_MODEL(person, "person_detect.tflite");`
///   `NNRT_MODEL(faces, "yunet.onnx", {.shapes = {{"input", {1, 3, 96, 128}}}});`
///   `using net = nnrt::graph<person>;`
///   `auto run = nnrt::executor<net>::create();`
///
/// The executor has the file's weights; create(others) takes other weights.
///
/// The compiler reads the file. Shapes, rules, plan and kernels are as for a network written in C++, and only the
/// operators in the file are compiled. Inputs and outputs have the names in the file.
///
/// A third argument selects one of the signatures of a .tflite file by its key; its unknown extents take the value in
/// the file, mostly 1. For an .onnx file it has the options of onnx::load(); all extents of inputs must be known, and
/// all weights be in the file.
///
/// CMake supplies the bytes:
///
///   nnrt_model(app person_detect.tflite NAME person)
///
/// Without CMake, `nnrt embed person_detect.tflite -o person_detect.tflite.inc` writes a file that the source includes
/// before this macro. NNRT_MODEL_BYTES around an `#embed` works, too; for an .onnx file, include
/// <nnrt/exec/onnx_format.hpp> as well. A file that cannot be read is a compile error, `graph_rejected<…>` with the
/// place in the file and the reason.
#define NNRT_MODEL(name, ...) NNRT_MODEL_OF(name, __VA_ARGS__, ::nnrt::detail::no_choices())
#define NNRT_MODEL_OF(name, path, ...)                                                                            \
  static_assert(                                                                                                  \
      ::nnrt::detail::model_file<#name, path>::is_given,                                                          \
      "nnrt: the bytes of this model are not here: let CMake add them, nnrt_model(<target> <file> NAME <name>), " \
      "or include what `nnrt embed <file>` wrote before NNRT_MODEL");                                             \
  struct nnrt_model_##name : ::nnrt::detail::model_file<#name, path> {                                            \
    static constexpr auto choices() { return ::nnrt::detail::choices_of(__VA_ARGS__); }                           \
  };                                                                                                              \
  static_assert(::nnrt::detail::has_reader<nnrt_model_##name>,                                                    \
                "nnrt: for an .onnx file, #include <nnrt/exec/onnx_format.hpp> before NNRT_MODEL");               \
  static_assert(::nnrt::detail::takes_options<nnrt_model_##name>,                                                 \
                "nnrt: the third argument of NNRT_MODEL is the key of a signature of a .tflite file, "            \
                "or {.shapes = ...} for an .onnx file");                                                          \
  static_assert(::nnrt::detail::is_network<nnrt_model_##name>());                                                 \
  inline constexpr ::nnrt::file_network<nnrt_model_##name> name {}
