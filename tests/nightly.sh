#!/usr/bin/env bash
# nightly.sh: what takes longer than the everyday tests - the second compiler, sanitizers, valgrind, fuzzers.
# Flow: each leg has a build folder under build/, named like its preset in CMakePresets.json.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: tests/nightly.sh [--help] [LEG...]

Runs the named legs, or all of them:
  everyday   tests/run.sh, its nightly tests included
  optimised  unit tests and examples with the programs and shared libraries as users build them: everyday ones have
             -O1, and this machine's instruction set alone
  clang      the whole suite built by clang 16, and the kernels without vectors
  asan       unit tests and examples under the address and undefined-behaviour sanitizers
  tsan       unit tests under the thread sanitizer
  valgrind   unit tests and examples under valgrind, built for AVX2 (valgrind 3.19 knows no AVX-512)
  neon       unit tests and examples for 64-bit Arm, built by both compilers, run in qemu
  silent     examples, networks and other programs of users, compiled by both compilers with -O1, -O2 and -O3 for each
             instruction set: none may warn
  tidy       clang-tidy with the checks of .clang-tidy: all headers, for each kind of machine, tools and examples
  reference  doxygen's pages in build/reference/html: every docstring must be one that it understands
  fuzz       every fuzzer of tests/fuzz, each for FUZZ_SECONDS (120); says how many inputs each has tried
  coverage   unit tests and examples with counters; prints which part of the lines and branches of include/ they run
  mutation   comparisons of shape rules, passes and kernel choices are flipped, for MUTATION_SECONDS (3600); lists the
             flips that no test notices
EOF
}
case "${1:-}" in -h | --help) usage; exit 0 ;; esac

CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=../tools/packages.sh
. tools/packages.sh
jobs=$(nproc 2>/dev/null || echo 2)

# Builds the preset and runs its tests; further arguments go to ctest.
build_and_test() {
  local preset=$1
  shift
  quietly "build/$preset.log" cmake --preset "$preset" -DNNRT_TEST_NIGHTLY=ON
  quietly "build/$preset.log" cmake --build --preset "$preset"
  ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --no-label-summary -j "$jobs" "$@"
}

leg_everyday() {
  export NNRT_STRESS_INFERENCES=20000  # of remote/death
  export NNRT_NODES=48                 # of each operator and dtype in the battery
  build_and_test dev
}
leg_optimised() { build_and_test optimised -L 'unit|example'; }
leg_clang() { build_and_test clang; }
leg_asan() {
  export ASAN_OPTIONS=allocator_may_return_null=1  # some tests ask for more memory than there is
  build_and_test asan -L 'unit|example'
}
leg_tsan() {
  export TSAN_OPTIONS=die_after_fork=0  # some tests begin the host of a driver when threads are there
  build_and_test tsan -L unit
}
leg_valgrind() { build_and_test valgrind -L 'unit|example'; }
leg_neon() {
  build_and_test neon -L 'unit|example'
  build_and_test neon_clang -L 'unit|example'
}

leg_silent() { python3 tests/support/silent.py --jobs "$jobs"; }

leg_tidy() { python3 tests/support/tidy.py; }

leg_reference() {
  mkdir -p build
  quietly build/reference.log doxygen Doxyfile
}

leg_fuzz() {
  quietly build/fuzz.log cmake --preset fuzz
  quietly build/fuzz.log cmake --build --preset fuzz
  local fuzzer name found=0
  for fuzzer in build/fuzz/tests/fuzz/*_fuzz; do
    [ -x "$fuzzer" ] || continue
    found=1
    name=$(basename "$fuzzer" _fuzz)
    mkdir -p "build/fuzz/corpus/$name"
    echo "fuzzing $name for ${FUZZ_SECONDS:-120} s"
    # New inputs go to the first folder; a crash is kept in build/fuzz for a new seed.
    quietly "build/fuzz/$name.log" "$fuzzer" -max_total_time="${FUZZ_SECONDS:-120}" -max_len=65536 -timeout=10 \
      -rss_limit_mb=2048 -print_final_stats=1 \
      -artifact_prefix="build/fuzz/$name-" "build/fuzz/corpus/$name" "tests/fuzz/seeds/$name"
    echo "fuzzing $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") inputs tried"
  done
  [ "$found" -eq 1 ] || { echo "there is no fuzzer" >&2; return 1; }
}

leg_coverage() {
  local profiles=build/coverage/profiles
  rm -rf "$profiles"
  # One file for each program, four for those that run at the same time.
  export LLVM_PROFILE_FILE="$PWD/$profiles/%4m.profraw"
  build_and_test coverage -L 'unit|example'
  python3 tests/support/coverage.py build/coverage
}

leg_mutation() { python3 tests/mutate.py --budget "${MUTATION_SECONDS:-3600}"; }

[ $# -gt 0 ] || set -- everyday optimised clang asan tsan valgrind neon silent tidy reference fuzz coverage mutation
for leg in "$@"; do
  declare -F "leg_$leg" >/dev/null || { echo "no such leg: $leg" >&2; usage >&2; exit 2; }
done
# shellcheck disable=SC2086  # lists of words
install_packages $runtime $tests $nightly
trap 'give_back build' EXIT
failed=()
for leg in "$@"; do
  echo "== $leg"
  # A leg that fails stops itself, not the others: hence a subshell, whose errexit is not switched off by the test.
  set +e
  (set -e; "leg_$leg")
  status=$?
  set -e
  [ "$status" -eq 0 ] || failed+=("$leg")
done
if [ "${#failed[@]}" -gt 0 ]; then
  echo "failed: ${failed[*]}" >&2
  exit 1
fi
echo "all legs passed: $*"
