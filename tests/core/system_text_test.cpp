// system_text_test: numbers of errors as text, known ones and others.
#include <nnrt/core/system_text.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <string_view>

TEST_CASE("system_text: an error's number is what the system says of it, and another number has a text, too") {
  CHECK(nnrt::system_text(ENOENT).view() == "No such file or directory");
  CHECK(nnrt::system_text(EACCES).view() == "Permission denied");
  CHECK_FALSE(nnrt::system_text(-12345).view().empty());
  CHECK(std::string_view(nnrt::system_text::said(EINVAL, "")) == "unknown error");  // of the kind that gives a number
  CHECK(std::string_view(nnrt::system_text::said(0, "text")) == "text");
}
