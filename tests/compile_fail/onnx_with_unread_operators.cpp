// expect: graph_rejected<.*file_rule::file_must_be_readable.*at_byte<[1-9]
// expect: reason<.*"node 0 .{1,2}s.{1,2} StringNormalizer ".*"operator; node 2 .*"SequenceConstruct
#ifdef NNRT_FIXED
#include "../support/literals/onnx_control.inc"
#define MODEL "onnx_control"
#else
#include "../support/literals/onnx_unread.inc"
#define MODEL "onnx_unread"
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, MODEL);  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
