// expect: an input has one scale: scales of channels come by name, with a weight
// Scales of channels come by name with a weight; an input has nobody to name them.
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
constexpr nnrt::quantisation quantised = nnrt::quant{.scale = 0.5F};
#else
constexpr nnrt::quantisation quantised = nnrt::per_channel<1>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  b.output("y", b.input<nnrt::i8, nnrt::shape<2, 4>, nnrt::nd, quantised>("x"));
};

int main() {
  nnrt::builder b;
  network(b);
}
