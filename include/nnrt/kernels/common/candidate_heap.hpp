// candidate_heap: a binary heap of candidates that returns the best one.
// Flow: kernels of detection operators take boxes from it, best score first.
#pragma once

#include <nnrt/core/config.hpp>

#include <cstdint>

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

/// A heap in memory of the caller, ordered by Candidate::is_before(). Not thread-safe.
template <class Candidate> class candidate_heap {
 public:
  candidate_heap(Candidate* first, std::int64_t count) : first_(first), count_(count) {
    for (std::int64_t i = count / 2; i-- > 0;) sink(i, first[i]);
  }
  bool is_empty() const { return count_ == 0; }
  Candidate take() {
    const Candidate best = first_[0];
    if (--count_ > 0) sink(0, first_[count_]);
    return best;
  }
  /// Puts a candidate back; the heap never holds more than the initial number.
  void put(const Candidate c) {
    std::int64_t i = count_++;
    for (; i > 0 && c.is_before(first_[(i - 1) / 2]); i = (i - 1) / 2) first_[i] = first_[(i - 1) / 2];
    first_[i] = c;
  }

 private:
  void sink(std::int64_t i, const Candidate c) {
    for (std::int64_t next = 2 * i + 1; next < count_; next = 2 * i + 1) {
      if (next + 1 < count_ && first_[next + 1].is_before(first_[next])) ++next;
      if (!first_[next].is_before(c)) break;
      first_[i] = first_[next];
      i = next;
    }
    first_[i] = c;
  }

  Candidate* first_;
  std::int64_t count_;
};

}}}  // namespace nnrt::NNRT_ISA::kernels
