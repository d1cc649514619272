#!/usr/bin/env bash
# run.sh: installs what the tests need, builds them and runs them.
# Flow: .ci/run calls this; tests/nightly.sh has what takes longer. Everything is made under build/dev.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: tests/run.sh [--help] [ctest options...]

Installs missing Debian packages (as root, else through sudo), builds nnrt's tests, examples and command in build/dev,
and runs every test but the nightly ones. Further arguments go to ctest:

  tests/run.sh -R ops/conv2d      only tests whose name matches
  tests/run.sh -L unit            only tests with that label: unit, example, syntax, compile_fail,
                         acceptance, networks, consumer, hygiene
EOF
}
case "${1:-}" in -h | --help) usage; exit 0 ;; esac

CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=../tools/packages.sh
. tools/packages.sh
# shellcheck disable=SC2086  # lists of words
install_packages $runtime $tests
trap 'give_back build' EXIT

echo "building the tests in build/dev"
quietly build/dev.log cmake --preset dev
quietly build/dev.log cmake --build --preset dev

jobs=$(nproc 2>/dev/null || echo 2)
ctest --test-dir build/dev --output-on-failure --no-tests=error --no-label-summary -j "$jobs" -LE nightly "$@"
