// transformer_of_3: the encoder blocks on three sentences at a time.
#include "networks/transformer.hpp"
#include "support/network_check.hpp"

constexpr auto of_3 = [](nnrt::builder& g) { networks::write_transformer<3>(g); };

int main() { return nnrt_test::check<nnrt::graph<of_3>>(); }
