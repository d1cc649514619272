// The functions of hbDNN, compiled once for all tests of this folder.
#include <nnrt/hb_dnn.hpp>

namespace nnrt_test {
bool use_cores(int count) { return nnrt::hb_dnn::runtime::the().cores.use_cores(count); }
std::weak_ptr<const void> memory_at(const void* address) {
  std::shared_ptr<const void> block;
  (void)nnrt::hb_dnn::runtime::the().memory.covers(address, 1, &block);
  return block;
}
}  // namespace nnrt_test
