#!/usr/bin/env bash
# run.sh: installs what is needed, builds the handwritten-digits example and runs it on real digits.
# Flow: the first of the README's two commands. Everything is made under build/examples.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: examples/run.sh [--help] [EXAMPLE [arguments...]]

Installs missing Debian packages (as root, else through sudo), builds the example (digits, unless another folder of
examples/ is named) in build/examples and runs it. Its own --help says which arguments it takes:

  examples/run.sh --digit 7        digit 7 and the probability of every class
  examples/run.sh digits --help
EOF
}
case "${1:-}" in -h | --help) usage; exit 0 ;; esac

here=$PWD
CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
example=digits
case "${1:-}" in '' | -*) ;; *) example=$1; shift ;; esac   # an option is the default example's
if [ ! -d "examples/$example" ]; then
  echo "there is no examples/$example; there are: $(cd examples && ls -d */ | tr -d / | tr '\n' ' ')" >&2
  exit 2
fi
# shellcheck source=../tools/packages.sh
. tools/packages.sh
# shellcheck disable=SC2086  # a list of words
install_packages $runtime
trap 'give_back build' EXIT

echo "building examples/$example" >&2   # stdout is the program's alone: examples/run.sh --dot | dot -Tsvg
quietly build/examples.log cmake -S . -B build/examples -G Ninja -D CMAKE_BUILD_TYPE=Release \
  -D NNRT_BUILD_TESTS=OFF -D NNRT_BUILD_TOOLS=OFF
quietly build/examples.log cmake --build build/examples --target "$example"

program=$(find "$PWD/build/examples/examples" -type f -name "$example" -perm -u+x | head -n 1)
(cd "$here" && "$program" "$@")
printf '\nsource   examples/%s\nprogram  %s\n' "$example" "${program#"$PWD/"}" >&2
