// memory_functions: the functions hbSys..., which manage the accelerator's memory.
// Flow: part of hb_dnn.hpp; contract in dnn/hb_sys.h.
#pragma once

#include <nnrt/hb_dnn/runtime.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Runs an hbSys function. `wrong`: message for HB_SYS_INVALID_ARGUMENT; null: body() logs its own.
template <class Body>
std::int32_t on_memory(const char* me, std::initializer_list<c_api::argument> given, const char* wrong,
                       Body body) noexcept {
  return coded(
      me,
      [&](const char* function) -> std::int32_t {
        if (misses(function, given, HB_SYS_INVALID_ARGUMENT)) return HB_SYS_INVALID_ARGUMENT;
        const std::int32_t code = body(runtime::the().memory);
        if (code == HB_SYS_SUCCESS || (code == HB_SYS_INVALID_ARGUMENT && wrong == nullptr)) return code;
        const char* const why = code == HB_SYS_OUT_OF_MEMORY ? "out of memory"
                                : code == HB_SYS_REGISTER_MEM_FAILED
                                    ? "the memory overlaps other memory of the accelerator"
                                    : wrong;
        return fails(code, {function, ": ", why});
      },
      HB_SYS_OUT_OF_MEMORY);
}

/// Checks the arguments of hbSysWriteMem and hbSysReadMem, then calls copy().
template <class Copy>
std::int32_t copy_memory(const char* me, std::initializer_list<c_api::argument> given, const char* its_name,
                         const hbSysMem* mem, std::uint32_t size, Copy copy) noexcept {
  return on_memory(me, given, nullptr, [&](auto& memory) -> std::int32_t {
    if (mem->virAddr == nullptr) return fails(HB_SYS_INVALID_ARGUMENT, {me, ": ", its_name, "->virAddr is null"});
    if (size > mem->memSize)
      return fails(HB_SYS_INVALID_ARGUMENT,
                   {me, ": size: got ", size, ", expected at most ", its_name, "->memSize, ", mem->memSize});
    if (!memory.covers(mem->virAddr, size))
      return fails(HB_SYS_INVALID_ARGUMENT, {me, ": ", its_name, ": got memory of fewer bytes than ", size,
                                             " from virAddr on, as it was allocated or registered"});
    copy();
    return HB_SYS_SUCCESS;
  });
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn

NNRT_C_API int32_t hbSysAllocMem(hbSysMem* mem, uint32_t size) {
  return nnrt::hb_dnn::on_memory("hbSysAllocMem", {{"mem", mem}, {"size", size}}, nullptr,
                                 [=](auto& memory) { return memory.allocate(*mem, size); });
}
NNRT_C_API int32_t hbSysAllocCachedMem(hbSysMem* mem, uint32_t size) {
  return nnrt::hb_dnn::on_memory("hbSysAllocCachedMem", {{"mem", mem}, {"size", size}}, nullptr,
                                 [=](auto& memory) { return memory.allocate(*mem, size); });
}
NNRT_C_API int32_t hbSysFlushMem(hbSysMem* mem, int32_t flag) {
  using namespace nnrt::hb_dnn;
  return on_memory("hbSysFlushMem", {{"mem", mem}}, nullptr, [=](auto&) -> int32_t {
    if (mem->virAddr == nullptr) return fails(HB_SYS_INVALID_ARGUMENT, {"hbSysFlushMem: mem->virAddr is null"});
    if (flag == HB_SYS_MEM_CACHE_INVALIDATE || flag == HB_SYS_MEM_CACHE_CLEAN) return HB_SYS_SUCCESS;
    return fails(HB_SYS_INVALID_ARGUMENT,
                 {"hbSysFlushMem: flag: got ", flag, ", expected ", static_cast<int>(HB_SYS_MEM_CACHE_INVALIDATE),
                  " or ", static_cast<int>(HB_SYS_MEM_CACHE_CLEAN)});
  });
}
NNRT_C_API int32_t hbSysFreeMem(hbSysMem* mem) {
  return nnrt::hb_dnn::on_memory("hbSysFreeMem", {{"mem", mem}},
                                 "no allocated memory begins at mem->virAddr, or it was freed",
                                 [=](auto& memory) { return memory.free(*mem); });
}
NNRT_C_API int32_t hbSysWriteMem(hbSysMem* dest, char* src, uint32_t size) {
  return nnrt::hb_dnn::copy_memory("hbSysWriteMem", {{"dest", dest}, {"src", src}, {"size", size}}, "dest", dest, size,
                                   [=] { std::memcpy(dest->virAddr, src, size); });
}
NNRT_C_API int32_t hbSysReadMem(char* dest, hbSysMem* src, uint32_t size) {
  return nnrt::hb_dnn::copy_memory("hbSysReadMem", {{"dest", dest}, {"src", src}, {"size", size}}, "src", src, size,
                                   [=] { std::memcpy(dest, src->virAddr, size); });
}
NNRT_C_API int32_t hbSysRegisterMem(hbSysMem* mem) {
  return nnrt::hb_dnn::on_memory("hbSysRegisterMem", {{"mem", mem}},
                                 "mem->memSize is 0, or mem has neither a virAddr nor a phyAddr",
                                 [=](auto& memory) { return memory.add(*mem); });
}
NNRT_C_API int32_t hbSysUnregisterMem(hbSysMem* mem) {
  return nnrt::hb_dnn::on_memory("hbSysUnregisterMem", {{"mem", mem}}, "no registered memory begins at mem->virAddr",
                                 [=](auto& memory) { return memory.remove(*mem); });
}
