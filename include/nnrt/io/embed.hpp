// embed: a file's bytes inside the program, put there by the assembler at no cost to the compiler.
// Flow: NNRT_EMBED(digits_file, "digits.safetensors") and then weights::parse(digits_file); CMake's nnrt_embed() knows the path and the dependency.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace nnrt::inline NNRT_ISA {

/// The bytes of a file that NNRT_EMBED put into the program; a contiguous range, so it converts to std::span<const std::byte>. Aligned to 64 bytes, never unloaded.
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

}  // namespace nnrt::inline NNRT_ISA

/// Defines `name`, a constexpr nnrt::embedded_file, at namespace scope, in a source file or in a header that several of them include (the linker keeps one copy):
///
///   NNRT_EMBED(digits_file, "digits.safetensors");
///   auto weights = nnrt::weights::parse(digits_file);
///
/// `file` is a string literal: an absolute path, or one that the assembler finds in the working directory or along -I
/// (g++ -Imodels net.cpp), not beside the source file. With -flto the assembler runs at link time, without -I: give an absolute path.
/// With CMake, `include(NnrtEmbed)` and
///
///   nnrt_embed(app models/digits.safetensors NAME digits_file)
///
/// passes the absolute path, which then replaces what the source says, and rebuilds the target's sources when the file changes; without NAME it puts the file's
/// folder on the include path instead. `name` should mean one file in the whole program. Needs an ELF target; 32 or 64 bits, any position (-fPIC, PIE or fixed). A missing file is an error of the assembler that names it.
#define NNRT_EMBED(name, file) NNRT_EMBED_SELECT(name, NNRT_EMBED_PATH_##name, file, )

// CMake defines NNRT_EMBED_PATH_<name> as two arguments, the second being the path; undefined it is one argument and `file` comes second.
#define NNRT_EMBED_SELECT(name, ...) NNRT_EMBED_SECOND(name, __VA_ARGS__)
#define NNRT_EMBED_SECOND(name, first, path, ...) NNRT_EMBED_FILE(name, path)

#if defined(__ELF__)
// One copy of each pair of name and path is linked, because the section's group is named after both. Two paths under one name do not mix either: g++ gets two
// strong symbols, which do not link. clang's link-time optimisation refuses strong symbols of one name from two modules, group or not, so clang
// gets weak ones with the path in their names, which g++ cannot write. The condition is for link-time optimisation: it may assemble the same text twice.
#if defined(__clang__)
#define NNRT_EMBED_BINDING ".weak "
#define NNRT_EMBED_SYMBOL(prefix, name, path) "\"" prefix #name ":" path "\""
#define NNRT_EMBED_LABEL(prefix, name, path) __asm__(prefix #name ":" path)
#else
#define NNRT_EMBED_BINDING ".globl "
#define NNRT_EMBED_SYMBOL(prefix, name, path) prefix #name
#define NNRT_EMBED_LABEL(prefix, name, path)
#endif
#define NNRT_EMBED_DECLARE(symbol) NNRT_EMBED_BINDING symbol "\n.hidden " symbol "\n.type " symbol ",%object\n"

#define NNRT_EMBED_FILE(name, path)                                                                                               \
  __asm__(".ifndef \"nnrt_embedded:" #name ":" path "\"\n"                                                                        \
          ".set \"nnrt_embedded:" #name ":" path "\", 1\n"                                                                        \
          ".pushsection .rodata.nnrt_embed_" #name ",\"aG\",%progbits,\"nnrt_embed:" #name ":" path "\",comdat\n"                 \
          NNRT_EMBED_DECLARE(NNRT_EMBED_SYMBOL("nnrt_embed_", name, path))                                                        \
          NNRT_EMBED_DECLARE(NNRT_EMBED_SYMBOL("nnrt_embed_size_", name, path))                                                   \
          ".balign 64\n"                                                                                                          \
          NNRT_EMBED_SYMBOL("nnrt_embed_", name, path) ":\n"                                                                      \
          "1: .incbin \"" path "\"\n2:\n"                                                                                         \
          ".balign 8\n"                                                                                                           \
          NNRT_EMBED_SYMBOL("nnrt_embed_size_", name, path) ":\n"                                                                 \
          ".8byte 2b - 1b\n"                                                                                                      \
          ".popsection\n"                                                                                                         \
          ".endif\n");                                                                                                            \
  extern "C" {                                                                                                                    \
  [[gnu::visibility("hidden")]] extern const ::std::byte nnrt_embed_##name[] NNRT_EMBED_LABEL("nnrt_embed_", name, path);         \
  [[gnu::visibility("hidden")]] extern const ::std::uint64_t nnrt_embed_size_##name NNRT_EMBED_LABEL("nnrt_embed_size_", name, path); \
  }                                                                                                                               \
  inline constexpr ::nnrt::embedded_file name { nnrt_embed_##name, &nnrt_embed_size_##name }
#else
#define NNRT_EMBED_FILE(name, path) static_assert(false, "nnrt: NNRT_EMBED needs an ELF target; read the file at run time or write it as an array")
#endif
