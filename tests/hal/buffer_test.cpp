// buffer_test: memory that stays in the device between runs - who may have it, what it is in between, and what callers
// may do wrong with it.
#include <nnrt/hal.hpp>

#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/relu.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <functional>
#include <future>

using namespace nnrt;
using namespace nnrt::hal;

namespace {

/// y = relu(x) over [n, 2].
model network(std::int64_t n, dtype type = f32) {
  model_builder b;
  const auto x = b.input("x", {type, {n, 2}});
  (void)b.output("y", (*b.apply<ops::relu>({}, {*x}))[0]);
  return b.finish();
}

struct place {
  device on{std::make_shared<cpu_driver>()};
  prepared_model_handle fixed = *on.prepare(network(3), {}), open = *on.prepare(network(-1), {});
  std::vector<float> x{-1, 2, -3, 4, -5, 6}, y = std::vector<float>(6, 9);
  array_ref<const std::byte> x_bytes() const { return {reinterpret_cast<const std::byte*>(x.data()), x.size() * 4}; }
  array_ref<std::byte> y_bytes() { return {reinterpret_cast<std::byte*>(y.data()), y.size() * 4}; }

  device_buffer buffer(std::optional<shape_t> shape = {}) const {
    const buffer_role in[] = {{0, 0, 1}, {1, 0, 0.5F}}, out[] = {{0, 0, 1}, {1, 0, 1}};
    const prepared_model_handle models[] = {fixed, open};
    auto made = on.allocate(shape, models, in, out);
    REQUIRE(made);
    return *made;
  }
  /// For the model of open extents alone.
  device_buffer open_buffer() const {
    const buffer_role any[] = {{0, 0, 1}};
    auto made = on.allocate(shape_t{-1, 2}, {&open, 1}, any, any);
    REQUIRE(made);
    return *made;
  }
  /// The caller's memory on both ends, then one end replaced by a buffer.
  request asking() {
    return {{{reinterpret_cast<std::byte*>(x.data()), 24, {3, 2}}}, {{reinterpret_cast<std::byte*>(y.data()), 24, {}}}};
  }
  request from(std::uint32_t token, std::optional<shape_t> shape = {}) {
    request asked = asking();
    asked.inputs[0] = {};
    asked.buffers = {{true, 0, token, shape}};
    return asked;
  }
  request into(std::uint32_t token, std::optional<shape_t> shape = {}) {
    request asked = asking();
    asked.outputs[0] = {};
    asked.buffers = {{false, 0, token, shape}};
    return asked;
  }
};

const std::vector<float> positive{0, 2, 0, 4, 0, 6};

}  // namespace

TEST_CASE("buffer: what one run writes another reads, and nothing goes through the caller") {
  place p;
  const device_buffer between = p.buffer();
  CHECK(p.fixed.execute(p.into(between.token())).ended == status::none);
  CHECK(p.y == std::vector<float>(6, 9));
  CHECK(p.open.execute(p.from(between.token())).ended == status::none);
  CHECK(p.y == positive);
  p.y.assign(6, 0);
  CHECK(between.copy_to(p.y_bytes()));
  CHECK(p.y == positive);
  std::promise<outcome> promise;
  CHECK(p.open.execute(p.from(between.token()), [&](outcome o) { promise.set_value(std::move(o)); }) == status::none);
  CHECK(promise.get_future().get().outputs[0].shape == shape_t{3, 2});
  const auto fenced = p.fixed.execute_fenced(p.into(between.token()), {});
  CHECK(fenced.done.wait_until(no_deadline) == true);
}

TEST_CASE("buffer: two of them have two tokens, and a token goes with its buffer") {
  place p;
  std::uint32_t gone = 0;
  {
    const device_buffer a = p.buffer(), b = p.buffer();
    CHECK(a.token() != 0);
    CHECK(a.token() != b.token());
    CHECK(a.copy_from(p.x_bytes()));
    CHECK(b.copy_from(p.x_bytes()));
    gone = a.token();
  }
  const outcome after = p.fixed.execute(p.from(gone));
  CHECK(after.ended == status::invalid_argument);
  CHECK(after.reason == joined({"buffer ", gone, ": is not there"}));
}

TEST_CASE("buffer: is allocated for inputs and outputs that there are, once each, and that are alike") {
  place p;
  const device other(std::make_shared<cpu_driver>());
  const prepared_model_handle models[] = {p.fixed, p.open, *p.on.prepare(network(4), {}),
                                          *p.on.prepare(network(3, f16), {}), *other.prepare(network(3), {})};
  using roles = std::vector<buffer_role>;
  struct row {
    const char* what;
    std::optional<shape_t> shape;
    std::size_t models;
    roles inputs, outputs;
    bool is_taken;
  };
  const row table[] = {
      {"one input", {}, 4, {{0, 0, 1}}, {}, true},
      {"no model", {}, 0, {{0, 0, 1}}, {}, false},
      {"no role", {}, 4, {}, {}, false},
      {"a model that is not in the list", {}, 4, {{4, 0, 1}}, {}, false},
      {"an input that the model has not", {}, 4, {{0, 1, 1}}, {}, false},
      {"an output that the model has not", {}, 4, {}, {{0, 1, 1}}, false},
      {"never", {}, 4, {{0, 0, 0}}, {}, false},
      {"more often than always", {}, 4, {{0, 0, 1.5F}}, {}, false},
      {"a frequency that is no number", {}, 4, {{0, 0, std::numeric_limits<float>::quiet_NaN()}}, {}, false},
      {"the same input twice", {}, 4, {{0, 0, 1}, {0, 0, 1}}, {}, false},
      {"input and output of one model", {}, 4, {{0, 0, 1}}, {{0, 0, 1}}, true},
      {"two dtypes", {}, 4, {{0, 0, 1}, {3, 0, 1}}, {}, false},
      {"two extents", {}, 4, {{0, 0, 1}, {2, 0, 1}}, {}, false},
      {"an extent that one of them leaves open", {}, 4, {{2, 0, 1}, {1, 0, 1}}, {}, true},
      {"two extents, and before them one that is open", {}, 4, {{1, 0, 1}, {0, 0, 1}, {2, 0, 1}}, {}, false},
      {"another shape than the model's", shape_t{4, 2}, 4, {{0, 0, 1}}, {}, false},
      {"another rank than the model's", shape_t{6}, 4, {{0, 0, 1}}, {}, false},
      {"a shape that leaves an extent open", shape_t{-1, 2}, 4, {{0, 0, 1}}, {}, true},
      {"a model of another device", {}, 5, {{0, 0, 1}}, {}, false},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const auto made = p.on.allocate(r.shape, {models, r.models}, r.inputs, r.outputs);
    CHECK(made.has_value() == r.is_taken);
    if (!made) CHECK(made.error().code() == error_code::invalid_argument);
  }
}

TEST_CASE("buffer: nobody reads what nobody has written") {
  place p;
  const device_buffer empty = p.buffer();
  CHECK(status_of(empty.copy_to(p.y_bytes()).error().code()) == status::general_failure);
  CHECK(p.fixed.execute(p.from(empty.token())).ended == status::general_failure);
  CHECK(empty.copy_from(p.x_bytes()));
  CHECK(p.fixed.execute(p.from(empty.token())).ended == status::none);
  CHECK(!empty.copy_from(p.x_bytes().subspan(4)));  // and it is empty again
  CHECK(p.fixed.execute(p.from(empty.token())).ended == status::general_failure);
}

TEST_CASE("buffer: copies have its size, and a shape that it can have") {
  place p;
  const device_buffer fixed = p.buffer(), open = p.open_buffer();
  std::vector<float> wide(10, 3);
  const array_ref<const std::byte> wide_bytes(reinterpret_cast<const std::byte*>(wide.data()), 40);
  CHECK(fixed.copy_from(p.x_bytes(), shape_t{3, 2}));
  CHECK(!fixed.copy_from(wide_bytes, shape_t{5, 2}));
  CHECK(!fixed.copy_from(p.x_bytes(), shape_t{6}));
  CHECK(!fixed.copy_from({}, shape_t{0, 2}));
  CHECK(!open.copy_from(p.x_bytes()));  // of which shape?
  CHECK(open.copy_from(p.x_bytes(), shape_t{3, 2}));
  CHECK(open.copy_from(wide_bytes, shape_t{5, 2}));
  CHECK(open.copy_to({reinterpret_cast<std::byte*>(wide.data()), 40}));
  CHECK(open.copy_to(p.y_bytes()).error().code() == error_code::invalid_argument);
  CHECK(open.copy_from(p.x_bytes(), shape_t{5, 2}).error().code() == error_code::invalid_argument);
}

TEST_CASE("buffer: stands where its roles say, alone, and once if it is written") {
  place p;
  const buffer_role as_input[] = {{0, 0, 1}};
  const device_buffer both = p.buffer(), input = *p.on.allocate({}, {&p.fixed, 1}, as_input, {});
  CHECK(both.copy_from(p.x_bytes()));
  CHECK(input.copy_from(p.x_bytes()));
  CHECK(p.fixed.execute(p.from(input.token())).ended == status::none);
  CHECK(p.fixed.execute(p.into(input.token())).ended == status::invalid_argument);  // no role as an output
  CHECK(p.open.execute(p.from(input.token())).ended == status::invalid_argument);   // nor in this model
  CHECK(p.fixed.execute(p.from(both.token(), shape_t{4, 2})).ended == status::invalid_argument);
  CHECK(p.fixed.execute(p.into(both.token(), shape_t{4, 2})).ended == status::invalid_argument);
  CHECK(p.fixed.execute(p.into(both.token(), shape_t{3, -1})).ended == status::none);

  request asked = p.from(both.token());
  asked.outputs[0] = {};
  asked.buffers.push_back({false, 0, both.token(), {}});
  CHECK(p.fixed.execute(asked).ended == status::invalid_argument);  // input and output of one run
  asked = p.from(both.token());
  asked.inputs = p.asking().inputs;
  CHECK(p.fixed.execute(asked).ended == status::invalid_argument);  // where the caller's memory stands
  asked = p.from(both.token());
  asked.buffers.push_back({true, 0, input.token(), {}});
  CHECK(p.fixed.execute(asked).ended == status::invalid_argument);  // where another one stands
  asked.buffers = {{true, 1, both.token(), {}}};
  CHECK(p.fixed.execute(asked).ended == status::invalid_argument);  // where the model has no input
  CHECK(both.copy_to(p.y_bytes()));                                 // what was refused has not touched it
}

TEST_CASE("buffer: of open extents grows to what comes out, and tells the next run") {
  place p;
  const device_buffer open = p.open_buffer();
  std::vector<float> wide(200, -1);
  wide[7] = 5;
  request asked{{{reinterpret_cast<std::byte*>(wide.data()), 800, {100, 2}}}, {{}}};
  asked.buffers = {{false, 0, open.token(), {}}};
  CHECK(p.open.execute(asked).ended == status::none);
  std::vector<float> out(200, 1);
  request next{{{}}, {{reinterpret_cast<std::byte*>(out.data()), 800, {}}}};
  next.buffers = {{true, 0, open.token(), {}}};
  const outcome got = p.open.execute(next);
  CHECK(got.outputs.at(0).shape == shape_t{100, 2});
  CHECK(out[7] == 5);
  CHECK(out[8] == 0);
  next.buffers[0].shape = shape_t{99, 2};
  CHECK(p.open.execute(next).ended == status::invalid_argument);  // that is not what was written
  const device_buffer narrow = p.buffer();                        // of [3, 2]
  asked.buffers[0].token = narrow.token();
  CHECK(narrow.copy_from(p.x_bytes()));
  CHECK(p.open.execute(asked).ended == status::general_failure);
  CHECK(!narrow.copy_to(p.y_bytes()));  // a run has failed on it
}

TEST_CASE("buffer: may be several inputs of one run, and no two of its outputs") {
  const device on(std::make_shared<cpu_driver>());
  model_builder b;
  const auto x = b.input("x", {f32, {3, 2}}), more = b.input("more", {f32, {3, 2}});
  (void)b.output("sum", (*b.apply<ops::add>({}, {*x, *more}))[0]);
  (void)b.output("positive", (*b.apply<ops::relu>({}, {*x}))[0]);
  const prepared_model_handle made = *on.prepare(b.finish(), {});
  const buffer_role ends[] = {{0, 0, 1}, {0, 1, 1}};
  const device_buffer one = *on.allocate({}, {&made, 1}, ends, ends);
  const std::vector<float> numbers{-1, 2, -3, 4, -5, 6};
  CHECK(one.copy_from({reinterpret_cast<const std::byte*>(numbers.data()), 24}));
  std::vector<float> sum(6), positives(6);
  request asked{
      {{}, {}},
      {{reinterpret_cast<std::byte*>(sum.data()), 24, {}}, {reinterpret_cast<std::byte*>(positives.data()), 24, {}}}};
  asked.buffers = {{true, 0, one.token(), {}}, {true, 1, one.token(), {}}};
  CHECK(made.execute(asked).ended == status::none);
  CHECK(sum == std::vector<float>{-2, 4, -6, 8, -10, 12});
  CHECK(positives == positive);
  std::vector<float> given = numbers;
  const argument input{reinterpret_cast<std::byte*>(given.data()), 24, {3, 2}};
  request twice{{input, input}, {{}, {}}};
  twice.buffers = {{false, 0, one.token(), {}}, {false, 1, one.token(), {}}};
  const outcome how = made.execute(twice);
  CHECK(how.ended == status::invalid_argument);
  CHECK(how.reason == joined({"buffer ", one.token(), ": is written, and is something else of the same run"}));
}
