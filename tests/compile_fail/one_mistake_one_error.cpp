// expect: graph_rejected<.*conv2d::rule::input_channels_must_equal_weight_channels_times_group.*actual<3>.*expected<4>
// errors: 1
#include <nnrt/nnrt.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t channels = 3;
#else
constexpr std::int64_t channels = 4;
#endif

// Everything after the refused convolution depends on it, and nothing else uses the input.
constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<nnrt::f32, nnrt::shape<1, 8, 8, 3>>("image");
  auto w = g.weight<nnrt::f32, nnrt::shape<16, 3, 3, channels>>("stem");
  auto h = conv2d(x, w, nnrt::same);  // here
  auto a = nnrt::relu(h);
  auto b = (a + h) * 2.0F;
  auto c = softmax(b, nnrt::axis<-1>);
  auto [d, e] = nnrt::split<2>(c, nnrt::axis<-1>);
  auto f = concat(d, e, nnrt::axis<-1>);
  auto p = max_pool(f, nnrt::kernel<2, 2>, nnrt::stride<2, 2>);
  auto m = reduce_mean(p, nnrt::axes<1, 2>);
  auto l = nnrt::layers::full_connection<10>(nnrt::flatten(m), "fc");
  g.output("y", reshape(l, nnrt::shape<10>));
};

int main() { return nnrt::graph<network>::nodes > 0 ? 0 : 1; }
