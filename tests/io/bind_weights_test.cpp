// bind_weights: a network's weights out of nnrt's and PyTorch's files, and the message that says all that does not fit.
#include <nnrt/io/bind_weights.hpp>
#include <nnrt/io/make_weights.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

namespace {

using nnrt::shape_t;
using nnrt::weight_spec;
using nnrt::weight_use;

/// Elements that all differ.
std::vector<float> ramp(std::size_t size) {
  std::vector<float> out;
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<float>(i) + 0.5F);
  return out;
}

/// One tensor of a file, as make() takes it, and its elements.
struct stored {
  std::string name;
  shape_t shape;
  std::vector<float> elements;
  stored(std::string n, const shape_t& s)
      : name(std::move(n)), shape(s), elements(ramp(static_cast<std::size_t>(s.elements()))) {}
  float at(std::initializer_list<std::int64_t> index) const {
    std::int64_t offset = 0;
    int axis = 0;
    for (const std::int64_t i : index) offset = offset * shape[axis++] + i;
    return elements[static_cast<std::size_t>(offset)];
  }
};

nnrt::weights file_of(std::initializer_list<stored> tensors, nnrt::layout order) {
  std::vector<nnrt::weights::entry> entries;
  for (const stored& tensor : tensors)
    entries.push_back(nnrt::tensor_of<float>(tensor.name, tensor.shape, tensor.elements));
  return *nnrt::make_weights(entries, {}, order);
}

weight_spec spec(std::string_view name, const shape_t& shape, weight_use use = weight_use::plain,
                 std::int64_t group = 1, const shape_t& flattened = {}) {
  return {name, {nnrt::f32, shape}, use, group, flattened};
}

const float* floats(const nnrt::bound_weights& bound, std::size_t index) {
  return reinterpret_cast<const float*>(bound.pointers()[index]);
}

/// Calls check(position in the row-major target, index) for every index of a rank-4 shape.
template <class F> void for_each_index(const shape_t& s, F&& check) {
  std::size_t at = 0;
  for (std::int64_t a = 0; a < s[0]; ++a)
    for (std::int64_t b = 0; b < s[1]; ++b)
      for (std::int64_t c = 0; c < s[2]; ++c)
        for (std::int64_t d = 0; d < s[3]; ++d) check(at++, a, b, c, d);
}

std::string message_of(const nnrt::weights& file, std::span<const weight_spec> specs) {
  const auto bound = nnrt::bind_weights(file, specs);
  return bound ? "bound" : bound.error().message();
}

}  // namespace

TEST_CASE("bind_weights: a native file's tensors are borrowed in the order of the specs") {
  const nnrt::weights file = file_of({{"b", {3}}, {"a", {2, 3, 3, 1}}}, nnrt::layout::native);
  const weight_spec specs[] = {spec("b", {3}), spec("a", {2, 3, 3, 1}, weight_use::conv2d), spec("b", {3})};
  const auto bound = nnrt::bind_weights(file, specs);
  REQUIRE(bound);
  REQUIRE(bound->pointers().size() == 3);
  CHECK(bound->pointers()[0] == file.find("b")->bytes.data());
  CHECK(bound->pointers()[1] == file.find("a")->bytes.data());
  CHECK(bound->pointers()[2] == bound->pointers()[0]);
  for (std::size_t i = 0; i < 3; ++i) CHECK_FALSE(bound->is_copy(i));
}

TEST_CASE("bind_weights: a network without weights binds to nothing") {
  const auto bound = nnrt::bind_weights(nnrt::weights{}, {});
  REQUIRE(bound);
  CHECK(bound->pointers().empty());
}

TEST_CASE("bind_weights: convolution, depthwise and flatten -> linear of a PyTorch state dict come in nnrt's order") {
  const stored conv("conv.weight", {5, 3, 2, 4}), depthwise("dw.weight", {10, 1, 3, 2}),
      linear("fc.weight", {7, 10 * 4 * 3}), bias("fc.bias", {7});
  const stored counter("bn.num_batches_tracked", {});
  const nnrt::weights file = file_of({conv, depthwise, linear, bias, counter}, nnrt::layout::pytorch);
  const weight_spec specs[] = {spec("conv.weight", {5, 2, 4, 3}, weight_use::conv2d),
                               spec("dw.weight", {10, 3, 2, 1}, weight_use::depthwise_conv2d),
                               spec("fc.weight", {7, 120}, weight_use::full_connection, 1, {1, 4, 3, 10}),
                               spec("fc.bias", {7})};
  const auto bound = nnrt::bind_weights(file, specs);
  REQUIRE_MESSAGE(bound, bound.error().message());
  for_each_index({5, 2, 4, 3}, [&](std::size_t at, auto o, auto y, auto x, auto i) {
    CHECK(floats(*bound, 0)[at] == conv.at({o, i, y, x}));
  });
  for_each_index({10, 3, 2, 1}, [&](std::size_t at, auto o, auto y, auto x, auto) {
    CHECK(floats(*bound, 1)[at] == depthwise.at({o, 0, y, x}));
  });
  for_each_index({7, 4, 3, 10}, [&](std::size_t at, auto o, auto h, auto w, auto c) {
    CHECK(floats(*bound, 2)[at] == linear.at({o, (c * 4 + h) * 3 + w}));
  });
  CHECK(std::memcmp(floats(*bound, 3), bias.elements.data(), 7 * sizeof(float)) == 0);
  CHECK(bound->is_copy(0));
  CHECK_FALSE(bound->is_copy(1));  // [10, 1, 3, 2] and [10, 3, 2, 1] keep the same elements in the same places
  CHECK(bound->is_copy(2));
  CHECK_FALSE(bound->is_copy(3));
}

TEST_CASE("bind_weights: numbers for each column of a flattened map come in nnrt's order") {
  const stored row("bn.weight", {120}), matrix("shift", {1, 120});
  const nnrt::weights file = file_of({row, matrix}, nnrt::layout::pytorch);
  const weight_spec specs[] = {spec("bn.weight", {120}, weight_use::columns, 1, {1, 4, 3, 10}),
                               spec("shift", {1, 120}, weight_use::columns, 1, {1, 4, 3, 10})};
  const auto bound = nnrt::bind_weights(file, specs);
  REQUIRE_MESSAGE(bound, bound.error().message());
  for_each_index({1, 4, 3, 10}, [&](std::size_t at, auto, auto h, auto w, auto c) {
    CHECK(floats(*bound, 0)[at] == row.at({(c * 4 + h) * 3 + w}));
    CHECK(floats(*bound, 1)[at] == matrix.at({0, (c * 4 + h) * 3 + w}));
  });
}

TEST_CASE(
    "bind_weights: a weight that is read in two orders is refused of a file in another order, and taken of a native "
    "one") {
  const stored matrix("w", {2, 4});
  weight_spec twice = spec("w", {2, 4}, weight_use::full_connection);
  twice.contradicts = true;
  CHECK(nnrt::bind_weights(file_of({matrix}, nnrt::layout::native), std::span(&twice, 1)));
  const auto refused = nnrt::bind_weights(file_of({matrix}, nnrt::layout::pytorch), std::span(&twice, 1));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message().find("\"w\": expected f32 [2, 4] is read in two orders, or after a flattened "
                                       "feature map whose columns were joined, cut or normalised: "
                                       "put it into nnrt's order and open the file with nnrt::layout::native") !=
        std::string::npos);
}

TEST_CASE("bind_weights: grouped convolutions of a PyTorch file come in nnrt's order, transposed ones too") {
  for (const std::int64_t group : {1, 2, 3}) {
    CAPTURE(group);
    const std::int64_t out = 6, in = 12, per_group = in / group, out_per_group = out / group;
    const stored conv("conv.weight", {out, per_group, 3, 2}), transposed("up.weight", {in, out_per_group, 3, 2});
    const nnrt::weights file = file_of({conv, transposed}, nnrt::layout::pytorch);
    const shape_t ours{out, 3, 2, per_group};
    const weight_spec specs[] = {spec("conv.weight", ours, weight_use::conv2d, group),
                                 spec("up.weight", ours, weight_use::conv2d_transpose, group)};
    const auto bound = nnrt::bind_weights(file, specs);
    REQUIRE_MESSAGE(bound, bound.error().message());
    for_each_index(ours, [&](std::size_t at, auto o, auto y, auto x, auto i) {
      CHECK(floats(*bound, 0)[at] == conv.at({o, i, y, x}));
      CHECK(floats(*bound, 1)[at] == transposed.at({o / out_per_group * per_group + i, o % out_per_group, y, x}));
    });
  }
}

TEST_CASE("bind_weights: elements of every size are put in order") {
  const std::vector<std::byte> source = [] {
    std::vector<std::byte> bytes;
    for (int i = 0; i < 2 * 3 * 2 * 8; ++i) bytes.push_back(static_cast<std::byte>(i));
    return bytes;
  }();
  for (const nnrt::dtype type : {nnrt::i8, nnrt::f16, nnrt::i32, nnrt::f64}) {
    CAPTURE(nnrt::name_of(type));
    const auto size = static_cast<std::size_t>(nnrt::size_of(type));
    const nnrt::weights::entry entries[] = {{"w", type, {2, 3, 2, 1}, std::span(source).first(12 * size)}};
    const nnrt::weights file = *nnrt::make_weights(entries, {}, nnrt::layout::pytorch);
    const weight_spec specs[] = {{"w", {type, {2, 2, 1, 3}}, weight_use::conv2d, 1, {}}};
    const auto bound = nnrt::bind_weights(file, specs);
    REQUIRE(bound);
    for_each_index({2, 2, 1, 3}, [&](std::size_t at, auto o, auto y, auto, auto i) {
      CHECK(std::memcmp(bound->pointers()[0] + at * size,
                        source.data() + static_cast<std::size_t>((o * 3 + i) * 2 + y) * size, size) == 0);
    });
  }
}

TEST_CASE("bind_weights: what the order of axes does not change is borrowed") {
  const stored pointwise("pw.weight", {8, 4, 1, 1}), one_channel("in.weight", {8, 1, 3, 3}),
      global("fc.weight", {2, 8});
  const nnrt::weights file = file_of({pointwise, one_channel, global}, nnrt::layout::pytorch);
  const weight_spec specs[] = {spec("pw.weight", {8, 1, 1, 4}, weight_use::conv2d),
                               spec("in.weight", {8, 3, 3, 1}, weight_use::conv2d),
                               spec("fc.weight", {2, 8}, weight_use::full_connection, 1, {1, 1, 1, 8})};
  const auto bound = nnrt::bind_weights(file, specs);
  REQUIRE(bound);
  for (std::size_t i = 0; i < 3; ++i) CHECK_FALSE(bound->is_copy(i));
}

TEST_CASE("bind_weights: misaligned bytes are copied to where their elements may lie") {
  const std::vector<float> elements = ramp(5);
  const std::string header = R"({"w":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}} )";
  for (std::size_t shift = 0; shift < 4; ++shift) {
    CAPTURE(shift);
    std::vector<std::byte> file(shift + 8 + header.size() + 20);
    const std::uint64_t length = header.size();
    std::memcpy(file.data() + shift, &length, 8);
    std::memcpy(file.data() + shift + 8, header.data(), header.size());
    std::memcpy(file.data() + shift + 8 + header.size(), elements.data(), 20);
    const auto w = nnrt::weights::parse(std::span(file).subspan(shift));
    REQUIRE_MESSAGE(w, w.error().message());
    const weight_spec specs[] = {spec("w", {5})};
    const auto bound = nnrt::bind_weights(*w, specs);
    REQUIRE(bound);
    CHECK(bound->is_copy(0) == (shift != 0));
    CHECK(reinterpret_cast<std::uintptr_t>(bound->pointers()[0]) % alignof(float) == 0);
    CHECK(std::memcmp(bound->pointers()[0], elements.data(), 20) == 0);
  }
}

TEST_CASE("bind_weights: bound weights keep their file alive and survive a move") {
  nnrt::bound_weights kept;
  {
    const stored conv("w", {2, 3, 2, 2}), bias("b", {2});
    const nnrt::weights file = file_of({conv, bias}, nnrt::layout::pytorch);
    const weight_spec specs[] = {spec("w", {2, 2, 2, 3}, weight_use::conv2d), spec("b", {2})};
    auto bound = nnrt::bind_weights(file, specs);
    REQUIRE(bound);
    kept = std::move(*bound);
  }
  CHECK(floats(kept, 0)[0] == 0.5F);
  CHECK(floats(kept, 0)[1] == 4.5F);
  CHECK(floats(kept, 1)[1] == 1.5F);
}

TEST_CASE("bind_weights: everything that does not fit stands in one message") {
  const nnrt::weights file =
      file_of({{"conv1.wieght", {4, 3, 3, 1}}, {"conv1.bias", {5}}, {"fc.weight", {10, 64}}, {"old.bias", {3}}},
              nnrt::layout::native);
  const weight_spec specs[] = {spec("conv1.weight", {4, 3, 3, 1}, weight_use::conv2d),
                               spec("conv1.bias", {4}),
                               {"fc.weight", {nnrt::i8, {10, 64}}, weight_use::full_connection, 1, {}},
                               spec("completely.different", {1})};
  const auto bound = nnrt::bind_weights(file, specs);
  REQUIRE_FALSE(bound);
  CHECK(bound.error().code() == nnrt::error_code::invalid_argument);
  CHECK(bound.error().message() ==
        "weights do not fit (4 tensors there, 4 weights named by the network):\n"
        "  \"conv1.bias\": got f32 [5], expected f32 [4]\n"
        "  \"fc.weight\": got f32 [10, 64], expected i8 [10, 64] (dtypes are not converted)\n"
        "  \"conv1.weight\": missing: got no such tensor, expected f32 [4, 3, 3, 1]; did you mean \"conv1.wieght\"?\n"
        "  \"completely.different\": missing: got no such tensor, expected f32 [1]\n"
        "  \"conv1.wieght\": superfluous: got f32 [4, 3, 3, 1], expected no such tensor\n"
        "  \"old.bias\": superfluous: got f32 [3], expected no such tensor");
}

TEST_CASE("bind_weights: a file in the other order is recognised") {
  const weight_spec specs[] = {spec("w", {4, 3, 3, 2}, weight_use::conv2d)};
  CHECK(message_of(file_of({{"w", {4, 2, 3, 3}}}, nnrt::layout::native), specs) ==
        "weights do not fit (1 tensors there, 1 weights named by the network):\n"
        "  \"w\": got f32 [4, 2, 3, 3], expected f32 [4, 3, 3, 2] (this is PyTorch's order: open the file with "
        "nnrt::layout::pytorch)");
  CHECK(message_of(file_of({{"w", {4, 3, 3, 2}}}, nnrt::layout::pytorch), specs) ==
        "weights do not fit (1 tensors there, 1 weights named by the network):\n"
        "  \"w\": got f32 [4, 3, 3, 2], expected f32 [4, 2, 3, 3] (this is nnrt's order: open the file with "
        "nnrt::layout::native)");
}

TEST_CASE("bind_weights: gates of a PyTorch file come in nnrt's order if there are rows of four") {
  weight_spec gates = spec("w", {1, 8, 3}, weight_use::gates);
  gates.gate_elements = 2 * 3;
  const stored matrix("w", {8, 3});
  const auto file = file_of({matrix}, nnrt::layout::pytorch);
  const auto bound = nnrt::bind_weights(file, std::span(&gates, 1));
  REQUIRE(bound);
  const int from[] = {0, 3, 1, 2};  // i, o, f, g of i, f, g, o
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 3; ++column) {
      CAPTURE(row);
      CHECK(floats(*bound, 0)[row * 3 + column] == matrix.at({from[row / 2] * 2 + row % 2, column}));
    }
  gates.gate_elements = 5;
  CHECK(message_of(file, std::span(&gates, 1)) ==
        "weights do not fit (1 tensors there, 1 weights named by the network):\n"
        "  \"w\": expected f32 [1, 8, 3] is used by an lstm, but has no rows of four gates");
}

TEST_CASE("bind_weights: a missing name is guessed from typing errors and module prefixes, not from afar") {
  struct row {
    const char *wanted, *there, *guess;
  };
  static constexpr row table[] = {
      {"conv1.weight", "conv2.weight", "did you mean \"conv2.weight\"?"},
      {"conv1.weight", "module.conv1.weight", "did you mean \"module.conv1.weight\"?"},
      {"net.conv1.weight", "conv1.weight", "did you mean \"conv1.weight\"?"},
      {"conv1.weight", "backbone.stem.conv1.weight", "did you mean \"backbone.stem.conv1.weight\"?"},
      {"conv1.weight", "classifier.bias", ""},
      {"w", "b", ""},
  };
  for (const row& r : table) {
    CAPTURE(r.wanted);
    const weight_spec specs[] = {spec(r.wanted, {1})};
    const std::string message = message_of(file_of({{r.there, {1}}}, nnrt::layout::native), specs);
    CHECK(message.find(r.guess) != message.npos);
    CHECK((message.find("did you mean") == message.npos) == (r.guess[0] == '\0'));
  }
}

TEST_CASE("bind_weights: only a PyTorch file's counters may be left over") {
  const auto counters = {stored("bn.num_batches_tracked", {}), stored("num_batches_tracked", {})};
  CHECK(message_of(file_of(counters, nnrt::layout::pytorch), {}) == "bound");
  CHECK(message_of(file_of(counters, nnrt::layout::native), {}) != "bound");
  CHECK(message_of(file_of({{"my_num_batches_tracked", {}}}, nnrt::layout::pytorch), {}) != "bound");
}

TEST_CASE("bind_weights: scales of channels are numbers that a channel can have") {
  weight_spec scales = spec("w.scale", {2});
  stored tensor("w.scale", {2});
  for (const float fine : {0.0F, 0.5F}) {
    tensor.elements[1] = fine, scales.is_scales = true;
    CHECK(message_of(file_of({tensor}, nnrt::layout::native), std::span(&scales, 1)) == "bound");
  }
  tensor.elements[1] = -0.5F;
  const std::string message = message_of(file_of({tensor}, nnrt::layout::native), std::span(&scales, 1));
  CHECK_MESSAGE(
      message.find("\n  \"w.scale\": scale 1: got -0.5, expected a finite number of at least 0") != message.npos,
      message);
  scales.is_scales = false;
  CHECK(message_of(file_of({tensor}, nnrt::layout::native), std::span(&scales, 1)) == "bound");
}

TEST_CASE("bind_weights: a spec that makes no sense is refused by name, whatever the file holds") {
  struct row {
    weight_spec spec;
    const char* reason;
  };
  const row table[] = {
      {spec("w", {4, 9}, weight_use::conv2d),
       "\"w\": expected f32 [4, 9] is used by a convolution, which takes known extents"},
      {spec("w", {4, -1, 3, 3}, weight_use::conv2d),
       "\"w\": expected f32 [4, -1, 3, 3] is used by a convolution, which takes known extents"},
      {spec("w", {4, 3, 3, 1}, weight_use::conv2d_transpose, 3),
       "is used by a convolution whose group does not divide its output channels"},
      {spec("w", {4, 3, 3, 1}, weight_use::conv2d_transpose, 0),
       "is used by a convolution whose group does not divide its output channels"},
      {spec("w", {4, 9}, weight_use::full_connection, 1, {1, 2, 2, 2}), "has other columns than the feature map"},
      {spec("w", {4, 9}, weight_use::columns, 1, {1, 1, 3, 3}), "has other columns than the feature map"},
      {spec("w", {}, weight_use::columns, 1, {1, 1, 3, 3}), "has other columns than the feature map"},
      {spec("w", {4, 9}, weight_use::full_connection, 1, {1, 3, -1, 3}), "has other columns than the feature map"},
  };
  const nnrt::weights file = file_of({{"w", {4, 3, 3, 1}}}, nnrt::layout::pytorch);
  for (const row& r : table) {
    CAPTURE(r.reason);
    const std::string message = message_of(file, std::span(&r.spec, 1));
    CHECK_MESSAGE(message.find(r.reason) != message.npos, message);
  }
}
