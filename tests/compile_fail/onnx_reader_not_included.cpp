// expect: for an .onnx file, #include <nnrt/exec/onnx_format.hpp> before NNRT_MODEL
#ifdef NNRT_FIXED
#include <nnrt/exec/onnx_format.hpp>
#endif
#include <nnrt/model.hpp>

// y = relu(x), 2 numbers
NNRT_MODEL_BYTES("relu.onnx") = {
    8,   8,    0x42, 4,    0x0a, 0,    0x10, 13,  0x3a, 52, 0x0a, 12, 0x0a, 1, 'x',  0x12, 1,    'y', 0x22, 4, 'R',
    'e', 'l',  'u',  0x5a, 17,   0x0a, 1,    'x', 0x12, 12, 0x0a, 10, 8,    1, 0x12, 6,    0x0a, 4,   8,    2, 0x12,
    0,   0x62, 17,   0x0a, 1,    'y',  0x12, 12,  0x0a, 10, 8,    1,  0x12, 6, 0x0a, 4,    8,    2,   0x12, 0};

NNRT_MODEL(network, "relu.onnx");  // here

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
