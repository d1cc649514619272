// resizer_test: which regions the resizer of each architecture takes, on both sides of each limit.
#include <nnrt/hb_dnn/resizer.hpp>

#include <doctest/doctest.h>
#include <nnrt/policy/accelerators.hpp>

#include <string>

using namespace nnrt;

namespace {

using hb_dnn::fault_of_region, hb_dnn::plain_resizer, hb_dnn::resizers;

hb_dnn::client_image image(std::int64_t width, std::int64_t height, std::int64_t stride = 0) {
  return {.type = image_type::nv12,
          .width = width,
          .height = height,
          .rows = height,
          .stride = stride != 0 ? stride : width};
}

}  // namespace

TEST_CASE("resizer: regions are taken up to each limit, and not beyond") {
  const hb_dnn::resizer_limits &bernoulli2 = resizers[0], &bayes = resizers[1];
  struct row {
    const char* what;
    const hb_dnn::resizer_limits& by;
    hb_dnn::client_image source;
    hbDNNRoi region;  // left, top, right, bottom
    std::int64_t width, height;
    bool is_taken;
  };
  const row table[] = {
      {"all of the image", plain_resizer, image(64, 48), {0, 0, 63, 47}, 32, 32, true},
      {"a column after it", plain_resizer, image(64, 48), {0, 0, 64, 47}, 32, 32, false},
      {"a row after it", plain_resizer, image(64, 48), {0, 0, 63, 48}, 32, 32, false},
      {"a column before it", plain_resizer, image(64, 48), {-1, 0, 63, 47}, 32, 32, false},
      {"a row before it", plain_resizer, image(64, 48), {0, -1, 63, 47}, 32, 32, false},
      {"one pixel", plain_resizer, image(64, 48), {5, 7, 5, 7}, 32, 32, true},
      {"right before left", plain_resizer, image(64, 48), {5, 7, 4, 7}, 32, 32, false},
      {"bottom above top", plain_resizer, image(64, 48), {5, 7, 5, 6}, 32, 32, false},
      {"the widest image", plain_resizer, image(4080, 16), {0, 0, 15, 15}, 16, 16, true},
      {"a wider one", plain_resizer, image(4082, 16), {0, 0, 15, 15}, 16, 16, false},
      {"bernoulli2: the least sides", bernoulli2, image(640, 480), {0, 0, 15, 15}, 16, 16, true},
      {"bernoulli2: less width", bernoulli2, image(640, 480), {0, 0, 13, 15}, 16, 16, false},
      {"bernoulli2: less height", bernoulli2, image(640, 480), {0, 0, 15, 13}, 16, 16, false},
      {"bernoulli2: the largest sides", bernoulli2, image(640, 480), {2, 2, 255, 255}, 128, 128, true},
      {"bernoulli2: more width", bernoulli2, image(640, 480), {0, 2, 255, 255}, 256, 128, false},
      {"bernoulli2: more height", bernoulli2, image(640, 480), {2, 0, 255, 255}, 128, 256, false},
      {"bernoulli2: odd left", bernoulli2, image(640, 480), {1, 0, 17, 17}, 16, 16, false},
      {"bernoulli2: odd top", bernoulli2, image(640, 480), {0, 1, 17, 17}, 16, 16, false},
      {"bernoulli2: even right", bernoulli2, image(640, 480), {0, 0, 18, 17}, 16, 16, false},
      {"bernoulli2: even bottom", bernoulli2, image(640, 480), {0, 0, 17, 18}, 16, 16, false},
      {"bernoulli2: eight times as wide and high", bernoulli2, image(640, 480), {0, 0, 15, 15}, 128, 128, true},
      {"bernoulli2: wider", bernoulli2, image(640, 480), {0, 0, 15, 15}, 130, 128, false},
      {"bernoulli2: higher", bernoulli2, image(640, 480), {0, 0, 15, 15}, 128, 130, false},
      {"bernoulli2: more than half", bernoulli2, image(640, 480), {0, 0, 99, 99}, 52, 52, true},
      {"bernoulli2: half the width", bernoulli2, image(640, 480), {0, 0, 99, 99}, 50, 52, false},
      {"bernoulli2: half the height", bernoulli2, image(640, 480), {0, 0, 99, 99}, 52, 50, false},
      {"bayes: the least sides, anywhere", bayes, image(640, 480), {3, 5, 4, 6}, 2, 2, true},
      {"bayes: less width", bayes, image(640, 480), {3, 5, 3, 6}, 2, 2, false},
      {"bayes: less height", bayes, image(640, 480), {3, 5, 4, 5}, 2, 2, false},
      {"bayes: the widest image", bayes, image(4096, 480), {0, 0, 4095, 15}, 2048, 16, true},
      {"bayes: a wider one", bayes, image(4112, 480), {0, 0, 15, 15}, 16, 16, false},
      {"bayes: the highest region", bayes, image(16, 5000), {0, 0, 15, 4095}, 16, 2048, true},
      {"bayes: a higher one", bayes, image(16, 5000), {0, 0, 15, 4096}, 16, 2048, false},
      {"bayes: the longest rows", bayes, image(64, 48, 131072), {0, 0, 15, 15}, 16, 16, true},
      {"bayes: longer ones", bayes, image(64, 48, 131088), {0, 0, 15, 15}, 16, 16, false},
      {"bayes: rows of no whole 16 bytes", bayes, image(64, 48, 72), {0, 0, 15, 15}, 16, 16, false},
      {"bayes: rows of less than 16 bytes", bayes, image(8, 48), {0, 0, 7, 15}, 16, 16, false},
      {"bayes: steps of less than four pixels", bayes, image(640, 480), {0, 0, 399, 399}, 101, 101, true},
      {"bayes: steps of four columns", bayes, image(640, 480), {0, 0, 400, 399}, 101, 101, false},
      {"bayes: steps of four rows", bayes, image(640, 480), {0, 0, 399, 400}, 101, 101, false},
      {"bayes: a single column", bayes, image(640, 480), {0, 0, 15, 15}, 1, 16, false},
      {"bayes: a single row", bayes, image(640, 480), {0, 0, 15, 15}, 16, 1, false},
  };
  for (const row& r : table) {
    CAPTURE(r.what);
    const std::string fault = fault_of_region(r.by, r.source, r.region, r.width, r.height);
    CAPTURE(fault);
    CHECK(fault.empty() == r.is_taken);
  }
}

TEST_CASE("resizer: what is wrong with a region says which number, got and expected") {
  const hb_dnn::resizer_limits &bernoulli2 = resizers[0], &bayes = resizers[1];
  const auto words = [](const hb_dnn::resizer_limits& by, const hb_dnn::client_image& source, const hbDNNRoi& roi,
                        int width, int height) { return fault_of_region(by, source, roi, width, height); };
  const std::string region = "region [left 0, top 0, right 15, bottom 15]: ";
  CHECK(words(bernoulli2, image(640, 480), {1, 0, 16, 15}, 16, 16) ==
        "region [left 1, top 0, right 16, bottom 15]: left and top must be even, right and bottom odd");
  CHECK(words(bernoulli2, image(640, 480), {0, 0, 13, 15}, 16, 16) ==
        "region [left 0, top 0, right 13, bottom 15]: width: got 14 pixels, expected 16 to 255");
  CHECK(words(bernoulli2, image(640, 480), {0, 0, 15, 15}, 16, 8) ==
        region + "height: got 8 pixels of 16, expected more than half as many, and at most 8 times");
  CHECK(words(bayes, image(4112, 480), {0, 0, 15, 15}, 16, 16) == "the image: got 4112 columns, expected at most 4096");
  CHECK(words(bayes, image(64, 48, 72), {0, 0, 15, 15}, 16, 16) ==
        "the image's stride: got 72, expected a multiple of 16 from 16 to 131072");
  CHECK(words(bayes, image(640, 480), {0, 0, 15, 15}, 1, 16) ==
        region +
            "width: got 1 pixels of 16, expected at least 2 of them, and a step of at most 262143 of 1/65536 pixel");
}

TEST_CASE("resizer: bayes_e has that of bayes") {
  CHECK(&hb_dnn::resizer_of(bernoulli2::table) == &resizers[0]);
  CHECK(&hb_dnn::resizer_of(bayes::table) == &resizers[1]);
  CHECK(&hb_dnn::resizer_of(bayes_e::table) == &resizers[1]);
}
