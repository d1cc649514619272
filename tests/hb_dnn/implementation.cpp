// The functions of hbDNN, compiled once for all tests of this folder.
#include <nnrt/hb_dnn.hpp>

namespace nnrt_test {
bool use_cores(int count) { return nnrt::hb_dnn::runtime::the().cores.use_cores(count); }
}  // namespace nnrt_test
