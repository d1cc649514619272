"""same_bits.py: references give the same bits whatever compiles them.

Flow: tests/CMakeLists.txt registers it for the night, as bits/references.

    same_bits.py TESTS_DIRECTORY SCRATCH_DIRECTORY COMPILER... [--flags FLAG...] [--isas ISA...]

Each COMPILER makes tests/bits/references.cpp with the references of all operators at -O0, -O2 and -O3, for each ISA
(flags joined by commas, or "none"). All programs must print the same lines, one for each operator and dtype. Nodes are
made by code that is never optimised. Where the compiler is g++ and the set has fused multiply-adds, no instruction of
the references may be one: this finds fusion that random numbers do not show.
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

FUSED = re.compile(r"\s(v?fn?m(?:add|sub)\w*|fml[as])\s")


def compile_one(command: list[str], source: Path, to: Path) -> Path:
    made = subprocess.run([*command, "-c", str(source), "-o", str(to)], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"{' '.join(command)} does not compile {source}:\n" + "\n".join(made.stderr.splitlines()[:40]))
    return to


def is_gcc(compiler: str) -> bool:
    """By what it says of itself: CMake may call it c++."""
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return "Free Software Foundation" in version.stdout


def fused_in(unit: Path) -> list[str]:
    """The functions of an object file that have fused instructions."""
    text = subprocess.run(["objdump", "-d", "-C", "--no-show-raw-insn", str(unit)],
                          capture_output=True, text=True, check=True).stdout
    found, function = [], ""
    for line in text.splitlines():
        if line.endswith(">:"):
            function = line.split("<", 1)[1][:-2]
        elif FUSED.search(line) and function not in found:
            found.append(function)
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("tests", type=Path)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("compilers", nargs="+")
    parser.add_argument("--flags", nargs="*", default=[])
    parser.add_argument("--isas", nargs="*", default=["none"])
    parser.add_argument("--levels", nargs="*", default=["O0", "O2", "O3"])
    words = [word.replace("-", "\0", 1) if word.startswith("-") and not word.startswith("--") else word
             for word in sys.argv[1:]]
    given = parser.parse_args(words)
    flags = [flag.replace("\0", "-") for flag in given.flags] + [f"-I{given.tests}", "-DNNRT_TEST_REFERENCES_ALONE"]
    given.scratch.mkdir(parents=True, exist_ok=True)
    failures, first = [], None
    for compiler in given.compilers:
        for isa in given.isas:
            machine = [] if isa == "none" else isa.replace("\0", "-").split(",")
            name = f"{Path(compiler).name}.{isa.replace(chr(0), '').replace(',-', '+')}"
            unoptimised = [compiler, *flags, *machine, "-O0"]
            units = [compile_one(unoptimised, given.tests / path, given.scratch / f"{name}.{Path(path).stem}.o")
                     for path in ("battery/random_node.cpp", "bits/references.cpp")]
            for level in given.levels:
                way = f"{name}.{level}"
                references = compile_one([compiler, *flags, *machine, f"-{level}"],
                                         given.tests / "support/catalogue.cpp", given.scratch / f"{way}.o")
                if is_gcc(compiler) and level != "O0":
                    failures += [f"{way} has fused instructions in {function[:200]}"
                                 for function in fused_in(references)]
                program = given.scratch / way
                subprocess.run([compiler, *map(str, units), str(references), "-pthread", "-o", str(program)],
                               check=True)
                lines = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.splitlines()
                print(f"{way}: {len(lines)} operators and dtypes", flush=True)
                if first is None:
                    first = (way, lines)
                failures += [f"{way} says {ours}, {first[0]} {theirs}"
                             for ours, theirs in zip(lines, first[1]) if ours != theirs]
                if len(lines) != len(first[1]) or not lines:
                    failures.append(f"{way} prints {len(lines)} lines, {first[0]} {len(first[1])}")
    print("\n".join(failures[:100]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
