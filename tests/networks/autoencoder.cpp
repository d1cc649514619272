// autoencoder: MLPerf Tiny's autoencoder, whose input goes to two ends; two outputs.
// nightly with the other compiler: half a minute
#include "networks/autoencoder.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::autoencoder>>(); }
