"""coverage.py: which part of the lines and branches of include/ the tests ran, folder by folder.

Flow: tests/nightly.sh runs the tests of the preset `coverage`, then this: it merges the counters and asks llvm-cov for
each header.
"""
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def programs(build: Path) -> list[Path]:
    """Executables and shared libraries with counters."""
    found = [f for f in build.rglob("*") if f.is_file() and not f.is_symlink() and "CMakeFiles" not in f.parts
             and (os.access(f, os.X_OK) or ".so" in f.suffixes) and f.read_bytes()[:4] == b"\x7fELF"]
    return sorted(found)


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: coverage.py BUILD_FOLDER")
        return 2
    build = Path(sys.argv[1]).resolve()
    raw = sorted((build / "profiles").glob("*.profraw"))
    if not raw:
        sys.exit(f"{build / 'profiles'}: no test has left a profile there")
    merged = build / "profiles" / "all.profdata"
    subprocess.run(["llvm-profdata-16", "merge", "-sparse", "-o", merged, *raw], check=True)
    objects = [argument for program in programs(build) for argument in ("-object", str(program))]
    exported = subprocess.run(["llvm-cov-16", "export", "-summary-only", f"-instr-profile={merged}", *objects],
                              check=True, capture_output=True, text=True)
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: {"lines": [0, 0], "branches": [0, 0]})
    for file in json.loads(exported.stdout)["data"][0]["files"]:
        path = Path(file["filename"])
        if not path.is_relative_to(ROOT / "include"):
            continue
        parts = path.relative_to(ROOT / "include").parts
        for folder in ("/".join(parts[: min(2, len(parts) - 1)]), "all of include/"):
            for kind, of in counts[folder].items():
                of[0] += file["summary"][kind]["covered"]
                of[1] += file["summary"][kind]["count"]
    if not counts:
        sys.exit("no header of include/ has counters")
    print(f"{'folder':24} {'lines':>18} {'branches':>20}")
    for folder in sorted(counts, key=lambda name: (name.startswith("all"), name)):
        cells = [f"{covered:,} of {count:,} ({covered / max(count, 1):.1%})"
                 for covered, count in counts[folder].values()]
        print(f"{folder:24} {cells[0]:>24} {cells[1]:>24}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
