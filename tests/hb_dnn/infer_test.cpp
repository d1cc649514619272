// infer: what hbDNNInfer gives is bit for bit what a session of the same network gives, however its input lies in
// memory.
#include "hb_dnn/client.hpp"
#include "support/temporary_folder.hpp"

#include <nnrt/dynamic.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

using namespace nnrt_test;

namespace {

constexpr std::int64_t width = 24, height = 12;

/// An image of the camera networks without any padding.
struct frame {
  std::vector<std::uint8_t> bytes;
  nnrt::image_view view;
  explicit frame(nnrt::image_type type, std::uint32_t seed = 1) {
    const bool is_nv12 = type == nnrt::image_type::nv12;
    bytes.resize(static_cast<std::size_t>(width * height * (type == nnrt::image_type::y ? 2 : is_nv12 ? 3 : 6) / 2));
    fill_with_noise(bytes.data(), bytes.size(), seed);
    view = {.type = type,
            .height = height,
            .width = width,
            .first = bytes.data(),
            .second = nullptr,
            .stride = 0,
            .is_planar = false,
            .range = nnrt::colour_range::full};
  }
};

/// What a session gives for frames, one for each item of the batch.
std::vector<std::vector<std::byte>> expected_of(const nnrt::saved_model& network,
                                                const std::vector<const frame*>& frames) {
  const auto program = nnrt::compile(network.network);
  REQUIRE(program);
  nnrt::session s(*program);
  const std::span<float> x = s.input<float>(0);
  const std::size_t item = x.size() / frames.size();
  for (std::size_t n = 0; n < frames.size(); ++n)
    REQUIRE(nnrt::image_to_floats(frames[n]->view, network.inputs[0].seen, network.inputs[0].by,
                                  {x.data() + n * item, item}));
  REQUIRE(s.run());
  std::vector<std::vector<std::byte>> results;
  for (std::size_t i = 0; i < program->output_count(); ++i)
    results.emplace_back(s.output_bytes(i).begin(), s.output_bytes(i).end());
  return results;
}
void check_equal(tensors& got, const std::vector<std::vector<std::byte>>& expected) {
  REQUIRE(got.list.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(std::memcmp(got.at<std::byte>(i), expected[i].data(), expected[i].size()) == 0);
}
/// Copies rows to where they have a stride.
void copy_rows(const std::uint8_t* from, std::int64_t rows, std::uint8_t* to, std::int64_t stride) {
  for (std::int64_t h = 0; h < rows; ++h) std::memcpy(to + h * stride, from + h * width, width);
}

/// The byte with element i of a map of 7 pixels by row and 20 channels of `bits` bits.
std::size_t byte_of(const hbDNNTensorProperties& map, std::size_t i, std::size_t bits) {
  return i / 140 * static_cast<std::size_t>(map.stride[1]) + i / 20 % 7 * static_cast<std::size_t>(map.stride[2]) +
         i % 20 * bits / 8;
}

}  // namespace

TEST_CASE("infer: NV12 gives the same with padding, without, and in two pieces, on each architecture") {
  for (const char* const architecture : {"bayes", "bernoulli2"}) {
    CAPTURE(architecture);
    const auto made = camera(architecture);
    const nnrt::saved_model& network = *made;
    const packed models({made});
    const hbDNNHandle_t model = models.model();
    const frame f(nnrt::image_type::nv12);
    const auto expected = expected_of(network, {&f});

    const hbDNNTensorProperties p = input_of(model);
    CHECK((p.tensorType == HB_DNN_IMG_TYPE_NV12 && p.tensorLayout == HB_DNN_LAYOUT_NCHW && p.quantiType == NONE));
    CHECK((p.validShape.numDimensions == 4 && p.validShape.dimensionSize[2] == height &&
           p.validShape.dimensionSize[3] == width));
    CHECK((p.alignedShape.dimensionSize[3] == 32 && p.alignedByteSize == 32 * 12 * 3 / 2));
    for (const std::int32_t stride : p.stride) CHECK(stride == 0);

    {  // rows of 32
      tensors in = inputs_for(model), out = outputs_for(model);
      fill_with_noise(in.at<void>(0), 32 * 12 * 3 / 2, 7);  // padding may hold anything
      copy_rows(f.bytes.data(), height * 3 / 2, in.at<std::uint8_t>(0), 32);
      CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
      check_equal(out, expected);
    }
    {  // rows of 24, no byte more
      tensors in, out = outputs_for(model);
      in.add(p, width * height * 3 / 2).properties.alignedShape = p.validShape;
      std::memcpy(in.at<void>(0), f.bytes.data(), f.bytes.size());
      CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
      check_equal(out, expected);
      --in[0].sysMem[0].memSize;
      CHECK(infer(model, in.data(), out) == HB_DNN_INVALID_ARGUMENT);
      ++in[0].sysMem[0].memSize;
    }
    {  // Y here, U and V there
      for (const bool is_padded : {false, true}) {
        const std::int64_t stride = is_padded ? 32 : width;
        tensors in, out = outputs_for(model);
        hbDNNTensor& t = in.add(p, stride * height);
        t.properties.tensorType = HB_DNN_IMG_TYPE_NV12_SEPARATE;
        if (!is_padded) t.properties.alignedShape = p.validShape;
        CHECK(infer(model, in.data(), out) == HB_DNN_INVALID_ARGUMENT);  // U and V are missing
        REQUIRE(hbSysAllocMem(&in[0].sysMem[1], static_cast<std::uint32_t>(stride * height / 2)) == HB_SYS_SUCCESS);
        copy_rows(f.bytes.data(), height, in.at<std::uint8_t>(0), stride);
        copy_rows(f.bytes.data() + width * height, height / 2, in.at<std::uint8_t>(0, 1), stride);
        CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
        check_equal(out, expected);
        --in[0].sysMem[1].memSize;
        CHECK(infer(model, in.data(), out) == HB_DNN_INVALID_ARGUMENT);
        ++in[0].sysMem[1].memSize;
      }
    }
  }
}

TEST_CASE("infer: other images give what a session gives") {
  struct row {
    nnrt::image_type given;
    nnrt::colours seen;
    std::int32_t layout, bytes;
  };
  constexpr row table[] = {{nnrt::image_type::y, nnrt::colours::gray, HB_DNN_LAYOUT_NCHW, 32 * 12},
                           {nnrt::image_type::yuv444, nnrt::colours::bgr, HB_DNN_LAYOUT_NHWC, 24 * 12 * 3},
                           {nnrt::image_type::rgb, nnrt::colours::rgb, HB_DNN_LAYOUT_NHWC, 24 * 12 * 3},
                           {nnrt::image_type::bgr, nnrt::colours::rgb, HB_DNN_LAYOUT_NHWC, 24 * 12 * 3}};
  for (const row& r : table) {
    CAPTURE(static_cast<int>(r.given));
    const auto made = camera_of(r.given, r.seen);
    const nnrt::saved_model& network = *made;
    const packed models({made});
    const hbDNNHandle_t model = models.model();
    const hbDNNTensorProperties p = input_of(model);
    CHECK((p.tensorLayout == r.layout && p.tensorType == static_cast<std::int32_t>(r.given) &&
           p.alignedByteSize == r.bytes));
    const frame f(r.given);
    tensors in, out = outputs_for(model);
    in.add(p, static_cast<std::int64_t>(f.bytes.size())).properties.alignedShape = p.validShape;
    std::memcpy(in.at<void>(0), f.bytes.data(), f.bytes.size());
    CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
    check_equal(out, expected_of(network, {&f}));
    in[0].properties.tensorType = HB_DNN_IMG_TYPE_NV12;
    CHECK(infer(model, in.data(), out) == HB_DNN_INVALID_ARGUMENT);
  }
}

TEST_CASE("infer: a batch may come as one tensor, or as a tensor for each item") {
  const auto made = camera("bayes", 4);
  const nnrt::saved_model& network = *made;
  const packed models({made});
  const hbDNNHandle_t model = models.model();
  const hbDNNTensorProperties p = input_of(model);
  CHECK((p.validShape.dimensionSize[0] == 4 && p.alignedByteSize == 4 * 32 * 12 * 3 / 2));
  const frame frames[] = {frame(nnrt::image_type::nv12, 1), frame(nnrt::image_type::nv12, 2),
                          frame(nnrt::image_type::nv12, 3), frame(nnrt::image_type::nv12, 4)};
  const auto expected = expected_of(network, {&frames[0], &frames[1], &frames[2], &frames[3]});
  const std::size_t bytes = frames[0].bytes.size();
  tensors whole, cut, out = outputs_for(model);
  whole.add(p).properties.alignedShape = p.validShape;
  for (std::size_t n = 0; n < 4; ++n) {
    std::memcpy(whole.at<std::uint8_t>(0) + n * bytes, frames[n].bytes.data(), bytes);
    hbDNNTensor& t = cut.add(p, static_cast<std::int64_t>(bytes));
    t.properties.validShape.dimensionSize[0] = 1;
    t.properties.alignedShape = t.properties.validShape;
    std::memcpy(t.sysMem[0].virAddr, frames[n].bytes.data(), bytes);
  }
  for (tensors* const in : {&whole, &cut}) {
    for (std::size_t i = 0; i < 2; ++i)
      fill_with_noise(out.at<void>(i),
                      static_cast<std::size_t>(output_of(model, static_cast<std::int32_t>(i)).alignedByteSize));
    CHECK(infer(model, in->data(), out) == HB_DNN_SUCCESS);
    check_equal(out, expected);
  }
  cut[3].properties.validShape.dimensionSize[0] = 4;
  CHECK(infer(model, cut.data(), out) == HB_DNN_INVALID_ARGUMENT);
}

TEST_CASE("infer: feature maps of a batch go item by item, input after input") {
  const packed models({pair()});
  const hbDNNHandle_t model = models.model();
  const hbDNNTensorProperties p = input_of(model);
  CHECK((p.tensorType == HB_DNN_TENSOR_TYPE_F32 && p.quantiType == NONE && p.alignedByteSize == 2 * 60 * 4 &&
         p.stride[0] == 240 && p.stride[3] == 4));
  tensors in, out = outputs_for(model);
  for (int i = 0; i < 4; ++i) {
    hbDNNTensor& t = in.add(p, 60 * 4);
    t.properties.validShape.dimensionSize[0] = t.properties.alignedShape.dimensionSize[0] = 1;
    for (int k = 0; k < 60; ++k) static_cast<float*>(t.sysMem[0].virAddr)[k] = static_cast<float>(100 * i + k);
  }
  CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
  for (int n = 0; n < 2; ++n)
    for (int k = 0; k < 60; ++k) {
      const auto a = static_cast<float>(100 * n + k), b = static_cast<float>(200 + 100 * n + k);
      CHECK(out.at<float>(0)[60 * n + k] == a + b);
      CHECK(out.at<float>(1)[60 * n + k] == a * b);
    }
}

TEST_CASE("infer: quantised values have padding, and a shift or a scale that says what they stand for") {
  for (const char* const architecture : {"bayes", "bernoulli2"}) {
    CAPTURE(architecture);
    const auto made = stored(architecture);
    const nnrt::saved_model& network = *made;
    const packed models({made});
    const hbDNNHandle_t model = models.model();
    const bool is_bayes = architecture == std::string("bayes");
    const hbDNNTensorProperties in_p = input_of(model), out_p = output_of(model);
    const float scale = network.network.graph.at(network.network.graph.inputs[0]).desc.quantised.scale;
    CHECK((in_p.tensorType == HB_DNN_TENSOR_TYPE_S8 && in_p.tensorLayout == HB_DNN_LAYOUT_NHWC &&
           in_p.quantiType == (is_bayes ? SCALE : SHIFT)));
    if (is_bayes) {
      CHECK((in_p.scale.scaleLen == 1 && in_p.scale.scaleData[0] == scale && in_p.scale.zeroPointLen == 1 &&
             in_p.scale.zeroPointData[0] == 0));
      CHECK((in_p.alignedShape.dimensionSize[3] == 16 && out_p.alignedShape.dimensionSize[3] == 32));
    } else {
      CHECK((in_p.shift.shiftLen == 1 && std::ldexp(1.0F, -in_p.shift.shiftData[0]) == scale));
      CHECK((in_p.alignedShape.dimensionSize[2] == 8 && in_p.alignedShape.dimensionSize[3] == 8 &&
             out_p.alignedShape.dimensionSize[3] == 20));
    }
    CHECK((in_p.stride[3] == 1 && in_p.stride[2] == in_p.alignedShape.dimensionSize[3] &&
           in_p.stride[0] == in_p.alignedByteSize));

    const auto program = nnrt::compile(network.network);
    REQUIRE(program);
    nnrt::session s(*program);
    const std::span<std::int8_t> x = s.input<std::int8_t>(0);
    fill_with_noise(x.data(), x.size());
    REQUIRE(s.run());
    const std::span<const std::int8_t> y = s.output<std::int8_t>(0);

    tensors padded = inputs_for(model), dense, out = outputs_for(model);
    dense.add(in_p, 5 * 7 * 6).properties.alignedShape = in_p.validShape;
    std::memcpy(dense.at<void>(0), x.data(), x.size());
    fill_with_noise(padded.at<void>(0), static_cast<std::size_t>(in_p.alignedByteSize), 9);
    for (std::size_t i = 0; i < x.size(); ++i)
      padded.at<std::int8_t>(0)[i / 42 * static_cast<std::size_t>(in_p.stride[1]) +
                                i / 6 % 7 * static_cast<std::size_t>(in_p.stride[2]) + i % 6] = x[i];
    for (tensors* const in : {&padded, &dense}) {
      fill_with_noise(out.at<void>(0), static_cast<std::size_t>(out_p.alignedByteSize));
      REQUIRE(infer(model, in->data(), out) == HB_DNN_SUCCESS);
      int wrong = 0;
      for (int at = 0; at < out_p.alignedByteSize; ++at) {
        const int h = at / out_p.stride[1], w = at % out_p.stride[1] / out_p.stride[2], c = at % out_p.stride[2];
        const bool is_valid = h < 5 && w < 7 && c < 20;
        wrong +=
            out.at<std::int8_t>(0)[at] != (is_valid ? y[static_cast<std::size_t>((h * 7 + w) * 20 + c)] : 0) ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE(
    "infer: a network that has mean and scale in it is given plain pixels, near what one of normalised floats "
    "gives") {
  for (const char* const architecture : {"bayes", "bernoulli2"}) {
    CAPTURE(architecture);
    const auto made = camera_of_pixels(architecture), of_floats = camera(architecture);
    const packed models({made});
    const hbDNNHandle_t model = models.model();
    const frame f(nnrt::image_type::nv12);
    const auto program = nnrt::compile(made->network);
    REQUIRE(program);
    nnrt::session s(*program);
    REQUIRE(nnrt::store_image(f.view, nnrt::colours::rgb, s.input<std::int8_t>(0)));
    REQUIRE(s.run());
    const hbDNNTensorProperties p = input_of(model);
    CHECK((p.tensorType == HB_DNN_IMG_TYPE_NV12 && p.quantiType == NONE && p.validShape.dimensionSize[3] == width));
    tensors in, out = outputs_for(model);
    in.add(p, std::ssize(f.bytes)).properties.alignedShape = p.validShape;
    std::memcpy(in.at<void>(0), f.bytes.data(), f.bytes.size());
    REQUIRE(infer(model, in.data(), out) == HB_DNN_SUCCESS);
    const auto normalised = expected_of(*of_floats, {&f});
    for (std::size_t i = 0; i < out.list.size(); ++i) {
      const std::span<const float> y = s.output<float>(i);
      CHECK(std::memcmp(out.at<float>(i), y.data(), y.size_bytes()) == 0);
      const auto* const other = reinterpret_cast<const float*>(normalised[i].data());
      double product = 0, square = 0, other_square = 0;
      for (std::size_t e = 0; e < y.size(); ++e)
        product += double{y[e]} * double{other[e]}, square += double{y[e]} * double{y[e]},
            other_square += double{other[e]} * double{other[e]};
      CHECK(product / std::sqrt(square * other_square) > 0.99);
    }
  }
}

TEST_CASE("infer: sums of 32 bits have a scale or a shift for each channel, and come as the last layer made them") {
  for (const char* const architecture : {"bayes", "bernoulli2"}) {
    CAPTURE(architecture);
    const auto made = sums(architecture);
    const packed models({made});
    const hbDNNHandle_t model = models.model();
    const hbDNNTensorProperties p = output_of(model);
    const std::span<const float> scales = nnrt::channel_scales(made->network, made->network.graph.outputs[0].value);
    REQUIRE(scales.size() == 20);
    const bool is_bayes = architecture == std::string("bayes");
    CHECK((p.tensorType == HB_DNN_TENSOR_TYPE_S32 && p.quantizeAxis == 3 && p.stride[3] == 4 &&
           p.stride[2] == 4 * p.alignedShape.dimensionSize[3]));
    REQUIRE((is_bayes ? p.quantiType == SCALE && p.scale.scaleLen == 20 && p.scale.zeroPointLen == 20
                      : p.quantiType == SHIFT && p.shift.shiftLen == 20));
    for (std::size_t c = 0; c < 20; ++c) {
      CHECK(scales[c] == (is_bayes ? p.scale.scaleData[c] : std::ldexp(1.0F, -p.shift.shiftData[c])));
      if (is_bayes) CHECK(p.scale.zeroPointData[c] == 0);
    }
    const auto program = nnrt::compile(made->network);
    REQUIRE(program);
    nnrt::session s(*program);
    const std::span<std::int8_t> x = s.input<std::int8_t>(0);
    fill_with_noise(x.data(), x.size());
    REQUIRE(s.run());
    const std::span<const std::int32_t> y = s.output<std::int32_t>(0);
    tensors in, out = outputs_for(model);
    const hbDNNTensorProperties in_p = input_of(model);
    in.add(in_p, 5 * 7 * 6).properties.alignedShape = in_p.validShape;
    std::memcpy(in.at<void>(0), x.data(), x.size());
    REQUIRE(infer(model, in.data(), out) == HB_DNN_SUCCESS);
    int wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      wrong += std::memcmp(out.at<std::byte>(0) + byte_of(p, i, 32), &y[i], 4) != 0 ? 1 : 0;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("infer: numbers of four bits are given and got two to a byte, with padding and without") {
  for (const char* const architecture : {"bayes", "bernoulli2"}) {
    CAPTURE(architecture);
    const auto made = halves(architecture);
    const packed models({made});
    const hbDNNHandle_t model = models.model();
    const hbDNNTensorProperties in_p = input_of(model), out_p = output_of(model);
    const bool is_bayes = architecture == std::string("bayes");
    CHECK(
        (in_p.tensorType == HB_DNN_TENSOR_TYPE_S4 && out_p.tensorType == HB_DNN_TENSOR_TYPE_S4 && in_p.stride[3] == 0));
    CHECK((in_p.stride[2] == in_p.alignedShape.dimensionSize[3] / 2 &&
           in_p.alignedByteSize == in_p.stride[1] * in_p.alignedShape.dimensionSize[1]));
    CHECK((in_p.alignedByteSize == (is_bayes ? 5 * 7 * 16 : 5 * 8 * 4) &&
           out_p.alignedByteSize == (is_bayes ? 5 * 7 * 16 : 5 * 8 * 10)));
    const auto program = nnrt::compile(made->network);
    REQUIRE(program);
    nnrt::session s(*program);
    const std::span<std::int8_t> x = s.input<std::int8_t>(0);
    tensors padded = inputs_for(model), dense, out = outputs_for(model);
    dense.add(in_p, 5 * 7 * 3).properties.alignedShape = in_p.validShape;
    fill_with_noise(dense.at<void>(0), 5 * 7 * 3, 3);
    std::memset(padded.at<void>(0), 0x55, static_cast<std::size_t>(in_p.alignedByteSize));
    for (std::size_t pixel = 0; pixel < 35; ++pixel) {
      const std::uint8_t* const from = dense.at<std::uint8_t>(0) + 3 * pixel;
      std::memcpy(padded.at<std::uint8_t>(0) + pixel / 7 * static_cast<std::size_t>(in_p.stride[1]) +
                      pixel % 7 * static_cast<std::size_t>(in_p.stride[2]),
                  from, 3);
      for (std::size_t c = 0; c < 6; ++c)
        x[6 * pixel + c] =
            static_cast<std::int8_t>((from[c / 2] >> (c % 2 * 4) & 15) - (from[c / 2] >> (c % 2 * 4) & 8) * 2);
    }
    REQUIRE(s.run());
    const std::span<const std::int8_t> y = s.output<std::int8_t>(0);
    for (tensors* const in : {&padded, &dense}) {
      REQUIRE(infer(model, in->data(), out) == HB_DNN_SUCCESS);
      int wrong = 0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        const int got = out.at<std::uint8_t>(0)[byte_of(out_p, i, 4)] >> (i % 2 * 4) & 15;
        wrong += (got ^ 8) - 8 != std::clamp<int>(y[i], -8, 7) ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
    tensors small;
    small.add(in_p, 5 * 7 * 3 - 1).properties.alignedShape = in_p.validShape;
    CHECK(infer(model, small.data(), out) == HB_DNN_INVALID_ARGUMENT);
  }
}

TEST_CASE("infer: the vectors of numbers have their channels where boards have them") {
  const packed models({camera()});
  const hbDNNTensorProperties scores = output_of(models.model(), 1), map = output_of(models.model(), 0);
  CHECK((scores.tensorLayout == HB_DNN_LAYOUT_NCHW && scores.validShape.numDimensions == 4 &&
         scores.validShape.dimensionSize[1] == 10 && scores.validShape.dimensionSize[3] == 1));
  CHECK((scores.alignedByteSize == 40 && scores.stride[0] == 40 && scores.stride[1] == 4));
  CHECK((map.tensorLayout == HB_DNN_LAYOUT_NHWC && map.validShape.dimensionSize[1] == 6 &&
         map.validShape.dimensionSize[3] == 8 && map.alignedByteSize == 6 * 12 * 8 * 4));
}

TEST_CASE("infer: results stay when their task and their model are gone, and memory may be part of a larger piece") {
  tensors out, in;
  {
    const packed models({counter()});
    const hbDNNHandle_t model = models.model();
    hbSysMem all{};
    REQUIRE(hbSysAllocCachedMem(&all, 4096) == HB_SYS_SUCCESS);
    std::vector<hbDNNTensor> cut(3);
    for (std::size_t i = 0; i < 3; ++i) {
      cut[i].properties = i == 0 ? input_of(model) : output_of(model, static_cast<std::int32_t>(i) - 1);
      cut[i].sysMem[0] = {all.phyAddr + 64 * i, static_cast<char*>(all.virAddr) + 64 * i, 4};
    }
    *static_cast<float*>(cut[0].sysMem[0].virAddr) = 41;
    hbDNNTensor* results = &cut[1];
    hbDNNTaskHandle_t task = nullptr;
    hbDNNInferCtrlParam control = plainly();
    REQUIRE(hbDNNInfer(&task, &results, &cut[0], model, &control) == HB_DNN_SUCCESS);
    REQUIRE(hbDNNWaitTaskDone(task, 0) == HB_DNN_SUCCESS);
    REQUIRE(hbDNNReleaseTask(task) == HB_DNN_SUCCESS);
    CHECK(
        (*static_cast<float*>(cut[1].sysMem[0].virAddr) == 42 && *static_cast<float*>(cut[2].sysMem[0].virAddr) == 41));
    cut[2].sysMem[0] = {0, static_cast<char*>(all.virAddr) + 4094, 4};  // two bytes after the end
    task = nullptr;
    CHECK(hbDNNInfer(&task, &results, &cut[0], model, &control) == HB_DNN_INVALID_ARGUMENT);
    CHECK(task == nullptr);
    CHECK(hbSysFreeMem(&all) == HB_SYS_SUCCESS);
  }
}

TEST_CASE("infer: a model is not its file, which may become another one's") {
  const temporary_folder folder;
  const std::string path = folder.file("weighted.safetensors"), bytes = bytes_of({weighted()});
  std::ofstream(path) << bytes;
  const char* files[] = {path.c_str()};
  hbPackedDNNHandle_t models = nullptr;
  REQUIRE(hbDNNInitializeFromFiles(&models, files, 1) == HB_DNN_SUCCESS);
  hbDNNHandle_t model = nullptr;
  const char** names = nullptr;
  std::int32_t count = 0;
  REQUIRE(hbDNNGetModelNameList(&names, &count, models) == HB_DNN_SUCCESS);
  REQUIRE(hbDNNGetModelHandle(&model, models, names[0]) == HB_DNN_SUCCESS);
  {
    tensors in = inputs_for(model), out = outputs_for(model), again = outputs_for(model);
    CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
    CHECK(out.at<float>(0)[0] != 0);
    std::ofstream(path) << std::string(bytes.size(), 'x');  // the same file, as cp writes it
    CHECK(infer(model, in.data(), again) == HB_DNN_SUCCESS);
    CHECK(std::equal(out.at<float>(0), out.at<float>(0) + 4, again.at<float>(0)));
  }
  CHECK(hbDNNRelease(models) == HB_DNN_SUCCESS);
}

TEST_CASE("infer: values that the network cannot take make the task fail, and the next one runs") {
  const packed models({rows_of_table()});
  const hbDNNHandle_t model = models.model();
  tensors in = inputs_for(model), out = outputs_for(model);
  CHECK(input_of(model).tensorType == HB_DNN_TENSOR_TYPE_S32);
  in.at<std::int32_t>(0)[0] = 3, in.at<std::int32_t>(0)[1] = 4;
  CHECK(infer(model, in.data(), out) == HB_DNN_RUN_TASK_FAILED);
  in.at<std::int32_t>(0)[1] = 1;
  CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
  CHECK((out.at<float>(0)[0] == 9 && out.at<float>(0)[5] == 5));
}

TEST_CASE("infer: a state is an input and an output of one name") {
  const packed models({total()});
  const hbDNNHandle_t model = models.model();
  tensors in = inputs_for(model), out = outputs_for(model);
  REQUIRE(in.list.size() == 2);
  REQUIRE(out.list.size() == 2);
  const char* name = nullptr;
  REQUIRE(hbDNNGetInputName(&name, model, 1) == HB_DNN_SUCCESS);
  CHECK(std::string(name) == "total");
  REQUIRE(hbDNNGetOutputName(&name, model, 1) == HB_DNN_SUCCESS);
  CHECK(std::string(name) == "total");
  in.at<float>(0)[0] = 2, in.at<float>(1)[0] = 5;
  for (const float expected : {7.0F, 9.0F, 11.0F}) {
    CHECK(infer(model, in.data(), out) == HB_DNN_SUCCESS);
    CHECK(out.at<float>(0)[0] == 2 * expected);
    CHECK(out.at<float>(1)[0] == expected);
    in.at<float>(1)[0] = out.at<float>(1)[0];
  }
}
