// calibration_report: the accuracy of a quantised network, layer by layer, as an HTML page with pictures.
// Flow: calibrate() fills the layer reports; html_report() turns them into one self-contained file.
#pragma once

#include <nnrt/exec/calibration.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace nnrt { inline namespace NNRT_ISA {

namespace detail {

/// Escapes text for HTML content and attributes.
[[gnu::cold]] inline std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  return out;
}
template <class... Numbers> [[gnu::cold]] std::string formatted(const char* pattern, Numbers... numbers) {
  char text[512];
  std::snprintf(text, sizeof text, pattern, numbers...);
  return text;
}
/// A number that a picture can show; `otherwise` if it is not finite.
inline double drawable(double x, double otherwise) { return math::is_finite(x) ? x : otherwise; }

/// A chart with one bar for each layer, from 0 to the largest; a bar's title names the layer.
[[gnu::cold]] inline std::string bar_chart(std::string_view title, std::string_view unit,
                                           const std::vector<layer_report>& layers,
                                           double (*value)(const layer_report&)) {
  constexpr double width = 920, height = 150;
  double largest = 0;
  for (const layer_report& r : layers) largest = std::max(largest, drawable(value(r), 0));
  std::string out = "<figure><figcaption>" + html_text(title) + formatted(" (0 … %.4g ", largest) + html_text(unit) +
                    ")</figcaption>";
  out += formatted("<svg viewBox=\"0 0 %g %g\" role=\"img\">", width, height);
  const double step = width / static_cast<double>(std::max<std::size_t>(layers.size(), 1));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const double shown = drawable(value(layers[i]), 0),
                 length = largest > 0 ? std::max(shown, 0.0) / largest * (height - 2) : 0;
    out += formatted("<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
                     static_cast<double>(i) * step + step * 0.1, height - length, step * 0.8, length);
    out += html_text(layers[i].op + " " + layers[i].name) + formatted(": %.6g ", shown) + html_text(unit) +
           "</title></rect>";
  }
  return out + "</svg></figure>\n";
}

/// The range of a tensor, and in it the quantised range, on one axis for all layers of the page.
[[gnu::cold]] inline std::string range_picture(const layer_report& r, double largest) {
  const auto at = [&](double x) {
    return 100 + (largest > 0 ? std::clamp(drawable(x, 0) / largest, -1.0, 1.0) * 98 : 0.0);
  };
  const double low = at(double{r.low}), high = at(double{r.high}), quantised_low = at(-double{r.threshold}),
               quantised_high = at(double{r.threshold});
  return "<svg class=\"range\" viewBox=\"0 0 200 14\">" +
         formatted("<rect class=\"stored\" x=\"%.2f\" y=\"1\" width=\"%.2f\" height=\"12\"/>", quantised_low,
                   quantised_high - quantised_low) +
         formatted("<rect class=\"bar\" x=\"%.2f\" y=\"4\" width=\"%.2f\" height=\"6\"/><path d=\"M100 0V14\"/></svg>",
                   low, std::max(high - low, 0.5));
}

[[gnu::cold]] inline std::string report_row(const layer_report& r, double largest) {
  const bool is_poor = r.cosine < 0.99 || r.saturated > 0.01;
  return (is_poor ? "<tr class=\"poor\"><td>" : "<tr><td>") + html_text(r.op) + "</td><td>" + html_text(r.name) +
         "</td><td>" + range_picture(r, largest) +
         formatted("</td><td>%.4g … %.4g</td><td>%.4g</td><td>%.5g</td><td>", double{r.low}, double{r.high},
                   double{r.threshold}, double{r.scale}) +
         html_text(name_of(r.method)) +
         formatted("</td><td>%.6f</td><td>%.1f</td><td>%.3f</td></tr>\n", r.cosine, r.signal_to_noise,
                   100 * r.saturated);
}

}  // namespace detail

/// An HTML page about a calibration, with styles and SVG pictures, without scripts. For each quantised tensor it shows
/// its range, quantised range, scale, method, cosine similarity, signal to noise and saturation. Charts show the last
/// three over all layers. Layers with a cosine below 0.99 or more than 1 % saturated elements are marked.
[[gnu::cold]] inline std::string html_report(const std::vector<layer_report>& layers,
                                             std::string_view title = "Calibration") {
  double largest = 0;
  for (const layer_report& r : layers)
    for (const float end : {r.low, r.high, r.threshold})
      largest = std::max(largest, detail::drawable(std::fabs(double{end}), 0));
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
                    detail::html_text(title) + "</title>\n<style>\n";
  out +=
      "body{font:14px/1.4 system-ui,sans-serif;margin:2em auto;max-width:72em;padding:0 "
      "1em;color:#222;background:#fff}\n"
      "table{border-collapse:collapse;width:100%}td,th{padding:.2em .6em;text-align:right;border-bottom:1px solid "
      "#ddd}\n"
      "td:nth-child(-n+2),th:nth-child(-n+2){text-align:left}tr.poor td{background:#fdecea}\n"
      "figure{margin:1em "
      "0}figcaption{color:#555}svg{width:100%;height:150px;background:#f7f7f7}svg.range{width:200px;height:14px}\n"
      ".bar{fill:#3b6fb6}.stored{fill:#cfe0f5}path{stroke:#888;stroke-width:.5}\n"
      "</style></head><body>\n";
  out += "<h1>" + detail::html_text(title) + "</h1>\n<p>" + std::to_string(layers.size()) +
         " stored tensors. In the column “range” the dark bar is what the samples held, the light one what is stored "
         "without saturation.</p>\n";
  out += detail::bar_chart("Loss of cosine similarity, 1 − cosine", "", layers,
                           [](const layer_report& r) { return 1 - r.cosine; });
  out += detail::bar_chart("Signal to noise", "dB", layers, [](const layer_report& r) { return r.signal_to_noise; });
  out += detail::bar_chart("Saturated elements", "%", layers, [](const layer_report& r) { return 100 * r.saturated; });
  out +=
      "<table><thead><tr><th>operator<th>name<th>range<th>least … "
      "largest<th>threshold<th>scale<th>method<th>cosine<th>dB<th>% saturated</tr></thead><tbody>\n";
  for (const layer_report& r : layers) out += detail::report_row(r, largest);
  return out + "</tbody></table>\n</body></html>\n";
}

}}  // namespace nnrt::NNRT_ISA
