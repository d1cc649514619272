#!/usr/bin/env bash
# make_pictures.sh: draws the pictures of docs/images from what the examples print.
# Flow: run by hand when the network of an example, or graph<f>::dot(), changes; docs/guide/networks.md shows the
# result.
set -euo pipefail

usage() {
  cat <<'EOT'
usage: tools/make_pictures.sh [--help]

Installs graphviz if it is missing (as root, else through sudo), builds the example digits, and writes
docs/images/digits.svg.
EOT
}
case "${1:-}" in
  '') ;;
  -h | --help) usage; exit 0 ;;
  *) usage >&2; exit 2 ;;
esac

CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=packages.sh
. tools/packages.sh
# shellcheck disable=SC2086  # a list of words
install_packages $pictures
trap 'give_back build; give_back docs/images' EXIT

mkdir -p build docs/images
examples/run.sh digits --dot >build/digits.dot
# Without graphviz's comments: one of them names its version.
dot -Tsvg build/digits.dot | sed -e '/^<!--.*-->$/d' -e '/^<!--/,/-->$/d' >build/digits.svg
mv build/digits.svg docs/images/digits.svg   # only now: a failed run leaves the old picture
echo "docs/images/digits.svg"
