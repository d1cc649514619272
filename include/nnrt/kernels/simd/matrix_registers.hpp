// matrix_registers: AMX registers of 16 rows of 64 bytes and their products, if the machine and the system permit them.
// Flow: int8/gemm/amx_blocks.hpp sums the blocks of a product with these.
//
// Eight registers: 0 to 3 hold accumulators, two rows of two blocks; 4 and 5 rows of A and of B; 6 and 7 the shorter
// rows at the end of a run. A register may be loaded while products still read it: the processor renames registers.
#pragma once

#include <nnrt/kernels/simd/int8_lanes.hpp>

#include <cstddef>
#include <cstdint>

#if defined(NNRT_X86_AVX512) && defined(__AVX512VNNI__) && defined(__AVX512VBMI__) && defined(__AMX_TILE__) && \
    defined(__AMX_INT8__) && defined(__linux__)
#define NNRT_MATRIX_REGISTERS 1
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(NNRT_TEST_MATRIX_REGISTERS)
#if defined(__SSE2__) || defined(__ARM_NEON)
#error \
    "nnrt: NNRT_TEST_MATRIX_REGISTERS is for tests on a machine without vectors: compile with -U__SSE2__ -U__ARM_NEON"
#endif
#define NNRT_MATRIX_REGISTERS 1
#endif

namespace nnrt { inline namespace NNRT_ISA { namespace kernels {

#if defined(NNRT_MATRIX_REGISTERS)
inline constexpr bool has_matrix_registers = true;
#else
inline constexpr bool has_matrix_registers = false;
#endif

/// Rows of a matrix register, and steps of four bytes in each.
inline constexpr std::int64_t register_rows = 16, register_steps = 16;

namespace detail {

/// Whether the process has matrix registers: Linux gives them to those that ask (arch_prctl(2), ARCH_REQ_XCOMP_PERM),
/// not to one that has a stack for signals on which they have no room.
enum class permission : int { not_asked, given, refused };
inline permission matrix_permission = permission::not_asked;

[[gnu::noinline, gnu::cold]] inline bool asks_for_matrix_registers() {
  permission answer = permission::refused;
#if defined(NNRT_TEST_MATRIX_REGISTERS)
  answer = permission::given;
#elif defined(NNRT_MATRIX_REGISTERS)
  constexpr long request = 0x1023, data_of_tiles = 18;
  if (::syscall(SYS_arch_prctl, request, data_of_tiles) == 0) answer = permission::given;
#endif
  __atomic_store(&matrix_permission, &answer, __ATOMIC_RELAXED);  // <atomic> costs more than all of this
  return answer == permission::given;
}

}  // namespace detail

/// Whether kernels may use matrix registers. The first call asks the system.
inline bool may_use_matrix_registers() {
  if constexpr (!has_matrix_registers) return false;
  detail::permission now;
  __atomic_load(&detail::matrix_permission, &now, __ATOMIC_RELAXED);
  return now == detail::permission::given ||
         (now == detail::permission::not_asked && detail::asks_for_matrix_registers());
}

namespace detail {

/// Shapes of the registers, as LDTILECFG reads them.
struct alignas(64) register_shapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  constexpr void set(int index, std::int64_t row_count, std::int64_t steps) {
    row_bytes[index] = static_cast<std::uint16_t>(4 * steps), rows[index] = static_cast<std::uint8_t>(row_count);
  }
  /// For blocks of `row_count` rows (1 to 16) of A, and runs with `last_steps` steps after the last whole register.
  static constexpr register_shapes of(std::int64_t row_count, std::int64_t last_steps) {
    register_shapes s;
    for (const int sums : {0, 1, 2, 3}) s.set(sums, row_count, register_steps);
    s.set(4, row_count, register_steps), s.set(5, register_rows, register_steps);
    if (last_steps > 0) s.set(6, row_count, last_steps), s.set(7, last_steps, register_steps);
    return s;
  }
};

#if defined(NNRT_TEST_MATRIX_REGISTERS)

/// Registers in plain C++ with the instructions' rules: what a rule forbids (no shapes loaded, shapes that do not fit,
/// too many rows) stops the program.
struct matrix_registers {
  register_shapes shapes;
  bool has_shapes = false;
  std::uint8_t bytes[8][16][64];

  void require(bool holds) const {
    if (!holds) __builtin_trap();
  }
  /// The register of an instruction: rows past its shape are zero after a load.
  std::uint8_t (&cleared(int index))[16][64] {
    require(has_shapes && shapes.rows[index] > 0 && shapes.rows[index] <= 16 && shapes.row_bytes[index] > 0 &&
            shapes.row_bytes[index] <= 64);
    std::memset(bytes[index], 0, sizeof bytes[index]);
    return bytes[index];
  }
};
inline thread_local matrix_registers plain_registers;

inline void set_shapes(const register_shapes& s) {
  plain_registers.require(s.palette == 1 && s.start_row == 0);
  plain_registers.shapes = s, plain_registers.has_shapes = true;
  std::memset(plain_registers.bytes, 0, sizeof plain_registers.bytes);
}
inline void release_registers() { plain_registers.has_shapes = false; }
template <int Register> void clear_register() { plain_registers.cleared(Register); }
/// Loads rows that lie `stride` bytes apart.
template <int Register> void load_rows(const std::byte* p, std::int64_t stride) {
  auto& to = plain_registers.cleared(Register);
  const register_shapes& s = plain_registers.shapes;
  for (int row = 0; row < s.rows[Register]; ++row) std::memcpy(to[row], p + row * stride, s.row_bytes[Register]);
}
template <int Register> void store_rows(std::int32_t* p) {
  const matrix_registers& r = plain_registers;
  r.require(r.has_shapes && r.shapes.rows[Register] > 0);
  for (int row = 0; row < r.shapes.rows[Register]; ++row)
    std::memcpy(reinterpret_cast<std::byte*>(p) + row * register_bytes, r.bytes[Register][row],
                r.shapes.row_bytes[Register]);
}
/// Adds the products of A and B to sums; bytes of B are signed, those of A as it says.
template <int Sums, int A, int B, bool IsUnsigned> void add_products() {
  matrix_registers& r = plain_registers;
  const register_shapes& s = r.shapes;
  r.require(r.has_shapes && s.rows[Sums] == s.rows[A] && s.row_bytes[Sums] == s.row_bytes[B] &&
            s.row_bytes[A] == 4 * s.rows[B]);
  for (int row = 0; row < s.rows[Sums]; ++row)
    for (int column = 0; column < s.row_bytes[Sums] / 4; ++column) {
      std::int32_t sum;
      std::memcpy(&sum, &r.bytes[Sums][row][4 * column], sizeof sum);
      for (int i = 0; i < s.row_bytes[A]; ++i) {
        const std::uint8_t a = r.bytes[A][row][i];
        sum += (IsUnsigned ? std::int32_t{a} : static_cast<std::int8_t>(a)) *
               static_cast<std::int8_t>(r.bytes[B][i / 4][4 * column + i % 4]);
      }
      std::memcpy(&r.bytes[Sums][row][4 * column], &sum, sizeof sum);
    }
}

#elif defined(NNRT_MATRIX_REGISTERS)

// Templates of a register's number, as instructions have it. All clobber memory: they read and write what no operand
// names.
inline void set_shapes(const register_shapes& s) { asm volatile("ldtilecfg %0" : : "m"(s) : "memory"); }
inline void release_registers() { asm volatile("tilerelease"); }

template <int Register> [[gnu::always_inline]] inline void clear_register() {
  asm volatile("tilezero %%tmm%c0" : : "i"(Register));
}
/// Loads rows that lie `stride` bytes apart.
template <int Register> [[gnu::always_inline]] inline void load_rows(const std::byte* p, std::int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(p), "r"(stride), "i"(Register) : "memory");
}
template <int Register> [[gnu::always_inline]] inline void store_rows(std::int32_t* p) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(p), "r"(register_bytes), "i"(Register) : "memory");
}
/// Adds the products of A and B to sums; bytes of B are signed, those of A as it says.
template <int Sums, int A, int B, bool IsUnsigned> [[gnu::always_inline]] inline void add_products() {
  if constexpr (IsUnsigned) asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(A), "i"(B));
  else asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(Sums), "i"(A), "i"(B));
}

#else

inline void set_shapes(const register_shapes&) {}
inline void release_registers() {}
template <int Register> inline void clear_register() {}
template <int Register> inline void load_rows(const std::byte*, std::int64_t) {}
template <int Register> inline void store_rows(std::int32_t*) {}
template <int Sums, int A, int B, bool IsUnsigned> inline void add_products() {}

#endif

}  // namespace detail

}}}  // namespace nnrt::NNRT_ISA::kernels
