// result: what every fallible call returns - a value or an error that names what, where, got and expected.
// Flow: readers, create(), compile() and sessions return it; passes, which run in constant evaluation, return verdicts instead.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/text.hpp>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace nnrt::inline NNRT_ISA {

/// What kind of thing went wrong, so that callers and the C API can map it; the message says the rest.
enum class error_code {
  invalid_argument,   // a value, size or name that the caller gave does not fit
  invalid_file,       // bytes that are not what they claim to be
  not_found,          // a file or name that does not exist
  not_supported,      // well-formed, but nothing here can run it
  rule_broken,        // an operator's rule refuses a node
  out_of_memory,
  io_failed,          // the operating system refused to read, write or map
  device_failed,
  deadline_missed,    // the run would have taken longer than it was given
};

/// An error as a value: `message()` is one line (or several, when several things are wrong) fit for a user. Moved from, it has none.
class error {
 public:
  error(error_code code, std::string message) : code_(code), message_(keep(std::move(message))) {}
  error(const error& other) : code_(other.code_), message_(keep(other.message())) {}
  error(error&& other) noexcept : code_(other.code_), message_(std::exchange(other.message_, nullptr)) {}
  error& operator=(error other) noexcept {
    code_ = other.code_;
    std::swap(message_, other.message_);
    return *this;
  }
  ~error() {
    if (message_ != nullptr) drop(message_);
  }

  error_code code() const { return code_; }
  [[gnu::cold, gnu::noinline]] const std::string& message() const {
    static const std::string none;
    return message_ != nullptr ? *message_ : none;
  }
  /// The same error with a place put in front: "file.safetensors: " + message.
  [[gnu::cold, gnu::noinline]] error in(std::string_view place) && {
    return {code_, joined({place, ": ", message()})};
  }

 private:
  // Behind a pointer, and out of line: results move in every function that can fail, and a string that moves is code.
  [[gnu::cold, gnu::noinline]] static std::string* keep(std::string message) { return new std::string(std::move(message)); }
  [[gnu::cold, gnu::noinline]] static void drop(std::string* message) { delete message; }

  error_code code_;
  std::string* message_;
};

/// A value, or the reason why there is none.
template <class T> using result = tl::expected<T, error>;

/// For `return fail(error_code::not_found, "…");` in a function that returns a result.
[[gnu::cold, gnu::noinline]] inline tl::unexpected<error> fail(error_code code, std::string message) { return tl::unexpected<error>(error(code, std::move(message))); }
inline tl::unexpected<error> fail(error reason) { return tl::unexpected<error>(std::move(reason)); }

}  // namespace nnrt::inline NNRT_ISA
