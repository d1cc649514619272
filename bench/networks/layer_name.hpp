// layer_name: names of layers put together from parts, in constant evaluation.
// Flow: the networks whose blocks repeat name their weights "layer1.0.conv1" by it.
#pragma once

#include <cstddef>
#include <string_view>

namespace networks {

/// Two parts and the dot between them: layer_name("layer1.0", "conv1") is "layer1.0.conv1".
struct layer_name {
  char letters[64] = {};
  std::size_t count = 0;
  constexpr layer_name(std::string_view layer, std::string_view part) {
    for (const std::string_view text : {layer, std::string_view("."), part})
      for (const char letter : text) letters[count++] = letter;
  }
  constexpr operator std::string_view() const { return {letters, count}; }
};

}  // namespace networks
