// bpu_file: calibrated networks in files - save_calibrated() and load_calibrated().
// Flow: include it together with bpu.hpp. A file may contain any operator, so this header compiles all of them.
#pragma once

#include <nnrt/bpu.hpp>
#include <nnrt/exec/calibrated_file.hpp>
