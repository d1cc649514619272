// nnrt-driverd: hosts a driver in a separate process, at a Unix-domain socket.
// Flow: programs find it by NNRT_DRIVER_SOCKETS (c_api/devices.hpp) or remote::connect(); everything but the command
// line is remote/host.hpp.
#include <nnrt/hal.hpp>
#include <nnrt/hal/bpu_driver.hpp>
#include <nnrt/remote.hpp>
#include <nnrt/remote/activation.hpp>

#include <CLI/CLI.hpp>

#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

namespace {

using namespace nnrt;

/// The device of this name, or of this full name; null: there is none, and `names` says which there are.
hal::device_registry::entry find_driver(const std::string& wanted, std::string& names) {
  (void)hal::add_accelerators();
  for (const std::size_t id : hal::registry().ids()) {
    auto device = hal::registry().find(id);
    if (device->device.driver().name() == wanted || device->name == wanted) return device;
    names += (names.empty() ? "" : ", ") + std::string(device->device.driver().name());
  }
  return nullptr;
}

constexpr int failed = 1, wrong_usage = 2;

int complain(const std::string& why, int exit_code = failed) {
  std::fprintf(stderr, "nnrt-driverd: %s\n", why.c_str());
  return exit_code;
}

/// A file that can be read when the process is told to end.
int end_signals() {
  ::sigset_t ends;
  ::sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&ends, signal);
  ::sigprocmask(SIG_BLOCK, &ends, nullptr);
  return ::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Each client has sockets and memory, and each of them is a file: as many as the system lets a process have.
void allow_many_files() {
  ::rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

// NOLINTNEXTLINE(bugprone-exception-escape): where memory is exhausted the program may end.
int main(int count, char** words) {
  CLI::App app("Hosts a driver at a Unix-domain socket, for programs of the same user.", "nnrt-driverd");
  app.footer(
      "Programs list the device where NNRT_DRIVER_SOCKETS names the socket. Started by systemd for a socket unit, or "
      "by any program that hands it a\n"
      "listening socket as file 3 with LISTEN_FDS=1 and LISTEN_PID, the host serves that one and needs no --socket. "
      "SIGTERM, SIGINT or SIGHUP end the host and remove the socket;\n"
      "runs that are under way have 5 seconds to end, and then SIGALRM kills it (142 to a shell).\n"
      "Exit codes: 0 it was ended and every run had come to its end, 1 it failed (the reason is on stderr), 2 the "
      "arguments make no sense.");
  std::string socket, driver = "cpu";
  remote::host_options options;
  std::uint64_t memory_mib = options.most.memory_bytes >> 20U;
  bool is_quiet = false, lists = false;
  auto* const path =
      app.add_option("--socket", socket, "Where to listen; a socket that a killed host left there is replaced")
          ->type_name("PATH");
  app.add_option("--driver", driver, "The device, by its name")->capture_default_str()->type_name("NAME");
  app.add_option("--name", options.name, "By which programs know the device [remote_<its own name>]")
      ->type_name("NAME");
  app.add_option("--clients", options.most.clients,
                 "Connections of programs at once; a process that has one leaves the last quarter to others")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--runs", options.most.connections, "Runs of one program at the same time")
      ->capture_default_str()
      ->check(CLI::Range(1, 4096));
  app.add_option("--models", options.most.models, "Prepared models of one program")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--memory", memory_mib,
                 "MiB of tensors that one program may share, and as many of the host's own for it: constants of its "
                 "models, weights as kernels read them, arenas\n"
                 "and copies of inputs")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 24));
  app.add_option("--handshake", options.most.handshake_milliseconds,
                 "Milliseconds until a new connection must have asked something")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 30));
  app.add_option("--idle", options.most.idle_milliseconds,
                 "Milliseconds that a program without models or memory here may be silent")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 30));
  app.add_flag("--list", lists, "Print the devices that --driver knows, and end");
  app.add_flag("--quiet", is_quiet, "Say nothing of clients that come or are refused");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& wrong) {
    return app.exit(wrong) == 0 ? 0 : wrong_usage;
  }
  std::string names;
  if (lists) {
    (void)find_driver("", names);
    std::printf("%s\n", names.c_str());
    return 0;
  }
  auto activated = remote::activated_socket();
  if (!activated) return complain(activated.error().message());
  if (path->empty() && !*activated)
    return complain("--socket PATH says where to listen; --help says more", wrong_usage);
  if (!path->empty() && *activated)
    return complain("--socket: a socket was given already (LISTEN_FDS), expected one of the two", wrong_usage);
  const auto is_control = [](char letter) { return static_cast<unsigned char>(letter) < ' ' || letter == 127; };
  if (std::any_of(options.name.begin(), options.name.end(), is_control))
    return complain("--name: has letters that no terminal shows", wrong_usage);
  const auto device = find_driver(driver, names);
  if (device == nullptr) return complain("there is no driver \"" + driver + "\", but " + names, wrong_usage);
  options.most.memory_bytes = memory_mib << 20U;
  if (!is_quiet)
    options.say = [](std::string_view line) {
      std::fprintf(stderr, "nnrt-driverd: %.*s\n", static_cast<int>(line.size()), line.data());
    };

  options.on_stop = [] { ::alarm(5); };  // not caught: it kills the process if runs have not ended by then
  std::signal(SIGPIPE, SIG_IGN);         // the reader of the log may end; clients shall not notice
  allow_many_files();
  const owned_fd stop(end_signals());
  if (!stop.is_open()) return complain("cannot wait for signals");
  auto listens =
      *activated ? result<remote::listening_socket>(std::move(**activated)) : remote::listening_socket::at(socket);
  if (!listens) return complain(listens.error().message());
  if (!is_quiet) std::fprintf(stderr, "nnrt-driverd: %s listens at %s\n", device->name, listens->path().c_str());
  const auto done = remote::serve(device->device, *listens, stop.number(), options);
  if (!done) return complain(done.error().message());
  return 0;
}
