// system_text: text of an error number of the operating system.
// Flow: errors about files, caches and threads end with it.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstring>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA {

/// "No such file or directory" for ENOENT. Thread-safe, unlike strerror.
class system_text {
 public:
  [[gnu::cold]] explicit system_text(int number)
      : text_(said(::strerror_r(number, letters_, sizeof letters_), letters_)) {}
  system_text(const system_text&) = delete;
  system_text& operator=(const system_text&) = delete;
  /// Valid while the object lives.
  std::string_view view() const { return text_; }

  // strerror_r has two variants, depending on C library and feature macros: one returns the text, one whether it
  // failed.
  static const char* said(const char* text, const char*) { return text; }
  static const char* said(int failed, const char* letters) { return failed == 0 ? letters : "unknown error"; }

 private:
  char letters_[128] = {};
  const char* text_;
};

}}  // namespace nnrt::NNRT_ISA
