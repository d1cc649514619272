#!/usr/bin/env python3
"""summary.py: the README's table of speeds, out of the table of networks in docs/benchmarks.md.

usage: summary.py          print it
       summary.py --write  put it into the README, between its marks
       summary.py --check  fail, and print it, when the README has another one

Flow: behind `bench/run.sh --write docs/benchmarks.md`; tests/CMakeLists.txt checks it. Only the standard library.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARKS = ("<!-- bench/summary.py -->\n", "<!-- end of it -->\n")
PEERS = {"eigen": "Eigen", "onednn": "oneDNN", "onnxruntime": "ONNX Runtime", "opencv": "OpenCV", "tflite": "TensorFlow Lite", "xnnpack": "XNNPACK"}


def rows_of(text: str) -> list[dict[str, str]]:
    """The rows of the tables of workloads, by the titles of their columns."""
    found: list[dict[str, str]] = []
    titles: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            titles = []
        elif not titles:
            titles = cells
        elif "workload" in titles and not set(line) <= set("|-: "):
            found.append(dict(zip(titles, cells)))
    return found


def fastest(row: dict[str, str]) -> str:
    """The best of the others in a row, its time and how many times as long as nnrt's that is."""
    times = {name: re.fullmatch(r"(.+) \(([\d.]+)×\)", row.get(name, "")) for name in PEERS}
    measured = {name: time for name, time in times.items() if time is not None}
    if not measured:
        return "–"
    best = min(measured, key=lambda name: float(measured[name][2]))
    return f"{measured[best][1]} {PEERS[best]} ({measured[best][2]}×)"


def summary(text: str) -> str:
    facts = {name: re.search(rf"^\* {name}: (.+)$", text, re.M) for name in PEERS}
    versions = [version[1] for version in facts.values() if version is not None and version[1] != "missing"]
    when = re.search(r"^\* (\d{4}-\d\d-\d\d).*?, (.+?)(?:, Linux.*)?$", text, re.M)
    compiler = re.search(r"^\* (g\+\+.*?);", text, re.M)
    networks = re.search(r"^## Networks\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    rows = {(row["workload"], row["dtype"]): row for row in rows_of(networks[1]) if row["threads"] == "1"}
    lines = ["| one thread | floats | best of the others | 8-bit integers | best of the others |", "| --- | ---: | ---: | ---: | ---: |"]
    for workload in dict.fromkeys(name for name, _ in rows):
        cells = [workload]
        for dtype in ("f32", "i8"):
            row = rows.get((workload, dtype))
            cells += [row["nnrt"], fastest(row)] if row is not None else ["–", "–"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", f"Medians; in brackets how many times as long as nnrt the other takes. {', '.join(versions)}; {when[2]}; {compiler[1]}; {when[1]}."]
    return "\n".join(lines) + "\n"


def main() -> int:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    made = summary((ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"))
    if sys.argv[1:] not in ([], ["--write"], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not sys.argv[1:]:
        print(made, end="")
        return 0
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    before, found, rest = text.partition(MARKS[0])
    old, ended, after = rest.partition(MARKS[1])
    if not found or not ended:
        print(f"README.md: the marks {MARKS[0].strip()} and {MARKS[1].strip()} are missing", file=sys.stderr)
        return 1
    if sys.argv[1] == "--write":
        readme.write_text(before + found + made + ended + after, encoding="utf-8")
        return 0
    if old == made:
        return 0
    print(f"README.md: the table of speeds is not that of docs/benchmarks.md; bench/summary.py --write makes it:\n{made}", file=sys.stderr)
    return 1


sys.exit(main())
