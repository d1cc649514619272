// return_code: results of device calls as return codes of HDI.
// Flow: hosts of drivers return them to callers of HDI; hal/status.hpp has NN HAL's.
#pragma once

#include <nnrt/hal/status.hpp>
#include <nnrt/hdi/types.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hdi {

/// The return code of HDI 2 for a driver's error.
constexpr NNRT_ReturnCode return_code_of(error_code code) {
  switch (code) {
    case error_code::invalid_argument: return NNRT_INVALID_PARAMETER;
    case error_code::invalid_file: return NNRT_INVALID_FILE;
    case error_code::not_found: return NNRT_INVALID_PATH;
    case error_code::not_supported: return NNRT_NOT_SUPPORT;
    case error_code::rule_broken: return NNRT_UNSUPPORTED_OP;
    case error_code::out_of_memory: return NNRT_OUT_OF_MEMORY;
    case error_code::io_failed: return NNRT_MEMORY_ERROR;
    case error_code::device_failed: return NNRT_DEVICE_ERROR;
    case error_code::deadline_missed: return NNRT_TIME_OUT;
  }
  return NNRT_FAILED;
}

/// The return code of HDI 2 for a status of hal::device.
constexpr NNRT_ReturnCode return_code_of(hal::status ended) {
  switch (ended) {
    case hal::status::none: return NNRT_SUCCESS;
    case hal::status::device_unavailable: return NNRT_DEVICE_BUSY;
    case hal::status::general_failure: return NNRT_FAILED;
    case hal::status::output_insufficient_size: return NNRT_INSUFFICIENT_BUFFER;
    case hal::status::invalid_argument: return NNRT_INVALID_PARAMETER;
    case hal::status::missed_deadline_transient:
    case hal::status::missed_deadline_persistent: return NNRT_TIME_OUT;
    case hal::status::resource_exhausted_transient:
    case hal::status::resource_exhausted_persistent: return NNRT_OUT_OF_MEMORY;
  }
  return NNRT_FAILED;
}

}}}  // namespace nnrt::NNRT_ISA::hdi
