// lenet: LeNet-5 on one image does what every network must.
// nightly with the other compiler: half a minute
#include "networks/lenet.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::lenet>>(); }
