// hosted: a driver at a socket, served by a thread of the test or by another process.
// Flow: tests of remote/client.hpp connect to it.
#pragma once

#include <nnrt/remote/host.hpp>

#include "support/temporary_folder.hpp"

#include <sys/eventfd.h>
#include <unistd.h>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

namespace nnrt_test {

/// Serves until it is stopped; a socket in a new folder, or at a path that is given.
class hosted {
 public:
  explicit hosted(std::shared_ptr<nnrt::hal::driver> driver, nnrt::remote::host_options options = {},
                  const std::string& at = {})
      : path_(at.empty() ? folder_.file("socket") : at),
        stop_(::eventfd(0, EFD_CLOEXEC)),
        listens_(nnrt::remote::listening_socket::at(path_)) {
    if (listens_)
      thread_ = std::thread([this, driver = std::move(driver), options = std::move(options)] {
        (void)nnrt::remote::serve(nnrt::hal::device(driver), *listens_, stop_.number(), options);
      });
  }
  hosted(const hosted&) = delete;
  hosted& operator=(const hosted&) = delete;
  ~hosted() { stop(); }
  void stop() {
    const std::uint64_t one = 1;
    if (thread_.joinable() && ::write(stop_.number(), &one, sizeof one) == sizeof one) thread_.join();
  }
  const std::string& path() const { return path_; }

 private:
  temporary_folder folder_;
  std::string path_;
  nnrt::owned_fd stop_;
  nnrt::result<nnrt::remote::listening_socket> listens_;
  std::thread thread_;
};

/// Files that this process has open.
inline std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

}  // namespace nnrt_test
