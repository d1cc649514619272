// support: what all hbDNN functions share - error codes, the log, and tables of live handles.
// Flow: each function of hb_dnn.hpp runs inside coded(); handles of models and tasks are in a handle_registry.
#pragma once

#include <nnrt/c_api/support.hpp>

#include <dnn/hb_dnn.h>
#include <dnn/hb_dnn_ext.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

using c_api::guarded;

/// Number in an environment variable; `otherwise` if it is not set or not a number.
inline long environment_number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *end == '\0' ? value : otherwise;
}

/// Logs why a function fails and returns its code. The message goes to set_log()'s function, and to stderr if
/// HB_DNN_LOG_LEVEL allows it (0: never, 3: warnings, 4: errors, 5: only fatal errors).
[[gnu::cold]] inline std::int32_t fails(std::int32_t code, pieces why) {
  static const long level = environment_number("HB_DNN_LOG_LEVEL", 3);
  c_api::tell(why);
  if (level >= 1 && level <= 4) std::fprintf(stderr, "[HB_DNN] %s (%d)\n", joined(why).c_str(), static_cast<int>(code));
  return code;
}

/// Code for an error while a model is loaded.
inline std::int32_t code_of_loading(const error& reason) {
  switch (reason.code()) {
    case error_code::out_of_memory: return HB_DNN_OUT_OF_MEMORY;
    case error_code::not_found:
    case error_code::io_failed: return HB_DNN_CAN_NOT_OPEN_FILE;
    case error_code::invalid_argument:
    case error_code::invalid_file:
    case error_code::not_supported:
    case error_code::rule_broken:
    case error_code::device_failed:
    case error_code::deadline_missed: break;
  }
  return HB_DNN_INVALID_MODEL;
}

/// Runs the body of the function `me`, which returns a code.
template <class Body>
std::int32_t coded(const char* me, Body body, std::int32_t out_of_memory = HB_DNN_OUT_OF_MEMORY) noexcept {
  return guarded(me, out_of_memory, body);
}
/// Whether an argument is invalid; logs the first one with the code.
inline bool misses(const char* me, std::initializer_list<c_api::argument> all,
                   std::int32_t code = HB_DNN_INVALID_ARGUMENT) {
  const c_api::argument* const missing = c_api::first_missing(all);
  if (missing != nullptr) (void)fails(code, {me, ": ", missing->name, missing->fault});
  return missing != nullptr;
}

/// Why a client's argument is refused; empty: it is accepted.
using diagnostic = std::string;

/// A number that has not been a handle of any kind.
inline std::uintptr_t next_handle() {
  static std::atomic<std::uintptr_t> last{0x10000};
  return last += 16;
}

/// Live handles and their objects. Handles are unique numbers, never reused. find() returns a shared owner, which
/// remains valid after the handle is released. Safe from any thread.
template <class T> class handle_registry {
 public:
  void* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t number = next_handle();
    alive_.emplace(number, std::move(object));
    return reinterpret_cast<void*>(number);
  }
  /// Null for a handle that is not live.
  std::shared_ptr<T> find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found != alive_.end() ? found->second : nullptr;
  }
  /// Removes the handle and returns its object; null if it is not live.
  std::shared_ptr<T> take(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == alive_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    alive_.erase(found);
    return object;
  }
  /// All live objects with their handles.
  std::vector<std::pair<void*, std::shared_ptr<T>>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<void*, std::shared_ptr<T>>> list;
    list.reserve(alive_.size());
    for (const auto& [number, object] : alive_) list.emplace_back(reinterpret_cast<void*>(number), object);
    return list;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<T>> alive_;
};

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
