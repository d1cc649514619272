// eigen: networks of dense layers alone as products of Eigen's matrices, with extents that the compiler knows where
// they are small.
// Flow: bench/peers.cmake builds it where the headers are.
#include "support/lines.hpp"
#include "support/runner.hpp"

#include <Eigen/Core>

#include <map>

namespace {

using namespace bench;

struct call {
  void (*run)(const call& c);
  const float *weight, *bias, *x;
  float* y;
  int rows, columns;
};

void activate(auto&& y, fused f) {
  if (f == fused::relu) y = y.cwiseMax(0.0F);
  if (f == fused::relu6) y = y.cwiseMax(0.0F).cwiseMin(6.0F);
}

template <int Rows, int Columns, fused F> void dense(const call& c) {
  using matrix = Eigen::Matrix<float, Rows, Columns, Rows == 1 ? Eigen::RowMajor : Eigen::ColMajor>;
  const Eigen::Map<const matrix> w(c.weight, c.rows, c.columns);
  const Eigen::Map<const Eigen::Matrix<float, Columns, 1>> x(c.x, c.columns);
  const Eigen::Map<const Eigen::Matrix<float, Rows, 1>> b(c.bias, c.rows);
  Eigen::Map<Eigen::Matrix<float, Rows, 1>> y(c.y, c.rows);
  y.noalias() = w * x;
  y += b;
  activate(y, F);
}
template <fused F> auto dense_for(int rows, int columns) {
  if (rows == 16 && columns == 8) return &dense<16, 8, F>;
  if (rows == 16 && columns == 16) return &dense<16, 16, F>;
  if (rows == 1 && columns == 16) return &dense<1, 16, F>;
  return &dense<Eigen::Dynamic, Eigen::Dynamic, F>;
}

Eigen::Map<Eigen::ArrayXf> result_of(const call& c) { return {c.y, c.rows}; }
Eigen::Map<const Eigen::ArrayXf> operand_of(const call& c) { return {c.x, c.rows}; }

class eigen_runner final : public runner {
 public:
  eigen_runner(const description& network, int threads) : network_(network) {
    if (threads > 1) throw cannot_run("Eigen: products of a matrix and a vector use one thread");
    if (network.has_quantised_values()) throw cannot_run("Eigen has no products of quantised values");
    for (const int id : network.inputs) make(id);
    for (const described_layer& l : network.layers) add(l);
  }
  void set_input(std::size_t i, const std::byte* elements) override { memory_.at(network_.inputs[i]).assign(elements); }
  void run() override {
    for (const call& c : calls_) c.run(c);
  }
  void get_output(std::size_t i, std::byte* elements) override {
    const lines& from = memory_.at(network_.outputs[i]);
    std::memcpy(elements, from.data(), from.size());
  }

 private:
  float* make(int id) {
    auto& memory = memory_[id];
    if (memory.size() == 0) memory = lines(network_.of(id).bytes());
    return reinterpret_cast<float*>(memory.data());
  }
  const float* numbers(int id) { return network_.of(id).data != nullptr ? network_.of(id).as<float>() : make(id); }

  void add_dense(const described_layer& l) {
    const described_tensor& w = network_.of(l.inputs[1]);
    const int rows = static_cast<int>(w.shape[0]), columns = static_cast<int>(w.shape[1]);
    if (network_.of(l.inputs[0]).elements() != columns)
      throw cannot_run("Eigen: only one row at a time is written here");
    const auto run = l.activation == fused::relu    ? dense_for<fused::relu>(rows, columns)
                     : l.activation == fused::relu6 ? dense_for<fused::relu6>(rows, columns)
                                                    : dense_for<fused::none>(rows, columns);
    lines turned(w.bytes()), bias(static_cast<std::size_t>(rows) * sizeof(float));
    auto* const to = reinterpret_cast<float*>(turned.data());
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) to[rows == 1 ? c : c * rows + r] = w.as<float>()[r * columns + c];
    if (l.inputs.size() > 2 && l.inputs[2] >= 0) bias.assign(network_.of(l.inputs[2]).data);
    weights_.push_back(std::move(turned)), weights_.push_back(std::move(bias));
    const auto at = [&](std::size_t back) {
      return reinterpret_cast<const float*>(weights_[weights_.size() - back].data());
    };
    calls_.push_back({run, at(2), at(1), numbers(l.inputs[0]), make(l.output), rows, columns});
  }
  void add_unary(const described_layer& l, void (*run)(const call&)) {
    const int count = static_cast<int>(network_.of(l.output).elements());
    calls_.push_back({run, nullptr, nullptr, numbers(l.inputs[0]), make(l.output), count, 1});
  }
  void add(const described_layer& l) {
    switch (l.what) {
      case operation::dense: return add_dense(l);
      case operation::tanh: return add_unary(l, [](const call& c) { result_of(c) = operand_of(c).tanh(); });
      case operation::sigmoid:
        return add_unary(l, [](const call& c) { result_of(c) = 1 / (1 + (-operand_of(c)).exp()); });
      case operation::relu: return add_unary(l, [](const call& c) { result_of(c) = operand_of(c).max(0.0F); });
      case operation::softmax:
        return add_unary(l, [](const call& c) {
          result_of(c) = (operand_of(c) - operand_of(c).maxCoeff()).exp();
          result_of(c) /= result_of(c).sum();
        });
      case operation::convolution:
      case operation::transposed_convolution:
      case operation::depthwise:
      case operation::product:
      case operation::max_pool:
      case operation::mean_pool:
      case operation::mean:
      case operation::add:
      case operation::subtract:
      case operation::multiply:
      case operation::relu6:
      case operation::reshape:
      case operation::transpose:
      case operation::concat: break;
    }
    throw cannot_run(std::string("Eigen: only networks of dense layers are written here, not ") + name_of(l.what));
  }

  const description& network_;
  std::map<int, lines> memory_;
  std::vector<lines> weights_;
  std::vector<call> calls_;
};

const registered_peer registered("eigen", "Eigen " NNRT_EIGEN_VERSION,
                                 [](const description& network, int threads) -> std::unique_ptr<runner> {
                                   return std::make_unique<eigen_runner>(network, threads);
                                 });

}  // namespace
