// blocks: common parts of batch_to_space_nd and space_to_batch_nd - rules about blocks and borders, mapping of pixels.
// Flow: used by infer and reference of both; kernels call inside() for the pixels inside a border.
#pragma once

#include <nnrt/core/algorithm.hpp>
#include <nnrt/core/operator.hpp>

namespace nnrt { inline namespace NNRT_ISA { namespace ops::detail {

/// Checks an image and its blocks.
template <class Rule> constexpr verdict check_blocks(const tensor_desc& x, extent2 block) {
  if (auto v = require(Rule::input_rank_must_be_4, x.rank(), 4); !v) return v;
  if (x.layout == format::nchw) return require(Rule::input_must_be_nhwc, x.layout, format::nhwc);
  for (const std::int64_t length : {block.h, block.w}) {
    if (auto v = require_at_least(Rule::block_must_be_positive, length, 1); !v) return v;
    if (auto v = require_at_most(Rule::block_must_not_exceed_the_size_limit, length, max_elements); !v) return v;
  }
  return {};
}

/// Checks a border: no numbers (zeros), or four that are not negative: top, bottom, left, right.
template <class Rule> constexpr verdict check_border(const int_list<4>& border, Rule count, Rule negative, Rule large) {
  if (!border.empty())
    if (auto v = require(count, border.count, 4); !v) return v;
  for (const std::int64_t pixels : border) {
    if (auto v = require_at_least(negative, pixels, 0); !v) return v;
    if (auto v = require_at_most(large, pixels, max_elements); !v) return v;
  }
  return {};
}

/// Position of a pixel in the images of blocks: batch index n + batch * (h % block.h * block.w + w % block.w).
struct block_place {
  std::int64_t n, h, w;
};
constexpr block_place place_in_blocks(extent2 block, std::int64_t batch, std::int64_t n, std::int64_t h,
                                      std::int64_t w) {
  return {n + batch * (h % block.h * block.w + w % block.w), h / block.h, w / block.w};
}

/// The i with 0 <= i < count and 0 <= i * step + offset < extent: [first, last).
struct pixels_inside {
  std::int64_t first, last;
  constexpr std::int64_t count() const { return std::max<std::int64_t>(last - first, 0); }
};
constexpr pixels_inside inside(std::int64_t count, std::int64_t step, std::int64_t offset, std::int64_t extent) {
  const std::int64_t first = offset < 0 ? (step - 1 - offset) / step : 0;
  const std::int64_t last = extent > offset ? (extent - offset - 1) / step + 1 : 0;
  return {first, std::min(last, count)};
}

}}}  // namespace nnrt::NNRT_ISA::ops::detail
