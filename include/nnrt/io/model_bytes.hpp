// model_bytes: the variables through which NNRT_MODEL gets the bytes of a model file.
// Flow: NNRT_MODEL_BYTES specialises them, in the text of `nnrt embed` and CMake's nnrt_model() or around an #embed;
// model.hpp reads them.
#pragma once

#include <nnrt/core/fixed_string.hpp>
#include <nnrt/io/file_view.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The type of model_bytes for a name without a file.
struct no_model_bytes {};
/// The bytes of the model file with this name: an array of char.
template <fixed_string Name> inline constexpr no_model_bytes model_bytes{};
/// A model of more than 1 MiB. `literal()` gives constant evaluation the file without pages of weights, and `left_out`
/// lists the missing pages (see `file_view`). (clang uses a sixth of the memory for a literal in a function, compared
/// with an array.) `stored()` gives programs the complete file.
template <fixed_string Name> struct large_model {
  static constexpr std::size_t size = 0;
};
/// True when the array is a string literal, which is one byte longer than the file.
template <fixed_string Name> inline constexpr bool model_is_literal = false;

}}  // namespace nnrt::NNRT_ISA

/// Gives NNRT_MODEL the bytes of a file, at global scope, for compilers with #embed (clang 19 and later):
///
///   NNRT_MODEL_BYTES("person_detect.tflite") = {
///   #embed "person_detect.tflite"
///   };
///   NNRT_MODEL(person, "person_detect.tflite");
///
/// `file` is the name given to NNRT_MODEL, or the last part of its path.
#define NNRT_MODEL_BYTES(file) template <> alignas(64) inline constexpr char nnrt::model_bytes<file>[]
