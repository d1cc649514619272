// empty: a process that does nothing but what all of bench/process have in common.
// Flow: bench/process/measure.py takes what it costs for the floor of all figures.
#include "process/said.hpp"

int main() {
  const float score = 0;
  bench::say_result(&score, 1);
}
