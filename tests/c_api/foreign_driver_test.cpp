// foreign_driver_test: drivers that are not this library's see models as programs declared them, whatever this
// library's own operators take. Flow: each row is a model that the builders of NNRt take; a driver that takes
// everything hears of it, the processor says what it does not take.
#include <nnrt/hal.hpp>
#include <nnrt/hdi.hpp>

#include "c_api/operator_case.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace nnrt_test;

namespace {

using namespace nnrt;

class silent_execution final : public hal::execution {
 public:
  result<void> run(array_ref<const hal::argument>, array_ref<hal::argument> outputs, std::int64_t) override {
    for (hal::argument& out : outputs) out.shape = {};
    return {};
  }
};

/// What the driver was given, with its declared ends.
class heard_model final : public hal::prepared_model {
 public:
  explicit heard_model(const model& network) {
    for (const std::int32_t id : network.graph.inputs) inputs_.push_back(network.graph.at(id).desc);
    for (const ir::output& out : network.graph.outputs) outputs_.push_back(network.graph.at(out.value).desc);
  }
  std::size_t input_count() const override { return inputs_.size(); }
  std::size_t output_count() const override { return outputs_.size(); }
  const tensor_desc& input_desc(std::size_t i) const override { return inputs_[i]; }
  const tensor_desc& output_desc(std::size_t i) const override { return outputs_[i]; }
  std::string_view input_name(std::size_t) const override { return "in"; }
  std::string_view output_name(std::size_t) const override { return "out"; }
  result<hal::extent_range> input_range(std::size_t) const override {
    return fail(error_code::not_supported, "no ranges");
  }
  result<std::unique_ptr<hal::execution>> make_execution() override { return std::make_unique<silent_execution>(); }

 private:
  std::vector<tensor_desc> inputs_, outputs_;
};

/// Takes every model, and keeps the last one.
class listening_driver final : public hal::driver {
 public:
  model heard;
  std::string_view name() const override { return "listener"; }
  std::string_view vendor() const override { return "tests"; }
  result<hal::device_type> type() override { return hal::device_type::accelerator; }
  result<hal::device_status> status() override { return hal::device_status::available; }
  result<hal::features> supported_features() override { return hal::features{.dynamic_inputs = true}; }
  result<std::vector<std::string>> refusals(const model& network) override {
    return std::vector<std::string>(network.graph.nodes.size());
  }
  result<std::shared_ptr<hal::prepared_model>> prepare(const model& network, const hal::preferences&) override {
    heard = network;
    return std::make_shared<heard_model>(network);
  }
};

struct listening_device {
  std::shared_ptr<listening_driver> driver = std::make_shared<listening_driver>();
  std::size_t id = *hal::registry().add(driver);
  listening_device() = default;
  listening_device(const listening_device&) = delete;
  ~listening_device() { (void)hal::registry().remove(id); }
};

given typed(OH_NN_DataType type, given one) { return one.type = type, one; }

/// Models that break rules of this library's operators, and what the processor says of them.
std::vector<operator_case> broken() {
  const given x = f32s({1, 2, 2, 1}, {1, 2, 3, 4}), rows = f32s({2, 2}, {1, 2, 3, 4});
  return {
      {"operand type must be accepted",
       OH_NN_OPS_EXPAND_DIMS,
       {rows, constant(f32s({}, {0}))},
       {},
       {f32s({1, 2, 2}, {})},
       {}},
      {"operand type must be accepted",
       OH_NN_OPS_GATHER,
       {rows, f32s({1}, {1}), constant(i64s({1}, {0}))},
       {},
       {f32s({1, 2}, {})},
       {}},
      {"operand type must be accepted",
       OH_NN_OPS_GATHER,
       {rows, i32s({1}, {1}), constant(f32s({1}, {0}))},
       {},
       {f32s({1, 2}, {})},
       {}},
      {"operand must be a constant", OH_NN_OPS_TRANSPOSE, {rows, i32s({2}, {1, 0})}, {}, {f32s({2, 2}, {})}, {}},
      {"operand type must be accepted",
       OH_NN_OPS_TRANSPOSE,
       {rows, constant(f32s({2}, {1, 0}))},
       {},
       {f32s({2, 2}, {})},
       {}},
      {"operand type must be accepted", OH_NN_OPS_RESHAPE, {rows, constant(f32s({1}, {4}))}, {}, {f32s({4}, {})}, {}},
      {"operand type must be accepted",
       OH_NN_OPS_REDUCE_MEAN,
       {rows, constant(f32s({1}, {0}))},
       {},
       {f32s({2}, {})},
       {}},
      {"operand type must be accepted",
       OH_NN_OPS_REDUCE_ALL,
       {rows, constant(i32s({1}, {0}))},
       {},
       {f32s({2}, {})},
       {}},
      {"operand type must be accepted",
       OH_NN_OPS_TOP_K,
       {rows, constant(f32s({1}, {1}))},
       {},
       {f32s({2, 1}, {}), i32s({2, 1}, {})},
       {}},
      {"operand type must be accepted",
       OH_NN_OPS_SLICE,
       {rows, constant(f32s({2}, {0, 0})), constant(f32s({2}, {1, 1}))},
       {},
       {f32s({1, 1}, {})},
       {}},
      {"operands must not both be boolean",
       OH_NN_OPS_ADD,
       {bools({2}, {0, 1}), bools({2}, {0, 1})},
       {},
       {bools({2}, {})},
       {}},
      {"operand type must be accepted", OH_NN_OPS_SOFTMAX, {i64s({2}, {0, 1})}, {}, {i64s({2}, {})}, {}},
      {"operand type must be accepted", OH_NN_OPS_SIGMOID, {bools({2}, {0, 1})}, {}, {bools({2}, {})}, {}},
      {"quantised input must have one scale",
       OH_NN_OPS_SIGMOID,
       {typed(OH_NN_INT8, i32s({2}, {0, 1}))},
       {},
       {typed(OH_NN_INT8, i32s({2}, {}))},
       {}},
      {"extents must be equal or 1", OH_NN_OPS_ADD, {f32s({2}, {1, 2}), f32s({3}, {1, 2, 3})}, {}, {f32s({3}, {})}, {}},
      {"input rank must be 4",
       OH_NN_OPS_AVG_POOL,
       {rows},
       {{OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, {1, 1}}},
       {f32s({2, 2}, {})},
       {}},
      {"input channels must equal weight channels times group",
       OH_NN_OPS_CONV2D,
       {x, constant(f32s({1, 1, 1, 3}, {1, 2, 3})), constant(f32s({1}, {0}))},
       {},
       {f32s({1, 2, 2, 1}, {})},
       {}},
      {"declared output type must match", OH_NN_OPS_RELU, {rows}, {}, {i32s({2, 2}, {})}, {}},
      {"declared output rank must match", OH_NN_OPS_RELU, {rows}, {}, {f32s({4}, {})}, {}},
      {"declared output extent must match", OH_NN_OPS_RELU, {rows}, {}, {f32s({2, 3}, {})}, {}},
      {"types must be equal", OH_NN_OPS_CONCAT, {rows, i32s({2, 2}, {1, 2, 3, 4})}, {}, {f32s({4, 2}, {})}, {}},
      {"types must be equal", OH_NN_OPS_MATMUL, {rows, i64s({2, 2}, {1, 2, 3, 4})}, {}, {f32s({2, 2}, {})}, {}},
  };
}

/// The codes of GetAvailableOperations and Build, and whether the one operation is available.
struct answer {
  OH_NN_ReturnCode asked = OH_NN_FAILED, built = OH_NN_FAILED;
  bool is_available = false;
  std::string why;
};
answer answer_of(const operator_case& of, std::size_t device) {
  answer made;
  set_log([](std::string_view line, void* user) { static_cast<std::string*>(user)->append(line).push_back('\n'); },
          &made.why);
  nnrt_test::detail::model_of_case model(of, way::plain);
  const bool* can = nullptr;
  std::uint32_t count = 0;
  made.asked = OH_NNModel_GetAvailableOperations(model.handle, device, &can, &count);
  made.is_available = count == 1 && can[0];
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model.handle);
  OH_NNCompilation_SetDevice(compilation, device);
  made.built = model.code == OH_NN_SUCCESS ? OH_NNCompilation_Build(compilation) : model.code;
  OH_NNCompilation_Destroy(&compilation);
  set_log(nullptr);
  return made;
}

dtype declared_type(const given& one) { return static_cast<dtype>(one.type); }
shape_t declared_shape(const given& one) {
  shape_t shape;
  for (const std::int32_t extent : one.shape) shape.push_back(extent);
  return shape;
}

}  // namespace

TEST_CASE("a driver that is not ours decides alone what it takes; ours says which rule a model breaks") {
  const listening_device listener;
  for (const operator_case& of : broken()) {
    CAPTURE(of.what);
    CAPTURE(static_cast<int>(of.operation));
    const answer theirs = answer_of(of, listener.id), ours = answer_of(of, 0);
    CAPTURE(theirs.why);
    CAPTURE(ours.why);
    CHECK((theirs.asked == OH_NN_SUCCESS && theirs.is_available && theirs.built == OH_NN_SUCCESS));
    CHECK((ours.asked == OH_NN_SUCCESS && !ours.is_available && ours.built == OH_NN_FAILED));
    CHECK(ours.why.find(of.what) != std::string::npos);
  }
}

TEST_CASE("such a driver sees tensors as they were declared, and HDI carries them there and back") {
  const listening_device listener;
  std::vector<operator_case> all = broken();
  all.push_back({"a scalar declared as [1]", OH_NN_OPS_RANK, {f32s({2}, {1, 2})}, {}, {i32s({1}, {})}, {}});
  all.push_back({"an axis that is taken away",
                 OH_NN_OPS_REDUCE_MEAN,
                 {f32s({2, 2}, {1, 2, 3, 4}), constant(i32s({1}, {1}))},
                 {},
                 {f32s({2, 1}, {})},
                 {}});
  for (const operator_case& of : all) {
    CAPTURE(of.what);
    CAPTURE(static_cast<int>(of.operation));
    REQUIRE(answer_of(of, listener.id).built == OH_NN_SUCCESS);
    const ir::graph& g = listener.driver->heard.graph;
    REQUIRE(g.nodes.size() == 1);
    for (std::size_t i = 0; i < of.in.size(); ++i) {
      CHECK(g.at(g.inputs_of(g.nodes[0])[i]).desc.type == declared_type(of.in[i]));
      CHECK(g.at(g.inputs_of(g.nodes[0])[i]).desc.shape == declared_shape(of.in[i]));
    }
    for (std::size_t i = 0; i < of.out.size(); ++i) {
      CHECK(g.at(g.outputs_of(g.nodes[0])[i]).desc.type == declared_type(of.out[i]));
      CHECK(g.at(g.outputs_of(g.nodes[0])[i]).desc.shape == declared_shape(of.out[i]));
    }
    for (const hdi::encoder how : {hdi::encoder::upstream, hdi::encoder::lossless}) {
      const auto written = hdi::write_model(listener.driver->heard, {.how = how});
      REQUIRE(written);
      const auto read = hdi::read_model(written->model);
      REQUIRE(read);
      const ir::graph& again = read->graph;
      REQUIRE(again.nodes.size() == 1);
      CHECK(again.nodes[0].op->code == g.nodes[0].op->code);
      for (std::size_t i = 0; i < of.in.size(); ++i)
        CHECK(again.at(again.inputs_of(again.nodes[0])[i]).desc.type == declared_type(of.in[i]));
      for (std::size_t i = 0; i < of.out.size(); ++i)
        CHECK(again.at(again.outputs_of(again.nodes[0])[i]).desc.shape == declared_shape(of.out[i]));
    }
  }
}

TEST_CASE("what no driver can be asked is refused before: operands too few, attributes and scales that are none") {
  const auto listener = std::make_shared<listening_driver>();
  const hal::device device(listener);
  model whole;
  ir::graph& g = whole.graph;
  ir::value pair;
  pair.desc = {f32, {2}};
  const std::int32_t y = g.add_value(pair);
  pair.is = ir::kind::input;
  const std::int32_t x = g.add_value(pair);
  const std::int32_t in[] = {x, x}, out[] = {y};
  ir::node add;
  add.op = &ops::of<ops::add>(), add.label = add.op->label;
  pool<word> words;
  pack(ops::add::attrs{}, words);
  add.attrs = g.add_words(words), add.inputs = g.add_operands(in), add.outputs = g.add_operands(out);
  g.nodes.push_back(add);
  g.inputs.push_back(x);
  g.outputs.push_back({y, {}});
  CHECK(device.prepare(whole, {}));
  const auto refused = [&](const char* words_of_it, auto spoil) {
    CAPTURE(words_of_it);
    model broken_model = whole;
    spoil(broken_model.graph);
    const auto reasons = device.refusals(broken_model);
    REQUIRE(reasons);
    CHECK((*reasons)[0].find(words_of_it) != std::string::npos);
    const auto prepared = device.prepare(broken_model, {});
    REQUIRE_FALSE(prepared);
    CHECK(prepared.error().code() == error_code::rule_broken);
    CHECK(prepared.error().message().find(words_of_it) != std::string::npos);
  };
  refused("required operand must be given", [](ir::graph& h) { --h.nodes[0].inputs.count; });
  refused("attributes must be well formed", [](ir::graph& h) { --h.nodes[0].attrs.count; });
  refused("scale must be positive and finite", [](ir::graph& h) { h.values[1].desc = {i8, nd, {2}, quant{-1.0F, 0}}; });
}
