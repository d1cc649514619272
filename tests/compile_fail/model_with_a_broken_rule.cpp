// expect: graph_rejected<.*file_rule::file_must_be_readable.*at_byte<[1-9]
// expect: reason<.*"subgraph 0: operator 1 ".*"FULLY_CONNECTED: ".*"full_connection .*: elements ".*got 3
#ifdef NNRT_FIXED
#include "../support/literals/hybrid.inc"
#define MODEL "hybrid"
#else
#include "../support/literals/broken.inc"
#define MODEL "broken"
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, MODEL);  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
