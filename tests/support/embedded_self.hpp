// embedded_self: this very file, embedded by every unit that includes it.
#pragma once

#include <nnrt/io/embed.hpp>

#include <cstddef>

namespace embedded_self {
NNRT_EMBED(header_text, __FILE__);

/// Where the unit of embed_test.cpp has them.
const std::byte* header_text_of_another_unit();
}  // namespace embedded_self
