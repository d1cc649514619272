// heap_test: inference asks the heap for nothing.
#include <nnrt/dynamic.hpp>

#include <doctest/doctest.h>

#include <new>

#include "support/failing_memory.hpp"
#include "support/networks.hpp"

namespace {

using namespace nnrt_test;

template <class Function> long allocations_of(Function f) {
  const long before = allocations();
  f();
  return allocations() - before;
}

TEST_CASE("heap: the counter counts") {
  // Calls, and memory that somebody else might see: compilers may leave out what a new-expression or a container takes
  // and gives back.
  CHECK(allocations_of([] { ::operator delete(::operator new(3)); }) == 1);
  CHECK(allocations_of([] {
          const std::vector<int> v(100);
          asm volatile("" : : "r"(v.data()) : "memory");
        }) == 1);
}

template <class G, class Policy> long allocations_of_a_run(const options& wanted) {
  auto run = executor<G, Policy>::create(weights_for<G>(), wanted);
  REQUIRE(run);
  const std::vector<float> x = input_for<G>();
  std::array<float, static_cast<std::size_t>(G::outputs[0].desc.elements())> y{};
  return allocations_of([&] {
    for (int i = 0; i < 3; ++i) {
      (*run)(x);
      (*run)(x, y);
      run->try_run(x);
      run->outputs();
    }
  });
}

TEST_CASE("heap: executors run without it, in either form, by one thread or several") {
  CHECK(allocations_of_a_run<graph<branches>, cpu_planned>({}) == 0);
  CHECK(allocations_of_a_run<graph<branches>, cpu_unrolled>({}) == 0);
  CHECK(allocations_of_a_run<graph<large>, cpu>({}) == 0);
  CHECK(allocations_of_a_run<graph<large>, cpu>({.threads = 3}) == 0);
  executor<graph<affine>> micro;
  const std::array<float, 4> x{1, 2, 3, 4};
  CHECK(allocations_of([&] { micro(x); }) == 0);
}

TEST_CASE("heap: neither runs of networks with states, nor what puts these back, ask for it") {
  static constexpr auto remembers = [](builder& g) {
    auto h = g.state<f32, shape<1, 4>>("h", {1, 2, 3, 4}), late = g.state<f32, shape<1, 4>>("late");
    g.next(h, add(h, g.input<f32, shape<1, 4>>("x")));
    g.next(late, h);
    g.output("y", late);
  };
  const std::array<float, 4> x{1, 2, 3, 4};
  executor<graph<remembers>> run;
  session s(compile(to_model<graph<remembers>>().value()).value());
  REQUIRE(s.run());
  const saved_state kept = run.save_state();
  bool went_well = true;
  CHECK(allocations_of([&] {
          for (int i = 0; i < 3; ++i) {
            run(x);
            went_well = s.run() && run.load_state(kept) && s.load_state(kept) && went_well;
            run.reset();
            s.reset();
          }
        }) == 0);
  CHECK(went_well);
}

TEST_CASE("heap: sessions run without it, by one thread or several") {
  for (const int threads : {1, 3}) {
    CAPTURE(threads);
    session s(compile(to_model<graph<large>>(weights_for<graph<large>>()).value(), {.threads = threads}).value());
    const std::vector<float> x = input_for<graph<large>>();
    bool ran = false;
    CHECK(allocations_of([&] {
            std::copy(x.begin(), x.end(), s.input<float>(0).begin());
            ran = bool(s.run());
            s.output<float>(0);
          }) == 0);
    CHECK(ran);
  }
}

}  // namespace
