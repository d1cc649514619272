// expect: policy_option
#include <nnrt/policy/bayes.hpp>
#include <nnrt/policy/bpu.hpp>

#ifdef NNRT_FIXED
using option = nnrt::strict;
#else
using option = int;
#endif

static_assert(sizeof(nnrt::bpu<nnrt::bayes, option>) > 0);

int main() {}
