// expect: graph_rejected<.*file_rule::file_must_be_readable
// expect: reason<.*the compiler needs ".*"all extents
#include "../support/literals/image.onnx.inc"
#ifdef NNRT_FIXED
#define OPTIONS                       \
  , {                                 \
    .shapes = { {"x", {2, 1, 4, 4}} } \
  }
#else
#define OPTIONS
#endif
#include <nnrt/model.hpp>

NNRT_MODEL(network, "image.onnx" OPTIONS);  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
