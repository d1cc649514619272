# packages.sh: the one list of Debian packages that nnrt needs, the function that installs what is missing, and what the
# scripts share.
# Flow: sourced by the scripts of examples, tests, bench and tools, which install what is listed here.

# What building a program with nnrt takes: compiler, CMake, and the two header-only libraries of the core.
runtime="g++ cmake ninja-build libboost-dev libxsimd-dev"

# What the programs of tools/ take besides; where it is missing, CMake leaves them out.
tools="libcli11-dev"

# What the everyday tests take besides: doctest, the second compiler and its formatter, the language of the test
# runners, the reader of nnrt.pc, and ONNX's backend tests with the libraries that read them. Readers of .tflite files
# are compared with FlatBuffers' verifier and writer, digests with xxHash.
tests="clang-16 clang-format-16 doctest-dev python3 pkg-config git libonnx-testdata libonnx-dev libprotobuf-dev \
libflatbuffers-dev libxxhash-dev $tools"

# What tests/nightly.sh takes besides: sanitizer and fuzzer runtimes of clang, what reads its counters of lines, a clang
# that has #embed, clang-tidy, valgrind, and the maker of the reference. For 64-bit Arm: a compiler with its C++ library
# and an emulator. For WebAssembly: linker, libraries, and Node.
nightly="libclang-rt-16-dev llvm-16 clang-19 clang-tidy-16 valgrind doxygen g++-aarch64-linux-gnu qemu-user \
lld-16 wasi-libc libc++-16-dev-wasm32 libc++abi-16-dev-wasm32 libclang-rt-16-dev-wasm32 nodejs"

# Google Benchmark and what draws pictures, for bench/; and the second compiler, which it measures, too.
bench="libbenchmark-dev python3 python3-matplotlib"
measured_compilers="clang-16"

# The libraries that bench/ compares nnrt with; those that a release of Debian does not have are left out
# (known_packages).
peers="libxnnpack-dev libpthreadpool-dev libonnxruntime-dev libdnnl-dev libopencv-dnn-dev libeigen3-dev \
libtensorflow-lite-dev"

# What bench/arm_tiles.py takes: a compiler for 64-bit Arm, and the models of cores that come with LLVM.
arm_models="g++-aarch64-linux-gnu llvm-16 python3"

# What tools/train_*.py and tools/make_digits_model.py take; no test and no example needs them.
training="python3 python3-sklearn python3-flatbuffers"

# What tools/make_pictures.sh takes; its pictures are in the repository.
pictures="graphviz"

# Prints those of the given packages that are not installed. Without dpkg this is unknown: then none is reported, and
# CMake says which library it does not find.
missing_packages() {
  command -v dpkg-query >/dev/null 2>&1 || return 0
  local package
  for package in "$@"; do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q ' installed$' || printf '%s\n' "$package"
  done
}

# Prints those of the given packages that apt could install or that are installed.
known_packages() {
  local package
  for package in "$@"; do
    if apt-cache show "$package" >/dev/null 2>&1; then printf '%s\n' "$package"; fi
  done
}

# Installs the missing ones of the given packages: as root, else through sudo; says which are missing where neither
# works. Touches neither apt nor the network when nothing is missing.
install_packages() {
  local missing log as_root=() apt
  missing=$(missing_packages "$@" | sort -u | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      printf 'nnrt needs packages that are not installed, and neither root nor sudo is here to install them:\n  %s\n' \
        "$missing" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  printf 'installing: %s\n' "$missing" >&2  # stdout is what a script prints
  log=$(mktemp)
  # A list as old as an image names versions that mirrors no longer have, so it is fetched again; a lock held by another
  # apt is waited for.
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  # shellcheck disable=SC2086  # the list is words on purpose
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends $missing; } >"$log" 2>&1 </dev/null; then
    tail -n 30 "$log" >&2
    rm -f "$log"
    printf 'these packages could not be installed: %s\n' "$missing" >&2
    return 1
  fi
  rm -f "$log"
}

# quietly LOG command...: its output goes to LOG, and is shown (its end) only when the command fails.
quietly() {
  local log=$1
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    printf 'failed: %s (all of it: %s)\n' "$*" "$log" >&2
    return 1
  fi
}

# Under sudo, files made in the given folder go back to the user who called it, so that the next run needs no sudo.
give_back() {
  if [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_UID:-}" ] && [ -e "$1" ]; then
    chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$1"
  fi
}
