// runtime: state shared by all hbDNN functions of a program - memory, models, tasks, cores.
// Flow: each function starts with runtime::the().
#pragma once

#include <nnrt/hb_dnn/memory.hpp>
#include <nnrt/hb_dnn/scheduler.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

class packed_models;
class loaded_model;

/// The object that a model's handle names.
struct model_entry {
  std::shared_ptr<loaded_model> model;
  std::weak_ptr<packed_models> owner;
};

/// One for each program.
struct runtime {
  static inline runtime& the();

  /// The packed models that a model belongs to; null after their release.
  std::shared_ptr<packed_models> owner_of(const void* model) const {
    const auto found = models.find(model);
    return found != nullptr ? found->owner.lock() : nullptr;
  }
  /// Whether another task of this kind may be made. At the limit, a resizing task that has been waited for is released,
  /// as some clients never release them. The caller holds `admission`.
  bool may_add_task(bool resizes) {
    int alive = 0;
    void* done = nullptr;
    for (const auto& [handle, one] : tasks.all()) {
      if (one->is_resizing != resizes) continue;
      ++alive;
      if (resizes && cores.was_awaited(*one) && (done == nullptr || handle < done)) done = handle;
    }
    if (alive >= max_tasks && done != nullptr) --alive, (void)tasks.take(done);
    return alive < max_tasks;
  }
  /// Whether an unreleased task runs one of these models. The caller holds `admission`.
  bool runs(const packed_models& owner) const {
    for (const auto& [handle, one] : tasks.all())
      for (const auto& each : one->owners)
        if (each.get() == &owner) return true;
    return false;
  }

  device_memory memory;
  handle_registry<packed_models> packed;
  handle_registry<model_entry> models;
  handle_registry<task> tasks;
  std::mutex admission;  // held while tasks are made or models released
  scheduler cores;
};

namespace detail {

/// Stops the cores at the program's end, but is not destroyed: clients' static objects may still release handles.
union kept_runtime {
  runtime value;

  kept_runtime() : value() {}
  kept_runtime(const kept_runtime&) = delete;
  ~kept_runtime() { value.cores.stop(); }
};

}  // namespace detail

inline runtime& runtime::the() {
  static detail::kept_runtime one;
  return one.value;
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
