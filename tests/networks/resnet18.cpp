// resnet18: ResNet-18 with its normalisation, on one small image; nothing but the shapes differs from 224x224.
// nightly: every day MobileNetV2 has residual blocks, too
#include "networks/resnet18.hpp"
#include "support/network_check.hpp"

constexpr auto small = [](nnrt::builder& g) { networks::write_resnet18<1, 64, true>(g); };

int main() { return nnrt_test::check<nnrt::graph<small>>(); }
