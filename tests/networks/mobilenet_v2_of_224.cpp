// mobilenet_v2_of_224: MobileNetV2 as it is used.
// nightly: every day the same layers run on a smaller image
#include "networks/mobilenet_v2.hpp"
#include "support/network_check.hpp"

constexpr auto normed = [](nnrt::builder& g) { networks::write_mobilenet_v2<1, 224, true>(g); };

int main() { return nnrt_test::check<nnrt::graph<normed>>(); }
