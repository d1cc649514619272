#include <nnrt/core/channel_scales.hpp>

#include <doctest/doctest.h>

#include <span>

using namespace nnrt;

namespace {

TEST_CASE("fault_of_channel_scales: the first that is negative or not finite is said with its place, at any address") {
  struct row {
    float scale;
    const char* got;
  };
  const row rows[] = {
      {-0.5F, "-0.5"}, {math::nan<float>, "nan"}, {math::infinity<float>, "inf"}, {-math::infinity<float>, "-inf"}};
  for (const row& r : rows) {
    CAPTURE(r.got);
    const float scales[] = {0, 1e-40F, r.scale, -1};
    std::byte bytes[sizeof scales + 1];
    std::memcpy(bytes + 1, scales, sizeof scales);
    CHECK(fault_of_channel_scales(array_ref<const std::byte>(bytes + 1, sizeof scales)) ==
          std::string("scale 2: got ") + r.got + ", expected a finite number of at least 0");
    CHECK(fault_of_channel_scales(array_ref<const std::byte>(bytes + 1, 2 * sizeof(float))).empty());
  }
  CHECK(fault_of_channel_scales({}).empty());
}

}  // namespace
