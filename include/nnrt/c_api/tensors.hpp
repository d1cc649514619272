// tensors: quantisation parameters, tensor descriptions and tensors, as C programs hold them.
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

/// Bytes of one element; 0 for OH_NN_UNKNOWN.
inline std::size_t size_of_type(OH_NN_DataType type) {
  return static_cast<std::size_t>(size_of(static_cast<dtype>(type)));
}
inline bool is_data_type(int type) { return type >= OH_NN_UNKNOWN && type <= OH_NN_FLOAT64; }
inline bool is_format(int format) { return format >= OH_NN_FORMAT_NONE && format <= OH_NN_FORMAT_ND; }
inline bool is_tensor_type(int type) { return type >= OH_NN_TENSOR && type <= OH_NN_REDUCE_L2_COEFF; }

/// The largest number of indices, and of extents, that a list may have. API 9 had no such limit.
inline constexpr std::size_t max_list = api_level < 11 ? std::numeric_limits<std::uint32_t>::max() : 200;

/// The largest piece of shared memory.
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
  std::vector<std::int32_t> shape;  // empty: not set, or that of a scalar
  bool is_scalar = false;           // which programs cannot say, but executors
  std::string name;

  bool has_shape() const { return !shape.empty() || is_scalar; }
};

/// How many elements a shape has; DYNAMIC_SHAPE, and 0 of them, where an extent is not positive.
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

/// Why the bytes of a description's tensor cannot be counted, or nothing; `bytes`: of the tensor, 0 where an extent is
/// not positive.
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
/// The same for the function `me` that asks for the bytes.
inline OH_NN_ReturnCode count_bytes(std::string_view me, const tensor_description& desc, std::size_t& bytes) {
  const std::string fault = fault_of_size(desc, bytes);
  return fault.empty() ? OH_NN_SUCCESS : fails(OH_NN_INVALID_PARAMETER, {me, ": ", fault});
}

/// The description that belongs to a tensor: the program may change it, not destroy it.
struct description_of_tensor : tensor_description {
  static constexpr object kind = object::desc_of_tensor;
};

/// The description behind a handle, of whichever of the two kinds.
inline tensor_description* alive_description(const void* handle) {
  if (auto* const own = alive<tensor_description>(handle)) return own;
  return alive<description_of_tensor>(handle);
}

/// NN_Tensor.
struct tensor_in_memory {
  static constexpr object kind = object::tensor;
  hal::shared_memory memory;
  description_of_tensor desc;  // not the first member: handles are known by their addresses
  std::size_t size = 0;        // as the program gave it, or as its description says
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

  /// Bytes behind the first one of the data.
  std::size_t room() const { return size - offset; }
};

/// Why a tensor cannot be made, or the tensor. `size` 0: as the description says.
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

/// The same over a file of the program's.
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
  // A tensor that begins where its file ends has no byte, and no mapping.
  if (size == offset) return log({function, ": the data begin where the file ends"}), nullptr;
  auto memory = hal::shared_memory::of(fd, size - offset, offset);
  if (!memory) return log({function, ": ", memory.error().message()}), nullptr;
  return reinterpret_cast<NN_Tensor*>(
      make_object<tensor_in_memory>(*desc, std::move(*memory), size, offset, device->id_by(names_of_devices)));
}

}}}  // namespace nnrt::NNRT_ISA::c_api
