// run_cases: what NN HAL promises of runs - checked requests, untouched inputs, shapes, times, deadlines, fences,
// callers at once.
// Flow: added to the suite by all_cases().
#include "hal_test/samples.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>
#include <future>
#include <thread>

namespace nnrt_hal_test {
namespace {

/// Calls f with each sample, made ready.
template <class F> void with_ready(probe& p, F f) {
  const auto all = taken_samples(p.on);
  if (all.empty()) return p.skip({"it takes none of the samples"});
  for (const sample& one : all)
    if (const auto made = ready(p, one)) f(one, *made);
}

/// The three ways to run a request end alike: waited for, answered (once), and without fences.
void check_ends(probe& p, const sample& one, const prepared_model_handle& made, const request& asked, status expected,
                status fenced_expected) {
  const outcome waited = made.execute(asked);
  p.expect(waited.ended == expected, {one.name, ": waited for, it ends with ", static_cast<int>(waited.ended),
                                      ", expected ", static_cast<int>(expected)});
  p.expect(waited.outputs.empty() || waited.outputs.size() == asked.outputs.size(),
           {one.name, ": shapes of ", waited.outputs.size(), " outputs"});
  std::promise<outcome> promise;
  const status returned = made.execute(asked, [&](outcome o) { promise.set_value(std::move(o)); });
  const status answered = promise.get_future().get().ended;
  p.expect(answered == expected, {one.name, ": answered, it ends with ", static_cast<int>(answered), ", expected ",
                                  static_cast<int>(expected)});
  p.expect(returned == answered || returned == status::none,
           {one.name, ": returned ", static_cast<int>(returned), ", answered ", static_cast<int>(answered)});
  const auto fenced = made.execute_fenced(asked, {});
  p.expect(fenced.launched == fenced_expected,
           {one.name, ": with fences it begins with ", static_cast<int>(fenced.launched), ", expected ",
            static_cast<int>(fenced_expected)});
}

struct refusal {
  const char* name;
  const char* promise;
  status expected;
  void (*change)(request&);
};
constexpr refusal refusals[] = {
    {"input_removed", "a request without an input is refused", status::invalid_argument,
     [](request& r) { r.inputs.pop_back(); }},
    {"input_added", "a request with an input more is refused", status::invalid_argument,
     [](request& r) { r.inputs.push_back(r.inputs[0]); }},
    {"output_removed", "a request without an output is refused", status::invalid_argument,
     [](request& r) { r.outputs.pop_back(); }},
    {"output_added", "a request with an output more is refused", status::invalid_argument,
     [](request& r) { r.outputs.push_back(r.outputs[0]); }},
    {"nothing", "an empty request is refused", status::invalid_argument, [](request& r) { r = {}; }},
    {"input_short", "an input with a byte too few is refused", status::invalid_argument,
     [](request& r) { --r.inputs[0].bytes; }},
    {"input_empty", "an input without bytes is refused", status::invalid_argument,
     [](request& r) { r.inputs[0].bytes = 0; }},
    {"input_null", "an input without memory is refused", status::invalid_argument,
     [](request& r) { r.inputs[0].data = nullptr; }},
    {"output_null", "an output without memory is refused", status::invalid_argument,
     [](request& r) { r.outputs[0].data = nullptr; }},
    {"rank_too_large", "an input of a rank more is refused", status::invalid_argument,
     [](request& r) { r.inputs[0].shape.push_back(1); }},
    {"rank_too_small", "an input of a rank less is refused", status::invalid_argument,
     [](request& r) { --r.inputs[0].shape.rank; }},
    {"extent_other", "an input of another extent is refused", status::invalid_argument,
     [](request& r) { ++r.inputs[0].shape[0]; }},
    {"extent_zero", "an input of an extent 0 where the model says another is refused", status::invalid_argument,
     [](request& r) { r.inputs[0].shape[0] = 0; }},
    {"extent_open", "an input of an open extent is refused", status::invalid_argument,
     [](request& r) { r.inputs[0].shape[0] = -1; }},
    {"extent_overflow", "an input of more elements than there is memory is refused", status::invalid_argument,
     [](request& r) { r.inputs[0].shape[0] = INT64_MAX; }},
    {"deadline_over", "a deadline that is over is missed", status::missed_deadline_persistent,
     [](request& r) { r.deadline = 1; }},
    {"unknown_buffer", "a token that no buffer has is refused", status::invalid_argument,
     [](request& r) {
       r.inputs[0] = {}, r.buffers = {{true, 0, 4'000'000'000U, {}}};
     }},
};

void short_output(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    for (std::size_t i = 0; i < made.model().output_count(); ++i) {
      arrays a(made.model());
      request asked = a.asking();
      --asked.outputs[i].bytes;
      check_ends(p, one, made, asked, status::output_insufficient_size, status::invalid_argument);
      const outcome how = made.execute(asked);
      for (std::size_t k = 0; k < how.outputs.size(); ++k) {
        p.expect(how.outputs[k].is_sufficient == (k != i), {one.name, ": output ", k, " is wrongly said to be ",
                                                            how.outputs[k].is_sufficient ? "sufficient" : "too small"});
        p.expect(how.outputs[k].shape == made.model().output_desc(k).shape,
                 {one.name, ": output ", k, " has another shape"});
      }
    }
  });
}

void inputs_stay(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    arrays a(made.model());
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    request asked = a.asking();
    std::vector<void*> pages;
    for (argument& x : asked.inputs) {
      // Up to the page's end, and write-protected: a write to it, or a read after it, crashes.
      const std::size_t size = (x.bytes + page - 1) / page * page;
      auto* const first = static_cast<std::byte*>(
          ::mmap(nullptr, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      std::memcpy(first + size - x.bytes, x.data, x.bytes);
      (void)::mprotect(first, size, PROT_READ), (void)::mprotect(first + size, page, PROT_NONE);
      x.data = first + size - x.bytes;
      pages.push_back(first);
    }
    const outcome how = made.execute(asked);
    p.expect(how.ended == status::none, {one.name, ": ends with ", static_cast<int>(how.ended), ": ", how.reason});
    if (how.ended == status::none)
      p.expect(are_close(made.model(), a.results(how), expected_of(one.network, a)),
               {one.name, ": the result is another one"});
  });
}

void outputs_end(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    arrays a(made.model());
    request asked = a.asking();
    for (argument& y : asked.outputs) y.bytes += 16;  // more than the output needs
    const outcome how = made.execute(asked);
    p.expect(how.ended == status::none, {one.name, ": ends with ", static_cast<int>(how.ended), ": ", how.reason});
    if (how.ended == status::none) p.expect(!a.wrote_behind(how), {one.name, ": bytes after an output were written"});
  });
}

void again(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    arrays a(made.model()), other(made.model());
    for (std::size_t i = 0; i < made.model().input_count(); ++i)
      for (std::byte& byte : other.input(i)) byte = std::byte{0};
    const auto first = made.execute(a.asking());
    const auto kept = a.results(first);
    (void)made.execute(other.asking());
    const auto second = made.execute(a.asking());
    p.expect(first.ended == status::none && second.ended == status::none, {one.name, ": a run failed"});
    p.expect(a.results(second) == kept, {one.name, ": the second run on the same inputs gives something else"});
  });
}

void times(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    arrays a(made.model());
    request asked = a.asking();
    const timing unasked = made.execute(asked).took;
    p.expect(unasked.on_device == timing::unknown && unasked.in_driver == timing::unknown,
             {one.name, ": times that nobody asked for"});
    asked.measure = true;
    const timing took = made.execute(asked).took;
    p.expect(took.on_device == timing::unknown || took.in_driver == timing::unknown || took.on_device <= took.in_driver,
             {one.name, ": more time on the device than in the driver"});
  });
}

void deadline_soon(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    for (const std::int64_t left : {std::int64_t{0}, std::int64_t{1000}, std::int64_t{5'000'000}, no_deadline}) {
      arrays a(made.model());
      request asked = a.asking();
      asked.deadline = left == no_deadline ? no_deadline : steady_now() + left;
      const outcome how = made.execute(asked);
      const bool is_missed =
          how.ended == status::missed_deadline_transient || how.ended == status::missed_deadline_persistent;
      p.expect(how.ended == status::none || (left != no_deadline && is_missed),
               {one.name, ": ends with ", static_cast<int>(how.ended), ": ", how.reason});
      if (how.ended == status::none)
        p.expect(are_close(made.model(), a.results(how), expected_of(one.network, a)),
                 {one.name, ": the result is another one"});
    }
  });
}

void runs_at_once(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    std::vector<std::unique_ptr<arrays>> all;
    std::vector<std::future<outcome>> ends;
    for (std::size_t i = 0; i < 24; ++i) {
      all.push_back(std::make_unique<arrays>(made.model()));
      for (std::size_t k = 0; k < made.model().input_count(); ++k)
        for (std::byte& byte : all[i]->input(k)) byte = i % 2 == 0 ? byte : std::byte{0};
      auto promise = std::make_shared<std::promise<outcome>>();
      ends.push_back(promise->get_future());
      (void)made.execute(all[i]->asking(), [promise](outcome o) { promise->set_value(std::move(o)); });
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const outcome how = ends[i].get();
      p.expect(how.ended == status::none,
               {one.name, ": run ", i, " ends with ", static_cast<int>(how.ended), ": ", how.reason});
      if (how.ended == status::none)
        p.expect(are_close(made.model(), all[i]->results(how), expected_of(one.network, *all[i])),
                 {one.name, ": run ", i, " gives what another one should"});
    }
  });
}

/// y = relu(x) of [-1, 3], for devices that wait for extents.
void with_open_model(probe& p, const std::function<void(const model&, const prepared_model_handle&)>& f) {
  const auto can = p.on.supported_features();
  if (!can || !can->dynamic_inputs) return p.skip({"the device wants to know all extents"});
  const sample open{"open relu", relu_network({-1, 3})};
  const auto says = p.on.supported(open.network);
  if (!says || !(*says)[0]) return p.skip({"it does not take relu"});
  if (const auto made = ready(p, open)) f(open.network, *made);
}

void shapes_at_once(probe& p) {
  with_open_model(p, [&](const model& network, const prepared_model_handle& made) {
    std::vector<std::unique_ptr<arrays>> all;
    std::vector<std::future<outcome>> ends;
    for (std::int64_t n = 1; n <= 16; ++n) {
      all.push_back(std::make_unique<arrays>(made.model(), std::vector<shape_t>{{n, 3}}));
      auto promise = std::make_shared<std::promise<outcome>>();
      ends.push_back(promise->get_future());
      (void)made.execute(all.back()->asking(), [promise](outcome o) { promise->set_value(std::move(o)); });
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const outcome how = ends[i].get();
      p.expect(how.ended == status::none,
               {"of ", i + 1, " rows: ends with ", static_cast<int>(how.ended), ": ", how.reason});
      if (how.ended != status::none) continue;
      p.expect(how.outputs[0].shape == shape_t{static_cast<std::int64_t>(i) + 1, 3},
               {"of ", i + 1, " rows: another shape comes out"});
      p.expect(are_close(made.model(), all[i]->results(how), expected_of(network, *all[i])),
               {"of ", i + 1, " rows: the result is another one"});
    }
  });
}

void open_output_short(probe& p) {
  with_open_model(p, [&](const model&, const prepared_model_handle& made) {
    arrays a(made.model(), {{5, 3}});
    request asked = a.asking();
    asked.outputs[0].bytes = 59;
    const outcome how = made.execute(asked);
    p.expect(how.ended == status::output_insufficient_size,
             {"ends with ", static_cast<int>(how.ended), ", expected 3"});
    if (how.outputs.empty()) return p.expect(false, {"no shape is told"});
    p.expect(!how.outputs[0].is_sufficient, {"the output is said to be sufficient"});
    p.expect(how.outputs[0].shape.rank == 2, {"the shape has another rank"});
    asked.outputs[0].bytes = 60;
    p.expect(made.execute(asked).ended == status::none, {"the memory that was asked for is not enough"});
  });
}

void fences(probe& p) {
  with_ready(p, [&](const sample& one, const prepared_model_handle& made) {
    arrays a(made.model());
    const fence first, second, broken;
    const auto run = made.execute_fenced(a.asking(), {first, second});
    first.signal();
    p.expect(!run.done.wait_until(steady_now() + 3'000'000), {one.name, ": it did not wait for the second fence"});
    p.expect(run.info().ended == status::general_failure, {one.name, ": it tells of a run that is not over"});
    second.signal();
    p.expect(run.done.wait_until(no_deadline) == true && run.info().ended == status::none,
             {one.name, ": ", run.info().reason});
    p.expect(are_close(made.model(), a.results(run.info()), expected_of(one.network, a)),
             {one.name, ": the result is another one"});
    broken.fail();
    p.expect(made.execute_fenced(a.asking(), {broken}).launched == status::invalid_argument,
             {one.name, ": a fence that has failed is taken"});
    const auto brief = made.execute_fenced(a.asking(), {}, 1);
    const auto how = brief.done.wait_until(no_deadline);
    p.expect(how.has_value(), {one.name, ": it does not end"});
  });
}

}  // namespace

void add_run_cases(case_list& to) {
  for (const refusal& one : refusals)
    to.push_back({std::string("run.") + one.name, one.promise, [&one](probe& p) {
                    with_ready(p, [&](const sample& s, const prepared_model_handle& made) {
                      arrays a(made.model());
                      request asked = a.asking();
                      one.change(asked);
                      check_ends(p, s, made, asked, one.expected, one.expected);
                    });
                  }});
  to.push_back(
      {"run.output_short", "an output with a byte too few is told, with the shape that it would have", short_output});
  to.push_back({"run.inputs_stay", "inputs are only read, and not beyond their end", inputs_stay});
  to.push_back({"run.outputs_end", "nothing after an output is written", outputs_end});
  to.push_back({"run.again", "the same inputs give the same outputs, whatever ran in between", again});
  to.push_back({"run.times", "times are measured when asked for, and make sense", times});
  to.push_back({"run.deadline_soon", "a deadline is met or missed, and none is always met", deadline_soon});
  to.push_back({"run.at_once", "any number of runs of one model at the same time", runs_at_once});
  to.push_back({"run.shapes_at_once", "one model runs with several shapes at the same time", shapes_at_once});
  to.push_back({"run.open_output_short", "an output of open extents that is too small is told, with a shape",
                open_output_short});
  to.push_back({"run.fences", "a run waits for fences, and fails with them", fences});
}

}  // namespace nnrt_hal_test
