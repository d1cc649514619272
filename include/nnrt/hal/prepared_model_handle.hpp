// prepared_model_handle: a prepared model with checked arguments - run synchronously, with a callback, or with fences.
// Flow: hal::device prepares one. It rejects invalid requests, so that drivers do not see them.
#pragma once

#include <nnrt/hal/arguments.hpp>
#include <nnrt/hal/buffer.hpp>
#include <nnrt/hal/fence.hpp>
#include <nnrt/hal/launch.hpp>
#include <nnrt/hal/status.hpp>

#include <algorithm>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// Duration of a run in microseconds; `unknown` unless the request asked to measure and the run succeeded.
struct timing {
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};
  std::uint64_t on_device = unknown, in_driver = unknown;
};

/// Shape of an output. If its memory is too small, the shape that it would have.
struct output_shape {
  shape_t shape;
  bool is_sufficient = true;
};

/// Result of a run. `outputs` has an entry for each output or is empty; insufficient ones only with
/// status::output_insufficient_size.
struct outcome {
  status ended = status::none;
  std::vector<output_shape> outputs;
  timing took;
  std::string reason;  // in words; empty on success
};

/// Arguments of a run. Their memory must be valid until the run ends; inputs are only read.
struct request {
  std::vector<argument> inputs, outputs;
  bool measure = false;
  std::int64_t deadline = no_deadline;
  std::vector<buffer_use> buffers = {};
};

namespace detail {

/// A buffer in use by a run, kept until the run ends.
struct used_buffer {
  std::shared_ptr<buffer_state> state;
  bool is_input;
  std::size_t end;
  std::shared_ptr<const shared_memory> memory;
};
using used_buffers = std::vector<used_buffer>;

/// Checks that a buffer is free for this use, given the buffers that the run already uses.
inline result<void> check_other_uses(const buffer_use& use, const std::shared_ptr<buffer_state>& state,
                                     const used_buffers& used) {
  const auto refuse = [&](pieces why) {
    return fail(error_code::invalid_argument, joined({"buffer ", use.token, ": ", joined(why)}));
  };
  for (const used_buffer& other : used) {
    if (other.is_input == use.is_input && other.end == use.end)
      return refuse({use.is_input ? "input " : "output ", use.end, " has two buffers"});
    if (other.state == state && !(other.is_input && use.is_input))
      return refuse({"is written, and is something else of the same run"});
  }
  return {};
}

/// Resolves one buffer of a request: sets memory, size and shape of its argument.
/// Errors: the driver's; invalid_argument (unknown buffer or index, a role or shape that the buffer does not have);
/// device_failed (an input that is uninitialised).
inline result<void> take(const buffer_use& use, const prepared_model& model, request& asked, used_buffers& used) {
  const auto refuse = [&](pieces why, error_code as = error_code::invalid_argument) {
    return fail(as, joined({"buffer ", use.token, ": ", joined(why)}));
  };
  const char* const what = use.is_input ? "input " : "output ";
  std::vector<argument>& arguments = use.is_input ? asked.inputs : asked.outputs;
  const auto state = buffer_table::all().find(use.token);
  if (state == nullptr) return refuse({"is not there"});
  if (use.end >= arguments.size()) return refuse({what, use.end, " of ", arguments.size()});
  argument& place = arguments[use.end];
  if (place.data != nullptr || place.bytes != 0) return refuse({what, use.end, " has memory besides"});
  if (!state->has_role(model, use.is_input, use.end))
    return refuse({"was not allocated for ", what, use.end, " of this model"});
  if (auto ok = check_other_uses(use, state, used); !ok) return ok;
  const std::lock_guard lock(state->mutex);
  if (use.shape && !are_compatible(*use.shape, state->desc.shape))
    return refuse({what, use.end, ": got ", *use.shape, ", expected ", state->desc.shape});
  if (use.is_input) {
    if (!state->written) return refuse({"nothing has been written"}, error_code::device_failed);
    if (use.shape && !model_io::is_one_of(*state->written, *use.shape))
      return refuse({"got ", *use.shape, ", and ", *state->written, " was written"});
    place.shape = *state->written;
  } else if (const std::int64_t bytes = model.output_desc(use.end).bytes(); bytes > 0) {
    if (auto ok = state->make_room(static_cast<std::size_t>(bytes)); !ok) return ok;
  }
  used.push_back({state, use.is_input, use.end, state->memory});
  if (state->memory != nullptr) place.data = state->memory->data(), place.bytes = state->memory->size();
  return {};
}

}  // namespace detail

/// A prepared model with checked arguments. Copies share one model. Safe from any thread: any number of runs at once,
/// of any shapes.
class prepared_model_handle {
 public:
  explicit prepared_model_handle(std::shared_ptr<prepared_model> model, std::shared_ptr<driver> by = nullptr)
      : state_(std::make_shared<state>(std::move(model), std::move(by))) {}

  const prepared_model& model() const { return *state_->model; }
  const std::shared_ptr<prepared_model>& shared_model() const { return state_->model; }
  /// The driver that prepared it; may be null.
  const driver* prepared_by() const { return state_->by.get(); }

  /// Makes an execution for one thread at a time; it adds no cost to the driver's. Errors: out_of_memory,
  /// device_failed.
  result<std::unique_ptr<checked_execution>> make_execution() const {
    auto made = state_->model->make_execution();
    if (!made) return fail(std::move(made.error()));
    if (*made == nullptr) return fail(error_code::device_failed, "the driver made no execution");
    return std::make_unique<checked_execution>(state_->ends, std::move(*made));
  }

  /// Runs the model and returns at the end.
  /// invalid_argument: counts, shapes or sizes do not fit. output_insufficient_size: an output's memory is too small;
  /// its shape is returned. missed_deadline_…: the deadline had passed, or passed during the run. general_failure: a
  /// buffer is uninitialised, or too small for the result.
  outcome execute(const request& asked) const {
    const std::int64_t begin = steady_now();
    if (asked.buffers.empty()) {
      if (outcome fault = check(asked); fault.ended != status::none) return fault;
      return run(asked, begin);
    }
    request own = asked;
    detail::used_buffers used;
    if (outcome fault = take(own, used); fault.ended != status::none) return fault;
    return run_on(own, used, begin);
  }
  /// Runs the model in a new thread. `notify` is called exactly once. With invalid arguments it is called before this
  /// function returns, with the same status.
  status execute(request asked, std::function<void(outcome)> notify) const {
    const std::int64_t begin = steady_now();
    detail::exactly_once<outcome> once(std::move(notify),
                                       {status::general_failure, {}, {}, "the run has no thread, or no memory"});
    detail::used_buffers used;
    if (outcome fault = take(asked, used); fault.ended != status::none) {
      const status ended = fault.ended;
      once(std::move(fault));
      return ended;
    }
    const bool began =
        detail::in_a_thread([self = *this, asked = std::move(asked), used = std::move(used), once = std::move(once),
                             begin]() mutable { once(self.run_on(asked, used, begin)); });
    return began ? status::none : status::general_failure;
  }

  /// A run that waits for fences. `done` is signalled when it succeeds and fails when it fails. info() returns the
  /// result; general_failure until then.
  struct fenced {
    status launched = status::none;
    fence done;
    std::function<outcome()> info;
    /// Microseconds from the last fence to the end; timing::unknown as in `outcome`.
    std::function<std::uint64_t()> since_fences;
  };
  /// Runs when all of `wait_for` are signalled, for at most `duration` nanoseconds from then. All extents of outputs
  /// must be known, and their memory present. invalid_argument: an invalid argument, or a fence that has failed
  /// already.
  fenced execute_fenced(request asked, std::vector<fence> wait_for, std::int64_t duration = no_deadline) const {
    const std::int64_t begin = steady_now();
    const auto shared = std::make_shared<fenced_outcome>();
    fenced made;
    made.info = [shared] { return std::lock_guard(shared->mutex), shared->how; };
    made.since_fences = [shared] { return std::lock_guard(shared->mutex), shared->since_fences; };
    detail::exactly_once<outcome> once(
        [shared, done = made.done](outcome how) {
          const bool went_well = how.ended == status::none;
          shared->end(std::move(how));
          went_well ? done.signal() : done.fail();
        },
        {status::general_failure, {}, {}, "the run has no thread, or no memory"});
    detail::used_buffers used;
    if (outcome fault = take_fenced(asked, used, wait_for); fault.ended != status::none) {
      made.launched = fault.ended;
      once(std::move(fault));
      return made;
    }
    const bool began =
        detail::in_a_thread([self = *this, asked = std::move(asked), used = std::move(used),
                             fences = std::move(wait_for), duration, begin, shared, once = std::move(once)]() mutable {
          outcome how = wait_for_all(fences, asked.deadline);
          const std::int64_t signalled = steady_now();
          if (duration < no_deadline - signalled) asked.deadline = std::min(asked.deadline, signalled + duration);
          if (how.ended == status::none) how = self.run_on(asked, used, begin);
          if (how.ended == status::none && asked.measure) shared->ended_since(signalled);
          once(std::move(how));
        });
    if (!began) made.launched = status::general_failure;
    return made;
  }

 private:
  /// What a fenced run leaves for its caller, who may ask at any time.
  struct fenced_outcome {
    std::mutex mutex;
    outcome how{status::general_failure, {}, {}, "the run is not over"};
    std::uint64_t since_fences = timing::unknown;

    void end(outcome with) {
      const std::lock_guard lock(mutex);
      how = std::move(with);
    }
    void ended_since(std::int64_t signalled) {
      const std::lock_guard lock(mutex);
      since_fences = static_cast<std::uint64_t>(steady_now() - signalled) / 1000;
    }
  };
  struct state {
    state(std::shared_ptr<prepared_model> of, std::shared_ptr<driver> made_by)
        : by(std::move(made_by)), model(std::move(of)), ends(std::make_shared<const model_io>(*model)) {}
    std::shared_ptr<driver> by;
    std::shared_ptr<prepared_model> model;
    std::shared_ptr<const model_io> ends;
    std::mutex mutex;
    std::vector<std::unique_ptr<checked_execution>> idle;  // executions to reuse
  };

  static outcome refuse(pieces why, status as = status::invalid_argument) { return {as, {}, {}, joined(why)}; }
  static outcome refuse(const error& why) { return {status_of(why.code()), {}, {}, why.message()}; }

  static outcome wait_for_all(const std::vector<fence>& fences, std::int64_t deadline) {
    for (const fence& f : fences) {
      const std::optional<bool> happened = f.wait_until(deadline);
      if (!happened) return refuse({"a fence was not signalled in time"}, status::missed_deadline_transient);
      if (happened == false) return refuse({"a fence has failed"}, status::general_failure);
    }
    return {};
  }

  /// Checks counts, shapes, memory and the deadline; then whether outputs are large enough.
  outcome check(const request& asked) const {
    if (auto ok = state_->ends->check(asked.inputs, asked.outputs); !ok) return refuse(ok.error());
    if (is_over(asked.deadline)) return refuse({"the deadline is over"}, status::missed_deadline_persistent);
    return shapes_of(asked.outputs, false);
  }
  /// Resolves the buffers of a request, then checks the request.
  outcome take(request& asked, detail::used_buffers& used) const {
    for (const buffer_use& use : asked.buffers)
      if (auto ok = detail::take(use, *state_->model, asked, used); !ok) return refuse(ok.error());
    return check(asked);
  }
  /// Shapes of outputs according to the model or, with `is_told`, to the driver; output_insufficient_size if memory is
  /// too small.
  outcome shapes_of(const std::vector<argument>& outputs, bool is_told) const {
    outcome found;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const shape_t& shape = is_told ? state_->ends->told(i, outputs[i]) : state_->ends->output(i).shape;
      found.outputs.push_back({shape, state_->ends->is_sufficient(i, outputs[i], shape)});
      if (!found.outputs.back().is_sufficient)
        found.ended = status::output_insufficient_size, found.reason = "an output's memory is too small";
    }
    return found;
  }
  /// take() for a run with fences: sizes of outputs must suffice, and no fence may have failed.
  outcome take_fenced(request& asked, detail::used_buffers& used, const std::vector<fence>& wait_for) const {
    outcome fault = take(asked, used);
    if (fault.ended == status::output_insufficient_size) fault = refuse({fault.reason});
    if (fault.ended == status::none) fault = check_fenced(asked);
    for (const fence& f : wait_for)
      if (f.wait_until(0) == false) fault = {status::invalid_argument, {}, {}, "a fence has failed"};
    return fault;
  }
  outcome check_fenced(const request& asked) const {
    for (std::size_t i = 0; i < asked.outputs.size(); ++i) {
      const shape_t& shape = state_->ends->output(i).shape;
      if (shape.elements() < 0) return refuse({"output ", i, ": ", shape, " leaves an extent open"});
      if (shape.elements() == 0) return refuse({"output ", i, ": ", shape, " has no elements"});
    }
    return {};
  }

  /// Runs with checked arguments. `begin`: time of the call.
  outcome run(const request& asked, std::int64_t begin) const {
    std::unique_ptr<checked_execution> runner;
    {
      const std::lock_guard lock(state_->mutex);
      if (!state_->idle.empty()) runner = std::move(state_->idle.back()), state_->idle.pop_back();
    }
    if (runner == nullptr) {
      auto made = make_execution();
      if (!made) return refuse(made.error());
      runner = std::move(*made);
    }
    std::vector<argument> outputs = asked.outputs;
    const std::int64_t launched = steady_now();
    const auto done = runner->drive(asked.inputs, outputs, asked.deadline);
    const std::int64_t end = steady_now();
    outcome how = shapes_of(outputs, true);
    if (!done && how.ended == status::none) how = refuse(done.error());
    if (done && asked.measure)
      how.took = {static_cast<std::uint64_t>(end - launched) / 1000, static_cast<std::uint64_t>(end - begin) / 1000};
    const std::lock_guard lock(state_->mutex);
    state_->idle.push_back(std::move(runner));
    return how;
  }
  /// Runs with buffers. Buffers with open extents grow to the result's size and run again; all record the shape of
  /// their contents.
  outcome run_on(request& asked, detail::used_buffers& used, std::int64_t begin) const {
    for (const detail::used_buffer& buffer : used)
      if (!buffer.is_input) forget(buffer);  // first: an exception may end the run
    outcome how = run(asked, begin);
    if (how.ended == status::output_insufficient_size && grow(asked, used, how)) how = run(asked, begin);
    for (const detail::used_buffer& buffer : used)
      if (how.ended == status::none && !buffer.is_input &&
          !model_io::is_one_of(how.outputs[buffer.end].shape, buffer.state->desc.shape))
        how = misfit(buffer, how.outputs[buffer.end].shape);
    for (const detail::used_buffer& buffer : used) {
      if (buffer.is_input || how.ended != status::none) continue;
      const std::lock_guard lock(buffer.state->mutex);
      buffer.state->memory = buffer.memory, buffer.state->written = how.outputs[buffer.end].shape;
    }
    return how;
  }
  static void forget(const detail::used_buffer& written) {
    const std::lock_guard lock(written.state->mutex);
    written.state->written.reset();
  }
  static outcome misfit(const detail::used_buffer& buffer, const shape_t& made) {
    return refuse(
        {"buffer ", buffer.state->token, ": is of shape ", buffer.state->desc.shape, ", and ", made, " came out"},
        status::general_failure);
  }
  /// Grows the buffers that were too small. False: other memory was too small, or a buffer cannot grow.
  bool grow(request& asked, detail::used_buffers& used, outcome& how) const {
    for (std::size_t i = 0; i < how.outputs.size(); ++i) {
      if (how.outputs[i].is_sufficient) continue;
      const auto buffer = std::find_if(used.begin(), used.end(),
                                       [&](const detail::used_buffer& one) { return !one.is_input && one.end == i; });
      if (buffer == used.end()) return false;
      const std::lock_guard lock(buffer->state->mutex);
      if (!model_io::is_one_of(how.outputs[i].shape, buffer->state->desc.shape)) {
        how = misfit(*buffer, how.outputs[i].shape);
        return false;
      }
      if (auto ok = buffer->state->make_room(model_io::bytes_of(buffer->state->desc, how.outputs[i].shape)); !ok) {
        how = refuse(ok.error());
        return false;
      }
      buffer->memory = buffer->state->memory;
      asked.outputs[i].data = buffer->memory->data(), asked.outputs[i].bytes = buffer->memory->size();
    }
    return true;
  }

  std::shared_ptr<state> state_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
