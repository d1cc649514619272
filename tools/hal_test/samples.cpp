// samples: see the header.
#include "hal_test/samples.hpp"

#include <nnrt/exec/session.hpp>
#include <nnrt/io/model_builder.hpp>
#include <nnrt/ops/add.hpp>
#include <nnrt/ops/conv2d.hpp>
#include <nnrt/ops/full_connection.hpp>
#include <nnrt/ops/relu.hpp>
#include <nnrt/ops/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <future>
#include <type_traits>

namespace nnrt_hal_test {
namespace {

template <class T> std::vector<T> numbers(std::size_t count, int salt) {
  std::vector<T> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<T>((static_cast<int>(i) * 7 + salt) % 13 - 6);
  return all;
}

model dense() {
  model_builder b;
  const auto x = b.input("x", {f32, {2, 4}}).value();
  const auto w = b.constant<float>({f32, {3, 4}}, numbers<float>(12, 1)).value();
  const auto y = b.apply<ops::full_connection>({}, {x, w}, {}, "head").value()[0];
  (void)b.output("p", b.apply<ops::softmax>({}, {y}).value()[0]);
  return b.finish();
}
model image() {
  model_builder b;
  const auto x = b.input("x", {f32, nhwc, {1, 5, 5, 2}}).value();
  const auto w = b.constant<float>({f32, {4, 3, 3, 2}}, numbers<float>(72, 2)).value();
  ops::conv2d::attrs a;
  a.pad.mode = pad_mode::same;
  const auto y = b.apply<ops::conv2d>(a, {x, w}, {}, "stem").value()[0];
  (void)b.output("y", b.apply<ops::relu>({}, {y}).value()[0]);
  return b.finish();
}
/// Zero points of 0 are all that some accelerators take.
model quantised(std::int32_t zero_point) {
  model_builder b;
  const auto x = b.input("x", {i8, nhwc, {1, 4, 4, 8}, quant{0.5F, zero_point}}).value();
  const auto w =
      b.constant<std::int8_t>({i8, nhwc, {8, 1, 1, 8}, quant{0.25F, 0}}, numbers<std::int8_t>(64, 3)).value();
  const auto y = b.apply<ops::conv2d>({}, {x, w}, {{i8, nhwc, {1, 4, 4, 8}, quant{1, -zero_point}}}, "stem").value()[0];
  (void)b.output("y", y);
  return b.finish();
}
model relu_of_bytes() {
  model_builder b;
  const tensor_desc desc{i8, nhwc, {1, 4, 4, 8}, quant{0.5F, 0}};
  const auto x = b.input("x", desc).value();
  (void)b.output("y", b.apply<ops::relu>({}, {x}, {desc}).value()[0]);
  return b.finish();
}
model two_ends() {
  model_builder b;
  const auto x = b.input("x", {f32, {2, 3}}).value(), z = b.input("z", {f32, {2, 3}}).value();
  const auto sum = b.apply<ops::add>({}, {x, z}).value()[0];
  (void)b.output("positive", b.apply<ops::relu>({}, {sum}).value()[0]);
  (void)b.output("sum", sum);
  return b.finish();
}

double real_at(dtype type, const std::byte* at) {
  double number = 0;
  with_element<types::any>(type, [&]<class T>(T element) {
    std::memcpy(&element, at, sizeof element);
    number = static_cast<double>(element);
  });
  return number;
}

constexpr std::size_t guard_bytes = 32;
constexpr std::byte guard{0xa7};

}  // namespace

model relu_network(shape_t shape) {
  model_builder b;
  const auto x = b.input("x", {f32, shape}).value();
  (void)b.output("y", b.apply<ops::relu>({}, {x}).value()[0]);
  return b.finish();
}

std::vector<sample> samples() {
  return {{"relu", relu_network({2, 3})},
          {"two_ends", two_ends()},
          {"dense", dense()},
          {"image", image()},
          {"quantised", quantised(3)},
          {"symmetric", quantised(0)},
          {"relu_of_bytes", relu_of_bytes()}};
}

std::vector<sample> taken_samples(const device& on) {
  std::vector<sample> taken;
  for (sample& one : samples()) {
    const auto says = on.supported(one.network);
    if (says && std::all_of(says->begin(), says->end(), [](bool is) { return is; })) taken.push_back(std::move(one));
  }
  return taken;
}

prepared prepared_by(probe& p, const std::function<status(std::function<void(prepared)>)>& call) {
  struct answer {
    std::promise<prepared> first;
    std::atomic<int> calls{0};
  };
  const auto answered = std::make_shared<answer>();
  auto future = answered->first.get_future();
  const status returned = call([answered](prepared got) {
    if (++answered->calls == 1) answered->first.set_value(std::move(got));
  });
  prepared got = future.get();
  p.expect(answered->calls == 1, {"the callback was called ", answered->calls.load(), " times"});
  p.expect(returned == status::none || returned == got.ended,
           {"returned ", static_cast<int>(returned), ", and the callback got ", static_cast<int>(got.ended)});
  p.expect((got.ended == status::none) == got.model.has_value(),
           {"status ", static_cast<int>(got.ended), got.model ? " with a model" : " without a model"});
  return got;
}
prepared prepare(probe& p, const model& network, preparation asked) {
  return prepared_by(p, [&](auto notify) { return p.on.prepare(network, std::move(asked), std::move(notify)); });
}
std::optional<prepared_model_handle> ready(probe& p, const sample& one) {
  prepared made = prepare(p, one.network);
  p.expect(made.ended == status::none, {one.name, ": is supported, and its preparation ends with ",
                                        static_cast<int>(made.ended), ": ", made.reason});
  return std::move(made.model);
}

arrays::arrays(const prepared_model& of, std::vector<shape_t> shapes) {
  for (std::size_t i = 0; i < of.input_count(); ++i) {
    in_.push_back(of.input_desc(i));
    if (!shapes.empty()) in_.back().shape = shapes[i];
    std::vector<std::byte>& bytes = inputs_.emplace_back(static_cast<std::size_t>(in_[i].bytes()));
    with_element<types::any>(in_[i].type, [&]<class T>(T) {
      for (std::size_t k = 0; k < bytes.size() / sizeof(T); ++k) {
        const int whole = static_cast<int>((k * 5 + i) % 11) - 5;
        const T number = std::is_integral_v<T> ? static_cast<T>(whole) : static_cast<T>(static_cast<float>(whole));
        std::memcpy(bytes.data() + k * sizeof(T), &number, sizeof(T));
      }
    });
  }
  for (std::size_t i = 0; i < of.output_count(); ++i) {
    out_.push_back(of.output_desc(i));
    const std::int64_t known = out_[i].bytes();
    outputs_.emplace_back((known < 0 ? std::size_t{4096} : static_cast<std::size_t>(known)) + guard_bytes, guard);
  }
}
request arrays::asking() {
  request asked;
  for (std::size_t i = 0; i < in_.size(); ++i)
    asked.inputs.push_back({inputs_[i].data(), inputs_[i].size(), in_[i].shape});
  for (std::vector<std::byte>& y : outputs_) asked.outputs.push_back({y.data(), y.size() - guard_bytes, {}});
  return asked;
}
std::vector<std::vector<std::byte>> arrays::results(const outcome& how) const {
  std::vector<std::vector<std::byte>> all;
  for (std::size_t i = 0; i < out_.size() && i < how.outputs.size(); ++i) {
    const auto bytes = std::min(outputs_[i].size(), model_io::bytes_of(out_[i], how.outputs[i].shape));
    all.emplace_back(outputs_[i].begin(), outputs_[i].begin() + static_cast<std::ptrdiff_t>(bytes));
  }
  return all;
}
bool arrays::wrote_behind(const outcome& how) const {
  for (std::size_t i = 0; i < out_.size() && i < how.outputs.size(); ++i) {
    const std::size_t bytes = model_io::bytes_of(out_[i], how.outputs[i].shape);
    for (std::size_t k = bytes; k < outputs_[i].size(); ++k)
      if (outputs_[i][k] != guard) return true;
  }
  return false;
}

std::vector<std::vector<std::byte>> expected_of(const model& network, arrays& given) {
  const request asked = given.asking();
  session oracle(compile(network).value());
  std::vector<shape_t> shapes;
  shapes.reserve(asked.inputs.size());
  for (const argument& x : asked.inputs) shapes.push_back(x.shape);
  (void)oracle.resize(shapes).has_value();
  for (std::size_t i = 0; i < asked.inputs.size(); ++i) oracle.read_input_from(i, asked.inputs[i].data);
  std::vector<std::vector<std::byte>> all;
  if (!oracle.run()) return all;
  for (std::size_t i = 0; i < asked.outputs.size(); ++i) {
    const auto bytes = oracle.output_bytes(i);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

bool are_close(const prepared_model& of, const std::vector<std::vector<std::byte>>& got,
               const std::vector<std::vector<std::byte>>& expected) {
  if (got.size() != expected.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].size() != expected[i].size()) return false;
    const tensor_desc& desc = of.output_desc(i);
    const auto step = static_cast<std::size_t>(size_of(desc.type));
    for (std::size_t at = 0; at < got[i].size(); at += step) {
      const double x = real_at(desc.type, got[i].data() + at), y = real_at(desc.type, expected[i].data() + at);
      const double allowed = types::floating.contains(desc.type) ? 1e-4 * std::max(1.0, std::fabs(y))
                             : desc.quantised                    ? 1
                                                                 : 0;
      if (!(std::fabs(x - y) <= allowed)) return false;
    }
  }
  return true;
}

}  // namespace nnrt_hal_test
