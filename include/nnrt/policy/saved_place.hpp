// saved_place: where the nodes of a quantised network run, and why.
// Flow: calibrate() records it; saved models store it, the nnrt command prints it.
#pragma once

#include <nnrt/core/config.hpp>

#include <string>

namespace nnrt { inline namespace NNRT_ISA {

/// Where a node of a graph runs.
struct saved_place {
  bool on_accelerator = false;
  std::string why;  // it runs on the processor
};

}}  // namespace nnrt::NNRT_ISA
