// keyword_spotter_of_3: DS-CNN on three seconds at a time.
#include "networks/keyword_spotter.hpp"
#include "support/network_check.hpp"

constexpr auto of_3 = [](nnrt::builder& g) { networks::write_keyword_spotter<3>(g); };

int main() { return nnrt_test::check<nnrt::graph<of_3>>(); }
