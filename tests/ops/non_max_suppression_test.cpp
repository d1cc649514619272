// non_max_suppression_test: rules, shapes, results and the DSL function of non_max_suppression.
#include <nnrt/ops/non_max_suppression.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::non_max_suppression;
using rule = op::rule;

constexpr op::attrs most(std::int64_t count, bool drops_equal = false, bool center_point_box = false) {
  op::attrs a;
  a.max_detections = count, a.drops_equal = drops_equal, a.center_point_box = center_point_box;
  return a;
}

/// What the reference makes of boxes [N, 4] and scores [N].
template <class T> struct chosen {
  std::vector<std::int32_t> indices;
  std::vector<T> scores;
  std::int32_t count = 0;
  friend constexpr bool operator==(const chosen&, const chosen&) = default;
};
struct thresholds {
  std::vector<float> share = {}, score = {}, sigma = {};
};
template <class T>
constexpr chosen<T> choose(const op::attrs& a, std::initializer_list<double> boxes,
                           std::initializer_list<double> scores, const thresholds& by) {
  const auto n = static_cast<std::int64_t>(scores.size());
  filled<T> b({n, 4}), s({n});
  for (std::size_t i = 0; i < boxes.size(); ++i) b.elements[i] = math::convert<T>(boxes.begin()[i]);
  for (std::size_t i = 0; i < scores.size(); ++i) s.elements[i] = math::convert<T>(scores.begin()[i]);
  filled<float> share({}), score({}), sigma({});
  const auto given = [](filled<float>& x, const std::vector<float>& numbers) {
    if (numbers.empty()) return view{};
    x.elements = numbers;
    return x.as_view();
  };
  filled<std::int32_t> indices({a.max_detections}), count({});
  filled<T> scores_of({a.max_detections});
  for (std::int32_t& index : indices.elements) index = -9;
  const view in[] = {b.as_view(), s.as_view(), given(share, by.share), given(score, by.score), given(sigma, by.sigma)};
  const view out[] = {indices.as_view(), scores_of.as_view(), count.as_view()};
  op::reference<T>(a, in, out);
  return {indices.elements, scores_of.elements, count.elements[0]};
}

// Unit squares, moved along x: next to each other 0 and 1 share 0.6/1.4, 0 and 2 share 0.2/1.8, 1 and 2 share 0.6/1.4.
constexpr std::initializer_list<double> squares = {0, 0, 1, 1, 0, 0.4, 1, 1.4, 0, 0.8, 1, 1.8};

static_assert(choose<float>(most(3), squares, {0.5, 0.9, 0.7}, {.share = {0.5F}}) ==
              chosen<float>{{1, 2, 0}, {0.9F, 0.7F, 0.5F}, 3});

TEST_CASE("non_max_suppression: the best boxes stay, and what shares too much with them goes") {
  CHECK(choose<float>(most(3), squares, {0.5, 0.9, 0.7}, {.share = {0.5F}}) ==
        chosen<float>{{1, 2, 0}, {0.9F, 0.7F, 0.5F}, 3});
  CHECK(choose<float>(most(3), squares, {0.5, 0.9, 0.7}, {.share = {0.4F}}) ==
        chosen<float>{{1, 0, 0}, {0.9F, 0, 0}, 1});
  CHECK(choose<double>(most(3), squares, {0.9, 0.5, 0.7}, {.share = {0.4F}}) ==
        chosen<double>{{0, 2, 0}, {0.9, 0.7, 0}, 2});
  // Without a threshold boxes that overlap at all go.
  CHECK(choose<float>(most(3), squares, {0.9, 0.5, 0.7}, {}).count == 1);
  CHECK(choose<float16>(most(2), squares, {0.5, 0.75, 0.625}, {.share = {0.5F}}) ==
        chosen<float16>{{1, 2}, {float16(0.75F), float16(0.625F)}, 2});
  CHECK(choose<float>(most(0), squares, {0.5, 0.9, 0.7}, {.share = {0.5F}}) == chosen<float>{{}, {}, 0});
}

TEST_CASE("non_max_suppression: scores at the threshold and scores that are no numbers are none") {
  const double nan = math::nan<double>;
  CHECK(choose<float>(most(3), squares, {0.5, nan, 0.75}, {.share = {0.5F}, .score = {0.5F}}) ==
        chosen<float>{{2, 0, 0}, {0.75F, 0, 0}, 1});
  CHECK(choose<float>(most(3), squares, {-5, nan, -math::infinity<double>}, {.share = {0.5F}}) ==
        chosen<float>{{0, 0, 0}, {-5, 0, 0}, 1});
}

TEST_CASE("non_max_suppression: of equal scores the smaller index comes first") {
  CHECK(choose<float>(most(3), squares, {0.5, 0.5, 0.5}, {.share = {0.4F}}) ==
        chosen<float>{{0, 2, 0}, {0.5F, 0.5F, 0}, 2});
}

TEST_CASE("non_max_suppression: a share that is the threshold stays, unless it is to be dropped") {
  static constexpr std::initializer_list<double> halves = {0, 0, 1, 2, 0, 1, 1, 2};  // the second is half of the first
  CHECK(choose<float>(most(2), halves, {2, 1}, {.share = {0.5F}}).count == 2);
  CHECK(choose<float>(most(2, true), halves, {2, 1}, {.share = {0.5F}}).count == 1);
  CHECK(choose<float>(most(2, true), halves, {2, 1}, {.share = {0.500001F}}).count == 2);
  // 1/3 is no f32: the share is rounded before it is compared with one.
  static constexpr std::initializer_list<double> thirds = {0, 0, 1, 3, 0, 2, 1, 3};
  CHECK(choose<float>(most(2, true), thirds, {2, 1}, {.share = {1.0F / 3}}).count == 1);
  CHECK(choose<float>(most(2, false), thirds, {2, 1}, {.share = {1.0F / 3}}).count == 2);
}

TEST_CASE("non_max_suppression: corners may come in any order, and boxes without area share nothing") {
  CHECK(choose<float>(most(2), {1, 1, 0, 0, 0, 0, 1, 1}, {2, 1}, {.share = {0.5F}}).count == 1);
  CHECK(choose<float>(most(2), {0, 0, 0, 1, 0, 0, 0, 1}, {2, 1}, {.share = {0.5F}}) ==
        chosen<float>{{0, 1}, {2, 1}, 2});
  // Each box is chosen once, also where it shares nothing with itself.
  CHECK(choose<float>(most(4), {0, 0, 0, 1, 0, 0, 0, 1}, {2, 1}, {.share = {0.5F}}).count == 2);
}

TEST_CASE("non_max_suppression: a box may be given by its centre, width and height, x first") {
  // The first is [0, 4] x [0, 2], the second its right half, the third lies above.
  static constexpr std::initializer_list<double> centred = {2, 1, 4, 2, 3, 1, 2, 2, 2, 3, 4, 2};
  CHECK(choose<float>(most(3, false, true), centred, {3, 2, 1}, {.share = {0.4F}}) ==
        chosen<float>{{0, 2, 0}, {3, 1, 0}, 2});
  CHECK(choose<float>(most(3, false, true), centred, {3, 2, 1}, {.share = {0.5F}}).count == 3);
}

// Python: 0.9, then 0.5 * exp(-(0.6 / 1.4)^2 / (2 * 0.5)) and 0.7 times the same, of which the better one is chosen
// first; the other one loses exp(-(0.2 / 1.8)^2) again.
TEST_CASE("non_max_suppression: with a sigma boxes lose scores for what they share, and are chosen by what is left") {
  const chosen<double> got = choose<double>(most(3), squares, {0.5, 0.9, 0.7}, {.share = {1}, .sigma = {0.5F}});
  CHECK(got.indices == std::vector<std::int32_t>{1, 2, 0});
  CHECK(got.scores[0] == 0.9);
  CHECK(got.scores[1] == doctest::Approx(0.5825452504832108).epsilon(1e-14));
  CHECK(got.scores[2] == doctest::Approx(0.4109982473048641).epsilon(1e-14));
  // A score that falls to the threshold is none any more.
  CHECK(choose<double>(most(3), squares, {0.5, 0.9, 0.7}, {.share = {1}, .score = {0.42F}, .sigma = {0.5F}}).count ==
        2);
  // 0 is no sigma.
  CHECK(choose<double>(most(3), squares, {0.5, 0.9, 0.7}, {.share = {1}, .sigma = {0}}).scores ==
        std::vector<double>{0.9, 0.7, 0.5});
}

TEST_CASE("non_max_suppression: each class of each image chooses for itself, and results stand one after the other") {
  const std::vector<float> one(squares.begin(), squares.end());
  std::vector<float> two = one;
  two.insert(two.end(), one.begin(), one.end());
  filled<float> boxes({2, 3, 4}, two),
      scores({2, 2, 3}, {0.5F, 0.9F, 0.7F, 0.8F, 0.1F, 0.2F, 0, 0, 0, 0.3F, 0.6F, 0.3F}), share({1}, {0.4F}),
      least({}, {0.15F});
  filled<std::int32_t> indices({8, 3}), count({});
  filled<float> found({8});
  const view in[] = {boxes.as_view(), scores.as_view(), share.as_view(), least.as_view()};
  const view out[] = {indices.as_view(), found.as_view(), count.as_view()};
  op::reference<float>(most(2), in, out);
  CHECK(count.elements[0] == 4);
  CHECK(indices.elements ==
        std::vector<std::int32_t>{0, 0, 1, 0, 1, 0, 0, 1, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(found.elements == std::vector<float>{0.9F, 0.8F, 0.2F, 0.6F, 0, 0, 0, 0});
}

constexpr operand boxes = computed(f32_of({6, 4})), scores = computed(f32_of({6})), number = weight(f32_of({}));

TEST_CASE("non_max_suppression: as many results as there may be, whatever the number of boxes") {
  const verdict v = infer<op>(most(7), {boxes, scores, number, number, number});
  REQUIRE(bool(v));
  CHECK(v.output(0) == tensor_desc{i32, {7}});
  CHECK(v.output(1) == f32_of({7}));
  CHECK(v.output(2) == tensor_desc{i32, {}});
  const verdict batches = infer<op>(most(7), {computed({f16, {2, -1, 4}}), computed({f16, {-1, 3, 6}})});
  REQUIRE(bool(batches));
  CHECK(batches.output(0) == tensor_desc{i32, {42, 3}});
  CHECK(batches.output(1) == tensor_desc{f16, {42}});
  CHECK(infer<op>(most(7), {computed(f32_of({-1, -1, 4})), computed(f32_of({-1, 3, -1}))}).output(0) ==
        tensor_desc{i32, {-1, 3}});
}

TEST_CASE("non_max_suppression: each broken rule is named with both values") {
  constexpr rule fit = rule::extents_must_be_those_of_the_boxes;
  NNRT_CHECK_REFUSED(op, {"boxes", {}, {computed(f32_of({4})), scores}, {}, rule::boxes_rank_must_be_2_or_3, 1, 2});
  NNRT_CHECK_REFUSED(
      op, {"boxes", {}, {computed(f32_of({1, 1, 6, 4})), scores}, {}, rule::boxes_rank_must_be_2_or_3, 4, 3});
  NNRT_CHECK_REFUSED(
      op, {"scores", {}, {boxes, computed(f32_of({6, 1}))}, {}, rule::scores_rank_must_be_1_or_that_of_batches, 2, 1});
  NNRT_CHECK_REFUSED(op, {"classes",
                          {},
                          {computed(f32_of({1, 6, 4})), computed(f32_of({1, 6}))},
                          {},
                          rule::scores_rank_must_be_1_or_that_of_batches,
                          2,
                          3});
  NNRT_CHECK_REFUSED(op,
                     {"five", {}, {computed(f32_of({6, 5})), scores}, {}, rule::boxes_must_have_four_numbers, 5, 4});
  NNRT_CHECK_REFUSED(op, {"too few", {}, {boxes, computed(f32_of({5}))}, {}, fit, 5, 6});
  NNRT_CHECK_REFUSED(op, {"batch", {}, {computed(f32_of({1, 6, 4})), computed(f32_of({2, 3, 6}))}, {}, fit, 2, 1});
  NNRT_CHECK_REFUSED(op,
                     {"types", {}, {boxes, computed({f16, {6}})}, {}, rule::types_must_be_equal, int(f16), int(f32)});
  NNRT_CHECK_REFUSED(
      op, {"share", {}, {boxes, scores, weight(f32_of({2}))}, {}, rule::thresholds_must_be_one_number, 2, 1});
  NNRT_CHECK_REFUSED(op, {"sigma",
                          {},
                          {boxes, scores, number, number, weight(f32_of({0}))},
                          {},
                          rule::thresholds_must_be_one_number,
                          0,
                          1});
  NNRT_CHECK_REFUSED(op, {"negative", most(-1), {boxes, scores}, {}, rule::detections_must_not_be_negative, -1, 0});
  constexpr std::int64_t many = op::max_boxes + 1;
  NNRT_CHECK_REFUSED(op, {"many",
                          {},
                          {computed(f32_of({-1, 4})), computed(f32_of({many}))},
                          {},
                          rule::boxes_must_be_countable_in_32_bits,
                          many,
                          op::max_boxes});
  CHECK(breaks(infer<op>(most(max_elements + 5), {boxes, scores}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
  CHECK(breaks(infer<op>({}, {boxes}), signature_rule::required_operand_must_be_given, 1, 2));
}

constexpr auto network = [](builder& b) {
  auto [indices, of, count] = non_max_suppression(b.input<f32, shape<6, 4>>("boxes"), b.input<f32, shape<6>>("scores"),
                                                  0.5, 0.25, max_detections<3>);
  static_assert(decltype(indices)::desc == tensor_desc{i32, {3}} && decltype(of)::desc == f32_of({3}) &&
                decltype(count)::desc == tensor_desc{i32, {}});
  b.output("indices", indices);
  b.output("scores", of);
  b.output("count", count);
};

TEST_CASE("non_max_suppression: the DSL records a node, and thresholds as constants") {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  REQUIRE(g.nodes.size() == 1);
  CHECK(g.nodes[0].op->code == op_code{1021});
  REQUIRE(g.inputs_of(g.nodes[0]).size() == 4);
  CHECK(g.element<float>(g.at(g.inputs_of(g.nodes[0])[3]), 0) == 0.25F);
}
static_assert([] {
  builder b;
  network(b);
  return b.graph().nodes.size();
}() == 1);

}  // namespace
