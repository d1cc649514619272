// describe: nnrt's graph as a description, and a graph of floats as one of quantised values.
// Flow: prepared.cpp; the only place where operators of nnrt are translated for peers.
#pragma once

#include "support/description.hpp"

#include <nnrt/io/model.hpp>

#include <nnrt/exec/evaluate.hpp>

#include <string>

namespace bench {

/// An optimised graph whose weights are put into `values` and whose nodes on weights have run. The description points
/// to the values. Throws cannot_run for an operator that has no place in a description.
description describe(const nnrt::detail::evaluation& values, const std::string& name);

/// The network in quantised values: weights per channel, everything else with the range that it has in `values`, which
/// are those of a whole run.
nnrt::model quantise(const nnrt::detail::evaluation& values);

}  // namespace bench
