// support: what all C functions share - the log, the table of live handles, and handlers of exceptions.
// Flow: each function of c_api.hpp runs inside guarded() and finds its objects with alive<T>().
#pragma once

#include <nnrt/core/config.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/shared.hpp>
#include <nnrt/core/text.hpp>

#include <neural_network_runtime/neural_network_runtime_type.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace nnrt { inline namespace NNRT_ISA {

/// Receives the C functions' error messages: one line without a line break, such as `OH_NNCompilation_Build: conv2d
/// "2": input channels must equal weight channels times group (got 3, expected 4)`.
using log_function = void (*)(std::string_view line, void* user);

namespace c_api {

/// API level whose behaviour programs get where releases differ. 9 is the first one, which requires a stricter order of
/// calls.
#ifndef NNRT_API_LEVEL
#define NNRT_API_LEVEL 18
#endif
inline constexpr int api_level = NNRT_API_LEVEL;

namespace detail {
struct log_sink {
  std::recursive_mutex mutex;  // recursive: the function may call C functions that log
  log_function function = nullptr;
  void* user = nullptr;
  bool is_heard = false;  // true while the function runs
};
inline log_sink& sink() {
  static nnrt::detail::kept<log_sink> one;
  return one.value;
}
}  // namespace detail

/// Passes a line to set_log()'s function.
[[gnu::cold]] inline void tell(pieces line) {
  detail::log_sink& to = detail::sink();
  const std::lock_guard lock(to.mutex);
  if (to.function == nullptr || to.is_heard) return;
  const std::string whole = joined(line);
  struct hearing {
    bool& is_heard;
    explicit hearing(bool& now) : is_heard(now) { is_heard = true; }
    ~hearing() { is_heard = false; }
  } const one(to.is_heard);
  to.function(whole, to.user);
}

/// Like tell(), and prints to stderr with NNRT_LOG=1, for C programs that link a shared library.
[[gnu::cold]] inline void log(pieces line) {
  tell(line);
  const char* const wish = std::getenv("NNRT_LOG");
  if (wish != nullptr && std::string_view(wish) == "1") std::fprintf(stderr, "[NNRt] %s\n", joined(line).c_str());
}

/// Logs why a function fails and returns its code.
[[gnu::cold]] inline OH_NN_ReturnCode fails(OH_NN_ReturnCode code, pieces why) {
  log(why);
  return code;
}

/// Runs the body of the C function `me`. Exceptions (out of memory) become `out_of_memory`.
template <class Result, class Body>
Result guarded(const char* me, [[maybe_unused]] Result out_of_memory, Body body) noexcept {
#if defined(__cpp_exceptions)
  try {
    return body(me);
  } catch (...) {
  }
  // Logging may also run out of memory.
  try {
    log({me, ": out of memory"});
  } catch (...) {
  }
  return out_of_memory;
#else
  return body(me);
#endif
}
/// guarded() for functions that return a code.
template <class Body> OH_NN_ReturnCode coded(const char* me, Body body) noexcept {
  return guarded(me, OH_NN_MEMORY_ERROR, body);
}

/// Kind of object that a handle names.
enum class object { quant_param, tensor_desc, desc_of_tensor, tensor, model, compilation, executor };

/// Live handles. C programs may pass handles that were destroyed or are invalid. Safe from any thread.
class handle_table {
 public:
  void add(const void* handle, object kind) {
    const std::lock_guard lock(mutex_);
    alive_.emplace(handle, kind);
  }
  void remove(const void* handle) {
    const std::lock_guard lock(mutex_);
    alive_.erase(handle);
  }
  bool has(const void* handle, object kind) const {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(handle);
    return found != alive_.end() && found->second == kind;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void*, object> alive_;
};
inline handle_table& handles() {
  static nnrt::detail::kept<handle_table> one;
  return one.value;
}

/// The object that a handle names; null if the handle is null, destroyed or of another kind.
template <class T> T* alive(const void* handle) {
  if (handle == nullptr || !handles().has(handle, T::kind)) return nullptr;
  return const_cast<T*>(static_cast<const T*>(handle));
}

/// An object that may be used after its handle is destroyed. hold() gives it a reference to itself, let_go() releases
/// it.
template <class T>
concept outlives_its_handle = requires(T& object, std::shared_ptr<T> share) {
  object.hold(std::move(share));
  object.let_go();
};

/// Makes an object and registers its handle.
template <outlives_its_handle T, class... Arguments> T* make_object(Arguments&&... arguments) {
  auto made = std::make_shared<T>(std::forward<Arguments>(arguments)...);
  T* const object = made.get();
  handles().add(object, T::kind);
  object->hold(std::move(made));
  return object;
}
template <class T, class... Arguments> T* make_object(Arguments&&... arguments) {
  auto made = std::make_unique<T>(std::forward<Arguments>(arguments)...);
  handles().add(made.get(), T::kind);
  return made.release();
}
template <class T> void destroy_object(T* one) {
  handles().remove(one);
  if constexpr (outlives_its_handle<T>) one->let_go();
  else delete one;
}

// ---- Common checks and results ----

/// A required argument of a C function: its name in the declaration, and why it is invalid.
struct argument {
  const char* name;
  const char* fault;  // null: valid

  argument(const char* its_name, const void* pointer)
      : name(its_name), fault(pointer == nullptr ? " is null" : nullptr) {}
  argument(const char* its_name, std::size_t count)
      : name(its_name), fault(count == 0 ? ": got 0, expected at least 1" : nullptr) {}
  template <class Result, class... Arguments>
  argument(const char* its_name, Result (*function)(Arguments...))
      : name(its_name), fault(function == nullptr ? " is null" : nullptr) {}
  /// For an object from alive().
  template <class T>
    requires requires { T::kind; }
  argument(const char* its_name, const T* object)
      : name(its_name), fault(object == nullptr ? " is null, was destroyed or is of another kind" : nullptr) {}
};

/// The first invalid argument; null if there is none.
inline const argument* first_missing(std::initializer_list<argument> all) {
  for (const argument& one : all)
    if (one.fault != nullptr) return &one;
  return nullptr;
}
/// Whether an argument is invalid; logs the first one.
inline bool lacks(const char* me, std::initializer_list<argument> all) {
  const argument* const missing = first_missing(all);
  if (missing != nullptr) log({me, ": ", missing->name, missing->fault});
  return missing != nullptr;
}
/// `name`: of an output argument that is not null.
inline OH_NN_ReturnCode occupied(const char* me, const char* name) {
  return fails(OH_NN_INVALID_PARAMETER, {me, ": *", name, " is not null, and would be overwritten"});
}

/// Makes an object and returns its handle; null when out of memory.
template <class T, class Handle> Handle* construct(const char* me) {
  return guarded(me, static_cast<Handle*>(nullptr),
                 [](const char*) { return reinterpret_cast<Handle*>(make_object<T>()); });
}
/// Destroys the object of *handle and sets it to null.
template <class T, class Handle> OH_NN_ReturnCode destroy(const char* me, Handle** handle) {
  return coded(me, [&](const char* function) {
    T* const object = handle != nullptr ? alive<T>(*handle) : nullptr;
    if (lacks(function, {{"handle", handle}, {"*handle", object}})) return OH_NN_INVALID_PARAMETER;
    destroy_object(object);
    *handle = nullptr;
    return OH_NN_SUCCESS;
  });
}

}  // namespace c_api

/// Sets the function that receives error messages of the C functions; null: none. It is called from the thread that met
/// the error, one call at a time. It may call C functions and set_log(); messages from these calls are discarded. Safe
/// from any thread.
inline void set_log(log_function function, void* user = nullptr) {
  c_api::detail::log_sink& sink = c_api::detail::sink();
  const std::lock_guard lock(sink.mutex);
  sink.function = function;
  sink.user = user;
}

}}  // namespace nnrt::NNRT_ISA

/// A C function defined in a header. Several units may define it; the linker keeps one, and C units find it even if no
/// C++ unit calls it.
#define NNRT_C_API extern "C" [[gnu::used, gnu::visibility("default")]] inline
