// contract: handling of broken preconditions that only run time can detect.
// Flow: executors report wrong sizes here; try_run() returns them as errors instead.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

// Outside of the namespace of instruction sets: units compiled for several sets are one program. Null:
// abort_on_broken_contract. Atomic by compiler built-ins: <atomic> costs each translation unit 0.06 s.
namespace nnrt::whole_program {
inline void (*contract_handler)(const std::string& message) = nullptr;
}

namespace nnrt { inline namespace NNRT_ISA {

/// Called with one line about the broken precondition. If it returns, the call has no effect.
using contract_handler = void (*)(const std::string& message);

/// Prints the line to stderr and aborts.
inline void abort_on_broken_contract(const std::string& message) {
  std::fprintf(stderr, "nnrt: %s\n", message.c_str());
  std::abort();
}

/// Sets the handler of the whole program and returns the previous one; nullptr restores abort_on_broken_contract. Safe
/// from any thread.
inline contract_handler set_contract_handler(contract_handler handler) {
  const contract_handler before = __atomic_exchange_n(&whole_program::contract_handler, handler, __ATOMIC_ACQ_REL);
  return before != nullptr ? before : &abort_on_broken_contract;
}

/// Reports a broken precondition.
[[gnu::cold]] inline void broken_contract(const std::string& message) {
  const contract_handler handler = __atomic_load_n(&whole_program::contract_handler, __ATOMIC_ACQUIRE);
  (handler != nullptr ? handler : &abort_on_broken_contract)(message);
}

}}  // namespace nnrt::NNRT_ISA
