// hb_sys.h: cores and memory of the accelerator, for C99 and C++.
// Flow: tensors of hb_dnn.h lie in such memory; nnrt/hb_dnn.hpp defines the functions, libdnn.so has them compiled.
#pragma once

#include "hb_dnn_status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// On which core a task may run; a mask. ANY: on whichever is free.
typedef enum { HB_BPU_CORE_ANY = 0, HB_BPU_CORE_0 = (1 << 0), HB_BPU_CORE_1 = (1 << 1) } hbBPUCore;

/// The same of signal processors. No model of nnrt uses one.
typedef enum { HB_DSP_CORE_ANY = 0, HB_DSP_CORE_0 = (1 << 0), HB_DSP_CORE_1 = (1 << 1) } hbDSPCore;

/// Memory of the accelerator, or a part of it: who wants a part adds the same to both addresses.
typedef struct {
  uint64_t phyAddr;  ///< where the accelerator sees it
  void* virAddr;     ///< where the program sees it
  uint32_t memSize;  ///< bytes
} hbSysMem;

/// What a flush is for.
typedef enum {
  HB_SYS_MEM_CACHE_INVALIDATE = 1,  ///< before the program reads
  HB_SYS_MEM_CACHE_CLEAN = 2        ///< after the program has written
} hbSysMemFlushFlag;

// Each function answers 0 or a code of hb_dnn_status.h; INVALID_ARGUMENT for null pointers.

/// Allocates size bytes of zeros, which hbSysFreeMem frees. mem: set. Addresses are multiples of 4096.
/// Errors: INVALID_ARGUMENT for a size of 0; OUT_OF_MEMORY, also beyond HB_DNN_SIM_BPU_MEM_SIZE (megabytes) where that
/// is set.
int32_t hbSysAllocMem(hbSysMem* mem, uint32_t size);

/// The same in memory that caches hold.
int32_t hbSysAllocCachedMem(hbSysMem* mem, uint32_t size);

/// Makes what the program and the accelerator see equal. Here they see the same memory: only the arguments are checked.
/// Errors: INVALID_ARGUMENT for another flag than those of hbSysMemFlushFlag, or memory without an address.
int32_t hbSysFlushMem(hbSysMem* mem, int32_t flag);

/// Frees what an hbSysAlloc function allocated, and sets mem to zeros. Memory that a task still uses goes when that has
/// ended. Errors: INVALID_ARGUMENT for memory that was not allocated, was freed, or begins elsewhere.
int32_t hbSysFreeMem(hbSysMem* mem);

/// Copies size bytes from src to the beginning of dest. Errors: INVALID_ARGUMENT for a size of 0 or above
/// dest->memSize.
int32_t hbSysWriteMem(hbSysMem* dest, char* src, uint32_t size);

/// Copies size bytes from the beginning of src to dest. Errors: INVALID_ARGUMENT for a size of 0 or above src->memSize.
int32_t hbSysReadMem(char* dest, hbSysMem* src, uint32_t size);

/// Makes memSize bytes of the program's own, from virAddr on or where phyAddr says, memory of the accelerator. mem: the
/// address that is missing is set. They stay the program's.
/// Errors: INVALID_ARGUMENT for a size of 0 or without any address; REGISTER_MEM_FAILED where it overlaps other memory
/// of the accelerator.
int32_t hbSysRegisterMem(hbSysMem* mem);

/// Takes hbSysRegisterMem back. Errors: INVALID_ARGUMENT for memory that was not registered.
int32_t hbSysUnregisterMem(hbSysMem* mem);

#ifdef __cplusplus
}
#endif
