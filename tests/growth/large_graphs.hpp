// large_graphs: graphs of as many nodes as a test wants, of every shape that makes a list, a chain or a table long.
// Flow: tests/growth runs passes and readers on them, and counts what those do.
#pragma once

#include <nnrt/dynamic.hpp>
#include <nnrt/exec/f16_emulation.hpp>

#include <string>
#include <vector>

namespace nnrt_test {

using namespace nnrt;

/// Makes a graph of about `nodes` nodes.
struct large_graph {
  const char* shape;
  ir::graph (*made)(int nodes);
};

/// A builder that knows a few operators by short names.
struct large_builder {
  model_builder b;
  std::int32_t x = b.input("x", {f32, {1, 16}}).value();

  template <class Op> std::int32_t node(const typename Op::attrs& attrs, std::vector<std::int32_t> in) {
    pool<word> words;
    pack(attrs, words);
    return b.apply(ops::of<Op>(), words, array_ref<const std::int32_t>(in.data(), in.size())).value()[0];
  }
  std::int32_t sigmoid(std::int32_t a) { return node<ops::sigmoid>({}, {a}); }
  std::int32_t add(std::int32_t a, std::int32_t c) { return node<ops::add>({}, {a, c}); }
  std::int32_t constant(float number, std::int64_t elements = 1) {
    const std::vector<float> all(static_cast<std::size_t>(elements), number);
    return b.constant<float>({f32, {1, elements}}, array_ref<const float>(all.data(), all.size())).value();
  }
  std::int32_t join(std::vector<std::int32_t> in, int axis) {
    ops::concat::attrs attrs;
    attrs.axis = axis;
    return node<ops::concat>(attrs, std::move(in));
  }
  ir::graph done(std::int32_t y) {
    (void)b.output("y", y);
    return b.finish().graph;
  }
};

inline ir::graph live_at_once(int nodes, bool sizes_differ) {
  large_builder g;
  std::vector<std::int32_t> all;
  std::int32_t last = g.x;
  for (int i = 0; i < nodes / 2; ++i) {
    if (sizes_differ)
      all.push_back(
          g.node<ops::sigmoid>({}, {g.b.input("x" + std::to_string(i), {f32, {i * 7919 % 997 + 1, 16}}).value()}));
    else all.push_back(last = g.sigmoid(last));
  }
  std::int32_t sum = g.x;
  if (!sizes_differ) {
    for (const std::int32_t value : all) sum = g.add(sum, value);
    return g.done(sum);
  }
  for (std::size_t i = 0; i < all.size(); ++i) (void)g.b.output("y" + std::to_string(i), g.sigmoid(all[i]));
  return g.b.finish().graph;
}

/// A line of delays, states that exchange what they are by twos, and sums that stay in their places.
inline ir::graph with_states(int nodes) {
  large_builder g;
  std::int32_t before = g.x;
  for (int i = 0; i < nodes; i += 4) {
    const auto declare = [&](const char* what) { return g.b.state(what + std::to_string(i), {f32, {1, 16}}).value(); };
    const std::int32_t late = declare("late"), one = declare("one"), other = declare("other"), sum = declare("sum");
    (void)g.b.next(late, before);
    (void)g.b.next(one, other);
    (void)g.b.next(other, one);
    (void)g.b.next(sum, g.add(sum, late));
    before = late;
  }
  return g.done(before);
}

inline const large_graph large_graphs[] = {
    {"states", with_states},
    {"a chain",
     [](int nodes) {
       large_builder g;
       std::int32_t last = g.x;
       for (int i = 0; i < nodes; ++i) last = i % 2 == 0 ? g.add(last, g.x) : g.node<ops::relu>({}, {last});
       return g.done(last);
     }},
    {"gelu by tanh after products of products",
     [](int nodes) {
       large_builder g;
       std::int32_t last = g.x;
       const auto times = [&](std::int32_t a, std::int32_t c) { return g.node<ops::mul>({}, {a, c}); };
       const auto gelu_of = [&](std::int32_t x) {
         const std::int32_t cubic = g.add(x, times(times(times(x, x), x), g.constant(0.044715F)));
         const std::int32_t share = g.node<ops::tanh>({}, {times(cubic, g.constant(0.79788456F))});
         return times(times(g.add(share, g.constant(1)), x), g.constant(0.5F));
       };
       for (int i = 0; i < nodes / 16; ++i) {
         for (int k = 0; k < 7; ++k) last = times(last, k % 2 == 0 ? g.x : g.constant(1.25F));
         last = gelu_of(last);
       }
       return g.done(last);
     }},
    {"quantised pairs around sums and relu",
     [](int nodes) {
       large_builder g;
       const quantisation step = quant{0.02F, 3, quantised_rounding::half_to_even};
       const auto pair_of = [&](std::int32_t x) {
         ops::quant_dtype_cast::attrs there, back;
         there.src_t = back.dst_t = static_cast<std::int64_t>(f32),
         there.dst_t = back.src_t = static_cast<std::int64_t>(i8);
         pool<word> words;
         pack(there, words);
         const tensor_desc wanted{i8, format::nd, {}, step};
         const auto quantised = g.b.apply(ops::of<ops::quant_dtype_cast>(), words, array_ref<const std::int32_t>(&x, 1),
                                          array_ref<const tensor_desc>(&wanted, 1));
         return g.node<ops::quant_dtype_cast>(back, {quantised.value()[0]});
       };
       std::int32_t last = pair_of(g.x);
       for (int i = 0; i < nodes / 4; ++i) last = pair_of(g.node<ops::relu>({}, {g.add(last, last)}));
       return g.done(last);
     }},
    {"values that live at once", [](int nodes) { return live_at_once(nodes, false); }},
    {"values of many sizes that live at once, all of them outputs",
     [](int nodes) { return live_at_once(nodes, true); }},
    {"a ladder",
     [](int nodes) {
       large_builder g;
       std::int32_t left = g.sigmoid(g.x), right = g.x;
       for (int i = 0; i < nodes / 2; ++i) {
         const std::int32_t next = g.node<ops::softmax>({}, {g.add(left, right)});
         right = left, left = next;
       }
       return g.done(g.add(left, right));
     }},
    {"shortcuts across half of the network",
     [](int nodes) {
       large_builder g;
       std::vector<std::int32_t> down{g.x};
       for (int i = 0; i < nodes / 2; ++i) down.push_back(g.node<ops::softmax>({}, {down.back()}));
       std::int32_t up = down.back();
       for (int i = nodes / 2; i > 0; --i) up = g.add(up, down[static_cast<std::size_t>(i)]);
       return g.done(up);
     }},
    {"nodes that nobody reads, and equal ones",
     [](int nodes) {
       large_builder g;
       for (int i = 0; i < nodes / 2; ++i) g.sigmoid(g.x);
       std::int32_t sum = g.x;
       for (int i = 0; i < nodes / 4; ++i) sum = g.add(g.sigmoid(g.x), sum);
       return g.done(sum);
     }},
    {"constants",
     [](int nodes) {
       large_builder g;
       std::int32_t sum = g.x;
       for (int i = 0; i < nodes / 2; ++i)
         sum = g.add(sum, g.add(g.constant(static_cast<float>(i)), g.constant(0.5F, 16)));
       return g.done(sum);
     }},
    {"a join of all, and parts of them",
     [](int nodes) {
       large_builder g;
       std::vector<std::int32_t> all;
       for (int i = 0; i < nodes; ++i) all.push_back(g.sigmoid(g.x));
       return g.done(g.join(all, 0));
     }},
    {"joins of joins",
     [](int nodes) {
       large_builder g;
       const std::int32_t first = g.sigmoid(g.x);
       std::int32_t last = first;
       for (int i = 0; i < nodes / 3; ++i) last = g.join({last, g.add(first, g.constant(static_cast<float>(i)))}, 1);
       return g.done(last);
     }},
    {"numbers that differ by a scale",
     [](int nodes) {
       large_builder g;
       for (int i = 0; i < nodes; ++i) {
         const tensor_desc wanted{i8, nd, {1, 16}, quant{0.5F + static_cast<float>(i) / 16384, 0}};
         ops::quant_dtype_cast::attrs attrs;
         attrs.src_t = static_cast<int>(f32), attrs.dst_t = static_cast<int>(i8);
         pool<word> words;
         pack(attrs, words);
         const std::int32_t in[] = {g.x};
         (void)g.b.output("y" + std::to_string(i),
                          g.b.apply(ops::of<ops::quant_dtype_cast>(), words, array_ref<const std::int32_t>(in, 1),
                                    array_ref<const tensor_desc>(&wanted, 1))
                              .value()[0]);
       }
       return g.b.finish().graph;
     }},
    {"activations with another slope each",
     [](int nodes) {
       large_builder g;
       std::int32_t last = g.x;
       for (int i = 0; i < nodes; ++i) {
         ops::leaky_relu::attrs attrs;
         attrs.negative_slope = 1 + static_cast<float>(i) / 16384;
         last = g.node<ops::leaky_relu>(attrs, {i % 2 == 0 ? g.x : last});
         if (i % 2 == 0) last = g.add(last, g.x);
       }
       return g.done(last);
     }},
    {"layers with a normalisation and an activation",
     [](int nodes) {
       large_builder g;
       std::int32_t last = g.b.input("image", {f32, nhwc, {1, 4, 4, 2}}).value();
       for (int i = 0; i < nodes / 3; ++i) {
         const std::string name = "layer" + std::to_string(i);
         ops::conv2d::attrs attrs;
         last = g.node<ops::conv2d>(attrs, {last, g.b.weight(name, {f32, nhwc, {2, 1, 1, 2}}).value()});
         last = g.node<ops::bias_add>({}, {last, g.b.weight(name + ".bias", {f32, {2}}).value()});
         last = g.node<ops::relu6>({}, {last});
       }
       return g.done(last);
     }},
    {"dense layers on columns in order",
     [](int nodes) {
       large_builder g;
       std::int32_t last = g.x;
       for (int i = 0; i < nodes / 2; ++i) {
         const std::string name = "layer" + std::to_string(i);
         last = g.node<ops::add>({}, {last, g.b.weight(name + ".shift", {f32, {16}}).value()});
         if (i % 2 == 0) continue;
         ops::full_connection::attrs attrs;
         g.node<ops::full_connection>(attrs, {last, g.b.weight(name, {f32, {16, 16}}).value()});
       }
       return g.done(last);
     }},
    {"halves",
     [](int nodes) {
       large_builder g;
       std::int32_t last = g.b.input("h", {f16, {1, 16}}).value();
       for (int i = 0; i < nodes; ++i)
         last = i % 2 == 0 ? g.node<ops::softmax>({}, {last}) : g.node<ops::exp>({}, {last});
       return g.done(last);
     }},
};

}  // namespace nnrt_test
