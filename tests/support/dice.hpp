// dice: random numbers that follow from a seed, as those who make nodes and networks by chance throw them.
// Flow: battery/random_node, random_network and their tests.
#pragma once

#include <nnrt/core/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// Random numbers that follow from a seed.
class dice {
 public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}

  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  int below(int n) { return static_cast<int>(between(0, n - 1)); }
  bool once_in(int n) { return below(n) == 0; }
  double real(double least, double most) { return std::uniform_real_distribution<double>(least, most)(engine_); }
  template <class List> const auto& one_of(const List& list) {
    return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
  }
  template <class T> const T& one_of(std::initializer_list<T> list) {
    return list.begin()[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  }
  /// `none` of a set without members.
  dtype one_of(dtype_set set) {
    std::vector<dtype> members;
    for (int i = 1; i < dtype_count; ++i)
      if (set.contains(static_cast<dtype>(i))) members.push_back(static_cast<dtype>(i));
    return members.empty() ? dtype::none : one_of(members);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace nnrt_test
