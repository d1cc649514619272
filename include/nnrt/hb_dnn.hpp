// hb_dnn: defines the functions of hbDNN, those on memory first, over this library's graphs and kernels.
// Flow: include it in one or more units of a C++ program (all with the same compiler flags), whose C units then link against them.
//
// Contract: the headers in dnn/.
#pragma once

#include <nnrt/hb_dnn/memory_functions.hpp>
