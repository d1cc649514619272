#!/usr/bin/env bash
# peers.sh: runs bench/run.sh in a separate Debian sid, which has newer releases of the libraries that nnrt is
# compared with.
# Flow: debootstrap makes the system, the repository's committed files go in, bench/run.sh installs the rest inside and
# measures.
set -euo pipefail

usage() {
  cat <<'EOT'
usage: bench/peers.sh [--help] DIRECTORY [what bench/run.sh takes ...]

Makes a Debian sid in DIRECTORY (about 3 GB; kept, brought up to date and used again by the next call), copies the
committed files of this repository into it and runs bench/run.sh there, with the arguments after DIRECTORY: its part
`run`, unless parts are named. What it wrote (tables, JSON, pictures) is copied to build/bench-sid; --write FILE names a
file in there. Needs root, debootstrap, and the Debian mirror of this
machine's own apt settings.

With npm, the newest ONNX Runtime comes from the package onnxruntime-node, whose scripts do not run, with the header of
Debian's; else Debian's ONNX Runtime is measured. Outside of the system the same one serves with
  NNRT_ONNXRUNTIME=DIRECTORY/opt/onnxruntime bench/run.sh

  bench/peers.sh /var/tmp/sid run process                    everything but the compilers
  bench/peers.sh /var/tmp/sid --quick --only mobilenet_v2    one workload, in a minute
EOT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  '' | -*) usage >&2; exit 2 ;;
esac
root=$1
shift
repository=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../tools/chroot.sh
. "$repository/tools/chroot.sh"
# shellcheck source=../tools/packages.sh
. "$repository/tools/packages.sh"
require_chroot peers.sh
mkdir -p "$root"
root=$(cd "$root" && pwd)

# The files of the last commit; those that did not change keep their time, so that little is built again.
copy_repository() {
  local commit
  commit=$(git -c safe.directory='*' -C "$repository" rev-parse HEAD)
  [ -d "$root/nnrt/.git" ] || git -c safe.directory='*' clone -q --no-hardlinks --no-checkout "$repository" "$root/nnrt"
  git -c safe.directory='*' -C "$root/nnrt" fetch -q "$repository" "$commit"
  git -c safe.directory='*' -C "$root/nnrt" reset -q --hard "$commit"
}

# The library of npm's package and the header of Debian's, side by side. Nothing fetched runs here.
add_onnxruntime() {
  local folder=$root/opt/onnxruntime package=$root/opt/npm
  [ ! -e "$folder/libonnxruntime.so.1" ] || return 0
  command -v npm >/dev/null || { echo "no npm here: Debian's ONNX Runtime is measured" >&2; return 0; }
  mkdir -p "$folder" "$package"
  quietly "$package.log" npm install --prefix "$package" --ignore-scripts --no-audit --no-fund onnxruntime-node ||
    return 0
  cp "$root"/usr/include/onnxruntime/onnxruntime_*c_api.h "$folder/"
  # Under its own name only when it is whole: that name says that all is here.
  cp "$package"/node_modules/onnxruntime-node/bin/*/linux/"$(node -p process.arch)"/libonnxruntime.so.1 "$folder/part"
  mv "$folder/part" "$folder/libonnxruntime.so.1"
}

make_system sid "$root"
printf 'deb %s sid main\n' "$(debian_mirror)" >"$root/etc/apt/sources.list"
copy_network_settings "$root"
trap 'unmount_system "$root"' EXIT
mount_system "$root"
echo "bringing the system in $root up to date" >&2
quietly "$root/var/log/nnrt.log" inside "$root" env DEBIAN_FRONTEND=noninteractive \
  sh -c 'apt-get -q -y update && apt-get -q -y dist-upgrade'
copy_repository
quietly "$root/var/log/nnrt.log" inside "$root" \
  bash -c '. /nnrt/tools/packages.sh && install_packages $(known_packages $peers)'
add_onnxruntime

part=run
for argument in "$@"; do
  case $argument in run | compile | process) part='' ;; esac
done
status=0
# shellcheck disable=SC2086  # one word or none
inside "$root" env NNRT_BENCH_CALL="bench/peers.sh DIRECTORY${*:+ $*}" NNRT_ONNXRUNTIME=/opt/onnxruntime \
  /nnrt/bench/run.sh "$@" $part || status=$?
[ -d "$root/nnrt/build/bench" ] || exit "$status"  # --help, say, measures nothing
mkdir -p "$repository/build/bench-sid"
find "$root/nnrt/build/bench" -maxdepth 1 \( -name '*.json' -o -name '*.md' -o -name '*.svg' \) \
  -exec cp {} "$repository/build/bench-sid/" \;
give_back "$repository/build"
echo "tables, JSON and pictures: build/bench-sid" >&2
exit "$status"
