// cpu_cache: the processor's caches - in a directory, in a buffer, as an offline model - give the bits of a fresh
// build, whatever happens to them.
// Flow: a build that takes its cache leaves the files alone; one that does not replaces them, which their inodes show.
#include "c_api/small_model.hpp"

#include <nnrt/c_api/cache.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

using namespace nnrt_test;

namespace {

/// A model that grows layer by layer; its weights follow from `seed`.
class network {
 public:
  explicit network(int seed = 1) : seed_(seed) {}
  network(const network&) = delete;
  ~network() { OH_NNModel_Destroy(&model); }

  OH_NNModel* model = OH_NNModel_Construct();

  std::uint32_t tensor(const std::vector<std::int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32,
                       const OH_NN_QuantParam* quant = nullptr) {
    REQUIRE(add_tensor(model, type, shape, OH_NN_TENSOR, quant) == OH_NN_SUCCESS);
    return next_++;
  }
  template <class T = float>
  std::uint32_t weight(const std::vector<std::int32_t>& shape, OH_NN_DataType type = OH_NN_FLOAT32,
                       const OH_NN_QuantParam* quant = nullptr) {
    std::size_t count = 1;
    for (const std::int32_t extent : shape) count *= static_cast<std::size_t>(extent);
    std::vector<T> numbers;
    for (std::size_t i = 0; i < count; ++i) {
      const int number = static_cast<int>((i * 37 + i / 5 + static_cast<std::size_t>(seed_) * 101) % 61) - 30;
      numbers.push_back(
          static_cast<T>(type == OH_NN_FLOAT32 ? static_cast<float>(number) / 61 : static_cast<float>(number)));
    }
    ++seed_;
    const std::uint32_t made = tensor(shape, type, quant);
    REQUIRE(OH_NNModel_SetTensorData(model, made, numbers.data(), count * sizeof(T)) == OH_NN_SUCCESS);
    return made;
  }
  template <class T> std::uint32_t parameter(OH_NN_TensorType kind, OH_NN_DataType type, const std::vector<T>& values) {
    const auto count = static_cast<std::int32_t>(values.size());
    REQUIRE(add_tensor(model, type, count == 1 ? std::vector<std::int32_t>{} : std::vector{count}, kind) ==
            OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_SetTensorData(model, next_, values.data(), values.size() * sizeof(T)) == OH_NN_SUCCESS);
    return next_++;
  }
  void operation(OH_NN_OperationType type, std::vector<std::uint32_t> parameters, std::vector<std::uint32_t> inputs,
                 std::uint32_t output) {
    const OH_NN_UInt32Array p{parameters.empty() ? nullptr : parameters.data(),
                              static_cast<std::uint32_t>(parameters.size())};
    const OH_NN_UInt32Array i{inputs.data(), static_cast<std::uint32_t>(inputs.size())}, o{&output, 1};
    REQUIRE(OH_NNModel_AddOperation(model, type, &p, &i, &o) == OH_NN_SUCCESS);
  }
  void finish(std::uint32_t input, std::uint32_t output) {
    REQUIRE(OH_NNModel_SpecifyInputsAndOutputs(model, indices{input}, indices{output}) == OH_NN_SUCCESS);
    REQUIRE(OH_NNModel_Finish(model) == OH_NN_SUCCESS);
  }
  std::vector<std::uint32_t> convolution_parameters() {
    return {parameter(OH_NN_CONV2D_STRIDES, OH_NN_INT64, std::vector<std::int64_t>{1, 1}),
            parameter(OH_NN_CONV2D_DILATION, OH_NN_INT64, std::vector<std::int64_t>{1, 1}),
            parameter(OH_NN_CONV2D_PAD_MODE, OH_NN_INT8, std::vector<std::int8_t>{0}),
            parameter(OH_NN_CONV2D_GROUP, OH_NN_INT64, std::vector<std::int64_t>{1}),
            parameter(OH_NN_CONV2D_ACTIVATION_TYPE, OH_NN_INT8, std::vector<std::int8_t>{OH_NN_FUSED_RELU})};
  }

 private:
  std::uint32_t next_ = 0;
  int seed_;
};

void write_dense(network& n) {
  const std::uint32_t x = n.tensor({1, 4}), w = n.weight({3, 4}), b = n.weight({3}), y = n.tensor({1, 3});
  n.operation(OH_NN_OPS_FULL_CONNECTION, {}, {x, w, b}, y);
  n.finish(x, y);
}
/// A 5x5 convolution, pooling and a dense layer over a grey image.
void write_lenet(network& n) {
  const std::uint32_t x = n.tensor({1, 12, 12, 1}), w = n.weight({6, 5, 5, 1}), b = n.weight({6}),
                      c = n.tensor({1, 12, 12, 6}), p = n.tensor({1, 6, 6, 6}), y = n.tensor({1, 10});
  n.operation(OH_NN_OPS_CONV2D, n.convolution_parameters(), {x, w, b}, c);
  n.operation(OH_NN_OPS_MAX_POOL,
              {n.parameter(OH_NN_MAX_POOL_KERNEL_SIZE, OH_NN_INT64, std::vector<std::int64_t>{2, 2}),
               n.parameter(OH_NN_MAX_POOL_STRIDE, OH_NN_INT64, std::vector<std::int64_t>{2, 2}),
               n.parameter(OH_NN_MAX_POOL_PAD_MODE, OH_NN_INT8, std::vector<std::int8_t>{1})},
              {c}, p);
  n.operation(OH_NN_OPS_FULL_CONNECTION,
              {n.parameter(OH_NN_FULL_CONNECTION_AXIS, OH_NN_INT64, std::vector<std::int64_t>{1})},
              {p, n.weight({10, 216}), n.weight({10})}, y);
  n.finish(x, y);
}
/// A dense layer with enough weights to be kept as float16 where that is wanted.
void write_wide(network& n) {
  const std::uint32_t x = n.tensor({1, 256}), w = n.weight({256, 256}), b = n.weight({256}), y = n.tensor({1, 256});
  n.operation(OH_NN_OPS_FULL_CONNECTION, {}, {x, w, b}, y);
  n.finish(x, y);
}
/// A convolution whose image has an unknown height.
void write_dynamic(network& n) {
  const std::uint32_t x = n.tensor({1, -1, 7, 3}), w = n.weight({48, 3, 3, 3}), b = n.weight({48}),
                      y = n.tensor({1, -1, 7, 48});
  n.operation(OH_NN_OPS_CONV2D, n.convolution_parameters(), {x, w, b}, y);
  n.finish(x, y);
}
void write_bytes(network& n) {
  const std::uint32_t bits = 8;
  const double of_x = 0.05, of_w = 0.01, of_b = of_x * of_w, of_y = 0.1;
  const std::int32_t zero_x = -4, zero = 0, zero_y = 5;
  const OH_NN_QuantParam qx{1, &bits, &of_x, &zero_x}, qw{1, &bits, &of_w, &zero}, qb{1, &bits, &of_b, &zero},
      qy{1, &bits, &of_y, &zero_y};
  const std::uint32_t x = n.tensor({1, 6, 6, 16}, OH_NN_INT8, &qx),
                      w = n.weight<std::int8_t>({20, 3, 3, 16}, OH_NN_INT8, &qw),
                      b = n.weight<std::int32_t>({20}, OH_NN_INT32, &qb), y = n.tensor({1, 6, 6, 20}, OH_NN_INT8, &qy);
  n.operation(OH_NN_OPS_CONV2D, n.convolution_parameters(), {x, w, b}, y);
  n.finish(x, y);
}

/// Quantised values to float16, and those back to another scale.
void write_casts(network& n) {
  const std::uint32_t bits = 8;
  const double of_x = 0.05, of_y = 0.125;
  const std::int32_t zero_x = -4, zero_y = 5;
  const OH_NN_QuantParam qx{1, &bits, &of_x, &zero_x}, qy{1, &bits, &of_y, &zero_y};
  const auto types = [&](OH_NN_DataType from, OH_NN_DataType to) {
    return std::vector<std::uint32_t>{
        n.parameter(OH_NN_QUANT_DTYPE_CAST_SRC_T, OH_NN_INT64, std::vector<std::int64_t>{from}),
        n.parameter(OH_NN_QUANT_DTYPE_CAST_DST_T, OH_NN_INT64, std::vector<std::int64_t>{to})};
  };
  const std::uint32_t x = n.tensor({1, 6, 6, 16}, OH_NN_INT8, &qx), halves = n.tensor({1, 6, 6, 16}, OH_NN_FLOAT16),
                      y = n.tensor({1, 6, 6, 16}, OH_NN_INT8, &qy);
  n.operation(OH_NN_OPS_QUANT_DTYPE_CAST, types(OH_NN_INT8, OH_NN_FLOAT16), {x}, halves);
  n.operation(OH_NN_OPS_QUANT_DTYPE_CAST, types(OH_NN_FLOAT16, OH_NN_INT8), {halves}, y);
  n.finish(x, y);
}

struct named_network {
  const char* name;
  void (*write)(network&);
  std::vector<std::int32_t> input, output;
  OH_NN_DataType type;
};
const named_network networks[] = {
    {"dense", write_dense, {1, 4}, {1, 3}, OH_NN_FLOAT32},
    {"lenet", write_lenet, {1, 12, 12, 1}, {1, 10}, OH_NN_FLOAT32},
    {"dynamic", write_dynamic, {1, 9, 7, 3}, {1, 9, 7, 48}, OH_NN_FLOAT32},
    {"bytes", write_bytes, {1, 6, 6, 16}, {1, 6, 6, 20}, OH_NN_INT8},
    {"casts from and to float16", write_casts, {1, 6, 6, 16}, {1, 6, 6, 16}, OH_NN_INT8},
};

/// The bytes that a built compilation makes of an input; empty when it is not built.
std::string result_of(OH_NNCompilation* compilation, const named_network& n) {
  OH_NNExecutor* executor = OH_NNExecutor_Construct(compilation);
  if (executor == nullptr) return {};
  NN_Tensor *x = small_executor::make_tensor(n.input, 0, n.type), *y = small_executor::make_tensor(n.output, 0, n.type);
  std::size_t bytes = 0;
  OH_NNTensor_GetSize(x, &bytes);
  if (n.type == OH_NN_FLOAT32)
    for (std::size_t i = 0; i < bytes / sizeof(float); ++i)
      static_cast<float*>(OH_NNTensor_GetDataBuffer(x))[i] = static_cast<float>(i * 29 % 37) / 8 - 2;
  else
    for (std::size_t i = 0; i < bytes; ++i)
      static_cast<std::int8_t*>(OH_NNTensor_GetDataBuffer(x))[i] = static_cast<std::int8_t>(i * 29 % 255 - 127);
  REQUIRE(OH_NNExecutor_RunSync(executor, &x, 1, &y, 1) == OH_NN_SUCCESS);
  OH_NNTensor_GetSize(y, &bytes);
  std::string made(static_cast<const char*>(OH_NNTensor_GetDataBuffer(y)), bytes);
  OH_NNTensor_Destroy(&x), OH_NNTensor_Destroy(&y);
  OH_NNExecutor_Destroy(&executor);
  return made;
}

/// What a build answered, and what it computes then.
struct outcome {
  OH_NN_ReturnCode code = OH_NN_SUCCESS;
  std::string result;
};
template <class SetSource> outcome build(OH_NNCompilation* c, const named_network& n, SetSource set_source) {
  set_source(c);
  outcome made;
  made.code = OH_NNCompilation_Build(c);
  made.result = result_of(c, n);
  OH_NNCompilation_Destroy(&c);
  return made;
}
constexpr auto plainly = [](OH_NNCompilation*) {};

/// A cache in a separate folder.
struct cached {
  temporary_folder folder;

  auto with_version(std::uint32_t version) {
    return [this, version](OH_NNCompilation* c) { OH_NNCompilation_SetCache(c, folder.path().c_str(), version); };
  }
  std::string file(const char* name) const { return folder.file(name); }
  ::ino_t inode(const char* name = "cache_info.nncache") const {
    struct ::stat status {};
    REQUIRE(::stat(file(name).c_str(), &status) == 0);
    return status.st_ino;
  }
};
constexpr const char* names[] = {"cache_info.nncache", "0.nncache", "1.nncache", "2.nncache"};

std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void overwrite(const std::string& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

/// The processor's file of a cache, as a program for another instruction set has it.
std::string for_another_machine(std::string program) {
  const std::size_t at = program.find(nnrt::isa);
  REQUIRE(at != program.npos);
  program[at] = 'X';
  std::uint64_t head_bytes = 0;
  std::memcpy(&head_bytes, program.data() + 8, sizeof head_bytes);
  const std::size_t checked = static_cast<std::size_t>(head_bytes) - sizeof(std::uint64_t);
  const std::uint64_t digest = nnrt::digest_of({reinterpret_cast<const std::byte*>(program.data()), checked});
  std::memcpy(program.data() + checked, &digest, sizeof digest);
  return program;
}
/// Stores these files of the processor's in the place of those in a cache.
void replace(const cached& cache, const std::vector<std::string>& programs) {
  const nnrt::c_api::cache_place place{cache.folder.path(), ""};
  const auto info = nnrt::c_api::detail::read_info(place);
  REQUIRE(bool(info));
  nnrt::c_api::byte_lists files;
  const auto add = [&](const std::string& bytes) {
    files.emplace_back(reinterpret_cast<const std::byte*>(bytes.data()),
                       reinterpret_cast<const std::byte*>(bytes.data()) + bytes.size());
  };
  for (const std::string& one : programs) add(one);
  for (std::size_t i = info->members.size() - 2; i < info->members.size(); ++i) add(content_of(place.file(i)));
  REQUIRE(bool(nnrt::c_api::store(place, {info->device, info->fingerprint}, info->version, files)));
}

std::string exported(OH_NNModel* model) {
  OH_NNCompilation* from = OH_NNCompilation_Construct(model);
  REQUIRE(OH_NNCompilation_Build(from) == OH_NN_SUCCESS);
  std::string bytes(1 << 20, '\0');
  std::size_t written = 0;
  REQUIRE(OH_NNCompilation_ExportCacheToBuffer(from, bytes.data(), bytes.size(), &written) == OH_NN_SUCCESS);
  bytes.resize(written);
  OH_NNCompilation_Destroy(&from);
  return bytes;
}

}  // namespace

TEST_CASE("the processor's cache is written once and gives the bits of a fresh build, with the model and without") {
  for (const named_network& n : networks) {
    CAPTURE(n.name);
    network made;
    n.write(made);
    const outcome fresh = build(OH_NNCompilation_Construct(made.model), n, plainly);
    REQUIRE(fresh.code == OH_NN_SUCCESS);
    cached cache;
    CHECK(build(OH_NNCompilation_Construct(made.model), n, cache.with_version(1)).result == fresh.result);
    CHECK(cache.folder.count() == 4);
    const auto written = cache.inode(), data = cache.inode("0.nncache");
    CHECK(build(OH_NNCompilation_Construct(made.model), n, cache.with_version(1)).result == fresh.result);
    CHECK(build(OH_NNCompilation_ConstructForCache(), n, cache.with_version(1)).result == fresh.result);
    CHECK(cache.inode() == written);
    CHECK(cache.inode("0.nncache") == data);
  }
}

TEST_CASE(
    "a cache of other weights, another model or a lower version is replaced; one of a higher version forbids the "
    "build") {
  network one(1), changed(2), other;
  write_lenet(one), write_lenet(changed), write_dense(other);
  const named_network &lenet = networks[1], &dense = networks[0];
  const std::string fresh = build(OH_NNCompilation_Construct(one.model), lenet, plainly).result;
  const std::string fresh_changed = build(OH_NNCompilation_Construct(changed.model), lenet, plainly).result;
  REQUIRE(fresh != fresh_changed);
  cached cache;
  REQUIRE(build(OH_NNCompilation_Construct(one.model), lenet, cache.with_version(3)).result == fresh);
  const auto first = cache.inode();
  CHECK(build(OH_NNCompilation_Construct(changed.model), lenet, cache.with_version(3)).result == fresh_changed);
  CHECK(cache.inode() != first);
  CHECK(build(OH_NNCompilation_Construct(other.model), dense, cache.with_version(3)).result ==
        build(OH_NNCompilation_Construct(other.model), dense, plainly).result);
  const auto third = cache.inode();
  CHECK(build(OH_NNCompilation_Construct(other.model), dense, cache.with_version(2)).code == OH_NN_OPERATION_FORBIDDEN);
  CHECK(cache.inode() == third);
  CHECK(build(OH_NNCompilation_Construct(other.model), dense, cache.with_version(4)).code == OH_NN_SUCCESS);
  CHECK(cache.inode() != third);
}

TEST_CASE("programs for two instruction sets that share a directory store their own, and each other's stay there") {
  const named_network& n = networks[1];
  network made(1), changed(2);
  write_lenet(made), write_lenet(changed);
  cached cache;
  const auto built = [&](const network& of) {
    return build(OH_NNCompilation_Construct(of.model), n, cache.with_version(1));
  };
  const auto restored = [&] { return build(OH_NNCompilation_ConstructForCache(), n, cache.with_version(1)); };
  const std::string fresh = built(made).result, mine = content_of(cache.file("0.nncache")),
                    theirs = for_another_machine(mine);

  replace(cache, {theirs});  // the other program came first
  CHECK(restored().code == OH_NN_INVALID_PARAMETER);
  CHECK(content_of(cache.file("0.nncache")) == theirs);
  CHECK(built(made).result == fresh);
  CHECK(cache.folder.count() == 5);
  CHECK(content_of(cache.file("0.nncache")) == mine);
  CHECK(content_of(cache.file("1.nncache")) == theirs);

  replace(cache, {theirs, mine});  // the other program came last
  const auto info = cache.inode(), data = cache.inode("1.nncache");
  CHECK(built(made).result == fresh);
  CHECK(restored().result == fresh);
  CHECK(cache.inode() == info);
  CHECK(cache.inode("1.nncache") == data);

  CHECK(built(changed).code == OH_NN_SUCCESS);  // another model keeps nothing of this one's
  CHECK(cache.folder.count() == 4);
  CHECK(built(made).result == fresh);
  replace(cache, std::vector<std::string>(8, theirs));  // more kinds of machines than exist
  CHECK(built(made).result == fresh);
  CHECK(cache.folder.count() == 4);
}

TEST_CASE("any damage to the processor's cache is seen: without the model there is none then, with it another one") {
  const named_network& n = networks[0];
  network made;
  n.write(made);
  cached cache;
  const std::string fresh = build(OH_NNCompilation_Construct(made.model), n, cache.with_version(1)).result;
  for (const char* name : names) {
    CAPTURE(name);
    const std::string whole = content_of(cache.file(name));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      std::string broken = whole;
      broken[i] = static_cast<char>(broken[i] ^ (1 << i % 8));
      overwrite(cache.file(name), broken);
      CAPTURE(i);
      REQUIRE(build(OH_NNCompilation_ConstructForCache(), n, cache.with_version(1)).code == OH_NN_INVALID_PARAMETER);
      overwrite(cache.file(name), whole.substr(0, i));
      REQUIRE(build(OH_NNCompilation_ConstructForCache(), n, cache.with_version(1)).code == OH_NN_INVALID_PARAMETER);
      if (i % 61 != 0) continue;
      const outcome again = build(OH_NNCompilation_Construct(made.model), n, cache.with_version(1));
      REQUIRE(again.code == OH_NN_SUCCESS);
      REQUIRE(again.result == fresh);
      REQUIRE(content_of(cache.file(name)) == whole);
    }
    overwrite(cache.file(name), whole);
  }
  REQUIRE(build(OH_NNCompilation_ConstructForCache(), n, cache.with_version(1)).result == fresh);
}

TEST_CASE(
    "a buffer of the processor's gives the bits of a fresh build, as a cache and as an offline model; a damaged one "
    "gives nothing") {
  for (const named_network& n : networks) {
    CAPTURE(n.name);
    network made;
    n.write(made);
    const std::string fresh = build(OH_NNCompilation_Construct(made.model), n, plainly).result,
                      bytes = exported(made.model);
    const auto import = [](const std::string& from) {
      return [&](OH_NNCompilation* c) { OH_NNCompilation_ImportCacheFromBuffer(c, from.data(), from.size()); };
    };
    CHECK(build(OH_NNCompilation_ConstructForCache(), n, import(bytes)).result == fresh);
    CHECK(build(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), bytes.size()), n, plainly).result ==
          fresh);
    // What was restored exports the same bytes.
    OH_NNCompilation* again = OH_NNCompilation_ConstructForCache();
    import(bytes)(again);
    REQUIRE(OH_NNCompilation_Build(again) == OH_NN_SUCCESS);
    std::string second(bytes.size(), '\0');
    std::size_t written = 0;
    REQUIRE(OH_NNCompilation_ExportCacheToBuffer(again, second.data(), second.size(), &written) == OH_NN_SUCCESS);
    CHECK(second == bytes);
    OH_NNCompilation_Destroy(&again);
    for (std::size_t i = 0; i < bytes.size(); i += n.write == write_dense ? 1 : 997) {
      std::string broken = bytes;
      broken[i] = static_cast<char>(broken[i] ^ 0x10);
      REQUIRE(build(OH_NNCompilation_ConstructForCache(), n, import(broken)).code == OH_NN_FAILED);
      REQUIRE(build(OH_NNCompilation_ConstructWithOfflineModelBuffer(broken.data(), broken.size()), n, plainly).code ==
              OH_NN_FAILED);
      if (i > 0)
        REQUIRE(build(OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), i), n, plainly).code ==
                OH_NN_FAILED);
    }
  }
}

TEST_CASE("an offline model is a file that a cache was exported to, or the processor's own file of a cache") {
  const named_network& n = networks[1];
  network made;
  n.write(made);
  cached cache;
  const std::string fresh = build(OH_NNCompilation_Construct(made.model), n, cache.with_version(1)).result;
  overwrite(cache.file("exported"), exported(made.model));
  for (const char* name : {"exported", "0.nncache"}) {
    CAPTURE(name);
    const std::string path = cache.file(name);
    CHECK(build(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()), n, plainly).result == fresh);
    std::string broken = content_of(path);
    broken[broken.size() - 40] = static_cast<char>(broken[broken.size() - 40] ^ 1);  // a weight
    overwrite(path, broken);
    CHECK(build(OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str()), n, plainly).code == OH_NN_FAILED);
  }
}

TEST_CASE("an offline model and an imported cache have no use for the cache of another model, and find their own") {
  const named_network &dense = networks[0], &lenet = networks[1];
  network first, second;
  dense.write(first), lenet.write(second);
  const std::string fresh = build(OH_NNCompilation_Construct(second.model), lenet, plainly).result,
                    bytes = exported(second.model);
  const temporary_folder models;
  const std::string path = models.file("lenet"), empty = models.file("empty");
  overwrite(path, bytes), overwrite(empty, "");
  const auto of_lenet = [&](int way) {
    if (way == 0) return OH_NNCompilation_ConstructWithOfflineModelFile(path.c_str());
    if (way == 1) return OH_NNCompilation_ConstructWithOfflineModelBuffer(bytes.data(), bytes.size());
    OH_NNCompilation* imported = OH_NNCompilation_ConstructForCache();
    OH_NNCompilation_ImportCacheFromBuffer(imported, bytes.data(), bytes.size());
    return imported;
  };
  for (const int way : {0, 1, 2}) {
    CAPTURE(way);
    cached cache;
    REQUIRE(build(OH_NNCompilation_Construct(first.model), dense, cache.with_version(1)).code == OH_NN_SUCCESS);
    CHECK(build(of_lenet(way), lenet, cache.with_version(1)).result == fresh);
    const auto written = cache.inode();
    for (const int other : {0, 1, 2}) CHECK(build(of_lenet(other), lenet, cache.with_version(1)).result == fresh);
    CHECK(cache.inode() == written);
    CHECK(build(OH_NNCompilation_ConstructForCache(), lenet, cache.with_version(1)).result == fresh);
    CHECK(build(OH_NNCompilation_ConstructWithOfflineModelFile(empty.c_str()), lenet, cache.with_version(1)).code ==
          OH_NN_FAILED);
    CHECK(build(OH_NNCompilation_ConstructWithOfflineModelFile(models.file("missing").c_str()), lenet,
                cache.with_version(1))
              .code == OH_NN_FAILED);
  }
}

TEST_CASE("with float16 the processor's results are near, its cache half as large and of no use for float32") {
  const named_network n{"wide", write_wide, {1, 256}, {1, 256}, OH_NN_FLOAT32};
  network made;
  n.write(made);
  cached cache;
  const auto halved = [&](OH_NNCompilation* c) {
    cache.with_version(1)(c);
    REQUIRE(OH_NNCompilation_EnableFloat16(c, true) == OH_NN_SUCCESS);
  };
  const std::string exact = build(OH_NNCompilation_Construct(made.model), n, cache.with_version(1)).result;
  const std::size_t whole = content_of(cache.file("0.nncache")).size();
  const auto first = cache.inode();
  const std::string near = build(OH_NNCompilation_Construct(made.model), n, halved).result;
  const auto second = cache.inode();
  CHECK(second != first);
  CHECK(content_of(cache.file("0.nncache")).size() * 10 < whole * 6);
  REQUIRE(near.size() == exact.size());
  CHECK(near != exact);
  for (std::size_t i = 0; i < exact.size(); i += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, exact.data() + i, sizeof a), std::memcpy(&b, near.data() + i, sizeof b);
    REQUIRE(std::abs(a - b) <= 5 * 0x1p-10F * std::max(1.0F, std::abs(a)));
  }
  CHECK(build(OH_NNCompilation_Construct(made.model), n, halved).result == near);
  CHECK(cache.inode() == second);
}
