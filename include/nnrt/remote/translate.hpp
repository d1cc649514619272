// translate: converts between the driver interface and messages.
// Flow: used by remote/client.hpp and remote/served_client.hpp.
#pragma once

#include <nnrt/hal/driver.hpp>
#include <nnrt/hdi/tensors.hpp>
#include <nnrt/remote/messages.hpp>
#include <nnrt/remote/packets.hpp>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA { namespace remote {

/// Enumerations have the same names and numbers in HDI.
inline hdi::ModelConfig config_of(const hal::preferences& wanted) {
  hdi::ModelConfig made{
      wanted.float16, static_cast<hdi::PerformanceMode>(wanted.speed), static_cast<hdi::Priority>(wanted.turn), {}};
  for (const hal::extension& e : wanted.extensions) {
    std::vector<std::int8_t>& value = made.extensions[e.name];
    value.resize(e.value.size());
    if (!value.empty()) std::memcpy(value.data(), e.value.data(), value.size());
  }
  return made;
}
/// Numbers may be outside the enumerations: hal::device checks them.
inline hal::preferences preferences_of(const hdi::ModelConfig& config, std::int64_t deadline) {
  hal::preferences wanted;
  wanted.speed = static_cast<hal::performance>(config.mode), wanted.turn = static_cast<hal::priority>(config.priority);
  wanted.float16 = config.enableFloat16, wanted.deadline = deadline;
  for (const auto& [name, value] : config.extensions) {
    wanted.extensions.push_back({name, std::vector<std::byte>(value.size())});
    if (!value.empty()) std::memcpy(wanted.extensions.back().value.data(), value.data(), value.size());
  }
  return wanted;
}

/// Ending for an error; success is a code of -1.
inline ending ending_of(const error& reason) { return {static_cast<std::int32_t>(reason.code()), reason.message()}; }
inline result<void> result_of(const ending& ended) {
  if (ended.code == -1) return {};
  const bool is_known = ended.code >= 0 && ended.code <= static_cast<std::int32_t>(error_code::deadline_missed);
  const std::string_view reason =
      ended.reason.empty() ? "the driver's host gives no reason" : std::string_view(ended.reason);
  return fail(is_known ? static_cast<error_code>(ended.code) : error_code::device_failed, reason);
}

inline longs longs_of(const shape_t& shape) { return {shape.begin(), shape.end()}; }
/// False: too many axes, or an extent below -1.
inline bool take_shape(const longs& from, shape_t& shape) {
  shape = {};
  for (const std::int64_t extent : from) {
    if (extent < -1) return false;
    shape.push_back(extent);
  }
  return from.size() <= static_cast<std::size_t>(max_rank);
}

/// A desc as a tensor of HDI. Per-channel scales are not part of a desc; ones replace them.
inline hdi::Tensor tensor_of(const tensor_desc& desc, std::string_view name) {
  hdi::Tensor made;
  made.name = name;
  made.dataType = hdi::data_type_of(desc.type);
  made.format = hdi::format_of(desc.layout);
  for (const std::int64_t extent : desc.shape) made.dims.push_back(static_cast<std::int32_t>(extent));
  made.data = {-1, 0, 0, 0};
  const bool is_per_channel =
      desc.quantised.mode == quantisation::kind::per_channel && desc.quantised.axis < desc.rank();
  const std::int64_t extent = is_per_channel ? desc.shape[desc.quantised.axis] : 0;
  // a single scale for an axis of unknown extent
  const std::vector<float> ones(static_cast<std::size_t>(extent < 0 ? 1 : extent), 1.0F);
  made.quantParams = hdi::detail::quant_params_of(desc, ones, true);
  return made;
}

inline model_end end_of(const tensor_desc& desc, std::string_view name, const result<hal::extent_range>* range) {
  model_end made{tensor_of(desc, name), {}, {}, {}};
  if (range != nullptr && *range) made.least = longs_of((*range)->least), made.most = longs_of((*range)->most);
  if (range != nullptr && !*range)
    made.no_range = (*range).error().message().empty() ? "the device cannot tell" : (*range).error().message();
  return made;
}

/// Copies bytes to memory that other processes can read and nobody can change. Errors: out_of_memory, io_failed,
/// invalid_argument (the size exceeds HDI's 32 bits).
inline result<owned_fd> sealed_file_of(array_ref<const std::byte> bytes) {
  if (bytes.size() > std::numeric_limits<std::uint32_t>::max())
    return fail(error_code::invalid_argument, joined({"buffer: has ", bytes.size(), " bytes, which HDI cannot count"}));
  return detail::file_of({reinterpret_cast<const std::int8_t*>(bytes.data()), bytes.size()});
}
/// A whole file as a buffer of HDI.
inline hdi::SharedBuffer buffer_of(const owned_fd& file, std::size_t bytes) {
  return {file.number(), static_cast<std::uint32_t>(bytes), 0, static_cast<std::uint32_t>(bytes)};
}
/// Copies the data of a buffer. Error: invalid_argument (no file, a wrong size, or memory that may shrink).
inline result<std::vector<std::byte>> bytes_of(const hdi::SharedBuffer& buffer) {
  const std::uint64_t end = std::uint64_t{buffer.offset} + buffer.dataSize;
  std::vector<std::byte> made;
  if (buffer.fd < 0 || end > buffer.bufferSize || !detail::read_file(buffer.fd, buffer.offset, buffer.dataSize, made))
    return fail(error_code::invalid_argument, joined({"buffer: got ", buffer.dataSize, " bytes from ", buffer.offset,
                                                      " on of a file that is shorter, or whose end is not sealed"}));
  return made;
}

}}}  // namespace nnrt::NNRT_ISA::remote
