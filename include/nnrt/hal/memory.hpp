// memory: memory shared between processes, as the mapping of an anonymous file.
// Flow: drivers allocate it for tensors; the C API passes its file descriptors to other processes.
#pragma once

#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>
#include <nnrt/io/file.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace hal {

/// A page-aligned mapping that other processes can map through fd(). Move only. The destructor unmaps it, and closes
/// the file if it owns it.
class shared_memory {
 public:
  /// Empty: data() is null.
  shared_memory() = default;
  shared_memory(shared_memory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(other.size_),
        fd_(std::exchange(other.fd_, -1)),
        is_owner_(other.is_owner_),
        follower_(std::move(other.follower_)) {}
  shared_memory& operator=(shared_memory other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(fd_, other.fd_),
        std::swap(is_owner_, other.is_owner_);
    std::swap(follower_, other.follower_);
    return *this;
  }
  ~shared_memory() {
    follower_.reset();
    if (data_ != nullptr) ::munmap(data_, size_);
    if (is_owner_ && fd_ >= 0) ::close(fd_);
  }

  /// Allocates `bytes` zeros, at least 1. The file cannot shrink (F_SEAL_SHRINK), so other processes can map it safely.
  /// Errors: out_of_memory, io_failed (no more file descriptors).
  static result<shared_memory> allocate(std::size_t bytes) {
    shared_memory made;
    made.is_owner_ = true;
    made.fd_ = ::memfd_create("nnrt", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (made.fd_ < 0) return nnrt::detail::system_failure("shared memory", "cannot make a file", errno);
    if (::ftruncate(made.fd_, static_cast<::off_t>(bytes)) != 0)
      return nnrt::detail::system_failure("shared memory", "cannot be that large", errno);
    ::fcntl(made.fd_, F_ADD_SEALS, F_SEAL_SHRINK);
    if (auto mapped = made.map(bytes, 0); !mapped) return fail(std::move(mapped.error()));
    return made;
  }
  /// Maps `bytes` of a caller's file from `offset`, a multiple of the page size. The file is not owned. Errors:
  /// io_failed, out_of_memory.
  static result<shared_memory> of(int fd, std::size_t bytes, std::size_t offset) {
    shared_memory made;
    made.fd_ = fd;
    if (auto mapped = made.map(bytes, offset); !mapped) return fail(std::move(mapped.error()));
    return made;
  }

  std::byte* data() const { return static_cast<std::byte*>(data_); }
  std::size_t size() const { return size_; }
  int fd() const { return fd_; }
  /// Sets an object that is destroyed just before the memory: what a device keeps for this memory.
  void set_follower(std::shared_ptr<const void> one) { follower_ = std::move(one); }

 private:
  result<void> map(std::size_t bytes, std::size_t offset) {
    struct ::stat status {};
    // Reads after the end of a file raise SIGBUS: refuse such a mapping.
    if (::fstat(fd_, &status) != 0)
      return nnrt::detail::system_failure("shared memory", "cannot ask for its size", errno);
    if (status.st_size < 0 || static_cast<std::size_t>(status.st_size) < offset ||
        static_cast<std::size_t>(status.st_size) - offset < bytes)
      return fail(error_code::io_failed, {"shared memory: file ", fd_, " has ", status.st_size, " bytes, expected ",
                                          bytes, " from ", offset, " on"});
    void* const first = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, static_cast<::off_t>(offset));
    if (first == MAP_FAILED) return nnrt::detail::system_failure("shared memory", "cannot map", errno);
    data_ = first;
    size_ = bytes;
    return {};
  }

  void* data_ = nullptr;
  std::size_t size_ = 0;
  int fd_ = -1;
  bool is_owner_ = false;
  std::shared_ptr<const void> follower_;
};

}}}  // namespace nnrt::NNRT_ISA::hal
