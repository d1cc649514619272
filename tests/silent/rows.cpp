// rows: operators along rows of quantised values and floats, each alone in its network, so that all extents are known
// to the compiler.
// Flow: the nightly leg `silent` compiles it for each instruction set; none of it is run.
#include <nnrt/nnrt.hpp>

#include <cstdint>
#include <vector>

namespace {

using namespace nnrt;

inline constexpr quant of_scores{.scale = 1.0F / 256, .zero_point = -128};

template <std::int64_t Length> struct int8_softmax {
  static constexpr auto network = [](builder& g) {
    auto x = g.input<i8, shape<2, Length>, nd, quant{.scale = 0.1F, .zero_point = 3}>("x");
    g.output("y", softmax(x, into<of_scores>));
  };
};
template <std::int64_t Length> struct softmax_of_unsigned_bytes {
  static constexpr auto network = [](builder& g) {
    auto x = g.input<u8, shape<2, Length>, nd, quant{.scale = 0.1F, .zero_point = 128}>("x");
    g.output("y", softmax(x, into<quant{.scale = 1.0F / 256, .zero_point = 0}>));
  };
};
template <std::int64_t Length> struct rows_of_floats {
  static constexpr auto network = [](builder& g) {
    auto x = g.input<f32, shape<2, Length>>("x");
    g.output("y", log_softmax(softmax(x)));
    g.output("largest", reduce_max(x, axes<1>));
    g.output("mean", reduce_mean(x, axes<1>));
  };
};
template <std::int64_t Length> struct elements_of_bytes {
  static constexpr auto network = [](builder& g) {
    auto x = g.input<i8, shape<2, Length>, nd, quant{.scale = 0.1F, .zero_point = 3}>("x");
    g.output("y",
             add(relu(x, into<quant{.scale = 0.1F, .zero_point = 3}>), x, into<quant{.scale = 0.2F, .zero_point = 1}>));
  };
};

template <template <std::int64_t> class Network, std::int64_t Length> int run() {
  using net = graph<Network<Length>::network>;
  auto made = executor<net>::create();
  if (!made) return 1;
  std::vector<element_t<net::inputs[0].desc.type>> x(static_cast<std::size_t>(2 * Length));
  (*made)(x);
  return 0;
}
template <template <std::int64_t> class Network> int run_all() {
  return run<Network, 3>() + run<Network, 16>() + run<Network, 128>() + run<Network, 1000>() + run<Network, 1001>();
}

}  // namespace

int main() {
  return run_all<int8_softmax>() + run_all<softmax_of_unsigned_bytes>() + run_all<rows_of_floats>() +
         run_all<elements_of_bytes>();
}
