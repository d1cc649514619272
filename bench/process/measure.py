#!/usr/bin/env python3
"""measure.py: what a process costs from its start to one MobileNetV2 result, for nnrt and for peers.

usage: measure.py [--runs N] --json FILE FOLDER   FOLDER has the programs bench_process_* and what bench_export wrote

Flow: bench/run.sh calls it after the build; report.py makes the table. Programs and model are installed first, as the
peers' libraries are, and run by turns, files in the page cache, one thread. Time is from before the start to the end of
the process; peak memory is the system's own figure of the ended process; private memory is what the process says of
itself in a run that is not timed. Size is the stripped program and its shared libraries but those of C and C++. Only
the standard library.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def run_once(command: list[str], environment: dict) -> tuple[float, int, str]:
    """Seconds, peak memory in bytes, what it printed."""
    with tempfile.TemporaryFile() as said:
        begin = time.perf_counter()
        pid = os.posix_spawn(command[0], command, environment, file_actions=[(os.POSIX_SPAWN_DUP2, said.fileno(), 1)])
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - begin
        if status != 0:
            raise RuntimeError(f"{command[0]} ended with status {status}")
        said.seek(0)
        return seconds, usage.ru_maxrss * 1024, said.read().decode()


# What every machine that runs programs of C++ has.
STANDARD = ("ld-linux", "libc.", "libgcc_s.", "libm.", "libstdc++.")


def libraries_of(program: Path) -> set[str]:
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    found = re.findall(r"=> (/\S+)", listed)
    return {os.path.realpath(path) for path in found if not os.path.basename(path).startswith(STANDARD)}


def stripped_bytes(program: Path) -> int:
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["strip", "-o", copy.name, program], check=True)
        return os.path.getsize(copy.name)


def install(folder: Path, to: Path) -> None:
    """Copies programs and model as an installation does.

    A linker writes a program piece by piece, and Linux then keeps each of its pages on its own. A process that maps
    14 MB of such pages starts a millisecond later than with a file that was written from end to end.
    """
    model = [path for path in folder.glob("mobilenet_v2.*") if path.is_file()]
    programs = [path for path in folder.glob("bench_process_*") if path.is_file() and os.access(path, os.X_OK)]
    subprocess.run(["install", "--target-directory", to, *model, *programs], check=True)


def measure(folder: Path, runs: int) -> list[dict]:
    programs = {path.name.removeprefix("bench_process_"): path for path in sorted(folder.glob("bench_process_*"))}
    environment = dict(os.environ, NNRT_BENCH_MEMORY="1")
    found, times, answers = {}, {name: [] for name in programs}, {}
    for name, path in list(programs.items()):
        try:
            _, _, said = run_once([str(path), str(folder)], environment)  # also fills the page cache
        except RuntimeError as reason:
            print(reason, file=sys.stderr)
            del programs[name], times[name]
            continue
        answer, private = said.split()
        answers[name] = answer
        shipped = libraries_of(path)
        found[name] = {"who": name, "private_bytes": 1024 * int(private), "program_bytes": stripped_bytes(path),
                       "library_bytes": sum(os.path.getsize(library) for library in shipped), "peak_bytes": []}
    expected = answers.get("nnrt")
    for name, answer in answers.items():
        if name != "empty" and answer != expected:
            raise RuntimeError(f"{name} says class {answer}, nnrt says {expected}")
    environment.pop("NNRT_BENCH_MEMORY")
    for _ in range(runs):
        for name, path in programs.items():
            seconds, peak, _ = run_once([str(path), str(folder)], environment)
            times[name].append(seconds)
            found[name]["peak_bytes"].append(peak)
    for name, row in found.items():
        row["peak_bytes"] = statistics.median(row["peak_bytes"])
        row["seconds"] = statistics.median(times[name])
        row["fastest"] = min(times[name])
    for name in ("safetensors", "onnx"):
        row = found.get("nnrt", {})
        row[f"{name}_bytes"] = os.path.getsize(folder / f"mobilenet_v2.{name}")
    return list(found.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=31)
    parser.add_argument("--json", type=Path, required=True)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as installed:
        install(given.folder, Path(installed))
        found = measure(Path(installed), given.runs)
    given.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
