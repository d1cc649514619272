// expect: the_compiler_does_not_have_the_weights_of_a_file_above_1_MiB
#ifdef NNRT_FIXED
#include "../support/literals/hybrid.inc"
#define MODEL "hybrid"
constexpr int inputs = 4;
#else
#include "../support/literals/large.inc"
#define MODEL "large"
constexpr int inputs = 512;
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, MODEL);

constexpr auto y = nnrt::evaluate<nnrt::graph<network>>(std::array<float, inputs>{});  // here

int main() { return y[0] == 0 ? 0 : 1; }
