#!/usr/bin/env python3
"""mutate.py: flips comparisons in shape rules, passes and choices of kernels, and shows which flips a test notices.

Flow: tests/nightly.sh calls it as its leg `mutation`. A mutant is one operator of one line, changed in a copy of its
header. The copy's folder precedes include/ on the include path, and the header's own tests alone are compiled with it.
A mutant is killed when they do not compile, fail, crash or run longer than 60 s. Those that live are tried by the
rejected programs of the same name, and listed in the end.
"""
from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
# What is changed: one folder a row, with the lines that count. Other tests hold `reference` and the DSL functions of
# operators.
FOLDERS = {"ops": "nnrt/ops", "passes": "nnrt/passes", "kernels": "nnrt/kernels/bind"}
# Of kernels: what is decided about a node. Tests that run them hold which function a dtype gets, and what functions
# compute.
DECISION = re.compile(r"\bconstexpr (kernel_choice|bool|std::string_view) \w+\(")
CHOICES = ROOT / "tests" / "kernels" / "choices_test.cpp"
MOST_TESTS = 12  # that one mutant is tried by: enough for a header of windows or sums, and a minute
FLIPS = {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
         " && ": " || ", " || ": " && "}
FLAGS = ["-std=c++20", "-O0", "-D_GLIBCXX_ASSERTIONS", "-fno-exceptions", "-fno-rtti",
         "-DDOCTEST_CONFIG_NO_EXCEPTIONS_BUT_WITH_ALL_ASSERTS", f'-DNNRT_TEST_DATA="{ROOT / "tests" / "data"}"',
         f'-DNNRT_MODELS_DIR="{ROOT.parent / "shared" / "models"}"', "-pthread"]


@dataclass(frozen=True)
class Mutant:
    """One operator of one line of a header."""

    header: str  # below include/
    line: int
    column: int
    before: str

    @property
    def after(self) -> str:
        return FLIPS[self.before]

    def text(self) -> str:
        line = (INCLUDE / self.header).read_text(encoding="utf-8").splitlines()[self.line]
        return (f"{self.header}:{self.line + 1}:{self.column + 1}: '{self.before.strip()}' to '{self.after.strip()}'"
                f" in: {line.strip()}")

    def source(self) -> str:
        lines = (INCLUDE / self.header).read_text(encoding="utf-8").split("\n")
        line = lines[self.line]
        lines[self.line] = line[: self.column] + self.after + line[self.column + len(self.before):]
        return "\n".join(lines)

    def stem(self) -> str:
        return Path(self.header).stem

    def folder(self) -> str:
        return Path(self.header).parts[1]


def without_comment(line: str) -> str:
    code = line.split("//")[0] if not line.lstrip().startswith("//") else ""
    return re.sub(r'"(\\.|[^"\\])*"', lambda m: "_" * len(m[0]), code)


def mutants_of(header: Path) -> list[Mutant]:
    """Comparisons of code outside of references, preprocessor lines and static_asserts."""
    found: list[Mutant] = []
    are_kernels = header.is_relative_to(INCLUDE / FOLDERS["kernels"])
    depth_of_reference = depth_of_decision = 0
    head_of_reference = head_of_decision = False   # of a function whose parameters take several lines
    for number, line in enumerate(header.read_text(encoding="utf-8").splitlines()):
        code = without_comment(line)
        # The body of `reference`: tests hold its numbers against golden ones, so it is left out here.
        if depth_of_reference > 0:
            depth_of_reference += code.count("{") - code.count("}")
            continue
        if head_of_reference or re.search(r"\b(void|run_fault) reference\(", code):
            depth_of_reference = 1 if code.rstrip().endswith("{") else 0
            head_of_reference = not code.rstrip().endswith(("{", "}", ";"))
            continue
        if are_kernels:
            if depth_of_decision == 0 and not head_of_decision and not DECISION.search(code):
                continue
            head_of_decision = depth_of_decision == 0 and not code.rstrip().endswith(("{", "}", ";"))
            depth_of_decision += code.count("{") - code.count("}")
            if "&run" in code:
                continue
        if re.match(r"\s*(#|static_assert|template|requires|concept)", code):
            continue
        for operator in FLIPS:
            start = 0
            while (at := code.find(operator, start)) >= 0:
                found.append(Mutant(str(header.relative_to(INCLUDE)), number, at, operator))
                start = at + 1
    return found


def includers_of(header: str, folder: Path) -> list[str]:
    """The headers directly in a folder that include another one, straight or through headers in detail/.

    Those that name it themselves come first.
    """
    found: list[str] = []
    pending = [header]
    for included in pending:
        spelled = f"#include <{included}>"
        for user in sorted(folder.rglob("*.hpp")):
            name = str(user.relative_to(INCLUDE))
            if name not in found + pending and spelled in user.read_text(encoding="utf-8"):
                (found if user.parent == folder else pending).append(name)
    return found


def tests_of(mutant: Mutant) -> list[Path]:
    """The test file that mirrors the header; for a header in detail/ also those of the operators that include it.

    One file tests all choices of kernels.
    """
    if mutant.folder() == "kernels":
        return [CHOICES]
    mirrored = [mutant.header.removeprefix("nnrt/")]
    if "detail" in Path(mutant.header).parts:
        mirrored += [u.removeprefix("nnrt/") for u in includers_of(mutant.header, INCLUDE / FOLDERS[mutant.folder()])]
    found = [ROOT / "tests" / h.replace(".hpp", "_test.cpp") for h in mirrored]
    return [t for t in found if t.is_file()][:MOST_TESTS]


class Laboratory:
    """Compiles and runs tests against mutants; the main() of tests is compiled once."""

    def __init__(self, compiler: str, folder: Path) -> None:
        self.compiler = compiler
        self.folder = folder
        self.main = folder / "main.o"
        self.lock = threading.Lock()
        self.unchanged: dict[Path, bool] = {}
        self.call(["-c", ROOT / "tests" / "main.cpp", "-o", self.main], folder, check=True)

    def call(self, arguments: list, overlay: Path, check: bool = False) -> bool:
        line = [self.compiler, *FLAGS, f"-I{overlay}", f"-I{INCLUDE}", f"-I{ROOT / 'tests'}", *map(str, arguments)]
        done = subprocess.run(line, capture_output=True, text=True, timeout=900, check=False)
        if check and done.returncode != 0:
            sys.exit(f"{' '.join(line)}\n{done.stderr}")
        return done.returncode == 0

    def passes(self, test: Path, overlay: Path) -> bool:
        program = overlay / (test.stem + ".program")
        separate = ["-DNNRT_SEPARATE_COMPILATION"] if test == CHOICES else []  # it runs no kernel
        if not self.call([*separate, test, self.main, "-o", program], overlay):
            return False
        try:
            ran = subprocess.run([program, "--no-intro", "--minimal"], capture_output=True, timeout=60, check=False)
            return ran.returncode == 0
        except subprocess.TimeoutExpired:
            return False

    def require_unchanged(self, test: Path) -> None:
        """Stops the script where a test fails without any mutant: all of them would count as noticed."""
        with self.lock:
            if test not in self.unchanged:
                (nothing := self.folder / "nothing").mkdir(exist_ok=True)
                self.unchanged[test] = self.passes(test, nothing)
        if not self.unchanged[test]:
            raise RuntimeError(f"{test.relative_to(ROOT)} fails without a mutant")

    def is_noticed(self, mutant: Mutant, tests: list[Path]) -> bool:
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            overlay = Path(name)
            changed = overlay / mutant.header
            changed.parent.mkdir(parents=True)
            changed.write_text(mutant.source(), encoding="utf-8")
            for test in tests:
                self.require_unchanged(test)
                if not self.passes(test, overlay):
                    return True
            return self.changes_rejection(mutant, overlay)

    def changes_rejection(self, mutant: Mutant, overlay: Path) -> bool:
        """Whether the rejected program of the operator now compiles, or no longer compiles mended."""
        program = ROOT / "tests" / "compile_fail" / f"{mutant.stem()}.cpp"
        if not program.is_file():
            return False
        compiles = self.call(["-fsyntax-only", program], overlay)
        return compiles or not self.call(["-fsyntax-only", "-DNNRT_FIXED", program], overlay)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0],
                                     epilog="Exit status: 0 when every mutant was noticed, 1 when some live.")
    parser.add_argument("--budget", type=int, default=3600, metavar="SECONDS",
                        help="begin no mutant after this time (default: 3600)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the order of mutants (default: 1)")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="only headers whose path contains this, for example ops/pad")
    parser.add_argument("--list", action="store_true", help="print the mutants that there are, and try none")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"), help="g++ by default, or what CXX says")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="mutants at a time")
    options = parser.parse_args()

    headers = [h for folder in FOLDERS.values() for h in sorted((INCLUDE / folder).rglob("*.hpp"))
               if options.only in str(h)]
    mutants = [(m, tests) for h in headers for m in mutants_of(h) if (tests := tests_of(m))]
    if options.list:
        print("\n".join(m.text() for m, _ in mutants))
        return 0
    if not mutants:
        sys.exit(f"no header with a comparison and a test has {options.only!r} in its path")
    random.Random(options.seed).shuffle(mutants)

    end = time.monotonic() + options.budget
    counts: Counter[tuple[str, bool]] = Counter()
    living: list[Mutant] = []
    with tempfile.TemporaryDirectory() as name:
        laboratory = Laboratory(options.compiler, Path(name))

        def attempt(pair: tuple[Mutant, list[Path]]) -> tuple[Mutant, bool] | None:
            if time.monotonic() > end:
                return None
            try:
                return pair[0], laboratory.is_noticed(*pair)
            except subprocess.TimeoutExpired:
                return pair[0], True

        with ThreadPoolExecutor(options.jobs) as workers:
            for number, tried in enumerate(filter(None, workers.map(attempt, mutants)), 1):
                mutant, is_noticed = tried
                counts[mutant.folder(), is_noticed] += 1
                if not is_noticed:
                    living.append(mutant)
                print(f"{number} of {len(mutants)}: {'noticed' if is_noticed else 'LIVES'}  {mutant.text()}",
                      flush=True)

    for mutant in living:
        print(f"lives: {mutant.text()}")
    for folder in FOLDERS:
        noticed, all_of_it = counts[folder, True], counts[folder, True] + counts[folder, False]
        print(f"{folder}: {noticed} of {all_of_it} mutants were noticed")
    return 1 if living else 0


if __name__ == "__main__":
    sys.exit(main())
