// autoencoder_of_3: the autoencoder on three spectrograms at a time.
#include "networks/autoencoder.hpp"
#include "support/network_check.hpp"

constexpr auto of_3 = [](nnrt::builder& g) { networks::write_autoencoder<3>(g); };

int main() { return nnrt_test::check<nnrt::graph<of_3>>(); }
