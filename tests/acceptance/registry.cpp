// The registry in constant evaluation: programs of one unit find operators in the compiler, too.
#include <nnrt/ops/registry.hpp>

using namespace nnrt;

static_assert(ops::find(op_code{45}) == &dynamic_operator<ops::reshape>);
static_assert(ops::find("transpose") == &dynamic_operator<ops::transpose>);
static_assert(ops::find(op_code{0}) == nullptr && ops::find("") == nullptr);
static_assert(ops::find("batch_norm")->folded_as == ops::find("fold_affine"));

int main() { return 0; }
