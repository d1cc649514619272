#!/usr/bin/env bash
# out_of_process.sh: holds a device against the contract of drivers while nnrt-driverd hosts it in another process.
# Flow: the tests hal_suite/remote_<device> run it: out_of_process.sh NNRT-DRIVERD NNRT-HAL-TEST DEVICE.
set -euo pipefail
host_program=$1 suite=$2 device=$3

folder=$(mktemp -d)
mkfifo "$folder/said"
"$host_program" --socket "$folder/device" --driver "$device" 2> "$folder/said" &
host=$!
trap 'kill "$host" 2>/dev/null; wait "$host" || true; rm -rf "$folder"' EXIT
head -n 1 "$folder/said" >&2  # and then nobody listens any more to what the host says, which must not end it
for _ in $(seq 300); do
  [ ! -S "$folder/device" ] || break
  kill -0 "$host"  # else it said why it ended
  sleep 0.1
done
"$suite" --socket "$folder/device" --quiet
