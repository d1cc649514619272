// machine: what this machine can do at most - multiply-adds in registers, reading from each cache and from memory.
// Flow: measured.hpp measures the peak with every timing, so that a share never compares two clocks;
// bench/run/machine.cpp prints all.
#pragma once

#include "support/clock.hpp"

#include <nnrt/exec/threads.hpp>
#include <nnrt/kernels/simd/dot4.hpp>
#include <nnrt/kernels/simd/matrix_registers.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace bench {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif
typedef float vector_of_floats __attribute__((vector_size(vector_bytes), aligned(64), may_alias));

inline constexpr int fma_chains = 12;  // two units of latency 4 need 8; 12 and two factors fit into 16 registers

/// `times` multiply-adds in each of 12 independent chains. Not inlined: in a larger function its
/// registers spill.
[[gnu::noinline]] inline vector_of_floats fma_in_registers(vector_of_floats a0, float factor, float summand,
                                                           long times) {
  asm volatile("" : "+m"(a0));  // else two measurements are one call
  const vector_of_floats m = a0 * 0.0F + factor, c = a0 * 0.0F + summand;
  vector_of_floats a1 = a0 + 1.0F, a2 = a0 + 2.0F, a3 = a0 + 3.0F, a4 = a0 + 4.0F, a5 = a0 + 5.0F, a6 = a0 + 6.0F,
                   a7 = a0 + 7.0F, a8 = a0 + 8.0F, a9 = a0 + 9.0F, a10 = a0 + 10.0F, a11 = a0 + 11.0F;
  for (long i = 0; i < times; ++i) {
    a0 = a0 * m + c, a1 = a1 * m + c, a2 = a2 * m + c, a3 = a3 * m + c;
    a4 = a4 * m + c, a5 = a5 * m + c, a6 = a6 * m + c, a7 = a7 * m + c;
    a8 = a8 * m + c, a9 = a9 * m + c, a10 = a10 * m + c, a11 = a11 * m + c;
  }
  return ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7)) + ((a8 + a9) + (a10 + a11));
}

/// `times` dot products of bytes in each of 12 independent chains.
[[gnu::noinline]] inline nnrt::kernels::int_vector dots_in_registers(nnrt::kernels::int_vector x, long times) {
  using namespace nnrt::kernels;
  int_vector sums[fma_chains];
  each<fma_chains>([&](auto i) __attribute__((always_inline)) { sums[i] = x + int{i}; });
  const dot_values values = values_of(x);
  const dot_weights weights = load_weights(std::array<std::byte, dot_bytes>{}.data());
  for (long i = 0; i < times; ++i)
    each<fma_chains>([&](auto chain)
                         __attribute__((always_inline)) { sums[chain] = dot4(sums[chain], values, weights); });
  each<fma_chains>([&](auto i) __attribute__((always_inline)) { x += sums[i]; });
  return x;
}

/// Multiply-adds of bytes in a product of matrix registers.
inline constexpr std::int64_t products_of_registers =
    nnrt::kernels::register_rows * nnrt::kernels::register_bytes * nnrt::kernels::int_lanes;
/// `times` products of matrix registers in each of 4 independent sums. They are of such numbers as weights are: of
/// zeros alone they take a fifth less.
[[gnu::noinline]] inline void products_in_matrix_registers(long times) {
  using namespace nnrt::kernels::detail;
  alignas(64) std::array<std::byte, 1024> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * i * 37 + i * 11);
  set_shapes(register_shapes::of(nnrt::kernels::register_rows, 0));
  load_rows<4>(bytes.data(), 64), load_rows<5>(bytes.data(), 64);
  clear_register<0>(), clear_register<1>(), clear_register<2>(), clear_register<3>();
  for (long i = 0; i < times; ++i)
    add_products<0, 4, 5, false>(), add_products<1, 4, 5, false>(), add_products<2, 4, 5, false>(),
        add_products<3, 4, 5, false>();
  release_registers();
}

/// Sum of `count` vectors, a multiple of 8.
[[gnu::noinline]] inline vector_of_floats read_all(const vector_of_floats* x, std::size_t count) {
  vector_of_floats s0{}, s1{}, s2{}, s3{}, s4{}, s5{}, s6{}, s7{};
  for (const vector_of_floats* const end = x + count; x != end; x += 8) {
    s0 += x[0], s1 += x[1], s2 += x[2], s3 += x[3];
    s4 += x[4], s5 += x[5], s6 += x[6], s7 += x[7];
  }
  return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
}

/// Keeps a result that is not read.
inline void keep(vector_of_floats x) { asm volatile("" : : "m"(x) : "memory"); }

/// Runs job(part) on each of `threads` threads at once; the pool is nullptr for one thread.
template <class Job> void on_all(nnrt::thread_pool* pool, Job job) {
  if (pool == nullptr) return job(0);
  pool->run([](void* context, int part) { (*static_cast<Job*>(context))(part); }, &job, pool->threads());
}

/// Number of runs of a tenth of a millisecond, of which the fastest counts. With a pool there are more: its threads
/// wake up during the first ones, which the caller computes alone.
inline int short_runs(const nnrt::thread_pool* pool) { return pool == nullptr ? 3 : 30; }

/// GFLOP/s of multiply-adds that need nothing but registers, on all threads of the pool, right now: the best of some
/// short runs.
inline double peak_gflops(nnrt::thread_pool* pool = nullptr) {
  constexpr long times = 60'000;
  const int threads = pool == nullptr ? 1 : pool->threads();
  double best = 1e30;
  for (int run = 0; run < short_runs(pool); ++run) {
    const stopwatch watch(threads);
    on_all(pool, [](int part) {
      keep(fma_in_registers(vector_of_floats{} + static_cast<float>(part), 0.9999F, 0.0001F, times));
    });
    best = std::min(best, watch.seconds());
  }
  return 2.0 * fma_chains * (vector_bytes / sizeof(float)) * times * threads / best * 1e-9;
}

/// The machine's peak of multiply-adds of bytes, Gop/s: in matrix registers where kernels use them, else dot products.
inline double peak_byte_gops(nnrt::thread_pool* pool = nullptr) {
  const bool in_matrix_registers = nnrt::kernels::may_use_matrix_registers();
  const long times = in_matrix_registers ? 4'000 : 60'000;
  const auto products =
      static_cast<double>(in_matrix_registers ? 4 * products_of_registers : fma_chains * nnrt::kernels::register_bytes);
  const int threads = pool == nullptr ? 1 : pool->threads();
  double best = 1e30;
  for (int run = 0; run < short_runs(pool); ++run) {
    const stopwatch watch(threads);
    on_all(pool, [&](int part) {
      if (in_matrix_registers) return products_in_matrix_registers(times);
      const nnrt::kernels::int_vector sums = dots_in_registers(nnrt::kernels::int_lanes_of(part), times);
      asm volatile("" : : "m"(sums) : "memory");
    });
    best = std::min(best, watch.seconds());
  }
  return 2.0 * products * static_cast<double>(times) * threads / best * 1e-9;
}

/// `times` additions in each of 8 independent chains.
[[gnu::noinline]] inline void additions_in_registers(long times) {
  long a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;
  for (; times > 0; --times) {
    ++a, ++b, ++c, ++d, ++e, ++f, ++g, ++h;
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
  }
}

/// Additions per nanosecond that a thread gets, right now: the best of some short runs. Whatever else a core can do
/// meanwhile, its other thread takes half of the places of instructions while it works, so this says whether it does.
inline double additions_per_nanosecond() {
  constexpr long times = 40'000;
  double best = 1e30;
  for (int run = 0; run < short_runs(nullptr); ++run) {
    const stopwatch watch(1);
    additions_in_registers(times);
    best = std::min(best, watch.seconds());
  }
  return 8.0 * times / best * 1e-9;
}

/// How long a line of the cache takes from one core to another and back: the least of some batches. Nothing that two
/// threads share comes sooner. Their own threads, since a pool's caller may take both sides.
inline double round_trip_nanoseconds() {
  constexpr int batches = 20, trips = 2'000;
  alignas(128) static std::atomic<int> line{0};
  double best = 1e30;
  for (int batch = 0; batch < batches; ++batch) {
    line = 0;
    std::thread other([] {
      for (int i = 0; i < trips; ++i) {
        while (line.load() != 2 * i + 1) {
        }
        line = 2 * i + 2;
      }
    });
    for (int i = 0; i < trips / 10; ++i) {  // until both are awake
      line = 2 * i + 1;
      while (line.load() != 2 * i + 2) {
      }
    }
    const stopwatch watch(2);
    for (int i = trips / 10; i < trips; ++i) {
      line = 2 * i + 1;
      while (line.load() != 2 * i + 2) {
      }
    }
    best = std::min(best, watch.seconds() / (trips - trips / 10));
    other.join();
  }
  return best * 1e9;
}

/// A level of the memory hierarchy: what fits into it, and how much of it one thread reads to measure it.
struct memory_level {
  const char* name;
  std::size_t bytes;
  std::size_t read_bytes;
};

/// The caches of this machine as the system tells them, else usual sizes; the last level is memory.
inline const std::array<memory_level, 4>& memory_levels() {
  static const std::array<memory_level, 4> levels = [] {
    const auto size = [](int which, std::size_t usual) {
      const long told = sysconf(which);
      return told > 0 ? static_cast<std::size_t>(told) : usual;
    };
    const std::size_t l1 = size(_SC_LEVEL1_DCACHE_SIZE, std::size_t{32} << 10U),
                      l2 = size(_SC_LEVEL2_CACHE_SIZE, std::size_t{512} << 10U),
                      l3 = std::max(size(_SC_LEVEL3_CACHE_SIZE, std::size_t{8} << 20U), 4 * l2);
    // Cores of the same chip share the third level, those of other virtual machines too: a few times the second is what
    // one can count on.
    return std::array<memory_level, 4>{
        {{"L1", l1, l1 / 2}, {"L2", l2, l2 / 2}, {"L3", l3, std::min(4 * l2, l3 / 2)}, {"memory", SIZE_MAX, 8 * l3}}};
  }();
  return levels;
}

/// The level into which this number of bytes fits.
inline std::size_t level_of(std::size_t bytes) {
  std::size_t level = 0;
  while (level < 3 && memory_levels()[level].bytes < bytes) ++level;
  return level;
}

/// Memory on huge pages where the system has them, so that the walk of page tables is not what is measured.
class large_memory {
 public:
  explicit large_memory(std::size_t bytes) {
    constexpr std::size_t page = std::size_t{2} << 20U;
    bytes_ = (bytes + page - 1) / page * page;
    first_ = static_cast<std::byte*>(std::aligned_alloc(page, bytes_));
    if (first_ == nullptr) std::abort();
    madvise(first_, bytes_, MADV_HUGEPAGE);
    std::fill_n(first_, bytes_, std::byte{0});
  }
  large_memory(const large_memory&) = delete;
  large_memory& operator=(const large_memory&) = delete;
  ~large_memory() { std::free(first_); }
  std::byte* data() const { return first_; }

 private:
  std::byte* first_;
  std::size_t bytes_;
};

/// GB/s that the threads of a pool read from a level, all together, each from separate memory.
inline double read_gigabytes(std::size_t level, nnrt::thread_pool* pool = nullptr) {
  constexpr std::size_t unit = 8 * vector_bytes;
  const int threads = pool == nullptr ? 1 : pool->threads();
  const std::size_t bytes =
      memory_levels()[level].read_bytes / (level < 2 ? 1 : static_cast<std::size_t>(threads)) / unit * unit;
  const std::size_t rounds = std::max<std::size_t>(1, (std::size_t{16} << 20U) / bytes);
  const large_memory all(bytes * static_cast<std::size_t>(threads));
  double best = 1e30;
  for (int run = 0; run < 7; ++run) {
    const stopwatch watch(threads);
    on_all(pool, [&](int part) {
      const auto* const mine =
          reinterpret_cast<const vector_of_floats*>(all.data() + static_cast<std::size_t>(part) * bytes);
      for (std::size_t round = 0; round < rounds; ++round) keep(read_all(mine, bytes / vector_bytes));
    });
    if (run > 0) best = std::min(best, watch.seconds());  // the first run fills the cache
  }
  return static_cast<double>(bytes * rounds) * threads / best * 1e-9;
}

}  // namespace bench
