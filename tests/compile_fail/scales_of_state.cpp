// expect: a state has one scale: scales of channels come by name, with a weight
// Scales of channels come by name with a weight; a state has nobody to name them.
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
constexpr nnrt::quantisation quantised = nnrt::quant{.scale = 0.5F};
#else
constexpr nnrt::quantisation quantised = nnrt::per_channel<1>;
#endif

constexpr auto network = [](nnrt::builder& b) {
  auto h = b.state<nnrt::i8, nnrt::shape<2, 4>, nnrt::nd, quantised>("h");
  b.next(h, h);
  b.output("y", h);
};

int main() {
  nnrt::builder b;
  network(b);
}
