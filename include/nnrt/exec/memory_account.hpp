// memory_account: how many bytes the programs and sessions of one owner may take together, and have taken.
// Flow: options::account leads to one; compile() and sessions take from it before they allocate; remote/session.hpp has
// one for each client.
#pragma once

#include <nnrt/core/exchange.hpp>
#include <nnrt/core/result.hpp>
#include <nnrt/core/text.hpp>

#include <atomic>
#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA {

/// A count of bytes with an upper limit. Safe from any thread; outlives all that takes from it.
class memory_account {
 public:
  explicit memory_account(std::uint64_t most) : max_(most) {}
  memory_account(const memory_account&) = delete;
  memory_account& operator=(const memory_account&) = delete;

  /// False: that would be more than `most()`, and nothing was taken.
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

/// Bytes that were taken from an account, given back at the end. Move only.
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

  /// Takes these bytes in place of what it has; of no account (null) as many as are wanted. Error: out_of_memory,
  /// naming what they were for.
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
