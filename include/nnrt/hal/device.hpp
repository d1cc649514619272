// device: a driver with the contract of NN HAL 1.3 and of HDI around it - arguments are checked here, once, for all drivers.
// Flow: hosts of drivers call this; drivers see nothing of what is wrong with a call, of deadlines that are over, of caches and of fences.
#pragma once

// First: operators must find their kernels wherever they are named, and alike in all units of a program.
#include <nnrt/kernels/select.hpp>

#include <nnrt/exec/session.hpp>
#include <nnrt/hal/cache_file.hpp>
#include <nnrt/hal/driver.hpp>
#include <nnrt/hal/status.hpp>
#include <nnrt/passes/check_graph.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

namespace nnrt::inline NNRT_ISA::hal {

/// How a model will be used. Numbers: ExecutionPreference of NN HAL.
enum class execution_preference { low_power, fast_single_answer, sustained_speed };

/// What a preparation asks for besides the model. File descriptors of caches are the caller's, open for reading and writing, at any offset; the
/// caller may close them as soon as the call returns.
struct preparation {
  preferences wanted;
  execution_preference use = execution_preference::fast_single_answer;  // where wanted.speed says nothing
  std::int64_t deadline = no_deadline;                                  // nanoseconds of the steady clock
  std::vector<int> model_cache, data_cache;                             // none, or as many as caches_needed() says
  cache_token token{};
};

/// How many files a device keeps a prepared model in; 0 and 0: it keeps none.
struct cache_counts {
  std::size_t model = 0, data = 0;
};

/// Time that a run took, in microseconds; `unknown` unless it was asked for and the run went well.
struct timing {
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::uint64_t on_device = unknown, in_driver = unknown;
};

/// What an output has become or, where its memory is too small, would have.
struct output_shape {
  shape_t shape;
  bool is_sufficient = true;
};

/// How a run ended. `outputs`: one for each, or none; insufficient ones only with status::output_insufficient_size.
struct outcome {
  status ended = status::none;
  std::vector<output_shape> outputs;
  timing took;
  std::string reason;  // in words; empty where nothing went wrong
};

/// A run's arguments. Their memory must stay until it is over; that of inputs is only read.
struct request {
  std::vector<argument> inputs, outputs;
  bool measure = false;
  std::int64_t deadline = no_deadline;
};

/// Something that will have happened, or failed. Copies are one and the same. Safe from any thread.
class fence {
 public:
  fence() : state_(std::make_shared<state>()) {}

  void signal() const { settle(true); }
  void fail() const { settle(false); }
  /// Whether it has happened, or failed; nothing: neither until `deadline`, nanoseconds of the steady clock.
  std::optional<bool> wait_until(std::int64_t deadline) const {
    std::unique_lock lock(state_->mutex);
    const auto is_over = [&] { return state_->ended.has_value(); };
    if (deadline == no_deadline) state_->changed.wait(lock, is_over);
    else state_->changed.wait_until(lock, std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)), is_over);
    return state_->ended;
  }

 private:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<bool> ended;
  };
  void settle(bool has_happened) const {
    const std::lock_guard lock(state_->mutex);
    if (!state_->ended) state_->ended = has_happened;
    state_->changed.notify_all();
  }
  std::shared_ptr<state> state_;
};

namespace detail {

/// Runs f in a thread of its own; whatever f needs it keeps alive. Whether there is one.
template <class F> bool in_a_thread(F f) {
#if defined(__cpp_exceptions)
  try {
    std::thread(std::move(f)).detach();
  } catch (const std::system_error&) {
    return false;
  }
#else
  std::thread(std::move(f)).detach();
#endif
  return true;
}

/// A callback that is called exactly once: with this failure when nobody has called it before it goes.
template <class Result> class exactly_once {
 public:
  exactly_once(std::function<void(Result)> f, Result otherwise) : f_(std::move(f)), otherwise_(std::move(otherwise)) {}
  exactly_once(exactly_once&& other) noexcept : f_(std::exchange(other.f_, nullptr)), otherwise_(std::move(other.otherwise_)) {}
  exactly_once& operator=(exactly_once&&) = delete;
  ~exactly_once() { (*this)(std::move(otherwise_)); }
  void operator()(Result result) {
    if (auto f = std::exchange(f_, nullptr)) f(std::move(result));
  }

 private:
  std::function<void(Result)> f_;
  Result otherwise_;
};

/// A file of the caller's that is kept beyond the call.
class kept_file {
 public:
  explicit kept_file(int fd) : fd_(::fcntl(fd, F_DUPFD_CLOEXEC, 0)) {}
  kept_file(kept_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  kept_file& operator=(kept_file&&) = delete;
  ~kept_file() {
    if (fd_ >= 0) ::close(fd_);
  }
  int number() const { return fd_; }

 private:
  int fd_;
};

}  // namespace detail

/// A model that is ready to run, with checked arguments. Copies are one and the same; any number of runs at once, of any shapes.
class runnable {
 public:
  explicit runnable(std::shared_ptr<prepared_model> model) : state_(std::make_shared<state>(std::move(model))) {}

  const prepared_model& model() const { return *state_->model; }

  /// Runs, and returns at the end. invalid_argument: counts, shapes or sizes do not fit; output_insufficient_size: an output's memory is too
  /// small, its shape says for what; missed_deadline_…: it was over, or has come meanwhile.
  outcome execute(const request& asked) const {
    const std::int64_t begin = steady_now();
    if (outcome fault = check(asked); fault.ended != status::none) return fault;
    return run(asked, begin);
  }
  /// The same in a thread of its own; `notify` is called once, before this returns when the arguments are at fault, and the same is returned.
  status execute(request asked, std::function<void(outcome)> notify) const {
    const std::int64_t begin = steady_now();
    detail::exactly_once<outcome> once(std::move(notify), {status::general_failure, {}, {}, "the run has no thread"});
    if (outcome fault = check(asked); fault.ended != status::none) {
      const status ended = fault.ended;
      once(std::move(fault));
      return ended;
    }
    const bool began = detail::in_a_thread([self = *this, asked = std::move(asked), once = std::move(once), begin]() mutable { once(self.run(asked, begin)); });
    return began ? status::none : status::general_failure;
  }

  /// A run behind fences. `done` is signalled at its end, or fails with it; then info() says how it ended, and before that general_failure.
  struct fenced {
    status launched = status::none;
    fence done;
    std::function<outcome()> info;
    /// Microseconds from the last fence on; timing::unknown as in `outcome`.
    std::function<std::uint64_t()> since_fences;
  };
  /// Runs when all of `wait_for` are signalled, at most `duration` nanoseconds from then on. Outputs must have all extents and memory for
  /// them. invalid_argument: an argument, or a fence that has failed already.
  fenced execute_fenced(request asked, std::vector<fence> wait_for, std::int64_t duration = no_deadline) const {
    const std::int64_t begin = steady_now();
    struct record {
      std::mutex mutex;
      outcome how{status::general_failure, {}, {}, "the run is not over"};
      std::uint64_t since_fences = timing::unknown;
    };
    const auto shared = std::make_shared<record>();
    fenced made;
    made.info = [shared] { return std::lock_guard(shared->mutex), shared->how; };
    made.since_fences = [shared] { return std::lock_guard(shared->mutex), shared->since_fences; };
    outcome fault = check(asked);
    if (fault.ended == status::output_insufficient_size) fault = refuse({fault.reason});
    if (fault.ended == status::none) fault = check_fenced(asked);
    for (const fence& f : wait_for)
      if (f.wait_until(0) == false) fault = {status::invalid_argument, {}, {}, "a fence has failed"};
    if (fault.ended != status::none) {
      made.launched = fault.ended;
      shared->how = std::move(fault);
      made.done.fail();
      return made;
    }
    const bool began = detail::in_a_thread([self = *this, asked = std::move(asked), fences = std::move(wait_for), duration, begin, shared, done = made.done]() mutable {
      outcome how;
      for (const fence& f : fences) {
        const std::optional<bool> happened = f.wait_until(asked.deadline);
        if (how.ended == status::none && !happened) how = {status::missed_deadline_transient, {}, {}, "a fence was not signalled in time"};
        if (how.ended == status::none && happened == false) how = {status::general_failure, {}, {}, "a fence has failed"};
        if (how.ended != status::none) break;
      }
      const std::int64_t signalled = steady_now();
      if (duration < no_deadline - signalled) asked.deadline = std::min(asked.deadline, signalled + duration);
      if (how.ended == status::none) how = self.run(asked, begin);
      const bool went_well = how.ended == status::none;
      {
        const std::lock_guard lock(shared->mutex);
        if (went_well && asked.measure) shared->since_fences = static_cast<std::uint64_t>(steady_now() - signalled) / 1000;
        shared->how = std::move(how);
      }
      went_well ? done.signal() : done.fail();
    });
    if (!began) made.launched = status::general_failure, made.done.fail();
    return made;
  }

 private:
  struct state {
    explicit state(std::shared_ptr<prepared_model> of) : model(std::move(of)) {}
    std::shared_ptr<prepared_model> model;
    std::mutex mutex;
    std::vector<std::unique_ptr<execution>> idle;  // of runs that are over
  };

  static outcome refuse(pieces why, status as = status::invalid_argument) { return {as, {}, {}, joined(why)}; }
  static std::size_t bytes_of(const tensor_desc& desc, const shape_t& shape) { return static_cast<std::size_t>(desc.with_shape(shape).bytes()); }

  /// Shapes fit where the model names extents, and memory where there is any.
  outcome check(const request& asked) const {
    const prepared_model& m = *state_->model;
    if (asked.inputs.size() != m.input_count() || asked.outputs.size() != m.output_count())
      return refuse({"got ", asked.inputs.size(), " inputs and ", asked.outputs.size(), " outputs, expected ", m.input_count(), " and ", m.output_count()});
    for (std::size_t i = 0; i < asked.inputs.size(); ++i) {
      const argument& given = asked.inputs[i];
      const tensor_desc& desc = m.input_desc(i);
      bool fits = given.shape.rank == desc.rank() && given.shape.elements() >= 0;
      for (int axis = 0; fits && axis < desc.rank(); ++axis) fits = desc.shape[axis] < 0 || desc.shape[axis] == given.shape[axis];
      if (!fits) return refuse({"input ", i, ": got ", given.shape, ", expected ", desc.shape});
      if (given.bytes < bytes_of(desc, given.shape)) return refuse({"input ", i, ": got ", given.bytes, " bytes, expected ", bytes_of(desc, given.shape)});
      if (given.data == nullptr && given.bytes != 0) return refuse({"input ", i, ": has no memory"});
    }
    for (std::size_t i = 0; i < asked.outputs.size(); ++i)
      if (asked.outputs[i].data == nullptr && asked.outputs[i].bytes != 0) return refuse({"output ", i, ": has no memory"});
    if (asked.deadline != no_deadline && steady_now() >= asked.deadline) return refuse({"the deadline is over"}, status::missed_deadline_persistent);
    return check_outputs(asked.outputs, false);
  }
  /// Outputs whose extents are known have memory for them. `driven`: their shapes are what the driver said.
  outcome check_outputs(const std::vector<argument>& outputs, bool driven) const {
    outcome found;
    bool is_sufficient = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const tensor_desc& desc = state_->model->output_desc(i);
      output_shape now{driven && outputs[i].shape.rank == desc.rank() ? outputs[i].shape : desc.shape, true};
      if (now.shape.elements() >= 0) now.is_sufficient = outputs[i].bytes >= bytes_of(desc, now.shape);
      is_sufficient = is_sufficient && now.is_sufficient;
      found.outputs.push_back(now);
    }
    if (!is_sufficient) found.ended = status::output_insufficient_size, found.reason = "an output's memory is too small";
    return found;
  }
  outcome check_fenced(const request& asked) const {
    for (std::size_t i = 0; i < asked.outputs.size(); ++i) {
      const shape_t& shape = state_->model->output_desc(i).shape;
      if (shape.elements() < 0) return refuse({"output ", i, ": ", shape, " leaves an extent open"});
      if (shape.elements() == 0) return refuse({"output ", i, ": ", shape, " has no elements"});
    }
    return {};
  }

  /// Runs with arguments that were checked; `begin` is when the call came.
  outcome run(const request& asked, std::int64_t begin) const {
    std::unique_ptr<execution> runner;
    {
      const std::lock_guard lock(state_->mutex);
      if (!state_->idle.empty()) runner = std::move(state_->idle.back()), state_->idle.pop_back();
    }
    if (runner == nullptr) {
      auto made = state_->model->make_execution();
      if (!made) return refuse({made.error().message()}, status_of(made.error().code()));
      runner = std::move(*made);
    }
    std::vector<argument> outputs = asked.outputs;
    for (argument& out : outputs) out.shape = shape_t::unknown(max_rank);  // until the driver says which it is
    const std::int64_t launched = steady_now();
    const auto done = runner->run(asked.inputs, outputs, asked.deadline);
    const std::int64_t end = steady_now();
    outcome how = check_outputs(outputs, true);
    if (!done && how.ended == status::none) how = refuse({done.error().message()}, status_of(done.error().code()));
    if (done && asked.measure)
      how.took = {static_cast<std::uint64_t>(end - launched) / 1000, static_cast<std::uint64_t>(end - begin) / 1000};
    const std::lock_guard lock(state_->mutex);
    state_->idle.push_back(std::move(runner));
    return how;
  }

  std::shared_ptr<state> state_;
};

/// How a preparation ended: with a model, or with a reason.
struct prepared {
  status ended = status::general_failure;
  std::optional<runnable> model;
  std::string reason;
};

/// A driver whose callers may do everything wrong. Safe from any thread.
class device {
 public:
  explicit device(std::shared_ptr<hal::driver> of) : driver_(std::move(of)) {}

  hal::driver& driver() const { return *driver_; }
  /// A token of this implementation, not empty.
  std::string version() const { return joined({driver_->name(), " ", driver_->vendor(), " ", driver_->major_version(), ".", driver_->minor_version()}); }
  cache_counts caches_needed() const {
    const auto can = driver_->supported_features();
    return can && can->caching ? cache_counts{1, 0} : cache_counts{};
  }

  /// For each node whether the device runs it; prepare() keeps that promise. Errors: invalid_argument (a graph that is none, operators' rules
  /// that it breaks), as the driver's.
  result<std::vector<bool>> supported(const nnrt::model& network) const {
    if (auto ok = check_graph(network.graph); !ok) return fail(std::move(ok.error()));
    auto reasons = driver_->refusals(network);
    if (!reasons) return fail(std::move(reasons.error()));
    if (reasons->size() != network.graph.nodes.size())
      return fail(error_code::device_failed, joined({"the device spoke of ", reasons->size(), " nodes, expected ", network.graph.nodes.size()}));
    std::vector<bool> all;
    for (const std::string& reason : *reasons) all.push_back(reason.empty());
    return all;
  }

  /// Makes a model ready in a thread of its own. `notify` is called once; before this returns when the arguments are at fault, and the same is
  /// returned then. Caches never change how a preparation ends: wrong counts, files that cannot be written and tokens without files are passed over.
  status prepare(nnrt::model network, preparation asked, std::function<void(prepared)> notify) const {
    detail::exactly_once<prepared> once(std::move(notify), {status::general_failure, {}, "the preparation has no thread"});
    prepared fault = check(asked);
    if (fault.ended == status::none)
      if (auto ok = check_graph(network.graph); !ok) fault = {status::invalid_argument, {}, ok.error().message()};
    if (fault.ended != status::none) return refuse(once, std::move(fault));
    std::vector<detail::kept_file> files = kept(asked);
    const bool began = detail::in_a_thread([self = *this, network = std::move(network), asked = std::move(asked), files = std::move(files), once = std::move(once)]() mutable {
      once(self.prepare_now(network, asked, files));
    });
    return began ? status::none : status::general_failure;
  }
  /// Makes ready what an earlier preparation has left in these files, under this token. invalid_argument: other numbers of files than
  /// caches_needed(); general_failure: the device keeps none, or the files are not what was written.
  status prepare_from_cache(preparation asked, std::function<void(prepared)> notify) const {
    detail::exactly_once<prepared> once(std::move(notify), {status::general_failure, {}, "the preparation has no thread"});
    const cache_counts needed = caches_needed();
    prepared fault = check(asked);
    if (fault.ended == status::none && needed.model + needed.data == 0) fault = {status::general_failure, {}, "the device keeps no caches"};
    if (fault.ended == status::none && (asked.model_cache.size() != needed.model || asked.data_cache.size() != needed.data))
      fault = {status::invalid_argument, {}, joined({"got ", asked.model_cache.size(), " and ", asked.data_cache.size(), " cache files, expected ", needed.model, " and ", needed.data})};
    if (fault.ended != status::none) return refuse(once, std::move(fault));
    std::vector<detail::kept_file> files = kept(asked);
    const bool began = detail::in_a_thread([self = *this, asked = std::move(asked), files = std::move(files), once = std::move(once)]() mutable {
      once(self.restore_now(asked, files));
    });
    return began ? status::none : status::general_failure;
  }

 private:
  static status refuse(detail::exactly_once<prepared>& once, prepared fault) {
    const status ended = fault.ended;
    once(std::move(fault));
    return ended;
  }
  /// Enumerators that exist, a device that is there, a deadline that is not over.
  prepared check(const preparation& asked) const {
    const int speed = static_cast<int>(asked.wanted.speed), turn = static_cast<int>(asked.wanted.turn), use = static_cast<int>(asked.use);
    if (speed < 0 || speed > 4) return {status::invalid_argument, {}, joined({"performance: got ", speed, ", expected 0 to 4"})};
    if (turn < 0 || turn > 3) return {status::invalid_argument, {}, joined({"priority: got ", turn, ", expected 0 to 3"})};
    if (use < 0 || use > 2) return {status::invalid_argument, {}, joined({"preference: got ", use, ", expected 0 to 2"})};
    const auto now = driver_->status();
    if (!now || *now == device_status::offline || *now == device_status::busy) return {status::device_unavailable, {}, "the device is offline or busy"};
    if (asked.deadline != no_deadline && steady_now() >= asked.deadline) return {status::missed_deadline_persistent, {}, "the deadline is over"};
    return {status::none, {}, {}};
  }
  /// The files that a cache goes to, or none where their numbers are wrong.
  std::vector<detail::kept_file> kept(const preparation& asked) const {
    const cache_counts needed = caches_needed();
    std::vector<detail::kept_file> files;
    if (asked.model_cache.size() != needed.model || asked.data_cache.size() != needed.data) return files;
    for (const int fd : asked.model_cache) files.emplace_back(fd);
    return files;
  }
  static preferences wishes(const preparation& asked) {
    preferences wanted = asked.wanted;
    if (wanted.speed == performance::none && asked.use != execution_preference::low_power) wanted.speed = performance::medium;
    if (wanted.speed == performance::none) wanted.speed = performance::low;
    if (wanted.turn == priority::none) wanted.turn = priority::medium;
    return wanted;
  }
  static prepared ready(result<std::shared_ptr<prepared_model>> made) {
    if (!made) return {status_of(made.error().code()), {}, made.error().message()};
    if (*made == nullptr) return {status::general_failure, {}, "the driver prepared nothing"};
    return {status::none, runnable(std::move(*made)), {}};
  }
  prepared prepare_now(const nnrt::model& network, const preparation& asked, const std::vector<detail::kept_file>& files) const {
    auto made = driver_->prepare(network, wishes(asked));
    if (made && *made != nullptr && !files.empty())
      if (auto buffers = (*made)->exported()) (void)write_cache(files[0].number(), asked.token, *buffers);
    return ready(std::move(made));
  }
  prepared restore_now(const preparation& asked, const std::vector<detail::kept_file>& files) const {
    auto buffers = read_cache(files[0].number(), asked.token);
    if (!buffers) return {status::general_failure, {}, buffers.error().message()};
    std::vector<array_ref<const std::byte>> views(buffers->begin(), buffers->end());
    prepared made = ready(driver_->restore(views, wishes(asked)));
    if (made.ended == status::invalid_argument) made.ended = status::general_failure;  // the caller's bytes are as they were written
    return made;
  }

  std::shared_ptr<hal::driver> driver_;
};

}  // namespace nnrt::inline NNRT_ISA::hal
