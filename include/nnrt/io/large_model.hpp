// large_model: a model file of more than 1 MiB in a program, in addition to the literal that the compiler reads.
// Flow: the text that model_literal() writes for such files includes it; file_network.hpp asks for the bytes when an
// executor is made.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/io/byte_stream.hpp>
#include <nnrt/io/embed.hpp>
#include <nnrt/io/model_bytes.hpp>
#include <nnrt/io/numbers_at.hpp>

namespace nnrt { inline namespace NNRT_ISA {

/// The bytes of a file that the assembler put into the program. Error: invalid_file (not the file that the compiler
/// read).
[[gnu::cold]] inline result<std::string_view> bytes_of_model_file(const embedded_file& file, std::size_t size,
                                                                  std::uint64_t digest) {
  const array_ref<const std::byte> bytes(file.data(), file.size());
  if (bytes.size() == size && digest_of(bytes) == digest) return letters_of(std::span(bytes.data(), bytes.size()));
  return fail(
      error_code::invalid_file,
      {"the model file in the program is not the one that the compiler has read: got ", bytes.size(),
       " bytes, expected ", size, bytes.size() == size ? ", and these are others" : "", "; write the literal again"});
}

}}  // namespace nnrt::NNRT_ISA
