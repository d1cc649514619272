// micro_mlp: a dense network small enough for the unrolled form.
#include "networks/micro_mlp.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::micro_mlp>>(); }
