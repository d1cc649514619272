// samples: small valid networks, arguments for them, and what comes out of them.
// Flow: cases take those that the device runs, change one thing, and look what it says.
#pragma once

#include "hal_test/suite.hpp"

#include <nnrt/io/model.hpp>

#include <string>
#include <vector>

namespace nnrt_hal_test {

/// A valid network by name.
struct sample {
  std::string name;
  model network;
};

/// Networks of floats and of bytes, with constants, several inputs, several outputs and several nodes.
std::vector<sample> samples();
/// y = relu(x) of rank 2; extents may be -1.
model relu_network(shape_t shape);
/// Those that the device runs whole.
std::vector<sample> taken_samples(const device& on);

/// What the callback of a preparation got, and whether that is one answer, given once, and what was returned.
prepared prepared_by(probe& p, const std::function<status(std::function<void(prepared)>)>& call);
prepared prepare(probe& p, const model& network, preparation asked = {});
/// A sample that is ready; nothing, and a message, when the device does not prepare what it takes.
std::optional<prepared_model_handle> ready(probe& p, const sample& one);

/// Memory for a run that tells when bytes after outputs were written.
class arrays {
 public:
  /// For inputs of these shapes (none: those of the model, whose extents are known then).
  explicit arrays(const prepared_model& of, std::vector<shape_t> shapes = {});
  request asking();
  std::vector<std::byte>& input(std::size_t i) { return inputs_[i]; }
  /// Of a run that went well: the bytes of each output, without those after it.
  std::vector<std::vector<std::byte>> results(const outcome& how) const;
  bool wrote_behind(const outcome& how) const;

 private:
  std::vector<tensor_desc> in_, out_;
  std::vector<std::vector<std::byte>> inputs_, outputs_;
};

/// What the references make of the same inputs.
std::vector<std::vector<std::byte>> expected_of(const model& network, arrays& given);
/// Compares results: reals to four digits, quantised values within a step, others exactly.
bool are_close(const prepared_model& of, const std::vector<std::vector<std::byte>>& got,
               const std::vector<std::vector<std::byte>>& expected);

}  // namespace nnrt_hal_test
