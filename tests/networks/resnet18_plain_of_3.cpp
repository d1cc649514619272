// resnet18_plain_of_3: ResNet-18 whose convolutions have biases, on three small images at a time.
#include "networks/resnet18.hpp"
#include "support/network_check.hpp"

constexpr auto small = [](nnrt::builder& g) { networks::write_resnet18<3, 32, false>(g); };

int main() { return nnrt_test::check<nnrt::graph<small>>(); }
