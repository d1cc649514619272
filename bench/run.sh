#!/usr/bin/env bash
# run.sh: measures how fast nnrt and other libraries run, and what it costs to compile, on this machine; prints the
# tables.
# Flow: needs nothing but this; everything is made under build/bench. bench/peers.sh runs it where newer libraries are.
set -euo pipefail

usage() {
  cat <<'EOT'
usage: bench/run.sh [--help] [--quick] [--only LIST] [--peers LIST] [--write FILE] [run] [process] [compile]

Installs missing Debian packages (as root, else through sudo), builds the benches in build/bench and prints as Markdown:
  run      the machine's limits; networks and layers, floats and int8, 1 and 2 threads, and of the peers that are
           installed; what networks' steps take
  process  start, memory and size of a whole process that runs MobileNetV2 once, and of the peers'
  compile  time and memory of compilers for headers, networks and generated graphs; size of code; start-up
All of them, unless some are named. Each result is checked before it is timed.

  --quick        fewer repetitions: an hour becomes some minutes, and spreads grow
  --only LIST    these workloads alone, by the names of the headers in bench/workloads: --only lenet,conv_3x3
                 (and no other part, unless one is named)
  --peers LIST   these peers alone: --peers xnnpack,onnxruntime; none installs no peer and measures none
  --write FILE   the data file goes to FILE, too: --write docs/benchmarks/zen5.json; then bench/summary.py --write

JSON, tables and pictures (SVG) go to build/bench, their medians to build/bench/measured.json, every step of the
networks to build/bench/steps.md and, for chrome://tracing, to build/bench/trace-*.json.
NNRT_ONNXRUNTIME may name a folder with another ONNX Runtime: onnxruntime_c_api.h and libonnxruntime.so.1.
EOT
}

# The report names the call that made it: --quick has fewer repetitions.
export NNRT_BENCH_CALL="${NNRT_BENCH_CALL:-bench/run.sh${*:+ $*}}"
quick='' write='' parts='' only='' peers_wanted=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) quick=1 ;;
    --only) only=${2:?--only needs workloads}; shift ;;
    --peers) peers_wanted=${2:?--peers needs names, or none}; shift ;;
    --write) write=${2:?--write needs a file}; shift ;;
    run | process | compile) parts="$parts $1" ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
[ -z "$write" ] || write=$(realpath -m "$write")
parts=${parts:-${only:+run}}
parts=${parts:-run process compile}

CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
for peer in ${peers_wanted//,/ }; do
  [ "$peer" = none ] || [ -e "bench/peers/$peer.cpp" ] ||
    { echo "run.sh: --peers: got $peer, expected none, or some of" bench/peers/*.cpp >&2; exit 2; }
done
# shellcheck source=../tools/packages.sh
. tools/packages.sh
# shellcheck disable=SC2086,SC2154  # lists of words, from packages.sh
install_packages $runtime $bench
# shellcheck disable=SC2046,SC2086,SC2154
[ "$peers_wanted" = none ] || install_packages $(known_packages $peers)
# shellcheck disable=SC2154
case " $parts " in *' compile '*) install_packages $measured_compilers ;; esac
trap 'give_back build; [ -z "$write" ] || give_back "$write"' EXIT

# Debian's python has Debian's matplotlib; the first in the path may be another.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
out=build/bench
flags='-O3 -march=native'
mkdir -p "$out"
rm -f "$out"/{machine,others,limits,workloads,profile,process,compile}.json "$out"/{round_trips.txt,trace-*.json,*.svg}
"$python" bench/report.py machine "g++ $flags" >"$out/machine.json"

# build WORKLOADS targets...: all workloads when the list is empty.
build() {
  local workloads=$1
  shift
  echo "building the benches in $out: some minutes, the first time" >&2
  # -U: another call may name another ONNX Runtime.
  quietly "$out.log" cmake -S . -B "$out" -G Ninja -U NNRT_ONNXRUNTIME_LIBRARY -U NNRT_ONNXRUNTIME_INCLUDE \
    -D CMAKE_CXX_COMPILER=g++ -D CMAKE_BUILD_TYPE=Release \
    -D NNRT_BUILD_BENCH=ON -D NNRT_BUILD_TESTS=OFF -D NNRT_BUILD_EXAMPLES=OFF -D NNRT_BUILD_TOOLS=OFF \
    -D NNRT_ONNXRUNTIME="${NNRT_ONNXRUNTIME:-}" -D NNRT_BENCH_ONLY="${workloads//,/;}" \
    "-DNNRT_BENCH_FLAGS=${flags// /;}"
  grep '^-- bench: ' "$out.log" >&2 || true
  quietly "$out.log" cmake --build "$out" --target "$@"
}

run_benches() {
  local repetitions=21 seconds=0.05 chosen=() programs=$out/bench
  [ -z "$quick" ] || repetitions=9 seconds=0.02
  [ -z "$only" ] || chosen+=("--only=$only")
  [ -z "$peers_wanted" ] || chosen+=("--peers=$peers_wanted")
  build "$only" bench_machine bench_workloads bench_profile
  echo "running them" >&2
  "$programs/bench_machine" >"$out/limits.json"
  "$programs/bench_machine" --round-trip >>"$out/round_trips.txt"
  # From Google Benchmark 1.8 on the unit is part of the number, and one without is complained about at every timing.
  if "$programs/bench_workloads" --help 2>&1 | grep -q 'min_time=.*<float>s'; then seconds+=s; fi
  # What it says of how far it is goes to the terminal; its own table to the log.
  "$programs/bench_workloads" "${chosen[@]}" --benchmark_repetitions="$repetitions" --benchmark_min_time="$seconds" \
    --benchmark_enable_random_interleaving=true --benchmark_out="$out/workloads.json" --benchmark_out_format=json \
    >"$out/workloads.log"
  "$programs/bench_machine" --round-trip >>"$out/round_trips.txt"
  "$programs/bench_profile" "$out" >"$out/profile.json"
  "$programs/bench_machine" --round-trip >>"$out/round_trips.txt"
  "$python" bench/report.py steps "$out" >"$out/steps.md"
  "$python" bench/plot.py "$out"
}

measure_processes() {
  local runs=31
  [ -z "$quick" ] || runs=7
  build "$only" bench_processes
  echo "starting processes" >&2
  "$python" bench/process/measure.py --runs "$runs" --json "$out/process.json" "$out/bench"
}

measure_compilers() {
  local runs=3
  [ -z "$quick" ] || runs=1
  echo "compiling" >&2
  "$python" bench/compile/measure.py --runs "$runs" --json "$out/compile.json"
}

case " $parts " in *' run '*) run_benches ;; esac
case " $parts " in *' process '*) measure_processes ;; esac
case " $parts " in *' compile '*) measure_compilers ;; esac

times >"$out/times.txt"
"$python" bench/report.py others "$out" <"$out/times.txt" >"$out/others.json"
wrong=0
"$python" bench/report.py data "$out" >"$out/measured.json" || wrong=$?
"$python" bench/tables.py "$out/measured.json" | tee "$out/benchmarks.md"
if [ -n "$write" ]; then
  mkdir -p "$(dirname "$write")"
  cp "$out/measured.json" "$write"
fi
exit "$wrong"
