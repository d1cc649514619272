// embedded_self: this very file, embedded by every unit that includes it.
#pragma once

#include <nnrt/io/embed.hpp>

namespace embedded_self {
NNRT_EMBED(header_text, __FILE__);
}  // namespace embedded_self
