// tensors: quantisation parameters, tensor descriptions and tensors of C programs.
// Flow: models copy descriptions and parameters; executors read and fill tensors.
#pragma once

#include <nnrt/c_api/devices.hpp>
#include <nnrt/c_api/support.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace c_api {

/// Bytes of an element; 0 for OH_NN_UNKNOWN.
inline std::size_t size_of_type(OH_NN_DataType type) {
  return static_cast<std::size_t>(size_of(static_cast<dtype>(type)));
}
inline bool is_data_type(int type) { return type >= OH_NN_UNKNOWN && type <= OH_NN_FLOAT64; }
inline bool is_format(int format) { return format >= OH_NN_FORMAT_NONE && format <= OH_NN_FORMAT_ND; }
inline bool is_tensor_type(int type) { return type >= OH_NN_TENSOR && type <= OH_NN_REDUCE_L2_COEFF; }

/// Limit of the indices or extents in a list. API 9 has none.
inline constexpr std::size_t max_list = api_level < 11 ? std::numeric_limits<std::uint32_t>::max() : 200;

/// Limit of shared memory in bytes.
inline constexpr std::size_t max_shared_bytes = std::size_t{1} << 30;

/// NN_QuantParam.
struct quant_param {
  static constexpr object kind = object::quant_param;
  std::vector<double> scales;
  std::vector<std::int32_t> zero_points;
  std::vector<std::uint32_t> bits;
};

/// NN_TensorDesc.
struct tensor_description {
  static constexpr object kind = object::tensor_desc;
  OH_NN_DataType type = OH_NN_UNKNOWN;
  OH_NN_Format format = OH_NN_FORMAT_NONE;
  std::vector<std::int32_t> shape;  // empty: not set, or a scalar's
  bool is_scalar = false;           // set only by executors; programs cannot describe scalars
  std::string name;

  bool has_shape() const { return !shape.empty() || is_scalar; }
};

/// Number of elements of a shape. With an extent that is not positive, the number is 0 and the code DYNAMIC_SHAPE.
inline OH_NN_ReturnCode count_elements(const std::vector<std::int32_t>& shape, std::size_t& count) {
  count = 0;
  std::size_t all = 1;
  for (const std::int32_t extent : shape)
    if (extent <= 0) return OH_NN_DYNAMIC_SHAPE;
  for (const std::int32_t extent : shape)
    if (__builtin_mul_overflow(all, static_cast<std::size_t>(extent), &all)) return OH_NN_INVALID_PARAMETER;
  count = all;
  return OH_NN_SUCCESS;
}

/// Computes the bytes of a description's tensor, 0 if an extent is not positive. Returns why they cannot be computed;
/// empty on success.
inline std::string fault_of_size(const tensor_description& desc, std::size_t& bytes) {
  bytes = 0;
  if (!desc.has_shape()) return "the description has no shape";
  if (desc.type == OH_NN_UNKNOWN) return "the description has no data type";
  std::size_t elements = 0;
  const OH_NN_ReturnCode counted = count_elements(desc.shape, elements);
  if (counted == OH_NN_DYNAMIC_SHAPE) return {};
  if (counted == OH_NN_SUCCESS && !__builtin_mul_overflow(elements, size_of_type(desc.type), &bytes)) return {};
  bytes = 0;
  return "the description has more bytes than memory can hold";
}
/// Computes the bytes for the C function `me`, and logs a failure.
inline OH_NN_ReturnCode count_bytes(std::string_view me, const tensor_description& desc, std::size_t& bytes) {
  const std::string fault = fault_of_size(desc, bytes);
  return fault.empty() ? OH_NN_SUCCESS : fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
}

/// A tensor's description: the program may change it but not destroy it.
struct description_of_tensor : tensor_description {
  static constexpr object kind = object::desc_of_tensor;
};

/// The description that a handle of either kind names.
inline tensor_description* alive_description(const void* handle) {
  if (auto* const own = alive<tensor_description>(handle)) return own;
  return alive<description_of_tensor>(handle);
}

/// NN_Tensor.
struct tensor_in_memory {
  static constexpr object kind = object::tensor;
  hal::shared_memory memory;
  description_of_tensor desc;  // not the first member: its address is a handle distinct from the tensor's
  std::size_t size = 0;        // given by the program or computed from the description
  std::size_t offset = 0;      // of the data in the file
  std::size_t device_id;

  tensor_in_memory(const tensor_description& copied, hal::shared_memory of, std::size_t bytes, std::size_t first,
                   std::size_t device)
      : memory(std::move(of)), size(bytes), offset(first), device_id(device) {
    static_cast<tensor_description&>(desc) = copied;
    handles().add(&desc, description_of_tensor::kind);
  }
  tensor_in_memory(const tensor_in_memory&) = delete;
  tensor_in_memory& operator=(const tensor_in_memory&) = delete;
  ~tensor_in_memory() { handles().remove(&desc); }

  /// Bytes from the start of the data to the end of the memory.
  std::size_t room() const { return size - offset; }
};

/// Makes a tensor, or logs why it cannot and returns null. Without `size`, the description determines it.
inline NN_Tensor* make_tensor(std::string_view function, std::size_t device_id, const NN_TensorDesc* handle,
                              const std::size_t* size) {
  const tensor_description* const desc = alive_description(handle);
  if (desc == nullptr) return log({function, ": tensorDesc is null, was destroyed or is of another kind"}), nullptr;
  const auto device = device_of(device_id);
  if (device == nullptr) return log({function, ": no device ", device_id}), nullptr;
  std::size_t bytes = 0;
  if (count_bytes(function, *desc, bytes) != OH_NN_SUCCESS) return nullptr;
  if (size == nullptr && bytes == 0)
    return log({function, ": an extent of the description is not known, and no size is given"}), nullptr;
  const std::size_t wanted = size != nullptr ? *size : bytes;
  if (wanted == 0 || wanted < bytes || wanted > max_shared_bytes)
    return log({function, ": got ", wanted, " bytes, expected ", bytes > 0 && bytes <= max_shared_bytes ? bytes : 1,
                " to ", max_shared_bytes}),
           nullptr;
  auto memory = device->device.allocate(wanted);
  if (!memory) return log({function, ": ", memory.error().message()}), nullptr;
  return reinterpret_cast<NN_Tensor*>(
      make_object<tensor_in_memory>(*desc, std::move(*memory), wanted, 0, device->id_by(names_of_devices)));
}

/// Makes a tensor over a file of the program, or logs why it cannot.
inline NN_Tensor* map_tensor(std::string_view function, std::size_t device_id, const NN_TensorDesc* handle, int fd,
                             std::size_t size, std::size_t offset) {
  const tensor_description* const desc = alive_description(handle);
  if (desc == nullptr) return log({function, ": tensorDesc is null, was destroyed or is of another kind"}), nullptr;
  if (fd < 0) return log({function, ": got file descriptor ", fd, ", expected at least 0"}), nullptr;
  if (size == 0 || size < offset)
    return log({function, ": got size ", size, ", expected more than the offset ", offset}), nullptr;
  std::size_t bytes = 0;
  if (count_bytes(function, *desc, bytes) != OH_NN_SUCCESS) return nullptr;
  if (size - offset < bytes)
    return log({function, ": got ", size - offset, " bytes from the offset on, expected ", bytes}), nullptr;
  const auto device = device_of(device_id);
  if (device == nullptr) return log({function, ": no device ", device_id}), nullptr;
  // A tensor at the end of its file has no bytes and cannot be mapped.
  if (size == offset) return log({function, ": the data begin where the file ends"}), nullptr;
  auto memory = hal::shared_memory::of(fd, size - offset, offset);
  if (!memory) return log({function, ": ", memory.error().message()}), nullptr;
  return reinterpret_cast<NN_Tensor*>(
      make_object<tensor_in_memory>(*desc, std::move(*memory), size, offset, device->id_by(names_of_devices)));
}

}}}  // namespace nnrt::NNRT_ISA::c_api
