// memory_account: counts and limits the bytes that the programs and sessions of one owner allocate.
// Flow: options::account points to one; compile() and sessions use it. remote/served_client.hpp has one for each
// client.
#pragma once

#include <nnrt/core/exchange.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>

#include <atomic>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA {

/// A count of bytes with an upper limit. Thread-safe; must outlive everything that takes from it.
class memory_account {
 public:
  explicit memory_account(std::uint64_t most) : max_(most) {}
  memory_account(const memory_account&) = delete;
  memory_account& operator=(const memory_account&) = delete;

  /// Takes bytes. False: it would exceed `most()`, and nothing was taken.
  bool take(std::uint64_t bytes) {
    std::uint64_t before = taken_.load(std::memory_order_relaxed);
    do
      if (bytes > max_ - before) return false;
    while (!taken_.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::uint64_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::uint64_t taken() const { return taken_.load(std::memory_order_relaxed); }
  std::uint64_t most() const { return max_; }

 private:
  const std::uint64_t max_;
  std::atomic<std::uint64_t> taken_{0};
};

/// Bytes taken from an account, which are returned in the destructor. Move only.
class accounted_bytes {
 public:
  accounted_bytes() = default;
  accounted_bytes(accounted_bytes&& other) noexcept
      : from_(detail::taken(other.from_)), bytes_(detail::taken(other.bytes_)) {}
  accounted_bytes& operator=(accounted_bytes other) noexcept {
    detail::swap_values(from_, other.from_);
    detail::swap_values(bytes_, other.bytes_);
    return *this;
  }
  ~accounted_bytes() { give_back(); }

  /// Returns what it has and takes these bytes; a null account has no limit. Error: out_of_memory; the message says
  /// `what` they were for.
  [[gnu::cold]] result<void> take(memory_account* from, std::int64_t bytes, const char* what) {
    give_back();
    const auto wanted = static_cast<std::uint64_t>(bytes < 0 ? 0 : bytes);
    if (from == nullptr) return {};
    if (!from->take(wanted))
      return fail(error_code::out_of_memory, {what, ": ", wanted, " bytes more than ", from->taken(),
                                              " would be taken, expected at most ", from->most()});
    from_ = from, bytes_ = wanted;
    return {};
  }

 private:
  void give_back() {
    if (from_ != nullptr) from_->give_back(bytes_);
    from_ = nullptr, bytes_ = 0;
  }

  memory_account* from_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}}  // namespace nnrt::NNRT_ISA
