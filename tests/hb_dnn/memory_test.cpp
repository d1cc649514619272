// memory: the hbSys functions give memory, take it back once, and refuse what is not memory.
#include <nnrt/hb_dnn/memory_functions.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>

namespace {
const bool is_quiet = setenv("HB_DNN_LOG_LEVEL", "0", 1) == 0;
}

TEST_CASE("memory: what is allocated is zero, at a page, and can be written, read and freed once") {
  REQUIRE(is_quiet);
  for (auto* const allocate : {&hbSysAllocMem, &hbSysAllocCachedMem}) {
    hbSysMem mem{7, &mem, 7};
    REQUIRE(allocate(&mem, 5000) == HB_SYS_SUCCESS);
    CHECK((mem.memSize == 5000 && mem.phyAddr != 0 && reinterpret_cast<std::uintptr_t>(mem.virAddr) % 4096 == 0));
    const auto* const bytes = static_cast<const unsigned char*>(mem.virAddr);
    int sum = 0;
    for (int i = 0; i < 5000; ++i) sum += bytes[i];
    CHECK(sum == 0);
    char text[] = "accelerator", read[12] = {};
    CHECK(hbSysWriteMem(&mem, text, 12) == HB_SYS_SUCCESS);
    CHECK(hbSysFlushMem(&mem, HB_SYS_MEM_CACHE_CLEAN) == HB_SYS_SUCCESS);
    CHECK(hbSysFlushMem(&mem, HB_SYS_MEM_CACHE_INVALIDATE) == HB_SYS_SUCCESS);
    CHECK(hbSysReadMem(read, &mem, 12) == HB_SYS_SUCCESS);
    CHECK(std::strcmp(read, text) == 0);
    hbSysMem copy = mem, part = mem;
    part.virAddr = static_cast<char*>(part.virAddr) + 64;
    CHECK(hbSysFreeMem(&part) == HB_SYS_INVALID_ARGUMENT);
    CHECK(hbSysFreeMem(&mem) == HB_SYS_SUCCESS);
    CHECK((mem.virAddr == nullptr && mem.memSize == 0));
    CHECK(hbSysFreeMem(&mem) == HB_SYS_INVALID_ARGUMENT);
    CHECK(hbSysFreeMem(&copy) == HB_SYS_INVALID_ARGUMENT);
  }
}

TEST_CASE("memory: of what is allocated only what is touched takes memory") {
  const auto resident_pages = [] {
    std::int64_t all = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> all >> resident;
    return resident;
  };
  const std::int64_t before = resident_pages();
  hbSysMem mem{};
  REQUIRE(hbSysAllocMem(&mem, 1U << 29U) == HB_SYS_SUCCESS);
  auto* const bytes = static_cast<unsigned char*>(mem.virAddr);
  CHECK((bytes[0] == 0 && bytes[(1U << 29U) - 1] == 0));
  bytes[12345] = 1;
  CHECK(resident_pages() - before < 1 << 14);  // of 2^17 pages
  CHECK(hbSysFreeMem(&mem) == HB_SYS_SUCCESS);
}

TEST_CASE("memory: each wrong argument has its code") {
  hbSysMem mem{}, none{}, small{};
  char byte[8] = {};
  REQUIRE(hbSysAllocMem(&mem, 64) == HB_SYS_SUCCESS);
  small = mem;
  small.memSize = 65;  // claims more than there is
  char many[65] = {};
  struct row {
    const char* what;
    std::int32_t got, expected;
  };
  const row table[] = {
      {"allocate: null", hbSysAllocMem(nullptr, 1), HB_SYS_INVALID_ARGUMENT},
      {"allocate: size 0", hbSysAllocMem(&none, 0), HB_SYS_INVALID_ARGUMENT},
      {"allocate cached: null", hbSysAllocCachedMem(nullptr, 1), HB_SYS_INVALID_ARGUMENT},
      {"allocate cached: size 0", hbSysAllocCachedMem(&none, 0), HB_SYS_INVALID_ARGUMENT},
      {"flush: null", hbSysFlushMem(nullptr, HB_SYS_MEM_CACHE_CLEAN), HB_SYS_INVALID_ARGUMENT},
      {"flush: no address", hbSysFlushMem(&none, HB_SYS_MEM_CACHE_CLEAN), HB_SYS_INVALID_ARGUMENT},
      {"flush: flag 0", hbSysFlushMem(&mem, 0), HB_SYS_INVALID_ARGUMENT},
      {"flush: flag 3", hbSysFlushMem(&mem, 3), HB_SYS_INVALID_ARGUMENT},
      {"free: null", hbSysFreeMem(nullptr), HB_SYS_INVALID_ARGUMENT},
      {"free: zeros", hbSysFreeMem(&none), HB_SYS_INVALID_ARGUMENT},
      {"write: null memory", hbSysWriteMem(nullptr, byte, 8), HB_SYS_INVALID_ARGUMENT},
      {"write: null source", hbSysWriteMem(&mem, nullptr, 8), HB_SYS_INVALID_ARGUMENT},
      {"write: no address", hbSysWriteMem(&none, byte, 8), HB_SYS_INVALID_ARGUMENT},
      {"write: 0 bytes", hbSysWriteMem(&mem, byte, 0), HB_SYS_INVALID_ARGUMENT},
      {"write: a byte too many", hbSysWriteMem(&mem, many, 65), HB_SYS_INVALID_ARGUMENT},
      {"write: a byte more than was allocated", hbSysWriteMem(&small, many, 65), HB_SYS_INVALID_ARGUMENT},
      {"read: null memory", hbSysReadMem(byte, nullptr, 8), HB_SYS_INVALID_ARGUMENT},
      {"read: null destination", hbSysReadMem(nullptr, &mem, 8), HB_SYS_INVALID_ARGUMENT},
      {"read: no address", hbSysReadMem(byte, &none, 8), HB_SYS_INVALID_ARGUMENT},
      {"read: 0 bytes", hbSysReadMem(byte, &mem, 0), HB_SYS_INVALID_ARGUMENT},
      {"read: a byte too many", hbSysReadMem(many, &mem, 65), HB_SYS_INVALID_ARGUMENT},
      {"register: null", hbSysRegisterMem(nullptr), HB_SYS_INVALID_ARGUMENT},
      {"register: zeros", hbSysRegisterMem(&none), HB_SYS_INVALID_ARGUMENT},
      {"register: allocated memory", hbSysRegisterMem(&small), HB_SYS_REGISTER_MEM_FAILED},
      {"unregister: null", hbSysUnregisterMem(nullptr), HB_SYS_INVALID_ARGUMENT},
      {"unregister: zeros", hbSysUnregisterMem(&none), HB_SYS_INVALID_ARGUMENT},
      {"unregister: allocated memory", hbSysUnregisterMem(&mem), HB_SYS_INVALID_ARGUMENT},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.got == r.expected);
  }
  CHECK(hbSysFreeMem(&mem) == HB_SYS_SUCCESS);
}

TEST_CASE("memory: a program's own memory can be registered, by either address, and not twice") {
  alignas(64) static char own[256];
  hbSysMem by_address{0, own, 256}, by_place{reinterpret_cast<std::uintptr_t>(own), nullptr, 256},
      inside{0, own + 255, 8}, before{0, own - 0, 1};
  REQUIRE(hbSysRegisterMem(&by_address) == HB_SYS_SUCCESS);
  CHECK(by_address.phyAddr != 0);
  for (hbSysMem* const again : {&by_place, &inside, &before})
    CHECK(hbSysRegisterMem(again) == HB_SYS_REGISTER_MEM_FAILED);
  CHECK(hbSysFreeMem(&by_address) == HB_SYS_INVALID_ARGUMENT);
  CHECK(hbSysUnregisterMem(&by_address) == HB_SYS_SUCCESS);
  CHECK(hbSysUnregisterMem(&by_address) == HB_SYS_INVALID_ARGUMENT);
  REQUIRE(hbSysRegisterMem(&by_place) == HB_SYS_SUCCESS);
  CHECK(by_place.virAddr == own);
  CHECK(hbSysUnregisterMem(&by_place) == HB_SYS_SUCCESS);
}

TEST_CASE("memory: there is as much as HB_DNN_SIM_BPU_MEM_SIZE says") {
  REQUIRE(setenv("HB_DNN_SIM_BPU_MEM_SIZE", "1", 1) == 0);
  nnrt::hb_dnn::device_memory memory;  // as a program that starts now
  REQUIRE(unsetenv("HB_DNN_SIM_BPU_MEM_SIZE") == 0);
  hbSysMem half{}, rest{};
  CHECK(memory.allocate(half, (1U << 19U) + 1) == HB_SYS_SUCCESS);
  CHECK(memory.allocate(rest, 1U << 19U) == HB_SYS_OUT_OF_MEMORY);
  CHECK(memory.free(half) == HB_SYS_SUCCESS);
  CHECK(memory.allocate(rest, 1U << 20U) == HB_SYS_SUCCESS);
  CHECK(memory.covers(rest.virAddr, 1U << 20U));
  CHECK(!memory.covers(static_cast<char*>(rest.virAddr) + 1, 1U << 20U));
  CHECK(memory.covers(&memory, 1U << 30U));
  CHECK(memory.covers(static_cast<char*>(rest.virAddr) - 8, 8));
  CHECK(!memory.covers(static_cast<char*>(rest.virAddr) - 8, 9));  // runs into it
}
