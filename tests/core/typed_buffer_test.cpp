// typed_buffer_test: owned elements of any dtype, zero at first, that move.
#include <nnrt/core/typed_buffer.hpp>

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace nnrt;

template <dtype Type> constexpr bool owns() {
  using T = element_t<Type>;
  typed_buffer a(Type, 3);
  for (const T& element : a.as<T>())
    if (element != T(0)) return false;
  a.as<T>()[2] = T(1);
  typed_buffer b = static_cast<typed_buffer&&>(a);
  typed_buffer c;
  c = static_cast<typed_buffer&&>(b);
  typed_buffer d(i8, 5);
  d = static_cast<typed_buffer&&>(c);  // what d had is gone
  return a.type() == dtype::none && c.type() == dtype::none && d.type() == Type && d.elements() == 3 &&
         d.as<T>()[2] == T(1) && d.data().template get<T>() == d.as<T>().data();
}
static_assert(owns<boolean>() && owns<i8>() && owns<i64>() && owns<u16>() && owns<f16>() && owns<f32>() && owns<f64>());

TEST_CASE("typed_buffer: elements of every dtype are owned by one buffer at a time") {
  CHECK(owns<boolean>());
  CHECK(owns<i32>());
  CHECK(owns<u64>());
  CHECK(owns<f16>());
  CHECK(owns<f64>());
}

TEST_CASE("typed_buffer: none has no elements, and no elements are no problem") {
  const typed_buffer nothing{};
  CHECK(nothing.type() == dtype::none);
  const typed_buffer empty(f32, 0);
  CHECK(empty.as<float>().empty());
}

constexpr bool several_own_theirs() {
  typed_buffers list(3);
  list[0] = typed_buffer(f32, 2);
  list[2] = typed_buffer(i8, 1);
  list[0].as<float>()[1] = 2.0F;
  list[0] = typed_buffer(f64, 1);  // what it had is gone
  return list[0].type() == f64 && list[1].type() == dtype::none && list[2].as<std::int8_t>()[0] == 0;
}
static_assert(several_own_theirs());

TEST_CASE("typed_buffers: each is none until it is given elements, and all are freed together") {
  CHECK(several_own_theirs());
  const typed_buffers none(0);
  CHECK(typed_buffers(1)[0].type() == dtype::none);
}

}  // namespace
