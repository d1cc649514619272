// The registry in constant evaluation: programs of one unit find operators in the compiler, too.
#include <nnrt/ops/registry.hpp>

using namespace nnrt;

#ifndef NNRT_SEPARATE_COMPILATION  // else another unit has the operators
static_assert(ops::find(op_code{45}) == &dynamic_operator<ops::reshape>);
static_assert(ops::find("transpose") == &dynamic_operator<ops::transpose>);
static_assert(ops::find(op_code{0}) == nullptr && ops::find("") == nullptr);
static_assert(ops::find("batch_norm")->folded_as == ops::find("fold_affine"));
#endif

int main() { return 0; }
