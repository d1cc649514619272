// memory: the accelerator's memory - allocated blocks, regions registered by clients, and checks of address ranges.
// Flow: the hbSys functions of memory_functions.hpp call it; tasks check tensors' memory here before they use it.
#pragma once

#include <nnrt/hb_dnn/support.hpp>

#include <sys/mman.h>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Memory that the accelerator can reach, at the program's addresses. Safe from any thread.
class device_memory {
 public:
  static constexpr std::size_t page = 4096;

  device_memory() = default;
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;

  /// All functions return codes of hb_sys.h.
  std::int32_t allocate(hbSysMem& mem, std::uint32_t bytes) {
    if (bytes == 0) return HB_SYS_INVALID_ARGUMENT;
    const std::shared_ptr<void> block = zeros(bytes);
    if (block == nullptr) return HB_SYS_OUT_OF_MEMORY;
    const auto first = reinterpret_cast<std::uintptr_t>(block.get());
    const std::lock_guard lock(mutex_);
    if (limit_ > 0 && allocated_ + bytes > limit_) return HB_SYS_OUT_OF_MEMORY;
    regions_[first] = {bytes, block};
    allocated_ += bytes;
    mem = {first, block.get(), bytes};
    return HB_SYS_SUCCESS;
  }
  std::int32_t free(hbSysMem& mem) {
    const std::lock_guard lock(mutex_);
    const auto found = regions_.find(reinterpret_cast<std::uintptr_t>(mem.virAddr));
    if (found == regions_.end() || found->second.block == nullptr) return HB_SYS_INVALID_ARGUMENT;
    allocated_ -= found->second.bytes;
    regions_.erase(found);
    mem = {};
    return HB_SYS_SUCCESS;
  }
  std::int32_t add(hbSysMem& mem) {
    if (mem.memSize == 0 || (mem.virAddr == nullptr && mem.phyAddr == 0)) return HB_SYS_INVALID_ARGUMENT;
    const std::uintptr_t first = mem.virAddr != nullptr ? reinterpret_cast<std::uintptr_t>(mem.virAddr)
                                                        : static_cast<std::uintptr_t>(mem.phyAddr);
    const std::lock_guard lock(mutex_);
    if (overlaps(first, mem.memSize)) return HB_SYS_REGISTER_MEM_FAILED;
    regions_[first] = {mem.memSize, nullptr};
    mem.virAddr = reinterpret_cast<void*>(first);
    if (mem.phyAddr == 0) mem.phyAddr = first;
    return HB_SYS_SUCCESS;
  }
  std::int32_t remove(const hbSysMem& mem) {
    const std::lock_guard lock(mutex_);
    const auto found = regions_.find(reinterpret_cast<std::uintptr_t>(mem.virAddr));
    if (found == regions_.end() || found->second.block != nullptr) return HB_SYS_INVALID_ARGUMENT;
    regions_.erase(found);
    return HB_SYS_SUCCESS;
  }

  /// Whether these bytes may be used: they are inside one region, or outside of all regions. The simulated accelerator
  /// can reach the program's other memory, too. `block`: set to the owner of allocated memory.
  bool covers(const void* address, std::uint64_t bytes, std::shared_ptr<const void>* block = nullptr) const {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    const std::lock_guard lock(mutex_);
    const auto behind = regions_.upper_bound(first);
    // the range starts outside of every region and must not run into the next one
    const bool stays_outside = behind == regions_.end() || behind->first - first >= bytes;
    if (behind == regions_.begin()) return stays_outside;
    const auto at = std::prev(behind);
    const std::uint64_t offset = first - at->first;
    if (offset >= at->second.bytes) return stays_outside;
    if (block != nullptr) *block = at->second.block;
    return at->second.bytes - offset >= bytes;
  }

 private:
  struct region {
    std::uint32_t bytes = 0;
    std::shared_ptr<const void> block;  // null: registered by the client
  };

  /// Allocates zeros at a page boundary. Untouched pages of large blocks use no physical memory.
  static std::shared_ptr<void> zeros(std::uint32_t bytes) {
    constexpr std::uint32_t much = 1U << 20U;
    if (bytes >= much) {
      void* const first = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (first == MAP_FAILED) return nullptr;
      return {first, [bytes](void* begin) { ::munmap(begin, bytes); }};
    }
    void* const first = ::operator new(bytes, std::align_val_t{page}, std::nothrow);
    if (first == nullptr) return nullptr;
    std::memset(first, 0, bytes);
    return {first, [](void* begin) { ::operator delete(begin, std::align_val_t{page}); }};
  }
  bool overlaps(std::uintptr_t first, std::uint32_t bytes) const {
    auto next = regions_.lower_bound(first);
    if (next != regions_.end() && next->first - first < bytes) return true;
    return next != regions_.begin() && first - (--next)->first < next->second.bytes;
  }

  mutable std::mutex mutex_;
  std::map<std::uintptr_t, region> regions_;  // by address
  std::uint64_t allocated_ = 0;
  std::uint64_t limit_ = static_cast<std::uint64_t>(environment_number("HB_DNN_SIM_BPU_MEM_SIZE", 0)) << 20U;
};

/// Memory of a call's tensors. Allocated blocks are kept while a copy exists, even if the client frees them: some
/// clients free tensors after a time-out and release the task later.
class used_memory {
 public:
  explicit used_memory(const device_memory& of) : of_(&of) {}
  /// As device_memory::covers(); allocated memory that it covers is kept.
  bool covers(const void* address, std::uint64_t bytes) {
    std::shared_ptr<const void> block;
    if (!of_->covers(address, bytes, &block)) return false;
    if (block != nullptr) blocks_->push_back(std::move(block));
    return true;
  }

 private:
  const device_memory* of_;
  std::shared_ptr<std::vector<std::shared_ptr<const void>>> blocks_ =
      std::make_shared<std::vector<std::shared_ptr<const void>>>();
};

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
