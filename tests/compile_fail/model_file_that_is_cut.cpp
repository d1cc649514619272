// expect: graph_rejected<.*file_rule::file_must_be_readable.*at_byte<0
// expect: reason<.*"a table, list or string of ".*"the FlatBuffer lies outside "
#include <nnrt/model.hpp>
#include "../support/literals/hybrid.inc"

NNRT_MODEL_BYTES("cut.tflite") = {'\x18', 0, 0, 0, 'T', 'F', 'L', '3', 0, 0, 14, 0};

#ifdef NNRT_FIXED
NNRT_MODEL(hybrid, "hybrid.tflite");
int main() { return nnrt::graph<hybrid>::nodes > 0 ? 0 : 1; }
#else
NNRT_MODEL(cut, "models/cut.tflite");  // here
int main() { return nnrt::graph<cut>::nodes > 0 ? 0 : 1; }
#endif
