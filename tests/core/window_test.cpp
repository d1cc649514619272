// Where windows lie, against the formulas of NNRt's documents and at the largest lengths that rules let through.
#include <nnrt/core/window.hpp>

#include <doctest/doctest.h>

namespace {

using namespace nnrt;

constexpr auto explicit_pads = pad_mode::explicit_pads;
constexpr auto same = pad_mode::same;
constexpr auto valid = pad_mode::valid;
constexpr std::int64_t most = max_window_length, longest = std::int64_t{1} << 40;

struct row {
  const char* what;
  window w;  // input, kernel, stride, dilation, mode, before, after, ceil_mode
  std::int64_t outputs, pad_before;
};
constexpr row table[] = {
    {"one window", {3, 3, 1, 1, explicit_pads, 0, 0}, 1, 0},
    {"stride, a pixel left over", {8, 3, 2, 1, explicit_pads, 0, 0}, 3, 0},
    {"uneven pads", {8, 3, 2, 1, explicit_pads, 1, 2}, 5, 1},
    {"dilation", {8, 3, 1, 3, explicit_pads, 0, 0}, 2, 0},
    {"input below the kernel", {2, 3, 1, 1, explicit_pads, 0, 0}, 0, 0},
    {"same, even pads", {8, 3, 1, 1, same, 0, 0}, 8, 1},
    {"same, the odd pixel is after", {8, 4, 1, 1, same, 0, 0}, 8, 1},
    {"same, stride 2: total pad 1", {8, 3, 2, 1, same, 0, 0}, 4, 0},
    {"same, stride above the kernel", {9, 1, 4, 1, same, 0, 0}, 3, 0},
    {"same, windows that leave more than a pixel out", {7, 1, 4, 1, same, 0, 0}, 2, 0},
    {"same, dilation", {5, 3, 1, 2, same, 0, 0}, 5, 2},
    {"valid ignores pads", {8, 3, 1, 1, valid, 5, 5}, 6, 0},
    {"no input under same", {0, 3, 2, 1, same, 0, 0}, 0, 0},
    {"ceil: one more, in part", {4, 3, 2, 1, explicit_pads, 0, 0, true}, 2, 0},
    {"ceil: nothing left over", {5, 3, 2, 1, explicit_pads, 0, 0, true}, 2, 0},
    {"ceil: the last would start after the input", {6, 1, 4, 1, explicit_pads, 0, 0, true}, 2, 0},
    {"ceil: the last would start in the padding after", {3, 2, 3, 1, explicit_pads, 0, 1, true}, 1, 0},
    {"ceil: the last starts on the last pixel", {3, 2, 3, 1, explicit_pads, 1, 0, true}, 2, 1},
    {"ceil: the only one, in part", {2, 3, 2, 1, explicit_pads, 0, 0, true}, 1, 0},
    {"ceil: the only one, in part, after a pad", {1, 4, 3, 1, explicit_pads, 1, 0, true}, 1, 1},
    {"ceil: a stride is missing", {2, 4, 2, 1, explicit_pads, 0, 0, true}, 0, 0},
    {"ceil: nothing to see", {0, 2, 3, 1, explicit_pads, 0, 1, true}, 0, 0},
    {"ceil: dilation", {4, 3, 2, 2, explicit_pads, 0, 0, true}, 1, 0},
    {"ceil, valid: the only one, in part", {2, 3, 2, 1, valid, 0, 0, true}, 0, 0},
    {"ceil is about explicit pads", {8, 3, 2, 1, valid, 0, 0, true}, 3, 0},
    {"input not known", {-1, 3, 1, 1, same, 0, 0}, -1, 0},
    {"kernel not known", {8, -1, 1, 1, valid, 0, 0}, -1, 0},
    {"all at the limit", {longest, most, most, most, explicit_pads, most, most, true}, 0, most},
    {"all at the limit under same", {longest, most, most, most, same, 0, 0}, 513, 2305843005992468225},
};

TEST_CASE("window: outputs and the padding in front follow from the lengths") {
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.w.outputs() == r.outputs);
    if (r.outputs >= 0) CHECK(r.w.pad_before() == r.pad_before);
  }
}

// The same without overflow, which constant evaluation would refuse.
static_assert([] {
  for (const row& r : table)
    if (r.w.outputs() != r.outputs || (r.outputs >= 0 && r.w.pad_before() != r.pad_before)) return false;
  return true;
}());

}  // namespace
