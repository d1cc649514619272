#!/usr/bin/env python3
"""measure.py: what nnrt costs before it runs - compile time and memory, code size, start-up.

usage: measure.py [--runs N] [--only TEXT] [--model FILE]... [--json FILE] [--folder FOLDER] [compiler...]

Compiles each program of programs.py with each compiler (default: g++ and, where it is installed, clang++-16) N times
and keeps the fastest: processor time (user and system), time passed, and the largest resident set of the compiler.
Programs that have a budget are compiled with its flags, -O2 alone, and once more for this machine. Networks of model
files (the one of examples/model, and each --model) are compiled with their kernels, and once more without: with
NNRT_SEPARATE_COMPILATION those are in another unit. Then links LeNet and MobileNetV2 and compares their code and
constants with those of an empty program, and starts a micro network and an empty program by turns.

Flow: bench/run.sh calls it and bench/report.py reads its JSON. Only the standard library.
"""
import argparse
import json
import os
import shutil
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import programs  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-O2"]
NATIVE = ["-march=native"]  # what readers of intrinsics pay in addition, and what programs that are linked here have
PATHS = ["-I", str(ROOT / "include"), "-I", str(ROOT / "bench")]

# Seconds of processor time with g++ and FLAGS, and bytes of code, that docs/guide/compile-time.md allows.
SECONDS = {"nnrt/nnrt.hpp": 1.5, "LeNet-5": 2.5, "MobileNetV2": 10.0, "500 nodes": 15.0}
CODE_BYTES = {"LeNet-5": 100 * 1000, "MobileNetV2": 300 * 1000}
START_SECONDS = 1e-3

# For clang, where its usual number of steps in constant evaluation does not suffice; the report says where that was.
MORE_STEPS = ["-fconstexpr-steps=200000000"]
OUT_OF_STEPS = "constexpr evaluation hit maximum step limit"

NETWORKS = {
    "LeNet-5": ("networks/lenet.hpp", "networks::lenet"),
    "MobileNetV2": ("networks/mobilenet_v2.hpp", "networks::mobilenet_v2"),
    "MobileNetV2 with batch norms": ("networks/mobilenet_v2.hpp", "networks::mobilenet_v2_normed"),
}


FILES = [ROOT / "examples" / "model" / "digits_int8.tflite"]
SEPARATE = ["-DNNRT_SEPARATE_COMPILATION"]


def literals_of(files: list[Path], compiler: str, folder: Path) -> dict[str, Path]:
    """Name of each model file, and the text that NNRT_MODEL reads, as nnrt_model() of CMake writes it."""
    writer = folder / "model_writer"
    run_measured([compiler, "-std=c++20", *PATHS, str(ROOT / "cmake" / "model_writer.cpp"), "-o", str(writer)],
                 folder / "compiler.log")
    found = {}
    for file in files:
        literal = folder / f"{file.name}.inc"
        run_measured([str(writer), str(file.resolve()), "-o", str(literal), "--name", "network",
                      "--path", str(file.resolve()), "--quiet"], folder / "compiler.log")
        found[file.name] = literal
    return found


def translation_units(literals: dict[str, Path]) -> dict[str, str]:
    """Name and text of everything that is compiled, cheap ones first."""
    units = {"empty": programs.EMPTY}
    units |= {header: programs.including(header) for header in programs.public_headers(ROOT / "include")}
    units |= {name: programs.running(*network) for name, network in NETWORKS.items()}
    units |= {f"{nodes} nodes": programs.generated(nodes) for nodes in (8, 32, 128, 500)}
    units |= {name: programs.of_file(literal) for name, literal in literals.items()}
    return units


def run_measured(command: list[str], log: Path) -> tuple[float, float, int]:
    """Runs a command: its processor seconds with those of its children, the seconds that passed, its largest set.

    The set is its memory in bytes. Raises RuntimeError with what the command said when it fails.
    """
    with open(log, "w", encoding="utf-8") as out:
        begin = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=out, cwd=ROOT)
        _, status, used = os.wait4(child.pid, 0)
        passed = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{log.read_text(encoding='utf-8', errors='replace')[:4000]}")
    return used.ru_utime + used.ru_stime, passed, used.ru_maxrss * 1024


def compile_cost(compiler: str, command: list[str], log: Path, runs: int) -> dict:
    """The fastest of some runs; of two where one takes long, for then noise is a small share."""
    more_steps = False
    try:
        tries = [run_measured(command, log)]
    except RuntimeError as failed:
        if OUT_OF_STEPS not in str(failed):
            raise
        more_steps = True
        command = command + MORE_STEPS
        tries = [run_measured(command, log)]
    tries += [run_measured(command, log) for _ in range(runs - 1 if tries[0][0] < 3 else min(runs - 1, 1))]
    seconds, passed, resident = zip(*tries)
    return {"compiler": compiler, "seconds": min(seconds), "worst": max(seconds), "passed": min(passed),
            "bytes": max(resident), "runs": len(tries), "more_steps": more_steps}


def ways_to_compile(name: str, literals: dict[str, Path]) -> list[list[str]]:
    """The flags of each compilation of a unit."""
    if name in literals:
        return [FLAGS, FLAGS + NATIVE, FLAGS + NATIVE + SEPARATE]
    return ([FLAGS] if name in SECONDS else []) + [FLAGS + NATIVE]


def compile_costs(compiler: str, folder: Path, runs: int, only: str, files: list[Path]) -> list[dict]:
    costs = []
    literals = literals_of([file for file in files if only in file.name], compiler, folder)
    for name, text in translation_units(literals).items():
        if only not in name:
            continue
        source = folder / "unit.cpp"
        source.write_text(text, encoding="utf-8")
        for flags in ways_to_compile(name, literals):
            command = [compiler, *flags, *PATHS, "-c", str(source), "-o", str(folder / "unit.o")]
            cost = {"unit": name, "flags": flags, **compile_cost(compiler, command, folder / "compiler.log", runs)}
            if compiler.startswith("g++") and flags == FLAGS and name in SECONDS:
                cost["allowed"] = SECONDS[name]
            costs.append(cost)
            print(f"{compiler:12} {name:30} {' '.join(flags[1:]):44} {cost['seconds']:6.2f} s"
                  f"  {cost['bytes'] / 2**20:6.0f} MiB", file=sys.stderr)
    return costs


def section_bytes(program: Path) -> dict[str, int]:
    """Sizes of the sections of an ELF file of 64 bits that hold code and constants."""
    data = program.read_bytes()
    offset, = struct.unpack_from("<Q", data, 0x28)
    entry, count, names_at = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * entry) for i in range(count)]
    names = headers[names_at][4]
    sizes = {}
    for name, *_, size in headers:
        text = data[names + name:data.index(b"\0", names + name)].decode()
        if text in (".text", ".rodata", ".data.rel.ro"):
            sizes[text] = size
    return sizes


def link(compiler: str, text: str, name: str, folder: Path) -> Path:
    source, program = folder / f"{name}.cpp", folder / name
    source.write_text(text, encoding="utf-8")
    run_measured([compiler, *FLAGS, *NATIVE, *PATHS, "-s", str(source), "-o", str(program), "-pthread"],
                 folder / "compiler.log")
    return program


def code_sizes(compiler: str, folder: Path) -> list[dict]:
    """Code and constants that a network adds to an empty program: kernels, plan, reading of weights; no weights."""
    empty = section_bytes(link(compiler, programs.EMPTY, "empty", folder))
    sizes = []
    for name in CODE_BYTES:
        sections = section_bytes(link(compiler, programs.running(*NETWORKS[name]), name.lower(), folder))
        added = {section: size - empty.get(section, 0) for section, size in sections.items()}
        sizes.append({"network": name, "compiler": compiler, "sections": added, "bytes": sum(added.values()),
                      "allowed": CODE_BYTES[name]})
    return sizes


def start_seconds(program: Path) -> float:
    begin = time.perf_counter()
    pid = os.posix_spawn(program, [str(program)], os.environ)
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise RuntimeError(f"{program} ended with status {status}")
    return time.perf_counter() - begin


def start_up(compiler: str, folder: Path, times: int = 301) -> dict:
    """Starts, runs and ends an empty program and one that runs a micro network once, by turns."""
    empty, micro = link(compiler, programs.EMPTY, "empty", folder), link(compiler, programs.MICRO, "micro", folder)
    pairs = [(start_seconds(empty), start_seconds(micro)) for _ in range(times)]
    return {"compiler": compiler, "times": times, "allowed": START_SECONDS,
            "empty": statistics.median(e for e, _ in pairs), "micro": statistics.median(m for _, m in pairs),
            "added": statistics.median(m - e for e, m in pairs)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="only units whose name holds this; no sizes and no start-up then")
    parser.add_argument("--model", type=Path, action="append", default=[], metavar="FILE",
                        help="a .tflite file whose network is compiled, too")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "bench" / "compile")
    parser.add_argument("compilers", nargs="*", default=[])
    wanted = parser.parse_args()
    compilers = wanted.compilers or [c for c in ("g++", "clang++-16") if shutil.which(c)]
    wanted.folder.mkdir(parents=True, exist_ok=True)
    found = {"units": [], "code": [], "start": []}
    for compiler in compilers:
        found["units"] += compile_costs(compiler, wanted.folder, wanted.runs, wanted.only, FILES + wanted.model)
        if not wanted.only:
            found["code"] += code_sizes(compiler, wanted.folder)
            found["start"].append(start_up(compiler, wanted.folder))
    if wanted.json:
        wanted.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    else:
        print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(str(error))
