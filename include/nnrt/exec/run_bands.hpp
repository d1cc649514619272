// run_bands: runs a plan; the steps of its groups for one band of rows after the other, or for each thread's share of the rows.
// Flow: executors and sessions call run_plan() for each inference; the pool's parts of a group are shares of its rows.
//
// A step makes the rows that the step behind it is about to read and that are not there yet: what two bands read is
// kept from one to the next. So no row is made twice, but for those that two parts read. Every row gets the bits that
// it has in the whole result.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/exec/find_bands.hpp>
#include <nnrt/exec/plan_view.hpp>

#include <cstring>
#include <new>

namespace nnrt::inline NNRT_ISA {

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

/// A step of a group as one part runs it.
struct band_stage {
  kernel_function run = nullptr;
  kernel_call call;
  row_window window;
  rows_in_memory images[most_band_operands];  // of operands that are read by rows
  rows_in_memory result;
  bool keeps_some = false;  // of the result there are the rows `made` alone, the first of them at result.first
  row_range made;           // rows of the result that are there and may be read again
  row_range wanted;         // those to be made next
  view views[most_band_operands];

  bool reads_rows_of(std::size_t operand) const { return names_operand(window.images, operand); }
  std::byte* result_row(std::int64_t image, std::int64_t i) const {
    return keeps_some ? result.row(0, i - made.begin) : result.row(image, i);
  }
  /// Nobody reads the rows before this one any more.
  void drop_before(std::int64_t row) {
    if (row >= made.end) made = {row, row};
    if (row <= made.begin) return;
    if (keeps_some)
      std::memmove(result.first, result_row(0, row), static_cast<std::size_t>((made.end - row) * result.row_bytes));
    made.begin = row;
  }
};

/// A group as one part runs it, with scratch memory of its own.
class band_run {
 public:
  band_run(const plan_view& plan, const band_group& group, const run_context& context, std::byte* scratch)
      : count_(static_cast<std::size_t>(group.steps.count)) {
    for (std::size_t t = 0; t < count_; ++t) {
      ::new (static_cast<void*>(stages_ + t)) band_stage;
      stages_[t].window = plan.windows[static_cast<std::size_t>(group.first_window) + t];
      set_up(stages_[t], plan, plan.steps[static_cast<std::size_t>(group.steps.first) + t], context, scratch);
    }
  }

  /// Makes some rows of an image of the last result, at most so many at a time; calls after(t) each time that step t
  /// has run.
  template <class After> void make(std::int64_t image, row_range rows, std::int64_t at_once, After after) {
    for (std::size_t t = 0; t < count_; ++t) stages_[t].made = {0, 0};
    const std::int64_t bands = (rows.count() + at_once - 1) / at_once;
    for (std::int64_t i = 0; i < bands; ++i) {
      want({rows.begin + rows.count() * i / bands, rows.begin + rows.count() * (i + 1) / bands});
      for (std::size_t t = 0; t < count_; ++t)
        if (stages_[t].wanted.count() > 0) run(t, image), after(t);
    }
  }

 private:
  static void set_up(band_stage& stage, const plan_view& plan, const step& s, const run_context& context, std::byte* scratch) {
    const auto put = [&](view& to, std::int32_t slot) {  // in place: a view that is changed and then copied waits until both stores are done
      const operand_slot& at = plan.slots[static_cast<std::size_t>(slot)];
      to = context.views[static_cast<std::size_t>(slot)];
      if (at.base == in_band) to.data = any_pointer::bytes(scratch + at.offset);
    };
    const auto inputs = static_cast<std::size_t>(s.inputs.count);
    for (std::size_t i = 0; i < inputs; ++i) {
      put(stage.views[i], s.inputs.first + static_cast<std::int32_t>(i));
      if (!stage.reads_rows_of(i)) continue;
      stage.images[i] = rows_in_memory::of(stage.views[i]);
      stage.call.reads_band |= plan.slots[static_cast<std::size_t>(s.inputs.first) + i].base == in_band;
    }
    put(stage.views[inputs], s.outputs.first);
    stage.result = rows_in_memory::of(stage.views[inputs]);
    stage.keeps_some = plan.slots[static_cast<std::size_t>(s.outputs.first)].base == in_band;
    stage.run = s.run;
    stage.call.attrs =
        plan.words.subspan(static_cast<std::size_t>(s.attrs.first), static_cast<std::size_t>(s.attrs.count));
    stage.call.in = {stage.views, inputs};
    stage.call.out = {stage.views + inputs, 1};
    stage.call.scratch = scratch;
    stage.call.inner = s.inner;
    stage.call.record = plan.words.data() + s.record;
    stage.call.weights_end = weights_end_of(plan, context.bases);
  }

  /// From the last step to the first: what each has to make so that the last can make these rows.
  void want(row_range rows) {
    stages_[count_ - 1].wanted = rows;
    for (std::size_t t = count_ - 1; t > 0; --t) {
      band_stage& before = stages_[t - 1];
      before.wanted = {before.made.end, before.made.end};
      if (stages_[t].wanted.count() <= 0) continue;
      const row_range read = stages_[t].window.under(stages_[t].wanted, before.result.height);
      before.drop_before(read.begin);
      before.wanted = {before.made.end, std::max(before.made.end, read.end)};
    }
  }
  void run(std::size_t t, std::int64_t image) {
    band_stage& stage = stages_[t];
    const std::size_t inputs = stage.call.in.size();
    for (std::size_t i = 0; i < inputs; ++i) {
      if (!stage.reads_rows_of(i)) continue;
      const std::int64_t first = stage.window.under(stage.wanted, stage.images[i].height).begin;
      const bool is_kept = t > 0 && stages_[t - 1].keeps_some && stage.images[i].first == stages_[t - 1].result.first;
      stage.views[i].data =
          any_pointer::bytes(is_kept ? stages_[t - 1].result_row(image, first) : stage.images[i].row(image, first));
    }
    stage.views[inputs].data = any_pointer::bytes(stage.result_row(image, stage.wanted.begin));
    stage.call.rows = stage.wanted;
    stage.run(stage.call);
    stage.made.end = stage.wanted.end;
  }

  std::size_t count_;
  union {
    band_stage stages_[most_band_steps];  // as many as there are steps begin to live
  };
};

/// A group whose rows are shared out.
template <class After> struct band_job {
  const plan_view& plan;
  const band_group& group;
  const run_context& context;
  After after;
  int tiles = 1;

  void run(int part) const {
    std::byte* const scratch =
        part == 0 ? context.bases[in_arena] + group.scratch
                  : context.further_scratch + (part - 1) * plan.part_scratch_bytes;
    band_run bands(plan, group, context, scratch);
    const step& last = plan.steps[static_cast<std::size_t>(group.steps.first + group.steps.count - 1)];
    const shape_t& y = plan.desc_of(plan.slots[static_cast<std::size_t>(last.outputs.first)]).shape;
    const std::int64_t rows = y[0] * y[1], at_once = group.rows > 0 ? group.rows : y[1];
    // Part 0, the caller's own, is the larger one, as that of a step is.
    const auto begin = [&](std::int64_t i) { return (rows * i + tiles - 1) / tiles; };
    for (std::int64_t done = begin(part), end = begin(part + 1); done < end;) {
      const std::int64_t image = done / y[1], first = done % y[1], stop = std::min(y[1], first + end - done);
      if (part == 0) bands.make(image, {first, stop}, at_once, after);
      else bands.make(image, {first, stop}, at_once, [](std::size_t) {});
      done += stop - first;
    }
  }
  static void run_part(void* context, int part) { static_cast<const band_job*>(context)->run(part); }
};

}  // namespace detail

/// For whoever does not want to know what has run.
inline constexpr auto nobody = [](std::size_t) {};

/// Runs step `next`, or the group that begins with it, and moves `next` behind; the step if it finds fault with its values.
/// Calls after(i) each time that step i has run: once, or once for each of its bands; of what several threads make, for
/// the bands of the first.
template <class After = decltype(nobody)>
const step* run_next(const plan_view& plan, std::size_t& next, const run_context& context, After after = {}) {
  const std::size_t first = next;
  if (const std::int32_t index = plan.steps[first].group; index >= 0) {
    const band_group& group = plan.bands[static_cast<std::size_t>(index)];
    const auto after_step = [&](std::size_t t) { after(first + t); };
    detail::band_job<decltype(after_step)> job{plan, group, context, after_step};
    if (context.threads != nullptr) job.tiles = std::min(group.parts, context.threads->threads());
    if (job.tiles > 1 || group.rows > 0) {
      if (job.tiles < 2) job.run(0);
      else context.threads->run(&decltype(job)::run_part, &job, job.tiles);
      next += static_cast<std::size_t>(group.steps.count);
      return nullptr;
    }
  }
  run_step(plan, plan.steps[next++], context);
  if (context.fault != nullptr && *context.fault) return &plan.steps[first];
  after(first);
  return nullptr;
}

/// Runs a plan's steps, up to the first that finds fault with its values; that one, or nullptr when all have run.
template <class After = decltype(nobody)>
const step* run_plan(const plan_view& plan, const run_context& context, After after = {}) {
  for (std::size_t next = 0; next < plan.steps.size();)
    if (const step* const failed = run_next(plan, next, context, after)) return failed;
  return nullptr;
}

}  // namespace nnrt::inline NNRT_ISA
