// expect: graph_rejected<.*graph_rule::next_must_have_the_desc_of_its_state.*actual<.*i32>.*expected<.*f32>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
inline constexpr nnrt::dtype type = nnrt::f32;
#else
inline constexpr nnrt::dtype type = nnrt::i32;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto x = g.input<type, nnrt::shape<1, 4>>("x");
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h");
  g.next(h, x);  // here
  g.output("y", h);
};

int main() { return nnrt::graph<network>::inputs.size() == 1 ? 0 : 1; }
