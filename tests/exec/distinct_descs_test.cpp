// distinct_descs_test: equal descs have one index, others have their own, whether there are few or many.
#include <nnrt/exec/distinct_descs.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

/// A desc for each number: dtypes, formats, shapes, scales and zero points that differ in one thing alone.
constexpr tensor_desc numbered(int i) {
  tensor_desc desc{i % 2 == 0 ? i8 : u8, i % 3 == 0 ? nhwc : nchw, {1, i % 5 + 1, 1, i / 100}};
  if (i % 7 != 0) desc.quantised = quant{0.5F + static_cast<float>(i % 11), i % 13};
  if (i % 7 == 1) desc.quantised = per_channel<3>;
  return desc;
}

constexpr bool finds_each(int count) {
  pool<tensor_desc> list;
  nnrt::detail::distinct_descs finder;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < count; ++i) {
      const std::int32_t found = finder.index_in(list, numbered(i));
      if (found < 0 || found >= static_cast<std::int32_t>(list.size()) ||
          !(list[static_cast<std::size_t>(found)] == numbered(i)))
        return false;
    }
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (list[i] == list[k]) return false;
  return true;
}
static_assert(finds_each(80));

TEST_CASE("distinct_descs: each desc stands in the list once, at the index that it was given") {
  for (const int count : {1, 63, 64, 65, 129, 1500}) {
    CAPTURE(count);
    CHECK(finds_each(count));
  }
}

}  // namespace
