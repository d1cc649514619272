// expect: graph_rejected<.*graph_rule::initial_value_must_have_the_desc_of_its_state.*actual<5>.*expected<4>
// errors: 1
#include <nnrt/exec/static_graph.hpp>
#include <nnrt/ir/apply.hpp>

#ifdef NNRT_FIXED
constexpr std::int64_t features = 4;
#else
constexpr std::int64_t features = 5;
#endif

constexpr auto network = [](nnrt::builder& g) {
  auto first = g.weight<nnrt::f32, nnrt::shape<1, features>>("first");
  auto h = g.state<nnrt::f32, nnrt::shape<1, 4>>("h", first);  // here
  g.next(h, g.input<nnrt::f32, nnrt::shape<1, 4>>("x"));
  g.output("y", h);
};

int main() { return nnrt::graph<network>::inputs.size() == 1 ? 0 : 1; }
