// lenet: LeNet-5 on one image does what every network must.
#include "networks/lenet.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::lenet>>(); }
