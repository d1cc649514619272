// main: the command nnrt, whose work its subcommands do.
// Flow: parses the arguments; each subcommand has one file.
#include "command.hpp"

#include <cerrno>
#include <cstring>

namespace {

/// What was printed is where it should be: a disk may be full, a pipe closed.
bool has_printed() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0; }

bool has_subcommand(const CLI::App& program, const std::string& name) {
  return !program.get_subcommands([&](const CLI::App* each) { return each->get_name() == name; }).empty();
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory is exhausted the program may end.
int main(int count, char** arguments) {
  CLI::App program("Neural networks: prepares them for programs and accelerators.", "nnrt");
  program.set_version_flag("--version", std::string("nnrt ") + nnrt::version);
  program.require_subcommand(1);
  program.footer("Exit codes: 0 done, 1 it failed (the reason is on stderr), 2 the command line is invalid.");
  int exit_code = nnrt_command::done;
  nnrt_command::add_embed(program, exit_code);
  nnrt_command::add_quantize(program, exit_code);
  if (count > 1 && arguments[1][0] != '-' && !has_subcommand(program, arguments[1]))
    return nnrt_command::complain(
        std::string("there is no subcommand \"") + arguments[1] + "\"; --help lists the subcommands",
        nnrt_command::wrong_usage);
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& wrong) {
    return program.exit(wrong) == 0 ? nnrt_command::done : nnrt_command::wrong_usage;
  }
  if (exit_code == nnrt_command::done && !has_printed())
    return nnrt_command::complain(std::string("cannot print the report: ") + std::strerror(errno));
  return exit_code;
}
