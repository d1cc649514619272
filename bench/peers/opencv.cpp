// opencv: networks through OpenCV's dnn module, on the processor, read from an ONNX model.
// Flow: bench/peers.cmake builds it where the module is; the model is onnx_model.hpp's.
#include "peers/onnx_model.hpp"
#include "support/runner.hpp"

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>

namespace {

using namespace bench;

class opencv_runner final : public runner {
 public:
  opencv_runner(const description& network, int threads)
      : model_(network, onnx::activations::of_int8), threads_(threads) {
    cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    cv::setNumThreads(threads);
    try {
      net_ = model_.file.empty() ? cv::dnn::readNetFromONNX(model_.bytes.data(), model_.bytes.size())
                                 : cv::dnn::readNetFromONNX(model_.file);
      net_.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
      net_.setPreferableTarget(cv::dnn::DNN_TARGET_CPU);
    } catch (const cv::Exception& e) {
      throw cannot_run("OpenCV: " + e.err);
    }
    model_.bytes = {};
    for (const auto& port : model_.inputs)
      inputs_.emplace_back(std::vector<int>(port.shape.begin(), port.shape.end()),
                           port.tensor.type == element::f32 ? CV_32F : CV_8S);
    for (const auto& port : model_.outputs) names_.push_back(port.name);
  }
  void set_input(std::size_t i, const std::byte* elements) override {
    model_.inputs[i].put(elements, reinterpret_cast<std::byte*>(inputs_[i].data));
  }
  void run() override {
    try {
      for (std::size_t i = 0; i < inputs_.size(); ++i) net_.setInput(inputs_[i], model_.inputs[i].name);
      net_.forward(outputs_, names_);
    } catch (const cv::Exception& e) {
      throw cannot_run("OpenCV: " + e.err);
    }
  }
  void run_many(std::int64_t times) override {
    cv::setNumThreads(threads_);
    for (std::int64_t i = 0; i < times; ++i) run();
  }
  void get_output(std::size_t i, std::byte* elements) override {
    const cv::Mat flat = outputs_[i].isContinuous() ? outputs_[i] : outputs_[i].clone();
    if (flat.total() * flat.elemSize() != model_.outputs[i].tensor.bytes())
      throw cannot_run("OpenCV: an output has another size or type");
    model_.outputs[i].get(reinterpret_cast<const std::byte*>(flat.data), elements);
  }

 private:
  onnx::model model_;
  int threads_;
  cv::dnn::Net net_;
  std::vector<cv::Mat> inputs_, outputs_;
  std::vector<cv::String> names_;
};

const registered_peer registered("opencv", "OpenCV " + cv::getVersionString(),
                                 [](const description& network, int threads) -> std::unique_ptr<runner> {
                                   return std::make_unique<opencv_runner>(network, threads);
                                 });

}  // namespace
