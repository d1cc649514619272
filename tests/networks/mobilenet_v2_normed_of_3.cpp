// mobilenet_v2_normed_of_3: MobileNetV2 as its weights are trained, on three small images at a time.
#include "networks/mobilenet_v2.hpp"
#include "support/network_check.hpp"

constexpr auto small = [](nnrt::builder& g) { networks::write_mobilenet_v2<3, 64, true>(g); };

int main() { return nnrt_test::check<nnrt::graph<small>>(); }
