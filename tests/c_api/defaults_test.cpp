// defaults_test: what attributes every operation has when a model leaves its parameters out, at both levels.
// Flow: operators' tables are decoded as AddOperation does; the right column is what NNRt's documents say, where they
// do.
#include <nnrt/c_api/operations.hpp>

#include <nnrt/core/kernel.hpp>
#include <nnrt/ir/dump.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace nnrt;
namespace api = nnrt::c_api;

/// The attributes in words, as dumps have them; lists without elements are not named.
std::string decoded(const api::operation_kind& kind, std::vector<api::parameter> given = {}, int level = 18) {
  for (api::parameter& p : given) p.row = api::parameter_row_of(kind, p);
  ir::graph g;
  ir::node n;
  n.label = kind.op->label;
  n.attrs = g.add_words(kind.decode(given, level).words);
  return ir::attributes_text(g, n);
}
template <class T> api::parameter parameter_of(int tensor_type, const T& value) {
  return {tensor_type, dtype_for<T>(), 0, 1, {reinterpret_cast<const std::byte*>(&value), sizeof value}, nullptr};
}

struct row {
  int number;
  const char* attributes;
};

// From the public headers and the reference of NNRt; what these are silent about is what the shipped code has.
constexpr row table[] = {
    {1, "fused=none"},
    {2, "kernel=0x0 stride=1x1 pad=0,0,0,0 ceil_mode=false global=false fused=none count_include_pad=false"},
    {3, "epsilon=0.0001"},
    {4, "block=0x0"},
    {7, "axis=0"},
    {8, "stride=1x1 dilation=1x1 pad=0,0,0,0 group=1 fused=none"},
    {9, "stride=1x1 dilation=1x1 pad=0,0,0,0 output_paddings=0x0 group=1 fused=none"},
    {10, "stride=1x1 dilation=1x1 pad=0,0,0,0 fused=none"},
    {11, "fused=none"},
    {12, "mode=0"},
    {15, "axis=none fused=none"},  // no axis is used
    {19, "transpose_a=false transpose_b=false fused=none"},
    {21, "kernel=0x0 stride=1x1 pad=0,0,0,0 ceil_mode=false global=false fused=none"},
    {22, "fused=none"},
    {23, "axis=-1"},
    {24, "mode=0 pad_value=0"},
    {25, "scale=1 shift=0"},
    {26, "axis=-1 fused=none"},  // a model without the axis cannot be finished
    {29, ""},
    {30, "beta=1"},  // the last axis
    {31, "block=0x0"},
    {32, "axis=0 output_num=0"},
    {35, ""},
    {36, "axis=0"},
    {37, "begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0"},
    {38, "fused=none"},
    {40, "dims=0"},
    {42, "keep_dims=false reduce_to_end=false coefficient=0"},  // of which 0 stands for none
    {43, "new_height=0 new_width=0 preserve_aspect_ratio=false coordinate_mode=0 exclude_outside=false"},
    {49, "begin_norm_axis=1 epsilon=1e-07 begin_param_axis=1"},
    {50, "keep_dims=false reduce_to_end=false coefficient=0"},
    {51, "keep_dims=false reduce_to_end=false coefficient=0"},
    {52, "src_t=0 dst_t=0 axis=0"},  // a model without the types cannot be finished
    {53, "sorted=true axis=-1"},     // the shipped code tells devices 0
    {54, "axis=-1 k=1 keep_dims=false out_max_value=false"},
    {55, ""},
    {56, "approximate=false"},
    {57, "axis=0"},
    {60, "base=-1 scale=1 shift=0"},
    {64, "axis=1"},
    {65, "block_size=0 crd=false"},
    {66, "start=0 limit=0 delta=1"},
    {67, "epsilon=0"},
    {68, "data_type=0 value=0"},
    {69, ""},
    {74, "negative_slope=0"},
    {75,
     "bidirectional=false has_bias=false input_size=0 hidden_size=0 num_layers=0 num_directions=0 dropout=0 "
     "zoneout_cell=0 zoneout_hidden=0 proj_size=0"},
    {76, "max=0 min=0"},
    {77, "keep_dims=0"},
    {78, "summarize=0"},
    {91, "axis=0"},
    {92,
     "input_size=0 nms_iou_threshold=0 nms_score_threshold=0 max_detections=0 detections_per_class=0 "
     "max_classes_per_detection=0 num_classes=0 "
     "use_regular_nms=false out_quantized=false scale=1,1,1,1"},
    {94, "epsilon=1e-06 fused=none axis=0"},  // the shipped code tells devices of no axis
    {95, "axis=0"},
    {96, "depth_radius=0 bias=1 alpha=1 beta=0.5"},  // the shipped code tells devices 0
    {99, "keep_dims=false reduce_to_end=false coefficient=0"},
    {100, "keep_dims=false reduce_to_end=false coefficient=0"},
    {101, "keep_dims=false reduce_to_end=false coefficient=0"},
    {104, "block_size=0"},
    {106, "keep_dims=false reduce_to_end=false coefficient=0"},
};

}  // namespace

TEST_CASE("operations: parameters that a model leaves out are what the documents say") {
  for (const row& r : table) {
    CAPTURE(r.number);
    CHECK(decoded(*api::find_operation(r.number)) == r.attributes);
  }
}

TEST_CASE("operations: every operation that has parameters is in the table of what they are when left out") {
  for (int number = 1; number <= 108; ++number) {
    CAPTURE(number);
    bool is_listed = false;
    for (const row& r : table) is_listed = is_listed || r.number == number;
    CHECK(is_listed == !api::find_operation(number)->parameters.empty());
  }
}

TEST_CASE("operations: at level 9 batch_norm has the epsilon of the first release, and all else is the same") {
  for (const row& r : table) {
    CAPTURE(r.number);
    CHECK(decoded(*api::find_operation(r.number), {}, 9) ==
          (r.number == 3 ? std::string("epsilon=1e-07") : std::string(r.attributes)));
  }
  CHECK(decoded(*api::find_operation(3), {parameter_of(7, 0.5F)}, 9) == "epsilon=0.5");
}

TEST_CASE("operations: the use of an axis that is not given is that of the first; one that is given counts") {
  const api::operation_kind& dense = *api::find_operation(15);
  const bool yes = true, no = false;
  const std::int64_t two = 2;
  CHECK(decoded(dense, {parameter_of(112, yes)}) == "axis=0 fused=none");
  CHECK(decoded(dense, {parameter_of(112, yes), parameter_of(31, two)}) == "axis=2 fused=none");
  CHECK(decoded(dense, {parameter_of(112, no)}) == "axis=none fused=none");
}

TEST_CASE("operations: layer_norm takes its axes as 32 bits, too, as the documents have them") {
  const api::operation_kind& norm = *api::find_operation(49);
  const std::int32_t narrow = 3;
  const std::int64_t wide = 2;
  const float real = 1;
  for (const int type : {66, 68}) {
    CAPTURE(type);
    for (api::parameter p : {parameter_of(type, narrow), parameter_of(type, wide)}) {
      p.row = api::parameter_row_of(norm, p);
      CHECK(api::fault_of(norm, p) == "");
    }
    api::parameter wrong = parameter_of(type, real);
    wrong.row = api::parameter_row_of(norm, wrong);
    CHECK(api::fault_of(norm, wrong) != "");
  }
  CHECK(decoded(norm, {parameter_of(66, narrow), parameter_of(68, wide)}) ==
        "begin_norm_axis=3 epsilon=1e-07 begin_param_axis=2");
}
