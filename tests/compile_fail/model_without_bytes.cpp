// expect: the bytes of this model are not here: let CMake add them, nnrt_model
#include <nnrt/model.hpp>
#include "../support/literals/hybrid.inc"

#ifdef NNRT_FIXED
NNRT_MODEL(hybrid, "models/hybrid.tflite");
#else
NNRT_MODEL(other, "models/hybrid.tflite");  // here
#endif

int main() {}
