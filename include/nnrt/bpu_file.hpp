// bpu_file: calibrated networks in files - save_calibrated() and load_calibrated().
// Flow: include it beside bpu.hpp; a file may hold any operator, so all of them are compiled.
#pragma once

#include <nnrt/bpu.hpp>
#include <nnrt/exec/calibrated_file.hpp>
