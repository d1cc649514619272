"""silent.py: compiles users' programs as users do, optimised for each instruction set, and shows what compilers print.

Flow: the leg `silent` of tests/nightly.sh runs it. Warnings of a compiler's optimiser appear only where it optimises,
and only for headers that are not read with -isystem. Hence nothing is linked or run here, and -fsyntax-only would show
nothing.

    silent.py [--jobs N] [--compilers g++,clang++-16] [--levels O1,O2,O3] [--sets sse4,avx2,avx512,native]
              [--match REGEX]

Programs are those of examples/ (README.md shows one of them), tests/networks/, tests/acceptance/ and tests/silent/, and
nnrt/src.hpp, which has every operator for networks that arrive at run time. Exits with 1 if a compiler prints anything.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETS = {
    "sse4": ["-msse4.1"],
    "avx2": ["-march=x86-64-v3"],
    "avx512": ["-march=x86-64-v4", "-mavx512vnni"],
    "native": ["-march=native"],
}
FLAGS = ["-std=c++20", f"-I{ROOT / 'include'}", "-pthread", "-Werror", "-Wall", "-Wextra", "-Wswitch-enum", "-c",
         "-o", "/dev/null"]
# Operators and forms are compiled once for each way of compiling, in units that stand for themselves below.
SEPARATE = ["-DNNRT_SEPARATE_COMPILATION", "-DNNRT_SEPARATE_FORMS"]
DIGITS = ROOT / "examples" / "digits"


def literals_of(folder: Path, scratch: Path) -> list[str]:
    """The flags that give NNRT_MODEL the bytes of the folder's model files, as nnrt_model() of CMake does."""
    models, writer, flags = sorted(folder.glob("*.tflite")), scratch / "model_writer", []
    if models and not writer.exists():
        subprocess.run(["g++", "-std=c++20", f"-I{ROOT / 'include'}", str(ROOT / "cmake" / "model_writer.cpp"),
                        "-o", str(writer)], check=True)
    for model in models:
        literal = scratch / f"{model.name}.inc"
        subprocess.run([str(writer), str(model), "-o", str(literal), "--name", model.name, "--path", str(model),
                        "--quiet"], check=True)
        flags += ["-include", str(literal)]
    return flags


def flags_of(source: Path) -> list[str]:
    """What the program needs besides FLAGS: its own `// flags:` line, and the folders that its CMake target has."""
    own = re.search(r"^// flags: (.*)$", "\n".join(source.read_text(encoding="utf-8").splitlines()[:10]), re.M)
    extra = [word.replace("{here}", str(source.parent)) for word in own.group(1).split()] if own else []
    return [*extra, f"-I{source.parent}", f"-I{DIGITS}", f"-I{ROOT / 'bench'}", f"-I{ROOT / 'tests'}"]


def programs(scratch: Path) -> list[tuple[str, Path, list[str]]]:
    """Name, file and flags of each unit."""
    found = []
    for pattern in ("examples/*/*.cpp", "tests/networks/*.cpp", "tests/acceptance/*.cpp", "tests/silent/*.cpp"):
        for source in sorted(ROOT.glob(pattern)):
            flags = [*SEPARATE, *flags_of(source), *literals_of(source.parent, scratch)]
            found.append((str(source.relative_to(ROOT)), source, flags))
    for header, separate in (("nnrt/src.hpp", []), ("nnrt/src_forms.hpp", SEPARATE)):
        source = scratch / (Path(header).stem + ".cpp")
        source.write_text(f"#include <{header}>\n", encoding="utf-8")
        found.append((header, source, separate))
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compilers", default="g++,clang++-16")
    parser.add_argument("--levels", default="O1,O2,O3")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--match", default="")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        units = [u for u in programs(Path(scratch)) if re.search(asked.match, u[0])]
        jobs = [(name, compiler, level, isa, [compiler, *FLAGS, f"-{level}", *SETS[isa], *extra, str(source)])
                for isa in asked.sets.split(",") for level in asked.levels.split(",")
                for compiler in asked.compilers.split(",") for name, source, extra in units]

        def compile_one(job) -> bool:
            name, compiler, level, isa, command = job
            done = subprocess.run(command, capture_output=True, text=True)
            is_silent = done.returncode == 0 and not done.stderr and not done.stdout
            if not is_silent:
                text = "\n".join((done.stdout + done.stderr).splitlines()[:60])
                print(f"{name}, {compiler} -{level}, {isa}:\n{' '.join(command)}\n{text}\n", flush=True)
            return is_silent

        with ThreadPoolExecutor(asked.jobs) as pool:
            silent = list(pool.map(compile_one, jobs))
    print(f"{sum(silent)} of {len(silent)} compilations are silent")
    return 0 if silent and all(silent) else 1


if __name__ == "__main__":
    sys.exit(main())
