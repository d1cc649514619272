// expect: graph_rejected<.*file_rule::file_must_be_readable.*at_byte<[1-9]
// expect: reason<.*"subgraph 0: operator 0 ".*"HASHTABLE_FIND: nnrt has no ".*"such operator"
#ifdef NNRT_FIXED
#include "../support/literals/hybrid.inc"
#define MODEL "hybrid"
#else
#include "../support/literals/unread.inc"
#define MODEL "unread"
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, MODEL);  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
