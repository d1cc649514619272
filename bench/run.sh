#!/usr/bin/env bash
# run.sh: measures what nnrt costs to compile and how fast it runs, on this machine, and prints the tables.
# Flow: needs nothing but this; everything is made under build/bench.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: bench/run.sh [--help] [--quick] [--write FILE] [run|compile]

Installs missing Debian packages (as root, else through sudo), builds the benches in build/bench and prints as Markdown:
  run      the machine's limits; a matrix product, typical layers and networks beside them; what networks' steps take
  compile  time and memory of compilers for headers, networks and generated graphs; size of code; start-up
Both, unless one is named. Each result is checked before it is timed. JSON goes to build/bench/*.json, every step of the
networks to build/bench/steps.md.

  --quick        fewer repetitions: minutes become one or two, and spreads grow
  --write FILE   the tables go to FILE, too
EOF
}

# The report names the call that made it: --quick has fewer repetitions.
export NNRT_BENCH_CALL="bench/run.sh${*:+ $*}"
quick='' write='' parts=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) quick=1 ;;
    --write) write=${2:?--write needs a file}; shift ;;
    run | compile) parts="$parts $1" ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
[ -z "$write" ] || write=$(realpath -m "$write")
parts=${parts:-run compile}

cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=../tools/packages.sh
. tools/packages.sh
# shellcheck disable=SC2086,SC2154  # lists of words, from packages.sh
install_packages $runtime $bench python3 clang-16
trap 'give_back build' EXIT

out=build/bench
flags='-O3 -march=native'
mkdir -p "$out"
rm -f "$out"/{machine,others,limits,layers,networks,profile,compile}.json
python3 bench/report.py machine "g++ $flags" >"$out/machine.json"

run_benches() {
  local repetitions=21 seconds=0.05
  [ -z "$quick" ] || repetitions=5 seconds=0.02
  echo "building the benches in $out" >&2
  quietly "$out.log" cmake -S . -B "$out" -G Ninja -D CMAKE_CXX_COMPILER=g++ -D CMAKE_BUILD_TYPE=Release \
    -D NNRT_BUILD_BENCH=ON -D NNRT_BUILD_TESTS=OFF -D NNRT_BUILD_EXAMPLES=OFF -D NNRT_BUILD_TOOLS=OFF \
    "-DNNRT_BENCH_FLAGS=${flags// /;}"
  quietly "$out.log" cmake --build "$out" --target bench
  echo "running them" >&2
  local programs=$out/bench name
  "$programs/bench_machine" >"$out/limits.json"
  for name in layers networks; do
    quietly "$out/$name.log" "$programs/bench_$name" --benchmark_repetitions="$repetitions" \
      --benchmark_min_time="$seconds" --benchmark_enable_random_interleaving=true \
      --benchmark_out="$out/$name.json" --benchmark_out_format=json
  done
  "$programs/bench_profile" >"$out/profile.json"
  python3 bench/report.py steps "$out" >"$out/steps.md"
}

measure_compilers() {
  local runs=3
  [ -z "$quick" ] || runs=1
  echo "compiling" >&2
  python3 bench/compile/measure.py --runs "$runs" --json "$out/compile.json"
}

case " $parts " in *' run '*) run_benches ;; esac
case " $parts " in *' compile '*) measure_compilers ;; esac

times >"$out/times.txt"
python3 bench/report.py others "$out" <"$out/times.txt" >"$out/others.json"
wrong=0
python3 bench/report.py tables "$out" >"$out/benchmarks.md" || wrong=$?
cat "$out/benchmarks.md"
if [ -n "$write" ]; then
  mkdir -p "$(dirname "$write")"
  cp "$out/benchmarks.md" "$write"
fi
exit "$wrong"
