#include <nnrt/kernels/simd/matrix_registers.hpp>
#include <support/child_process.hpp>

#include <doctest/doctest.h>
#include <csignal>
#include <cstring>

using namespace nnrt;
using namespace nnrt::kernels;

namespace {

using kernels::detail::permission;

#if defined(NNRT_MATRIX_REGISTERS) && !defined(NNRT_TEST_MATRIX_REGISTERS)

// Before all others, which ask for them: no process gives them back.
TEST_CASE("matrix registers: a process whose stack for signals has no room for them does without") {
  constexpr long question = 0x1022, request_bit = 1L << 18;  // ARCH_GET_XCOMP_PERM
  unsigned long given = 0;
  ::syscall(SYS_arch_prctl, question, &given);
  if ((given & request_bit) != 0) {
    MESSAGE("the process has them already");
    return;
  }
  CHECK(nnrt_test::in_child([] {
          alignas(16) static char small[2048];
          const ::stack_t stack{small, 0, sizeof small};
          if (::sigaltstack(&stack, nullptr) != 0) return 1;
          kernels::detail::matrix_permission = permission::not_asked;
          if (may_use_matrix_registers() || may_use_matrix_registers()) return 2;
          return kernels::detail::matrix_permission == permission::refused ? 0 : 3;
        }) == 0);
}

#endif

TEST_CASE("matrix registers: the first question is the last, and machines without them have none") {
  const bool may_use = may_use_matrix_registers();
  CHECK(may_use_matrix_registers() == may_use);
  if (!has_matrix_registers) CHECK_FALSE(may_use);
  else CHECK(kernels::detail::matrix_permission == (may_use ? permission::given : permission::refused));
}

TEST_CASE("matrix registers: shapes lie as LDTILECFG reads them") {
  const auto shapes = kernels::detail::register_shapes::of(14, 5);
  unsigned char bytes[64];
  static_assert(sizeof shapes == sizeof bytes);
  std::memcpy(bytes, &shapes, sizeof bytes);
  CHECK(bytes[0] == 1);  // the palette
  for (int i = 1; i < 16; ++i) CHECK(bytes[i] == 0);
  const int row_bytes[] = {64, 64, 64, 64, 64, 64, 20, 64}, rows[] = {14, 14, 14, 14, 14, 16, 14, 5};
  for (int i = 0; i < 16; ++i) {
    CAPTURE(i);
    CHECK(bytes[16 + 2 * i] + 256 * bytes[17 + 2 * i] == (i < 8 ? row_bytes[i] : 0));
    CHECK(bytes[48 + i] == (i < 8 ? rows[i] : 0));
  }
  const auto whole = kernels::detail::register_shapes::of(16, 0);  // runs end with whole registers
  CHECK(whole.rows[6] == 0);
  CHECK(whole.rows[7] == 0);
}

#if defined(NNRT_MATRIX_REGISTERS)

TEST_CASE("matrix registers: a product of them") {
  if (!may_use_matrix_registers()) {
    MESSAGE("the system has none for this process");
    return;
  }
  using namespace kernels::detail;
  constexpr int rows = 3, steps = 2;
  alignas(64) std::byte a[rows][64] = {}, b[register_rows][64] = {};
  for (int i = 0; i < 4 * steps; ++i) {
    for (int row = 0; row < rows; ++row) a[row][i] = static_cast<std::byte>(100 + 50 * row + i);
    for (int j = 0; j < 16; ++j) b[i / 4][4 * j + i % 4] = static_cast<std::byte>(7 * i - 3 * j - 60);
  }
  alignas(64) std::int32_t as_signed[16][16] = {}, as_unsigned[16][16] = {};
  set_shapes(register_shapes::of(rows, steps));
  load_rows<6>(a[0], 64), load_rows<7>(b[0], 64);
  clear_register<0>(), clear_register<1>();
  add_products<0, 6, 7, false>(), add_products<1, 6, 7, true>();
  store_rows<0>(as_signed[0]), store_rows<1>(as_unsigned[0]);
  release_registers();
  for (int row = 0; row < 16; ++row)
    for (int j = 0; j < 16; ++j) {
      std::int32_t signed_sum = 0, unsigned_sum = 0;
      for (int i = 0; i < 4 * steps && row < rows; ++i) {
        const auto weight = static_cast<std::int8_t>(b[i / 4][4 * j + i % 4]);
        signed_sum += static_cast<std::int8_t>(a[row][i]) * weight,
            unsigned_sum += static_cast<std::uint8_t>(a[row][i]) * weight;
      }
      CHECK(as_signed[row][j] == signed_sum);
      CHECK(as_unsigned[row][j] == unsigned_sum);
    }
}

#endif

}  // namespace
