// spoiler: graphs as a damaged or hostile file would have them.
// Flow: tests of what checks, plans and runs graphs that arrive at run time.
#pragma once

#include <nnrt/ir/graph.hpp>

#include <limits>

namespace nnrt_test {

using namespace nnrt;

/// Changes one number of a graph, as a flipped bit in a file would.
class spoiler {
 public:
  explicit spoiler(std::uint32_t seed) : state_(seed * 747796405U + 2891336453U) {}

  void spoil(ir::graph& g) {
    g.words.push_back(0);  // there is always one to change
    switch (below(10)) {
      case 0: return spoil(any(g.operands));
      case 1: return spoil(any(g.words));
      case 2: return spoil_range(any(g.nodes));
      case 3: return spoil_desc(any(g.values).desc);
      case 4: return spoil(any(g.values).first_byte);
      case 5: return spoil(any(g.values).scales);
      case 6: any(g.values).is = static_cast<ir::kind>(below(5)); return;
      case 7: return spoil(any(g.inputs));
      case 8: return spoil(any(g.outputs).value);
      default: any(g.bytes) = static_cast<std::byte>(below(256)); return;
    }
  }

 private:
  int below(int n) {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<int>((state_ >> 9U) % static_cast<std::uint32_t>(n));
  }
  template <class Pool> typename Pool::value_type& any(Pool& pool) {
    return pool[static_cast<std::size_t>(below(static_cast<int>(pool.size())))];
  }
  template <class Number> void spoil(Number& number) {
    constexpr Number extreme = std::numeric_limits<Number>::max();
    switch (below(5)) {
      case 0: number ^= 1; return;
      case 1: number ^= Number{1} << below(30); return;
      case 2: number = static_cast<Number>(below(40) - 4); return;
      case 3: number = extreme; return;
      default: number = static_cast<Number>(-extreme - 1); return;
    }
  }
  void spoil_range(ir::node& n) {
    ir::range* const ranges[] = {&n.attrs, &n.inputs, &n.outputs, &n.name};
    ir::range& range = *ranges[below(4)];
    spoil(below(2) == 0 ? range.first : range.count);
  }
  void spoil_desc(tensor_desc& desc) {
    switch (below(6)) {
      case 0: desc.type = static_cast<dtype>(below(16) - 1); return;
      case 1: desc.layout = static_cast<format>(below(6) - 1); return;
      case 2: return spoil(desc.shape.rank);
      case 3: return spoil(desc.shape.extents[below(max_rank)]);
      case 4: desc.quantised.mode = static_cast<quantisation::kind>(below(4)); return;
      default: return spoil(desc.quantised.axis);
    }
  }

  std::uint32_t state_;
};

}  // namespace nnrt_test
