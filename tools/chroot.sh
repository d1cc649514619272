# chroot.sh: what makes a Debian system in a directory and runs commands inside, for scripts that prove or measure
# something there.
# Flow: sourced by tools/check_packages.sh (Debian 12) and bench/peers.sh (sid). Needs root, debootstrap, and this
# machine's apt settings.

# Says what is missing and fails, when it is: require_chroot NAME_OF_SCRIPT.
require_chroot() {
  [ "$(id -u)" -eq 0 ] || { echo "$1: debootstrap and chroot need root" >&2; return 1; }
  command -v debootstrap >/dev/null || { echo "$1: debootstrap is not installed" >&2; return 1; }
}

# The archives that this machine's apt takes Debian from: lines of "uri codename component".
debian_archives() {
  apt-get indextargets --format '$(ORIGIN)|$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    sed -n 's/^Debian|//p' | sort -u
}

# Their place: the archive of releases, without updates and security.
debian_mirror() { debian_archives | awk '$2 !~ /-/ { print $1; exit }'; }

# make_system SUITE ROOT: unless there is a system already.
make_system() {
  local suite=$1 root=$2 mirror
  # While debootstrap is at work it has a folder debootstrap/ in there: a system that still has it was never finished.
  [ -e "$root/etc/debian_version" ] && [ ! -e "$root/debootstrap" ] && return 0
  mirror=$(debian_mirror)
  [ -n "$mirror" ] || { echo "apt knows no mirror of Debian" >&2; return 1; }
  echo "making a Debian system ($suite) in $root" >&2
  if ! debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1; then
    tail -n 20 "$root.log" >&2
    return 1
  fi
  rm -f "$root.log"
}

# copy_network_settings ROOT: what lets apt reach the mirror from inside - apt's options (proxies), the resolver,
# certificates.
copy_network_settings() {
  local root=$1
  cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  if [ -d /etc/ssl/certs ]; then
    mkdir -p "$root/etc/ssl" && cp -aL /etc/ssl/certs "$root/etc/ssl/"
  fi
}

# mount_system ROOT and unmount_system ROOT: /proc, and /sys, where libraries look for the processor's caches.
mount_system() {
  mountpoint -q "$1/proc" || mount -t proc proc "$1/proc"
  mountpoint -q "$1/sys" || mount -t sysfs -o ro sysfs "$1/sys"
}
unmount_system() {
  local folder
  for folder in proc sys; do
    if mountpoint -q "$1/$folder"; then umount "$1/$folder" || true; fi
  done
}

# inside ROOT command...: runs it there, in a new environment.
inside() {
  local root=$1
  shift
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@" </dev/null
}
