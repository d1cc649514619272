// run_file: loads, compiles and runs the bytes of a .tflite file; numbers go in and come out as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tflite_test {

struct result_tensor {
  std::string name, type;
  std::vector<std::int64_t> shape;
  std::vector<double> numbers;
};

struct outcome {
  std::string error;               // empty when everything went well
  std::vector<std::string> nodes;  // operators of the model, in order
  std::vector<result_tensor> inputs, outputs, states;
};

/// Loads the file only: `outputs` have no numbers.
outcome load_file(std::span<const std::byte> file, bool unknown_extents = false, std::string_view signature = {});
/// One run with these inputs.
outcome run_file(std::span<const std::byte> file, const std::vector<std::vector<double>>& inputs);
/// One run after the other in one session, each with these inputs; before the run of this number the session is reset.
std::vector<outcome> run_in_turn(std::span<const std::byte> file,
                                 const std::vector<std::vector<std::vector<double>>>& inputs,
                                 std::size_t reset_before = 0);
/// One run of a file with unknown extents, for inputs of these shapes.
outcome run_resized(std::span<const std::byte> file, const std::vector<std::vector<std::int64_t>>& shapes,
                    const std::vector<std::vector<double>>& inputs);
/// One run of a file on the disk; the model is gone when the network runs.
outcome run_path(const std::string& path, const std::vector<std::vector<double>>& inputs);
/// A run of one session for each of `inputs`, of a file on the disk that has one input and one output; the numbers of
/// all runs, one after the other, are those of outputs[0].
outcome run_each(const std::string& path, const std::vector<std::vector<double>>& inputs);

/// An operator that is read: its name, the newest version that is known, and its options' tag and number of fields.
struct known_operator {
  std::string name;
  int newest, tag, fields;
};
std::vector<known_operator> known_operators();

}  // namespace tflite_test
