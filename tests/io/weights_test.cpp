// weights: opening, borrowing, copying, making, finding, and how long bytes live.
#include "../support/safetensors_bytes.hpp"
#include "../support/temporary_folder.hpp"

#include <nnrt/io/make_weights.hpp>
#include <nnrt/io/weights.hpp>
#include <nnrt/io/write_file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace {

const float kernel[] = {1, 2, 3, 4, 5, 6};
const std::int8_t zeros[] = {0, 0, 0};

nnrt::weights small(nnrt::layout order = nnrt::layout::native) {
  const nnrt::weights::entry tensors[] = {nnrt::tensor_of<float>("conv.weight", {2, 3}, kernel),
                                          nnrt::tensor_of<std::int8_t>("bias", {3}, zeros)};
  const nnrt::metadata_entry texts[] = {{"made by", "a test"}};
  return *nnrt::make_weights(tensors, texts, order);
}

std::vector<std::byte> small_bytes() {
  const nnrt::weights made = small();
  return *nnrt::safetensors::serialize(made.entries(), made.metadata());
}

void check_small(const nnrt::weights& w) {
  REQUIRE(w.entries().size() == 2);
  CHECK(w.entries()[0].name == "bias");
  const nnrt::weights::entry* found = w.find("conv.weight");
  REQUIRE(found != nullptr);
  CHECK(found->type == nnrt::f32);
  CHECK(found->shape == nnrt::shape_t{2, 3});
  REQUIRE(found->bytes.size() == sizeof kernel);
  CHECK(std::memcmp(found->bytes.data(), kernel, sizeof kernel) == 0);
  REQUIRE(w.metadata("made by") != nullptr);
  CHECK(*w.metadata("made by") == "a test");
}

}  // namespace

TEST_CASE("weights: what was saved is what opens, by each way in") {
  const temporary_folder folder;
  const std::string path = folder.file("w.safetensors");
  REQUIRE(nnrt::save_weights(path, small()));
  const auto opened = nnrt::weights::open(path);
  REQUIRE(opened);
  check_small(*opened);
  const std::vector<std::byte> file = small_bytes();
  const auto parsed = nnrt::weights::parse(file);
  REQUIRE(parsed);
  check_small(*parsed);
  CHECK(parsed->find("bias")->bytes.data() > file.data());
  CHECK(parsed->find("bias")->bytes.data() < file.data() + file.size());
  check_small(small());
}

TEST_CASE("weights: a name that is not there is not found") {
  const nnrt::weights w = small();
  for (const char* name : {"", "bia", "biass", "a", "zzz", "conv.weight "}) {
    CAPTURE(name);
    CHECK(w.find(name) == nullptr);
  }
  CHECK(w.metadata("made") == nullptr);
}

TEST_CASE("weights: nothing is a set of weights too") {
  const nnrt::weights none;
  CHECK(none.entries().empty());
  CHECK(none.metadata().empty());
  CHECK(none.find("x") == nullptr);
  CHECK(none.order() == nnrt::layout::native);
  const auto made = nnrt::make_weights({});
  REQUIRE(made);
  CHECK(made->entries().empty());
}

TEST_CASE("weights: the bytes live as long as one copy of the handle, whatever happens to their source") {
  const temporary_folder folder;
  const std::string path = folder.file("w.safetensors");
  REQUIRE(nnrt::save_weights(path, small()));
  nnrt::weights copy, owned, made;
  {
    const nnrt::weights opened = *nnrt::weights::open(path);
    copy = opened;
    std::vector<std::byte> file = small_bytes();
    owned = *nnrt::weights::parse_copy(file);
    std::fill(file.begin(), file.end(), std::byte{0xAA});
    const std::vector<float> elements(6, 1.5F);
    std::string name = "a name too long for the small-string buffer of any library";
    const nnrt::weights::entry tensors[] = {nnrt::tensor_of<float>(name, {6}, elements)};
    made = *nnrt::make_weights(tensors);
    name.assign(name.size(), '?');
  }
  std::filesystem::remove(path);
  check_small(copy);
  check_small(owned);
  REQUIRE(made.find("a name too long for the small-string buffer of any library") != nullptr);
  CHECK(reinterpret_cast<const float*>(made.entries()[0].bytes.data())[5] == 1.5F);
}

TEST_CASE("weights: made tensors start at cache lines, opened ones at their element size") {
  const nnrt::weights made = small();
  for (const auto& entry : made.entries()) CHECK(reinterpret_cast<std::uintptr_t>(entry.bytes.data()) % 64 == 0);
  const temporary_folder folder;
  REQUIRE(nnrt::save_weights(folder.file("w"), made));
  const nnrt::weights opened = *nnrt::weights::open(folder.file("w"));
  CHECK(reinterpret_cast<std::uintptr_t>(opened.find("conv.weight")->bytes.data()) % 8 == 0);
}

TEST_CASE("weights: the order that a file was opened with stays with the handle") {
  const std::vector<std::byte> file = small_bytes();
  CHECK(nnrt::weights::parse(file)->order() == nnrt::layout::native);
  CHECK(nnrt::weights::parse(file, nnrt::layout::pytorch)->order() == nnrt::layout::pytorch);
  CHECK(nnrt::weights::parse_copy(file, nnrt::layout::pytorch)->order() == nnrt::layout::pytorch);
  CHECK(small(nnrt::layout::pytorch).order() == nnrt::layout::pytorch);
}

TEST_CASE("weights: an error of opening begins with the path, once, and names tensor and reason") {
  const temporary_folder folder;
  const std::string path = folder.file("w.safetensors");
  const auto missing = nnrt::weights::open(path);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message() == path + ": cannot open: No such file or directory");
  const auto broken = file_of(R"({"fc.weight":{"dtype":"F32","shape":[3],"data_offsets":[0,4]}})", 4);
  REQUIRE(nnrt::write_file(path, broken));
  const auto opened = nnrt::weights::open(path);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message() ==
        path + ": tensor \"fc.weight\": data_offsets [0, 4] hold 4 bytes, expected 12 for F32 [3]");
  CHECK(opened.error().code() == nnrt::error_code::invalid_file);
  const auto unsaved = nnrt::save_weights(folder.file("no/such/folder"), small());
  REQUIRE_FALSE(unsaved);
  CHECK(unsaved.error().message().substr(0, path.size() - 13) ==
        folder.file("no/such/folder").substr(0, path.size() - 13));
}
