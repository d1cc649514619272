// model_bytes: where NNRT_MODEL finds the bytes of a model file.
// Flow: NNRT_MODEL_BYTES specialises it, in what `nnrt embed` and CMake's nnrt_model() write or around an #embed;
// model.hpp reads it.
#pragma once

#include <nnrt/core/fixed_string.hpp>
#include <nnrt/io/file_view.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// What stands for the bytes of a model that nobody has given.
struct no_model_bytes {};
/// The bytes of the model file of this name: an array of char.
template <fixed_string Name> inline constexpr no_model_bytes model_bytes{};
/// A model of more than 1 MiB. `literal()` gives constant evaluation the file without pages of weights, and `left_out`
/// says which: see file_view. (A literal in a function takes clang a sixth of the memory of one in an array.)
/// `stored()` gives programs the file itself.
template <fixed_string Name> struct large_model {
  static constexpr std::size_t size = 0;
};
/// Whether that array is a string literal, which has one byte more than the file.
template <fixed_string Name> inline constexpr bool model_is_literal = false;

}}  // namespace nnrt::NNRT_ISA

/// Gives NNRT_MODEL the bytes of a file, at global scope, where the compiler has #embed (clang from 19 on):
///
///   NNRT_MODEL_BYTES("person_detect.tflite") = {
///   #embed "person_detect.tflite"
///   };
///   NNRT_MODEL(person, "person_detect.tflite");
///
/// `file` is the name that NNRT_MODEL has, or the last part of its path.
#define NNRT_MODEL_BYTES(file) template <> alignas(64) inline constexpr char nnrt::model_bytes<file>[]
