#!/usr/bin/env bash
# check_packages.sh: proves the README's two commands on a Debian 12 that has nothing but itself.
# Flow: debootstrap makes the system, the repository's committed files go in, examples/run.sh and tests/run.sh run
# inside, twice.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: tools/check_packages.sh [--only-install] [--sudo] DIRECTORY

Makes a clean Debian 12 in DIRECTORY (about 2 GB; kept, and used again by the next call), copies the committed files of
this repository into it, then runs ./examples/run.sh and ./tests/run.sh inside: once to install and build, once more to
see that the second run installs nothing. Needs root, debootstrap, and the Debian mirror of this machine's own apt
settings.

  --only-install   stop once the packages of tools/packages.sh are installed
  --sudo           run everything for a user who is not root: first the scripts call sudo themselves, then the user
                   calls them through sudo
EOF
}

only_install=0
as_user=0
root=
for argument in "$@"; do
  case "$argument" in
    -h | --help) usage; exit 0 ;;
    --only-install) only_install=1 ;;
    --sudo) as_user=1 ;;
    -*) usage >&2; exit 2 ;;
    *) root=$argument ;;
  esac
done
[ -n "$root" ] || { usage >&2; exit 2; }

repository=$(CDPATH='' cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=chroot.sh
. "$repository/tools/chroot.sh"
require_chroot check_packages.sh
mkdir -p "$root"
root=$(cd "$root" && pwd)

# Only what is committed: a file that someone forgot to commit must be missed here.
copy_repository() {
  rm -rf "$root/nnrt"
  git -c safe.directory='*' clone -q --no-hardlinks "$repository" "$root/nnrt"
}

make_system bookworm "$root"
{
  printf 'deb %s bookworm main\n' "$(debian_mirror)"
  debian_archives | sed -nE 's/^.* bookworm-(updates|security) /deb &/p'
} >"$root/etc/apt/sources.list"
copy_network_settings "$root"
copy_repository
trap 'unmount_system "$root"' EXIT
mount_system "$root"

if [ "$only_install" -eq 1 ]; then
  inside "$root" bash -c '. /nnrt/tools/packages.sh &&
    install_packages $runtime $tests && install_packages $runtime $tests && echo installed'
  exit 0
fi

# A user of the system's own, with sudo and the repository; nothing but sudo is installed for that.
make_user() {
  inside "$root" bash -c 'apt-get -q update && apt-get -q -y install --no-install-recommends sudo' >/dev/null
  inside "$root" bash -c 'id builder 2>/dev/null || useradd --create-home --shell /bin/bash builder' >/dev/null
  echo 'builder ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/builder"
  inside "$root" chown -R builder: /nnrt
}

# run_scripted LINE: for root, or for that user.
run_scripted() {
  if [ "$as_user" -eq 0 ]; then inside "$root" bash -c "$1"
  else inside "$root" su builder -c "$1"
  fi
}

through=
if [ "$as_user" -eq 1 ]; then make_user; through=sudo; fi
for command in /nnrt/examples/run.sh /nnrt/tests/run.sh; do
  echo "== $command"
  run_scripted "$command"
done
echo "== once more: nothing may be installed, from another directory"
for command in /nnrt/examples/run.sh /nnrt/tests/run.sh; do
  again=$(run_scripted "cd /usr && $through $command" 2>&1) || { printf '%s\n' "$again" >&2; exit 1; }
  if grep -q '^installing:' <<<"$again"; then
    echo "check_packages.sh: the second $command installed packages" >&2
    exit 1
  fi
  if [ "$as_user" -eq 1 ] && stranger=$(find "$root/nnrt" -user root -print -quit) && [ -n "$stranger" ]; then
    echo "check_packages.sh: $command left root's files: $stranger" >&2
    exit 1
  fi
done
echo "a clean Debian 12 builds, tests and runs this repository"
