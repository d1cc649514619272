// device_test: what callers may do wrong with a device, what they get for it, and that its driver sees none
// of it.
#include <nnrt/hal/device.hpp>
#include <nnrt/hdi/return_code.hpp>

#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/erf.hpp>
#include <nnrt/ops/relu.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <future>
#include <new>

#include <sys/mman.h>

using namespace nnrt;
using namespace nnrt::hal;

namespace {

/// y = x + 1, element by element, over [2, n]; n is known when it runs, or from the beginning.
class plus_one_model final : public prepared_model {
 public:
  explicit plus_one_model(std::int64_t n) : desc_(f32, {2, n}) {}
  std::atomic<int>* runs = nullptr;
  std::atomic<bool>* has_memory = nullptr;
  std::size_t input_count() const override { return 1; }
  std::size_t output_count() const override { return 1; }
  const tensor_desc& input_desc(std::size_t) const override { return desc_; }
  const tensor_desc& output_desc(std::size_t) const override { return desc_; }
  std::string_view input_name(std::size_t) const override { return "x"; }
  std::string_view output_name(std::size_t) const override { return "y"; }
  result<extent_range> input_range(std::size_t) const override { return fail(error_code::not_supported, "no"); }
  result<std::unique_ptr<execution>> make_execution() override { return std::make_unique<run_of_it>(runs, has_memory); }
  result<std::vector<std::vector<std::byte>>> exported() const override {
    return std::vector<std::vector<std::byte>>{{std::byte{7}, std::byte{8}}, {std::byte{9}}};
  }

 private:
  struct run_of_it final : execution {
    run_of_it(std::atomic<int>* count, const std::atomic<bool>* memory) : runs(count), has_memory(memory) {}
    result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) override {
      ++*runs;
      if (!*has_memory) throw std::bad_alloc();
      if (deadline != no_deadline) return fail(error_code::deadline_missed, "too slow");  // whatever it was
      outputs[0].shape = inputs[0].shape;
      const auto count = static_cast<std::size_t>(inputs[0].shape.elements());
      if (outputs[0].bytes < count * 4) return fail(error_code::invalid_argument, "too small");
      for (std::size_t i = 0; i < count; ++i) {
        float x = 0;
        std::memcpy(&x, inputs[0].data + 4 * i, 4);
        x += 1;
        std::memcpy(outputs[0].data + 4 * i, &x, 4);
      }
      return {};
    }
    std::atomic<int>* runs;
    const std::atomic<bool>* has_memory;
  };
  tensor_desc desc_;
};

/// Takes relu alone, and prepares everything as x + 1.
class fake_driver final : public driver {
 public:
  std::atomic<int> prepared{0}, restored{0}, runs{0};
  std::atomic<bool> has_memory{true};  // for runs
  bool keeps_caches = true, prepares_nothing = false;
  std::atomic<int> caches_kept_for{1 << 30};  // number of questions until the driver says that it keeps none
  std::int64_t extent = -1;
  device_status now = device_status::available;

  std::string_view name() const override { return "fake"; }
  std::string_view vendor() const override { return "test"; }
  result<device_type> type() override { return device_type::other; }
  result<device_status> status() override { return now; }
  result<features> supported_features() override {
    features can;
    can.caching = keeps_caches && caches_kept_for-- > 0;
    return can;
  }
  result<std::vector<std::string>> refusals(const model& network) override {
    std::vector<std::string> all;
    for (const ir::node& n : network.graph.nodes) all.push_back(n.op->name == "relu" ? "" : "it is no relu");
    return all;
  }
  result<std::shared_ptr<prepared_model>> prepare(const model&, const preferences& wanted) override {
    ++prepared;
    seen = wanted;
    return made();
  }
  result<std::shared_ptr<prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                  const preferences&) override {
    ++restored;
    if (buffers.size() != 2 || buffers[0].size() != 2 || buffers[1][0] != std::byte{9})
      return fail(error_code::invalid_file, "other bytes");
    return made();
  }
  preferences seen;

 private:
  result<std::shared_ptr<prepared_model>> made() {
    if (prepares_nothing) return std::shared_ptr<prepared_model>();
    auto model = std::make_shared<plus_one_model>(extent);
    model->runs = &runs;
    model->has_memory = &has_memory;
    return model;
  }
};

struct bench {
  std::shared_ptr<fake_driver> driver = std::make_shared<fake_driver>();
  device on{driver};
};

model network() {
  model_builder b;
  const auto x = b.input("x", {f32, {2, 2}});
  const auto y = b.apply<ops::relu>({}, {*x});
  const auto z = b.apply<ops::erf>({}, {(*y)[0]});
  (void)b.output("z", (*z)[0]);
  return b.finish();
}

/// What the callback got, and what the call returned; they must be one.
template <class Call> prepared prepared_by(Call call) {
  std::promise<prepared> promise;
  std::atomic<int> calls{0};
  auto future = promise.get_future();
  const status returned = call([&](prepared got) {
    ++calls;
    promise.set_value(std::move(got));
  });
  prepared got = future.get();
  CHECK(calls == 1);
  if (returned != status::none) CHECK(got.ended == returned);
  CHECK((got.ended == status::none) == got.model.has_value());
  CHECK((got.ended == status::none) == got.reason.empty());
  return got;
}
prepared prepared_on(const device& on, preparation asked = {}) {
  return prepared_by([&](auto notify) { return on.prepare(network(), std::move(asked), notify); });
}
prepared restored_on(const device& on, preparation asked) {
  return prepared_by([&](auto notify) { return on.prepare_from_cache(std::move(asked), notify); });
}

/// Two rows of n numbers, and place for as many.
struct arrays {
  std::vector<float> x, y;
  explicit arrays(std::size_t n) : x(2 * n, 1.5F), y(2 * n, 0) {}
  request asking() {
    const auto n = static_cast<std::int64_t>(x.size() / 2);
    return {{{reinterpret_cast<std::byte*>(x.data()), x.size() * 4, {2, n}}},
            {{reinterpret_cast<std::byte*>(y.data()), y.size() * 4, {}}},
            false,
            no_deadline};
  }
};

struct file {
  int fd = ::memfd_create("cache", MFD_CLOEXEC);
  ~file() { ::close(fd); }
};
constexpr cache_token token_of(int number) {
  cache_token token{};
  token[31] = static_cast<std::byte>(number);
  return token;
}
preparation cached(const file& f, int token = 1) {
  preparation asked;
  asked.model_cache = {f.fd};
  asked.token = token_of(token);
  return asked;
}

}  // namespace

TEST_CASE("device: preparations are checked before the driver hears of them, and answered once") {
  const bench b;
  preparation speed, turn, use, late;
  speed.wanted.speed = static_cast<performance>(5);
  turn.wanted.turn = static_cast<priority>(-1);
  use.use = static_cast<execution_preference>(3);
  late.deadline = 1;
  CHECK(prepared_on(b.on, speed).reason == "performance: got 5, expected 0 to 4");
  CHECK(prepared_on(b.on, turn).reason == "priority: got -1, expected 0 to 3");
  CHECK(prepared_on(b.on, use).reason == "preference: got 3, expected 0 to 2");
  CHECK(prepared_on(b.on, use).ended == status::invalid_argument);
  CHECK(prepared_on(b.on, late).ended == status::missed_deadline_persistent);
  const prepared none = prepared_by([&](auto notify) { return b.on.prepare(model{}, {}, notify); });
  CHECK(none.ended == status::invalid_argument);
  CHECK(none.reason == "graph: has no output");
  b.driver->now = device_status::busy;
  CHECK(prepared_on(b.on).ended == status::device_unavailable);
  b.driver->now = static_cast<device_status>(4);
  CHECK(prepared_on(b.on).ended == status::device_unavailable);
  const auto nothing = b.on.current_status();
  REQUIRE(!nothing);
  CHECK(nothing.error().message() == "the driver's status is 4, expected 0 to 3");
  CHECK(b.driver->prepared == 0);
  b.driver->now = device_status::available;
  CHECK(prepared_on(b.on).ended == status::none);
  CHECK(b.driver->seen.turn == priority::medium);
  CHECK(b.driver->seen.speed == performance::medium);
  b.driver->prepares_nothing = true;
  CHECK(prepared_on(b.on).ended == status::general_failure);
}

TEST_CASE("device: a callback that nobody calls is called in the end") {
  std::vector<int> got;
  {
    nnrt::hal::detail::exactly_once<int> once([&](int n) { got.push_back(n); }, 7);
  }
  {
    nnrt::hal::detail::exactly_once<int> once([&](int n) { got.push_back(n); }, 8);
    once(1);
    once(2);
    const auto moved = std::move(once);
  }
  CHECK(got == std::vector<int>{7, 1});
}

TEST_CASE("device: supported nodes are told one by one, and a graph that is none is refused") {
  const bench b;
  CHECK(*b.on.supported(network()) == std::vector<bool>{true, false});
  CHECK(b.on.supported(model{}).error().code() == error_code::invalid_argument);
  CHECK(b.on.version() == "fake test 2.1");
  CHECK(b.on.driver().cost_of(f32).power == 1);
  CHECK(b.on.caches_needed().model == 1);
}

TEST_CASE("device: a network with states is refused, for devices keep none") {
  model_builder made;
  const auto x = *made.input("x", {f32, {2}});
  REQUIRE(made.next(*made.state("h", {f32, {2}}), x));
  REQUIRE(made.output("y", x));
  const model with_states = made.finish();
  const bench b;
  const auto refused = b.on.prepare(with_states, {});
  REQUIRE(!refused);
  CHECK(refused.error().code() == error_code::not_supported);
  CHECK(refused.error().message() == "devices keep no states: passes::open_states() makes inputs and outputs of them");
  CHECK(b.on.supported(with_states).error().message() == refused.error().message());
}

TEST_CASE("device: runs are checked, and outputs that are too small say for what") {
  const bench b;
  const prepared_model_handle model = *prepared_on(b.on).model;
  arrays a(3);
  CHECK(model.execute(a.asking()).ended == status::none);
  CHECK(a.y == std::vector<float>(6, 2.5F));
  arrays wide(50);  // another shape through the same model
  CHECK(model.execute(wide.asking()).outputs[0].shape == shape_t{2, 50});
  const int runs = b.driver->runs;

  struct row {
    const char* reason;
    status ended;
    std::function<void(request&)> change;
  };
  const row table[] = {
      {"got 0 inputs and 1 outputs, expected 1 and 1", status::invalid_argument, [](request& r) { r.inputs.clear(); }},
      {"got 1 inputs and 2 outputs, expected 1 and 1", status::invalid_argument,
       [](request& r) { r.outputs.push_back(r.outputs[0]); }},
      {"input 0: got [3, 2], expected [2, -1]", status::invalid_argument,
       [](request& r) {
         r.inputs[0].shape = {3, 2};
       }},
      {"input 0: got [2], expected [2, -1]", status::invalid_argument, [](request& r) { r.inputs[0].shape = {2}; }},
      {"input 0: got [2, -1], expected [2, -1]", status::invalid_argument,
       [](request& r) {
         r.inputs[0].shape = {2, -1};
       }},
      {"input 0: got 23 bytes, expected 24", status::invalid_argument, [](request& r) { r.inputs[0].bytes = 23; }},
      {"input 0: has no memory", status::invalid_argument, [](request& r) { r.inputs[0].data = nullptr; }},
      {"output 0: has no memory", status::invalid_argument, [](request& r) { r.outputs[0].data = nullptr; }},
      {"the deadline is over", status::missed_deadline_persistent, [](request& r) { r.deadline = steady_now(); }},
  };
  for (const row& r : table) {
    CAPTURE(r.reason);
    request asked = a.asking();
    r.change(asked);
    const outcome got = model.execute(asked);
    CHECK(got.ended == r.ended);
    CHECK(got.reason == r.reason);
    CHECK(got.outputs.empty());
    status told = status::none;
    CHECK(model.execute(asked, [&](outcome o) { told = o.ended; }) == r.ended);  // before the call returns
    CHECK(told == r.ended);
  }
  CHECK(b.driver->runs == runs);

  request tight = a.asking();
  tight.outputs[0].bytes = 20;
  const outcome short_by_one = model.execute(tight);
  CHECK(short_by_one.ended == status::output_insufficient_size);
  CHECK(short_by_one.outputs[0].shape == shape_t{2, 3});
  CHECK(!short_by_one.outputs[0].is_sufficient);
  request hurried = a.asking();
  hurried.deadline = no_deadline - 1;
  CHECK(model.execute(hurried).ended == status::missed_deadline_transient);
}

TEST_CASE("device: time is measured where it is asked for, and nowhere else") {
  const bench b;
  const prepared_model_handle model = *prepared_on(b.on).model;
  arrays a(3);
  CHECK(model.execute(a.asking()).took.on_device == timing::unknown);
  request measured = a.asking();
  measured.measure = true;
  const timing took = model.execute(measured).took;
  CHECK(took.in_driver != timing::unknown);
  CHECK(took.on_device <= took.in_driver);
  measured.outputs[0].bytes = 1;
  CHECK(model.execute(measured).took.in_driver == timing::unknown);
}

TEST_CASE("device: one model runs for many callers at once, each with other shapes") {
  const bench b;
  const prepared_model_handle model = *prepared_on(b.on).model;
  std::vector<std::unique_ptr<arrays>> all;
  std::vector<std::future<outcome>> ends;
  for (std::size_t i = 0; i < 16; ++i) {
    all.push_back(std::make_unique<arrays>(i + 1));
    auto promise = std::make_shared<std::promise<outcome>>();
    ends.push_back(promise->get_future());
    CHECK(model.execute(all.back()->asking(), [promise](outcome o) { promise->set_value(std::move(o)); }) ==
          status::none);
  }
  for (std::size_t i = 0; i < 16; ++i) {
    const outcome got = ends[i].get();
    CHECK(got.ended == status::none);
    CHECK(got.outputs[0].shape == shape_t{2, static_cast<std::int64_t>(i) + 1});
    CHECK(all[i]->y == std::vector<float>(2 * i + 2, 2.5F));
  }
}

TEST_CASE("device: a run with fences begins when all are signalled, and says how it ended") {
  const bench b;
  b.driver->extent = 3;
  const prepared_model_handle model = *prepared_on(b.on).model;
  arrays a(3);
  request asked = a.asking();
  asked.measure = true;
  const fence first, second;
  const auto run = model.execute_fenced(asked, {first, second});
  CHECK(run.launched == status::none);
  first.signal();
  CHECK(!run.done.wait_until(steady_now() + 20'000'000).has_value());
  CHECK(run.info().ended == status::general_failure);  // it is not over
  CHECK(b.driver->runs == 0);
  second.signal();
  CHECK(run.done.wait_until(no_deadline) == true);
  CHECK(run.info().ended == status::none);
  CHECK(a.y == std::vector<float>(6, 2.5F));
  CHECK(run.since_fences() <= run.info().took.in_driver);
}

TEST_CASE("device: a run with fences fails with them, with its deadline, and with its duration") {
  const bench b;
  b.driver->extent = 3;
  const prepared_model_handle model = *prepared_on(b.on).model;
  arrays a(3);
  const fence late;
  const auto failed = model.execute_fenced(a.asking(), {late});
  late.fail();
  late.signal();  // the first signal counts
  CHECK(failed.done.wait_until(no_deadline) == false);
  CHECK(failed.info().reason == "a fence has failed");
  const auto refused = model.execute_fenced(a.asking(), {late});
  CHECK(refused.launched == status::invalid_argument);
  CHECK(refused.done.wait_until(0) == false);
  request hurried = a.asking();
  hurried.deadline = steady_now() + 200'000'000;
  const auto never = model.execute_fenced(hurried, {fence()});
  CHECK(never.done.wait_until(no_deadline) == false);
  // on a machine that stood still meanwhile
  const bool was_over = never.launched == status::missed_deadline_persistent;
  CHECK((was_over || never.info().ended == status::missed_deadline_transient));
  const auto brief = model.execute_fenced(a.asking(), {}, 1000);
  CHECK(brief.done.wait_until(no_deadline) == false);
  CHECK(brief.info().ended == status::missed_deadline_transient);
}

TEST_CASE("device: a run with fences that finds no memory fails its fence, and its outputs are not written") {
  const bench b;
  b.driver->extent = 3;
  const prepared_model_handle model = *prepared_on(b.on).model;
  const buffer_role output[] = {{0, 0, 1}};
  const device_buffer y = *b.on.allocate({}, {&model, 1}, {}, output);
  arrays a(3);
  CHECK(y.copy_from({reinterpret_cast<const std::byte*>(a.x.data()), 24}));
  request asked = a.asking();
  asked.outputs[0] = {};
  asked.buffers = {{false, 0, y.token(), {}}};
  b.driver->has_memory = false;
  const auto run = model.execute_fenced(asked, {});
  CHECK(run.launched == status::none);
  CHECK(run.done.wait_until(steady_now() + 10'000'000'000) == false);
  CHECK(run.info().ended == status::general_failure);
  CHECK(run.info().reason == "the run has no thread, or no memory");
  const array_ref<std::byte> to(reinterpret_cast<std::byte*>(a.y.data()), 24);
  CHECK(!y.copy_to(to));
  b.driver->has_memory = true;
  CHECK(model.execute_fenced(asked, {}).done.wait_until(no_deadline) == true);
  CHECK(y.copy_to(to));
  CHECK(a.y == std::vector<float>(6, 2.5F));
}

TEST_CASE("device: a run with fences needs outputs of known extents, with memory for them") {
  const bench b;
  arrays a(3);
  const auto open = prepared_on(b.on).model->execute_fenced(a.asking(), {});
  CHECK(open.launched == status::invalid_argument);
  CHECK(open.info().reason == "output 0: [2, -1] leaves an extent open");
  CHECK(open.done.wait_until(0) == false);
  b.driver->extent = 3;
  request tight = a.asking();
  tight.outputs[0].bytes = 23;
  CHECK(prepared_on(b.on).model->execute_fenced(tight, {}).launched == status::invalid_argument);
  b.driver->extent = 0;
  arrays nothing(0);
  CHECK(prepared_on(b.on).model->execute_fenced(nothing.asking(), {}).info().reason ==
        "output 0: [2, 0] has no elements");
}

TEST_CASE("device: a preparation leaves its cache, and only what it left is taken back") {
  const bench b;
  const file f;
  REQUIRE(
      ::write(f.fd,
              "what was there before, and longer than it will be; what was there before, and longer than it will be",
              100) == 100);
  CHECK(prepared_on(b.on, cached(f)).ended == status::none);
  CHECK(restored_on(b.on, cached(f)).ended == status::none);
  CHECK(b.driver->restored == 1);
  CHECK(restored_on(b.on, cached(f, 2)).reason == "cache: belongs to another token");

  preparation two = cached(f), data = cached(f);
  two.model_cache.push_back(f.fd);
  data.data_cache.push_back(f.fd);
  CHECK(restored_on(b.on, two).reason == "got 2 and 0 cache files, expected 1 and 0");
  CHECK(restored_on(b.on, data).ended == status::invalid_argument);
  CHECK(prepared_on(b.on, two).ended == status::none);  // the model is ready despite faults of caches

  struct ::stat as_written {};
  REQUIRE(::fstat(f.fd, &as_written) == 0);
  std::vector<char> bytes(static_cast<std::size_t>(as_written.st_size));
  REQUIRE(::pread(f.fd, bytes.data(), bytes.size(), 0) == as_written.st_size);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    CAPTURE(at);
    const char flipped = static_cast<char>(bytes[at] ^ 0x10);
    REQUIRE(::pwrite(f.fd, &flipped, 1, static_cast<::off_t>(at)) == 1);
    CHECK(restored_on(b.on, cached(f)).ended == status::general_failure);
    REQUIRE(::pwrite(f.fd, &bytes[at], 1, static_cast<::off_t>(at)) == 1);
  }
  for (::off_t size = as_written.st_size + 3; size >= 0; --size) {
    if (size == as_written.st_size) continue;
    CAPTURE(size);
    REQUIRE(::ftruncate(f.fd, size) == 0);
    CHECK(restored_on(b.on, cached(f)).ended == status::general_failure);
  }
  CHECK(b.driver->restored == 1);
  b.driver->keeps_caches = false;
  CHECK(b.on.caches_needed().model == 0);
  CHECK(restored_on(b.on, cached(f)).reason == "the device keeps no caches");
}

TEST_CASE("device: a driver that keeps caches no more when it is asked again does no harm") {
  for (const int times : {0, 1, 2}) {
    CAPTURE(times);
    const bench b;
    const file f;
    REQUIRE(prepared_on(b.on, cached(f)).ended == status::none);
    b.driver->caches_kept_for = times;
    CHECK(restored_on(b.on, cached(f)).ended == (times == 0 ? status::general_failure : status::none));
  }
}

TEST_CASE("device: files that cannot be written change nothing, and those that can only be read are refused") {
  const bench b;
  preparation closed;
  closed.model_cache = {1'000'000};
  CHECK(prepared_on(b.on, closed).ended == status::none);
  CHECK(restored_on(b.on, closed).ended == status::general_failure);
  const file f;
  const struct {
    std::string path;
    int flags;
    const char* reason;
  } table[] = {{"/proc/self/fd/" + std::to_string(f.fd), O_RDONLY, "cache: is not open for reading and writing"},
               {"/dev/null", O_RDONLY, "cache: is a device, expected a regular file"},
               {"/dev/null", O_RDWR, "cache: is a device, expected a regular file"}};
  for (const auto& row : table) {
    CAPTURE(row.path);
    preparation unusable;
    unusable.model_cache = {::open(row.path.c_str(), row.flags | O_CLOEXEC)};
    REQUIRE(unusable.model_cache[0] >= 0);
    CHECK(prepared_on(b.on, unusable).ended == status::none);
    CHECK(restored_on(b.on, unusable).reason == row.reason);
    ::close(unusable.model_cache[0]);
  }
}

TEST_CASE("device: codes of drivers have their words in both worlds") {
  CHECK(status_of(error_code::deadline_missed) == status::missed_deadline_transient);
  CHECK(status_of(error_code::device_failed) == status::general_failure);
  CHECK(hdi::return_code_of(error_code::not_supported) == hdi::NNRT_NOT_SUPPORT);
  CHECK(hdi::return_code_of(status::output_insufficient_size) == hdi::NNRT_INSUFFICIENT_BUFFER);
  CHECK(hdi::return_code_of(status::none) == 0);
  CHECK(static_cast<int>(status::resource_exhausted_persistent) == 8);
}
