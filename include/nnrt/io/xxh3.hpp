// xxh3: the 64-bit hash XXH3 of xxHash, with seed 0.
// Flow: digest_of() in byte_stream.hpp is this hash.
#pragma once

#include <nnrt/io/numbers_at.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// The number that xxHash's XXH3_64bits() returns, on every machine, at run time and in constant evaluation. It detects
/// damage, not forgery: bytes with a wanted hash can be constructed. Implemented here so that users need no further
/// package.
/// Source: https://github.com/Cyan4973/xxHash/blob/release/doc/xxhash_spec.md (version 0.8; Y. Collet).
class xxh3 {
 public:
  static constexpr std::uint64_t of(std::string_view bytes) {
    if (bytes.size() > 240) return of_long(bytes);
    if (bytes.size() > 128) return of_129_to_240(bytes);
    if (bytes.size() > 16) return of_17_to_128(bytes);
    return of_0_to_16(bytes);
  }

 private:
  using u64 = std::uint64_t;

  static constexpr u64 prime32_1 = 0x9E3779B1, prime32_2 = 0x85EBCA77, prime32_3 = 0xC2B2AE3D;
  static constexpr u64 prime64_1 = 0x9E3779B185EBCA87, prime64_2 = 0xC2B2AE3D27D4EB4F, prime64_3 = 0x165667B19E3779F9,
                       prime64_4 = 0x85EBCA77C2B2AE63, prime64_5 = 0x27D4EB2F165667C5;
  static constexpr u64 prime_mx1 = 0x165667919E3779F9, prime_mx2 = 0x9FB21C651E98DF25;

  /// The default secret, 192 bytes.
  static constexpr std::string_view secret{
      "\xb8\xfe\x6c\x39\x23\xa4\x4b\xbe\x7c\x01\x81\x2c\xf7\x21\xad\x1c\xde\xd4\x6d\xe9\x83\x90\x97\xdb"
      "\x72\x40\xa4\xa4\xb7\xb3\x67\x1f\xcb\x79\xe6\x4e\xcc\xc0\xe5\x78\x82\x5a\xd0\x7d\xcc\xff\x72\x21"
      "\xb8\x08\x46\x74\xf7\x43\x24\x8e\xe0\x35\x90\xe6\x81\x3a\x26\x4c\x3c\x28\x52\xbb\x91\xc3\x00\xcb"
      "\x88\xd0\x65\x8b\x1b\x53\x2e\xa3\x71\x64\x48\x97\xa2\x0d\xf9\x4e\x38\x19\xef\x46\xa9\xde\xac\xd8"
      "\xa8\xfa\x76\x3f\xe3\x9c\x34\x3f\xf9\xdc\xbb\xc7\xc7\x0b\x4f\x1d\x8a\x51\xe0\x4b\xcd\xb4\x59\x31"
      "\xc8\x9f\x7e\xc9\xd9\x78\x73\x64\xea\xc5\xac\x83\x34\xd3\xeb\xc3\xc5\x81\xa0\xff\xfa\x13\x63\xeb"
      "\x17\x0d\xdd\x51\xb7\xf0\xda\x49\xd3\x16\x55\x26\x29\xd4\x68\x9e\x2b\x16\xbe\x58\x7d\x47\xa1\xfc"
      "\x8f\xf8\xb8\xd1\x7a\xd0\x31\xce\x45\xcb\x3a\x8f\x95\x16\x04\x28\xaf\xd7\xfb\xca\xbb\x4b\x40\x7e",
      192};

  static constexpr u64 word(std::string_view bytes, std::size_t at) { return number_at<u64>(bytes.data(), at); }
  static constexpr u64 half(std::string_view bytes, std::size_t at) {
    return number_at<std::uint32_t>(bytes.data(), at);
  }
  static constexpr u64 key(std::size_t at) { return word(secret, at); }

  // The two avalanche functions of the specification: XXH64's, and XXH3's.
  static constexpr u64 xxh64_avalanche(u64 x) {
    x = (x ^ x >> 33) * prime64_2;
    x = (x ^ x >> 29) * prime64_3;
    return x ^ x >> 32;
  }
  static constexpr u64 avalanche(u64 x) {
    x = (x ^ x >> 37) * prime_mx1;
    return x ^ x >> 32;
  }
  /// The upper 64 bits of a * b xor the lower 64 bits.
  static constexpr u64 folded_product(u64 a, u64 b) {
    constexpr u64 low = 0xffffffff;
    const u64 low_low = (a & low) * (b & low), high_low = (a >> 32) * (b & low), low_high = (a & low) * (b >> 32);
    const u64 middle = (low_low >> 32) + (high_low & low) + low_high;
    return ((a >> 32) * (b >> 32) + (high_low >> 32) + (middle >> 32)) ^ (middle << 32 | (low_low & low));
  }
  /// mixStep of the specification: 16 bytes with 16 bytes of the secret.
  static constexpr u64 mix_step(std::string_view bytes, std::size_t at, std::size_t key_at) {
    return folded_product(word(bytes, at) ^ key(key_at), word(bytes, at + 8) ^ key(key_at + 8));
  }

  static constexpr u64 of_0_to_16(std::string_view bytes) {
    const std::size_t size = bytes.size();
    if (size > 8) {
      const u64 low = word(bytes, 0) ^ key(24) ^ key(32), high = word(bytes, size - 8) ^ key(40) ^ key(48);
      return avalanche(size + byte_swapped(low) + high + folded_product(low, high));
    }
    if (size > 3) {
      u64 x = (half(bytes, 0) << 32 | half(bytes, size - 4)) ^ key(8) ^ key(16);
      x = (x ^ std::rotl(x, 49) ^ std::rotl(x, 24)) * prime_mx2;
      x = (x ^ ((x >> 35) + size)) * prime_mx2;
      return x ^ x >> 28;
    }
    if (size == 0) return xxh64_avalanche(key(56) ^ key(64));
    const auto byte = [&](std::size_t at) { return u64{static_cast<unsigned char>(bytes[at])}; };
    const u64 all = byte(size - 1) | size << 8 | byte(0) << 16 | byte(size >> 1) << 24;
    return xxh64_avalanche(all ^ half(secret, 0) ^ half(secret, 4));
  }
  static constexpr u64 byte_swapped(u64 x) {
    x = (x & 0x00ff00ff00ff00ff) << 8 | (x >> 8 & 0x00ff00ff00ff00ff);
    x = (x & 0x0000ffff0000ffff) << 16 | (x >> 16 & 0x0000ffff0000ffff);
    return x << 32 | x >> 32;
  }

  /// Pairs of 16 bytes, one counted from the first byte and one from the last, from the middle outwards.
  static constexpr u64 of_17_to_128(std::string_view bytes) {
    u64 sum = bytes.size() * prime64_1;
    for (std::size_t i = (bytes.size() - 1) / 32 + 1; i-- > 0;)
      sum += mix_step(bytes, 16 * i, 32 * i) + mix_step(bytes, bytes.size() - 16 * (i + 1), 32 * i + 16);
    return avalanche(sum);
  }
  static constexpr u64 of_129_to_240(std::string_view bytes) {
    u64 sum = bytes.size() * prime64_1;
    for (std::size_t i = 0; i < 8; ++i) sum += mix_step(bytes, 16 * i, 16 * i);
    sum = avalanche(sum);
    for (std::size_t i = 8; i < bytes.size() / 16; ++i) sum += mix_step(bytes, 16 * i, 16 * (i - 8) + 3);
    return avalanche(sum + mix_step(bytes, bytes.size() - 16, 136 - 17));
  }

  static constexpr std::size_t stripe_bytes = 64, stripes_of_block = (secret.size() - stripe_bytes) / 8,
                               block_bytes = stripes_of_block * stripe_bytes;

  /// The eight accumulators of a long input.
  struct accumulators {
    u64 sums[8] = {prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1};

    /// Adds one stripe of 64 bytes.
    constexpr void add(std::string_view bytes, std::size_t at, std::size_t key_at) {
      for (std::size_t i = 0; i < 8; ++i) {
        const u64 x = word(bytes, at + 8 * i), keyed = x ^ key(key_at + 8 * i);
        sums[i ^ 1U] += x;
        sums[i] += (keyed & 0xffffffff) * (keyed >> 32);
      }
    }
    constexpr void scramble() {
      for (std::size_t i = 0; i < 8; ++i)
        sums[i] = (sums[i] ^ sums[i] >> 47 ^ key(secret.size() - stripe_bytes + 8 * i)) * prime32_1;
    }
    constexpr u64 merged(std::size_t bytes) const {
      u64 all = bytes * prime64_1;
      for (std::size_t i = 0; i < 8; i += 2)
        all += folded_product(sums[i] ^ key(11 + 8 * i), sums[i + 1] ^ key(11 + 8 * i + 8));
      return avalanche(all);
    }
  };
  static constexpr u64 of_long(std::string_view bytes) {
    accumulators all;
    std::size_t at = 0;
    for (; at + block_bytes < bytes.size(); at += block_bytes) {
      for (std::size_t i = 0; i < stripes_of_block; ++i) all.add(bytes, at + i * stripe_bytes, 8 * i);
      all.scramble();
    }
    for (std::size_t i = 0; at + stripe_bytes < bytes.size(); at += stripe_bytes, ++i) all.add(bytes, at, 8 * i);
    all.add(bytes, bytes.size() - stripe_bytes, secret.size() - stripe_bytes - 7);
    return all.merged(bytes.size());
  }
};

}}}  // namespace nnrt::NNRT_ISA::detail
