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
#include <nnrt/io/kept_bytes.hpp>
#include <nnrt/io/model.hpp>
#include <nnrt/io/record.hpp>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace nnrt::inline NNRT_ISA::c_api {

using byte_lists = std::vector<byte_list>;

/// The largest number of files of one cache.
inline constexpr std::size_t most_cache_files = 100;

/// What a cache was made for. It serves nothing else.
struct cache_label {
  std::string device;         // full name
  std::uint64_t fingerprint;  // of the model and the options that change what is prepared; 0 where the model is unknown
};

/// A number that other graphs, constants, weights or preferences do not have; `constants` is one that follows from the graph's constants.
inline std::uint64_t fingerprint_of(const model& network, std::uint64_t constants, const hal::preferences& wanted) {
  const ir::graph& g = network.graph;
  record_writer all;
  for (const ir::value& v : g.values) {
    put(all, v.desc);
    all.put(v.is), all.put(v.first_byte), all.put(v.scales), all.put(g.name_of(v.name));
  }
  for (const ir::node& n : g.nodes) {
    all.put(n.op->code);
    all.put_list<word>(g.attrs_of(n));
    all.put_list<std::int32_t>(g.inputs_of(n));
    all.put_list<std::int32_t>(g.outputs_of(n));
  }
  all.put_list<std::int32_t>(g.inputs);
  for (const ir::output& out : g.outputs) all.put(out.value), all.put(g.name_of(out.name));
  for (const weights::entry& w : network.weights.entries()) all.put(w.name), all.put(digest_of(w.bytes));
  all.put(constants);
  all.put(wanted.speed), all.put(wanted.float16);
  return digest_of(all.bytes) | 1U;
}

// ---- One buffer ----

/// What a buffer begins with, behind its length.
inline constexpr std::string_view bundle_kind = "nnrt cache 2";

/// The buffers of a prepared model as one.
inline byte_list bundle(const cache_label& label, const byte_lists& buffers) {
  record_writer to;
  to.put(bundle_kind);
  to.put(std::string_view(label.device));
  to.put(std::uint64_t{buffers.size()});
  for (const byte_list& one : buffers) to.put(std::string_view(reinterpret_cast<const char*>(one.data()), one.size()));
  to.put(digest_of(to.bytes));
  return std::move(to.bytes);
}

/// Whether bytes say that they are such a buffer.
inline bool is_bundle(array_ref<const std::byte> bytes) { return record_reader{bytes}.text() == bundle_kind; }

/// The buffers in one, as views. Error: invalid_file.
inline result<std::vector<array_ref<const std::byte>>> unbundle(std::string_view device, array_ref<const std::byte> bytes) {
  const auto refuse = [](pieces why) { return fail(error_code::invalid_file, "cache: " + joined(why)); };
  if (bytes.size() < sizeof(std::uint64_t)) return refuse({"has ", bytes.size(), " bytes"});
  record_reader from{bytes.first(bytes.size() - sizeof(std::uint64_t))};
  record_reader end{bytes.subspan(bytes.size() - sizeof(std::uint64_t))};
  if (digest_of(from.bytes) != end.number<std::uint64_t>()) return refuse({"its checksum is wrong"});
  if (from.text() != bundle_kind) return refuse({"is of another kind or version"});
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
  std::vector<kept_bytes> files;
};

/// The inputs or outputs of a prepared model, one after the other: dtype, format and kind of tensor, rank, extents, and the name with a zero.
/// Files of two such lists follow a device's own in a directory.
inline byte_list described_ends(const hal::prepared_model& of, bool inputs) {
  record_writer to;
  const std::size_t count = inputs ? of.input_count() : of.output_count();
  for (std::size_t i = 0; i < count; ++i) {
    const tensor_desc& desc = inputs ? of.input_desc(i) : of.output_desc(i);
    const std::string_view name = inputs ? of.input_name(i) : of.output_name(i);
    to.put(static_cast<std::int32_t>(desc.type)), to.put(static_cast<std::int32_t>(desc.layout)), to.put(std::int32_t{});
    to.put(static_cast<std::uint64_t>(desc.shape.rank));
    for (const std::int64_t extent : desc.shape) to.put(static_cast<std::int32_t>(extent));
    to.put(name.data(), name.size()), to.put('\0');
  }
  return std::move(to.bytes);
}

namespace detail {
inline constexpr std::string_view info_kind = "nnrt cache info 2";

inline found_cache unusable(std::string why) { return {cache_state::missing, std::move(why), {}}; }
}  // namespace detail

/// Looks for a cache of this label and version. `fingerprint` 0 takes the cache of any model.
inline found_cache look_up(const cache_place& place, const cache_label& label, std::uint32_t version) {
  auto info = mapped_file::open(place.info());
  if (!info) return detail::unusable(info.error().message());
  const array_ref<const std::byte> bytes = info->bytes();
  if (bytes.size() < sizeof(std::uint64_t)) return detail::unusable(place.info() + ": is too short");
  record_reader from{bytes.first(bytes.size() - sizeof(std::uint64_t))};
  if (digest_of(from.bytes) != record_reader{bytes.subspan(bytes.size() - sizeof(std::uint64_t))}.number<std::uint64_t>())
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
    const auto sum = from.number<std::uint64_t>();
    auto file = mapped_file::open(place.file(i));
    if (!file) return detail::unusable(file.error().message());
    if (!from.ok || file->bytes().size() != size || digest_of(file->bytes()) != sum) return detail::unusable(place.file(i) + ": is incomplete or changed");
    found.files.push_back(kept_bytes(std::move(*file)));
  }
  return found;
}

/// Replaces what is there. Errors: io_failed, not_found; the old cache may be gone then, and is not taken for a whole one.
inline result<void> store(const cache_place& place, const cache_label& label, std::uint32_t version, const byte_lists& buffers) {
  record_writer info;
  info.put(detail::info_kind);
  info.put(version);
  info.put(std::string_view(label.device));
  info.put(label.fingerprint);
  info.put(std::uint64_t{buffers.size()});
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (auto written = write_file(place.file(i), buffers[i]); !written) return written;
    info.put(std::uint64_t{buffers[i].size()});
    info.put(digest_of(buffers[i]));
  }
  info.put(digest_of(info.bytes));
  return write_file(place.info(), info.bytes);
}

}  // namespace nnrt::inline NNRT_ISA::c_api
