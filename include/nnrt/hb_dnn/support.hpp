// support: what all hbDNN functions share - codes for errors, where they are told, and the handles that are alive.
// Flow: each function of hb_dnn.hpp runs inside coded(); model, task and memory objects come out of a handle_registry.
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

/// The number of an environment variable; `otherwise` where it is not set or no number.
inline long environment_number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  return *end == '\0' ? value : otherwise;
}

/// Says why a function fails and returns its code: to the sink of set_log(), and to stderr where HB_DNN_LOG_LEVEL (0
/// nothing, 3 warnings, 4 errors, 5 fatal errors alone) allows it.
[[gnu::cold]] inline std::int32_t fails(std::int32_t code, pieces why) {
  static const long level = environment_number("HB_DNN_LOG_LEVEL", 3);
  c_api::tell(why);
  if (level >= 1 && level <= 4) std::fprintf(stderr, "[HB_DNN] %s (%d)\n", joined(why).c_str(), static_cast<int>(code));
  return code;
}

/// The code that stands for an error of the library where a model is loaded.
inline std::int32_t code_of_loading(const error& reason) {
  switch (reason.code()) {
    case error_code::out_of_memory: return HB_DNN_OUT_OF_MEMORY;
    case error_code::not_found:
    case error_code::io_failed: return HB_DNN_CAN_NOT_OPEN_FILE;
    default: return HB_DNN_INVALID_MODEL;
  }
}

/// Runs the body of the function `me`, which answers a code.
template <class Body>
std::int32_t coded(const char* me, Body body, std::int32_t out_of_memory = HB_DNN_OUT_OF_MEMORY) noexcept {
  return guarded(me, out_of_memory, body);
}
/// Whether an argument is missing; the log says which, with the code.
inline bool misses(const char* me, std::initializer_list<c_api::argument> all,
                   std::int32_t code = HB_DNN_INVALID_ARGUMENT) {
  const c_api::argument* const missing = c_api::first_missing(all);
  if (missing != nullptr) (void)fails(code, {me, ": ", missing->name, missing->fault});
  return missing != nullptr;
}

/// Why something of a client's is refused; empty: it is not.
using diagnostic = std::string;

/// A number that no handle of any kind has had.
inline std::uintptr_t next_handle() {
  static std::atomic<std::uintptr_t> last{0x10000};
  return last += 16;
}

/// Which handles are alive, and what they stand for. Handles are numbers that are given once: one that was taken back
/// stands for nothing for ever. Who has found an object keeps it, whatever becomes of its handle.
template <class T> class handle_registry {
 public:
  void* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t number = next_handle();
    alive_.emplace(number, std::move(object));
    return reinterpret_cast<void*>(number);
  }
  /// Null where the handle is not alive.
  std::shared_ptr<T> find(const void* handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found != alive_.end() ? found->second : nullptr;
  }
  /// The object, which has no handle from now on; null for whoever comes second.
  std::shared_ptr<T> take(const void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == alive_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    alive_.erase(found);
    return object;
  }
  /// All that are alive, with their handles.
  std::vector<std::pair<void*, std::shared_ptr<T>>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<void*, std::shared_ptr<T>>> list;
    for (const auto& [number, object] : alive_) list.emplace_back(reinterpret_cast<void*>(number), object);
    return list;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<T>> alive_;
};

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
