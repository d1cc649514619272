// expect: scalar_must_be_a_number_of_the_dtype
// 300 would silently become 44 in u8.
#include <nnrt/ops/add.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int number = 255;
#else
inline constexpr int number = 300;
#endif

constexpr bool written() {
  nnrt::builder b;
  auto x = b.input<nnrt::u8, nnrt::shape<2>>("x");
  b.output("y", x + number);  // here
  return true;
}
constexpr bool is_written = written();

int main() {}
