// typed_buffer: owned elements of any dtype, for references in constant evaluation.
// Flow: evaluate<graph<f>> and the pass that evaluates constant nodes keep their tensors in such buffers.
#pragma once

#include <nnrt/core/array_ref.hpp>
#include <nnrt/core/exchange.hpp>
#include <nnrt/core/view.hpp>

#include <utility>

namespace nnrt { inline namespace NNRT_ISA {

/// Elements of one tensor, initially zero. Move only.
class typed_buffer {
 public:
  constexpr typed_buffer() = default;
  constexpr typed_buffer(dtype type, std::int64_t elements) : type_(type), elements_(elements) {
    with_element<types::any>(type, [&]<class T>(T) { data_ = new T[static_cast<std::size_t>(elements)](); });
  }
  constexpr typed_buffer(typed_buffer&& other) noexcept
      : type_(detail::taken(other.type_)), elements_(other.elements_), data_(other.data_) {}
  constexpr typed_buffer& operator=(typed_buffer&& other) noexcept {
    if (this != &other) {
      release();
      type_ = detail::taken(other.type_);
      elements_ = other.elements_;
      data_ = other.data_;
    }
    return *this;
  }
  constexpr ~typed_buffer() { release(); }

  constexpr dtype type() const { return type_; }
  constexpr std::int64_t elements() const { return elements_; }
  constexpr any_pointer data() const { return data_; }
  /// The elements as T, the element type of type().
  template <class T> constexpr array_ref<T> as() const { return {data_.get<T>(), static_cast<std::size_t>(elements_)}; }

 private:
  constexpr void release() {
    if (type_ != dtype::none) with_element<types::any>(type_, [&]<class T>(T) { delete[] data_.get<T>(); });
  }

  dtype type_ = dtype::none;
  std::int64_t elements_ = 0;
  any_pointer data_;
};

/// A fixed number of buffers, initially empty; cheaper for compilers than a std::vector.
class typed_buffers {
 public:
  constexpr explicit typed_buffers(std::size_t count) : first_(new typed_buffer[count]) {}
  typed_buffers(const typed_buffers&) = delete;
  typed_buffers& operator=(const typed_buffers&) = delete;
  constexpr ~typed_buffers() { delete[] first_; }

  constexpr typed_buffer& operator[](std::size_t i) { return first_[i]; }
  constexpr const typed_buffer& operator[](std::size_t i) const { return first_[i]; }

 private:
  typed_buffer* first_;
};

}}  // namespace nnrt::NNRT_ISA
