// resnet18_of_224: ResNet-18 as it is used.
// nightly: its computation in float64 takes minutes
#include "networks/resnet18.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::resnet18>>(); }
