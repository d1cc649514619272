// arguments: what the tensors of a run must be - as many as the model has, of shapes that it takes, with memory for them.
// Flow: hal/runnable.hpp asks before a driver sees a run and after it, and so does hal/shared_compile.hpp; drivers do not ask again.
#pragma once

#include <nnrt/core/text.hpp>
#include <nnrt/hal/driver.hpp>

#include <vector>

namespace nnrt::inline NNRT_ISA::hal {

/// The inputs and outputs of a prepared model as runs are held to them; read once. Nothing here takes memory while nothing is wrong.
class ends_of_model {
 public:
  explicit ends_of_model(const prepared_model& of) {
    for (std::size_t i = 0; i < of.input_count(); ++i) inputs_.push_back(of.input_desc(i));
    for (std::size_t i = 0; i < of.output_count(); ++i) outputs_.push_back(of.output_desc(i));
  }

  const std::vector<tensor_desc>& inputs() const { return inputs_; }
  const std::vector<tensor_desc>& outputs() const { return outputs_; }

  /// Counts, shapes and memory, but for how large that of outputs is. Error: invalid_argument.
  result<void> check(array_ref<const argument> inputs, array_ref<const argument> outputs) const {
    if (inputs.size() != inputs_.size() || outputs.size() != outputs_.size())
      return fail(error_code::invalid_argument,
                  {"got ", inputs.size(), " inputs and ", outputs.size(), " outputs, expected ", inputs_.size(), " and ", outputs_.size()});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const argument& given = inputs[i];
      const tensor_desc& desc = inputs_[i];
      if (!is_one_of(given.shape, desc.shape)) return fail(error_code::invalid_argument, joined({"input ", i, ": got ", given.shape, ", expected ", desc.shape}));
      if (given.bytes < bytes_of(desc, given.shape))
        return fail(error_code::invalid_argument, {"input ", i, ": got ", given.bytes, " bytes, expected ", bytes_of(desc, given.shape)});
      if (given.data == nullptr && given.bytes != 0) return fail(error_code::invalid_argument, {"input ", i, ": has no memory"});
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].data == nullptr && outputs[i].bytes != 0) return fail(error_code::invalid_argument, {"output ", i, ": has no memory"});
    return {};
  }

  /// Whether an output's memory is enough for this shape; where that leaves an extent open, anything is.
  bool is_sufficient(std::size_t i, const argument& output, const shape_t& shape) const {
    return shape.elements() < 0 || output.bytes >= bytes_of(outputs_[i], shape);
  }
  /// The shape of output i as a driver has told it, or as the model says where it has not.
  const shape_t& told(std::size_t i, const argument& output) const { return output.shape.rank == outputs_[i].rank() ? output.shape : outputs_[i].shape; }

  /// All outputs have memory for what is known of their shapes: before a run what the model says, after it (`told` by the driver) all.
  /// Error: invalid_argument.
  result<void> check_room(array_ref<const argument> outputs, bool is_told) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const shape_t& shape = is_told ? told(i, outputs[i]) : outputs_[i].shape;
      if (!is_sufficient(i, outputs[i], shape))
        return fail(error_code::invalid_argument, joined({"output ", i, ": got ", outputs[i].bytes, " bytes, expected ", bytes_of(outputs_[i], shape), " for ", shape}));
    }
    return {};
  }
  /// After a run that went well every output has a shape, and one that the model allows. Error: device_failed.
  result<void> check_told(array_ref<const argument> outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (!is_one_of(outputs[i].shape, outputs_[i].shape))
        return fail(error_code::device_failed, joined({"the driver made output ", i, " of shape ", outputs[i].shape, ", expected ", outputs_[i].shape}));
    return {};
  }

  /// Whether all extents of a shape are known, and those that `declared` knows are the same.
  static bool is_one_of(const shape_t& shape, const shape_t& declared) {
    if (shape.rank != declared.rank || shape.elements() < 0) return false;
    for (int axis = 0; axis < shape.rank; ++axis)
      if (declared[axis] >= 0 && declared[axis] != shape[axis]) return false;
    return true;
  }
  static std::size_t bytes_of(const tensor_desc& desc, const shape_t& shape) { return static_cast<std::size_t>(shape.elements() * size_of(desc.type)); }

 private:
  std::vector<tensor_desc> inputs_, outputs_;
};

/// One caller's way to run a model, who may get the arguments wrong: used by one thread at a time.
class checked_execution {
 public:
  checked_execution(std::shared_ptr<const ends_of_model> ends, std::unique_ptr<execution> of) : ends_(std::move(ends)), execution_(std::move(of)) {}

  /// As execution::run(), with arguments that nobody has looked at. Errors: invalid_argument (counts, shapes, sizes), deadline_missed, and the
  /// driver's; device_failed: the driver says that all went well, and gives no shape that the model can have.
  result<void> run(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) {
    if (auto ok = ends_->check(inputs, outputs); !ok) return ok;
    if (auto ok = ends_->check_room(outputs, false); !ok) return ok;
    if (is_over(deadline)) return fail(error_code::deadline_missed, "the deadline is over");
    return drive(inputs, outputs, deadline);
  }
  /// The same for arguments that were looked at.
  result<void> drive(array_ref<const argument> inputs, array_ref<argument> outputs, std::int64_t deadline) {
    for (argument& out : outputs) out.shape = shape_t::unknown(max_rank);  // until the driver says which it is
    auto done = execution_->run(inputs, outputs, deadline);
    if (auto ok = ends_->check_room(outputs, true); !ok) return ok;
    if (done)
      if (auto ok = ends_->check_told(outputs); !ok) return ok;
    return done;
  }

 private:
  std::shared_ptr<const ends_of_model> ends_;
  std::unique_ptr<execution> execution_;
};

}  // namespace nnrt::inline NNRT_ISA::hal
