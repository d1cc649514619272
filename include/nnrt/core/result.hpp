// result: return type of every fallible call - a value, or an error with what, where, got and expected.
// Flow: readers, create(), compile() and sessions return it. Passes, which run in constant evaluation, return verdicts.
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/contract.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/text.hpp>

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// Kind of an error, for callers and the C API; the message has the details.
enum class error_code {
  invalid_argument,  // an invalid value, size or name from the caller
  invalid_file,      // bytes in an invalid format
  not_found,         // a file or name that does not exist
  not_supported,     // valid, but nothing here can run it
  rule_broken,       // a node breaks an operator's rule
  out_of_memory,
  io_failed,  // the operating system failed to read, write or map
  device_failed,
  deadline_missed,  // the time limit has passed
};

template <class T> class result;

/// An error value. `message()` is one line for the user, or several if several things are wrong; empty after a move.
class error {
 public:
  // No overload takes std::string_view: for {"two", pieces} compilers would try its constructor from two iterators.
  [[gnu::cold, gnu::noinline]] constexpr error(error_code code, const char* message) : code_(code) { keep(message); }
  [[gnu::cold, gnu::noinline]] constexpr error(error_code code, const piece& message) : error(code, pieces{message}) {}
  [[gnu::cold, gnu::noinline]] constexpr error(error_code code, pieces message) : code_(code) {
    pool<char> text;
    append(text, message);
    keep(letters_of(text));
  }
  constexpr error(const error& other) : code_(other.code_) {
    if (other.message_ != nullptr) keep(other.letters());
  }
  constexpr error(error&& other) noexcept : code_(other.code_), message_(detail::taken(other.message_)) {}
  constexpr error& operator=(error other) noexcept {
    code_ = other.code_;
    detail::swap_values(message_, other.message_);
    return *this;
  }
  constexpr ~error() {
    if (message_ != nullptr) drop(message_);
  }

  constexpr error_code code() const { return code_; }
  [[gnu::cold, gnu::noinline]] const std::string& message() const {
    static const std::string none;
    return message_ != nullptr ? message_->text : none;
  }
  /// The message, also in constant evaluation.
  constexpr std::string_view letters() const {
    if (message_ == nullptr) return {};
    return __builtin_is_constant_evaluated() ? letters_of(message_->letters) : std::string_view(message_->text);
  }
  /// This error with a place prepended: "file.safetensors: " + message.
  [[gnu::cold, gnu::noinline]] constexpr error in(std::string_view place) && {
    return {code_, {place, ": ", letters()}};
  }

 private:
  /// A string at run time. A pool in constant evaluation: clang 16 cannot evaluate the strings of libstdc++ 12.
  union kept {
    std::string text;
    pool<char> letters;
    constexpr explicit kept(std::string_view from) {
      if (__builtin_is_constant_evaluated()) std::construct_at(&letters), letters.insert(from.begin(), from.end());
      else ::new (&text) std::string(from.data(), from.size());
    }
    constexpr ~kept() {
      if (__builtin_is_constant_evaluated()) std::destroy_at(&letters);
      else text.~basic_string();
    }
  };
  // A pointer, and functions out of line: every fallible function moves results, and moving a string takes code.
  [[gnu::cold, gnu::noinline]] constexpr void keep(std::string_view message) { message_ = new kept(message); }
  [[gnu::cold, gnu::noinline]] static constexpr void drop(kept* message) { delete message; }

  // No error; for result<void>.
  template <class T> friend class result;
  constexpr error() noexcept = default;

  error_code code_ = error_code::invalid_argument;
  kept* message_ = nullptr;
};

/// The reason of a failure; converts to a result of any type.
struct failure {
  error reason;
};

/// Makes a failure: `return fail(error_code::not_found, "…");`. A message may be pieces: {"got ", 3}.
[[gnu::cold, gnu::noinline]] constexpr failure fail(error_code code, const char* message) {
  return {error(code, message)};
}
[[gnu::cold, gnu::noinline]] constexpr failure fail(error_code code, const piece& message) {
  return {error(code, message)};
}
[[gnu::cold, gnu::noinline]] constexpr failure fail(error_code code, pieces message) { return {error(code, message)}; }
constexpr failure fail(error reason) { return {std::move(reason)}; }

namespace detail {
/// Called by value() of an error. It ends the program, even if the contract handler returns.
[[noreturn, gnu::cold, gnu::noinline]] inline void no_value(const error& reason) {
  broken_contract(nnrt::error(reason).in("value() of an error").message());
  std::abort();
}
}  // namespace detail

namespace detail {
/// Result of transform(): f's value, or success if f returns void.
template <class F, class... Value> constexpr auto result_of(F& f, Value&&... value) {
  using made = std::remove_cvref_t<decltype(f(static_cast<Value&&>(value)...))>;
  if constexpr (std::is_void_v<made>) return f(static_cast<Value&&>(value)...), result<made>();
  else return result<made>(f(static_cast<Value&&>(value)...));
}
}  // namespace detail

/// A value or the reason why there is none, like `std::expected<T, error>` of C++23 at a lower compile time. `*` and
/// `->` require a value, error() an error. value() of an error breaks the contract and ends the program.
template <class T> class result {
 public:
  using value_type = T;
  using error_type = nnrt::error;

  constexpr result()
    requires(__is_constructible(T))
      : value_(), has_value_(true) {}
  template <class U = T>
    requires(!std::is_same_v<std::remove_cvref_t<U>, result> && !std::is_same_v<std::remove_cvref_t<U>, failure> &&
             __is_constructible(T, U))
  // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): the constraint excludes results.
  constexpr explicit(!std::is_convertible_v<U, T>) result(U&& value)
      : value_(std::forward<U>(value)), has_value_(true) {}
  constexpr result(failure&& failed) noexcept : error_(std::move(failed.reason)), has_value_(false) {}
  constexpr result(const result& other)
    requires(__is_constructible(T, const T&))
      : has_value_(other.has_value_) {
    if (has_value_) std::construct_at(&value_, other.value_);
    else std::construct_at(&error_, other.error_);
  }
  constexpr result(result&& other) noexcept : has_value_(other.has_value_) {
    if (has_value_) std::construct_at(&value_, std::move(other.value_));
    else std::construct_at(&error_, std::move(other.error_));
  }
  constexpr result& operator=(result other) noexcept {
    std::destroy_at(this);
    std::construct_at(this, std::move(other));
    return *this;
  }
  constexpr ~result() {
    if (has_value_) value_.~T();
    else error_.~error_type();
  }

  constexpr bool has_value() const { return has_value_; }
  constexpr explicit operator bool() const { return has_value_; }

  constexpr T& operator*() & { return value_; }
  constexpr const T& operator*() const& { return value_; }
  constexpr T&& operator*() && { return std::move(value_); }
  constexpr T* operator->() { return &value_; }
  constexpr const T* operator->() const { return &value_; }
  constexpr T& value() & { return expect_value(), value_; }
  constexpr const T& value() const& { return expect_value(), value_; }
  constexpr T&& value() && { return expect_value(), std::move(value_); }
  template <class U> constexpr T value_or(U&& other) const& {
    return has_value_ ? value_ : static_cast<T>(std::forward<U>(other));
  }
  template <class U> constexpr T value_or(U&& other) && {
    return has_value_ ? std::move(value_) : static_cast<T>(std::forward<U>(other));
  }

  /// f(value), which returns a result, or this error.
  template <class F> constexpr auto and_then(F&& f) & {
    return has_value_ ? f(value_) : decltype(f(value_))(failure{error_});
  }
  template <class F> constexpr auto and_then(F&& f) const& {
    return has_value_ ? f(value_) : decltype(f(value_))(failure{error_});
  }
  template <class F> constexpr auto and_then(F&& f) && {
    return has_value_ ? f(std::move(value_)) : decltype(f(std::move(value_)))(failure{std::move(error_)});
  }
  /// A result of f(value), possibly void, or of this error.
  template <class F> constexpr auto transform(F&& f) & {
    return and_then([&](T& value) { return detail::result_of(f, value); });
  }
  template <class F> constexpr auto transform(F&& f) const& {
    return and_then([&](const T& value) { return detail::result_of(f, value); });
  }
  template <class F> constexpr auto transform(F&& f) && {
    return std::move(*this).and_then([&](T&& value) { return detail::result_of(f, std::move(value)); });
  }
  /// This value, or f(error), which returns a result of this type.
  template <class F> constexpr result or_else(F&& f) const& { return has_value_ ? *this : f(error_); }
  template <class F> constexpr result or_else(F&& f) && { return has_value_ ? std::move(*this) : f(std::move(error_)); }
  /// This value, or the error f(error).
  template <class F> constexpr result transform_error(F&& f) const& {
    return has_value_ ? *this : result(failure{f(error_)});
  }
  template <class F> constexpr result transform_error(F&& f) && {
    return has_value_ ? std::move(*this) : result(failure{f(std::move(error_))});
  }

  constexpr error_type& error() & { return error_; }
  constexpr const error_type& error() const& { return error_; }
  constexpr error_type&& error() && { return std::move(error_); }

 private:
  constexpr void expect_value() const {
    if (!has_value_) detail::no_value(error_);
  }

  union {
    T value_;
    error_type error_;
  };
  bool has_value_;
};

/// Success, or the reason of a failure.
template <> class result<void> {
 public:
  using value_type = void;
  using error_type = nnrt::error;

  constexpr result() noexcept = default;
  constexpr result(failure&& failed) noexcept : error_(std::move(failed.reason)), has_value_(false) {}

  constexpr bool has_value() const { return has_value_; }
  constexpr explicit operator bool() const { return has_value_; }
  constexpr void operator*() const {}
  constexpr void value() const {
    if (!has_value_) detail::no_value(error_);
  }
  template <class F> constexpr auto and_then(F&& f) const { return has_value_ ? f() : decltype(f())(failure{error_}); }
  template <class F> constexpr auto transform(F&& f) const {
    return and_then([&] { return detail::result_of(f); });
  }
  template <class F> constexpr result or_else(F&& f) const { return has_value_ ? *this : f(error_); }
  template <class F> constexpr result transform_error(F&& f) const {
    return has_value_ ? *this : result(failure{f(error_)});
  }

  constexpr error_type& error() & { return error_; }
  constexpr const error_type& error() const& { return error_; }
  constexpr error_type&& error() && { return std::move(error_); }

 private:
  error_type error_;
  bool has_value_ = true;
};

}}  // namespace nnrt::NNRT_ISA
