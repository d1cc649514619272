#include <nnrt/exec/calibration_report.hpp>

#include <doctest/doctest.h>

#include <limits>

using namespace nnrt;

namespace {

std::vector<layer_report> two_layers() {
  layer_report good{"stem", "conv2d", -1.5F, 3, 2.54F, 0.02F, calibration_method::kl, 0.9995, 31.25, 0.002};
  layer_report poor{"a<b & \"c\"", "add", 0, 1, 1, 0.01F, calibration_method::max, 0.95, 12, 0.25};
  return {good, poor};
}
std::size_t count_of(std::string_view part, std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("calibration_report: each layer has a row with its numbers, and a bar in each picture") {
  const std::string page = html_report(two_layers(), "digits on bayes");
  CHECK(count_of("<title>digits on bayes</title>", page) == 1);
  CHECK(count_of("<tr><td>conv2d</td><td>stem</td>", page) == 1);
  CHECK(
      page.find("<td>-1.5 … 3</td><td>2.54</td><td>0.02</td><td>kl</td><td>0.999500</td><td>31.2</td><td>0.200</td>") !=
      page.npos);
  CHECK(count_of("<title>conv2d stem: 31.25 dB</title>", page) == 1);
  CHECK(count_of("<title>conv2d stem: 0.2 %</title>", page) == 1);
  CHECK(count_of("<figure>", page) == 3);
  CHECK(count_of("<svg class=\"range\"", page) == 2);
}

TEST_CASE("calibration_report: layers that lose much are marked, names are text and never tags") {
  const std::string page = html_report(two_layers());
  CHECK(count_of("<tr class=\"poor\"><td>add</td><td>a&lt;b &amp; &quot;c&quot;</td>", page) == 1);
  CHECK(count_of("class=\"poor\"", page) == 1);
  CHECK(page.find("a<b") == page.npos);
}

TEST_CASE("calibration_report: the page asks for nothing from elsewhere, and every tag of its tables is closed") {
  const std::string page = html_report(two_layers());
  for (const char* outside : {"http", "<script", "<link", "src=", "url(", "@import"})
    CHECK(page.find(outside) == page.npos);
  for (const char* tag : {"svg", "figure", "table", "tbody", "body", "html", "style"}) {
    CAPTURE(tag);
    CHECK(count_of(std::string("<") + tag, page) == count_of(std::string("</") + tag, page));
  }
}

TEST_CASE("calibration_report: no layers, and numbers that are none, still make a page") {
  CHECK(count_of("<figure>", html_report({})) == 3);
  layer_report strange;
  strange.low = -std::numeric_limits<float>::infinity();
  strange.cosine = strange.signal_to_noise = std::numeric_limits<double>::quiet_NaN();
  const std::string page = html_report({strange});
  CHECK(count_of("width=\"nan\"", page) + count_of("height=\"nan\"", page) + count_of("x=\"nan\"", page) +
            count_of("x=\"-inf\"", page) + count_of("\"inf\"", page) ==
        0);
}
