// fenced: float buffers without slack, for tests of kernels that must not read or write one float too far.
// Flow: kernel tests allocate every input, weight, scratch and output buffer here.
#pragma once

#if !defined(__wasm__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <span>

namespace nnrt_test {

/// n floats whose last one is the last of a page, before a page that may not be touched: one float too far crashes,
/// even by a masked vector instruction, which sanitizers do not see. What lies before the first float is NaN: reading
/// it spoils a result, writing it ends the program. WebAssembly has no pages to protect: there NaN lies after the last
/// float as well.
class fenced {
 public:
  explicit fenced(std::int64_t n, float value = 0.0F) : n_(static_cast<std::size_t>(n)) {
    const std::size_t used = (n_ * sizeof(float) + page() - 1) / page() * page();
    bytes_ = used + 2 * page();  // one page before, one after
    take(used);
    first_ = reinterpret_cast<float*>(base_ + page() + used) - n_;
    std::fill(page_start(), first_, std::numeric_limits<float>::quiet_NaN());
    std::fill_n(first_, n_, value);
  }
  fenced(const fenced&) = delete;
  fenced& operator=(const fenced&) = delete;
  ~fenced() {
    if (!std::all_of(page_start(), first_, [](float x) { return x != x; })) std::abort();
    give_back();
  }

  float* data() { return first_; }
  const float* data() const { return first_; }
  std::int64_t size() const { return static_cast<std::int64_t>(n_); }
  float& operator[](std::int64_t i) { return first_[i]; }
  float operator[](std::int64_t i) const { return first_[i]; }
  std::span<const float> all() const { return {first_, n_}; }

 private:
  float* page_start() { return reinterpret_cast<float*>(base_ + page()); }
#if defined(__wasm__)
  static std::size_t page() { return 4096; }
  float* last_page() { return reinterpret_cast<float*>(base_ + bytes_ - page()); }
  void take(std::size_t) {
    base_ = static_cast<char*>(std::aligned_alloc(page(), bytes_));
    std::fill_n(last_page(), page() / sizeof(float), std::numeric_limits<float>::quiet_NaN());
  }
  void give_back() {
    if (!std::all_of(last_page(), last_page() + page() / sizeof(float), [](float x) { return x != x; })) std::abort();
    std::free(base_);
  }
#else
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  void take(std::size_t used) {
    base_ = static_cast<char*>(mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (used > 0) mprotect(base_ + page(), used, PROT_READ | PROT_WRITE);
  }
  void give_back() { munmap(base_, bytes_); }
#endif

  std::size_t n_, bytes_ = 0;
  char* base_ = nullptr;
  float* first_ = nullptr;
};

/// Fills with numbers between -1 and 1.
template <class Random> void randomize(fenced& x, Random& random) {
  std::uniform_real_distribution<float> number(-1.0F, 1.0F);
  for (std::int64_t i = 0; i < x.size(); ++i) x[i] = number(random);
}

/// |got - want| over `allowed`; a NaN is infinitely wrong.
inline double error_ratio(float got, double want, double allowed) {
  const double error = std::abs(got - want) / allowed;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Whether both have the same bits; NaN is no exception.
inline bool same_bits(const fenced& x, const fenced& y) {
  return x.size() == y.size() && std::equal(x.all().begin(), x.all().end(), y.all().begin(), [](float a, float b) {
           return __builtin_bit_cast(std::uint32_t, a) == __builtin_bit_cast(std::uint32_t, b);
         });
}

}  // namespace nnrt_test
