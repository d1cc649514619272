// lines: memory that begins with a cache line.
// Flow: inputs of every runner. Where vectors of an input straddle lines, as in most vectors of C++, kernels that read
// it only once or twice lose up to a third of their speed: that would measure the allocator.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace bench {

class lines {
 public:
  lines() = default;
  explicit lines(std::size_t bytes) : bytes_(bytes), lines_(bytes / 64 + 2) {}
  std::byte* data() { return lines_.front().of; }
  const std::byte* data() const { return lines_.front().of; }
  std::size_t size() const { return bytes_; }
  void assign(const std::byte* from) { std::memcpy(data(), from, bytes_); }

 private:
  struct alignas(64) line {
    std::byte of[64];
  };
  std::size_t bytes_ = 0;
  std::vector<line> lines_;  // a vector further than what is needed: kernels of some peers read past the end
};

}  // namespace bench
