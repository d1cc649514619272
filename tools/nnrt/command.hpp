// command: what the subcommands of nnrt share - how each joins the program, exit codes, errors, reading a model.
// Flow: main.cpp calls add_<name>() of each subcommand's own file; CLI11 parses, and the chosen one leaves its exit
// code.
#pragma once

#include <nnrt/io/model.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace nnrt_command {

/// How a program ends.
inline constexpr int done = 0, failed = 1, wrong_usage = 2;

/// "nnrt: what" on stderr.
inline int complain(std::string_view what, int exit_code = failed) {
  std::fprintf(stderr, "nnrt: %.*s\n", static_cast<int>(what.size()), what.data());
  return exit_code;
}

/// A TensorFlow Lite file or a saved model, as its first bytes say. Errors as tflite::load() and model::load(), and of
/// what is neither.
nnrt::result<nnrt::model> read_model(const std::string& path, const std::string& signature);

/// nnrt embed
void add_embed(CLI::App& program, int& exit_code);
/// nnrt quantize
void add_quantize(CLI::App& program, int& exit_code);

}  // namespace nnrt_command
