// inception: an inception-like network: dilated, grouped, 1x5 and 5x1 kernels, every concat, two outputs.
// nightly with the other compiler: half a minute
#include "networks/inception.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::inception>>(); }
