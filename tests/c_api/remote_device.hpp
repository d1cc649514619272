// remote_device: the processor's driver in another process, listed as a device of this one.
// Flow: operator_cases_test.cpp has each case computed by it, too.
#pragma once

#include <nnrt/hal/cpu_driver.hpp>
#include <nnrt/hal/registry.hpp>
#include <nnrt/remote/client.hpp>
#include <nnrt/remote/host.hpp>

#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <csignal>
#include <memory>

namespace nnrt_test {

class remote_device {
 public:
  remote_device()
      : process_(begin_child([this] {
          ::prctl(PR_SET_PDEATHSIG, SIGKILL);
          auto listens = nnrt::remote::listening_socket::at(folder_.file("socket"));
          const nnrt::owned_fd never(::eventfd(0, EFD_CLOEXEC));
          return listens && nnrt::remote::serve(nnrt::hal::device(std::make_shared<nnrt::hal::cpu_driver>()), *listens,
                                                never.number())
                     ? 0
                     : 1;
        })) {
    auto driver = nnrt::remote::connect(folder_.file("socket"));
    for (int i = 0; i < 1000 && !driver; ++i) ::usleep(10'000), driver = nnrt::remote::connect(folder_.file("socket"));
    if (driver) id_ = nnrt::hal::registry().add(*driver).value();
  }
  remote_device(const remote_device&) = delete;
  ~remote_device() {
    if (id_ != 0) (void)nnrt::hal::registry().remove(id_);
    ::kill(process_, SIGKILL);
    (void)end_of(process_);
  }
  /// As the C functions know it; 0: there is none.
  std::size_t id() const { return id_; }

 private:
  temporary_folder folder_;
  ::pid_t process_;
  std::size_t id_ = 0;
};

}  // namespace nnrt_test
