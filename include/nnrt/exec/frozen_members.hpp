// frozen_members: some members of a struct as a constant - its lists as arrays, and its numbers.
// Flow: frozen_reading.hpp stores partly read networks and parsed graphs in it, for the next constant evaluation.
#pragma once

#include <nnrt/core/pool.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace nnrt { inline namespace NNRT_ISA { namespace detail {

/// Copies a pool or an array, at most N elements. clang evaluates the built-in in one step; std::copy and operator[]
/// take more steps than the loop.
template <class From, class T, std::size_t N> constexpr void copy(const From& from, std::array<T, N>& to) {
  const std::size_t count = from.size() < N ? from.size() : N;
#ifdef __clang__
  if (count > 0) __builtin_memcpy(to.begin(), from.begin(), count * sizeof(T));
#else
  const T* element = from.begin();
  for (T *copied = to.begin(), *const end = copied + count; copied != end; ++element) *copied++ = *element;
#endif
}

/// Pointers to the members of a struct that are pools, as a template argument: members<&S::first, &S::second>. Members
/// of its base classes count, too.
template <auto... Member> struct members {
  static constexpr std::size_t count = sizeof...(Member);
};

/// Sizes of the lists of a struct, in the order of the members.
template <std::size_t Count> struct list_sizes {
  std::array<std::size_t, Count> each{};

  constexpr std::size_t operator[](std::size_t i) const { return each[i]; }
  /// True when none is larger than that of `room`.
  constexpr bool fit(const list_sizes& room) const {
    for (std::size_t i = 0; i < Count; ++i)
      if (each[i] > room.each[i]) return false;
    return true;
  }
};
template <class S, auto... List> constexpr list_sizes<sizeof...(List)> sizes_of_lists(const S& s, members<List...>) {
  return {{(s.*List).size()...}};
}

template <class T> struct element_of_member;
template <class S, class T> struct element_of_member<pool<T> S::*> {
  using type = T;
};
/// One list as an array. The member pointer makes each base class of frozen_lists another type.
template <auto List, std::size_t N> struct frozen_list {
  std::array<typename element_of_member<decltype(List)>::type, N> held{};
};

/// The lists of a struct as arrays of N elements.
template <class Members, auto N, class Indices = std::make_index_sequence<Members::count>> struct frozen_lists;
template <auto... List, auto N, std::size_t... I>
struct frozen_lists<members<List...>, N, std::index_sequence<I...>> : frozen_list<List, N[I]>... {
  template <class S> constexpr explicit frozen_lists(const S& s) {
    (copy(s.*List, static_cast<frozen_list<List, N[I]>&>(*this).held), ...);
  }
  /// Appends the first elements of the arrays to the lists of `s`, as many as `used` says.
  template <class S> constexpr void thaw(S& s, const decltype(N)& used) const {
    (append(s.*List, static_cast<const frozen_list<List, N[I]>&>(*this).held, used[I]), ...);
  }
  /// One of the arrays.
  template <auto One> constexpr const auto& get() const { return held_by<One>(*this); }

 private:
  template <auto One, std::size_t Size> static constexpr const auto& held_by(const frozen_list<One, Size>& list) {
    return list.held;
  }
  template <class T, std::size_t Room>
  static constexpr void append(pool<T>& to, const std::array<T, Room>& from, std::size_t count) {
    to.insert(from.begin(), from.begin() + count);
  }
};

template <class T> struct type_of_member;
template <class S, class T> struct type_of_member<T S::*> {
  using type = T;
};
template <auto Member> struct frozen_number {
  typename type_of_member<decltype(Member)>::type held{};
};
/// The numbers of a struct.
template <class Members> struct frozen_numbers;
template <auto... Number> struct frozen_numbers<members<Number...>> : frozen_number<Number>... {
  template <class S> constexpr explicit frozen_numbers(const S& s) {
    ((static_cast<frozen_number<Number>&>(*this).held = s.*Number), ...);
  }
  template <class S> constexpr void thaw(S& s) const {
    ((s.*Number = static_cast<const frozen_number<Number>&>(*this).held), ...);
  }
};

}}}  // namespace nnrt::NNRT_ISA::detail
