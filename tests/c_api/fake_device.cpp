// fake_device: see the header.
#include "c_api/fake_device.hpp"

#include <nnrt/hal.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace nnrt_test {
namespace {

using namespace nnrt;

/// Runs nothing: fills outputs with zeros, or fails.
class fake_execution final : public hal::execution {
 public:
  fake_execution(const fake_behaviour& behaviour, const std::vector<tensor_desc>& outputs)
      : behaviour_(behaviour), outputs_(outputs) {}
  result<void> run(array_ref<const hal::argument>, array_ref<hal::argument> outputs, std::int64_t deadline) override {
    if (!behaviour_.run_fails.empty()) return fail(error_code::device_failed, behaviour_.run_fails);
    const std::int64_t begin = steady_now(), end = begin + std::int64_t{behaviour_.run_milliseconds} * 1'000'000;
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(end, deadline) - begin));
    if (deadline < end) return fail(error_code::deadline_missed, "the fake device was interrupted");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      outputs[i].shape = outputs_[i].shape;
      std::memset(outputs[i].data, 0, static_cast<std::size_t>(outputs_[i].bytes() < 0 ? 0 : outputs_[i].bytes()));
    }
    return {};
  }

 private:
  fake_behaviour behaviour_;
  std::vector<tensor_desc> outputs_;
};

/// A desc as a cache keeps it: numbers without the padding between members, whose bytes are anybody's.
struct kept_desc {
  std::int64_t type = 0;
  std::int64_t rank = 0;
  std::int64_t extents[max_rank] = {};

  kept_desc() = default;
  explicit kept_desc(const tensor_desc& desc) : type(static_cast<int>(desc.type)), rank(desc.rank()) {
    std::copy(desc.shape.begin(), desc.shape.end(), extents);
  }
  tensor_desc desc() const {
    shape_t shape;
    for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(extents[axis]);
    return {static_cast<dtype>(type), shape};
  }
};

class fake_prepared final : public hal::prepared_model {
 public:
  fake_prepared(const fake_behaviour& behaviour, std::vector<tensor_desc> inputs, std::vector<tensor_desc> outputs)
      : behaviour_(behaviour), inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}

  std::size_t input_count() const override { return inputs_.size(); }
  std::size_t output_count() const override { return outputs_.size(); }
  const tensor_desc& input_desc(std::size_t i) const override { return inputs_[i]; }
  const tensor_desc& output_desc(std::size_t i) const override { return outputs_[i]; }
  std::string_view input_name(std::size_t) const override { return "in"; }
  std::string_view output_name(std::size_t) const override { return "out"; }
  result<hal::extent_range> input_range(std::size_t i) const override {
    if (!behaviour_.knows_ranges) return fail(error_code::not_supported, "no ranges");
    return hal::extent_range{inputs_[i].shape, behaviour_.forgets_axes ? shape_t{7} : inputs_[i].shape};
  }
  result<std::unique_ptr<hal::execution>> make_execution() override {
    return std::make_unique<fake_execution>(behaviour_, outputs_);
  }
  /// The descs, as bytes; further files hold their number.
  result<std::vector<std::vector<std::byte>>> exported() const override {
    if (!behaviour_.caching) return fail(error_code::not_supported, "no cache");
    std::vector<std::vector<std::byte>> files;
    for (int i = 0; i < behaviour_.exported_files; ++i) files.push_back({std::byte(i), std::byte{7}});
    if (files.empty()) return files;
    for (const auto& list : {inputs_, outputs_}) {
      files[0].push_back(std::byte(list.size()));
      for (const tensor_desc& desc : list) {
        const kept_desc kept(desc);
        const auto* const first = reinterpret_cast<const std::byte*>(&kept);
        files[0].insert(files[0].end(), first, first + sizeof kept);
      }
    }
    return files;
  }

 private:
  fake_behaviour behaviour_;
  std::vector<tensor_desc> inputs_, outputs_;
};

class fake_driver final : public hal::driver {
 public:
  explicit fake_driver(const fake_behaviour& behaviour) : behaviour_(behaviour) {}
  std::string_view name() const override { return behaviour_.name; }
  std::string_view vendor() const override { return "tests"; }
  result<hal::device_type> type() override {
    if (!behaviour_.type_fails.empty()) return fail(error_code::device_failed, behaviour_.type_fails);
    return hal::device_type::accelerator;
  }
  result<hal::device_status> status() override { return hal::device_status::available; }
  result<hal::features> supported_features() override {
    if (!behaviour_.features_fail.empty()) return fail(error_code::device_failed, behaviour_.features_fail);
    hal::features can;
    can.float16 = behaviour_.float16, can.performance = behaviour_.performance, can.priority = behaviour_.priority;
    can.caching = behaviour_.caching, can.asynchronous = behaviour_.asynchronous;
    return can;
  }
  result<std::vector<std::string>> refusals(const model& network) override {
    if (!behaviour_.refusals_fail.empty()) return fail(error_code::device_failed, behaviour_.refusals_fail);
    std::vector<std::string> all;
    for (const ir::node& n : network.graph.nodes)
      all.push_back(n.op->name == behaviour_.refuses ? "the fake device does not like it" : "");
    return all;
  }
  result<std::shared_ptr<hal::prepared_model>> prepare(const model& network, const hal::preferences&) override {
    if (!behaviour_.prepare_fails.empty()) return fail(error_code::device_failed, behaviour_.prepare_fails);
    if (behaviour_.prepared != nullptr) ++*behaviour_.prepared;
    std::vector<tensor_desc> inputs, outputs;
    for (const std::int32_t id : network.graph.inputs) inputs.push_back(network.graph.at(id).desc);
    for (const ir::output& out : network.graph.outputs) outputs.push_back(network.graph.at(out.value).desc);
    return std::make_shared<fake_prepared>(behaviour_, std::move(inputs), std::move(outputs));
  }
  result<std::shared_ptr<hal::prepared_model>> restore(array_ref<const array_ref<const std::byte>> buffers,
                                                       const hal::preferences&) override {
    if (!behaviour_.caching) return fail(error_code::not_supported, "no cache");
    if (static_cast<int>(buffers.size()) != behaviour_.exported_files)
      return fail(error_code::invalid_file, "not my files");
    std::vector<tensor_desc> lists[2];
    array_ref<const std::byte> rest = buffers[0].subspan(2);
    for (auto& list : lists) {
      const auto count = static_cast<std::size_t>(rest[0]);
      rest = rest.subspan(1);
      for (std::size_t i = 0; i < count; ++i, rest = rest.subspan(sizeof(kept_desc))) {
        kept_desc kept;
        std::memcpy(&kept, rest.data(), sizeof kept);
        list.push_back(kept.desc());
      }
    }
    if (behaviour_.restored != nullptr) ++*behaviour_.restored;
    return std::make_shared<fake_prepared>(behaviour_, std::move(lists[0]), std::move(lists[1]));
  }

 private:
  fake_behaviour behaviour_;
};

}  // namespace

std::size_t add_fake_device(const fake_behaviour& behaviour) {
  const auto id = hal::registry().add(std::make_shared<fake_driver>(behaviour));
  if (!id) std::abort();
  return *id;
}
void remove_device(std::size_t id) { (void)hal::registry().remove(id); }

}  // namespace nnrt_test
