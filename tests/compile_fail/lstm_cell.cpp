// expect: graph_rejected<.*lstm_cell::rule::weights_must_have_4_rows_for_each_cell.*actual<6L?>.*expected<8L?>
// Gates have 4 rows for each cell. The operator has no function for users: readers of files make its nodes.
#include <nnrt/ops/lstm_cell.hpp>

#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr int rows = 8;
#else
inline constexpr int rows = 6;
#endif

constexpr auto network = [](nnrt::builder& g) {
  using namespace nnrt;
  auto x = g.input<u8, shape<1, 5>, nd, quant{0x1p-7F, 128}>("x");
  auto w = g.weight<u8, shape<rows, 5>, nd, quant{0.01F, 121}>("w");
  auto b = g.weight<i32, shape<rows>>("b");
  auto c = g.state<i16, shape<1, 2>, nd, quant{0x1p-11F, 0}>("c");
  auto y = dsl::apply<ops::lstm_cell>(x, w, b, c);  // here
  g.output("y", get<0>(y));
  g.next(c, get<1>(y));
};

int main() {
  nnrt::builder g;
  network(g);
}
