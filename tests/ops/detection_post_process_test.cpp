// detection_post_process_test: rules, shapes, results and the DSL function of detection_post_process.
#include <nnrt/ops/detection_post_process.hpp>

#include <doctest/doctest.h>
#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/apply.hpp>
#include <support/refused.hpp>

namespace {

using namespace nnrt_test;
using op = ops::detection_post_process;
using rule = op::rule;
using attrs = op::attrs;

constexpr attrs regular(std::int64_t most, std::int64_t of_class) {
  attrs a;
  a.use_regular_nms = true;
  a.max_detections = most;
  a.detections_per_class = of_class;
  a.num_classes = 3;
  a.nms_iou_threshold = 0.5F, a.nms_score_threshold = 0.2F;
  a.scale = {2, 2, 1, 1};
  return a;
}
constexpr attrs fast(std::int64_t most, std::int64_t classes, float score = 0.2F, float iou = 0.5F) {
  attrs a = regular(most, 1);
  a.use_regular_nms = false;
  a.max_classes_per_detection = classes;
  a.nms_iou_threshold = iou, a.nms_score_threshold = score;
  return a;
}

constexpr double anchors[] = {0.25, 0.25, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5, 0.25, 0.25, 0.5, 0.5,
                              0.75, 0.75, 0.5, 0.5, 0.75, 0.75, 0.5, 0.5, 0.5,  2.0,  0.5, 1.0};
constexpr double codes[] = {0, 0, 0, 0, 0.5, 0, 0, 0, -0.5, 0.25, 0.5, 0, 0, 0, 0, 0, 0.25, 1, 0, -0.5, 0, 0, 0, 1};
// With a column for the background. Boxes 0 and 3 have the same score, of different classes.
constexpr double scores[] = {1, 0.875, 0.25,  0.125, 1, 0.75,  0.25, 0.0625, 1, 0.5,  0.9375, 0.0625,
                             1, 0.125, 0.875, 0.25,  1, 0.625, 0.25, 0.375,  1, 0.25, 0.125,  0.1875};

// A script in Python that decodes the boxes, sorts all scores of a class (or the best of each box), drops boxes that
// overlap better ones, class by class, and sorts what is left.
constexpr double boxes[][4] = {{0.0, 0.0, 0.5, 0.5},
                               {0.125, 0.0, 0.625, 0.5},
                               {-0.28718031767503205, 0.0625, 0.537180317675032, 0.5625},
                               {0.5, 0.5, 1.0, 1.0},
                               {0.5625, 0.8483673350718417, 1.0625, 1.1516326649281583},
                               {0.25, 0.6408590857704775, 0.75, 3.3591409142295223}};
struct result {
  double score;
  int of_class, box;  // -1: nothing, and all is 0
};
constexpr result none{0, 0, -1};

template <class T> constexpr filled<T> tensor_of(shape_t shape, std::span<const double> numbers) {
  filled<T> made(shape);
  for (std::size_t i = 0; i < made.elements.size(); ++i)
    made.elements[i] = math::convert<T>(numbers[i % numbers.size()]);
  return made;
}

/// Whether the reference gives these results, and their number, for each of two images.
template <class T>
constexpr bool gives(const attrs& a, std::initializer_list<result> expected, double count, double allowed) {
  filled<T> b = tensor_of<T>({2, 6, 4}, codes), s = tensor_of<T>({2, 6, 4}, scores), n = tensor_of<T>({6, 4}, anchors);
  const auto m = static_cast<std::int64_t>(expected.size());
  filled<T> bboxes({2, m, 4}), classes({2, m}), confidences({2, m}), detections({2});
  const view in[] = {b.as_view(), s.as_view(), n.as_view()};
  const view out[] = {bboxes.as_view(), classes.as_view(), confidences.as_view(), detections.as_view()};
  op::reference<T>(a, in, out);
  const auto is_near = [&](T got, double wanted) { return math::abs(math::convert<double>(got) - wanted) <= allowed; };
  for (std::size_t i = 0; i < 2 * expected.size(); ++i) {
    const result& r = expected.begin()[i % expected.size()];
    if (!is_near(confidences.elements[i], r.score) || !is_near(classes.elements[i], r.of_class)) return false;
    for (std::size_t k = 0; k < 4; ++k)
      if (!is_near(bboxes.elements[4 * i + k], r.box < 0 ? 0 : boxes[r.box][k])) return false;
  }
  return is_near(detections.elements[0], count) && is_near(detections.elements[1], count);
}
static_assert(gives<double>(regular(3, 1), {{0.9375, 1, 2}, {0.875, 0, 0}, {0.375, 2, 4}}, 3, 1e-15));

TEST_CASE("detection_post_process: each class for itself gives the golden boxes") {
  CHECK(gives<double>(regular(5, 2), {{0.9375, 1, 2}, {0.875, 0, 0}, {0.875, 1, 3}, {0.625, 0, 4}, {0.375, 2, 4}}, 5,
                      1e-15));
  CHECK(gives<float>(regular(3, 1), {{0.9375, 1, 2}, {0.875, 0, 0}, {0.375, 2, 4}}, 3, 1e-6));
  CHECK(gives<float16>(regular(2, 100), {{0.9375, 1, 2}, {0.875, 0, 0}}, 2, 1e-3));
  CHECK(gives<double>(regular(6, 1), {{0.9375, 1, 2}, {0.875, 0, 0}, {0.375, 2, 4}, none, none, none}, 3, 1e-15));
}

TEST_CASE("detection_post_process: one class for each box gives the golden boxes, each with its best classes") {
  CHECK(gives<double>(fast(4, 2),
                      {{0.9375, 1, 2},
                       {0.5, 0, 2},
                       {0.875, 0, 0},
                       {0.25, 1, 0},
                       {0.875, 1, 3},
                       {0.25, 2, 3},
                       {0.625, 0, 4},
                       {0.375, 2, 4}},
                      4, 1e-15));
  // More classes than there are: the places after them stay 0.
  CHECK(gives<float>(
      fast(2, 5),
      {{0.9375, 1, 2}, {0.5, 0, 2}, {0.0625, 2, 2}, none, none, {0.875, 0, 0}, {0.25, 1, 0}, {0.125, 2, 0}, none, none},
      2, 1e-6));
  CHECK(gives<double>(fast(6, 1, 0.5F, 0.1F), {{0.9375, 1, 2}, {0.875, 1, 3}, none, none, none, none}, 2, 1e-15));
  CHECK(gives<double>(fast(2, 1, 0.95F), {none, none}, 0, 0));
}

TEST_CASE("detection_post_process: quantised operands count as what they stand for") {
  filled<std::uint8_t> b({1, 2, 4}, {128, 128, 128, 128, 160, 128, 128, 128}), s({1, 2, 1}, {200, 100}),
      n({2, 4}, {64, 64, 128, 128, 192, 192, 64, 64});
  b.desc.quantised = quant{1.0F / 32, 128}, s.desc.quantised = quant{1.0F / 256, 0},
  n.desc.quantised = quant{1.0F / 256, 0};
  filled<float> bboxes({1, 2, 4}), classes({1, 2}), confidences({1, 2}), detections({1});
  const view in[] = {b.as_view(), s.as_view(), n.as_view()};
  const view out[] = {bboxes.as_view(), classes.as_view(), confidences.as_view(), detections.as_view()};
  attrs a = fast(2, 1);
  a.num_classes = 1;
  op::reference<std::uint8_t>(a, in, out);
  CHECK(bboxes.elements == std::vector<float>{0, 0, 0.5F, 0.5F, 0.75F, 0.625F, 1, 0.875F});
  CHECK(confidences.elements == std::vector<float>{0.78125F, 0.390625F});
  CHECK(detections.elements[0] == 2);
}

TEST_CASE("detection_post_process: a score that is no number is none, and boxes without area overlap nothing") {
  filled<float> b({1, 3, 4}), s({1, 3, 1}, {math::nan<float>, 0.5F, 0.5F}),
      n({3, 4}, {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1});
  filled<float> bboxes({1, 3, 4}), classes({1, 3}), confidences({1, 3}), detections({1});
  const view in[] = {b.as_view(), s.as_view(), n.as_view()};
  const view out[] = {bboxes.as_view(), classes.as_view(), confidences.as_view(), detections.as_view()};
  for (attrs a : {fast(3, 1), regular(3, 3)}) {
    a.num_classes = 1;
    op::reference<float>(a, in, out);
    CHECK(detections.elements[0] == 2);
    CHECK(confidences.elements == std::vector<float>{0.5F, 0.5F, 0});
  }
}

TEST_CASE(
    "detection_post_process: a score that is the threshold counts, and an overlap that is the threshold does no harm") {
  // one box three times
  filled<float> b({1, 3, 4}), s({1, 3, 1}, {0.5F, 0.5F, 0.25F}), n({3, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1});
  filled<float> bboxes({1, 3, 4}), classes({1, 3}), confidences({1, 3}), detections({1});
  const view in[] = {b.as_view(), s.as_view(), n.as_view()};
  const view out[] = {bboxes.as_view(), classes.as_view(), confidences.as_view(), detections.as_view()};
  for (attrs a : {fast(3, 1, 0.5F, 1), regular(3, 3)}) {
    a.num_classes = 1;
    a.nms_iou_threshold = 1, a.nms_score_threshold = 0.5F;
    op::reference<float>(a, in, out);
    CHECK(detections.elements[0] == 2);
    CHECK(confidences.elements == std::vector<float>{0.5F, 0.5F, 0});
  }
}

/// What regular suppression makes of one box that has a score for the last two of `count` classes: the number of
/// detections, then the class of each.
template <class T> constexpr std::vector<T> classes_of_one_box(std::int64_t count) {
  filled<T> b({1, 1, 4}), s({1, 1, count}), n({1, 4}, {T(0), T(0), T(1), T(1)});
  const auto last = static_cast<std::size_t>(count - 1);
  s.elements[last - 1] = T(0.875F), s.elements[last] = T(0.75F);
  filled<T> bboxes({1, 3, 4}), classes({1, 3}), confidences({1, 3}), detections({1});
  const view in[] = {b.as_view(), s.as_view(), n.as_view()};
  const view out[] = {bboxes.as_view(), classes.as_view(), confidences.as_view(), detections.as_view()};
  attrs a = regular(3, 1);
  a.num_classes = count;
  op::reference<T>(a, in, out);
  return {detections.elements[0], classes.elements[0], classes.elements[1], classes.elements[2]};
}
static_assert(classes_of_one_box<float16>(3) == std::vector<float16>{float16(2), float16(1), float16(2), float16(0)});

TEST_CASE("detection_post_process: classes differ where numbers of the results' type do not") {
  const float16 rounded(2048);  // 2049 is no f16
  CHECK(classes_of_one_box<float16>(2050) == std::vector<float16>{float16(2), rounded, rounded, float16(0)});
  CHECK(classes_of_one_box<float>(2050) == std::vector<float>{2, 2048, 2049, 0});
  CHECK(classes_of_one_box<double>(5) == std::vector<double>{2, 3, 4, 0});
}

constexpr operand bbox = computed(f32_of({2, 6, 4})), score = computed(f32_of({2, 6, 4})),
                  anchor = weight(f32_of({6, 4}));
constexpr attrs told = regular(5, 2);

TEST_CASE("detection_post_process: as many results as boxes times classes, of the dtype of the boxes") {
  const verdict v = infer<op>(fast(5, 3), {bbox, score, anchor});
  REQUIRE(bool(v));
  CHECK(v.output(0) == f32_of({2, 15, 4}));
  CHECK(v.output(1) == f32_of({2, 15}));
  CHECK(v.output(2) == f32_of({2, 15}));
  CHECK(v.output(3) == f32_of({2}));
  const tensor_desc stored{u8, nd, {1, 6, 4}, quant{0.5F, 3}};
  CHECK(infer<op>(told, {computed(stored), computed(stored), computed({f16, {6, 4}})}).output(0) == f32_of({1, 5, 4}));
  CHECK(infer<op>(told, {computed({f64, {-1, -1, -1}}), computed(f32_of({3, -1, -1})), anchor}).output(1) ==
        tensor_desc{f64, {3, 5}});
}

constexpr attrs but(std::int64_t attrs::*member, std::int64_t number) {
  attrs a = regular(5, 2);
  a.*member = number;
  return a;
}
constexpr attrs but(float attrs::*member, float number) {
  attrs a = regular(5, 2);
  a.*member = number;
  return a;
}
constexpr attrs scaled(real_list<4> scale) {
  attrs a = regular(5, 2);
  a.scale = scale;
  return a;
}
constexpr attrs quantised_outputs() {
  attrs a = regular(5, 2);
  a.out_quantized = true;
  return a;
}
constexpr std::int64_t word_of(float x) { return std::bit_cast<std::int32_t>(x); }

TEST_CASE("detection_post_process: each broken rule is named with both values, and so are those of the signature") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  constexpr rule four = rule::boxes_and_anchors_must_have_four_numbers, fit = rule::extents_must_be_those_of_the_boxes;
  constexpr rule columns = rule::scores_must_have_at_most_one_column_beside_the_classes,
                 least = rule::detections_must_be_at_least_1;
  NNRT_CHECK_REFUSED(
      op, {"boxes", told, {computed(f32_of({6, 4})), score, anchor}, {}, rule::boxes_and_scores_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(
      op, {"scores", told, {bbox, computed(f32_of({6, 4})), anchor}, {}, rule::boxes_and_scores_rank_must_be_3, 2, 3});
  NNRT_CHECK_REFUSED(op, {"anchors", told, {bbox, score, bbox}, {}, rule::anchors_rank_must_be_2, 3, 2});
  NNRT_CHECK_REFUSED(op, {"five", told, {computed(f32_of({2, 6, 5})), score, anchor}, {}, four, 5, 4});
  NNRT_CHECK_REFUSED(op, {"three", told, {bbox, score, weight(f32_of({6, 3}))}, {}, four, 3, 4});
  NNRT_CHECK_REFUSED(op, {"batch", told, {bbox, computed(f32_of({1, 6, 4})), anchor}, {}, fit, 1, 2});
  NNRT_CHECK_REFUSED(op, {"scores", told, {bbox, computed(f32_of({2, 5, 4})), anchor}, {}, fit, 5, 6});
  NNRT_CHECK_REFUSED(op, {"anchors", told, {bbox, score, weight(f32_of({7, 4}))}, {}, fit, 7, 6});
  NNRT_CHECK_REFUSED(
      op, {"classes", but(&attrs::num_classes, 0), {bbox, score, anchor}, {}, rule::classes_must_be_at_least_1, 0, 1});
  NNRT_CHECK_REFUSED(op, {"too many", but(&attrs::num_classes, huge), {bbox, score, anchor}, {}, columns, 4 - huge, 0});
  NNRT_CHECK_REFUSED(op, {"too few", but(&attrs::num_classes, 2), {bbox, score, anchor}, {}, columns, 2, 1});
  NNRT_CHECK_REFUSED(op, {"none", but(&attrs::max_detections, 0), {bbox, score, anchor}, {}, least, 0, 1});
  NNRT_CHECK_REFUSED(op,
                     {"of a class", but(&attrs::detections_per_class, -3), {bbox, score, anchor}, {}, least, -3, 1});
  NNRT_CHECK_REFUSED(op,
                     {"classes", but(&attrs::max_classes_per_detection, 0), {bbox, score, anchor}, {}, least, 0, 1});
  NNRT_CHECK_REFUSED(op,
                     {"scale", scaled({1, 1, 1}), {bbox, score, anchor}, {}, rule::scale_must_have_four_numbers, 3, 4});
  NNRT_CHECK_REFUSED(op, {"scale",
                          scaled({1, 1, 0, 1}),
                          {bbox, score, anchor},
                          {},
                          rule::scale_must_be_positive_and_finite,
                          0,
                          word_of(std::numeric_limits<float>::min())});
  NNRT_CHECK_REFUSED(op, {"share",
                          but(&attrs::nms_iou_threshold, 1.5F),
                          {bbox, score, anchor},
                          {},
                          rule::iou_threshold_must_lie_between_0_and_1,
                          word_of(1.5F),
                          word_of(1)});
  NNRT_CHECK_REFUSED(op, {"score",
                          but(&attrs::nms_score_threshold, math::infinity<float>),
                          {bbox, score, anchor},
                          {},
                          rule::score_threshold_must_be_finite,
                          word_of(math::infinity<float>),
                          word_of(std::numeric_limits<float>::max())});
  NNRT_CHECK_REFUSED(
      op, {"stored", quantised_outputs(), {bbox, score, anchor}, {}, rule::outputs_must_be_real_numbers, 1, 0});
  NNRT_CHECK_REFUSED(op, {"plain bytes",
                          told,
                          {computed({u8, {2, 6, 4}}), score, anchor},
                          {},
                          rule::quantised_operands_must_have_one_scale,
                          0,
                          1});
  CHECK(breaks(infer<op>(but(&attrs::max_detections, huge), {bbox, score, anchor}),
               signature_rule::tensor_must_not_exceed_the_size_limit, max_elements + 1, max_elements));
  CHECK(breaks(infer<op>(told, {bbox, score}), signature_rule::required_operand_must_be_given, 2, 3));
  CHECK(breaks(infer<op>(told, {computed({i32, {2, 6, 4}}), score, anchor}),
               signature_rule::operand_type_must_be_accepted_by_the_operator, int(i32), int(i8)));
}

constexpr auto network = [](builder& b) {
  auto [y, classes, confidences, count] = detection_post_process(
      b.input<f32, shape<1, 6, 4>>("bbox"), b.input<f32, shape<1, 6, 4>>("scores"),
      b.weight<f32, shape<6, 4>>("anchors"), num_classes<3>, max_detections<5>, detections_per_class<2>,
      box_scale<10, 10, 5, 5>, iou_threshold<0.6>, score_threshold<0.3>, regular_nms);
  static_assert(decltype(y)::desc == f32_of({1, 5, 4}) && decltype(classes)::desc == f32_of({1, 5}) &&
                decltype(count)::desc == f32_of({1}));
  b.output("y", y);
  b.output("classes", classes);
  b.output("confidences", confidences);
  b.output("count", count);
};
static_assert([] {
  builder b;
  network(b);
  const ir::graph& g = b.graph();
  const attrs a = unpack<attrs>(g.attrs_of(g.nodes[0]));
  return g.nodes.size() == 1 && g.nodes[0].op->code == op_code{92} && a.use_regular_nms && a.scale[3] == 5 &&
         a.nms_iou_threshold == 0.6F;
}());

}  // namespace
