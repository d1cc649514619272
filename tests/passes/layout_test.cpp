// layout_test: transposes pass through operators and cancel; the numbers do not change, and none is moved in vain.
#include <nnrt/passes/optimise.hpp>

#include <doctest/doctest.h>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/cast.hpp>
#include <nnrt/ops/clip.hpp>
#include <nnrt/ops/concat.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/gather.hpp>
#include <nnrt/ops/greater.hpp>
#include <nnrt/ops/mul.hpp>
#include <nnrt/ops/pad.hpp>
#include <nnrt/ops/reduce_mean.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/reshape.hpp>
#include <nnrt/ops/select.hpp>
#include <nnrt/ops/softmax.hpp>
#include <nnrt/ops/split.hpp>
#include <nnrt/ops/strided_slice.hpp>
#include <nnrt/ops/transpose.hpp>
#include <nnrt/passes/shapes.hpp>

#include <string>

#include "support/graphs.hpp"

namespace {

using namespace nnrt_test;

/// An image [2, 3, 4, 5] in the order N, C, H, W; a network between two transposes computes in the order N, H, W, C.
constexpr auto image(builder& g) { return g.input<f32, shape<2, 3, 4, 5>>("image"); }
template <tensor_desc X> constexpr auto first(tensor<X> x) { return transpose(x, perm<0, 2, 3, 1>); }
template <tensor_desc X> constexpr auto second(tensor<X> x) { return transpose(x, perm<0, 3, 1, 2>); }
/// A convolution, which needs N, H, W, C: the source of transposes. The image's own transpose remains.
constexpr auto source(builder& g) { return conv2d(first(image(g)), g.weight<f32, shape<3, 1, 1, 3>>("filters")); }

struct row {
  const char* what;
  ir::graph (*network)();
  int transposes;  // that remain
};
constexpr row rows[] = {
    {"an inverse cancels a transpose",
     [] { return written([](builder& g) { g.output("y", first(second(source(g)))); }); }, 1},
    {"two transposes become one",
     [] {
       return written(
           [](builder& g) { g.output("y", transpose(transpose(image(g), perm<0, 2, 3, 1>), perm<3, 0, 1, 2>)); });
     },
     1},
    {"element by element, with numbers, channels and whole images",
     [] {
       return written([](builder& g) {
         auto x = second(source(g));
         auto scaled = x * g.constant<f32, shape<3, 1, 1>>({1, 2, 3}) + g.constant<f32, shape<1, 3, 1, 1>>({4, 5, 6});
         auto y = relu(scaled) + g.weight<f32, shape<2, 3, 4, 5>>("w") + 0.5F;
         g.output("y", first(y));
       });
     },
     2},  // the image's, and one of the weight, which is prepared
    {"a residual sum of two transposed images",
     [] {
       return written([](builder& g) {
         auto x = second(source(g));
         g.output("y", first(x + relu(x)));
       });
     },
     1},
    {"a choice with a transposed condition",
     [] {
       return written([](builder& g) {
         auto x = second(source(g));
         g.output("y", first(select(greater(x, 0.5F), x, x * 2.0F)));
       });
     },
     3},  // the network has no transpose of booleans that could be taken
    {"concat and split along the channels",
     [] {
       return written([](builder& g) {
         auto x = second(source(g));
         auto both = concat(x, relu(x), axis<1>);
         auto [a, b] = split<2>(both, axis<1>);
         g.output("a", first(a)), g.output("b", first(b));
       });
     },
     1},
    {"softmax along the channels",
     [] { return written([](builder& g) { g.output("y", first(softmax(second(source(g)), axis<1>))); }); }, 1},
    {"means over height and width, which remain or not",
     [] {
       return written([](builder& g) {
         auto x = second(source(g));
         g.output("kept", first(reduce_mean(x, axes<2, 3>, keep_dims)));
         g.output("mean", reduce_mean(x, axes<2, 3>));
       });
     },
     1},
    {"a mean over the channels, whose result keeps its order",
     [] { return written([](builder& g) { g.output("y", reduce_mean(second(source(g)), axes<1>)); }); }, 1},
    {"pads of height and width",
     [] {
       return written(
           [](builder& g) { g.output("y", first(pad(second(source(g)), paddings<0, 0, 0, 0, 1, 2, 3, 4>))); });
     },
     1},
    {"a strided slice",
     [] {
       return written([](builder& g) {
         g.output("y", first(strided_slice(second(source(g)), begin<0, 1, 1, 0>, end<2, 3, 4, 0>, strides<1, 1, 2, 1>,
                                           end_mask<8>)));
       });
     },
     1},
    {"gathered columns",
     [] {
       return written([](builder& g) {
         g.output("y", first(gather(second(source(g)), g.constant<i64, shape<3>>({4, 0, 2}), axis<3>)));
       });
     },
     1},
    {"a dense layer over all elements takes the order into its weights",
     [] {
       return written([](builder& g) {
         auto rows = reshape(second(source(g)), shape<2, 60>);
         g.output("y", full_connection(rows, g.weight<f32, shape<7, 60>>("w")));
       });
     },
     2},  // the image's, and one of the weight, which is prepared
    {"axes of extent 1 move no element",
     [] {
       return written([](builder& g) {
         auto x = reduce_mean(first(image(g)), axes<1, 2>, keep_dims);  // [2, 1, 1, 3]
         g.output("y", reshape(second(x), shape<2, 3>));
       });
     },
     0},
    {"an image in the format N, C, H, W",
     [] {
       return written([](builder& g) {
         auto x = first(g.input<f32, shape<2, 3, 4, 5>, nchw>("image"));
         g.output("y", second(relu(x)));
         g.output("z", second(concat(x, relu(x), axis<3>)));
       });
     },
     0},
    {"an output of another format than its elements had before",
     [] { return written([](builder& g) { g.output("y", second(relu(first(image(g))))); }); }, 0},
    {"two outputs of the same elements in different formats",
     [] {
       return written([](builder& g) {
         auto x = relu(image(g));
         g.output("x", x);
         g.output("y", second(first(x)));
         g.output("z", reshape(x, shape<6, 20>));
       });
     },
     0},
    {"an input of another format is an output only by a node",
     [] { return written([](builder& g) { g.output("y", second(first(image(g)))); }); }, 2},
    {"a transpose that meets no other stays",
     [] { return written([](builder& g) { g.output("y", softmax(transpose(image(g), perm<0, 2, 3, 1>))); }); }, 1},
    {"a sum with an operand in another order stays",
     [] {
       return written([](builder& g) {
         auto x = second(source(g));
         g.output("y", first(x + g.input<f32, shape<2, 3, 4, 5>>("other")));
       });
     },
     3},
};

/// A graph after the pass; its unused nodes are gone.
ir::graph moved(const ir::graph& g) {
  ir::graph made = g;
  REQUIRE(passes::evaluate_constants(made));
  REQUIRE(passes::sink_transposes(made));
  REQUIRE(passes::merge_common_nodes(made));
  return made;
}

}  // namespace

TEST_CASE("layout: transposes cancel, and the numbers stay") {
  for (const row& r : rows) {
    const std::string what = r.what;
    CAPTURE(what);
    const ir::graph before = r.network(), after = moved(before);
    CHECK(count_of<ops::transpose>(after) == r.transposes);
    CHECK(passes::detail::transposed_bytes(after) <= passes::detail::transposed_bytes(before));
    REQUIRE(after.outputs.size() == before.outputs.size());
    for (std::size_t i = 0; i < after.outputs.size(); ++i) {
      const tensor_desc made = after.at(after.outputs[i].value).desc, was = before.at(before.outputs[i].value).desc;
      CHECK(made.shape == was.shape);
      CHECK(made.layout == was.layout);
    }
    CHECK(close(computed_by_references(before), computed_by_references(after), 1e-6));
  }
}

TEST_CASE("layout: outputs keep their formats when shapes are inferred again") {
  for (const row& r : rows) {
    const std::string what = r.what;
    CAPTURE(what);
    const ir::graph before = moved(r.network());
    ir::graph after = before;
    REQUIRE(passes::infer_shapes(after));
    for (std::size_t i = 0; i < after.outputs.size(); ++i)
      CHECK(after.at(after.outputs[i].value).desc.layout == before.at(before.outputs[i].value).desc.layout);
  }
}

// In constant evaluation, too.
static_assert([] {
  ir::graph g = written([](builder& b) { b.output("y", second(relu(first(image(b))))); });
  return passes::sink_transposes(g) && count_of<ops::transpose>(g) == 0;
}());
