// preparation_cases: what NN HAL promises of preparing models - checked wishes, one answer, deadlines, callers at once.
// Flow: added to the suite by all_cases().
#include "hal_test/samples.hpp"

#include <thread>

namespace nnrt_hal_test {
namespace {

bool is_missed(status s) { return s == status::missed_deadline_transient || s == status::missed_deadline_persistent; }

/// What a network's first run gives, held against the references.
void check_result(probe& p, const sample& one, const prepared_model_handle& made) {
  arrays a(made.model());
  const outcome how = made.execute(a.asking());
  p.expect(how.ended == status::none,
           {one.name, ": the run ends with ", static_cast<int>(how.ended), ": ", how.reason});
  if (how.ended != status::none) return;
  p.expect(are_close(made.model(), a.results(how), expected_of(one.network, a)),
           {one.name, ": the result is not what the references compute"});
}

template <class Change> void refused_wish(probe& p, Change change) {
  const auto all = taken_samples(p.on);
  if (all.empty()) return p.skip({"it takes none of the samples"});
  preparation asked;
  change(asked);
  const prepared got = prepare(p, all[0].network, asked);
  p.expect(got.ended == status::invalid_argument, {"ends with ", static_cast<int>(got.ended), ", expected 4"});
}

void descs(probe& p) {
  for (const sample& one : taken_samples(p.on)) {
    const auto made = ready(p, one);
    if (!made) continue;
    const ir::graph& g = one.network.graph;
    const prepared_model& m = made->model();
    p.expect(m.input_count() == g.inputs.size() && m.output_count() == g.outputs.size(),
             {one.name, ": other numbers of inputs and outputs"});
    if (m.input_count() != g.inputs.size() || m.output_count() != g.outputs.size()) continue;
    for (std::size_t i = 0; i < g.inputs.size(); ++i) {
      const ir::value& v = g.at(g.inputs[i]);
      p.expect(m.input_desc(i).type == v.desc.type && m.input_desc(i).shape == v.desc.shape,
               {one.name, ": input ", i, " has another desc"});
      p.expect(m.input_name(i) == g.name_of(v.name), {one.name, ": input ", i, " has another name"});
      const auto range = m.input_range(i);
      if (range)
        p.expect(range->least.rank == v.desc.rank() && range->most.rank == v.desc.rank(),
                 {one.name, ": input ", i, " has a range of another rank"});
    }
    for (std::size_t i = 0; i < g.outputs.size(); ++i) {
      const tensor_desc& desc = g.at(g.outputs[i].value).desc;
      p.expect(m.output_desc(i).type == desc.type && m.output_desc(i).shape == desc.shape,
               {one.name, ": output ", i, " has another desc"});
      p.expect(m.output_name(i) == g.name_of(g.outputs[i].name), {one.name, ": output ", i, " has another name"});
    }
  }
}

void models_at_once(probe& p) {
  const auto all = taken_samples(p.on);
  if (all.empty()) return p.skip({"it takes none of the samples"});
  std::vector<probe> probes(8, probe(p.on));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < probes.size(); ++i)
    threads.emplace_back([&, i] {
      const sample& one = all[i % all.size()];
      if (const auto made = ready(probes[i], one)) check_result(probes[i], one, *made);
    });
  for (std::thread& t : threads) t.join();
  for (const probe& one : probes)
    p.diagnostics.insert(p.diagnostics.end(), one.diagnostics.begin(), one.diagnostics.end());
}

void deadline(probe& p, std::int64_t from_now, bool must_work) {
  for (const sample& one : taken_samples(p.on)) {
    preparation asked;
    asked.deadline = from_now == no_deadline ? no_deadline : steady_now() + from_now;
    const prepared got = prepare(p, one.network, asked);
    p.expect(got.ended == status::none || (!must_work && is_missed(got.ended)),
             {one.name, ": ends with ", static_cast<int>(got.ended), ": ", got.reason});
    if (got.model) check_result(p, one, *got.model);
  }
}

}  // namespace

void add_preparation_cases(case_list& to) {
  to.push_back(
      {"prepare.promise", "what is supported is prepared, and computes what the references compute", [](probe& p) {
         for (const sample& one : taken_samples(p.on))
           if (const auto made = ready(p, one)) check_result(p, one, *made);
       }});
  to.push_back(
      {"prepare.refusals", "supported() says the same twice, and names what it refuses", [](probe& p) {
         for (const sample& one : samples()) {
           const auto first = p.on.refusals(one.network), second = p.on.refusals(one.network);
           p.expect(first.has_value() && second.has_value(), {one.name, ": ", first ? "" : first.error().message()});
           if (first && second) p.expect(*first == *second, {one.name, ": it says two things"});
         }
       }});
  to.push_back(
      {"prepare.descs", "a prepared model has the inputs and outputs of the network, by number, desc and name", descs});
  to.push_back({"prepare.model_goes", "a prepared model needs nothing of the caller's network", [](probe& p) {
                  for (const sample& one : taken_samples(p.on)) {
                    std::optional<prepared_model_handle> made;
                    {
                      sample copy = one;
                      made = ready(p, copy);
                      for (std::byte& byte : copy.network.graph.bytes) byte = std::byte{0x5c};
                    }
                    if (made) check_result(p, one, *made);
                  }
                }});
  to.push_back({"prepare.twice", "two preparations of a network are two models", [](probe& p) {
                  for (const sample& one : taken_samples(p.on)) {
                    const auto first = ready(p, one);
                    std::optional<prepared_model_handle> second = ready(p, one);
                    if (second) check_result(p, one, *second);
                    second.reset();
                    if (first) check_result(p, one, *first);
                  }
                }});
  to.push_back({"prepare.at_once", "several threads prepare and run at the same time", models_at_once});
  to.push_back({"prepare.wishes", "every performance, priority and preference that there is is taken", [](probe& p) {
                  const auto all = taken_samples(p.on);
                  if (all.empty()) return p.skip({"it takes none of the samples"});
                  for (int number = 0; number < 5 * 4 * 3; ++number) {
                    preparation asked;
                    asked.wanted.speed = static_cast<performance>(number % 5);
                    asked.wanted.turn = static_cast<priority>(number / 5 % 4);
                    asked.use = static_cast<execution_preference>(number / 20);
                    const prepared got = prepare(p, all[0].network, asked);
                    p.expect(got.ended == status::none, {"performance ", number % 5, ", priority ", number / 5 % 4,
                                                         ", preference ", number / 20, ": ", got.reason});
                  }
                }});
  to.push_back({"prepare.performance_too_large", "performance 5 is refused", [](probe& p) {
                  refused_wish(p, [](preparation& a) { a.wanted.speed = static_cast<performance>(5); });
                }});
  to.push_back({"prepare.performance_negative", "performance -1 is refused", [](probe& p) {
                  refused_wish(p, [](preparation& a) { a.wanted.speed = static_cast<performance>(-1); });
                }});
  to.push_back({"prepare.priority_too_large", "priority 4 is refused",
                [](probe& p) { refused_wish(p, [](preparation& a) { a.wanted.turn = static_cast<priority>(4); }); }});
  to.push_back({"prepare.priority_negative", "priority -1 is refused",
                [](probe& p) { refused_wish(p, [](preparation& a) { a.wanted.turn = static_cast<priority>(-1); }); }});
  to.push_back({"prepare.preference_too_large", "preference 3 is refused", [](probe& p) {
                  refused_wish(p, [](preparation& a) { a.use = static_cast<execution_preference>(3); });
                }});
  to.push_back({"prepare.preference_negative", "preference -1 is refused", [](probe& p) {
                  refused_wish(p, [](preparation& a) { a.use = static_cast<execution_preference>(-1); });
                }});
  to.push_back({"prepare.deadline_over", "a deadline that is over is missed, or met all the same",
                [](probe& p) { deadline(p, -1'000'000, false); }});
  to.push_back(
      {"prepare.deadline_now", "a deadline that is now is missed, or met", [](probe& p) { deadline(p, 0, false); }});
  to.push_back({"prepare.deadline_soon", "a deadline in 5 ms is missed, or met",
                [](probe& p) { deadline(p, 5'000'000, false); }});
  to.push_back(
      {"prepare.no_deadline", "without a deadline none is missed", [](probe& p) { deadline(p, no_deadline, true); }});
  to.push_back({"prepare.unknown_option", "an option that only another device knows changes nothing", [](probe& p) {
                  for (const sample& one : taken_samples(p.on)) {
                    preparation asked;
                    asked.wanted.extensions.push_back({"com.example.unknown", {std::byte{1}}});
                    const prepared got = prepare(p, one.network, asked);
                    p.expect(got.ended == status::none, {one.name, ": ", got.reason});
                  }
                }});
  to.push_back({"prepare.offline_garbage", "an offline model that is none is refused", [](probe& p) {
                  for (std::size_t length = 0; length < 600; length = length * 2 + 1) {
                    std::vector<std::byte> bytes(length);
                    for (std::size_t i = 0; i < length; ++i) bytes[i] = static_cast<std::byte>(i * 37);
                    p.expect(!p.on.prepare_offline(bytes, {}), {length, " bytes are taken"});
                  }
                }});
}

}  // namespace nnrt_hal_test
