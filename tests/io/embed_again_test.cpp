// embed: the second unit that includes embedded_self.hpp.
#include "../support/embedded_self.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("embed: a header in two units embeds one copy") {
  CHECK(embedded_self::header_text.data() == embedded_self::header_text_of_another_unit());
  const std::string text(reinterpret_cast<const char*>(embedded_self::header_text.data()),
                         embedded_self::header_text.size());
  CHECK(text.find("this very file") != text.npos);
}
