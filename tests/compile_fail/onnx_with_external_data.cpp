// expect: graph_rejected<.*file_rule::file_must_be_readable
// expect: reason<.*another file.*weights.bin
#ifdef NNRT_FIXED
#include "../support/literals/onnx_control.inc"
#define MODEL "onnx_control"
#else
#include "../support/literals/onnx_external.inc"
#define MODEL "onnx_external"
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, MODEL);  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
