// networks: compiled models that the tests of hbDNN load, and what a session gives for the same network.
// Flow: networks.cpp makes them; tests load their bytes by the C functions.
#pragma once

#include <nnrt/policy/image_input.hpp>

#include <memory>
#include <string>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {
struct saved_model;  // in io/saved_model.hpp
}}                   // namespace nnrt::NNRT_ISA

namespace nnrt_test {

using network = std::shared_ptr<const nnrt::saved_model>;

/// Of NV12 images, 24 x 12 (rows are aligned to 32), seen as RGB: "map" f32 [N, 6, 12, 8], "scores" f32 [N, 10]. N is
/// 1, or 4.
network camera(const char* architecture = "bayes", int batch = 1);
/// camera() for another type of image.
network camera_of(nnrt::image_type given, nnrt::colours seen);
/// camera(), compiled so that it reads pixels - 128 as i8 and has mean and scale in its first
/// layer.
network camera_of_pixels(const char* architecture = "bayes");
/// "patch", NV12 from the resizer, 16 x 16 seen as YUV; `batch` times. "offset", f32 [N, 1, 1, 4]. "y" f32 [N, 4].
network patches(const char* architecture = "bayes", int batch = 1);
/// What a session gives for the network of "patches", a batch of 1: NV12 of 16 x 16, and the offsets.
std::vector<float> patches_run(const char* architecture, const std::vector<std::uint8_t>& nv12, const float* offset);
/// Of quantised values: "x" i8 [1, 5, 7, 6], "y" i8 [1, 5, 7, 20].
network stored(const char* architecture);
/// stored() whose "y" holds accumulators: i32 [1, 5, 7, 20], a scale for each channel.
network sums(const char* architecture);
/// That of quantised values; "x" is given and "y" is got in four bits.
network halves(const char* architecture);
/// "a", "b" f32 [2, 3, 5, 4]; "sum", "product" alike.
network pair();
/// "x" f32 [1]: "next" is x + 1, "rank" is x.
network counter();
/// "x" f32 [1], a state "total" f32 [1]: what it becomes is total + x, "doubled" is twice that.
network total();
/// "x" f32 [4]: "y" is x and a weight, which runs read where it lies.
network weighted();
/// "x" f32 [1, 48, 48, 16], through many layers, a few milliseconds each; "y" likewise.
network slow();
/// "at" i32 [2]: "y" f32 [2, 3], those rows of a table of 4. Other indices fail.
network rows_of_table();

/// "x" and "y" f32 [0, 4].
network of_no_items();
/// "x" and "y" of quantised values: i8 with zero point 100, u8 with zero point 200.
network moved(bool is_unsigned);

/// A copy of the network with this name.
network renamed(const network& one, const std::string& name);
/// `count` copies of the network, with different names.
std::vector<network> many(const network& one, int count);
/// The bytes of a file.
std::string bytes_of(const std::vector<network>& networks);

}  // namespace nnrt_test
