// plan_cache: the most recent plans of one program for different input shapes.
// Flow: program::with_shapes() searches here first; sessions in several threads share one cache.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/shared.hpp>
#include <nnrt/exec/memory.hpp>
#include <nnrt/exec/memory_account.hpp>

#include <pthread.h>
#include <algorithm>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

/// A graph whose extents are all known, its plan, and the weights as this plan's kernels read them.
struct compiled_plan {
  ir::graph optimised;
  plan made;
  prepared_weights weights;
  accounted_bytes accounted = {};  // of the weights
};

/// At most `capacity` plans, found by the shapes of the inputs; adding one replaces the least recently used.
/// Thread-safe. It uses a POSIX mutex, because `<mutex>` costs every user 0.1 s of parsing.
class plan_cache {
 public:
  explicit plan_cache(int capacity) : capacity_(static_cast<std::size_t>(capacity)) {}
  plan_cache(const plan_cache&) = delete;
  plan_cache& operator=(const plan_cache&) = delete;
  ~plan_cache() { pthread_mutex_destroy(&mutex_); }

  /// The plan for these shapes; null if there is none.
  shared<const compiled_plan> find(array_ref<const shape_t> shapes) {
    const lock held(mutex_);
    entry* const found = entry_for(shapes);
    if (found == nullptr) return {};
    found->last_use = ++clock_;
    return found->plan;
  }
  /// Adds a plan and returns it. If another thread has added one for these shapes, returns that one.
  shared<const compiled_plan> add(array_ref<const shape_t> shapes, shared<const compiled_plan> made) {
    const lock held(mutex_);
    if (const entry* const found = entry_for(shapes)) return found->plan;
    if (entries_.size() == capacity_) entries_.erase(oldest());
    entries_.push_back({{shapes.begin(), shapes.end()}, made, ++clock_});
    return made;
  }
  std::size_t size() {
    const lock held(mutex_);
    return entries_.size();
  }

 private:
  struct entry {
    std::vector<shape_t> shapes;
    shared<const compiled_plan> plan;
    std::uint64_t last_use = 0;
  };
  class lock {
   public:
    explicit lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
    lock(const lock&) = delete;
    lock& operator=(const lock&) = delete;
    ~lock() { pthread_mutex_unlock(&mutex_); }

   private:
    pthread_mutex_t& mutex_;
  };

  entry* entry_for(array_ref<const shape_t> shapes) {
    for (entry& e : entries_)
      if (std::equal(e.shapes.begin(), e.shapes.end(), shapes.begin(), shapes.end())) return &e;
    return nullptr;
  }
  std::vector<entry>::iterator oldest() {
    return std::min_element(entries_.begin(), entries_.end(),
                            [](const entry& a, const entry& b) { return a.last_use < b.last_use; });
  }

  std::size_t capacity_;
  std::vector<entry> entries_;
  std::uint64_t clock_ = 0;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

}}  // namespace nnrt::NNRT_ISA
