// profile: everything that users need to find out where a network spends its time.
// Flow: include it together with nnrt.hpp, for executors with the policy profiled<>.
#pragma once

#include <nnrt/nnrt.hpp>

#include <nnrt/exec/profile.hpp>
