// describe: see describe.hpp.
// Flow: description.hpp says what the fields mean; the operators' headers say what attributes mean.
#include "support/describe.hpp"

#include <nnrt/dynamic.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace bench {
namespace {

using namespace nnrt;

element element_of(dtype type) {
  for (const auto& [from, to] :
       {std::pair(f32, element::f32), std::pair(i8, element::i8), std::pair(i32, element::i32)})
    if (from == type) return to;
  throw cannot_run("descriptions have no " + std::string(name_of(type)));
}

bool is_listed(const tensor_desc& desc) { return desc.type != dtype::i64 && desc.type != dtype::boolean; }

described_tensor tensor_of(const detail::evaluation& values, std::int32_t id, bool known) {
  const ir::value& from = values.g.at(id);
  described_tensor made;
  made.shape.assign(from.desc.shape.begin(), from.desc.shape.end());
  if (!is_listed(from.desc)) return made;  // axes, shapes: attributes here
  made.type = element_of(from.desc.type);
  if (from.desc.quantised.mode == quantisation::kind::per_tensor) made.scales = {from.desc.quantised.scale};
  if (from.desc.quantised.mode == quantisation::kind::per_channel) {
    const auto scales = values.buffers[static_cast<std::size_t>(from.scales)].as<float>();
    made.scales.assign(scales.begin(), scales.end());
  }
  made.zero_point = from.desc.quantised.zero_point;
  if (known) made.data = static_cast<const std::byte*>(values.view_of(id).data.raw());
  return made;
}

fused fused_of(activation a) {
  return a == activation::relu ? fused::relu : a == activation::relu6 ? fused::relu6 : fused::none;
}

void set_windows(described_layer& to, const ops::detail::window_pair& at) {
  const auto after = [](const window& w) {
    return std::max<std::int64_t>(0, (w.outputs() - 1) * w.stride + w.span() - w.input - w.pad_before());
  };
  to.kernel = {at.h.kernel, at.w.kernel};
  to.stride = {at.h.stride, at.w.stride};
  to.dilation = {at.h.dilation, at.w.dilation};
  to.top = at.h.pad_before(), to.bottom = after(at.h);
  to.left = at.w.pad_before(), to.right = after(at.w);
}

/// What is on both sides of the result of a transposed convolution and left out.
void set_transposed_windows(described_layer& to, const ops::conv2d_transpose::attrs& a, const tensor_desc& x,
                            const tensor_desc& w, const tensor_desc& y) {
  to.kernel = {w.shape[1], w.shape[2]};
  to.stride = {a.stride.h, a.stride.w};
  to.dilation = {a.dilation.h, a.dilation.w};
  if (a.pad.mode != pad_mode::explicit_pads || a.output_paddings.h != 0 || a.output_paddings.w != 0 ||
      (x.shape[1] - 1) * a.stride.h + w.shape[1] - a.pad.top - a.pad.bottom != y.shape[1])
    throw cannot_run("descriptions have transposed convolutions with explicit pads alone");
  to.top = a.pad.top, to.bottom = a.pad.bottom, to.left = a.pad.left, to.right = a.pad.right;
}

std::vector<std::int64_t> integers_of(const ir::graph& g, std::int32_t id) {
  pool<std::int64_t> list;
  append_integers(g, g.at(id), list);
  return {list.begin(), list.end()};
}

struct layer_reader {
  const detail::evaluation& values;
  const ir::node& n;
  described_layer made;

  const ir::graph& g() const { return values.g; }
  const tensor_desc& input(std::size_t i) const { return g().at(g().inputs_of(n)[i]).desc; }
  const tensor_desc& output() const { return g().at(g().outputs_of(n)[0]).desc; }
  bool is(std::string_view name) const { return n.op->name == name; }
  template <class Op> typename Op::attrs attributes() const { return unpack<typename Op::attrs>(g().attrs_of(n)); }

  void keep_inputs(std::size_t count) {
    const auto ids = g().inputs_of(n);
    made.inputs.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size())));
  }

  template <class Op> void read_convolution(operation what) {
    const auto a = attributes<Op>();
    made.what = what;
    made.activation = fused_of(a.fused);
    if constexpr (requires { a.group; }) made.group = a.group;
    if constexpr (std::is_same_v<Op, ops::conv2d_transpose>)
      set_transposed_windows(made, a, input(0), input(1), output());
    else set_windows(made, Op::windows(a, input(0).shape, input(1).shape));
  }
  template <class Op> void read_pool(operation what) {
    const auto a = attributes<Op>();
    made.what = what;
    made.activation = fused_of(a.fused);
    if constexpr (requires { a.count_include_pad; })
      if (a.count_include_pad) throw cannot_run("descriptions have means that leave padding out alone");
    set_windows(made, ops::detail::windows_of(a, input(0).shape));
  }
  template <class Op> void read_binary(operation what) {
    made.what = what;
    made.activation = fused_of(attributes<Op>().fused);
  }
  void read_product() {
    const auto a = attributes<ops::matmul>();
    if (a.transpose_a || input(0).rank() != 2)
      throw cannot_run("descriptions have products of two plain matrices alone");
    made.what = operation::product;
    made.is_transposed = a.transpose_b;
    made.activation = fused_of(a.fused);
  }
  void read_mean() {
    made.what = operation::mean;
    made.axes = integers_of(g(), g().inputs_of(n)[1]);
    for (std::int64_t& axis : made.axes) axis = axis < 0 ? axis + input(0).rank() : axis;
    keep_inputs(1);
  }
  void read_softmax() {
    const auto axes = attributes<ops::softmax>().axis;
    const int last = input(0).rank() - 1;
    if (axes.size() > 1 || (axes.size() == 1 && axes[0] != -1 && axes[0] != last))
      throw cannot_run("descriptions have softmax over the last axis alone");
    made.what = operation::softmax;
  }

  described_layer read() {
    keep_inputs(100);
    made.output = g().outputs_of(n)[0];
    if (is("conv2d")) read_convolution<ops::conv2d>(operation::convolution);
    else if (is("depthwise_conv2d")) read_convolution<ops::depthwise_conv2d>(operation::depthwise);
    else if (is("conv2d_transpose")) read_convolution<ops::conv2d_transpose>(operation::transposed_convolution);
    else if (is("full_connection")) read_binary<ops::full_connection>(operation::dense);
    else if (is("matmul")) read_product();
    else if (is("max_pool")) read_pool<ops::max_pool>(operation::max_pool);
    else if (is("avg_pool")) read_pool<ops::avg_pool>(operation::mean_pool);
    else if (is("reduce_mean")) read_mean();
    else if (is("add")) read_binary<ops::add>(operation::add);
    else if (is("sub")) read_binary<ops::sub>(operation::subtract);
    else if (is("mul")) read_binary<ops::mul>(operation::multiply);
    else if (is("softmax")) read_softmax();
    else if (is("relu")) made.what = operation::relu;
    else if (is("relu6")) made.what = operation::relu6;
    else if (is("tanh")) made.what = operation::tanh;
    else if (is("sigmoid")) made.what = operation::sigmoid;
    else if (is("reshape")) made.what = operation::reshape, keep_inputs(1);
    else if (is("transpose"))
      made.what = operation::transpose, made.axes = integers_of(g(), made.inputs[1]), keep_inputs(1);
    else if (is("concat"))
      made.what = operation::concat, made.axes = {normalise_axis(attributes<ops::concat>().axis, output().rank())};
    else throw cannot_run("descriptions have no " + std::string(n.op->name));
    return made;
  }
};

// --- quantisation -------------------------------------------------------------

struct interval {
  float low = 0, high = 0;
};

interval interval_of(array_ref<const float> numbers) {
  interval all;  // has to hold 0: padding is made of it
  for (const float number : numbers) all = {std::min(all.low, number), std::max(all.high, number)};
  return all;
}

quantisation steps_over(interval range) {
  const float scale = std::max(range.high - range.low, 1e-6F) / 255;
  return quant{scale, static_cast<std::int32_t>(std::clamp(std::lround(-128 - range.low / scale), -128L, 127L))};
}

class quantiser {
 public:
  explicit quantiser(const detail::evaluation& of)
      : from_(of), known_(passes::known_values(of.g)), made_of_(of.g.values.size(), ir::none) {
    ranges_.resize(from_.g.values.size());
    for (std::size_t id = 0; id < from_.g.values.size(); ++id)
      if (from_.g.values[id].desc.type == f32) ranges_[id] = interval_of(from_.buffers[id].as<float>());
    // What is joined has the scale of the whole: then joining is no arithmetic.
    for (const ir::node& n : from_.g.nodes)
      if (n.op->name == "concat")
        for (const std::int32_t id : from_.g.inputs_of(n))
          ranges_[index(id)] = ranges_[index(from_.g.outputs_of(n)[0])];
  }

  model run() {
    for (const std::int32_t id : from_.g.inputs)
      made_of_[index(id)] =
          value(to_.input(from_.g.name_of(from_.g.at(id).name), stored(id, steps_over(ranges_[index(id)]))));
    for (const ir::node& n : from_.g.nodes)
      if (!known_[index(from_.g.outputs_of(n)[0])]) add(n);
    for (const ir::output& out : from_.g.outputs) {
      auto done = to_.output(from_.g.name_of(out.name), made_of_[index(out.value)]);
      if (!done) throw cannot_run(done.error().message());
    }
    return to_.finish();
  }

 private:
  static std::size_t index(std::int32_t id) { return static_cast<std::size_t>(id); }
  template <class T> static T value(result<T> made) {
    if (!made) throw cannot_run("quantising: " + made.error().message());
    return std::move(*made);
  }
  tensor_desc stored(std::int32_t id, quantisation q) const {
    const tensor_desc& desc = from_.g.at(id).desc;
    return {i8, desc.layout, desc.shape, q};
  }
  array_ref<const float> numbers(std::int32_t id) const { return from_.buffers[index(id)].as<float>(); }

  /// The weight of a layer with a scale for each output channel, and the scales.
  std::int32_t add_weight(std::int32_t id, std::vector<float>& scales) {
    const auto all = numbers(id);
    const std::int64_t channels = from_.g.at(id).desc.shape[0];
    const std::size_t each = all.size() / static_cast<std::size_t>(channels);
    std::vector<std::int8_t> bytes(all.size());
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
      const interval range = interval_of(all.subspan(c * each, each));
      scales.push_back(std::max({range.high, -range.low, 1e-6F}) / 127);
      for (std::size_t i = c * each; i < (c + 1) * each; ++i)
        bytes[i] = static_cast<std::int8_t>(std::lround(all[i] / scales.back()));
    }
    const std::int32_t made = value(to_.constant<std::int8_t>(stored(id, per_channel<0>), bytes));
    to_.set_scales(made, value(to_.constant<float>(tensor_desc{f32, {channels}}, scales)));
    return made;
  }
  std::int32_t add_bias(std::int32_t id, float input_scale, const std::vector<float>& scales) {
    const auto all = numbers(id);
    std::vector<std::int32_t> sums(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      sums[i] = static_cast<std::int32_t>(
          std::lround(static_cast<double>(all[i]) / (static_cast<double>(input_scale) * scales[i])));
    return value(to_.constant<std::int32_t>(tensor_desc{i32, from_.g.at(id).desc.shape}, sums));
  }
  /// A weight or constant that is no layer's: integers unchanged, other values with one scale.
  std::int32_t add_constant(std::int32_t id) {
    const tensor_desc& desc = from_.g.at(id).desc;
    if (desc.type == f32) {
      const quantisation q = steps_over(ranges_[index(id)]);
      const auto all = numbers(id);
      std::vector<std::int8_t> bytes(all.size());
      for (std::size_t i = 0; i < all.size(); ++i)
        bytes[i] = static_cast<std::int8_t>(std::clamp(std::lround(all[i] / q.scale) + q.zero_point, -128L, 127L));
      return value(to_.constant<std::int8_t>(stored(id, q), bytes));
    }
    return with_constant(id, desc);
  }
  std::int32_t with_constant(std::int32_t id, const tensor_desc& desc) {
    std::int32_t made = ir::none;
    with_element<types::index>(desc.type, [&]<class T>(T) {
      const auto all = from_.buffers[index(id)].as<T>();
      made = value(to_.constant<T>(desc, array_ref<const T>(all.data(), all.size())));
    });
    return made;
  }

  quantisation quantisation_of_result(const ir::node& n) const {
    const std::int32_t x = from_.g.inputs_of(n)[0], y = from_.g.outputs_of(n)[0];
    if (n.op->traits.quantised == quantised_values::kept) return to_.desc(made_of_[index(x)]).quantised;
    if (n.op->name == "softmax" || n.op->name == "sigmoid") return quant{1.0F / 256, -128};
    if (n.op->name == "tanh") return quant{1.0F / 128, 0};
    return steps_over(ranges_[index(y)]);
  }

  void add(const ir::node& n) {
    const auto inputs = from_.g.inputs_of(n);
    const bool is_layer = n.op->traits.weights != weights_role::none;
    std::vector<std::int32_t> ids;
    std::vector<float> scales;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::int32_t id = inputs[i];
      if (id == ir::none) ids.push_back(ir::none);
      else if (!known_[index(id)]) ids.push_back(made_of_[index(id)]);
      else if (is_layer && i == 1) ids.push_back(add_weight(id, scales));
      else if (is_layer && i == 2) ids.push_back(add_bias(id, to_.desc(ids[0]).quantised.scale, scales));
      else ids.push_back(add_constant(id));
    }
    const std::int32_t y = from_.g.outputs_of(n)[0];
    const tensor_desc wanted = stored(y, quantisation_of_result(n));
    const auto made = value(to_.apply(*ops::find(n.op->code), from_.g.attrs_of(n), ids,
                                      array_ref<const tensor_desc>(&wanted, 1), from_.g.name_of(n.name)));
    made_of_[index(y)] = made[0];
  }

  const detail::evaluation& from_;
  pool<char> known_;
  std::vector<std::int32_t> made_of_;  // by value of the graph of floats
  std::vector<interval> ranges_;
  model_builder to_;
};

}  // namespace

description describe(const nnrt::detail::evaluation& values, const std::string& name) {
  const ir::graph& g = values.g;
  const pool<char> known = passes::known_values(g);
  description made;
  made.name = name;
  for (std::size_t id = 0; id < g.values.size(); ++id)
    made.tensors.push_back(tensor_of(values, static_cast<std::int32_t>(id), known[id] != 0));
  for (const ir::node& n : g.nodes)
    if (!known[static_cast<std::size_t>(g.outputs_of(n)[0])]) made.layers.push_back(layer_reader{values, n, {}}.read());
  made.inputs.assign(g.inputs.begin(), g.inputs.end());
  for (const ir::output& out : g.outputs) made.outputs.push_back(out.value);
  return made;
}

nnrt::model quantise(const nnrt::detail::evaluation& values) { return quantiser(values).run(); }

}  // namespace bench
