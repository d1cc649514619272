// machine: the instruction set that this translation unit is compiled for, as a class of constants and operations.
// Flow: simd/lanes.hpp, simd/int8_lanes.hpp and their neighbours name its types and operations; kernels use those. A
// new instruction set is a file in simd/, a line here, and its name in core/config.hpp.
#pragma once

// One of these defines `machine`; the others are empty.
#include <nnrt/kernels/simd/arm_neon.hpp>
#include <nnrt/kernels/simd/scalar.hpp>
#include <nnrt/kernels/simd/test_matrix.hpp>
#include <nnrt/kernels/simd/wasm_simd128.hpp>
#include <nnrt/kernels/simd/x86_avx2.hpp>
#include <nnrt/kernels/simd/x86_avx512.hpp>
#include <nnrt/kernels/simd/x86_sse.hpp>
