// arguments: checks of a run's tensors - their number, shapes and memory.
// Flow: hal/prepared_model_handle.hpp checks before and after a driver's run, hal/shared_compile.hpp once for all
// segments. Drivers do not check again.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/hal/driver.hpp>

#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// The extents that input i of a model may have, according to its driver.
/// Errors: the driver's; device_failed (the range does not fit the input's declared shape).
inline result<extent_range> input_range_of(const prepared_model& of, std::size_t i) {
  auto range = of.input_range(i);
  if (range && !range->is_for(of.input_desc(i).shape))
    return fail(error_code::device_failed, {"input ", i, ": the driver takes ", range->least, " to ", range->most,
                                            ", expected extents of ", of.input_desc(i).shape});
  return range;
}

/// The inputs and outputs of a prepared model, read once, and checks of arguments against them. A check that passes
/// allocates nothing; shapes equal to the model's cost one comparison.
class model_io {
 public:
  explicit model_io(const prepared_model& of) {
    for (std::size_t i = 0; i < of.input_count(); ++i) inputs_.push_back({of.input_desc(i), of.input_desc(i).bytes()});
    for (std::size_t i = 0; i < of.output_count(); ++i)
      outputs_.push_back({of.output_desc(i), of.output_desc(i).bytes()});
  }

  const tensor_desc& output(std::size_t i) const { return outputs_[i].desc; }

  /// Checks counts, shapes and memory, but not whether outputs are large enough. Error: invalid_argument.
  result<void> check(array_ref<const argument> inputs, array_ref<const argument> outputs) const {
    if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size())
      return fail(error_code::invalid_argument, {"got ", inputs.size(), " inputs and ", outputs.size(),
                                                 " outputs, expected ", inputs_.size(), " and ", outputs_.size()});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const argument& given = inputs[i];
      const bool is_own = inputs_[i].has(given.shape);
      if (!is_own && !is_one_of(given.shape, inputs_[i].desc.shape))
        return fail(error_code::invalid_argument,
                    {"input ", i, ": got ", given.shape, ", expected ", inputs_[i].desc.shape});
      const std::size_t bytes =
          is_own ? static_cast<std::size_t>(inputs_[i].bytes) : bytes_of(inputs_[i].desc, given.shape);
      if (given.bytes < bytes)
        return fail(error_code::invalid_argument, {"input ", i, ": got ", given.bytes, " bytes, expected ", bytes});
      if (given.data == nullptr && given.bytes != 0)
        return fail(error_code::invalid_argument, {"input ", i, ": has no memory"});
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].data == nullptr && outputs[i].bytes != 0)
        return fail(error_code::invalid_argument, {"output ", i, ": has no memory"});
    return {};
  }
  /// Checks that every output has enough memory for the model's declared shape, where all of its extents are known.
  /// Error: invalid_argument.
  result<void> check_room(array_ref<const argument> outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const end& e = outputs_[i]; e.bytes >= 0 && outputs[i].bytes < static_cast<std::size_t>(e.bytes))
        return too_small(i, outputs[i], e.desc.shape);
    return {};
  }
  /// Checks after a run that every output has a shape that the model allows, and memory for it.
  /// Errors: invalid_argument (an output with open extents is larger than its memory); the driver's; device_failed (the
  /// driver reported success, but an output has a shape that the model does not allow).
  result<void> check_after(result<void>&& ran, array_ref<const argument> outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs_[i].has(outputs[i].shape)) continue;
      if (!is_sufficient(i, outputs[i], told(i, outputs[i]))) return too_small(i, outputs[i], outputs[i].shape);
      if (ran && !is_one_of(outputs[i].shape, outputs_[i].desc.shape))
        return fail(error_code::device_failed, {"the driver made output ", i, " of shape ", outputs[i].shape,
                                                ", expected ", outputs_[i].desc.shape});
    }
    return std::move(ran);
  }

  /// Whether an output's memory holds a tensor of this shape. A shape with open extents needs none.
  bool is_sufficient(std::size_t i, const argument& output, const shape_t& shape) const {
    return shape.elements() < 0 || output.bytes >= bytes_of(outputs_[i].desc, shape);
  }
  /// The shape of output i that the driver reported; without a report, the model's.
  const shape_t& told(std::size_t i, const argument& output) const {
    return output.shape.rank == outputs_[i].desc.rank() ? output.shape : outputs_[i].desc.shape;
  }

  /// Whether all extents of a shape are known and equal those known in `declared`.
  static bool is_one_of(const shape_t& shape, const shape_t& declared) {
    if (shape.rank != declared.rank || shape.elements() < 0) return false;
    for (int axis = 0; axis < shape.rank; ++axis)
      if (declared[axis] >= 0 && declared[axis] != shape[axis]) return false;
    return true;
  }
  static std::size_t bytes_of(const tensor_desc& desc, const shape_t& shape) {
    return static_cast<std::size_t>(shape.elements() * size_of(desc.type));
  }

 private:
  struct end {
    tensor_desc desc;
    std::int64_t bytes;  // -1: an extent is open
    bool has(const shape_t& shape) const { return bytes >= 0 && shape == desc.shape; }
  };
  [[gnu::cold]] failure too_small(std::size_t i, const argument& output, const shape_t& shape) const {
    return fail(error_code::invalid_argument, {"output ", i, ": got ", output.bytes, " bytes, expected ",
                                               bytes_of(outputs_[i].desc, shape), " for ", shape});
  }

  std::vector<end> inputs_, outputs_;
};

/// An execution that checks its arguments. One thread at a time may use it.
class checked_execution {
 public:
  checked_execution(std::shared_ptr<const model_io> ends, std::unique_ptr<execution> of)
      : ends_(std::move(ends)), execution_(std::move(of)) {}

  /// Checks the arguments, then runs like execution::run().
  /// Errors: invalid_argument (counts, shapes, sizes); deadline_missed; the driver's; device_failed (the driver
  /// reported success, but an output has a shape that the model does not allow).
  result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) {
    if (auto ok = ends_->check(inputs, outputs); !ok) return ok;
    if (auto ok = ends_->check_room(outputs); !ok) return ok;
    if (is_over(deadline)) return fail(error_code::deadline_missed, "the deadline is over");
    return drive(inputs, outputs, deadline);
  }
  /// See execution::stop_when().
  void stop_when(const std::atomic<bool>* is_unwanted) { execution_->stop_when(is_unwanted); }
  /// Runs with arguments that were checked before.
  result<void> drive(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) {
    for (argument& out : outputs) out.shape.rank = 0;  // until the driver sets it
    return ends_->check_after(execution_->run(inputs, outputs, deadline), outputs);
  }

 private:
  std::shared_ptr<const model_io> ends_;
  std::unique_ptr<execution> execution_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
