// weighed: a graph as a model, whose weights (of dtype f32) have the numbers that follow from their names.
#pragma once

#include "support/graphs.hpp"

#include <nnrt/io/model.hpp>
#include <nnrt/io/weights_builder.hpp>

#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace nnrt_test {

inline model weighed(ir::graph g) {
  weights_builder builder;
  for (const ir::value& v : g.values) {
    if (v.is != ir::kind::weight) continue;
    const std::vector<float> numbers = numbers_named(g.name_of(v.name), v.desc.elements(), 1);
    const std::span<std::byte> bytes = builder.allocate(numbers.size() * sizeof(float));
    if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    builder.add(g.name_of(v.name), f32, v.desc.shape, bytes);
  }
  return {std::move(g), *std::move(builder).finish()};
}

}  // namespace nnrt_test
