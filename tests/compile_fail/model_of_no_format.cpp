// expect: graph_rejected<.*file_rule::file_must_be_readable.*at_byte<0
// expect: reason<.*"neither a .tflite file nor an
#include <nnrt/model.hpp>
#include "../support/literals/hybrid.inc"

NNRT_MODEL_BYTES("text.tflite") = {'n', 'o', ' ', 'm', 'o', 'd', 'e', 'l'};

#ifdef NNRT_FIXED
NNRT_MODEL(hybrid, "hybrid.tflite");
int main() { return nnrt::graph<hybrid>::nodes > 0 ? 0 : 1; }
#else
NNRT_MODEL(text, "text.tflite");  // here
int main() { return nnrt::graph<text>::nodes > 0 ? 0 : 1; }
#endif
