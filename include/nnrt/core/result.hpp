// result: what every fallible call returns - a value or an error that names what, where, got and expected.
// Flow: readers, create(), compile() and sessions return it; passes, which run in constant evaluation, return verdicts instead.
#pragma once

#include <nnrt/core/config.hpp>

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
};

/// An error as a value: `message()` is one line (or several, when several things are wrong) fit for a user.
class error {
 public:
  error(error_code code, std::string message) : code_(code), message_(std::move(message)) {}
  error_code code() const { return code_; }
  const std::string& message() const { return message_; }
  /// The same error with a place put in front: "file.safetensors: " + message.
  error in(std::string_view place) && { return {code_, std::string(place) + ": " + std::move(message_)}; }

 private:
  error_code code_;
  std::string message_;
};

/// A value, or the reason why there is none.
template <class T> using result = tl::expected<T, error>;

/// For `return fail(error_code::not_found, "…");` in a function that returns a result.
inline tl::unexpected<error> fail(error_code code, std::string message) { return tl::unexpected<error>(error(code, std::move(message))); }
inline tl::unexpected<error> fail(error reason) { return tl::unexpected<error>(std::move(reason)); }

}  // namespace nnrt::inline NNRT_ISA
