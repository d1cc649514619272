// contract: what happens when a call breaks a documented precondition that only run time can see.
// Flow: executors report wrong sizes here; try_run() returns them as errors instead.
#pragma once

#include <nnrt/core/config.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace nnrt::inline NNRT_ISA {

/// Called with one line that says what was wrong. If it returns, the broken call has no effect.
using contract_handler = void (*)(const std::string& message);

/// Prints the line to stderr and aborts.
inline void abort_on_broken_contract(const std::string& message) {
  std::fprintf(stderr, "nnrt: %s\n", message.c_str());
  std::abort();
}

namespace detail {
inline std::atomic<contract_handler> current_contract_handler{&abort_on_broken_contract};
}  // namespace detail

/// Sets the handler of the whole program and returns the one before; nullptr restores abort_on_broken_contract. Any thread.
inline contract_handler set_contract_handler(contract_handler handler) {
  return detail::current_contract_handler.exchange(handler != nullptr ? handler : &abort_on_broken_contract);
}

/// Reports a broken contract.
inline void broken_contract(const std::string& message) { detail::current_contract_handler.load()(message); }

}  // namespace nnrt::inline NNRT_ISA
