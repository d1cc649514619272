// micro_mlp_of_3: the micro network for three states at a time.
#include "networks/micro_mlp.hpp"
#include "support/network_check.hpp"

constexpr auto of_3 = [](nnrt::builder& g) { networks::write_micro_mlp<3>(g); };

int main() { return nnrt_test::check<nnrt::graph<of_3>>(); }
