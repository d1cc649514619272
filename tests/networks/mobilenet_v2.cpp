// mobilenet_v2: MobileNetV2 as it is deployed, on one small image.
// nightly with the other compiler: half a minute
#include "networks/mobilenet_v2.hpp"
#include "support/network_check.hpp"

constexpr auto small = [](nnrt::builder& g) { networks::write_mobilenet_v2<1, 96, false>(g); };

int main() { return nnrt_test::check<nnrt::graph<small>>(); }
