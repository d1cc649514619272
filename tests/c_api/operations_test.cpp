// operations_test: parameter tensors of NNRt's later operations, as AddOperation checks them and decodes them.
// Flow: operators' tables alone say what is taken; models and devices have other tests.
#include <nnrt/c_api/operations.hpp>

#include <nnrt/core/kernel.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <memory>

namespace {

using namespace nnrt;
namespace api = nnrt::c_api;

/// Parameter tensors of one operation, with what owns their elements.
class parameters {
 public:
  explicit parameters(int number) : kind_(*api::find_operation(number)) {}

  template <class T> parameters& with(int tensor_type, std::initializer_list<T> elements) {
    std::vector<std::byte>& bytes =
        *memory_.emplace_back(std::make_shared<std::vector<std::byte>>(elements.size() * sizeof(T)));
    if (!bytes.empty()) std::memcpy(bytes.data(), elements.begin(), bytes.size());
    api::parameter p{
        tensor_type, dtype_for<T>(), 1, static_cast<std::int64_t>(elements.size()), {bytes.data(), bytes.size()},
        nullptr};
    p.row = api::parameter_row_of(kind_, p);
    faults_ += api::fault_of(kind_, p);
    given_.push_back(p);
    return *this;
  }
  const std::string& faults() const { return faults_; }
  template <class Op> typename Op::attrs decoded() const {
    const api::decoded_attributes made = kind_.decode({given_.data(), given_.size()}, api::api_level);
    CHECK(made.refusal.empty());
    CHECK(well_formed<typename Op::attrs>(made.words));
    return unpack<typename Op::attrs>(made.words);
  }
  pool<word> words() const { return kind_.decode({given_.data(), given_.size()}, api::api_level).words; }
  std::string refusal() const { return kind_.decode({given_.data(), given_.size()}, api::api_level).refusal; }

 private:
  const api::operation_kind& kind_;
  std::vector<std::shared_ptr<std::vector<std::byte>>> memory_;  // copies have it, too
  std::vector<api::parameter> given_;
  std::string faults_;
};
using i64s = std::initializer_list<std::int64_t>;
using reals = std::initializer_list<float>;

}  // namespace

TEST_CASE("operations: what is not given is 0 where the documents say nothing else") {
  const auto shape = parameters(68).decoded<ops::constant_of_shape>();
  CHECK(shape.data_type == 0);
  CHECK(shape.value == 0);
  const auto detector = parameters(92).decoded<ops::detection_post_process>();
  CHECK(detector.max_detections + detector.detections_per_class + detector.max_classes_per_detection +
            detector.num_classes ==
        0);
  CHECK_FALSE(parameters(75).decoded<ops::lstm>().bidirectional);
  CHECK(parameters(91).decoded<ops::crop>().offset.empty());
  CHECK(parameters(96).decoded<ops::lrn>().depth_radius == 0);
}

TEST_CASE("operations: each parameter reaches the attribute of its name") {
  parameters shape(68);
  shape.with(85, i64s{43}).with(86, reals{2.5F});
  CHECK(shape.faults() == "");
  CHECK(shape.decoded<ops::constant_of_shape>().data_type == 43);
  CHECK(shape.decoded<ops::constant_of_shape>().value == 2.5F);

  parameters recurrent(75);
  recurrent.with(93, {true}).with(94, {true}).with(95, i64s{7}).with(96, i64s{4}).with(97, i64s{1}).with(98, i64s{2});
  recurrent.with(99, reals{0.5F}).with(100, reals{0.25F}).with(101, reals{0.125F}).with(102, i64s{0});
  CHECK(recurrent.faults() == "");
  const auto cell = recurrent.decoded<ops::lstm>();
  CHECK((cell.bidirectional && cell.has_bias));
  CHECK((cell.input_size == 7 && cell.hidden_size == 4 && cell.num_layers == 1 && cell.num_directions == 2 &&
         cell.proj_size == 0));
  CHECK((cell.dropout == 0.5F && cell.zoneout_cell == 0.25F && cell.zoneout_hidden == 0.125F));

  CHECK(parameters(78).with(106, i64s{3}).decoded<ops::assert>().summarize == 3);
  const auto box = parameters(91).with(129, i64s{-2}).with(130, i64s{4, 5}).decoded<ops::crop>();
  CHECK((box.axis == -2 && box.offset == axis_list{4, 5}));

  parameters detector(92);
  detector.with(131, i64s{300}).with(132, reals{10, 10, 5, 2.5F}).with(133, reals{0.5F}).with(134, reals{0.25F});
  detector.with(135, i64s{9})
      .with(136, i64s{8})
      .with(137, i64s{7})
      .with(138, i64s{6})
      .with(139, {true})
      .with(140, {false});
  CHECK(detector.faults() == "");
  const auto found = detector.decoded<ops::detection_post_process>();
  CHECK((found.input_size == 300 && found.scale.size() == 4 && found.scale[0] == 10 && found.scale[3] == 2.5F));
  CHECK((found.nms_iou_threshold == 0.5F && found.nms_score_threshold == 0.25F));
  CHECK((found.max_detections == 9 && found.detections_per_class == 8 && found.max_classes_per_detection == 7 &&
         found.num_classes == 6));
  CHECK((found.use_regular_nms && !found.out_quantized));

  parameters neighbours(96);
  neighbours.with(145, i64s{5})
      .with(146, reals{1})
      .with(147, reals{1e-4F})
      .with(148, reals{0.75F})
      .with(149, {std::int32_t{0}});
  CHECK(neighbours.faults() == "");
  const auto region = neighbours.decoded<ops::lrn>();
  CHECK((region.depth_radius == 5 && region.bias == 1 && region.alpha == 1e-4F && region.beta == 0.75F));
}

TEST_CASE("operations: parameters of other dtypes, counts, numbers and operations are refused in words") {
  struct row {
    const char* what;
    parameters given;
    const char* words;
  };
  const row table[] = {
      {"dtype", parameters(68).with(85, {std::int32_t{1}}), "data_type: got a tensor of i32, expected i64"},
      {"count", parameters(75).with(96, i64s{4, 4}), "hidden_size: got 2 numbers, expected 1"},
      {"no value", parameters(92).with(132, reals{}), "scale: its tensor has no value"},
      {"region", parameters(96).with(149, {std::int32_t{1}}), ": got 1, expected 0 to 0"},
      {"another operation's", parameters(88).with(145, i64s{1}), "has no parameter of type 145"},
      {"a tensor", parameters(78).with(0, i64s{1}), "has no parameter of type 0"},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    CHECK(r.given.faults() == r.words);
  }
  CHECK(parameters(92).with(132, reals{1, 2, 3, 4, 5}).refusal() == "scale has 5 numbers, expected at most 4");
  CHECK(parameters(91).with(130, i64s{1, 1, 1, 1, 1, 1, 1, 1, 1}).refusal() ==
        "offset has 9 numbers, expected at most 8");
}

TEST_CASE("operations: each has its number of operands") {
  struct row {
    int number;
    std::size_t inputs, outputs;
  };
  for (const row& r : {row{43, 1, 1}, row{68, 1, 1}, row{75, 6, 3}, row{78, 2, 1}, row{88, 3, 1}, row{91, 2, 1},
                       row{92, 3, 4}, row{96, 1, 1}}) {
    CAPTURE(r.number);
    const api::operation_kind& kind = *api::find_operation(r.number);
    CHECK(api::fault_of_counts(kind, r.inputs, r.outputs).empty());
    CHECK_FALSE(api::fault_of_counts(kind, r.inputs + 1, r.outputs).empty());
    CHECK_FALSE(api::fault_of_counts(kind, r.inputs, r.outputs + 1).empty());
  }
  for (int number = 1; number <= 108; ++number) CHECK(api::find_operation(number) != nullptr);
}

TEST_CASE("operations: a list of operands aside, no operation takes one too many or one too few") {
  for (int number = 1; number <= 108; ++number) {
    CAPTURE(number);
    const api::operation_kind& kind = *api::find_operation(number);
    const auto is_list = [](array_ref<const operand_spec> specs) {
      return specs.size() == 1 && specs[0].given == presence::variadic;
    };
    const std::size_t inputs = is_list(kind.inputs) ? 2 : kind.inputs.size(), outputs = kind.op->outputs.size();
    CHECK(api::fault_of_counts(kind, inputs, outputs).empty());
    if (kind.counts_inputs) CHECK_FALSE(api::fault_of_counts(kind, inputs - 1, outputs).empty());
    if (kind.counts_inputs) CHECK(api::fault_of_counts(kind, inputs + 1, outputs).empty() == is_list(kind.inputs));
    CHECK_FALSE(api::fault_of_counts(kind, inputs, outputs - 1).empty());
    CHECK(api::fault_of_counts(kind, inputs, outputs + 1).empty() == is_list(kind.op->outputs));
  }
}

TEST_CASE("operations: as many parameters are taken as an operation has, and those that pools share count once") {
  struct row {
    int number;
    std::size_t most;
  };
  for (const row& r : {row{1, 1}, row{2, 7}, row{5, 0}, row{8, 6}, row{9, 7}, row{10, 5}, row{15, 4}, row{21, 7},
                       row{26, 2}, row{49, 3}, row{75, 10}, row{92, 10}, row{96, 5}}) {
    CAPTURE(r.number);
    CHECK(api::max_parameters(*api::find_operation(r.number)) == r.most);
  }
}

TEST_CASE("operations: numbers that NNRt reserves can be given, and no device can run such an operation") {
  const parameters padding = parameters(24).with(116, {std::int32_t{3}}),
                   pair = parameters(12).with(30, {std::int8_t{3}});
  CHECK(padding.faults() + pair.faults() == "");
  CHECK(parameters(24).with(116, {std::int32_t{4}}).faults() == "mode: got 4, expected 0 to 3");
  const tensor_desc image(f32, {1, 2, 2, 1});
  const std::int64_t none[8] = {};
  const operand x{image, {}, false, false}, paddings{{i64, {4, 2}}, none, true, false};
  const operand padded[] = {x, paddings}, both[] = {x, x};
  const tensor_desc wanted;
  CHECK_FALSE(api::find_operation(24)->op->infer(padding.words(), {padded, 2}, {&wanted, 1}));
  CHECK_FALSE(api::find_operation(12)->op->infer(pair.words(), {both, 2}, {&wanted, 1}));
}

TEST_CASE(
    "operations: each type of parameter tensor is one operation's, but for those of pooling, and all others refuse "
    "it") {
  const auto is_of_pooling = [](int type) {
    return (type >= 2 && type <= 6) || (type >= 36 && type <= 40) || type == 109 || type == 110 || type == 114 ||
           type == 115;
  };
  constexpr int of_none = 69;  // whether layer_norm is affine: it is
  for (int type = 1; type <= 162; ++type) {
    CAPTURE(type);
    int takers = 0;
    for (int number = 1; number <= 108; ++number)
      if (api::parameter_row_of(*api::find_operation(number), {type, f32, 1, 1, {}, nullptr}) != nullptr) ++takers;
    CHECK(takers == (is_of_pooling(type) ? 2 : type == of_none ? 0 : 1));
  }
}
