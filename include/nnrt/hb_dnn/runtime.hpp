// runtime: what all hbDNN functions of a program share - memory, models, tasks, cores.
// Flow: each function begins with runtime::the().
#pragma once

#include <nnrt/hb_dnn/memory.hpp>
#include <nnrt/hb_dnn/scheduler.hpp>

namespace nnrt::inline NNRT_ISA::hb_dnn {

class packed_models;
class loaded_model;

/// One for each program.
struct runtime {
  static runtime& the() {
    static runtime one;
    return one;
  }

  device_memory memory;
  handle_registry<packed_models> packed;
  handle_registry<loaded_model> models;
  handle_registry<task> tasks;
  std::mutex admission;    // held by whoever makes tasks, or takes models back
  scheduler cores;         // last: at the program's end its threads end first

 private:
  runtime() { (void)c_api::detail::sink(); }  // which therefore lives longer
};

}  // namespace nnrt::inline NNRT_ISA::hb_dnn
