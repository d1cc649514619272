// transformer: two encoder blocks: matmul, softmax, layer_norm, gelu, split, reshape, transpose.
#include "networks/transformer.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::transformer>>(); }
