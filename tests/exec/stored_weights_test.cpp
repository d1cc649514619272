// stored_weights_test: executors whose weights were stored and restored compute the same bits, and bytes that are not
// the weights of just this network are refused, damaged ones always.
#include <nnrt/exec/stored_weights.hpp>
#include <nnrt/io/write_file.hpp>
#include <nnrt/nnrt.hpp>

#include <doctest/doctest.h>

#include "support/forged.hpp"
#include "support/networks.hpp"
#include "support/temporary_folder.hpp"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace nnrt;
using namespace nnrt_test;

/// A weight that is packed, and two that steps read as they lie in the file.
constexpr auto dense = [](builder& g) {
  auto x = g.input<f32, shape<2, 40>>("x");
  auto h = layers::full_connection<24>(x, "fc");
  g.output("y", h * g.weight<f32, shape<24>>("by") + g.weight<f32, shape<1>>("and"));
};
/// `dense` with another name, another attribute, another constant.
constexpr auto dense_of_another_name = [](builder& g) {
  auto x = g.input<f32, shape<2, 40>>("x");
  auto h = layers::full_connection<24>(x, "fc");
  g.output("y", h * g.weight<f32, shape<24>>("of") + g.weight<f32, shape<1>>("and"));
};
constexpr auto clamped_dense = [](builder& g) {
  auto x = g.input<f32, shape<2, 40>>("x");
  auto h = relu(layers::full_connection<24>(x, "fc"));
  g.output("y", h * g.weight<f32, shape<24>>("by") + g.weight<f32, shape<1>>("and"));
};
constexpr auto affine_by_another_constant = [](builder& g) {
  auto x = g.input<f32, shape<1, 4>>("x");
  auto w = g.constant<f32, shape<2, 4>>({1, 2, 3, 4, 5, 6, 7, 9});
  auto b = g.constant<f32, shape<2>>({0.5F, -0.5F});
  g.output("y", full_connection(x, w, b, relu));
};

template <class G> executor<G> fresh(std::uint32_t seed = 1) {
  auto made = executor<G>::create(weights_for<G>(seed));
  REQUIRE(made);
  return std::move(*made);
}
template <class G> byte_list stored(std::uint32_t seed = 1) {
  auto bytes = store_weights(fresh<G>(seed));
  REQUIRE(bytes);
  return std::move(*bytes);
}
template <class G> result<executor<G>> restored(const byte_list& bytes, const options& wanted = {}) {
  return restore_executor<executor<G>>(shared_bytes::copy_of(bytes), wanted);
}
template <class G> std::string refusal_of(const byte_list& bytes) {
  const auto made = restored<G>(bytes);
  return made ? std::string() : std::string(made.error().message());
}

template <class G> void check_same_bits() {
  auto original = fresh<G>();
  const byte_list bytes = stored<G>();
  for (const int threads : {1, 2}) {
    options wanted;
    wanted.threads = threads;
    auto back = restored<G>(bytes, wanted);
    REQUIRE(back);
    for (std::uint32_t seed = 1; seed < 4; ++seed) {
      const std::vector<float> x = input_for<G>(0, seed);
      CHECK(copied((*back)(x)) == copied(original(x)));
    }
  }
}

TEST_CASE("stored weights: an executor that is restored computes the same bits, by any number of threads") {
  check_same_bits<graph<affine>>();
  check_same_bits<graph<branches>>();
  check_same_bits<graph<large>>();
  check_same_bits<graph<dense>>();
}

TEST_CASE("stored weights: other weights of the same network give other results") {
  const std::vector<float> x = input_for<graph<dense>>();
  auto first = restored<graph<dense>>(stored<graph<dense>>(1)),
       second = restored<graph<dense>>(stored<graph<dense>>(2));
  REQUIRE(first);
  REQUIRE(second);
  CHECK(copied((*first)(x)) != copied((*second)(x)));
}

TEST_CASE("stored weights: they are the same bytes each time, and what is read in packed form alone is there once") {
  const byte_list bytes = stored<graph<large>>();
  CHECK(stored<graph<large>>() == bytes);
  const auto back = restored<graph<large>>(bytes);
  REQUIRE(back);
  CHECK(store_weights(*back).value() == bytes);
  // 8*3*3*(4 + 8) weights and 16 numbers of biases; as Winograd's method has them four times as many, in whole vectors.
  CHECK(bytes.size() < 20'000);
}

TEST_CASE(
    "stored weights: they are read where a file is mapped, or where the program has them, as long as somebody shares "
    "them") {
  using net = graph<branches>;
  auto original = fresh<net>();
  const std::vector<float> x = input_for<net>();
  const std::vector<float> expected = copied(original(x));
  const byte_list bytes = stored<net>();

  const temporary_folder folder;
  const std::string path = folder.file("weights");
  REQUIRE(write_file(path, bytes));
  auto mapped = restore_executor<executor<net>>(shared_bytes(mapped_file::open(path).value()));
  REQUIRE(mapped);
  std::optional<executor<net>> shared_one(mapped->share());
  mapped = fail(error_code::invalid_argument, "gone");
  REQUIRE(write_file(path, byte_list{}));  // another file takes its name: the mapping stays what it was
  CHECK(copied((*shared_one)(x)) == expected);

  std::vector<std::byte> room(bytes.size() + 64);
  std::byte* const first = room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64);
  std::memcpy(first, bytes.data(), bytes.size());
  const std::uint64_t size = bytes.size();
  auto embedded = restore_executor<executor<net>>(embedded_file(first, &size));
  REQUIRE(embedded);
  CHECK(copied((*embedded)(x)) == expected);

  std::memmove(first + 8, first, bytes.size() - 8);
  const auto astray = restore_executor<executor<net>>(embedded_file(first + 8, &size));
  REQUIRE(!astray);
  CHECK(astray.error().message() == "stored weights: lies at an address that is no multiple of 64");
}

TEST_CASE("stored weights: damage to any byte is seen, and so is any end that is missing") {
  const byte_list whole = stored<graph<dense>>();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    byte_list broken = whole;
    broken[i] ^= std::byte{0x40};
    CAPTURE(i);
    REQUIRE(!refusal_of<graph<dense>>(broken).empty());
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    CAPTURE(length);
    REQUIRE(!refusal_of<graph<dense>>({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}).empty());
  }
  byte_list longer = whole;
  longer.push_back(std::byte{});
  CHECK(refusal_of<graph<dense>>(longer) ==
        "stored weights: has " + std::to_string(longer.size()) + " bytes, expected " + std::to_string(whole.size()));
}

TEST_CASE("stored weights: those of another network are refused, however like it is") {
  const std::string expected = "stored weights: was stored of another network, or packed for other kernels";
  CHECK(refusal_of<graph<large>>(stored<graph<branches>>()) == expected);
  CHECK(refusal_of<graph<dense_of_another_name>>(stored<graph<dense>>()) == expected);
  CHECK(refusal_of<graph<clamped_dense>>(stored<graph<dense>>()) == expected);
  CHECK(refusal_of<graph<affine_by_another_constant>>(stored<graph<affine>>()) == expected);
  CHECK(refusal_of<graph<dense>>(stored<graph<dense>>()).empty());
}

TEST_CASE("stored weights: another version's, and another instruction set's, are refused by name, each with its code") {
  const byte_list whole = stored<graph<dense>>();
  const auto with = [&](std::string_view text, std::string_view other, error_code code) {
    const auto made = restored<graph<dense>>(with_other_text(whole, text, other));
    REQUIRE(!made);
    CHECK(made.error().code() == code);
    return std::string(made.error().message());
  };
  CHECK(with(version, "9", error_code::invalid_file).find("stored weights: was stored by version 9") !=
        std::string::npos);
  CHECK(with(isa, "X", error_code::not_supported).find("stored weights: is for X") != std::string::npos);
}

TEST_CASE("stored weights: forged heads are refused, or harmless") {
  const byte_list whole = stored<graph<dense>>();
  std::uint64_t head = 0;
  std::memcpy(&head, whole.data() + 8, sizeof head);
  const std::vector<float> x = input_for<graph<dense>>();
  int taken = 0, refused = 0;
  for (std::size_t i = 0; i < head; ++i)
    for (const int change : {0x01, 0x02, 0x40, 0x80, 0xFF}) {
      byte_list forged = whole;
      forged[i] ^= static_cast<std::byte>(change);
      mend(forged);
      auto made = restored<graph<dense>>(forged);
      if (made) (*made)(x);
      ++(made ? taken : refused);
    }
  CHECK(taken > 0);  // places of weights are the file's to say, as long as they lie in it
  CHECK(refused > 0);
}

TEST_CASE("stored weights: options are checked, and an executor without weights has none to store") {
  options wanted;
  wanted.threads = 0;
  const auto made = restored<graph<dense>>(stored<graph<dense>>(), wanted);
  REQUIRE(!made);
  CHECK(made.error().code() == error_code::invalid_argument);
  executor<graph<dense>> gone = fresh<graph<dense>>();
  const executor<graph<dense>> taken = std::move(gone);
  const auto bytes = store_weights(gone);
  REQUIRE(!bytes);
  CHECK(bytes.error().message() == "stored weights: this executor could not be made, it has none");
  CHECK(store_weights(taken));
}

}  // namespace
