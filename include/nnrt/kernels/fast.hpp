// fast: the header that kernels/bind/*.hpp include for the template that they specialise.
// Flow: core/kernel.hpp declares kernels::fast<Op>; kernels/select.hpp includes all specialisations.
#pragma once

#include <nnrt/core/kernel.hpp>
