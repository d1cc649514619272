#!/usr/bin/env bash
# check_packages.sh: proves the README's two commands on a Debian 12 that has nothing but itself.
# Flow: debootstrap makes the system, the repository's committed files go in, examples/run.sh and tests/run.sh run inside, twice.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: tools/check_packages.sh [--only-install] DIRECTORY

Makes a clean Debian 12 in DIRECTORY (about 2 GB; kept, and used again by the next call), copies the committed files of this
repository into it, then runs ./examples/run.sh and ./tests/run.sh inside: once to install and build, once more to see that
the second run installs nothing. Needs root, debootstrap, and the Debian mirror of this machine's own apt settings.

  --only-install   stop once the packages of tools/packages.sh are installed
EOF
}

only_install=0
root=
for argument in "$@"; do
  case "$argument" in
    -h | --help) usage; exit 0 ;;
    --only-install) only_install=1 ;;
    -*) usage >&2; exit 2 ;;
    *) root=$argument ;;
  esac
done
[ -n "$root" ] || { usage >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || { echo "check_packages.sh: debootstrap and chroot need root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "check_packages.sh: debootstrap is not installed" >&2; exit 1; }

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$root"
root=$(cd "$root" && pwd)

# The archive that this machine's apt takes Debian from: lines of "uri codename component".
archives() {
  apt-get indextargets --format '$(ORIGIN)|$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    sed -n 's/^Debian|//p' | sort -u | grep -E ' bookworm(-updates|-security)? '
}

make_system() {
  [ -e "$root/etc/debian_version" ] && return 0
  local mirror
  mirror=$(archives | awk '$2 == "bookworm" { print $1; exit }')
  [ -n "$mirror" ] || { echo "check_packages.sh: apt knows no mirror of Debian 12 (bookworm)" >&2; return 1; }
  echo "making a Debian 12 in $root"
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; return 1; }
  rm -f "$root.log"
}

# What lets apt reach the mirror from inside: the archives, apt's options (proxies), the resolver, certificates.
copy_network_settings() {
  archives | sed 's/^/deb /' >"$root/etc/apt/sources.list"
  cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  if [ -d /etc/ssl/certs ]; then
    mkdir -p "$root/etc/ssl" && cp -aL /etc/ssl/certs "$root/etc/ssl/"
  fi
}

# Only what is committed: a file that someone forgot to commit must be missed here.
copy_repository() {
  rm -rf "$root/nnrt"
  git -c safe.directory='*' clone -q --no-hardlinks "$repository" "$root/nnrt"
}

inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@" </dev/null; }

unmount() { mountpoint -q "$root/proc" && umount "$root/proc" || true; }

make_system
copy_network_settings
copy_repository
trap unmount EXIT
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"

if [ "$only_install" -eq 1 ]; then
  inside bash -c '. /nnrt/tools/packages.sh && install_packages $runtime $tests && install_packages $runtime $tests && echo installed'
  exit 0
fi
for command in /nnrt/examples/run.sh /nnrt/tests/run.sh; do
  echo "== $command"
  inside "$command"
done
echo "== once more: nothing may be installed, from another directory"
for command in /nnrt/examples/run.sh /nnrt/tests/run.sh; do
  again=$(inside bash -c "cd /usr && $command" 2>&1) || { printf '%s\n' "$again" >&2; exit 1; }
  if grep -q '^installing:' <<<"$again"; then echo "check_packages.sh: the second $command installed packages" >&2; exit 1; fi
done
echo "a clean Debian 12 builds, tests and runs this repository"
