// run_stripes_test: steps that run in stripes of rows give the bits that they give as a whole, whatever the rows and
// threads.
#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>
#include <nnrt/exec/run_stripes.hpp>
#include <nnrt/exec/step_times.hpp>
#include <nnrt/nnrt.hpp>

#include <random>
#include <vector>

#include "support/graphs.hpp"
#include "support/networks.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace nnrt_test;

/// A random network of the operators that run in stripes, one after the other, of floats or of quantised bytes.
class random_chain {
 public:
  random_chain(std::uint32_t seed, dtype type) : draw_(seed), type_(type) {
    image_ = tensor_desc{type, nhwc, {from(1, 3), from(1, 24), from(5, 45), from(1, 40)}};
    if (is_quantised()) image_.quantised = quant{.scale = 0.02F, .zero_point = static_cast<std::int32_t>(from(-9, 9))};
    last_ = before_ = built_.input("x", image_).value();
    for (std::int64_t left = from(2, 7); left > 0; --left) add_layer();
    CHECK(built_.output("y", last_));
  }
  const ir::graph& graph() const { return built_.graph(); }

 private:
  std::int64_t from(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(draw_);
  }
  bool is_quantised() const { return type_ != f32; }
  activation some_activation() { return static_cast<activation>(from(0, 2)); }
  const tensor_desc& desc() const { return built_.desc(last_); }

  std::int32_t weight(shape_t shape) {
    tensor_desc w{type_, nhwc, shape};
    if (is_quantised()) w.quantised = quant{.scale = 0.01F, .zero_point = 0};
    return built_.weight("w" + std::to_string(++weights_), w).value();
  }
  std::int32_t bias(std::int64_t count) {
    if (from(0, 3) == 0) return ir::none;
    return built_.weight("b" + std::to_string(++weights_), {is_quantised() ? i32 : f32, {count}}).value();
  }
  template <class Op> bool apply(const typename Op::attrs& attrs, std::initializer_list<std::int32_t> inputs) {
    tensor_desc wanted;
    if (is_quantised()) wanted.quantised = quant{.scale = 0.03F, .zero_point = static_cast<std::int32_t>(from(-9, 9))};
    const auto made = built_.apply<Op>(attrs, inputs, {wanted});
    if (!made) return false;
    before_ = last_, last_ = (*made)[0];
    return true;
  }
  pads some_pads(std::int64_t most) {
    return {.top = from(0, most), .bottom = from(0, most), .left = from(0, most), .right = from(0, most)};
  }

  void add_layer() {
    switch (from(0, 5)) {
      case 0:
      case 1: return add_convolution(1);
      case 2: return add_convolution(from(2, 3));
      case 3: return add_shortcut();
      default: return add_depthwise();
    }
  }
  void add_convolution(std::int64_t kernel) {
    ops::conv2d::attrs attrs;
    attrs.fused = some_activation();
    if (kernel > 1) attrs.stride = {from(1, 3), from(1, 2)}, attrs.pad = some_pads(kernel - 1);
    const std::int64_t out = from(1, 70);
    const std::int32_t w = weight({out, kernel, kernel, desc().shape[3]});
    apply<ops::conv2d>(attrs, {last_, w, bias(out)});
  }
  void add_depthwise() {
    ops::depthwise_conv2d::attrs attrs;
    attrs.fused = some_activation();
    const std::int64_t kernel = from(2, 5), stride = from(1, 2);
    attrs.stride = {stride, stride}, attrs.pad = some_pads(kernel - 1);
    const std::int64_t out = desc().shape[3];
    const std::int32_t w = weight({out, kernel, kernel, 1});
    apply<ops::depthwise_conv2d>(attrs, {last_, w, bias(out)});
  }
  /// With the value before, if that has the same shape, or with a tensor of the network's weights.
  void add_shortcut() {
    ops::add::attrs attrs;
    attrs.fused = some_activation();
    const std::int32_t other =
        built_.desc(before_).shape == desc().shape && before_ != last_ ? before_ : weight(desc().shape);
    if (from(0, 1) == 0) apply<ops::add>(attrs, {other, last_});
    else apply<ops::add>(attrs, {last_, other});
  }

  std::mt19937 draw_;
  dtype type_;
  model_builder built_;
  tensor_desc image_;
  std::int32_t last_ = 0, before_ = 0;
  int weights_ = 0;
};

/// Numbers of any type that follow from a tensor's name, as bytes.
std::vector<std::byte> bytes_named(std::string_view name, const tensor_desc& desc) {
  const std::vector<float> numbers = numbers_named(name, desc.elements(), 1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(desc.bytes()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (desc.type == f32) std::memcpy(bytes.data() + 4 * i, &numbers[i], 4);
    else if (desc.type == i32) {
      const auto number = static_cast<std::int32_t>(numbers[i] * 5000);
      std::memcpy(bytes.data() + 4 * i, &number, 4);
    } else bytes[i] = static_cast<std::byte>(static_cast<std::int32_t>(numbers[i] * 127));
  }
  return bytes;
}

/// The first output after the second run of a plan in poisoned memory.
std::vector<std::byte> computed(const plan& made, part_runner* threads) {
  const plan_view p = plan_view::of(made);
  poisoned_memory arena(p.arena_bytes), prepared(p.prepared_bytes), prepare_scratch(p.prepare_scratch_bytes);
  poisoned_memory further(threads != nullptr ? p.part_scratch_bytes * (threads->threads() - 1) : 0);
  std::vector<std::byte> constants(p.constants.begin(), p.constants.end());
  std::vector<std::byte*> bases(p.base_count());
  bases[in_arena] = arena.data(), bases[in_prepared] = prepared.data(),
  bases[in_prepare_scratch] = prepare_scratch.data();
  bases[in_constants] = constants.data();
  std::vector<std::vector<std::byte>> given;
  for (const array_ref<const port> ports : {p.inputs, p.weights})
    for (const port& at : ports) given.push_back(bytes_named(p.name_of(at), p.desc_of(at)));
  for (std::size_t i = 0; i < given.size(); ++i) bases[first_input + i] = given[i].data();
  const auto untouched = given;
  std::vector<view> views(p.slots.size());
  make_views(p, bases, views);
  run_context context;
  context.bases = bases, context.views = views;
  run_steps(p, p.prepare, context);
  context.threads = threads, context.further_scratch = further.data();
  run_plan(p, context);
  run_plan(p, context);
  CHECK(given == untouched);
  const std::byte* const first = bases[in_arena] + p.slot_of(p.outputs[0]).offset;
  return {first, first + p.desc_of(p.outputs[0]).bytes()};
}

/// Threads that a plan's parts are made for, one after the other, the last one first: the bits must not depend on who
/// makes what. Each has the first half of the pieces of its part and the second half of another's.
class taken_in_turn final : public part_runner {
 public:
  explicit taken_in_turn(int threads) : threads_(threads) {}
  void run(parallel_phases& work, int first, int end) override {
    for (int number = first; number < end;) {
      const parallel_phases::phase phase = work.at(number);
      for (int thread = threads_; thread-- > 0;) {
        given pieces(thread, std::max(phase.parts, 1), phase.pieces);
        work.run(number, pieces);
      }
      work.done(number);
      number = phase.next;
    }
  }
  int threads() const override { return threads_; }

 private:
  class given final : public piece_source {
   public:
    given(int thread, int parts, int pieces) : thread_(thread), parts_(parts), pieces_(pieces) {}
    int thread() const override { return thread_; }
    bool next(piece_of_part& found) override {
      if (thread_ >= parts_ || next_ >= pieces_) return false;
      const bool is_own = next_ < (pieces_ + 1) / 2;
      found = {is_own ? thread_ : (thread_ + 1) % parts_, next_++};
      return true;
    }

   private:
    int thread_, parts_, pieces_, next_ = 0;
  };

  int threads_;
};

/// Steps of random chains, in stripes and shared out together, have the bits of whole results; enough of them are.
void check_bits(dtype type, std::uint32_t seeds) {
  taken_in_turn two(2), three(3), seven(7);
  part_runner* const threads[] = {nullptr, &two, &three, &seven};
  std::size_t banded = 0, joined = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    CAPTURE(seed);
    const random_chain chain(seed, type);
    const ir::graph& g = chain.graph();
    if (g.nodes.empty()) continue;
    const plan whole = make_plan(g, {.stripes = {.enabled = false}});
    CHECK(whole.stripes.empty());
    const std::vector<std::byte> expected = computed(whole, nullptr);
    for (const std::int64_t rows : {0, 1, 2, 3, 8}) {
      CAPTURE(rows);
      plan made = make_plan(g, {.stripes = {.rows = rows}});
      // Enough parts for one piece, or eight, for each thread.
      const int parts = seed % 2 == 0 ? 16 : 1024;
      for (stripe_group& group : made.stripes)
        (rows > 0 ? banded : joined) += static_cast<std::size_t>(group.steps.count), group.parts = parts;
      for (step& s : made.steps) s.parts = parts;
      CHECK(made.arena_bytes >= made.arena_lower_bound);
      for (part_runner* const runner : threads) CHECK(computed(made, runner) == expected);
    }
  }
  CHECK(banded > 5 * seeds);
  CHECK((joined > seeds / 5 || seeds < 50));  // of a few chains none may have any
}

const std::uint32_t chains = cases(200U, 6U);

TEST_CASE("run_stripes: random chains of floats have the same bits in stripes, for any rows and threads") {
  check_bits(f32, chains);
}
TEST_CASE("run_stripes: random chains of stored bytes have the same bits in stripes, for any rows and threads") {
  check_bits(i8, chains);
}

/// Widen, filter each channel, narrow, add what went in: 10 MB between the steps.
constexpr auto residual = [](builder& g) {
  auto x = g.input<f32, shape<2, 61, 96, 8>>("x");
  auto wide = layers::conv2d<96, 1, 1>(relu(x), "expand", relu6);
  auto filtered = layers::depthwise_conv2d<3, 3>(wide, "filter", same, relu6);
  auto narrow = layers::conv2d<8, 1, 1>(filtered, "project");
  g.output("y", relu(x) + narrow);
};
using net = graph<residual>;

// Three steps in stripes, and the sum as a whole: what lies before it fits into the cache.
static_assert(net::plan.stripes.size() == 1 && net::plan.stripes[0].steps.count == 3);
static_assert(net::arena_bytes < 2 * 1024 * 1024);

TEST_CASE("run_stripes: executors and sessions run in stripes, on any number of threads") {
  ir::graph optimised = net::ir();
  passes::optimise(optimised);
  const plan whole = make_plan(optimised, {.stripes = {.enabled = false}});
  CHECK(whole.arena_bytes > 9000000);
  const std::vector<float> expected = computed_by_plan(optimised, {.stripes = {.enabled = false}})[0];
  CHECK(close({expected}, computed_by_references(net::ir()), 1e-4));
  for (const int threads : {1, 2, 3}) {
    auto run = executor<net>::create(weights_for<net>(), {.threads = threads});
    REQUIRE(run);
    const std::vector<float> once = copied((*run)(input_for<net>()));
    auto model = to_model<net>(weights_for<net>());
    session dynamic(compile(model.value(), {.threads = threads}).value());
    const std::vector<float> x = input_for<net>();
    std::copy(x.begin(), x.end(), dynamic.input<float>(0).begin());
    REQUIRE(dynamic.run());
    CHECK(copied(dynamic.output<float>(0)) == once);
    step_times times;
    REQUIRE(dynamic.run(times));
    CHECK(copied(dynamic.output<float>(0)) == once);
    std::int64_t end = 0;
    for (const step_time& of_step : times.all()) {
      CHECK(of_step.runs == 1);
      CHECK(of_step.begin >= end);
      CHECK(of_step.last > 0);
      end = of_step.begin + of_step.last;
    }
    CHECK(dynamic.run_until(0).error().code() == error_code::deadline_missed);
    REQUIRE(dynamic.run_until(no_deadline - 1));
    CHECK(copied(dynamic.output<float>(0)) == once);
    CHECK(once.size() == expected.size());
  }
}

const std::byte* seen_end = nullptr;
bool seen_stripe = false;

TEST_CASE(
    "run_stripes: kernels know where the prepared weights end and which images are stripes that have just been made, "
    "in "
    "stripes and as a whole") {
  ir::graph g = net::ir();
  passes::optimise(g);
  plan made = make_plan(g);
  REQUIRE((made.stripes.size() == 1 && made.steps.size() > 3));
  for (step& s : made.steps)
    s.run = [](const kernel_call& call) { seen_end = call.weights_end, seen_stripe = call.reads_stripe; };
  const plan_view p = plan_view::of(made);
  poisoned_memory arena(p.arena_bytes), prepared(p.prepared_bytes);
  std::vector<std::byte*> bases(p.base_count());
  bases[in_arena] = arena.data(), bases[in_prepared] = prepared.data();
  std::vector<view> views(p.slots.size());
  make_views(p, bases, views);
  run_context context;
  context.bases = bases, context.views = views;
  CHECK(p.prepared_bytes > 0);
  std::size_t calls = 0;
  run_plan(p, context, [&](std::size_t i) {
    ++calls;
    CHECK(seen_end == prepared.data() + p.prepared_bytes);
    CAPTURE(i);
    CHECK(seen_stripe == (i == 2 || i == 3));  // what filters and narrows; what widens reads a whole tensor
    seen_end = nullptr;
  });
  CHECK(calls > p.steps.size());
}

TEST_CASE("run_stripes: who watches a plan sees each step, and those in stripes once for each stripe") {
  const plan_view p = plan_view::of(net::plan);
  poisoned_memory arena(p.arena_bytes), prepared(p.prepared_bytes);
  std::vector<std::byte*> bases(p.base_count());
  bases[in_arena] = arena.data(), bases[in_prepared] = prepared.data();
  std::vector<std::vector<std::byte>> given;
  for (const array_ref<const port> ports : {p.inputs, p.weights})
    for (const port& at : ports) given.push_back(bytes_named(p.name_of(at), p.desc_of(at)));
  for (std::size_t i = 0; i < given.size(); ++i) bases[first_input + i] = given[i].data();
  std::vector<view> views(p.slots.size());
  make_views(p, bases, views);
  run_context context;
  context.bases = bases, context.views = views;
  run_steps(p, p.prepare, context);
  std::vector<std::int64_t> seen(p.steps.size());
  CHECK(run_plan(p, context, [&](std::size_t i) { ++seen[i]; }) == nullptr);
  const std::int64_t rows = p.stripes[0].rows, stripes = (61 + rows - 1) / rows;
  CHECK(seen == std::vector<std::int64_t>{1, 2 * stripes, 2 * stripes, 2 * stripes, 1});
}

}  // namespace
