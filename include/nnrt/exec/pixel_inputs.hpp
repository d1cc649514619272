// pixel_inputs: gives a network for images inputs of pixel - 128 as i8, with mean and scale in its first layer.
// Flow: calibrate() rewrites float graphs with this; hbDNN's functions and executors then pass unconverted pixels.
#pragma once

#include <nnrt/exec/calibrate.hpp>
#include <nnrt/ops/depthwise_conv2d.hpp>
#include <nnrt/passes/quantised_ends.hpp>
#include <nnrt/policy/saved_input.hpp>

#include <cmath>
#include <span>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// An input for images, q = pixel - 128. A network that was trained with (pixel - mean) * scale reads one of these:
///
///   q * scale                                   if all means are 128 and all scales are equal and supported by the
///                                               accelerator: it is the scale of the quantised values
///   q * scale[c] + (128 - mean[c]) * scale[c]   otherwise, by a layer before the network, which pixel_folding folds
///                                               into a convolution
struct pixel_input {
  bool is_pixels = false;
  bool has_layer = false;
  float scale = 0;  // of the quantised input: q means q * scale
};

/// The kind of an input. With a scale by which nothing can be divided, it remains a float tensor.
[[gnu::cold]] inline pixel_input pixel_input_of(const saved_input& said, scale_kind scales) {
  if (!said.is_image) return {};
  bool is_one_scale = true;
  for (int c = 0; c < static_cast<int>(channels_of(said.seen)); ++c) {
    if (!(math::is_finite(said.by.scale[c]) && math::abs(said.by.scale[c]) >= std::numeric_limits<float>::min()) ||
        !math::is_finite(said.by.mean[c]))
      return {};
    is_one_scale = is_one_scale && said.by.mean[c] == 128 && said.by.scale[c] == said.by.scale[0];
  }
  int exponent = 0;
  const bool can_be =
      said.by.scale[0] > 0 && (scales == scale_kind::real || std::frexp(said.by.scale[0], &exponent) == 0.5F);
  return is_one_scale && can_be ? pixel_input{true, false, said.by.scale[0]} : pixel_input{true, true, 1};
}

/// Inserts the layer, depthwise_conv2d, between input i and its readers; the input is q from now on.
[[gnu::cold]] inline void add_pixel_layer(ir::graph& g, std::size_t i, const normalisation& by,
                                          const operator_info* layer) {
  const std::int32_t x = g.inputs[i];
  const tensor_desc desc = g.at(x).desc;
  const std::int64_t channels = desc.shape[3];
  pool<float> weight, bias;
  for (int c = 0; c < static_cast<int>(channels); ++c) weight.push_back(by.weight(c)), bias.push_back(by.bias(c));
  const std::int32_t q = g.add_value({desc, ir::kind::input, g.at(x).name, 0, ir::none});
  const std::int32_t w = g.add_constant<float>({f32, format::nhwc, {channels, 1, 1, 1}}, weight),
                     b = g.add_constant<float>({f32, {channels}}, bias);
  g.at(x).is = ir::kind::result;
  g.inputs[i] = q;
  pool<word> words;
  pack(ops::depthwise_conv2d::attrs{}, words);
  ir::node n;
  n.op = layer;
  n.label = n.op->label;
  n.attrs = g.add_words(words);
  n.inputs = g.add_operands(pool<std::int32_t>{q, w, b});
  n.outputs = g.add_operands({&x, 1});
  n.name = g.add_text("mean and scale");
  pool<ir::node> nodes{n};
  for (const ir::node& other : g.nodes) nodes.push_back(other);
  g.nodes = nodes;
}

/// Whether every window is within the image.
constexpr bool has_no_padding(const ops::detail::window_pair& at) {
  const auto lies_inside = [](const auto& axis) {
    return axis.pad_before() == 0 && (axis.outputs() - 1) * axis.stride + axis.span() <= axis.input;
  };
  return lies_inside(at.h) && lies_inside(at.w);
}

/// Folds a layer before the network into the convolution that follows it. If windows extend beyond the image, only a
/// scale can be folded, because padding adds zeros after the layer.
class pixel_folding {
 public:
  pixel_folding(constant_folded_graph& floats, pool<char>& on_accelerator)
      : floats_(floats), g_(floats.graph), on_accelerator_(on_accelerator) {}

  [[gnu::cold]] void run(std::size_t input) {
    const passes::use_table use(g_);
    const std::int32_t q = g_.inputs[input];
    const std::size_t first = reader_of(q, use), second = first < g_.nodes.size()
                                                              ? reader_of(g_.outputs_of(g_.nodes[first])[0], use)
                                                              : g_.nodes.size();
    if (second == g_.nodes.size() || !can_fold(g_.nodes[first], g_.nodes[second], use)) return;
    fold(q, g_.nodes[first], g_.nodes[second]);
    g_.nodes[first].removed = true;
    passes::compact(g_);
    pool<char> rest;
    for (std::size_t i = 0; i < on_accelerator_.size(); ++i)
      if (i != first) rest.push_back(on_accelerator_[i]);
    on_accelerator_ = rest;
  }

 private:
  /// The only node that reads a value; the number of nodes if it has several readers.
  std::size_t reader_of(std::int32_t id, const passes::use_table& use) const {
    for (std::size_t i = 0; i < g_.nodes.size() && use.uses_of(id) == 1; ++i)
      for (const std::int32_t in : g_.inputs_of(g_.nodes[i]))
        if (in == id) return i;
    return g_.nodes.size();
  }
  bool can_fold(const ir::node& layer, const ir::node& next, const passes::use_table& use) const {
    if (layer.op->code != ops::depthwise_conv2d::code ||
        g_.attrs_of(layer)[static_cast<std::size_t>(layer.op->fused_word)] != static_cast<word>(activation::none))
      return false;
    if (next.op->code != ops::conv2d::code || on_accelerator_[static_cast<std::size_t>(&next - g_.nodes.data())] == 0)
      return false;
    const array_ref<const std::int32_t> of_layer = g_.inputs_of(layer), in = g_.inputs_of(next);
    const auto attrs = unpack<ops::conv2d::attrs>(g_.attrs_of(next));
    if (in[0] != g_.outputs_of(layer)[0] || attrs.group != 1 || use.uses_of(in[1]) != 1 ||
        g_.at(in[1]).is != ir::kind::weight)
      return false;
    if (in.size() > 2 && in[2] != ir::none && (use.uses_of(in[2]) != 1 || g_.at(in[2]).is != ir::kind::weight))
      return false;
    if (has_no_padding(ops::conv2d::windows(attrs, g_.at(in[0]).desc.shape, g_.at(in[1]).desc.shape))) return true;
    for (const float offset : numbers(of_layer[2]))
      if (offset != 0) return false;
    return true;
  }
  void fold(std::int32_t q, const ir::node& layer, ir::node& next) {
    const std::span<const float> factors = numbers(g_.inputs_of(layer)[1]), offsets = numbers(g_.inputs_of(layer)[2]);
    const std::int32_t weight = g_.inputs_of(next)[1];
    const auto filters = static_cast<std::size_t>(g_.at(weight).desc.shape[0]);
    std::vector<double> sums(filters);
    const std::span<float> w = numbers(weight);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const std::size_t c = i % factors.size();
      sums[i / (w.size() / filters)] += double{w[i]} * double{offsets[c]};
      w[i] *= factors[c];
    }
    const std::int32_t bias = bias_of(next, static_cast<std::int64_t>(filters));
    for (std::size_t o = 0; o < filters; ++o) numbers(bias)[o] = static_cast<float>(double{numbers(bias)[o]} + sums[o]);
    next.inputs = g_.add_operands(pool<std::int32_t>{q, weight, bias});
  }
  /// The bias of a convolution; a new one of zeros if it has none.
  std::int32_t bias_of(const ir::node& n, std::int64_t filters) {
    if (g_.inputs_of(n).size() > 2 && g_.inputs_of(n)[2] != ir::none) return g_.inputs_of(n)[2];
    const std::int32_t made =
        g_.add_value({tensor_desc{f32, {filters}}, ir::kind::weight,
                      g_.add_text(joined({g_.name_of(g_.at(g_.inputs_of(n)[1]).name), ".offset"})), 0, ir::none});
    floats_.bytes.emplace_back(static_cast<std::size_t>(filters) * sizeof(float));
    return made;
  }
  std::span<float> numbers(std::int32_t id) {
    std::vector<std::byte>& bytes = floats_.bytes[static_cast<std::size_t>(id)];
    return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
  }
  std::span<const float> numbers(std::int32_t id) const {
    const std::vector<std::byte>& bytes = floats_.bytes[static_cast<std::size_t>(id)];
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
  }

  constant_folded_graph& floats_;
  ir::graph& g_;
  pool<char>& on_accelerator_;
};

/// The inputs of a network for images: converts samples to q, and the graph from float to pixel inputs. It has the
/// interface of tensor_inputs, which calibrate() uses.
class pixel_inputs {
 public:
  /// `seen`: samples as the float network reads them. `given`: the description of each input, or empty. `layer`:
  /// depthwise_conv2d.
  pixel_inputs(const sample_source& seen, std::span<const saved_input> given, const operator_info* layer)
      : seen_(seen), given_(given.begin(), given.end()), layer_(layer) {}

  /// Checks the descriptions and adds layers. Error: invalid_argument.
  [[gnu::cold]] result<void> add_layers(ir::graph& g, scale_kind scales) {
    for (std::size_t i = 0; i < given_.size(); ++i) {
      if (i == g.inputs.size())
        return fail(error_code::invalid_argument,
                    {"got descriptions of ", given_.size(), " inputs, expected ", g.inputs.size()});
      if (auto ok = check_input(given_[i], g, i); !ok) return ok;
      inputs_.push_back(pixel_input_of(given_[i], scales));
      scales_.push_back(inputs_[i].scale);
      if (inputs_[i].has_layer) add_pixel_layer(g, i, given_[i].by, layer_);
    }
    return {};
  }
  /// Folds the layers into the convolutions that follow them, where possible.
  [[gnu::cold]] void fold_layers(constant_folded_graph& floats, pool<char>& on_accelerator) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].has_layer) pixel_folding(floats, on_accelerator).run(i);
  }
  /// Makes the quantised graph's inputs pixels, and returns the descriptions of its inputs.
  [[gnu::cold]] std::vector<saved_input> end_with_pixels(ir::graph& quantised) const {
    std::vector<saved_input> said = given_;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const bool is_quantised = inputs_[i].is_pixels && passes::take_off_conversion(quantised, i, i8);
      if (!is_quantised && inputs_[i].has_layer) said[i].by = {{128, 128, 128}, {1, 1, 1}};  // float, but of q
    }
    return said;
  }

  sample_source source() const { return {this, seen_.count, &put}; }
  array_ref<const float> scales() const { return scales_; }

 private:
  /// Converts a sample to q, rounded to the nearest pixel.
  static result<void> put(const void* me, std::size_t sample, session& into) {
    const auto& all = *static_cast<const pixel_inputs*>(me);
    if (auto ok = all.seen_.put(all.seen_.samples, sample, into); !ok) return ok;
    for (std::size_t i = 0; i < all.inputs_.size(); ++i) {
      if (!all.inputs_[i].has_layer) continue;
      const normalisation& by = all.given_[i].by;
      const auto channels = static_cast<std::size_t>(channels_of(all.given_[i].seen));
      const std::span<float> x = into.input<float>(i);
      for (std::size_t e = 0; e < x.size(); ++e) {
        x[e] =
            static_cast<float>(math::convert<std::int8_t>(math::round_half_even(by.number(x[e], e % channels) - 128)));
      }
    }
    return {};
  }

  sample_source seen_;
  std::vector<saved_input> given_;
  const operator_info* layer_;
  std::vector<pixel_input> inputs_;
  std::vector<float> scales_;
};

}}}  // namespace nnrt::NNRT_ISA::detail
