// cache: how long a MobileNetV1 takes to build through the C functions - afresh, and from a cache in a directory or in
// a buffer -, and how long it runs with weights of 32 and of 16 bits.
// Flow: bench_cache [repetitions]; ways take turns, figures are medians of the thread's time, in milliseconds.
#include <nnrt/c_api.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace {

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "bench_cache: %s\n", what);
  std::exit(1);
}
void require(OH_NN_ReturnCode code, const char* what) {
  if (code != OH_NN_SUCCESS) give_up(what);
}

/// A model that grows layer by layer; weights are numbers of a fixed sequence.
class network {
 public:
  OH_NNModel* model = OH_NNModel_Construct();
  bool is_folded = true;  // batch normalisations are part of the weights

  ~network() { OH_NNModel_Destroy(&model); }

  std::uint32_t tensor(const std::vector<std::int32_t>& shape) {
    const OH_NN_Tensor made{OH_NN_FLOAT32, static_cast<std::uint32_t>(shape.size()), shape.data(), nullptr,
                            OH_NN_TENSOR};
    require(OH_NNModel_AddTensor(model, &made), "AddTensor");
    return next_++;
  }
  std::uint32_t weight(const std::vector<std::int32_t>& shape, float size, float middle = 0) {
    std::size_t count = 1;
    for (const std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
    std::vector<float> numbers(count);
    for (float& number : numbers) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      number = (static_cast<float>(state_ >> 40) * 0x1p-23F - 1) * size + middle;
    }
    const std::uint32_t made = tensor(shape);
    require(OH_NNModel_SetTensorData(model, made, numbers.data(), count * sizeof(float)), "SetTensorData");
    return made;
  }
  template <class T> std::uint32_t parameter(OH_NN_TensorType kind, OH_NN_DataType type, const std::vector<T>& values) {
    const auto count = static_cast<std::int32_t>(values.size());
    const OH_NN_Tensor made{type, count == 1 ? 0U : 1U, count == 1 ? nullptr : &count, nullptr, kind};
    require(OH_NNModel_AddTensor(model, &made), "AddTensor");
    require(OH_NNModel_SetTensorData(model, next_, values.data(), values.size() * sizeof(T)), "SetTensorData");
    return next_++;
  }
  void operation(OH_NN_OperationType type, std::vector<std::uint32_t> parameters, std::vector<std::uint32_t> inputs,
                 std::uint32_t output) {
    const OH_NN_UInt32Array p{parameters.empty() ? nullptr : parameters.data(),
                              static_cast<std::uint32_t>(parameters.size())};
    const OH_NN_UInt32Array i{inputs.data(), static_cast<std::uint32_t>(inputs.size())}, o{&output, 1};
    require(OH_NNModel_AddOperation(model, type, &p, &i, &o), "AddOperation");
  }
  void finish(std::uint32_t input, std::uint32_t output) {
    const OH_NN_UInt32Array i{&input, 1}, o{&output, 1};
    require(OH_NNModel_SpecifyInputsAndOutputs(model, &i, &o), "SpecifyInputsAndOutputs");
    require(OH_NNModel_Finish(model), "Finish");
  }

 private:
  std::uint32_t next_ = 0;
  std::uint64_t state_ = 1;
};

constexpr std::int8_t relu6 = OH_NN_FUSED_RELU6, no_activation = OH_NN_FUSED_NONE, same = 0;
using extents = std::vector<std::int64_t>;

struct image {
  std::uint32_t id;
  std::int32_t size, channels;
};

/// What follows a layer that was not folded: batch normalisation, relu6.
std::uint32_t normalised(network& n, std::uint32_t x, std::int32_t size, std::int32_t channels) {
  const std::uint32_t y = n.tensor({1, size, size, channels}), z = n.tensor({1, size, size, channels});
  const std::uint32_t scale = n.weight({channels}, 1), offset = n.weight({channels}, 0.1F),
                      mean = n.weight({channels}, 0.1F), variance = n.weight({channels}, 0.5F, 1);
  n.operation(OH_NN_OPS_BATCH_NORM, {n.parameter(OH_NN_BATCH_NORM_EPSILON, OH_NN_FLOAT32, std::vector{1e-3F})},
              {x, scale, offset, mean, variance}, y);
  n.operation(OH_NN_OPS_RELU6, {}, {y}, z);
  return z;
}

image conv2d(network& n, image x, std::int32_t channels, std::int32_t taps, std::int32_t stride) {
  const std::int32_t size = (x.size + stride - 1) / stride;
  const std::uint32_t w = n.weight({channels, taps, taps, x.channels}, 0.1F), b = n.weight({channels}, 0.1F),
                      y = n.tensor({1, size, size, channels});
  n.operation(OH_NN_OPS_CONV2D,
              {n.parameter(OH_NN_CONV2D_STRIDES, OH_NN_INT64, extents{stride, stride}),
               n.parameter(OH_NN_CONV2D_DILATION, OH_NN_INT64, extents{1, 1}),
               n.parameter(OH_NN_CONV2D_PAD_MODE, OH_NN_INT8, std::vector{same}),
               n.parameter(OH_NN_CONV2D_GROUP, OH_NN_INT64, extents{1}),
               n.parameter(OH_NN_CONV2D_ACTIVATION_TYPE, OH_NN_INT8, std::vector{n.is_folded ? relu6 : no_activation})},
              {x.id, w, b}, y);
  return {n.is_folded ? y : normalised(n, y, size, channels), size, channels};
}
image depthwise(network& n, image x, std::int32_t stride) {
  const std::int32_t size = (x.size + stride - 1) / stride;
  const std::uint32_t w = n.weight({x.channels, 3, 3, 1}, 0.3F), b = n.weight({x.channels}, 0.1F),
                      y = n.tensor({1, size, size, x.channels});
  n.operation(OH_NN_OPS_DEPTHWISE_CONV2D_NATIVE,
              {n.parameter(OH_NN_DEPTHWISE_CONV2D_NATIVE_STRIDES, OH_NN_INT64, extents{stride, stride}),
               n.parameter(OH_NN_DEPTHWISE_CONV2D_NATIVE_DILATION, OH_NN_INT64, extents{1, 1}),
               n.parameter(OH_NN_DEPTHWISE_CONV2D_NATIVE_PAD_MODE, OH_NN_INT8, std::vector{same}),
               n.parameter(OH_NN_DEPTHWISE_CONV2D_NATIVE_ACTIVATION_TYPE, OH_NN_INT8,
                           std::vector{n.is_folded ? relu6 : no_activation})},
              {x.id, w, b}, y);
  return {n.is_folded ? y : normalised(n, y, size, x.channels), size, x.channels};
}

/// MobileNetV1 1.0, 224x224, up to the scores.
void write_mobilenet_v1(network& n) {
  const std::uint32_t input = n.tensor({1, 224, 224, 3});
  image x = conv2d(n, {input, 224, 3}, 32, 3, 2);
  constexpr std::int32_t layers[][2] = {{64, 1},  {128, 2}, {128, 1}, {256, 2}, {256, 1},  {512, 2}, {512, 1},
                                        {512, 1}, {512, 1}, {512, 1}, {512, 1}, {1024, 2}, {1024, 1}};
  for (const auto& [channels, stride] : layers) x = conv2d(n, depthwise(n, x, stride), channels, 1, 1);
  const std::uint32_t mean = n.tensor({1, 1, 1, 1024}), scores = n.tensor({1, 1000});
  n.operation(OH_NN_OPS_AVG_POOL,
              {n.parameter(OH_NN_AVG_POOL_KERNEL_SIZE, OH_NN_INT64, extents{7, 7}),
               n.parameter(OH_NN_AVG_POOL_STRIDE, OH_NN_INT64, extents{1, 1}),
               n.parameter(OH_NN_AVG_POOL_PAD_MODE, OH_NN_INT8, std::vector<std::int8_t>{1})},
              {x.id}, mean);
  n.operation(OH_NN_OPS_FULL_CONNECTION, {}, {mean, n.weight({1000, 1024}, 0.05F), n.weight({1000}, 0.05F)}, scores);
  n.finish(input, scores);
}

double thread_ms() {
  ::timespec at{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
  return static_cast<double>(at.tv_sec) * 1e3 + static_cast<double>(at.tv_nsec) * 1e-6;
}

/// One build, and what it took; `keep` gets the compilation.
template <class Settle> double build(OH_NNCompilation* c, Settle settle, OH_NNCompilation** keep = nullptr) {
  settle(c);
  const double begin = thread_ms();
  require(OH_NNCompilation_Build(c), "Build");
  const double took = thread_ms() - begin;
  if (keep != nullptr) *keep = c;
  else OH_NNCompilation_Destroy(&c);
  return took;
}

double median(std::vector<double> list) {
  std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
  return list[list.size() / 2];
}

/// Builds one network in all ways, and prints what each takes.
void measure(const char* name, bool is_folded, int repetitions) {
  network n;
  n.is_folded = is_folded;
  write_mobilenet_v1(n);
  std::string directory = (std::filesystem::temp_directory_path() / "nnrt-bench-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) give_up("no directory for a cache");
  std::uint32_t version = 1;
  const auto cached = [&](OH_NNCompilation* c) { OH_NNCompilation_SetCache(c, directory.c_str(), version); };
  const auto plain = [](OH_NNCompilation*) {};
  std::vector<char> buffer(std::size_t{64} << 20);
  std::size_t bytes = 0;
  OH_NNCompilation* kept = nullptr;
  build(OH_NNCompilation_Construct(n.model), plain, &kept);
  require(OH_NNCompilation_ExportCacheToBuffer(kept, buffer.data(), buffer.size(), &bytes), "ExportCacheToBuffer");
  OH_NNCompilation_Destroy(&kept);
  std::vector<double> afresh, written, from_directory, without_model, from_buffer;
  for (int i = 0; i < repetitions; ++i, ++version) {
    afresh.push_back(build(OH_NNCompilation_Construct(n.model), plain));
    // of a higher version than the one that is there
    written.push_back(build(OH_NNCompilation_Construct(n.model), cached));
    from_directory.push_back(build(OH_NNCompilation_Construct(n.model), cached));
    without_model.push_back(build(OH_NNCompilation_ConstructForCache(), cached));
    from_buffer.push_back(build(OH_NNCompilation_ConstructForCache(), [&](OH_NNCompilation* c) {
      OH_NNCompilation_ImportCacheFromBuffer(c, buffer.data(), bytes);
    }));
  }
  std::filesystem::remove_all(directory);
  const double fresh = median(afresh);
  const auto say = [&](const char* what, const std::vector<double>& times) {
    std::printf("  %-34s %8.3f ms   %5.1f times as fast\n", what, median(times), fresh / median(times));
  };
  std::printf("%s, built through the C functions (thread time, medians of %d), %zu bytes\n", name, repetitions, bytes);
  say("afresh", afresh);
  say("afresh, and its cache written", written);
  say("from a directory", from_directory);
  say("from a directory, without the model", without_model);
  say("from a buffer", from_buffer);
}

/// Runs a network with weights of 32 bits and of 16 in turn.
void measure_runs(int repetitions) {
  network n;
  write_mobilenet_v1(n);
  OH_NNExecutor* executors[2] = {};
  NN_Tensor *x[2] = {}, *y[2] = {};
  std::size_t bytes[2] = {};
  std::vector<char> buffer(std::size_t{64} << 20);
  for (int k = 0; k < 2; ++k) {
    OH_NNCompilation* c = nullptr;
    build(
        OH_NNCompilation_Construct(n.model), [&](OH_NNCompilation* of) { OH_NNCompilation_EnableFloat16(of, k == 1); },
        &c);
    require(OH_NNCompilation_ExportCacheToBuffer(c, buffer.data(), buffer.size(), &bytes[k]), "ExportCacheToBuffer");
    executors[k] = OH_NNExecutor_Construct(c);
    OH_NNCompilation_Destroy(&c);
    NN_TensorDesc *of_x = OH_NNExecutor_CreateInputTensorDesc(executors[k], 0),
                  *of_y = OH_NNExecutor_CreateOutputTensorDesc(executors[k], 0);
    x[k] = OH_NNTensor_Create(0, of_x), y[k] = OH_NNTensor_Create(0, of_y);
    OH_NNTensorDesc_Destroy(&of_x), OH_NNTensorDesc_Destroy(&of_y);
    auto* const pixels = static_cast<float*>(OH_NNTensor_GetDataBuffer(x[k]));
    for (int i = 0; i < 224 * 224 * 3; ++i) pixels[i] = static_cast<float>(i % 251) / 251;
  }
  std::vector<double> times[2];
  for (int i = 0; i < repetitions; ++i)
    for (int k = 0; k < 2; ++k) {
      const double begin = thread_ms();
      require(OH_NNExecutor_RunSync(executors[k], &x[k], 1, &y[k], 1), "RunSync");
      times[k].push_back(thread_ms() - begin);
    }
  const auto* const exact = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y[0]));
  const auto* const near = static_cast<const float*>(OH_NNTensor_GetDataBuffer(y[1]));
  double largest = 0, off = 0;
  for (int i = 0; i < 1000; ++i)
    largest = std::max(largest, std::abs(double{exact[i]})),
    off = std::max(off, std::abs(double{exact[i]} - double{near[i]}));
  std::printf("A run of the first (medians of %d)\n", repetitions);
  std::printf("  float32 %8.3f ms, %zu bytes\n  float16 %8.3f ms, %zu bytes; off by %.2g of the largest score\n",
              median(times[0]), bytes[0], median(times[1]), bytes[1], off / largest);
  for (int k = 0; k < 2; ++k)
    OH_NNTensor_Destroy(&x[k]), OH_NNTensor_Destroy(&y[k]), OH_NNExecutor_Destroy(&executors[k]);
}

}  // namespace

int main(int count, char** words) {
  const int repetitions = count > 1 ? std::atoi(words[1]) : 15;
  measure("MobileNetV1 1.0, 224x224", true, repetitions);
  measure("The same with batch normalisations", false, repetitions);
  measure_runs(repetitions);
}
