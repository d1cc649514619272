// bpu: networks for int8 accelerators - their limits, partitioning, calibration from samples, quantised execution.
// Flow: include it together with nnrt.hpp. To add an architecture, add one header like policy/bayes.hpp.
#pragma once

#include <nnrt/nnrt.hpp>

#include <nnrt/exec/accelerated.hpp>
#include <nnrt/exec/calibration_report.hpp>
#include <nnrt/exec/partition.hpp>
#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bayes_e.hpp>
#include <nnrt/policy/bernoulli2.hpp>
#include <nnrt/policy/image_input.hpp>
