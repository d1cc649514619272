// system_text: what the operating system says of the number of an error.
// Flow: errors about files, caches and threads end with it.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstring>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// "No such file or directory" of ENOENT. Threads may ask at the same time, which they may not of strerror.
class system_text {
 public:
  [[gnu::cold]] explicit system_text(int number)
      : text_(said(::strerror_r(number, letters_, sizeof letters_), letters_)) {}
  system_text(const system_text&) = delete;
  system_text& operator=(const system_text&) = delete;
  /// As long as the object lives.
  std::string_view view() const { return text_; }

  // strerror_r comes in two kinds, depending on the C library and its feature macros: one gives the text, one whether
  // it failed.
  static const char* said(const char* text, const char*) { return text; }
  static const char* said(int failed, const char* letters) { return failed == 0 ? letters : "unknown error"; }

 private:
  char letters_[128] = {};
  const char* text_;
};

}}  // namespace nnrt::NNRT_ISA
