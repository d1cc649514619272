// description_file: a description with its weights as a file, so that a process can start with it as with an embedded
// one. Flow: bench/process/export.cpp writes it; bench/process/peer.cpp maps it into memory and copies nothing.
#pragma once

#include "support/description.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace bench {

/// Visits every field of a description but the weights' bytes; the visitor reads or writes.
template <class Visitor, class Description> void visit(Visitor& v, Description& d) {
  v.text(d.name);
  v.list(d.tensors, [&](auto& t) {
    v.numbers(t.shape);
    v.number(t.type);
    v.numbers(t.scales);
    v.number(t.zero_point);
    v.bytes(t);
  });
  v.list(d.layers, [&](auto& l) {
    v.number(l.what);
    v.numbers(l.inputs);
    v.number(l.output);
    v.number(l.activation);
    for (auto* pair : {&l.kernel, &l.stride, &l.dilation}) v.number(pair->h), v.number(pair->w);
    for (auto* pad : {&l.top, &l.bottom, &l.left, &l.right}) v.number(*pad);
    v.number(l.group);
    v.numbers(l.axes);
    v.number(l.is_transposed);
  });
  v.numbers(d.inputs);
  v.numbers(d.outputs);
}

class description_writer {
 public:
  explicit description_writer(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error("cannot write " + path);
  }
  ~description_writer() { std::fclose(file_); }
  description_writer(const description_writer&) = delete;
  description_writer& operator=(const description_writer&) = delete;

  template <class T> void number(const T& value) { put(&value, sizeof value); }
  template <class T> void numbers(const std::vector<T>& all) {
    number(all.size()), put(all.data(), all.size() * sizeof(T));
  }
  void text(const std::string& all) { number(all.size()), put(all.data(), all.size()); }
  template <class T, class F> void list(const std::vector<T>& all, F each) {
    number(all.size());
    for (const T& one : all) each(one);
  }
  void bytes(const described_tensor& t) {
    const std::size_t count = t.data == nullptr ? 0 : t.bytes();
    number(count);
    for (const std::byte padding{}; count != 0 && written_ % 64 != 0;) put(&padding, 1);
    put(t.data, count);
  }

 private:
  void put(const void* from, std::size_t count) {
    if (count != 0 && std::fwrite(from, 1, count, file_) != count)
      throw std::runtime_error("cannot write a description");
    written_ += count;
  }
  std::FILE* file_;
  std::size_t written_ = 0;
};

/// Weights point into the file, which remains mapped.
class description_reader {
 public:
  explicit description_reader(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY);
    struct stat about {};
    if (file < 0 || fstat(file, &about) != 0) throw std::runtime_error("cannot read " + path);
    size_ = static_cast<std::size_t>(about.st_size);
    first_ = static_cast<const std::byte*>(mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0));
    close(file);
    if (first_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  template <class T> void number(T& value) { std::memcpy(&value, take(sizeof value), sizeof value); }
  template <class T> void numbers(std::vector<T>& all) {
    all.resize(count());
    const std::byte* const from = take(all.size() * sizeof(T));
    if (!all.empty()) std::memcpy(all.data(), from, all.size() * sizeof(T));
  }
  void text(std::string& all) {
    const std::size_t letters = count();
    all.assign(reinterpret_cast<const char*>(take(letters)), letters);
  }
  template <class T, class F> void list(std::vector<T>& all, F each) {
    all.resize(count());
    for (T& one : all) each(one);
  }
  void bytes(described_tensor& t) {
    const std::size_t bytes = count();
    if (bytes == 0) return;
    next_ = (next_ + 63) / 64 * 64;
    t.data = take(bytes);
  }

 private:
  std::size_t count() {
    std::size_t n = 0;
    number(n);
    return n;
  }
  const std::byte* take(std::size_t count) {
    if (count > size_ - next_) throw std::runtime_error("a description ends too early");
    next_ += count;
    return first_ + (next_ - count);
  }
  const std::byte* first_ = nullptr;
  std::size_t size_ = 0, next_ = 0;
};

}  // namespace bench
