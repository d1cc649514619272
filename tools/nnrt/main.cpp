// main: the command nnrt, whose work its subcommands do.
// Flow: parses the arguments; each subcommand is a file of its own.
#include "command.hpp"

int main(int count, char** arguments) {
  CLI::App program("Neural networks: looks at them, changes their form, prepares them for accelerators.", "nnrt");
  program.set_version_flag("--version", std::string("nnrt ") + nnrt::version);
  program.require_subcommand(1);
  program.footer("Exit codes: 0 done, 1 it failed (the reason is on stderr), 2 the command line is none of its own.");
  int exit_code = nnrt_command::done;
  nnrt_command::add_quantize(program, exit_code);
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& wrong) {
    return program.exit(wrong) == 0 ? nnrt_command::done : nnrt_command::wrong_usage;
  }
  return exit_code;
}
