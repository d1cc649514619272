// memory_functions: hbSys...: memory of the accelerator.
// Flow: part of hb_dnn.hpp; contract in dnn/hb_sys.h.
#pragma once

#include <nnrt/hb_dnn/runtime.hpp>

namespace nnrt::inline NNRT_ISA::hb_dnn {

/// Runs an hbSys function whose pointers were looked at; says its code where it is none of success.
template <class Body> std::int32_t on_memory(const char* me, bool has_arguments, Body body) noexcept {
  return coded(
      me,
      [&](const char* function) {
        const std::int32_t code = has_arguments ? body(runtime::the().memory) : HB_SYS_INVALID_ARGUMENT;
        if (code == HB_SYS_SUCCESS) return code;
        const char* const why = code == HB_SYS_OUT_OF_MEMORY            ? "out of memory"
                                : code == HB_SYS_REGISTER_MEM_FAILED    ? "the memory overlaps other memory of the accelerator"
                                                                        : "an argument is null, 0, too large, unknown or was freed";
        return fails(code, {function, ": ", why});
      },
      HB_SYS_OUT_OF_MEMORY);
}

}  // namespace nnrt::inline NNRT_ISA::hb_dnn

NNRT_C_API int32_t hbSysAllocMem(hbSysMem* mem, uint32_t size) {
  return nnrt::hb_dnn::on_memory("hbSysAllocMem", mem != nullptr, [=](auto& memory) { return memory.allocate(*mem, size); });
}
NNRT_C_API int32_t hbSysAllocCachedMem(hbSysMem* mem, uint32_t size) {
  return nnrt::hb_dnn::on_memory("hbSysAllocCachedMem", mem != nullptr, [=](auto& memory) { return memory.allocate(*mem, size); });
}
NNRT_C_API int32_t hbSysFlushMem(hbSysMem* mem, int32_t flag) {
  const bool is_flag = flag == HB_SYS_MEM_CACHE_INVALIDATE || flag == HB_SYS_MEM_CACHE_CLEAN;
  return nnrt::hb_dnn::on_memory("hbSysFlushMem", mem != nullptr && mem->virAddr != nullptr && is_flag,
                                 [](auto&) -> int32_t { return HB_SYS_SUCCESS; });
}
NNRT_C_API int32_t hbSysFreeMem(hbSysMem* mem) {
  return nnrt::hb_dnn::on_memory("hbSysFreeMem", mem != nullptr, [=](auto& memory) { return memory.free(*mem); });
}
NNRT_C_API int32_t hbSysWriteMem(hbSysMem* dest, char* src, uint32_t size) {
  const bool is_possible = dest != nullptr && src != nullptr && dest->virAddr != nullptr && size > 0 && size <= dest->memSize;
  return nnrt::hb_dnn::on_memory("hbSysWriteMem", is_possible, [=](auto& memory) -> int32_t {
    if (!memory.covers(dest->virAddr, size)) return HB_SYS_INVALID_ARGUMENT;
    std::memcpy(dest->virAddr, src, size);
    return HB_SYS_SUCCESS;
  });
}
NNRT_C_API int32_t hbSysReadMem(char* dest, hbSysMem* src, uint32_t size) {
  const bool is_possible = dest != nullptr && src != nullptr && src->virAddr != nullptr && size > 0 && size <= src->memSize;
  return nnrt::hb_dnn::on_memory("hbSysReadMem", is_possible, [=](auto& memory) -> int32_t {
    if (!memory.covers(src->virAddr, size)) return HB_SYS_INVALID_ARGUMENT;
    std::memcpy(dest, src->virAddr, size);
    return HB_SYS_SUCCESS;
  });
}
NNRT_C_API int32_t hbSysRegisterMem(hbSysMem* mem) {
  return nnrt::hb_dnn::on_memory("hbSysRegisterMem", mem != nullptr, [=](auto& memory) { return memory.add(*mem); });
}
NNRT_C_API int32_t hbSysUnregisterMem(hbSysMem* mem) {
  return nnrt::hb_dnn::on_memory("hbSysUnregisterMem", mem != nullptr, [=](auto& memory) { return memory.remove(*mem); });
}
