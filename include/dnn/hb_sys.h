// hb_sys.h: cores and memory of the accelerator, for C99 and C++.
// Flow: tensors of hb_dnn.h use such memory. nnrt/hb_dnn.hpp defines the functions; libdnn.so contains them compiled.
#pragma once

#include "hb_dnn_status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Mask of the cores that may run a task. ANY: any free core.
typedef enum { HB_BPU_CORE_ANY = 0, HB_BPU_CORE_0 = (1 << 0), HB_BPU_CORE_1 = (1 << 1) } hbBPUCore;

/// Mask of digital signal processors. No model of nnrt uses one.
typedef enum { HB_DSP_CORE_ANY = 0, HB_DSP_CORE_0 = (1 << 0), HB_DSP_CORE_1 = (1 << 1) } hbDSPCore;

/// Memory of the accelerator. For a part of it, add the same offset to both addresses.
typedef struct {
  uint64_t phyAddr;  ///< address for the accelerator
  void* virAddr;     ///< address for the program
  uint32_t memSize;  ///< bytes
} hbSysMem;

/// Purpose of a flush.
typedef enum {
  HB_SYS_MEM_CACHE_INVALIDATE = 1,  ///< before the program reads
  HB_SYS_MEM_CACHE_CLEAN = 2        ///< after the program has written
} hbSysMemFlushFlag;

// Each function returns 0 or a code of hb_dnn_status.h; INVALID_ARGUMENT for null pointers.

/// Allocates `size` bytes of zeros, for hbSysFreeMem. mem: set. Addresses are multiples of 4096.
/// Errors: INVALID_ARGUMENT for a size of 0; OUT_OF_MEMORY, also beyond the limit HB_DNN_SIM_BPU_MEM_SIZE (megabytes),
/// if set.
int32_t hbSysAllocMem(hbSysMem* mem, uint32_t size);

/// Like hbSysAllocMem, in cached memory.
int32_t hbSysAllocCachedMem(hbSysMem* mem, uint32_t size);

/// Synchronises the views of program and accelerator. Here both use the same memory, and only the arguments are
/// checked.
/// Errors: INVALID_ARGUMENT for an unknown flag or memory without an address.
int32_t hbSysFlushMem(hbSysMem* mem, int32_t flag);

/// Frees allocated memory and sets mem to zeros. Memory in use by a task is freed when the task ends. Errors:
/// INVALID_ARGUMENT for memory that was not allocated, was freed, or is only a part.
int32_t hbSysFreeMem(hbSysMem* mem);

/// Copies `size` bytes from src to the start of dest. Errors: INVALID_ARGUMENT for a size of 0 or above dest->memSize.
int32_t hbSysWriteMem(hbSysMem* dest, char* src, uint32_t size);

/// Copies `size` bytes from the start of src to dest. Errors: INVALID_ARGUMENT for a size of 0 or above src->memSize.
int32_t hbSysReadMem(char* dest, hbSysMem* src, uint32_t size);

/// Registers memSize bytes of the program's memory, at virAddr or phyAddr, for the accelerator. mem: the missing
/// address is set. The program still owns the memory.
/// Errors: INVALID_ARGUMENT for a size of 0 or without an address; REGISTER_MEM_FAILED if it overlaps memory of the
/// accelerator.
int32_t hbSysRegisterMem(hbSysMem* mem);

/// Unregisters memory. Errors: INVALID_ARGUMENT for memory that was not registered.
int32_t hbSysUnregisterMem(hbSysMem* mem);

#ifdef __cplusplus
}
#endif
