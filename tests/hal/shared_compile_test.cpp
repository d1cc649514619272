// shared_compile_test: networks cut between two devices give what one gives, wherever they are cut.
#include <nnrt/hal/shared_compile.hpp>

#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/relu.hpp>

#include "support/random_graph.hpp"
#include "support/weighed.hpp"

#include <doctest/doctest.h>

using namespace nnrt;
using namespace nnrt_test;

namespace {

/// The processor under another name: it takes the nodes that a number chooses, and remembers what it was given.
class choosy_driver final : public hal::driver {
 public:
  explicit choosy_driver(std::uint32_t choice) : choice_(choice) {}
  std::string_view name() const override { return "choosy"; }
  std::string_view vendor() const override { return "test"; }
  result<hal::device_type> type() override { return hal::device_type::other; }
  result<hal::device_status> status() override { return hal::device_status::available; }
  result<hal::features> supported_features() override { return hal::features{}; }
  result<std::vector<std::string>> refusals(const model& network) override {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < network.graph.nodes.size(); ++i) all.push_back(takes(i) ? "" : "not chosen");
    return all;
  }
  result<std::shared_ptr<hal::prepared_model>> prepare(const model& network, const hal::preferences& wanted) override {
    prepared_nodes += network.graph.nodes.size();
    return processor_.prepare(network, wanted);
  }
  bool takes(std::size_t i) const { return (choice_ * 2654435761U >> (i % 32)) % 2 == 1; }
  std::size_t prepared_nodes = 0;

 private:
  hal::cpu_driver processor_;
  std::uint32_t choice_;
};

/// The outputs of one run, with inputs that follow from their names; empty when it fails.
outputs_of_graph run(hal::prepared_model& model) {
  std::vector<std::vector<float>> x, y;
  std::vector<hal::argument> inputs, outputs;
  for (std::size_t i = 0; i < model.input_count(); ++i)
    x.push_back(numbers_named(model.input_name(i), model.input_desc(i).elements(), 1));
  for (std::size_t i = 0; i < model.output_count(); ++i)
    y.emplace_back(static_cast<std::size_t>(model.output_desc(i).elements()));
  for (std::size_t i = 0; i < x.size(); ++i)
    inputs.push_back({reinterpret_cast<std::byte*>(x[i].data()), x[i].size() * 4, model.input_desc(i).shape});
  for (auto& list : y) outputs.push_back({reinterpret_cast<std::byte*>(list.data()), list.size() * 4, {}});
  auto execution = model.make_execution();
  if (!execution || !(*execution)->run(inputs, outputs, no_deadline)) return {};
  return y;
}

/// A driver that breaks its contract: it takes all nodes, and then prepares nothing, or a model that makes no
/// execution, tells no shape or has other ends.
class wrong_driver final : public hal::driver {
 public:
  enum class fault {
    prepares_nothing,
    makes_no_execution,
    tells_no_shape,
    speaks_of_no_node,
    has_fewer_outputs,
    has_more_inputs,
    has_other_type,
    has_other_shape,
    has_open_shape
  };
  explicit wrong_driver(fault which) : which_(which) {}
  std::string_view name() const override { return "wrong"; }
  std::string_view vendor() const override { return "test"; }
  result<hal::device_type> type() override { return hal::device_type::other; }
  result<hal::device_status> status() override { return hal::device_status::available; }
  result<hal::features> supported_features() override { return hal::features{}; }
  result<std::vector<std::string>> refusals(const model& network) override {
    return std::vector<std::string>(which_ == fault::speaks_of_no_node ? 0 : network.graph.nodes.size());
  }
  result<std::shared_ptr<hal::prepared_model>> prepare(const model& network, const hal::preferences& wanted) override {
    if (which_ == fault::prepares_nothing) return std::shared_ptr<hal::prepared_model>();
    auto made = processor_.prepare(network, wanted);
    if (!made) return made;
    return std::static_pointer_cast<hal::prepared_model>(std::make_shared<wrong_model>(std::move(*made), which_));
  }

 private:
  struct silent_execution final : hal::execution {
    result<void> run(array_ref<const hal::argument>, array_ref<hal::argument>, std::int64_t) override { return {}; }
  };
  struct wrong_model final : hal::prepared_model {
    wrong_model(std::shared_ptr<hal::prepared_model> right, fault which)
        : right_(std::move(right)), which_(which), output_(right_->output_desc(0)) {
      if (which == fault::has_other_type) output_.type = i8;
      if (which == fault::has_other_shape) output_.shape[0] += 1;
      if (which == fault::has_open_shape) output_.shape[0] = -1;
    }
    std::size_t input_count() const override {
      return right_->input_count() + (which_ == fault::has_more_inputs ? 1 : 0);
    }
    std::size_t output_count() const override {
      return which_ == fault::has_fewer_outputs ? 0 : right_->output_count();
    }
    const tensor_desc& input_desc(std::size_t i) const override {
      return right_->input_desc(i < right_->input_count() ? i : 0);
    }
    const tensor_desc& output_desc(std::size_t i) const override { return i == 0 ? output_ : right_->output_desc(i); }
    std::string_view input_name(std::size_t i) const override { return right_->input_name(i); }
    std::string_view output_name(std::size_t i) const override { return right_->output_name(i); }
    result<hal::extent_range> input_range(std::size_t i) const override { return right_->input_range(i); }
    result<std::unique_ptr<hal::execution>> make_execution() override {
      if (which_ == fault::has_open_shape) return right_->make_execution();
      if (which_ == fault::makes_no_execution) return std::unique_ptr<hal::execution>();
      return std::unique_ptr<hal::execution>(std::make_unique<silent_execution>());
    }
    std::shared_ptr<hal::prepared_model> right_;
    fault which_;
    tensor_desc output_;  // the first one
  };

  hal::cpu_driver processor_;
  fault which_;
};

}  // namespace

TEST_CASE("shared compile: a driver that breaks its contract is an error, not a crash") {
  using fault = wrong_driver::fault;
  const model network = weighed(random_graph(7).made());
  wrong_driver silent(fault::speaks_of_no_node), empty(fault::prepares_nothing), idle(fault::makes_no_execution),
      vague(fault::tells_no_shape);
  CHECK(compile(network, silent).error().code() == error_code::device_failed);
  const auto nothing = compile(network, empty);
  REQUIRE(!nothing);
  CHECK(nothing.error().message() == "segment 0: the driver prepared nothing");
  const auto without = compile(network, idle);
  REQUIRE(without);
  CHECK((*without)->make_execution().error().message() == "the driver made no execution");
  const auto made = compile(network, vague);
  REQUIRE(made);
  CHECK(run(**made).empty());
  hal::preferences wanted;
  wanted.speed = static_cast<hal::performance>(9);
  CHECK(compile(network, vague, wanted).error().message() == "segment 0: performance: got 9, expected 0 to 4");
}

TEST_CASE(
    "shared compile: a driver that prepares other ends than those of its segment is an error, and open extents are "
    "none") {
  using fault = wrong_driver::fault;
  model_builder b;
  (void)b.output("y", (*b.apply<ops::relu>({}, {*b.input("x", {f32, {2, 4}})}))[0]);
  const model network = b.finish();
  struct row {
    fault which;
    const char* why;
  };
  const row table[] = {
      {fault::has_fewer_outputs, "segment 0: the driver prepared 1 inputs and 0 outputs, expected 1 and 1"},
      {fault::has_more_inputs, "segment 0: the driver prepared 2 inputs and 1 outputs, expected 1 and 1"},
      {fault::has_other_type, "segment 0: the driver prepared output 0: got i8 [2, 4], expected f32 [2, 4]"},
      {fault::has_other_shape, "segment 0: the driver prepared output 0: got f32 [3, 4], expected f32 [2, 4]"},
  };
  for (const row& r : table) {
    wrong_driver other(r.which);
    const auto made = compile(network, other);
    REQUIRE(!made);
    CHECK(made.error().code() == error_code::device_failed);
    CHECK(made.error().message() == r.why);
  }
  wrong_driver open(fault::has_open_shape);
  hal::cpu_driver processor;
  const auto made = compile(network, open), expected = compile(network, processor);
  REQUIRE(made);
  REQUIRE(expected);
  CHECK(!run(**expected).empty());
  CHECK(run(**made) == run(**expected));
}

TEST_CASE("shared compile: random networks compute the same, whichever nodes a device takes") {
  std::size_t prepared_nodes = 0;
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const model network = weighed(random_graph(seed).made());
    const outputs_of_graph expected = computed_by_references(network.graph);
    for (const std::uint32_t choice : {0U, 1U, seed + 2, 77 * seed + 5}) {
      CAPTURE(choice);
      choosy_driver device(choice);
      const auto made = compile(network, device);
      REQUIRE_MESSAGE(made.has_value(), made.error().message());
      std::size_t taken = 0;
      for (std::size_t i = 0; i < (*made)->nodes().size(); ++i) {
        const hal::placed_node& n = (*made)->nodes()[i];
        CHECK(n.on_device == device.takes(i));
        CHECK(n.reason.empty() == n.on_device);
        taken += n.on_device ? 1 : 0;
      }
      CHECK(device.prepared_nodes <= taken);  // nodes whose results nobody reads are left out
      prepared_nodes += device.prepared_nodes;
      CHECK(close(run(**made), expected, 1e-4));
    }
  }
  CHECK(prepared_nodes > 500);
}

TEST_CASE("shared compile: what does not fit is refused before anything runs") {
  choosy_driver device(3);
  CHECK(compile(model{}, device).error().message() == "graph: has no output");
  model open = weighed(random_graph(1).made());
  ir::value& x = open.graph.at(open.graph.inputs[0]);
  x.desc = tensor_desc(f32, shape_t::unknown(x.desc.rank()));
  const auto unknown = compile(open, device);
  CHECK(!unknown);
  const model network = weighed(random_graph(2).made());
  const auto made = compile(network, device);
  REQUIRE(made.has_value());
  auto execution = (*made)->make_execution();
  REQUIRE(execution.has_value());
  CHECK((*execution)->run({}, {}, no_deadline).error().code() == error_code::invalid_argument);
}
