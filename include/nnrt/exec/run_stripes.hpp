// run_stripes: runs a plan; groups run one stripe of rows after another, or on each thread's share of the rows.
// Flow: executors and sessions call run_plan() for each inference; a pool's parts of a group are shares of its rows.
//
// A step makes the rows that the next step will read and that do not exist yet; rows that two stripes read are kept. So
// each row is made once, except rows that two parts read. Every row has the same bits as in a whole result.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/exec/find_stripes.hpp>
#include <nnrt/exec/plan_view.hpp>
#include <nnrt/kernels/common/part.hpp>

#include <cstring>
#include <new>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Rows of a tensor [batch, rows, …] in memory.
struct rows_in_memory {
  std::byte* first = nullptr;  // row 0 of image 0
  std::int64_t row_bytes = 0;
  std::int64_t height = 0;  // rows of an image

  static rows_in_memory of(const view& v) {
    return {static_cast<std::byte*>(v.data.raw()), v.desc->shape.elements(2) * size_of(v.desc->type), v.desc->shape[1]};
  }
  std::byte* row(std::int64_t image, std::int64_t i) const { return first + (image * height + i) * row_bytes; }
};

/// A step of a group, as one part runs it.
struct stripe_step {
  kernel_function run = nullptr;
  kernel_call call;
  row_window window;
  rows_in_memory images[max_stripe_operands];  // of operands that are read by rows
  rows_in_memory result;
  bool keeps_some = false;  // the result has only the rows `made`, the first at result.first
  row_range made;           // rows of the result that exist and may be read again
  row_range wanted;         // rows to be made next
  view views[max_stripe_operands];

  bool reads_rows_of(std::size_t operand) const { return names_operand(window.images, operand); }
  std::byte* result_row(std::int64_t image, std::int64_t i) const {
    return keeps_some ? result.row(0, i - made.begin) : result.row(image, i);
  }
  /// Drops the rows before this one, which are not read again.
  void drop_before(std::int64_t row) {
    if (row >= made.end) made = {row, row};
    if (row <= made.begin) return;
    if (keeps_some)
      std::memmove(result.first, result_row(0, row), static_cast<std::size_t>((made.end - row) * result.row_bytes));
    made.begin = row;
  }
};

/// A group, as one part runs it, with separate scratch memory.
class stripe_run {
 public:
  stripe_run(const plan_view& plan, const stripe_group& group, const run_context& context, std::byte* scratch)
      : count_(static_cast<std::size_t>(group.steps.count)) {
    for (std::size_t t = 0; t < count_; ++t) {
      ::new (static_cast<void*>(steps_ + t)) stripe_step;
      steps_[t].window = plan.windows[static_cast<std::size_t>(group.first_window) + t];
      set_up(steps_[t], plan, plan.steps[static_cast<std::size_t>(group.steps.first) + t], context, scratch);
    }
  }

  /// Makes rows of an image of the last result, at most `at_once` at a time; calls after(t) each time that step t has
  /// run. If rows follow those of the last call, the rows that both calls read are kept.
  template <class After> void make(std::int64_t image, row_range rows, std::int64_t at_once, After after) {
    if (image != image_ || rows.begin != next_row_)
      for (std::size_t t = 0; t < count_; ++t) steps_[t].made = {0, 0};
    image_ = image, next_row_ = rows.end;
    const std::int64_t stripes = (rows.count() + at_once - 1) / at_once;
    for (std::int64_t i = 0; i < stripes; ++i) {
      want({rows.begin + rows.count() * i / stripes, rows.begin + rows.count() * (i + 1) / stripes});
      for (std::size_t t = 0; t < count_; ++t)
        if (steps_[t].wanted.count() > 0) run(t, image), after(t);
    }
  }

 private:
  static void set_up(stripe_step& current, const plan_view& plan, const step& s, const run_context& context,
                     std::byte* scratch) {
    // written in place: copying a changed view would wait for its stores
    const auto put = [&](view& to, std::int32_t slot) {
      const operand_slot& at = plan.slots[static_cast<std::size_t>(slot)];
      to = context.views[static_cast<std::size_t>(slot)];
      if (at.base == in_stripe) to.data = any_pointer::bytes(scratch + at.offset);
    };
    const auto inputs = static_cast<std::size_t>(s.inputs.count);
    for (std::size_t i = 0; i < inputs; ++i) {
      put(current.views[i], s.inputs.first + static_cast<std::int32_t>(i));
      if (!current.reads_rows_of(i)) continue;
      current.images[i] = rows_in_memory::of(current.views[i]);
      current.call.reads_stripe |= plan.slots[static_cast<std::size_t>(s.inputs.first) + i].base == in_stripe;
    }
    put(current.views[inputs], s.outputs.first);
    current.result = rows_in_memory::of(current.views[inputs]);
    current.keeps_some = plan.slots[static_cast<std::size_t>(s.outputs.first)].base == in_stripe;
    current.run = s.run;
    current.call.attrs =
        plan.words.subspan(static_cast<std::size_t>(s.attrs.first), static_cast<std::size_t>(s.attrs.count));
    current.call.in = {current.views, inputs};
    current.call.out = {current.views + inputs, 1};
    current.call.scratch = scratch;
    current.call.inner = s.inner;
    current.call.plan = plan.words.data() + s.kernel_plan;
    current.call.weights_end = weights_end_of(plan, context.bases);
  }

  /// Sets the rows that each step must make, from the last step to the first, so that the last can make `rows`.
  void want(row_range rows) {
    steps_[count_ - 1].wanted = rows;
    for (std::size_t t = count_ - 1; t > 0; --t) {
      stripe_step& before = steps_[t - 1];
      before.wanted = {before.made.end, before.made.end};
      if (steps_[t].wanted.count() <= 0) continue;
      const row_range read = steps_[t].window.under(steps_[t].wanted, before.result.height);
      before.drop_before(read.begin);
      before.wanted = {before.made.end, std::max(before.made.end, read.end)};
    }
  }
  void run(std::size_t t, std::int64_t image) {
    stripe_step& current = steps_[t];
    const std::size_t inputs = current.call.in.size();
    for (std::size_t i = 0; i < inputs; ++i) {
      if (!current.reads_rows_of(i)) continue;
      const std::int64_t first = current.window.under(current.wanted, current.images[i].height).begin;
      const bool is_kept = t > 0 && steps_[t - 1].keeps_some && current.images[i].first == steps_[t - 1].result.first;
      current.views[i].data =
          any_pointer::bytes(is_kept ? steps_[t - 1].result_row(image, first) : current.images[i].row(image, first));
    }
    current.views[inputs].data = any_pointer::bytes(current.result_row(image, current.wanted.begin));
    current.call.rows = current.wanted;
    current.run(current.call);
    current.made.end = current.wanted.end;
  }

  std::size_t count_;
  std::int64_t image_ = -1, next_row_ = 0;  // next_row_: the row after those that were made last
  union {
    stripe_step steps_[max_stripe_steps];  // constructed for the steps of the group only
  };
};

/// The result of a group's last step, [batch, rows, columns, channels].
inline const shape_t& result_of(const plan_view& plan, const stripe_group& group) {
  const step& last = plan.steps[static_cast<std::size_t>(group.steps.first + group.steps.count - 1)];
  return plan.desc_of(plan.slots[static_cast<std::size_t>(last.outputs.first)]).shape;
}

/// A phase of a plan: a step, or a group of steps.
struct plan_phase {
  const stripe_group* group;  // nullptr: one step
  int steps;
  int parts;
  int pieces;  // of a part

  /// The phase that begins with step `first`, for this number of threads.
  static plan_phase at(const plan_view& plan, std::size_t first, int threads) {
    const step& s = plan.steps[first];
    if (s.group >= 0) {
      const stripe_group& group = plan.stripes[static_cast<std::size_t>(s.group)];
      const int parts = std::min(group.parts, threads);
      if (parts > 1 || group.rows > 0)
        return {&group, group.steps.count, parts,
                std::min(pieces_of(group.parts, parts), pieces_of(result_of(plan, group), parts))};
    }
    const int parts = std::min(s.parts, threads);
    return {nullptr, 1, parts, pieces_of(s.parts, parts)};
  }

 private:
  /// A piece takes at least 10 µs; its set-up and work stealing take about 1 % of that.
  static constexpr int max_pieces = 8, parts_of_a_piece = 16;
  /// A stripe of fewer pixels would not fill the register tiles of products.
  static constexpr std::int64_t pixels_of_a_piece = 64;
  static int pieces_of(const shape_t& y, int parts) {
    return static_cast<int>(
        std::max<std::int64_t>(1, std::min<std::int64_t>(y[0] * y[1] * y[2] / parts / pixels_of_a_piece, max_pieces)));
  }
  static int pieces_of(int most_parts, int parts) {
    return parts < 2 ? 1 : std::max(1, std::min(most_parts / (parts * parts_of_a_piece), max_pieces));
  }
};

/// Runs the pieces of a group's rows that `source` gives to a thread. Calls after(t) each time that step t has run, in
/// the first thread only.
template <class After>
void run_group(const plan_view& plan, const plan_phase& phase, const run_context& context, piece_source& source,
               After after) {
  piece_of_part mine;
  if (!source.next(mine)) return;
  const stripe_group& group = *phase.group;
  const bool is_first = source.thread() == 0;
  std::byte* const scratch =
      is_first ? context.bases[in_arena] + group.scratch : further_scratch_of(plan, context, source.thread());
  stripe_run stripes(plan, group, context, scratch);
  const shape_t& y = result_of(plan, group);
  const std::int64_t at_once = group.rows > 0 ? group.rows : y[1];
  do {
    const kernels::interval rows = kernels::share(y[0] * y[1], {mine.part, phase.parts, mine.piece, phase.pieces});
    for (std::int64_t done = rows.begin; done < rows.end;) {
      const std::int64_t image = done / y[1], first = done % y[1], stop = std::min(y[1], first + rows.end - done);
      if (is_first) stripes.make(image, {first, stop}, at_once, after);
      else stripes.make(image, {first, stop}, at_once, [](std::size_t) {});
      done += stop - first;
    }
  } while (source.next(mine));
}

/// A plan's steps as work for several threads. Aligned to a cache line, because all threads read it while the caller
/// writes other variables.
template <class After> class alignas(64) plan_work final : public parallel_phases {
 public:
  plan_work(const plan_view& plan, const run_context& context, After& after)
      : plan_(plan), context_(context), after_(after) {}

  phase at(int first) const override {
    const plan_phase s = look(first);
    return {s.parts, s.pieces, first + s.steps};
  }
  bool run(int first, piece_source& source) override {
    const plan_phase s = look(first);
    const auto index = static_cast<std::size_t>(first);
    if (s.group != nullptr) {
      run_group(plan_, s, context_, source, [&](std::size_t t) { after_(index + t); });
      return true;
    }
    return run_pieces(plan_.steps[index], s, source);
  }
  void done(int first) override {
    const plan_phase s = look(first);
    if (s.group == nullptr || s.parts > 1) after_(static_cast<std::size_t>(first + s.steps - 1));
  }

  /// The step that rejected its values; nullptr: none.
  const step* failed() const { return failed_; }

 private:
  plan_phase look(int first) const {
    return plan_phase::at(plan_, static_cast<std::size_t>(first), context_.threads->threads());
  }
  bool run_pieces(const step& s, const plan_phase& of, piece_source& source) {
    piece_of_part mine;
    if (!source.next(mine)) return true;
    kernel_call call = call_of(plan_, s, context_, source.thread());
    call.parts = of.parts, call.pieces = of.pieces;
    run_fault* const fault = call.fault;
    do {
      call.part = mine.part, call.piece = mine.piece;
      s.run(call);
      call.fault = nullptr;  // the first call checks all values
    } while (source.next(mine));
    if (fault == nullptr || !*fault) return true;
    failed_ = &s;
    return false;
  }

  const plan_view& plan_;
  const run_context context_;
  After& after_;
  const step* failed_ = nullptr;
};

/// Runs some of a plan's steps on all of the context's threads.
template <class After>
const step* run_shared(const plan_view& plan, std::size_t first, std::size_t end, const run_context& context,
                       After& after) {
  plan_work<After> work(plan, context, after);
  context.threads->run(work, static_cast<int>(first), static_cast<int>(end));
  return work.failed();
}

}  // namespace detail

/// A callback that does nothing.
inline constexpr auto nobody = [](std::size_t) {};

/// Runs step `next`, or the group that begins with it, and advances `next`. Returns the step if it rejects its values,
/// else nullptr. Calls after(i) each time that step i has run: once, or once for each stripe. If several threads share
/// a group, these are the stripes of the caller's part; after(last step) is called again when all parts are done.
template <class After = decltype(nobody)>
const step* run_next(const plan_view& plan, std::size_t& next, const run_context& context, After after = {}) {
  const std::size_t first = next;
  const detail::plan_phase s =
      detail::plan_phase::at(plan, first, context.threads == nullptr ? 1 : context.threads->threads());
  next += static_cast<std::size_t>(s.steps);
  if (s.parts > 1) return detail::run_shared(plan, first, next, context, after);
  if (s.group != nullptr) {
    only_piece all;
    detail::run_group(plan, s, context, all, [&](std::size_t t) { after(first + t); });
    return nullptr;
  }
  run_step(plan, plan.steps[first], context);
  if (context.fault != nullptr && *context.fault) return &plan.steps[first];
  after(first);
  return nullptr;
}

/// Runs a plan's steps until one rejects its values. Returns that step; nullptr: all have run.
template <class After = decltype(nobody)>
const step* run_plan(const plan_view& plan, const run_context& context, After after = {}) {
  if (context.threads != nullptr) return detail::run_shared(plan, 0, plan.steps.size(), context, after);
  for (std::size_t next = 0; next < plan.steps.size();)
    if (const step* const failed = run_next(plan, next, context, after)) return failed;
  return nullptr;
}

}}  // namespace nnrt::NNRT_ISA
