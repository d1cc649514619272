// embed: puts a file's bytes into the program through the assembler, at no compile-time cost.
// Flow: weights::parse() reads what NNRT_EMBED defines; CMake's nnrt_embed() passes the path and adds the dependency.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnrt { inline namespace NNRT_ISA {

/// The bytes of a file that NNRT_EMBED put into the program, aligned to 64 bytes and valid until the program ends.
/// A contiguous range, so it converts to `std::span<const std::byte>`.
class embedded_file {
 public:
  constexpr embedded_file(const std::byte* first, const std::uint64_t* bytes) : first_(first), bytes_(bytes) {}
  const std::byte* data() const { return first_; }
  std::size_t size() const { return static_cast<std::size_t>(*bytes_); }
  const std::byte* begin() const { return first_; }
  const std::byte* end() const { return first_ + size(); }

 private:
  const std::byte* first_;
  const std::uint64_t* bytes_;  // written by the assembler: C++ has no constant for the difference of two symbols
};

}}  // namespace nnrt::NNRT_ISA

/// Defines `name`, a constexpr nnrt::embedded_file, at namespace scope. It may be in a header that several source files
/// include: the linker keeps one copy.
///
///   NNRT_EMBED(digits_file, "digits.safetensors");
///   auto weights = nnrt::weights::parse(digits_file);
///
/// `file` is a string literal. It is an absolute path, or one relative to the working directory or to a folder given by
/// -I (g++ -Imodels net.cpp). The source file's folder is not searched. With -flto the assembler runs at link time
/// without -I: give an absolute path. CMake has this function wherever it has nnrt::nnrt:
///
///   nnrt_embed(app models/digits.safetensors NAME digits_file)
///
/// It passes the absolute path, which replaces the path in the source, and rebuilds the target's sources when the file
/// changes. Without NAME it adds the file's folder to the include path instead. Different files need different names.
/// Needs an ELF target, of 32 or 64 bits, with or without position-independent code. If the file is missing, the
/// assembler reports its name.
#define NNRT_EMBED(name, file) NNRT_EMBED_SELECT(name, NNRT_EMBED_PATH_##name, file, )

// CMake defines NNRT_EMBED_PATH_<name> as two arguments, of which the second is the path. When it is undefined it
// counts as one argument, and `file` becomes the second.
#define NNRT_EMBED_SELECT(name, ...) NNRT_EMBED_SECOND(name, __LINE__, __VA_ARGS__)
#define NNRT_EMBED_SECOND(name, line, first, path, ...) NNRT_EMBED_FILE(name, line, path)

#if defined(__ELF__)
// With LTO, clang rejects a strong symbol that two modules define, even in one COMDAT group.
#if defined(__clang__)
#define NNRT_EMBED_BINDING ".weak "
#else
#define NNRT_EMBED_BINDING ".globl "
#endif
#define NNRT_EMBED_DECLARE(symbol) NNRT_EMBED_BINDING symbol "\n.hidden " symbol "\n.type " symbol ",%object\n"

// The linker keeps one copy of all sections with the same name, line and path: these three name the COMDAT group. The
// line is part of the symbols, so that another namespace can use the name again. If two files share name and line by
// chance, g++'s strong symbols cause a link error. The .ifndef is for LTO, which may pass the same text to the
// assembler twice.
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
#define NNRT_EMBED_SYMBOLS(name, line)                                                        \
  extern "C" {                                                                                \
  [[gnu::visibility("hidden")]] extern const ::std::byte nnrt_embed_##name##_##line[];        \
  [[gnu::visibility("hidden")]] extern const ::std::uint64_t nnrt_embed_size_##name##_##line; \
  }
#define NNRT_EMBED_FILE(name, line, path)     \
  __asm__(NNRT_EMBED_TEXT(name, line, path)); \
  NNRT_EMBED_SYMBOLS(name, line)              \
  inline constexpr ::nnrt::embedded_file name { nnrt_embed_##name##_##line, &nnrt_embed_size_##name##_##line }

// Defines a function that returns the file. Only programs that call the function contain the bytes.
#define NNRT_EMBED_FUNCTION(name, path)                                              \
  NNRT_EMBED_SYMBOLS(name, in_function)                                              \
  [[gnu::noinline]] inline ::nnrt::embedded_file name() {                            \
    __asm__ volatile(NNRT_EMBED_TEXT(name, in_function, path));                      \
    return {nnrt_embed_##name##_in_function, &nnrt_embed_size_##name##_in_function}; \
  }
// clang-format on
#else
#define NNRT_EMBED_FUNCTION(name, path) \
  static_assert(false, "nnrt: a model of more than 1 MiB needs an ELF target; read the file at run time")
#define NNRT_EMBED_FILE(name, line, path) \
  static_assert(false, "nnrt: NNRT_EMBED needs an ELF target; read the file at run time or write it as an array")
#endif
