// expect: the third argument of NNRT_MODEL is
#include "../support/literals/onnx_control.inc"
#ifdef NNRT_FIXED
#define OPTIONS
#else
#define OPTIONS , "serving_default"
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, "onnx_control" OPTIONS);  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
