#include <nnrt/kernels/bind/reductions.hpp>
#include <support/kernels.hpp>

using namespace nnrt_test;

namespace {

/// Booleans of which the given number of places, spread evenly, are false.
given_operand booleans(shape_t shape, std::int64_t lies) {
  given_operand x = pattern(boolean, shape);
  for (std::byte& b : x.bytes) b = std::byte{1};
  const auto n = static_cast<std::int64_t>(x.bytes.size());
  for (std::int64_t i = 0; i < lies; ++i) x.bytes[static_cast<std::size_t>((i * 7919 + 5) % n)] = std::byte{0};
  return x;
}

}  // namespace

TEST_CASE_TEMPLATE("conjunctions: any axes side by side, rows and columns of every length around words", Op,
                   ops::reduce_all, ops::all) {
  const std::vector<std::int64_t> lists[] = {{0}, {1}, {2}, {1, 2}, {-1}, {0, 1}, {0, 1, 2}, {-3, 1}};
  for (const std::vector<std::int64_t>& list : lists)
    for (const std::int64_t n : {1, 2, 7, 8, 9, 31, 67})
      for (const std::int64_t lies : {0, 1, 5}) {
        CAPTURE(list[0]);
        CAPTURE(n);
        CAPTURE(lies);
        typename Op::attrs kept;
        kept.keep_dims = true;
        check_kernel<Op>({}, {booleans({3, 4, n}, lies), integers_of(list)});
        check_kernel<Op>(kept, {booleans({3, 4, n}, lies), integers_of(list)});
      }
  CHECK(has_no_kernel<Op>({}, {booleans({2, 3, 4}, 1), integers_of({0, 2})}));
}
