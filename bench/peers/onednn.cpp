// onednn: networks as oneDNN's primitives chained by hand - layouts of floats left to the library, int8 with channels
// last. Flow: bench/peers.cmake builds it where version 3 is; the description's order of images is oneDNN's nhwc.
#include "peers/onnx_model.hpp"
#include "support/runner.hpp"

#include <oneapi/dnnl/dnnl.hpp>

#include <omp.h>

#include <unordered_map>

namespace {

using namespace bench;
using dims = dnnl::memory::dims;
using tag = dnnl::memory::format_tag;
using type = dnnl::memory::data_type;
using arguments = std::unordered_map<int, dnnl::memory>;

constexpr auto inference = dnnl::prop_kind::forward_inference;

type type_of(element e) { return e == element::f32 ? type::f32 : e == element::i8 ? type::s8 : type::s32; }

class chain {
 public:
  explicit chain(const description& network)
      : network_(network),
        images_(onnx::images_of(network)),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_),
        quantised_(network.has_quantised_values()) {
    for (const int id : network.inputs) memory_[id] = dnnl::memory(plain(id), engine_);
    for (const described_layer& l : network.layers) add(l);
    for (const int id : network.outputs) outputs_.push_back(as(id, plain(id)));
    for (const int id : network.inputs) inputs_.push_back(memory_.at(id));
  }
  void run() {
    for (const step& s : steps_) s.what.execute(stream_, s.with);
    stream_.wait();
  }
  dnnl::memory& input(std::size_t i) { return inputs_[i]; }
  dnnl::memory& output(std::size_t i) { return outputs_[i]; }

 private:
  struct step {
    dnnl::primitive what;
    arguments with;
  };

  const described_tensor& of(int id) const { return network_.of(id); }
  bool is_image(int id) const { return images_.count(id) != 0; }
  /// Extents as oneDNN has them, channels second.
  dims extents(int id) const {
    const auto& s = of(id).shape;
    return is_image(id) ? dims{s[0], s[3], s[1], s[2]} : dims(s.begin(), s.end());
  }
  static dims strides_of(const dims& extents) {
    dims strides(extents.size(), 1);
    for (std::size_t i = extents.size(); i-- > 1;) strides[i - 1] = strides[i] * extents[i];
    return strides;
  }
  dnnl::memory::desc plain(int id, type as_type = type::undef) const {
    const type t = as_type == type::undef ? type_of(of(id).type) : as_type;
    if (is_image(id)) return {extents(id), t, tag::nhwc};
    return {extents(id), t, strides_of(extents(id))};
  }
  /// What a primitive is asked for: any layout of floats, channels last for bytes.
  dnnl::memory::desc wished(int id) const {
    if (quantised_) return plain(id);
    return {extents(id), type::f32, tag::any};
  }

  // --- memory ---
  void execute(dnnl::primitive what, arguments with) { steps_.push_back({std::move(what), std::move(with)}); }
  dnnl::memory current(int id) {
    const auto found = memory_.find(id);
    if (found != memory_.end()) return found->second;
    if (of(id).data == nullptr) throw cannot_run("oneDNN: an operand is not there yet");
    return memory_[id] = constant(plain(id), of(id).data);
  }
  dnnl::memory constant(const dnnl::memory::desc& desc, const void* from) {
    dnnl::memory made(desc, engine_);
    std::memcpy(made.get_data_handle(), from, desc.get_size());
    return made;
  }
  dnnl::memory as(int id, const dnnl::memory::desc& desc) {
    dnnl::memory have = current(id);
    if (have.get_desc() == desc) return have;
    dnnl::memory made(desc, engine_);
    execute(dnnl::reorder(have, made), {{DNNL_ARG_FROM, have}, {DNNL_ARG_TO, made}});
    return made;
  }
  /// A weight given in a plain layout, brought to the layout that a primitive chose, now and once.
  dnnl::memory prepared(const dnnl::memory::desc& given, const void* from, const dnnl::memory::desc& wanted) {
    dnnl::memory have = constant(given, from);
    if (given == wanted) return have;
    dnnl::memory made(wanted, engine_);
    dnnl::reorder(have, made).execute(stream_, have, made);
    stream_.wait();
    return made;
  }
  dnnl::memory list(const std::vector<float>& values) {
    return constant({{static_cast<std::int64_t>(values.size())}, type::f32, tag::a}, values.data());
  }
  dnnl::memory number(std::int32_t value) { return constant({{1}, type::s32, tag::a}, &value); }

  // --- attributes ---
  static void append(dnnl::post_ops& ops, fused f) {
    if (f == fused::relu) ops.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
    if (f == fused::relu6) ops.append_eltwise(dnnl::algorithm::eltwise_clip, 0, 6);
  }
  static dnnl::primitive_attr attributes_of(fused f) {
    dnnl::primitive_attr a;
    dnnl::post_ops ops;
    append(ops, f);
    a.set_post_ops(ops);
    return a;
  }
  /// Scales and zero points of a layer with weights; a scale for each index of the weight's axes in `mask`.
  void scale_layer(const described_layer& l, int mask, dnnl::primitive_attr& a, arguments& with) {
    if (!quantised_) return;
    const described_tensor &x = of(l.inputs[0]), &w = of(l.inputs[1]), &y = of(l.output);
    a.set_scales_mask(DNNL_ARG_SRC, 0), with[DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC] = list({x.scales.at(0)});
    a.set_scales_mask(DNNL_ARG_WEIGHTS, w.scales.size() > 1 ? mask : 0),
        with[DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS] = list(w.scales);
    a.set_scales_mask(DNNL_ARG_DST, 0), with[DNNL_ARG_ATTR_SCALES | DNNL_ARG_DST] = list({y.scales.at(0)});
    if (x.zero_point != 0)
      a.set_zero_points_mask(DNNL_ARG_SRC, 0), with[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = number(x.zero_point);
    if (y.zero_point != 0)
      a.set_zero_points_mask(DNNL_ARG_DST, 0), with[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_DST] = number(y.zero_point);
  }
  /// A bias is of real numbers, whatever the weights are.
  bool has_bias(const described_layer& l) const { return l.inputs.size() > 2 && l.inputs[2] >= 0; }
  dnnl::memory bias(const described_layer& l, const dims& shape) {
    const described_tensor &b = of(l.inputs[2]), &x = of(l.inputs[0]), &w = of(l.inputs[1]);
    std::vector<float> real(static_cast<std::size_t>(b.elements()));
    for (std::size_t i = 0; i < real.size(); ++i)
      real[i] = b.type == element::f32 ? b.as<float>()[i]
                                       : static_cast<float>(static_cast<double>(b.as<std::int32_t>()[i]) *
                                                            x.scales.at(0) * w.scales[w.scales.size() > 1 ? i : 0]);
    return constant({shape, type::f32, strides_of(shape)}, real.data());
  }

  // --- layers ---
  /// Whatever bytes have no primitive for: x as floats and y from floats.
  dnnl::memory as_reals(int id) {
    if (!quantised_) return as(id, plain(id));
    return converted(as(id, plain(id)), {plain(id, type::f32)}, of(id), DNNL_ARG_SRC, DNNL_ARG_FROM);
  }
  void from_reals(int id, dnnl::memory reals) {
    memory_[id] = quantised_ ? converted(reals, plain(id), of(id), DNNL_ARG_DST, DNNL_ARG_TO) : reals;
  }
  dnnl::memory converted(dnnl::memory from, const dnnl::memory::desc& to, const described_tensor& scaled,
                         int scaled_operand, int) {
    dnnl::primitive_attr a;
    a.set_scales_mask(scaled_operand, 0);
    arguments with{{DNNL_ARG_ATTR_SCALES | scaled_operand, list({scaled.scales.at(0)})}};
    if (scaled.zero_point != 0)
      a.set_zero_points_mask(scaled_operand, 0),
          with[DNNL_ARG_ATTR_ZERO_POINTS | scaled_operand] = number(scaled.zero_point);
    dnnl::memory made(to, engine_);
    with[DNNL_ARG_FROM] = from, with[DNNL_ARG_TO] = made;
    execute(dnnl::reorder(dnnl::reorder::primitive_desc(engine_, from.get_desc(), engine_, to, a)), with);
    return made;
  }

  template <class Primitive> void add_convolution_of(const described_layer& l) {
    const described_tensor& w = of(l.inputs[1]);
    const std::int64_t out = w.shape[0], kh = w.shape[1], kw = w.shape[2], in = w.shape[3];
    const std::int64_t groups = l.what == operation::depthwise ? out : l.group;
    constexpr bool is_transposed = std::is_same_v<Primitive, dnnl::deconvolution_forward>;
    // Weights are [O, h, w, I]; groups are the outermost part of O.
    const dims shape = groups > 1 ? dims{groups, out / groups, in, kh, kw} : dims{out, in, kh, kw};
    const dims strides = groups > 1 ? dims{out / groups * kh * kw * in, kh * kw * in, 1, kw * in, in}
                                    : dims{kh * kw * in, 1, kw * in, in};
    const dnnl::memory::desc given(shape, type_of(w.type), strides), any(shape, type_of(w.type), tag::any),
        bias_desc({out}, type::f32, tag::a);
    arguments with;
    dnnl::primitive_attr a = attributes_of(l.activation);
    scale_layer(l, groups > 1 ? 3 : 1, a, with);
    const dims stride{l.stride.h, l.stride.w}, dilation{l.dilation.h - 1, l.dilation.w - 1}, before{l.top, l.left},
        after{l.bottom, l.right};
    const auto algorithm = is_transposed ? dnnl::algorithm::deconvolution_direct : dnnl::algorithm::convolution_auto;
    const auto chosen =
        has_bias(l)
            ? typename Primitive::primitive_desc(engine_, inference, algorithm, wished(l.inputs[0]), any, bias_desc,
                                                 wished(l.output), stride, dilation, before, after, a)
            : typename Primitive::primitive_desc(engine_, inference, algorithm, wished(l.inputs[0]), any,
                                                 wished(l.output), stride, dilation, before, after, a);
    finish(l, chosen, Primitive(chosen), prepared(given, w.data, chosen.weights_desc()), with);
  }
  template <class Chosen>
  void finish(const described_layer& l, const Chosen& chosen, dnnl::primitive what, dnnl::memory weights,
              arguments with) {
    with[DNNL_ARG_SRC] = as(l.inputs[0], chosen.src_desc());
    with[DNNL_ARG_WEIGHTS] = weights;
    if (has_bias(l)) with[DNNL_ARG_BIAS] = bias(l, {of(l.inputs[1]).shape[0]});
    with[DNNL_ARG_DST] = memory_[l.output] = dnnl::memory(chosen.dst_desc(), engine_);
    execute(std::move(what), std::move(with));
  }

  /// Dense layers and products, as a product of matrices: only that has zero points. A known matrix is packed once,
  /// another one in the order that it has.
  void add_dense(const described_layer& l) {
    const described_tensor &w = of(l.inputs[1]), &x = of(l.inputs[0]);
    const bool is_known = w.data != nullptr;
    const bool turns = l.what == operation::dense || l.is_transposed;
    const std::int64_t inner = w.shape[turns ? 1 : 0], columns = w.shape[turns ? 0 : 1], rows = x.elements() / inner;
    const dnnl::memory::desc a_desc({rows, inner}, type_of(x.type), dims{inner, 1}),
        c_desc({rows, columns}, type_of(of(l.output).type), dims{columns, 1});
    const dnnl::memory::desc given({inner, columns}, type_of(w.type), turns ? dims{1, inner} : dims{columns, 1}),
        wanted = is_known ? dnnl::memory::desc({inner, columns}, type_of(w.type), tag::any) : given;
    const dnnl::memory::desc bias_desc({1, columns}, type::f32, dims{columns, 1});
    arguments with;
    dnnl::primitive_attr a = attributes_of(l.activation);
    scale_layer(l, 2, a, with);
    const auto chosen = has_bias(l) ? dnnl::matmul::primitive_desc(engine_, a_desc, wanted, bias_desc, c_desc, a)
                                    : dnnl::matmul::primitive_desc(engine_, a_desc, wanted, c_desc, a);
    dnnl::memory from = as(l.inputs[0], plain(l.inputs[0]));
    with[DNNL_ARG_SRC] = dnnl::memory(a_desc, engine_, from.get_data_handle());
    kept_.push_back(from);
    if (is_known) with[DNNL_ARG_WEIGHTS] = prepared(given, w.data, chosen.weights_desc());
    else
      kept_.push_back(as(l.inputs[1], plain(l.inputs[1]))),
          with[DNNL_ARG_WEIGHTS] = dnnl::memory(given, engine_, kept_.back().get_data_handle());
    if (has_bias(l)) with[DNNL_ARG_BIAS] = bias(l, {1, columns});
    dnnl::memory to(plain(l.output), engine_);
    memory_[l.output] = to;
    with[DNNL_ARG_DST] = dnnl::memory(c_desc, engine_, to.get_data_handle());
    execute(dnnl::matmul(chosen), std::move(with));
  }

  void add_pool(const described_layer& l) {
    const auto algorithm =
        l.what == operation::max_pool ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
    dnnl::memory from = current(l.inputs[0]);
    const dims kernel{l.kernel.h, l.kernel.w}, stride{l.stride.h, l.stride.w}, none{0, 0}, before{l.top, l.left},
        after{l.bottom, l.right};
    const dnnl::pooling_forward::primitive_desc chosen(engine_, inference, algorithm, from.get_desc(), wished(l.output),
                                                       stride, kernel, none, before, after);
    memory_[l.output] = dnnl::memory(chosen.dst_desc(), engine_);
    execute(dnnl::pooling_forward(chosen), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, memory_[l.output]}});
  }
  /// The mean over an image's pixels.
  void add_mean(const described_layer& l) {
    if (l.axes != std::vector<std::int64_t>{1, 2} || !is_image(l.inputs[0]))
      throw cannot_run("oneDNN: only means over pixels are written here");
    dnnl::memory from = quantised_ ? as_reals(l.inputs[0]) : current(l.inputs[0]);
    const dims x = extents(l.inputs[0]), kernel{x[2], x[3]}, none{0, 0};
    const dnnl::memory::desc mean({x[0], x[1], 1, 1}, type::f32, tag::nhwc);
    const dnnl::pooling_forward::primitive_desc chosen(engine_, inference, dnnl::algorithm::pooling_avg_exclude_padding,
                                                       from.get_desc(), mean, dims{1, 1}, kernel, none, none, none);
    dnnl::memory to(mean, engine_);
    execute(dnnl::pooling_forward(chosen), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    kept_.push_back(to);
    from_reals(l.output, dnnl::memory(plain(l.output, type::f32), engine_, to.get_data_handle()));
  }

  void add_binary(const described_layer& l) {
    const auto algorithm = l.what == operation::add        ? dnnl::algorithm::binary_add
                           : l.what == operation::subtract ? dnnl::algorithm::binary_sub
                                                           : dnnl::algorithm::binary_mul;
    if (quantised_) return add_bytes(l, algorithm);
    dnnl::memory a = current(l.inputs[0]), b = current(l.inputs[1]);
    if (a.get_desc().get_dims() == b.get_desc().get_dims()) b = as(l.inputs[1], a.get_desc());
    const dnnl::binary::primitive_desc chosen(engine_, algorithm, a.get_desc(), b.get_desc(), wished(l.output),
                                              attributes_of(l.activation));
    memory_[l.output] = dnnl::memory(chosen.dst_desc(), engine_);
    execute(dnnl::binary(chosen), {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, memory_[l.output]}});
  }
  /// Binary primitives know scales and no zero points; what these add comes last, with the result's scale.
  void add_bytes(const described_layer& l, dnnl::algorithm algorithm) {
    if (l.what == operation::multiply) throw cannot_run("oneDNN: products of quantised values are not written here");
    const described_tensor &a = of(l.inputs[0]), &b = of(l.inputs[1]), &y = of(l.output);
    const float sa = a.scales.at(0), sb = b.scales.at(0), sy = y.scales.at(0),
                sign = l.what == operation::add ? 1.0F : -1.0F;
    dnnl::primitive_attr attributes;
    attributes.set_scales_mask(DNNL_ARG_SRC_0, 0), attributes.set_scales_mask(DNNL_ARG_SRC_1, 0);
    dnnl::post_ops ops;
    const float zeros = static_cast<float>(a.zero_point) * sa + sign * static_cast<float>(b.zero_point) * sb,
                zero_of_y = static_cast<float>(y.zero_point);
    ops.append_eltwise(dnnl::algorithm::eltwise_linear, 1 / sy, zero_of_y - zeros / sy);
    if (l.activation != fused::none)
      ops.append_eltwise(dnnl::algorithm::eltwise_clip, zero_of_y,
                         l.activation == fused::relu ? 127.0F : zero_of_y + 6 / sy);
    attributes.set_post_ops(ops);
    dnnl::memory x0 = as(l.inputs[0], plain(l.inputs[0])), x1 = as(l.inputs[1], plain(l.inputs[1]));
    const dnnl::binary::primitive_desc chosen(engine_, algorithm, x0.get_desc(), x1.get_desc(), plain(l.output),
                                              attributes);
    memory_[l.output] = dnnl::memory(plain(l.output), engine_);
    execute(dnnl::binary(chosen), {{DNNL_ARG_SRC_0, x0},
                                   {DNNL_ARG_SRC_1, x1},
                                   {DNNL_ARG_DST, memory_[l.output]},
                                   {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC_0, list({sa})},
                                   {DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC_1, list({sb})}});
  }

  void add_softmax(const described_layer& l) {
    dnnl::memory from = as_reals(l.inputs[0]), to(plain(l.output, type::f32), engine_);
    const dnnl::softmax_forward::primitive_desc chosen(engine_, inference, dnnl::algorithm::softmax_accurate,
                                                       from.get_desc(), to.get_desc(),
                                                       static_cast<int>(of(l.inputs[0]).shape.size()) - 1);
    execute(dnnl::softmax_forward(chosen), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    from_reals(l.output, to);
  }
  void add_unary(const described_layer& l, dnnl::algorithm algorithm, float alpha = 0, float beta = 0) {
    dnnl::memory from = quantised_ ? as_reals(l.inputs[0]) : current(l.inputs[0]), to(from.get_desc(), engine_);
    const dnnl::eltwise_forward::primitive_desc chosen(engine_, inference, algorithm, from.get_desc(), to.get_desc(),
                                                       alpha, beta);
    execute(dnnl::eltwise_forward(chosen), {{DNNL_ARG_SRC, from}, {DNNL_ARG_DST, to}});
    from_reals(l.output, to);
  }
  void add_reshape(const described_layer& l) {
    dnnl::memory from = as(l.inputs[0], plain(l.inputs[0]));
    kept_.push_back(from);
    memory_[l.output] = dnnl::memory(plain(l.output), engine_, from.get_data_handle());
  }
  void add_transpose(const described_layer& l) {
    dnnl::memory from = as(l.inputs[0], plain(l.inputs[0]));
    const dims y = extents(l.output), old = strides_of(extents(l.inputs[0]));
    dims strides;
    for (const std::int64_t axis : l.axes) strides.push_back(old[static_cast<std::size_t>(axis)]);
    const dnnl::memory::desc seen(y, type_of(of(l.output).type), strides);
    dnnl::memory view(seen, engine_, from.get_data_handle()), to(plain(l.output), engine_);
    kept_.push_back(from);
    execute(dnnl::reorder(view, to), {{DNNL_ARG_FROM, view}, {DNNL_ARG_TO, to}});
    memory_[l.output] = to;
  }
  void add_concat(const described_layer& l) {
    std::vector<dnnl::memory::desc> from;
    arguments with;
    for (const int id : l.inputs) {
      if (quantised_ && of(id).scales != of(l.output).scales)
        throw cannot_run("oneDNN: concat of several scales is not written here");
      const dnnl::memory one = quantised_ ? as(id, plain(id)) : current(id);
      with[DNNL_ARG_MULTIPLE_SRC + static_cast<int>(from.size())] = one;
      from.push_back(one.get_desc());
    }
    constexpr int moved[] = {0, 2, 3, 1};
    const dnnl::concat::primitive_desc chosen(
        engine_, is_image(l.output) ? moved[l.axes[0]] : static_cast<int>(l.axes[0]), from);
    with[DNNL_ARG_DST] = memory_[l.output] = dnnl::memory(chosen.dst_desc(), engine_);
    execute(dnnl::concat(chosen), std::move(with));
  }

  void add(const described_layer& l) {
    switch (l.what) {
      case operation::convolution:
      case operation::depthwise: return add_convolution_of<dnnl::convolution_forward>(l);
      case operation::transposed_convolution: return add_convolution_of<dnnl::deconvolution_forward>(l);
      case operation::dense:
      case operation::product: return add_dense(l);
      case operation::max_pool:
      case operation::mean_pool: return add_pool(l);
      case operation::mean: return add_mean(l);
      case operation::add:
      case operation::subtract:
      case operation::multiply: return add_binary(l);
      case operation::softmax: return add_softmax(l);
      case operation::relu: return add_unary(l, dnnl::algorithm::eltwise_relu);
      case operation::relu6: return add_unary(l, dnnl::algorithm::eltwise_clip, 0, 6);
      case operation::tanh: return add_unary(l, dnnl::algorithm::eltwise_tanh);
      case operation::sigmoid: return add_unary(l, dnnl::algorithm::eltwise_logistic);
      case operation::reshape: return add_reshape(l);
      case operation::transpose: return add_transpose(l);
      case operation::concat: return add_concat(l);
    }
  }

  const description& network_;
  std::set<int> images_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  bool quantised_;
  std::map<int, dnnl::memory> memory_;  // of each tensor, in the layout that it is computed in
  std::vector<dnnl::memory> kept_;      // what others are views of
  std::vector<step> steps_;
  std::vector<dnnl::memory> inputs_, outputs_;
};

class onednn_runner final : public runner {
 public:
  onednn_runner(const description& network, int threads) : network_(network), threads_(threads) {
    omp_set_num_threads(threads);
    try {
      chain_ = std::make_unique<chain>(network);
    } catch (const dnnl::error& e) {
      throw cannot_run("oneDNN: " + std::string(e.what()));
    }
  }
  void set_input(std::size_t i, const std::byte* elements) override {
    std::memcpy(chain_->input(i).get_data_handle(), elements, network_.of(network_.inputs[i]).bytes());
  }
  void run() override { chain_->run(); }
  void run_many(std::int64_t times) override {
    omp_set_num_threads(threads_);
    for (std::int64_t i = 0; i < times; ++i) chain_->run();
  }
  void get_output(std::size_t i, std::byte* elements) override {
    std::memcpy(elements, chain_->output(i).get_data_handle(), network_.of(network_.outputs[i]).bytes());
  }

 private:
  const description& network_;
  int threads_;
  std::unique_ptr<chain> chain_;
};

std::string title() {
  const dnnl_version_t* const v = dnnl_version();
  return "oneDNN " + std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
}

const registered_peer registered("onednn", title(),
                                 [](const description& network, int threads) -> std::unique_ptr<runner> {
                                   return std::make_unique<onednn_runner>(network, threads);
                                 });

}  // namespace
