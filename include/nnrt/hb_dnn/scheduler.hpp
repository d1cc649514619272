// scheduler: simulates the accelerator's cores by threads, with a queue of jobs and tasks.
// Flow: infer.hpp and resize.hpp make jobs; the task functions submit, await and release tasks here.
#pragma once

#include <nnrt/core/float_environment.hpp>
#include <nnrt/exec/forks.hpp>
#include <nnrt/hb_dnn/support.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <set>
#include <thread>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Largest number of simulated cores.
inline constexpr int max_cores = 2;
/// Largest numbers of live tasks of a kind and of jobs of a task.
inline constexpr int max_tasks = 32, max_jobs = 255;

/// Cores and priority of a job.
struct job_order {
  int cores = HB_BPU_CORE_ANY;  // a mask
  int priority = HB_DNN_PRIORITY_LOWEST;
  std::int64_t custom_id = 0;
  std::uint64_t arrival = 0;  // set by the scheduler

  bool may_use(int core) const { return cores == HB_BPU_CORE_ANY || (cores >> core & 1) != 0; }
  bool pre_empts() const { return priority == HB_DNN_PRIORITY_PREEMP; }
};
/// Whether a runs before b.
inline bool comes_first(const job_order& a, const job_order& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.custom_id != b.custom_id) return a.custom_id < b.custom_id;
  return a.arrival < b.arrival;
}

class scheduler;
class task;

/// Called by a job between two nodes.
class checkpoint {
 public:
  checkpoint(scheduler& runs, const task& whose, const job_order& order, int core)
      : runs_(runs), whose_(whose), order_(order), core_(core) {}
  /// Runs jobs that pre-empt this one; then returns whether the job is still wanted.
  bool operator()() const;

 private:
  scheduler& runs_;
  const task& whose_;
  const job_order& order_;
  int core_;
};

/// A job. It calls the checkpoint from time to time and writes results only while that returns true.
using work = std::function<result<void>(const checkpoint&)>;

/// Jobs started by one or several calls of hbDNNInfer, hbDNNRoiInfer or hbDNNResize.
class task {
 public:
  explicit task(bool only_resizes) : is_resizing(only_resizes) {}
  const bool is_resizing;
  std::vector<std::shared_ptr<const void>> owners;  // of its models; guarded by runtime::admission

 private:
  friend class scheduler;
  friend class checkpoint;
  struct job {
    job_order order;
    work does;
    float_environment floats;  // of the client's thread
  };
  /// Whether it was submitted in the process that forked this one: it will not end here.
  bool is_lost() const { return is_submitted_ && !home_.is_here(); }

  // Members below are guarded by the scheduler's lock.
  std::vector<job> jobs_;  // not reallocated after submission
  bool is_submitted_ = false, is_released_ = false, was_awaited_ = false;
  std::size_t left_ = 0;  // jobs that have not ended
  int running_ = 0;
  std::int32_t code_ = HB_DNN_SUCCESS;
  nnrt::detail::home_process home_;  // process that submitted it
};

/// Cores, each a thread, and the queue of jobs. Safe from any thread except from jobs, which must not wait for tasks. A
/// job runs with the floating-point environment of the thread that added it.
/// A child process starts cores at its first submit(); tasks that the parent submitted count as failed there.
class scheduler {
 public:
  scheduler() = default;
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  ~scheduler() { stop(); }

  /// Fails waiting jobs, stops running ones at their next checkpoint, and ends the threads. Tasks submitted later do
  /// not run.
  void stop() {
    reset_in_child();
    std::vector<std::thread> stopped;
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
      stopped = dismissed_threads();
      for (const waiting_job& each : waiting_) {
        --each.of->left_;
        each.of->code_ = HB_DNN_RUN_TASK_FAILED;
      }
      waiting_.clear();
    }
    has_ended_.notify_all();
    end(stopped);
  }

  int cores() const { return cores_; }
  /// Sets the number of cores, 1 or 2. False, without a change: another number, or jobs are waiting or running.
  bool use_cores(int count) {
    reset_in_child();
    std::vector<std::thread> stopped;
    {
      const std::lock_guard lock(mutex_);
      if (count < 1 || count > max_cores || !waiting_.empty() || running_ > 0) return false;
      cores_ = count;
      stopped = dismissed_threads();
    }
    end(stopped);
    return true;
  }

  /// Adds jobs to a task before its submission, all or none. API_USE_ERROR: it has been submitted;
  /// TASK_BATCH_SIZE_EXCEED_LIMIT.
  std::int32_t add(task& to, const job_order& order, std::vector<work> jobs) {
    reset_in_child();
    const std::lock_guard lock(mutex_);
    if (to.is_submitted_ || to.is_released_) return HB_DNN_API_USE_ERROR;
    if (to.jobs_.size() + jobs.size() > max_jobs) return HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT;
    to.jobs_.reserve(to.jobs_.size() + jobs.size());
    for (work& each : jobs) to.jobs_.push_back({order, std::move(each), float_environment::of_this_thread()});
    return HB_DNN_SUCCESS;
  }
  /// Removes the last `count` jobs of a task that has not been submitted.
  void take_back(task& from, std::size_t count) {
    reset_in_child();
    const std::lock_guard lock(mutex_);
    from.jobs_.resize(from.jobs_.size() - count);
  }
  /// Queues all jobs of a task. Throws if memory runs out or the system refuses a thread; the task is then not
  /// submitted.
  void submit(const std::shared_ptr<task>& one) {
    reset_in_child();
    {
      const std::lock_guard lock(mutex_);
      if (one->is_submitted_ || one->is_released_ || ends_) return;
      start_threads();
      std::set<waiting_job> jobs;
      for (task::job& each : one->jobs_) {
        each.order.arrival = ++arrivals_;
        jobs.insert({&each, one});
      }
      waiting_.merge(jobs);  // does not allocate
      one->is_submitted_ = true;
      one->home_.move_here();
      one->left_ = one->jobs_.size();
    }
    has_work_.notify_all();
  }
  /// Waits until the task has ended, for at most `milliseconds` if positive. SUCCESS, RUN_TASK_FAILED, TIMEOUT,
  /// API_USE_ERROR (not submitted), INVALID_TASK_HANDLE (released meanwhile).
  std::int32_t wait(task& one, std::int32_t milliseconds) {
    reset_in_child();
    std::unique_lock lock(mutex_);
    if (!one.is_submitted_ && !one.is_released_) return HB_DNN_API_USE_ERROR;
    if (one.is_lost() && one.left_ > 0) one.left_ = 0, one.running_ = 0, one.code_ = HB_DNN_RUN_TASK_FAILED;
    const auto has_ended = [&] { return one.left_ == 0 || one.is_released_; };
    if (milliseconds <= 0) has_ended_.wait(lock, has_ended);
    else if (!has_ended_.wait_for(lock, std::chrono::milliseconds(milliseconds), has_ended)) return HB_DNN_TIMEOUT;
    if (one.is_released_) return HB_DNN_INVALID_TASK_HANDLE;
    one.was_awaited_ = true;
    return one.code_;
  }
  /// Whether a client has waited until the task had ended.
  bool was_awaited(const task& one) {
    reset_in_child();
    const std::lock_guard lock(mutex_);
    return one.was_awaited_;
  }
  /// Removes the task's waiting jobs, stops running ones at their next checkpoint, and waits for these.
  void release(task& one) {
    reset_in_child();
    std::unique_lock lock(mutex_);
    one.is_released_ = true;
    for (auto at = waiting_.begin(); at != waiting_.end();)
      at = at->of.get() == &one ? waiting_.erase(at) : std::next(at);
    has_ended_.notify_all();
    if (one.is_lost()) one.running_ = 0;
    has_ended_.wait(lock, [&] { return one.running_ == 0; });
  }

 private:
  friend class checkpoint;
  struct waiting_job {
    task::job* what;
    std::shared_ptr<task> of;
    friend bool operator<(const waiting_job& a, const waiting_job& b) {
      return comes_first(a.what->order, b.what->order);
    }
  };

  /// Resets everything in a child process, which has neither the parent's threads nor usable locks. The parent runs the
  /// jobs that were waiting.
  void reset_in_child() {
    if (home_.is_here()) return;
    while (__atomic_exchange_n(&is_resetting_, true, __ATOMIC_ACQUIRE)) std::this_thread::yield();
    if (!home_.is_here()) {
      using nnrt::detail::made_anew;
      made_anew(mutex_), made_anew(has_work_), made_anew(has_ended_), made_anew(waiting_), made_anew(threads_);
      running_ = 0;
      home_.move_here();
    }
    __atomic_store_n(&is_resetting_, false, __ATOMIC_RELEASE);
  }

  /// If a thread cannot start, the next call starts the missing ones.
  void start_threads() {
    for (int core = static_cast<int>(threads_.size()); core < cores_; ++core)
      threads_.emplace_back([this, core, mine = generation_] { work_on(core, mine); });
  }
  /// The caller holds the lock. These threads take no more jobs; the next submission starts new ones.
  std::vector<std::thread> dismissed_threads() {
    ++generation_;
    return std::exchange(threads_, {});
  }
  void end(std::vector<std::thread>& dismissed) {
    has_work_.notify_all();
    for (std::thread& each : dismissed) each.join();
  }
  void work_on(int core, std::uint64_t generation) {
    std::unique_lock lock(mutex_);
    while (generation == generation_)
      if (!run_first(lock, core, false)) has_work_.wait(lock);
  }

  /// Runs the first job that may use this core, or the first that pre-empts others; false: none.
  bool run_first(std::unique_lock<std::mutex>& lock, int core, bool only_pre_empting) {
    auto at = waiting_.begin();
    while (at != waiting_.end() && !at->what->order.may_use(core)) ++at;
    if (at == waiting_.end() || (only_pre_empting && !at->what->order.pre_empts())) return false;
    const waiting_job mine = *at;
    waiting_.erase(at);
    ++running_, ++mine.of->running_;
    lock.unlock();
    const std::int32_t code = coded(
        "task",
        [&](const char* me) -> std::int32_t {
          const float_scope as_client(mine.what->floats);  // set for each job: one may pre-empt another in its thread
          const auto done = mine.what->does(checkpoint(*this, *mine.of, mine.what->order, core));
          mine.what->does = nullptr;
          if (done) return HB_DNN_SUCCESS;
          return done.error().code() == error_code::deadline_missed
                     ? std::int32_t{HB_DNN_RUN_TASK_FAILED}
                     : fails(HB_DNN_RUN_TASK_FAILED, {me, ": ", done.error().message()});
        },
        HB_DNN_RUN_TASK_FAILED);
    lock.lock();
    --running_, --mine.of->running_, --mine.of->left_;
    if (mine.of->code_ == HB_DNN_SUCCESS) mine.of->code_ = code;
    if (mine.of->left_ == 0 || mine.of->is_released_) has_ended_.notify_all();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable has_work_, has_ended_;
  std::set<waiting_job> waiting_;
  std::vector<std::thread> threads_;
  std::uint64_t generation_ = 0;  // threads of older generations end
  std::atomic<int> cores_ = static_cast<int>(environment_number("NNRT_BPU_CORES", max_cores)) == 1 ? 1 : max_cores;
  int running_ = 0;
  std::uint64_t arrivals_ = 0;
  bool ends_ = false;
  nnrt::detail::home_process home_;  // process of the cores
  bool is_resetting_ = false;
};

inline bool checkpoint::operator()() const {
  std::unique_lock lock(runs_.mutex_);
  if (!order_.pre_empts())
    while (!runs_.ends_ && !whose_.is_released_ && runs_.run_first(lock, core_, true)) {
    }
  return !runs_.ends_ && !whose_.is_released_;
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
