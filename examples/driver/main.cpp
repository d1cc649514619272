// driver: an accelerator of one's own. It takes convolutions and matrix products, and nothing else; nnrt::compile()
// gives the rest of a network to the processor, while the C functions refuse a device that does not take all of a
// model.
#include <nnrt/nnrt.hpp>

#include <nnrt/c_api.hpp>
#include <nnrt/hal.hpp>
#include <nnrt/hal/shared_compile.hpp>
#include <nnrt/io/make_weights.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

using namespace nnrt;

namespace {

/// The accelerator's way to run a model. This one is made of memory and the library's own sessions; a real one would
/// send work to its hardware here.
class array_execution final : public hal::execution {
 public:
  explicit array_execution(const program& compiled) : session_(compiled) {}
  result<void> run(array_ref<const hal::argument> inputs, array_ref<hal::argument> outputs,
                   std::int64_t deadline) override {
    for (std::size_t i = 0; i < inputs.size(); ++i) session_.read_input_from(i, inputs[i].data);
    if (auto done = session_.run_until(deadline); !done) return done;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto made = session_.output_bytes(i);
      std::memcpy(outputs[i].data, made.data(), made.size());
      outputs[i].shape = session_.output_desc(i).shape;
    }
    return {};
  }

 private:
  session session_;
};

/// A model that is prepared in the accelerator.
class array_model final : public hal::prepared_model {
 public:
  explicit array_model(program compiled) : program_(std::move(compiled)) {}
  std::size_t input_count() const override { return program_.input_count(); }
  std::size_t output_count() const override { return program_.output_count(); }
  const tensor_desc& input_desc(std::size_t i) const override { return program_.input_desc(i); }
  const tensor_desc& output_desc(std::size_t i) const override { return program_.output_desc(i); }
  std::string_view input_name(std::size_t i) const override { return program_.input_name(i); }
  std::string_view output_name(std::size_t i) const override { return program_.output_name(i); }
  result<hal::extent_range> input_range(std::size_t i) const override {
    return hal::extent_range{input_desc(i).shape, input_desc(i).shape};
  }
  result<std::unique_ptr<hal::execution>> make_execution() override {
    return std::make_unique<array_execution>(program_);
  }

 private:
  program program_;
};

/// The driver: what it is, what it takes, and how it makes that ready.
class array_driver final : public hal::driver {
 public:
  std::string_view name() const override { return "systolic_array"; }
  std::string_view vendor() const override { return "example"; }
  result<hal::device_type> type() override { return hal::device_type::accelerator; }
  result<hal::device_status> status() override { return hal::device_status::available; }
  result<hal::features> supported_features() override { return hal::features{}; }
  hal::work_cost cost_of(dtype) const override { return {0.2F, 0.1F}; }

  result<std::vector<std::string>> refusals(const model& network) override {
    std::vector<std::string> reasons;
    for (const ir::node& n : network.graph.nodes) {
      const bool is_product = n.op->code == ops::conv2d::code || n.op->code == ops::matmul::code;
      reasons.push_back(is_product ? "" : "neither a convolution nor a matrix product");
    }
    return reasons;
  }
  result<std::shared_ptr<hal::prepared_model>> prepare(const model& network, const hal::preferences&) override {
    auto compiled = compile(network);
    if (!compiled) return fail(std::move(compiled.error()));
    return std::make_shared<array_model>(std::move(*compiled));
  }
};

constexpr auto network = [](builder& g) {
  auto image = g.input<f32, shape<1, 8, 8, 1>>("image");
  auto map = conv2d(image, g.weight<f32, shape<4, 3, 3, 1>>("filters"), same, relu);
  auto small = reshape(max_pool(map, kernel<2, 2>, stride<2, 2>), shape<1, 64>);
  g.output("probability", softmax(matmul(small, g.weight<f32, shape<64, 10>>("matrix"))));
};

/// Whether the C functions refuse y = tanh(x) for the device, as they must.
bool is_refused_by_the_c_functions(std::size_t device) {
  OH_NNModel* model = OH_NNModel_Construct();
  const std::int32_t extents[] = {1, 4};
  const OH_NN_Tensor tensor{OH_NN_FLOAT32, 2, extents, nullptr, OH_NN_TENSOR};
  std::uint32_t first[] = {0}, second[] = {1};
  const OH_NN_UInt32Array none{nullptr, 0}, x{first, 1}, y{second, 1};
  bool ok =
      OH_NNModel_AddTensor(model, &tensor) == OH_NN_SUCCESS && OH_NNModel_AddTensor(model, &tensor) == OH_NN_SUCCESS &&
      OH_NNModel_AddOperation(model, OH_NN_OPS_TANH, &none, &x, &y) == OH_NN_SUCCESS &&
      OH_NNModel_SpecifyInputsAndOutputs(model, &x, &y) == OH_NN_SUCCESS && OH_NNModel_Finish(model) == OH_NN_SUCCESS;
  OH_NNCompilation* compilation = OH_NNCompilation_Construct(model);
  ok = ok && OH_NNCompilation_SetDevice(compilation, device) == OH_NN_SUCCESS;
  const bool is_refused = ok && OH_NNCompilation_Build(compilation) != OH_NN_SUCCESS;
  OH_NNCompilation_Destroy(&compilation);
  OH_NNModel_Destroy(&model);
  return is_refused;
}

}  // namespace

int main() {
  std::vector<float> filters(36), matrix(640), image(64);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = std::sin(static_cast<float>(i));
  for (std::size_t i = 0; i < filters.size(); ++i) filters[i] = std::cos(static_cast<float>(i));
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 7) / 7;
  const tensor_entry tensors[] = {tensor_of<float>("filters", {4, 3, 3, 1}, filters),
                                  tensor_of<float>("matrix", {64, 10}, matrix)};
  const auto made = to_model<graph<network>>(*make_weights(tensors));

  const auto accelerator = std::make_shared<array_driver>();
  const auto shared = compile(*made, *accelerator);
  if (!shared) return std::printf("%s\n", shared.error().message().c_str()), 1;
  for (const hal::placed_node& n : (*shared)->nodes())
    std::printf("%d  %-12s %s%s\n", n.segment, n.name.c_str(),
                n.on_device ? "accelerator" : "processor: ", n.reason.c_str());

  float both[10], alone[10];
  const auto bytes_of = [](auto& list) { return reinterpret_cast<std::byte*>(std::data(list)); };
  const auto run = [&](hal::prepared_model& model, float(&y)[10]) {
    const hal::argument in{bytes_of(image), sizeof(float) * 64, {1, 8, 8, 1}};
    hal::argument out{bytes_of(y), sizeof y, {}};
    return (*model.make_execution())->run({&in, 1}, {&out, 1}, no_deadline).has_value();
  };
  hal::cpu_driver processor;
  if (!run(**shared, both) || !run(**processor.prepare(*made, {}), alone)) return 2;
  for (int i = 0; i < 10; ++i)
    if (!(std::abs(both[i] - alone[i]) < 1e-5F)) return 3;
  std::printf("ten probabilities, the same as the processor's alone\n");

  const auto id = hal::registry().add(accelerator);
  if (!id || !is_refused_by_the_c_functions(*id)) return 4;
  std::printf("the C functions refuse it a model that it does not take whole\n");
  return 0;
}
