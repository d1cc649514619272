// buffer_cases: memory that remains in the device between runs - roles, tokens, states.
// Flow: added to the suite by all_cases().
#include "hal_test/samples.hpp"

#include <algorithm>

namespace nnrt_hal_test {
namespace {

/// A sample with one input and output of one shape, and a buffer for both ends.
struct bench {
  sample one;
  prepared_model_handle made;
  device_buffer between;
  arrays given;
};

void with_buffer(probe& p, const std::function<void(bench&)>& f) {
  for (sample& one : taken_samples(p.on)) {
    if (one.name != "relu" && one.name != "relu_of_bytes") continue;
    const auto made = ready(p, one);
    if (!made) continue;
    const buffer_role end[] = {{0, 0, 1}};
    const bool is_one_type = made->model().input_desc(0).quantised == made->model().output_desc(0).quantised;
    const auto buffer = p.on.allocate(
        {}, {&*made, 1}, is_one_type ? array_ref<const buffer_role>(end) : array_ref<const buffer_role>(), end);
    p.expect(buffer.has_value(), {one.name, ": ", buffer ? "" : buffer.error().message()});
    if (!buffer || !is_one_type) continue;
    bench b{std::move(one), *made, *buffer, arrays(made->model())};
    return f(b);
  }
  p.skip({"it takes no sample whose input and output are alike"});
}

request from(bench& b) {
  request asked = b.given.asking();
  asked.inputs[0] = {};
  asked.buffers = {{true, 0, b.between.token(), {}}};
  return asked;
}
request into(bench& b) {
  request asked = b.given.asking();
  asked.outputs[0] = {};
  asked.buffers = {{false, 0, b.between.token(), {}}};
  return asked;
}
void expect_end(probe& p, const outcome& how, status expected) {
  p.expect(how.ended == expected,
           {"ends with ", static_cast<int>(how.ended), ", expected ", static_cast<int>(expected), ": ", how.reason});
}

}  // namespace

void add_buffer_cases(case_list& to) {
  to.push_back({"buffer.between_runs", "what one run writes the next reads, and a copy tells", [](probe& p) {
                  with_buffer(p, [&](bench& b) {
                    expect_end(p, b.made.execute(into(b)), status::none);
                    const auto expected = expected_of(b.one.network, b.given);
                    std::vector<std::byte> seen(expected[0].size());
                    p.expect(b.between.copy_to(seen).has_value() && are_close(b.made.model(), {seen}, expected),
                             {"the buffer has something else"});
                    const outcome how = b.made.execute(from(b));  // the relu of a relu is the same
                    expect_end(p, how, status::none);
                    p.expect(are_close(b.made.model(), b.given.results(how), expected),
                             {"the second run read something else"});
                  });
                }});
  to.push_back({"buffer.tokens", "tokens are not 0, and no two of them are the same", [](probe& p) {
                  with_buffer(p, [&](bench& b) {
                    const buffer_role end[] = {{0, 0, 1}};
                    std::vector<device_buffer> all{b.between};
                    for (int i = 0; i < 50; ++i) all.push_back(p.on.allocate({}, {&b.made, 1}, {}, end).value());
                    std::vector<std::uint32_t> tokens;
                    tokens.reserve(all.size());
                    for (const device_buffer& one : all) tokens.push_back(one.token());
                    std::sort(tokens.begin(), tokens.end());
                    p.expect(tokens[0] != 0 && std::adjacent_find(tokens.begin(), tokens.end()) == tokens.end(),
                             {"a token is 0, or there twice"});
                  });
                }});
  to.push_back({"buffer.uninitialised", "nobody reads what nobody has written", [](probe& p) {
                  with_buffer(p, [&](bench& b) {
                    std::vector<std::byte> seen(b.given.input(0).size());
                    p.expect(!b.between.copy_to(seen), {"it can be copied"});
                    expect_end(p, b.made.execute(from(b)), status::general_failure);
                    p.expect(b.between.copy_from(b.given.input(0)).has_value(), {"it cannot be written"});
                    expect_end(p, b.made.execute(from(b)), status::none);
                    p.expect(!b.between.copy_from(array_ref<const std::byte>(b.given.input(0)).first(1)),
                             {"a byte is taken for all of it"});
                    expect_end(p, b.made.execute(from(b)), status::general_failure);
                  });
                }});
  to.push_back(
      {"buffer.roles", "a buffer stands where its roles say, once", [](probe& p) {
         with_buffer(p, [&](bench& b) {
           const buffer_role end[] = {{0, 0, 1}}, far[] = {{0, 7, 1}}, other[] = {{1, 0, 1}}, never[] = {{0, 0, 0}},
                             twice[] = {{0, 0, 1}, {0, 0, 1}};
           p.expect(!p.on.allocate({}, {}, end, {}), {"a buffer for no model"});
           p.expect(!p.on.allocate({}, {&b.made, 1}, {}, {}), {"a buffer without a role"});
           for (const array_ref<const buffer_role> wrong :
                {array_ref<const buffer_role>(far), array_ref<const buffer_role>(other),
                 array_ref<const buffer_role>(never), array_ref<const buffer_role>(twice)}) {
             p.expect(!p.on.allocate({}, {&b.made, 1}, wrong, {}), {"a wrong role of inputs"});
             p.expect(!p.on.allocate({}, {&b.made, 1}, {}, wrong), {"a wrong role of outputs"});
           }
           p.expect(!p.on.allocate(shape_t{1, 1, 1, 1, 1}, {&b.made, 1}, end, {}), {"a shape that the input has not"});
           p.expect(b.between.copy_from(b.given.input(0)).has_value(), {"it cannot be written"});
           request both = from(b);
           both.outputs[0] = {};
           both.buffers.push_back({false, 0, b.between.token(), {}});
           expect_end(p, b.made.execute(both), status::invalid_argument);
           request besides = from(b);
           besides.inputs = b.given.asking().inputs;
           expect_end(p, b.made.execute(besides), status::invalid_argument);
           const device_buffer output = p.on.allocate({}, {&b.made, 1}, {}, end).value();
           request wrong = from(b);
           wrong.buffers[0].token = output.token();
           expect_end(p, b.made.execute(wrong), status::invalid_argument);
         });
       }});
  to.push_back({"buffer.memory", "the device gives memory that can be read, written and mapped", [](probe& p) {
                  for (const std::size_t bytes :
                       {std::size_t{1}, std::size_t{4095}, std::size_t{4096}, std::size_t{1'000'003}}) {
                    auto made = p.on.allocate(bytes);
                    p.expect(made.has_value(), {bytes, " bytes: ", made ? "" : made.error().message()});
                    if (!made) continue;
                    made->data()[bytes - 1] = std::byte{1};
                    p.expect(made->data()[0] == std::byte{} || bytes == 1, {bytes, " bytes: they are not zeros"});
                    p.expect(hal::shared_memory::of(made->fd(), bytes, 0).has_value(),
                             {bytes, " bytes: another process could not map them"});
                  }
                  p.expect(!p.on.allocate(0), {"memory of 0 bytes"});
                }});
}

}  // namespace nnrt_hal_test
