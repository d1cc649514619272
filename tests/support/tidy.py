"""tidy.py: runs clang-tidy 16 with the checks of .clang-tidy over the headers and programs, and shows what it finds.

Flow: the leg `tidy` of tests/nightly.sh runs it. Units are read with NNRT_SEPARATE_COMPILATION: templates are checked
where they are defined, which takes minutes, and not again for every operator and dtype, which takes hours.

    tidy.py [--match REGEX] [--checks CHECKS]

Units: all headers of include/nnrt together, for each kind of machine, and the sources of each folder of tools/ and
examples/ together: what they include costs more than they do. --match chooses among the units' names; --checks
(bugprone-use-after-move, for instance) runs those instead of .clang-tidy's.
Exits with 1 if there is a finding, or a check named in .clang-tidy does not exist.
"""
import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from silent import ROOT, SEPARATE, SETS, flags_of, literals_of

TIDY = "clang-tidy-16"
MACHINES = {
    **{name: SETS[name] for name in ("avx512", "avx2", "sse4")},
    "neon": ["--target=aarch64-linux-gnu", "-march=armv8.2-a+dotprod+i8mm"],
    "generic": ["-U__SSE2__"],
}
# With threads: without them constants in headers are found to be initialised by several.
WEBASSEMBLY = ["--target=wasm32-wasi", "-isystem", "/usr/include/wasm32-wasi/c++/v1", "-msimd128",
               "-idirafter", "/usr/include", "-pthread"]
FINDING = re.compile(r"^(\S+?):(\d+):(\d+): (?:error|warning): .*\[([\w.-]+)")


def included(unit: Path, files: list[Path]) -> Path:
    """Writes a unit that includes the files; NOLINT, as clang-tidy warns of included sources."""
    unit.write_text("".join(f'#include "{file}"  // NOLINT\n' for file in files), encoding="utf-8")
    return unit


def units(scratch: Path) -> list[tuple[str, Path, list[str]]]:
    """Name, file and flags of each unit."""
    headers = sorted((ROOT / "include").rglob("*.hpp"))
    together = included(scratch / "headers.cpp", headers)
    found = [(f"{len(headers)} headers, {name}", together, flags) for name, flags in MACHINES.items()]
    kernels = [h for h in headers if "kernels" in h.parts]  # WASI has no sockets, which other layers take
    found.append((f"{len(kernels)} headers, simd128", included(scratch / "kernels.cpp", kernels), WEBASSEMBLY))
    for pattern in ("tools/*.cpp", "tools/*/*.cpp", "examples/*/*.cpp"):
        for folder in sorted({source.parent for source in ROOT.glob(pattern)}):
            sources, name = sorted(folder.glob("*.cpp")), str(folder.relative_to(ROOT))
            own = [flag for source in sources for flag in flags_of(source)]
            flags = [f"-I{ROOT / 'tools'}", *dict.fromkeys(own), *literals_of(folder, scratch)]
            found.append((name, included(scratch / f"{name.replace('/', '_')}.cpp", sources), flags))
    return found


def unknown_checks() -> list[str]:
    """Checks that .clang-tidy names, by themselves or by a pattern, and that clang-tidy does not have."""
    text = (ROOT / ".clang-tidy").read_text(encoding="utf-8")
    named = re.search(r"^Checks: >\n((?:  .*\n)+)", text, re.M).group(1)
    listed = subprocess.run([TIDY, "--checks=*", "--list-checks"], capture_output=True, text=True, check=True)
    known = listed.stdout.split()
    patterns = [name.strip().lstrip("-") for name in named.split(",")]
    return [p for p in patterns if not any(re.fullmatch(p.replace("*", ".*"), check) for check in known)]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--match", default="")
    parser.add_argument("--checks", default="")
    asked = parser.parse_args()
    unknown = unknown_checks()
    if unknown:
        print(f".clang-tidy: {TIDY} has no {', '.join(unknown)}")
    only = [f"--checks=-*,{asked.checks}"] if asked.checks else []
    findings: dict[tuple[str, ...], None] = {}
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        chosen = [u for u in units(Path(scratch)) if re.search(asked.match, u[0])]
        for number, (name, source, flags) in enumerate(chosen, 1):
            began = time.monotonic()
            command = [TIDY, "--quiet", f"--config-file={ROOT / '.clang-tidy'}", *only, str(source), "--",
                       "-std=c++20", f"-I{ROOT / 'include'}", *SEPARATE, *flags]
            done = subprocess.run(command, capture_output=True, text=True)
            print(f"{number}/{len(chosen)} {name}: {time.monotonic() - began:.0f} s", flush=True)
            new = []
            for line in done.stdout.splitlines():
                seen = FINDING.match(line)
                if seen and seen.groups() not in findings:
                    findings[seen.groups()] = None
                    new.append(line.replace(f"{ROOT}/", "").replace(",-warnings-as-errors]", "]"))
            if new:
                print("\n".join(new), flush=True)
            if done.returncode != 0:
                failed += 1
                if not any(FINDING.match(line) for line in done.stdout.splitlines()):
                    print(done.stdout + done.stderr, flush=True)
    print(f"{len(chosen)} units, {len(findings)} findings")
    return 1 if unknown or failed or findings or not chosen else 0


sys.exit(main())
