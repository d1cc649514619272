// wrong_driver_test: nnrt-hal-test finds what is wrong with a driver, and nothing else: each mistake fails the cases
// that promise otherwise.
#include "hal_test/devices.hpp"
#include "hal_test/samples.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace nnrt_hal_test;

namespace {

/// What a wrong driver does.
enum class mistake {
  none,
  has_no_vendor,
  is_of_no_type,
  costs_nothing,
  speaks_of_fewer_nodes,
  crashes_on_high_priority,
  takes_any_offline_model,
  calls_outputs_nothing,
  restores_nothing,
  writes_behind_outputs,
  knows_no_deadline,
  knows_few_rows,
  gives_less_memory,
};

/// A run of the processor's, spoilt.
class wrong_execution final : public execution {
 public:
  wrong_execution(mistake what, std::shared_ptr<prepared_model> of, std::unique_ptr<execution> right)
      : what_(what), of_(std::move(of)), right_(std::move(right)) {}
  result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) override {
    if (what_ == mistake::knows_no_deadline && deadline != no_deadline)
      return fail(error_code::device_failed, "what is a deadline?");
    if (what_ == mistake::knows_few_rows && !inputs.empty() && inputs[0].shape.rank > 0 && inputs[0].shape[0] > 3)
      return fail(error_code::device_failed, "too many rows");
    auto done = right_->run(inputs, outputs, deadline);
    if (!done || what_ != mistake::writes_behind_outputs) return done;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].bytes > model_io::bytes_of(of_->output_desc(i), outputs[i].shape))
        outputs[i].data[outputs[i].bytes - 1] = std::byte{1};
    return done;
  }

 private:
  mistake what_;
  std::shared_ptr<prepared_model> of_;
  std::unique_ptr<execution> right_;
};

class wrong_model final : public prepared_model {
 public:
  wrong_model(mistake what, std::shared_ptr<prepared_model> right) : what_(what), right_(std::move(right)) {}
  std::size_t input_count() const override { return right_->input_count(); }
  std::size_t output_count() const override { return right_->output_count(); }
  const tensor_desc& input_desc(std::size_t i) const override { return right_->input_desc(i); }
  const tensor_desc& output_desc(std::size_t i) const override { return right_->output_desc(i); }
  std::string_view input_name(std::size_t i) const override { return right_->input_name(i); }
  std::string_view output_name(std::size_t i) const override {
    return what_ == mistake::calls_outputs_nothing ? "" : right_->output_name(i);
  }
  result<extent_range> input_range(std::size_t i) const override { return right_->input_range(i); }
  result<std::unique_ptr<execution>> make_execution() override {
    auto made = right_->make_execution();
    if (!made) return made;
    return std::make_unique<wrong_execution>(what_, right_, std::move(*made));
  }
  result<std::vector<std::vector<std::byte>>> exported() const override { return right_->exported(); }

 private:
  mistake what_;
  std::shared_ptr<prepared_model> right_;
};

class wrong_driver final : public hal::driver {
 public:
  explicit wrong_driver(mistake what) : what_(what) {}
  std::string_view name() const override { return "wrong"; }
  std::string_view vendor() const override { return what_ == mistake::has_no_vendor ? "" : "test"; }
  result<device_type> type() override {
    return what_ == mistake::is_of_no_type ? static_cast<device_type>(7) : device_type::other;
  }
  result<device_status> status() override { return device_status::available; }
  result<features> supported_features() override { return right_.supported_features(); }
  work_cost cost_of(dtype) const override { return what_ == mistake::costs_nothing ? work_cost{0, 0} : work_cost{}; }
  result<std::vector<std::string>> refusals(const model& network) override {
    auto all = right_.refusals(network);
    if (all && what_ == mistake::speaks_of_fewer_nodes) all->pop_back();
    return all;
  }
  result<std::shared_ptr<prepared_model>> prepare(const model& network, const preferences& wanted) override {
    if (what_ == mistake::crashes_on_high_priority && wanted.turn == priority::high) std::abort();
    return spoilt(right_.prepare(network, wanted));
  }
  result<std::shared_ptr<prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                  const preferences& wanted) override {
    if (what_ == mistake::restores_nothing) return fail(error_code::invalid_file, "whatever it was");
    return spoilt(right_.restore(buffers, wanted));
  }
  result<std::shared_ptr<prepared_model>> prepare_offline(array_ref<const std::byte> file,
                                                          const preferences& wanted) override {
    if (what_ == mistake::takes_any_offline_model) return spoilt(right_.prepare(relu_network({2, 3}), wanted));
    return spoilt(right_.prepare_offline(file, wanted));
  }
  result<shared_memory> allocate(std::size_t bytes) override {
    return right_.allocate(what_ == mistake::gives_less_memory && bytes > 4096 ? bytes - 4096 : bytes);
  }

 private:
  result<std::shared_ptr<prepared_model>> spoilt(result<std::shared_ptr<prepared_model>>&& made) const {
    if (!made) return std::move(made);
    return std::make_shared<wrong_model>(what_, std::move(*made));
  }

  mistake what_;
  device processor_ = devices().front().device;
  hal::driver& right_ = processor_.driver();
};

}  // namespace

/// The names of the cases that this driver fails. Operators: relu's alone, the others take long.
static std::vector<std::string> failed_by(mistake what) {
  std::vector<std::string> failed;
  const subject make = [what] { return device(std::make_shared<wrong_driver>(what)); };
  for (const test_case& one : all_cases()) {
    if (one.name.rfind("operator.", 0) == 0 && one.name != "operator.relu") continue;
    if (run_apart(one, make, 120).is == mark::failed) failed.push_back(one.name);
  }
  return failed;
}

TEST_CASE("hal_test: a driver that is right passes, and each mistake fails the cases that promise otherwise") {
  struct row {
    mistake what;
    std::vector<std::string> fails;
  };
  const row table[] = {
      {mistake::none, {}},
      {mistake::has_no_vendor, {"identity.name"}},
      {mistake::is_of_no_type, {"identity.type"}},
      {mistake::costs_nothing, {"identity.costs"}},
      {mistake::gives_less_memory, {"buffer.memory"}},
      {mistake::takes_any_offline_model, {"prepare.offline_garbage"}},
      {mistake::crashes_on_high_priority, {"prepare.wishes"}},
      {mistake::calls_outputs_nothing, {"prepare.descs"}},
      {mistake::speaks_of_fewer_nodes, {"model.samples", "prepare.refusals", "operator.relu"}},
      {mistake::restores_nothing,
       {"cache.comes_back", "cache.closed_by_caller", "cache.written_before", "cache.wrong_token"}},
      {mistake::knows_no_deadline, {"run.deadline_soon"}},
      {mistake::knows_few_rows, {"run.shapes_at_once", "run.open_output_short", "operator.relu"}},
      {mistake::writes_behind_outputs, {"run.outputs_end"}},
  };
  for (const row& r : table) {
    CAPTURE(static_cast<int>(r.what));
    std::string got, expected;
    for (const std::string& name : failed_by(r.what)) got += name + " ";
    for (const std::string& name : r.fails) expected += name + " ";
    CHECK(got == expected);
  }
}
