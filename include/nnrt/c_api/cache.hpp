// cache: prepared models that outlive the process - in a directory, or in a buffer of the program's.
// Flow: a compilation looks here before it compiles, and stores here what it compiled.
//
// A directory has <prefix>cache_info.nncache and <prefix>0.nncache, <prefix>1.nncache, ...: the info file names device, versions and model, and
// the size and checksum of each of the others. It is written last, so that a writer that is killed leaves files that do not fit together, which
// readers see: then the model is compiled again.
#pragma once

#include <nnrt/c_api/support.hpp>
#include <nnrt/core/array_ref.hpp>
#include <nnrt/hal/driver.hpp>
#include <nnrt/io/file.hpp>
#include <nnrt/io/model.hpp>

#include <boost/crc.hpp>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace nnrt::inline NNRT_ISA::c_api {

using byte_list = std::vector<std::byte>;
using byte_lists = std::vector<byte_list>;

/// The largest number of files of one cache.
inline constexpr std::size_t most_cache_files = 100;

/// CRC-32 as in zip and PNG.
inline std::uint32_t checksum(array_ref<const std::byte> bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

namespace detail {

/// Writes numbers and texts one after the other.
struct record_writer {
  byte_list bytes;
  void put(const void* first, std::size_t count) {
    const auto* const at = static_cast<const std::byte*>(first);
    bytes.insert(bytes.end(), at, at + count);
  }
  template <class T>
    requires std::is_integral_v<T>
  void put(T number) {
    put(&number, sizeof number);
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    put(text.data(), text.size());
  }
};

/// Reads them back; after the end everything is 0 and `ok` is false.
struct record_reader {
  array_ref<const std::byte> bytes;
  bool ok = true;

  template <class T> T number() {
    T made{};
    if (const auto from = take(sizeof made); ok) std::memcpy(&made, from.data(), sizeof made);
    return made;
  }
  std::string_view text() {
    const auto from = take(static_cast<std::size_t>(number<std::uint64_t>()));
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  array_ref<const std::byte> take(std::size_t count) {
    if (count > bytes.size()) ok = false;
    if (!ok) return {};
    const auto taken = bytes.first(count);
    bytes = bytes.subspan(count);
    return taken;
  }
};

}  // namespace detail

/// What a cache was made for. It serves nothing else.
struct cache_label {
  std::string device;         // full name
  std::uint64_t fingerprint;  // of the model and the options that change what is prepared; 0 where the model is unknown
};

/// A number that other graphs, constants or preferences do not have.
inline std::uint64_t fingerprint_of(const model& network, const hal::preferences& wanted) {
  const ir::graph& g = network.graph;
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, true, true> crc;
  const auto add = [&](const auto& number) { crc.process_bytes(&number, sizeof number); };
  for (const ir::value& v : g.values) {
    add(static_cast<int>(v.desc.type)), add(static_cast<int>(v.desc.layout)), add(v.desc.shape.rank);
    for (const std::int64_t extent : v.desc.shape) add(extent);
    add(static_cast<int>(v.desc.quantised.mode)), add(v.desc.quantised.scale), add(v.desc.quantised.zero_point), add(v.desc.quantised.axis);
    add(static_cast<int>(v.is)), add(v.first_byte), add(v.scales);
  }
  for (const ir::node& n : g.nodes) {
    add(static_cast<int>(n.op->code)), add(n.attrs.count), add(n.inputs.count), add(n.outputs.count);
    for (const word w : g.attrs_of(n)) add(w);
    for (const std::int32_t id : g.inputs_of(n)) add(id);
    for (const std::int32_t id : g.outputs_of(n)) add(id);
  }
  for (const std::int32_t id : g.inputs) add(id);
  for (const ir::output& out : g.outputs) add(out.value);
  crc.process_bytes(g.bytes.data(), g.bytes.size());
  add(static_cast<int>(wanted.speed)), add(wanted.float16);
  return crc.checksum() | 1U;
}

// ---- One buffer ----

/// The buffers of a prepared model as one.
inline byte_list bundle(const cache_label& label, const byte_lists& buffers) {
  detail::record_writer to;
  to.put(std::string_view("nnrt cache 1"));
  to.put(std::string_view(label.device));
  to.put(std::uint64_t{buffers.size()});
  for (const byte_list& one : buffers) to.put(std::string_view(reinterpret_cast<const char*>(one.data()), one.size()));
  to.put(checksum(to.bytes));
  return std::move(to.bytes);
}

/// The buffers in one, as views. Error: invalid_file.
inline result<std::vector<array_ref<const std::byte>>> unbundle(std::string_view device, array_ref<const std::byte> bytes) {
  const auto refuse = [](pieces why) { return fail(error_code::invalid_file, "cache: " + joined(why)); };
  if (bytes.size() < sizeof(std::uint32_t)) return refuse({"has ", bytes.size(), " bytes"});
  detail::record_reader from{bytes.first(bytes.size() - sizeof(std::uint32_t))};
  detail::record_reader end{bytes.subspan(bytes.size() - sizeof(std::uint32_t))};
  if (checksum(from.bytes) != end.number<std::uint32_t>()) return refuse({"its checksum is wrong"});
  if (from.text() != "nnrt cache 1") return refuse({"is of another kind or version"});
  if (const std::string_view made_for = from.text(); made_for != device) return refuse({"is for device ", made_for, ", not ", device});
  std::vector<array_ref<const std::byte>> buffers;
  const auto count = from.number<std::uint64_t>();
  for (std::uint64_t i = 0; from.ok && i < count; ++i) {
    const std::string_view one = from.text();
    buffers.push_back({reinterpret_cast<const std::byte*>(one.data()), one.size()});
  }
  if (!from.ok || !from.bytes.empty()) return refuse({"does not hold what it says"});
  return buffers;
}

// ---- A directory ----

/// A place for one cache: an existing directory and the beginning of its files' names.
struct cache_place {
  std::string directory;
  std::string prefix;

  std::string info() const { return directory + "/" + prefix + "cache_info.nncache"; }
  std::string file(std::size_t i) const { return directory + "/" + prefix + std::to_string(i) + ".nncache"; }
};

/// The place in a directory, resolved. Error: not_found.
inline result<cache_place> place_in(const char* directory, std::string_view prefix) {
  char* const resolved = ::realpath(directory, nullptr);
  if (resolved == nullptr) return fail(error_code::not_found, {"cache directory ", piece::in_quotes(directory), ": ", std::strerror(errno)});
  cache_place made{resolved, std::string(prefix)};
  std::free(resolved);
  struct ::stat status {};
  if (::stat(made.directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return fail(error_code::not_found, {"cache directory ", piece::in_quotes(directory), ": not a directory"});
  if (prefix.find('/') != prefix.npos || prefix.find('\0') != prefix.npos) return fail(error_code::not_found, {"cache: model name ", piece::in_quotes(prefix), " is no part of a file's name"});
  return made;
}

/// What a look into a cache found.
enum class cache_state {
  missing,   // none, or one that cannot be used: broken, of another device, model or library
  older,     // of a lower version
  newer,     // of a higher version, which must not be replaced
  usable,
};
/// The state, and the mapped files where it is usable.
struct found_cache {
  cache_state state = cache_state::missing;
  std::string why;  // it cannot be used
  std::vector<mapped_file> files;
};

namespace detail {
inline constexpr std::string_view info_kind = "nnrt cache info 1";

inline found_cache unusable(std::string why) { return {cache_state::missing, std::move(why), {}}; }
}  // namespace detail

/// Looks for a cache of this label and version. `fingerprint` 0 takes the cache of any model.
inline found_cache look_up(const cache_place& place, const cache_label& label, std::uint32_t version) {
  auto info = mapped_file::open(place.info());
  if (!info) return detail::unusable(info.error().message());
  const array_ref<const std::byte> bytes = info->bytes();
  if (bytes.size() < sizeof(std::uint32_t)) return detail::unusable(place.info() + ": is too short");
  detail::record_reader from{bytes.first(bytes.size() - sizeof(std::uint32_t))};
  if (checksum(from.bytes) != detail::record_reader{bytes.subspan(bytes.size() - sizeof(std::uint32_t))}.number<std::uint32_t>())
    return detail::unusable(place.info() + ": its checksum is wrong");
  if (from.text() != detail::info_kind) return detail::unusable(place.info() + ": is of another kind or version");
  const auto stored = from.number<std::uint32_t>();
  if (from.text() != label.device) return detail::unusable(place.info() + ": is for another device");
  if (stored > version) return {cache_state::newer, joined({place.info(), ": has version ", stored, ", asked for ", version}), {}};
  if (stored < version) return {cache_state::older, joined({place.info(), ": has version ", stored, ", asked for ", version}), {}};
  const auto fingerprint = from.number<std::uint64_t>();
  if (label.fingerprint != 0 && fingerprint != label.fingerprint) return detail::unusable(place.info() + ": is of another model");
  found_cache found{cache_state::usable, {}, {}};
  const auto count = from.number<std::uint64_t>();
  if (!from.ok || count > most_cache_files) return detail::unusable(place.info() + ": does not hold what it says");
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = from.number<std::uint64_t>();
    const auto sum = from.number<std::uint32_t>();
    auto file = mapped_file::open(place.file(i));
    if (!file) return detail::unusable(file.error().message());
    if (!from.ok || file->bytes().size() != size || checksum(file->bytes()) != sum) return detail::unusable(place.file(i) + ": is incomplete or changed");
    found.files.push_back(std::move(*file));
  }
  return found;
}

/// Replaces what is there. Errors: io_failed, not_found; the old cache may be gone then, and is not taken for a whole one.
inline result<void> store(const cache_place& place, const cache_label& label, std::uint32_t version, const byte_lists& buffers) {
  detail::record_writer info;
  info.put(detail::info_kind);
  info.put(version);
  info.put(std::string_view(label.device));
  info.put(label.fingerprint);
  info.put(std::uint64_t{buffers.size()});
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (auto written = write_file(place.file(i), buffers[i]); !written) return written;
    info.put(std::uint64_t{buffers[i].size()});
    info.put(checksum(buffers[i]));
  }
  info.put(checksum(info.bytes));
  return write_file(place.info(), info.bytes);
}

}  // namespace nnrt::inline NNRT_ISA::c_api
