// options: the choices at run time that static executors and compiled programs share.
// Flow: executor::create and compile() take them.
#pragma once

#include <nnrt/core/config.hpp>

namespace nnrt::inline NNRT_ISA {

/// Choices at run time.
struct options {
  int threads = 1;  // including the caller's; results have the same bits for any number
};

}  // namespace nnrt::inline NNRT_ISA
