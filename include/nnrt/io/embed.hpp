// embed: a file's bytes inside the program, put there by the assembler at no cost to the compiler.
// Flow: weights::parse() reads what NNRT_EMBED put there; CMake's nnrt_embed() knows the path and the dependency.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnrt { inline namespace NNRT_ISA {

/// The bytes of a file that NNRT_EMBED put into the program; a contiguous range, so it converts to std::span<const
/// std::byte>. Aligned to 64 bytes, never unloaded.
class embedded_file {
 public:
  constexpr embedded_file(const std::byte* first, const std::uint64_t* bytes) : first_(first), bytes_(bytes) {}
  const std::byte* data() const { return first_; }
  std::size_t size() const { return static_cast<std::size_t>(*bytes_); }
  const std::byte* begin() const { return first_; }
  const std::byte* end() const { return first_ + size(); }

 private:
  const std::byte* first_;
  const std::uint64_t* bytes_;  // written by the assembler: the difference of two symbols is no constant of C++
};

}}  // namespace nnrt::NNRT_ISA

/// Defines `name`, a constexpr nnrt::embedded_file, at namespace scope, in a source file or in a header that several of
/// them include (the linker keeps one copy):
///
///   NNRT_EMBED(digits_file, "digits.safetensors");
///   auto weights = nnrt::weights::parse(digits_file);
///
/// `file` is a string literal: an absolute path, or one that the assembler finds in the working directory or along -I
/// (g++ -Imodels net.cpp), not beside the source file. With -flto the assembler runs at link time, without -I: give an
/// absolute path. With CMake, which has the function wherever it has nnrt::nnrt,
///
///   nnrt_embed(app models/digits.safetensors NAME digits_file)
///
/// passes the absolute path, which then replaces what the source says, and rebuilds the target's sources when the file
/// changes; without NAME it puts the file's folder on the include path instead. Give different files different names.
/// Needs an ELF target; 32 or 64 bits, any position (-fPIC, PIE or fixed). A missing file is an error of the assembler
/// that names it.
#define NNRT_EMBED(name, file) NNRT_EMBED_SELECT(name, NNRT_EMBED_PATH_##name, file, )

// CMake defines NNRT_EMBED_PATH_<name> as two arguments, the second being the path; undefined it is one argument and
// `file` comes second.
#define NNRT_EMBED_SELECT(name, ...) NNRT_EMBED_SECOND(name, __LINE__, __VA_ARGS__)
#define NNRT_EMBED_SECOND(name, line, first, path, ...) NNRT_EMBED_FILE(name, line, path)

#if defined(__ELF__)
// clang's link-time optimisation refuses two modules that define one strong symbol, whatever group it is in.
#if defined(__clang__)
#define NNRT_EMBED_BINDING ".weak "
#else
#define NNRT_EMBED_BINDING ".globl "
#endif
#define NNRT_EMBED_DECLARE(symbol) NNRT_EMBED_BINDING symbol "\n.hidden " symbol "\n.type " symbol ",%object\n"

// One copy is linked of what has name, line and path in common: they name the section's group. The line is part of the
// symbols too, so that a name may serve again in another namespace; where name and line meet by chance for two files,
// g++'s symbols are strong and do not link. The condition is for link-time optimisation: it may hand the same text to
// the assembler twice.
// clang-format off
#define NNRT_EMBED_TEXT(name, line, path) \
          ".ifndef \"nnrt_embedded:" #name ":" #line ":" path "\"\n" \
          ".set \"nnrt_embedded:" #name ":" #line ":" path "\", 1\n" \
          ".pushsection .rodata.nnrt_embed_" #name \
          ",\"aG\",%progbits,\"nnrt_embed:" #name ":" #line ":" path "\",comdat\n" \
          NNRT_EMBED_DECLARE("nnrt_embed_" #name "_" #line) \
          NNRT_EMBED_DECLARE("nnrt_embed_size_" #name "_" #line) \
          ".balign 64\n" \
          "nnrt_embed_" #name "_" #line ":\n" \
          "1: .incbin \"" path "\"\n2:\n" \
          ".balign 8\n" \
          "nnrt_embed_size_" #name "_" #line ":\n" \
          ".8byte 2b - 1b\n" \
          ".popsection\n" \
          ".endif\n"
#define NNRT_EMBED_SYMBOLS(name, line) \
  extern "C" { \
  [[gnu::visibility("hidden")]] extern const ::std::byte nnrt_embed_##name##_##line[]; \
  [[gnu::visibility("hidden")]] extern const ::std::uint64_t nnrt_embed_size_##name##_##line; \
  }
#define NNRT_EMBED_FILE(name, line, path) \
  __asm__(NNRT_EMBED_TEXT(name, line, path)); \
  NNRT_EMBED_SYMBOLS(name, line) \
  inline constexpr ::nnrt::embedded_file name { nnrt_embed_##name##_##line, &nnrt_embed_size_##name##_##line }

// The same for a function that gives the file: it is in the programs alone that call it.
#define NNRT_EMBED_FUNCTION(name, path) \
  NNRT_EMBED_SYMBOLS(name, in_function) \
  [[gnu::noinline]] inline ::nnrt::embedded_file name() { \
    __asm__ volatile(NNRT_EMBED_TEXT(name, in_function, path)); \
    return {nnrt_embed_##name##_in_function, &nnrt_embed_size_##name##_in_function}; \
  }
// clang-format on
#else
#define NNRT_EMBED_FUNCTION(name, path) \
  static_assert(false, "nnrt: a model of more than 1 MiB needs an ELF target; read the file at run time")
#define NNRT_EMBED_FILE(name, line, path) \
  static_assert(false, "nnrt: NNRT_EMBED needs an ELF target; read the file at run time or write it as an array")
#endif
