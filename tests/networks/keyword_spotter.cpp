// keyword_spotter: DS-CNN on a second of speech: kernels and strides that differ by axis.
// nightly: every day MobileNetV2 has the same layers
#include "networks/keyword_spotter.hpp"
#include "support/network_check.hpp"

int main() { return nnrt_test::check<nnrt::graph<networks::keyword_spotter>>(); }
