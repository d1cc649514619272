// cache_cases: caches under a token - what was written comes back, nothing else does, and nothing that is wrong with
// them changes a preparation.
// Flow: added to the suite by all_cases().
#include "hal_test/samples.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <atomic>
#include <thread>

namespace nnrt_hal_test {
namespace {

/// As many files without a name as a device wants.
class files {
 public:
  files(const cache_counts& needed, int token) : model_(needed.model), data_(needed.data) {
    for (std::size_t i = 0; i < needed.model + needed.data; ++i)
      fds_.push_back(::memfd_create("cache", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    token_[0] = static_cast<std::byte>(token);
  }
  files(const files&) = delete;
  files& operator=(const files&) = delete;
  ~files() { close(); }
  void close() {
    for (const int fd : fds_) ::close(fd);
    fds_.clear();
  }
  preparation asking() const {
    preparation asked;
    asked.model_cache.assign(fds_.begin(), fds_.begin() + static_cast<std::ptrdiff_t>(model_));
    asked.data_cache.assign(fds_.begin() + static_cast<std::ptrdiff_t>(model_),
                            fds_.begin() + static_cast<std::ptrdiff_t>(model_ + data_));
    asked.token = token_;
    return asked;
  }
  int first() const { return fds_[0]; }
  std::vector<char> bytes() const {
    struct ::stat now {};
    ::fstat(first(), &now);
    std::vector<char> all(static_cast<std::size_t>(now.st_size));
    if (::pread(first(), all.data(), all.size(), 0) != now.st_size) all.clear();
    return all;
  }
  void set(const std::vector<char>& all) const {
    if (::ftruncate(first(), 0) != 0 ||
        ::pwrite(first(), all.data(), all.size(), 0) != static_cast<::ssize_t>(all.size()))
      std::abort();
  }

 private:
  std::size_t model_, data_;
  std::vector<int> fds_;
  cache_token token_{};
};

prepared restore(probe& p, preparation asked) {
  return prepared_by(p, [&](auto notify) { return p.on.prepare_from_cache(std::move(asked), std::move(notify)); });
}

/// Calls f with a sample and files that hold it; skips where the device keeps no caches.
template <class F> void with_cache(probe& p, F f) {
  if (p.on.caches_needed().model + p.on.caches_needed().data == 0) return p.skip({"the device keeps no caches"});
  const auto all = taken_samples(p.on);
  if (all.empty()) return p.skip({"it takes none of the samples"});
  for (const sample& one : all) {
    const files kept(p.on.caches_needed(), 1);
    const prepared made = prepare(p, one.network, kept.asking());
    p.expect(made.ended == status::none, {one.name, ": ", made.reason});
    if (made.ended == status::none) f(one, kept);
  }
}

void check_result(probe& p, const sample& one, const prepared& got) {
  p.expect(got.ended == status::none, {one.name, ": is not restored: ", got.reason});
  if (!got.model) return;
  arrays a(got.model->model());
  const outcome how = got.model->execute(a.asking());
  p.expect(how.ended == status::none && are_close(got.model->model(), a.results(how), expected_of(one.network, a)),
           {one.name, ": what was restored computes something else"});
}

void refused(probe& p, const sample& one, const preparation& asked, pieces what) {
  const prepared got = restore(p, asked);
  const bool is_refusal = got.ended == status::general_failure || got.ended == status::invalid_argument;
  p.expect(is_refusal, {one.name, ": ", joined(what), " ends with ", static_cast<int>(got.ended), ", expected 2 or 4"});
}

void flipped(probe& p) {
  with_cache(p, [&](const sample& one, const files& kept) {
    const std::vector<char> written = kept.bytes();
    const std::size_t step = written.size() / 97 + 1;
    for (std::size_t at = 0; at < written.size(); at += at < 64 ? 1 : step) {
      std::vector<char> other = written;
      other[at] = static_cast<char>(other[at] ^ 4);
      kept.set(other);
      refused(p, one, kept.asking(), {"a bit of byte ", at});
    }
  });
}

void other_length(probe& p) {
  with_cache(p, [&](const sample& one, const files& kept) {
    const std::vector<char> written = kept.bytes();
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{31}, written.size() / 2,
                                     written.size() - 1, written.size() + 1, written.size() + 4096}) {
      std::vector<char> other = written;
      other.resize(length);
      kept.set(other);
      refused(p, one, kept.asking(), {length, " of ", written.size(), " bytes"});
    }
  });
}

void swapped(probe& p) {
  std::vector<std::vector<char>> all;
  with_cache(p, [&](const sample& one, const files& kept) {
    const std::vector<char> own = kept.bytes();
    preparation other = kept.asking();
    other.token[0] = std::byte{2};
    refused(p, one, other, {"another token"});
    kept.set(own);
    check_result(p, one, restore(p, kept.asking()));
  });
}

void cut_meanwhile(probe& p) {
  with_cache(p, [&](const sample& one, const files& kept) {
    const std::vector<char> written = kept.bytes();
    std::atomic<bool> is_over{false};
    std::thread other([&] {
      while (!is_over) {
        if (::ftruncate(kept.first(), 10) != 0) break;
        kept.set(written);
      }
    });
    for (int i = 0; i < 50; ++i) {
      const prepared got = restore(p, kept.asking());
      if (got.ended == status::none) check_result(p, one, got);
    }
    is_over = true;
    other.join();
  });
}

/// A preparation with these instead of proper files is as good as one without.
template <class Change> void wrong_files(probe& p, Change change) {
  for (const sample& one : taken_samples(p.on)) {
    const files kept(p.on.caches_needed(), 1);
    preparation asked = kept.asking();
    const int more = change(asked);
    check_result(p, one, prepare(p, one.network, asked));
    if (p.on.caches_needed().model > 0) refused(p, one, asked, {"it"});
    if (more >= 0) ::close(more);
  }
}

int replace_all(preparation& asked, int by) {
  for (std::vector<int>* const list : {&asked.model_cache, &asked.data_cache})
    for (int& fd : *list) fd = by;
  return by;
}

}  // namespace

void add_cache_cases(case_list& to) {
  to.push_back({"cache.comes_back", "what was kept is restored, more than once, and computes the same", [](probe& p) {
                  with_cache(p, [&](const sample& one, const files& kept) {
                    check_result(p, one, restore(p, kept.asking()));
                    check_result(p, one, restore(p, kept.asking()));
                  });
                }});
  to.push_back(
      {"cache.closed_by_caller", "files that the caller closes at once are written all the same", [](probe& p) {
         with_cache(p, [&](const sample& one, const files& kept) {
           const int own = ::fcntl(kept.first(), F_DUPFD_CLOEXEC, 0);
           kept.set({});
           preparation asked = kept.asking();
           asked.model_cache[0] = own;
           const prepared made = prepared_by(p, [&](auto notify) {
             const status returned = p.on.prepare(one.network, asked, std::move(notify));
             ::close(own);
             return returned;
           });
           p.expect(made.ended == status::none, {one.name, ": ", made.reason});
           check_result(p, one, restore(p, kept.asking()));
         });
       }});
  to.push_back(
      {"cache.written_before", "what stood in the files before, and where the caller stands in them, does not matter",
       [](probe& p) {
         with_cache(p, [&](const sample& one, const files& kept) {
           kept.set(std::vector<char>(100'000, 'x'));
           (void)::lseek(kept.first(), 777, SEEK_SET);
           p.expect(prepare(p, one.network, kept.asking()).ended == status::none, {one.name, ": is not prepared"});
           check_result(p, one, restore(p, kept.asking()));
           p.expect(::lseek(kept.first(), 0, SEEK_CUR) == 777,
                    {one.name, ": the caller's place in the file has moved"});
         });
       }});
  to.push_back({"cache.flipped_bits", "a file with one bit changed is refused", flipped});
  to.push_back({"cache.other_length", "a file that is shorter or longer than it was is refused", other_length});
  to.push_back({"cache.wrong_token", "a file under another token is refused", swapped});
  to.push_back(
      {"cache.cut_meanwhile", "a file that somebody cuts off during a preparation does no harm", cut_meanwhile});
  to.push_back({"cache.too_many_files",
                "one file more than the device wants changes no preparation, and restores nothing", [](probe& p) {
                  wrong_files(p, [](preparation& a) {
                    return a.model_cache.push_back(::memfd_create("more", MFD_CLOEXEC)), a.model_cache.back();
                  });
                }});
  to.push_back({"cache.data_file_too_many", "a data file more than the device wants does the same", [](probe& p) {
                  wrong_files(p, [](preparation& a) {
                    return a.data_cache.push_back(::memfd_create("more", MFD_CLOEXEC)), a.data_cache.back();
                  });
                }});
  to.push_back({"cache.no_files", "no files where the device wants some change no preparation, and restore nothing",
                [](probe& p) {
                  wrong_files(p, [](preparation& a) { return a.model_cache.clear(), a.data_cache.clear(), -1; });
                }});
  to.push_back({"cache.closed_files", "numbers of files that are not open do the same",
                [](probe& p) { wrong_files(p, [](preparation& a) { return replace_all(a, 1'000'000), -1; }); }});
  to.push_back({"cache.negative_files", "negative numbers of files do the same",
                [](probe& p) { wrong_files(p, [](preparation& a) { return replace_all(a, -1), -1; }); }});
  to.push_back({"cache.read_only", "files that can only be read do the same", [](probe& p) {
                  wrong_files(p,
                              [](preparation& a) { return replace_all(a, ::open("/dev/null", O_RDONLY | O_CLOEXEC)); });
                }});
  to.push_back({"cache.write_only", "files that can only be written do the same", [](probe& p) {
                  wrong_files(p,
                              [](preparation& a) { return replace_all(a, ::open("/dev/null", O_WRONLY | O_CLOEXEC)); });
                }});
  to.push_back({"cache.no_space", "files on a full disk do the same", [](probe& p) {
                  wrong_files(p,
                              [](preparation& a) { return replace_all(a, ::open("/dev/full", O_RDWR | O_CLOEXEC)); });
                }});
  to.push_back(
      {"cache.folder", "folders for files do the same", [](probe& p) {
         wrong_files(p, [](preparation& a) { return replace_all(a, ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); });
       }});
  to.push_back({"cache.sealed", "files that are sealed against writing do the same", [](probe& p) {
                  wrong_files(p, [](preparation& a) {
                    const int sealed = ::memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
                    (void)::fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK);
                    return replace_all(a, sealed);
                  });
                }});
}

}  // namespace nnrt_hal_test
