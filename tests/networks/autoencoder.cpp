// autoencoder: MLPerf Tiny's autoencoder, whose input goes to two ends; two outputs.
// nightly: every day it runs on three inputs
#include "networks/autoencoder.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::autoencoder>>(); }
