// expect: a constant has one scale: scales of channels come by name, with a weight
// Scales of channels come by name with a weight; a constant has nobody to name them.
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
constexpr nnrt::quantisation quantised = nnrt::quant{.scale = 0.5F};
#else
constexpr nnrt::quantisation quantised = nnrt::per_channel<0>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  b.output("y", b.constant<nnrt::i8, nnrt::shape<2, 1>, nnrt::nd, quantised>({1, 2}));
};

int main() {
  nnrt::builder b;
  network(b);
}
