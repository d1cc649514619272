// cache_fuzz: any bytes as a prepared model's cache - a file of a driver's, a bundle in memory, a directory's info file
// - with digests that fit. What is accepted is the same when it is written and read again.
// nightly: its seeds take a compiler longer than those of the readers
#include "require.hpp"

#include <nnrt/c_api/cache.hpp>
#include <nnrt/hal/cache_file.hpp>

#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

using namespace nnrt_fuzz;
namespace c_api = nnrt::c_api;
namespace hal = nnrt::hal;

namespace {

using bytes = std::vector<std::byte>;
constexpr hal::cache_token token{std::byte{7}};

bytes content_of(int fd) {
  bytes all(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)));
  require(::pread(fd, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()));
  return all;
}

/// The mark, the token and the digest that such buffers have; what cannot be a file of buffers stays.
void mend_file(bytes& file) {
  hal::detail::cache_header header;
  if (file.size() < sizeof header) return;
  const std::uint64_t mark = header.mark;
  std::memcpy(&header, file.data(), sizeof header);
  header.mark = mark, header.token = token;
  const nnrt::array_ref<const std::byte> rest = nnrt::array_ref<const std::byte>(file).subspan(sizeof header);
  nnrt::byte_writer digests;
  std::size_t at = header.buffers <= rest.size() / 8 ? static_cast<std::size_t>(header.buffers) * 8 : rest.size();
  for (std::uint64_t i = 0; at < rest.size() && i < header.buffers; ++i) {
    std::uint64_t size = 0;
    std::memcpy(&size, rest.data() + 8 * i, sizeof size);
    if (size > rest.size() - at) break;
    digests.put(size), digests.put(nnrt::digest_of(rest.subspan(at, static_cast<std::size_t>(size))));
    at += static_cast<std::size_t>(size);
  }
  header.digest = nnrt::digest_of(digests.bytes);
  std::memcpy(file.data(), &header, sizeof header);
}

void check_file(bytes file) {
  mend_file(file);
  static const int fd = ::memfd_create("cache", 0), other = ::memfd_create("again", 0);
  require(fd >= 0 && other >= 0 && ::ftruncate(fd, 0) == 0);
  require(::pwrite(fd, file.data(), file.size(), 0) == static_cast<ssize_t>(file.size()));
  const auto buffers = hal::read_cache(fd, token);
  if (!buffers) return require(!buffers.error().message().empty());
  require(hal::write_cache(other, token, *buffers).has_value());
  require(content_of(other) == file);
}

void put_digest(bytes& all) {
  if (all.size() < sizeof(std::uint64_t)) return;
  const std::size_t end = all.size() - sizeof(std::uint64_t);
  const std::uint64_t digest = nnrt::digest_of(nnrt::array_ref<const std::byte>(all).first(end));
  std::memcpy(all.data() + end, &digest, sizeof digest);
}

void check_bundle(bytes all) {
  put_digest(all);
  const auto buffers = c_api::unbundle("cpu", all);
  if (!buffers) return require(!buffers.error().message().empty());
  require(c_api::is_bundle(all));
  c_api::byte_lists owned;
  for (const auto& one : *buffers) owned.emplace_back(one.begin(), one.end());
  const nnrt::byte_list again = c_api::bundle({"cpu", 0}, owned);
  require(std::ranges::equal(again, all));
}

const std::string& folder() {
  static const std::string made = [] {
    char name[] = "/tmp/cache_fuzz.XXXXXX";
    require(::mkdtemp(name) != nullptr);
    return std::string(name);
  }();
  return made;
}
void write(const std::string& path, std::span<const std::byte> all) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(reinterpret_cast<const char*>(all.data()), static_cast<std::streamsize>(all.size()));
}

void check_directory(bytes info, std::span<const std::byte> member) {
  put_digest(info);
  const c_api::cache_place place{folder(), ""};
  write(place.info(), info);
  write(place.file(0), member);
  const c_api::cache_label label{"cpu", 0};
  const c_api::found_cache found = c_api::look_up(place, label, 3);
  require(found.state == c_api::cache_state::usable || !found.why.empty());
  if (found.state != c_api::cache_state::usable) return;
  c_api::byte_lists owned;
  for (const nnrt::shared_bytes& one : found.files) owned.emplace_back(one.bytes().begin(), one.bytes().end());
  require(c_api::store(place, label, 3, owned).has_value());
  const c_api::found_cache again = c_api::look_up(place, label, 3);
  require(again.state == c_api::cache_state::usable && again.files.size() == owned.size());
  for (std::size_t i = 0; i < owned.size(); ++i) require(std::ranges::equal(again.files[i].bytes(), owned[i]));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size == 0) return 0;
  // The last byte says which reader; a directory's member are the first bytes.
  const auto all = std::as_bytes(std::span(input, size - 1));
  const std::uint8_t kind = input[size - 1];
  const bytes copy(all.begin(), all.end());
  if (kind % 3 == 0) check_file(copy);
  else if (kind % 3 == 1) check_bundle(copy);
  else check_directory(copy, all.first(std::min<std::size_t>(all.size(), kind / 3U)));
  return 0;
}
