// resize: turns a call of hbDNNResize into the job of a task.
// Flow: task_functions.hpp checks pointers; this header checks the two images; resizer.hpp computes the pixels.
#pragma once

#include <nnrt/hb_dnn/client_tensors.hpp>
#include <nnrt/hb_dnn/runtime.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace hb_dnn {

/// Why an image of hbDNNResize is invalid; empty: it is valid. Padded rows start at multiples of 16 bytes; rows without
/// padding may have any length, as on boards.
inline diagnostic fault_of_sides(const client_image& image) {
  constexpr std::int64_t most = 4080;
  if (image.width > most || image.height > most)
    return joined({"got ", image.width, " x ", image.height, " pixels, expected sides of at most ", most});
  const bool is_row = image.type == image_type::y || image.is_nv12();
  if (is_row && image.stride != image.width && (image.stride < 16 || image.stride > most || image.stride % 16 != 0))
    return joined({"its stride: got ", image.stride, ", expected the width, ", image.width,
                   ", or a multiple of 16 up to ", most});
  return {};
}

/// Prepares the job of hbDNNResize.
[[gnu::cold]] inline std::int32_t prepare_resize(const char* me, const hbDNNTensor& output, const hbDNNTensor& input,
                                                 const hbDNNRoi* roi, std::vector<work>& made) {
  client_image from, to;
  used_memory memory(runtime::the().memory);
  for (const bool is_input : {true, false}) {
    client_image& image = is_input ? from : to;
    diagnostic wrong = find_image(memory, is_input ? input : output, 1, image);
    if (wrong.empty()) wrong = fault_of_sides(image);
    if (!wrong.empty()) return fails(HB_DNN_INVALID_ARGUMENT, {me, is_input ? ": input: " : ": output: ", wrong});
  }
  if (from.type != to.type || from.is_planar != to.is_planar)
    return fails(HB_DNN_INVALID_ARGUMENT,
                 {me, ": output: got type ", static_cast<int>(to.type), to.is_planar ? " in planes" : "",
                  ", expected the input's, ", static_cast<int>(from.type), from.is_planar ? " in planes" : ""});
  const hbDNNRoi region = roi != nullptr ? *roi
                                         : hbDNNRoi{0, 0, static_cast<std::int32_t>(from.width - 1),
                                                    static_cast<std::int32_t>(from.height - 1)};
  if (const diagnostic wrong = fault_of_region(plain_resizer, from, region, to.width, to.height); !wrong.empty())
    return fails(HB_DNN_INVALID_ARGUMENT, {me, ": ", wrong});
  const std::int64_t sides[] = {width_of(region), height_of(region)}, results[] = {to.width, to.height};
  for (int i = 0; i < 2; ++i)
    if (results[i] * 185 < sides[i] || results[i] >= 256 * sides[i])
      return fails(HB_DNN_INVALID_ARGUMENT,
                   {me, i == 0 ? ": width" : ": height", ": got ", results[i], " pixels of ", sides[i],
                    ", expected at least 1/185 of them, and fewer than 256 times as many"});
  // The job keeps the memory of both images: a client may free them before it runs.
  made.push_back([from, region, to, memory](const checkpoint& goes_on) -> result<void> {
    if (!goes_on()) return fail(error_code::deadline_missed, "the task was released");
    resize_region(plain_resizer, from, region, to);
    return {};
  });
  return HB_DNN_SUCCESS;
}

}}}  // namespace nnrt::NNRT_ISA::hb_dnn
