// inception_of_3: the inception-like network on three images: the same concats, none of them in one piece.
// nightly: every day another network runs on a batch
#include "networks/inception.hpp"
#include "support/network_check.hpp"

constexpr auto of_3 = [](nnrt::builder& g) { networks::write_inception<3>(g); };

int main() { return nnrt_test::check<nnrt::graph<of_3>>(); }
