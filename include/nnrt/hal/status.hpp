// status: results of device calls, numbered as in Android's NN HAL 1.3.
// Flow: hal/device.hpp returns them; hdi/return_code.hpp has OpenHarmony's.
#pragma once

#include <nnrt/core/result.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// Numbers: ErrorStatus of NN HAL 1.3. Transient: a retry may succeed.
enum class status {
  none,
  device_unavailable,
  general_failure,
  output_insufficient_size,
  invalid_argument,
  missed_deadline_transient,
  missed_deadline_persistent,
  resource_exhausted_transient,
  resource_exhausted_persistent,
};

/// The status for a driver's error. output_insufficient_size is found by hal::device itself.
constexpr status status_of(error_code code) {
  switch (code) {
    case error_code::invalid_argument:
    case error_code::rule_broken: return status::invalid_argument;
    case error_code::deadline_missed: return status::missed_deadline_transient;
    case error_code::out_of_memory: return status::resource_exhausted_transient;
    case error_code::invalid_file:
    case error_code::not_found:
    case error_code::not_supported:
    case error_code::io_failed:
    case error_code::device_failed: break;
  }
  return status::general_failure;
}

}}}  // namespace nnrt::NNRT_ISA::hal
