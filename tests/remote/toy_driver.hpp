// toy_driver: a device that computes y = 2 x + 1 whatever the model says - its ends are those of the graph -, and tells
// what it was given.
// Flow: tests of hosts and clients, and their fuzzer: nothing is compiled, so that all time goes to the protocol.
#pragma once

#include <nnrt/exec/session.hpp>
#include <nnrt/hal/driver.hpp>

#include <unistd.h>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>

namespace nnrt_test {

/// A value that a test and a driver's threads share. It is the socket between them that orders their work, which no
/// sanitizer sees.
template <class T> class guarded {
 public:
  guarded& operator=(T value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    return *this;
  }
  T operator*() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

/// Every output gets the first input's shape and numbers, times two and one more.
class toy_model final : public nnrt::hal::prepared_model {
 public:
  /// What a run does before it computes, with its inputs and outputs.
  using before_run = std::function<nnrt::result<void>(nnrt::array_ref<const nnrt::hal::argument>,
                                                      nnrt::array_ref<nnrt::hal::argument>)>;
  struct end {
    nnrt::tensor_desc desc;
    std::string name;
  };

  toy_model(std::vector<end> inputs, std::vector<end> outputs, before_run before)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)), before_(std::move(before)) {}

  std::size_t input_count() const override { return inputs_.size(); }
  std::size_t output_count() const override { return outputs_.size(); }
  const nnrt::tensor_desc& input_desc(std::size_t i) const override { return inputs_[i].desc; }
  const nnrt::tensor_desc& output_desc(std::size_t i) const override { return outputs_[i].desc; }
  std::string_view input_name(std::size_t i) const override { return inputs_[i].name; }
  std::string_view output_name(std::size_t i) const override { return outputs_[i].name; }
  /// Executions that live, of all such models.
  static std::atomic<int>& executions() {
    static std::atomic<int> living{0};
    return living;
  }
  /// Milliseconds that runs take, of all such models, unless nobody wants them any more; and how many ended so.
  static std::atomic<int>& run_milliseconds() {
    static std::atomic<int> each{0};
    return each;
  }
  static std::atomic<int>& given_up() {
    static std::atomic<int> count{0};
    return count;
  }
  nnrt::result<nnrt::hal::extent_range> input_range(std::size_t i) const override {
    if (i == 1) return nnrt::fail(nnrt::error_code::not_supported, "the second input may have any extents");
    nnrt::hal::extent_range range{inputs_[i].desc.shape, inputs_[i].desc.shape};
    for (int axis = 0; axis < range.least.rank; ++axis)
      if (range.least[axis] < 0) range.least[axis] = 0, range.most[axis] = 1 << 30;
    return range;
  }
  nnrt::result<std::unique_ptr<nnrt::hal::execution>> make_execution() override {
    return std::make_unique<run_of_it>(*this);
  }
  nnrt::result<std::vector<std::vector<std::byte>>> exported() const override {
    return std::vector<std::vector<std::byte>>{
        {std::byte{7}, std::byte{8}}, {}, std::vector<std::byte>(100'000, std::byte{9})};
  }

 private:
  struct run_of_it final : nnrt::hal::execution {
    explicit run_of_it(const toy_model& of) : model(of) { ++executions(); }
    ~run_of_it() override { --executions(); }
    nnrt::result<void> run(nnrt::array_ref<const nnrt::hal::argument> inputs,
                           nnrt::array_ref<nnrt::hal::argument> outputs, std::int64_t deadline) override {
      if (model.before_)
        if (auto ok = model.before_(inputs, outputs); !ok) return ok;
      for (int wait = 0; wait < run_milliseconds(); ++wait) {
        if (is_unwanted != nullptr && *is_unwanted)
          return ++given_up(), nnrt::fail(nnrt::error_code::deadline_missed, "nobody wants it");
        ::usleep(1000);
      }
      if (deadline != nnrt::no_deadline && nnrt::steady_now() >= deadline)
        return nnrt::fail(nnrt::error_code::deadline_missed, "too slow");
      for (std::size_t i = 0; i < outputs.size() && !inputs.empty(); ++i) {
        outputs[i].shape = inputs[0].shape;
        const auto count = static_cast<std::size_t>(inputs[0].shape.elements());
        if (outputs[i].bytes < count * sizeof(float))
          return nnrt::fail(nnrt::error_code::invalid_argument, "too small");
        if (inputs[0].bytes < count * sizeof(float))
          return nnrt::fail(nnrt::error_code::invalid_argument, "the first input has other elements");
        for (std::size_t k = 0; k < count; ++k) {
          float x = 0;
          std::memcpy(&x, inputs[0].data + sizeof x * k, sizeof x);
          x = 2 * x + 1;
          std::memcpy(outputs[i].data + sizeof x * k, &x, sizeof x);
        }
      }
      return {};
    }
    void stop_when(const std::atomic<bool>* unwanted) override { is_unwanted = unwanted; }
    const toy_model& model;
    const std::atomic<bool>* is_unwanted = nullptr;
  };

  std::vector<end> inputs_, outputs_;
  before_run before_;
};

/// Takes every operator but erf.
class toy_driver : public nnrt::hal::driver {
 public:
  guarded<toy_model::before_run> before;
  guarded<nnrt::hal::preferences> seen;
  std::atomic<int> prepared{0};
  /// Milliseconds that a preparation takes, unless nobody wants it any more; how many have begun, and how many ended
  /// so.
  std::atomic<int> preparation_milliseconds{0}, begun{0}, given_up{0};

  std::string_view name() const override { return "toy"; }
  std::string_view vendor() const override { return "test"; }
  int major_version() const override { return 3; }
  nnrt::result<nnrt::hal::device_type> type() override { return nnrt::hal::device_type::accelerator; }
  nnrt::result<nnrt::hal::device_status> status() override { return nnrt::hal::device_status::available; }
  nnrt::result<nnrt::hal::features> supported_features() override {
    nnrt::hal::features can;
    can.caching = can.dynamic_inputs = can.asynchronous = true;
    return can;
  }
  nnrt::hal::work_cost cost_of(nnrt::dtype type) const override { return {type == nnrt::f32 ? 0.25F : 2.0F, 0.5F}; }
  nnrt::result<std::vector<std::string>> refusals(const nnrt::model& network) override {
    std::vector<std::string> all;
    for (const nnrt::ir::node& n : network.graph.nodes) all.push_back(n.op->name == "erf" ? "it is erf" : "");
    return all;
  }
  nnrt::result<std::shared_ptr<nnrt::hal::prepared_model>> prepare(const nnrt::model& network,
                                                                   const nnrt::hal::preferences& wanted) override {
    const nnrt::ir::graph& g = network.graph;
    std::vector<toy_model::end> inputs, outputs;
    for (const std::int32_t id : g.inputs) inputs.push_back({g.at(id).desc, std::string(g.name_of(g.at(id).name))});
    for (const nnrt::ir::output& out : g.outputs)
      outputs.push_back({g.at(out.value).desc, std::string(g.name_of(out.name))});
    ++begun;
    for (int wait = 0; wait < preparation_milliseconds; ++wait) {
      if (wanted.limit().is_over()) return ++given_up, nnrt::fail(nnrt::error_code::deadline_missed, "nobody wants it");
      ::usleep(1000);
    }
    seen = wanted;
    ++prepared;
    return std::make_shared<toy_model>(std::move(inputs), std::move(outputs), *before);
  }
  /// Takes back what a model exported.
  nnrt::result<std::shared_ptr<nnrt::hal::prepared_model>> restore(
      nnrt::array_ref<const nnrt::array_ref<const std::byte>> buffers, const nnrt::hal::preferences& wanted) override {
    const bool is_ours = buffers.size() == 3 && buffers[0].size() == 2 && buffers[0][1] == std::byte{8} &&
                         buffers[1].empty() && buffers[2].size() == 100'000;
    if (!is_ours) return nnrt::fail(nnrt::error_code::invalid_file, "other bytes");
    seen = wanted;
    const toy_model::end end{{nnrt::f32, {2, -1}}, "restored"};
    return std::make_shared<toy_model>(std::vector<toy_model::end>{end}, std::vector<toy_model::end>{end}, *before);
  }
  nnrt::result<std::shared_ptr<nnrt::hal::prepared_model>> prepare_offline(nnrt::array_ref<const std::byte> file,
                                                                           const nnrt::hal::preferences&) override {
    if (file.size() != 3) return nnrt::fail(nnrt::error_code::invalid_file, "no offline model");
    const toy_model::end end{{nnrt::f32, {4}}, "offline"};
    return std::make_shared<toy_model>(std::vector<toy_model::end>{end}, std::vector<toy_model::end>{end}, *before);
  }
};

}  // namespace nnrt_test
