// launch: helpers for work in a new thread - the thread, and a callback that is called exactly once.
// Flow: hal/prepared_model_handle.hpp starts runs with it, hal/device.hpp preparations.
#pragma once

#include <nnrt/core/float_environment.hpp>

#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace hal::detail {

/// Runs f. False: f ran out of memory (std::bad_alloc).
template <class F> bool has_memory_for(F&& f) {
#if defined(__cpp_exceptions)
  try {
    f();
  } catch (const std::bad_alloc&) {
    return false;
  }
#else
  f();
#endif
  return true;
}

/// Runs f in a new detached thread with the caller's floating-point environment. f must own all that it uses; it is
/// destroyed if memory runs out. False: the system refused a thread.
template <class F> bool in_a_thread(F f) {
  auto body = [f = std::move(f), floats = float_environment::of_this_thread()]() mutable {
    floats.enter();
    (void)has_memory_for(f);
  };
#if defined(__cpp_exceptions)
  try {
    std::thread(std::move(body)).detach();
  } catch (const std::system_error&) {
    return false;
  }
#else
  std::thread(std::move(body)).detach();
#endif
  return true;
}

/// A callback that is called exactly once. If nobody has called it, the destructor does, with `otherwise`.
template <class Result> class exactly_once {
 public:
  exactly_once(std::function<void(Result)> f, Result otherwise) : f_(std::move(f)), otherwise_(std::move(otherwise)) {}
  exactly_once(exactly_once&& other) noexcept
      : f_(std::exchange(other.f_, nullptr)), otherwise_(std::move(other.otherwise_)) {}
  exactly_once& operator=(exactly_once&&) = delete;
  ~exactly_once() { (*this)(std::move(otherwise_)); }
  void operator()(Result result) {
    if (auto f = std::exchange(f_, nullptr)) f(std::move(result));
  }

 private:
  std::function<void(Result)> f_;
  Result otherwise_;
};

}}}  // namespace nnrt::NNRT_ISA::hal::detail
