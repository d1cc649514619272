// resnet18_of_224: ResNet-18 as it is used.
// nightly: every day the same layers run on a smaller image
#include "networks/resnet18.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::resnet18>>(); }
