#!/usr/bin/env python3
"""arm_tiles.py: speed of nnrt's register tiles on Arm cores by LLVM's models, where there is no machine to measure.

usage: arm_tiles.py [--compiler CXX] [--analyser LLVM_MCA] [--write FILE]

Compiles the largest tile of each kind of product for 64-bit Arm, takes the loop over k out of its machine code, and
lets llvm-mca run that against models of cores: how many multiply-add instructions a cycle, and which share of what the
same model does of them at most. A model knows latencies and pipes, but no cache and no branch that is guessed wrong:
shares are upper bounds.

Needs g++-aarch64-linux-gnu and llvm-16.
Flow: run by hand with --write docs/benchmarks/arm-models.json; bench/summary.py makes the table in docs/benchmarks.md.
"""
import argparse
import datetime
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tables import text_of

ROOT = Path(__file__).resolve().parent.parent
# Cores whose models differ, and which of the instructions each has: small and in order, phones and boards, servers.
CORES = {
    "cortex-a55": {"fmla", "smlal", "sdot"},
    "cortex-a72": {"fmla", "smlal"},
    "exynos-m4": {"fmla", "smlal", "sdot"},
    "neoverse-n2": {"fmla", "smlal", "sdot", "smmla"},
    "ampere1": {"fmla", "smlal", "sdot", "smmla"},
}
FEATURES = "+dotprod,+i8mm"
ROUNDS = 500

# What is compiled: name, flags of the machine, the tile, its instruction, products of one such.
TILE = "using namespace nnrt::kernels;\ntemplate void detail::{tile}(const detail::{arguments}&);\n"
ROWS = "detail::first_integers<mr>"
FLOATS = ("f32/gemm/gemm.hpp", TILE.format(tile=f"tile<native, detail::sums<2, {ROWS}>>", arguments="tile_args"))


def bytes_tile(in_pairs: bool) -> tuple[str, str]:
    pairs = ", true" if in_pairs else ""
    tile = f"int8_tile_of<native, detail::int8_accumulators<2, {ROWS}>, scale_method::by_line{pairs}>"
    return ("int8/gemm/gemm.hpp", TILE.format(tile=tile, arguments="int8_tile"))


KINDS = [
    ("f32", "armv8-a", FLOATS, "fmla", r"fmla", 4),
    ("i8, products of 16 bits", "armv8-a", bytes_tile(False), "smlal", r"smlal2?", 4),
    ("i8, dot products", "armv8.2-a+dotprod", bytes_tile(False), "sdot", r"sdot", 16),
    ("i8, squares", "armv8.2-a+dotprod+i8mm", bytes_tile(True), "smmla", r"smmla", 32),
]
INDEPENDENT = {
    "fmla": "fmla v{i}.4s, v30.4s, v31.s[0]",
    "smlal": "smlal v{i}.4s, v30.4h, v1.h[0]",
    "sdot": "sdot v{i}.4s, v30.16b, v31.4b[0]",
    "smmla": "smmla v{i}.4s, v30.16b, v31.16b",
}


def run(command: list[str], text: str = "") -> str:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(f"arm_tiles.py: {command[0]} is not installed (packages g++-aarch64-linux-gnu and llvm-16)")
    if done.returncode != 0:
        sys.exit(f"arm_tiles.py: {' '.join(command)} failed:\n{done.stderr}")
    return done.stdout


def assembly_of(compiler: str, flags: str, header: str, text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "tile.cpp"
        source.write_text(f"#include <nnrt/kernels/{header}>\n{text}")
        include = ["-I", str(ROOT / "include"), "-idirafter", "/usr/include"]
        command = [compiler, "-std=c++20", "-O2", f"-march={flags}", *include, "-S", str(source), "-o", "-"]
        return run(command).splitlines()


def loop_with_most(lines: list[str], instruction: str) -> list[str]:
    """The body of the innermost loop that has most of an instruction, without the branch that closes it."""
    labels = {match[1]: i for i, line in enumerate(lines) if (match := re.match(r"(\.L\w+):", line))}
    branch = re.compile(r"\s+(?:b\.?\w+|cbn?z|tbn?z)\s.*?(\.L\w+)\s*$")
    best: list[str] = []
    count = 0
    for i, line in enumerate(lines):
        match = branch.match(line)
        if not match or labels.get(match[1], i) >= i:
            continue
        body = [x for x in lines[labels[match[1]] + 1 : i] if re.match(r"\s+[a-z]", x)]
        found = sum(1 for x in body if re.match(rf"\s+{instruction}\s", x))
        if found > count and not any(branch.match(x) for x in body):
            best, count = body, found
    return best


def whole_loads(line: str) -> str:
    """llvm-mca has loads of 4 or 8 bytes wait for what the register held before; processors clear the rest of it."""
    return re.sub(r"\b(ldu?r)\t[ds](\d+), \[(\w+)(, x\d+)?[^\]]*\]", r"\1\tq\2, [\3\4]", line)


def per_cycle(analyser: str, core: str, body: list[str], instruction: str) -> float:
    command = [analyser, "-mtriple=aarch64", f"-mcpu={core}", f"-mattr={FEATURES}", f"-iterations={ROUNDS}"]
    report = run(command, "\n".join(whole_loads(x) for x in body) + "\n")
    cycles = int(re.search(r"Total Cycles:\s+(\d+)", report)[1])
    return sum(1 for x in body if re.match(rf"\s+{instruction}\s", x)) * ROUNDS / cycles


def rows_of(options: argparse.Namespace) -> list[dict]:
    """For each kind of tile the multiply-adds a cycle on each core, and their share of the model's peak."""
    rows = []
    for name, flags, (header, text), short, pattern, products in KINDS:
        body = loop_with_most(assembly_of(options.compiler, flags, header, text), pattern)
        if not body:
            sys.exit(f"arm_tiles.py: no loop with {short} for {name}: -march={flags}")
        at_most = ["\t" + INDEPENDENT[short].format(i=i) for i in range(2, 26)]
        cores = {}
        for core, instructions in CORES.items():
            if short in instructions:
                reached, peak = (per_cycle(options.analyser, core, x, pattern) for x in (body, at_most))
                cores[core] = [round(reached * products, 2), round(reached / peak, 4)]
        rows.append({"products": name, "instruction": short, "cores": cores})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="aarch64-linux-gnu-g++",
                        help="a compiler for 64-bit Arm (default: %(default)s)")
    parser.add_argument("--analyser", default="llvm-mca-16", help="llvm-mca (default: %(default)s)")
    parser.add_argument("--write", metavar="FILE", help="write the data there instead of printing them")
    options = parser.parse_args()
    version = run([options.compiler, "--version"]).splitlines()[0]
    models = re.search(r"version ([\d.]+)", run([options.analyser, "--version"]))[1]
    text = text_of({"date": str(datetime.date.today()), "compiler": version, "models": models,
                    "rows": rows_of(options)})
    if options.write:
        Path(options.write).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
