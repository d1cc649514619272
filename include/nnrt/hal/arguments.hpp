// arguments: what the tensors of a run must be - as many as the model has, of shapes that it takes, with memory for
// them.
// Flow: hal/runnable.hpp asks before a driver sees a run and after it, hal/shared_compile.hpp for the whole of its
// parts; drivers do not ask again.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/hal/driver.hpp>

#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// The extents that input i of a model may have, as its driver says, looked at. Errors: the driver's; device_failed (no
/// input can have these).
inline result<extent_range> input_range_of(const prepared_model& of, std::size_t i) {
  auto range = of.input_range(i);
  if (range && !range->is_for(of.input_desc(i).shape))
    return fail(error_code::device_failed, {"input ", i, ": the driver takes ", range->least, " to ", range->most,
                                            ", expected extents of ", of.input_desc(i).shape});
  return range;
}

/// The inputs and outputs of a prepared model as runs are held to them; read once. Nothing here takes memory while
/// nothing is wrong, and shapes that are the model's own take a comparison.
class model_io {
 public:
  explicit model_io(const prepared_model& of) {
    for (std::size_t i = 0; i < of.input_count(); ++i) inputs_.push_back({of.input_desc(i), of.input_desc(i).bytes()});
    for (std::size_t i = 0; i < of.output_count(); ++i)
      outputs_.push_back({of.output_desc(i), of.output_desc(i).bytes()});
  }

  const tensor_desc& output(std::size_t i) const { return outputs_[i].desc; }

  /// Counts, shapes and memory, but for how large that of outputs is. Error: invalid_argument.
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
  /// All outputs have memory for what the model says of their shapes. Error: invalid_argument.
  result<void> check_room(array_ref<const argument> outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (const end& e = outputs_[i]; e.bytes >= 0 && outputs[i].bytes < static_cast<std::size_t>(e.bytes))
        return too_small(i, outputs[i], e.desc.shape);
    return {};
  }
  /// After a run: every output has a shape that the model allows, and memory for it. Errors: invalid_argument (an
  /// output whose extents the model leaves open is larger than its memory), what the driver said, device_failed (it
  /// said that all went well, and made such a shape).
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

  /// Whether an output's memory is enough for this shape; where that leaves an extent open, anything is.
  bool is_sufficient(std::size_t i, const argument& output, const shape_t& shape) const {
    return shape.elements() < 0 || output.bytes >= bytes_of(outputs_[i].desc, shape);
  }
  /// The shape of output i as a driver has told it, or as the model says where it has not.
  const shape_t& told(std::size_t i, const argument& output) const {
    return output.shape.rank == outputs_[i].desc.rank() ? output.shape : outputs_[i].desc.shape;
  }

  /// Whether all extents of a shape are known, and those that `declared` knows are the same.
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

/// One caller's way to run a model, who may get the arguments wrong: used by one thread at a time.
class checked_execution {
 public:
  checked_execution(std::shared_ptr<const model_io> ends, std::unique_ptr<execution> of)
      : ends_(std::move(ends)), execution_(std::move(of)) {}

  /// As execution::run(), with arguments that nobody has looked at. Errors: invalid_argument (counts, shapes, sizes),
  /// deadline_missed, and the driver's; device_failed: the driver says that all went well, and gives no shape that the
  /// model can have.
  result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) {
    if (auto ok = ends_->check(inputs, outputs); !ok) return ok;
    if (auto ok = ends_->check_room(outputs); !ok) return ok;
    if (is_over(deadline)) return fail(error_code::deadline_missed, "the deadline is over");
    return drive(inputs, outputs, deadline);
  }
  /// As execution::stop_when().
  void stop_when(const std::atomic<bool>* is_unwanted) { execution_->stop_when(is_unwanted); }
  /// The same as run() for arguments that were looked at.
  result<void> drive(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) {
    for (argument& out : outputs) out.shape.rank = 0;  // until the driver says which it is
    return ends_->check_after(execution_->run(inputs, outputs, deadline), outputs);
  }

 private:
  std::shared_ptr<const model_io> ends_;
  std::unique_ptr<execution> execution_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
