// scheduler: the accelerator's cores as threads, the queue of what waits for them, and tasks.
// Flow: infer.hpp and resize.hpp make jobs of calls; the functions on tasks submit, await and release them here.
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

/// Cores that are simulated at most.
inline constexpr int max_cores = 2;
/// Tasks of one kind that may be alive, and jobs of one task.
inline constexpr int max_tasks = 32, max_jobs = 255;

/// Where and when a job shall run.
struct job_order {
  int cores = HB_BPU_CORE_ANY;  // a mask
  int priority = HB_DNN_PRIORITY_LOWEST;
  std::int64_t custom_id = 0;
  std::uint64_t arrival = 0;  // the scheduler's

  bool may_use(int core) const { return cores == HB_BPU_CORE_ANY || (cores >> core & 1) != 0; }
  bool pre_empts() const { return priority == HB_DNN_PRIORITY_PREEMP; }
};
/// Whether a comes before b.
inline bool comes_first(const job_order& a, const job_order& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  if (a.custom_id != b.custom_id) return a.custom_id < b.custom_id;
  return a.arrival < b.arrival;
}

class scheduler;
class task;

/// What a job asks between two nodes.
class checkpoint {
 public:
  checkpoint(scheduler& runs, const task& whose, const job_order& order, int core)
      : runs_(runs), whose_(whose), order_(order), core_(core) {}
  /// Runs what pre-empts the job; then whether somebody still wants it.
  bool operator()() const;

 private:
  scheduler& runs_;
  const task& whose_;
  const job_order& order_;
  int core_;
};

/// What a job does: it asks the checkpoint from time to time, and writes results only while that answers true.
using work = std::function<result<void>(const checkpoint&)>;

/// What one call of hbDNNInfer, hbDNNRoiInfer or hbDNNResize started, or several calls that are one task.
class task {
 public:
  explicit task(bool only_resizes) : is_resizing(only_resizes) {}
  const bool is_resizing;
  std::vector<std::shared_ptr<const void>> owners;  // of the models that it runs; under runtime::admission

 private:
  friend class scheduler;
  friend class checkpoint;
  struct job {
    job_order order;
    work does;
    float_environment floats;  // of the client's thread that asked for it
  };
  /// Whether its cores are those of the process that forked this one: it does not end here.
  bool is_lost() const { return is_submitted_ && !home_.is_here(); }

  // The rest is read and written under the scheduler's lock.
  std::vector<job> jobs_;  // from when it is submitted they stay where they are
  bool is_submitted_ = false, is_released_ = false, was_awaited_ = false;
  std::size_t left_ = 0;  // jobs that have not ended
  int running_ = 0;
  std::int32_t code_ = HB_DNN_SUCCESS;
  nnrt::detail::home_process home_;  // in which it was submitted
};

/// Cores, each a thread, and what waits for them. Safe from any thread but for jobs, which must not wait for tasks. A
/// job computes in the floating-point environment of the thread that added it. A child process has cores of its own
/// from its first submit() on; tasks that were submitted in the parent count as failed there.
class scheduler {
 public:
  scheduler() = default;
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  ~scheduler() { stop(); }

  /// Lets fail what waits, stops what runs at its next checkpoint, and ends the threads. What is submitted later does
  /// not run.
  void stop() {
    settle();
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
  /// From now on so many cores, 1 or 2. False, and nothing changes: another number, or something waits or runs.
  bool use_cores(int count) {
    settle();
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

  /// Puts jobs into a task that has not been submitted, all or none. API_USE_ERROR: it has been;
  /// TASK_BATCH_SIZE_EXCEED_LIMIT.
  std::int32_t add(task& to, const job_order& order, std::vector<work> jobs) {
    settle();
    const std::lock_guard lock(mutex_);
    if (to.is_submitted_ || to.is_released_) return HB_DNN_API_USE_ERROR;
    if (to.jobs_.size() + jobs.size() > max_jobs) return HB_DNN_TASK_BATCH_SIZE_EXCEED_LIMIT;
    to.jobs_.reserve(to.jobs_.size() + jobs.size());
    for (work& each : jobs) to.jobs_.push_back({order, std::move(each), float_environment::of_this_thread()});
    return HB_DNN_SUCCESS;
  }
  /// Takes the last `count` jobs out of such a task again.
  void take_back(task& from, std::size_t count) {
    settle();
    const std::lock_guard lock(mutex_);
    from.jobs_.resize(from.jobs_.size() - count);
  }
  /// All jobs of the task wait for cores from now on. Throws where there is no memory or no thread, and then the task
  /// has not been submitted.
  void submit(const std::shared_ptr<task>& one) {
    settle();
    {
      const std::lock_guard lock(mutex_);
      if (one->is_submitted_ || one->is_released_ || ends_) return;
      start_threads();
      std::set<waiting_job> jobs;
      for (task::job& each : one->jobs_) {
        each.order.arrival = ++arrivals_;
        jobs.insert({&each, one});
      }
      waiting_.merge(jobs);  // takes no memory
      one->is_submitted_ = true;
      one->home_.move_here();
      one->left_ = one->jobs_.size();
    }
    has_work_.notify_all();
  }
  /// Until the task has ended, or for so many milliseconds if that is above 0. SUCCESS, RUN_TASK_FAILED, TIMEOUT,
  /// API_USE_ERROR (it has not been submitted), INVALID_TASK_HANDLE (it was released meanwhile).
  std::int32_t wait(task& one, std::int32_t milliseconds) {
    settle();
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
  /// Whether somebody has waited for the task until it had ended.
  bool was_awaited(const task& one) {
    settle();
    const std::lock_guard lock(mutex_);
    return one.was_awaited_;
  }
  /// Takes the task's waiting jobs out of the queue, stops those that run at their next checkpoint, and waits for
  /// these.
  void release(task& one) {
    settle();
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

  /// In a child process the cores are gone, and with them whatever lock they held: everything begins anew, and what
  /// waited is the parent's to run.
  void settle() {
    if (home_.is_here()) return;
    while (__atomic_exchange_n(&is_settling_, true, __ATOMIC_ACQUIRE)) std::this_thread::yield();
    if (!home_.is_here()) {
      using nnrt::detail::made_anew;
      made_anew(mutex_), made_anew(has_work_), made_anew(has_ended_), made_anew(waiting_), made_anew(threads_);
      running_ = 0;
      home_.move_here();
    }
    __atomic_store_n(&is_settling_, false, __ATOMIC_RELEASE);
  }

  /// Where one cannot start, those before it wait for the next call, which starts the rest.
  void start_threads() {
    for (int core = static_cast<int>(threads_.size()); core < cores_; ++core)
      threads_.emplace_back([this, core, mine = generation_] { work_on(core, mine); });
  }
  /// Under the lock: these threads take no more work, what is submitted from now on starts others.
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

  /// Runs what comes first on this core, of all or of what pre-empts others; false: nothing does.
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
          const float_scope as_client(mine.what->floats);  // also of a job that pre-empts another one in its thread
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
  std::uint64_t generation_ = 0;  // threads of another one end
  std::atomic<int> cores_ = static_cast<int>(environment_number("NNRT_BPU_CORES", max_cores)) == 1 ? 1 : max_cores;
  int running_ = 0;
  std::uint64_t arrivals_ = 0;
  bool ends_ = false;
  nnrt::detail::home_process home_;  // of the cores
  bool is_settling_ = false;
};

inline bool checkpoint::operator()() const {
  std::unique_lock lock(runs_.mutex_);
  if (!order_.pre_empts())
    while (!runs_.ends_ && !whose_.is_released_ && runs_.run_first(lock, core_, true)) {
    }
  return !runs_.ends_ && !whose_.is_released_;
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
