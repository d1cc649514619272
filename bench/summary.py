#!/usr/bin/env python3
"""summary.py: the tables of speeds in README.md, docs/benchmarks.md and docs/kernels/, from docs/benchmarks/*.json.

usage: summary.py          prints the README's table
       summary.py --write  puts the tables into all documents, between their marks
       summary.py --check  fails, and prints what differs, when a document has other tables

Flow: bench/run.sh --write DATA, then this; the test hygiene/speeds runs --check. Only the standard library.
"""
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tables import PEERS, best_peer, load, round_trip_text, share_text, table, time_text

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "docs" / "benchmarks"
README_MACHINE = "zen5"
ARM_MODELS = "arm-models"


def machines() -> dict[str, dict]:
    """The data of all machines by the names of their files; models are no machines."""
    return {path.stem: load(path) for path in sorted(DATA.glob("*.json"), reverse=True) if path.stem != ARM_MODELS}


# --- README.md ---------------------------------------------------------------

def fastest(row: dict | None) -> list[str]:
    """nnrt's time, and the fastest peer with its time and the ratio of both."""
    if row is None:
        return ["–", "–"]
    best = best_peer(row)
    return [time_text(row["seconds"]), f"{time_text(best[1])} {PEERS[best[0]]} ({best[2]:.2f}×)" if best else "–"]


def readme_table(data: dict) -> list[str]:
    networks = [row for row in data["workloads"] if row["group"] == "network" and row["threads"] == 1]
    rows = {(row["workload"], row["dtype"]): row for row in networks}
    names = dict.fromkeys(name for name, _ in rows)
    columns = ["one thread", "floats", "best of the others", "8-bit integers", "best of the others"]
    cells = [[name, *fastest(rows.get((name, "f32"))), *fastest(rows.get((name, "i8")))] for name in names]
    machine = data["machine"]
    versions, date = ", ".join(data["peers"].values()), machine["date"].split()[0]
    return [*table(columns, cells, "lrrrr"),
            f"Medians; in brackets how many times as long as nnrt the other takes. {versions}; "
            f"{machine['processor']}, {machine['cores']} cores; {machine['compilers'][0]}; {date}."]


# --- docs/benchmarks.md ------------------------------------------------------

def machines_table(all_data: dict[str, dict]) -> list[str]:
    rows = []
    for name, data in all_data.items():
        one, machine = data["limits"][0], data["machine"]
        reads = " / ".join(f"{one[level]:.0f}" for level in ("L1", "L2", "L3", "memory"))
        rows.append([f"[{name}](benchmarks/{name}.json)", machine["processor"], machine["date"], f"{one['gflops']:.0f}",
                     f"{one['byte_gops']:.0f}", reads, round_trip_text(data), f"{machine['load']:.2f}"])
    columns = ["machine", "processor", "date", "FMA, GFLOP/s", "int8 products, Gop/s",
               "read L1 / L2 / L3 / memory, GB/s", "line there and back", "load before"]
    compilers = dict.fromkeys(name for data in all_data.values()
                              for name in (*data["machine"]["compilers"], data["machine"]["flags"]))
    return [*table(columns, rows, "lllrrrrr"),
            f"Limits are those of one thread. Compilers and flags: {'; '.join(compilers)}."]


def cell_of(row: dict | None) -> str:
    """nnrt's time, and the ratio and name of the fastest peer."""
    if row is None or "error" in row:
        return "–"
    best = best_peer(row)
    return time_text(row["seconds"]) + (f" ({best[2]:.2f}× {PEERS[best[0]]})" if best else "")


def workloads_tables(all_data: dict[str, dict], group: str) -> list[str]:
    lines: list[str] = []
    for dtype, words in (("f32", "f32"), ("i8", "8-bit integers")):
        for threads in (1, 2):
            of = {name: {row["workload"]: row for row in data["workloads"]
                         if (row["group"], row["dtype"], row["threads"]) == (group, dtype, threads)}
                  for name, data in all_data.items()}
            titles = dict.fromkeys(title for rows in of.values() for title in rows)
            rows = [[title, *(cell_of(of[name].get(title)) for name in all_data)] for title in titles]
            columns = [f"{words}, {threads} thread{'s' * (threads > 1)}", *all_data]
            lines += table(columns, rows, "l" + "r" * len(all_data))
    return lines[:-1]


def threads_table(all_data: dict[str, dict]) -> list[str]:
    of = {name: {(row["network"], row["dtype"]): row for row in data["second_thread"]}
          for name, data in all_data.items() if data.get("second_thread")}

    def cell(row: dict | None) -> str:
        return "–" if row is None else f"{row['speedup']:.2f}× of {row['at_most']:.2f}× ({share_text(row['of_most'])})"

    keys = dict.fromkeys(key for rows in of.values() for key in rows)
    rows = [[*key, *(cell(of[name].get(key)) for name in of)] for key in keys]
    return table(["network", "dtype", *of], rows, "ll" + "r" * len(of))[:-1]


def processes_table(all_data: dict[str, dict]) -> list[str]:
    of = {name: {row["who"]: row for row in data["process"]} for name, data in all_data.items() if data.get("process")}

    def cell(row: dict | None) -> str:
        return "–" if row is None else f"{time_text(row['seconds'])}, {row['private_bytes'] / 2**20:.1f} MiB"

    names = dict.fromkeys(who for rows in of.values() for who in rows)
    rows = [[PEERS.get(who, who), *(cell(of[name].get(who)) for name in of)] for who in names]
    return table(["process", *of], rows, "l" + "r" * len(of))[:-1]


def peers_list(all_data: dict[str, dict]) -> list[str]:
    of: dict[str, dict[str, list[str]]] = {}
    for machine, data in all_data.items():
        for name, title in data["peers"].items():
            of.setdefault(name, {}).setdefault(title, []).append(machine)
    return [f"* {title}" + ("" if len(where) == len(all_data) else f" ({', '.join(where)})")
            for titles in of.values() for title, where in titles.items()]


def arm_table() -> list[str]:
    data = load(DATA / f"{ARM_MODELS}.json")
    cores = list(dict.fromkeys(core for row in data["rows"] for core in row["cores"]))
    rows = []
    for row in data["rows"]:
        found = [row["cores"].get(core) for core in cores]
        cells = ["–" if one is None else f"{one[0]:.1f} ({100 * one[1]:.0f} %)" for one in found]
        rows.append([row["products"], row["instruction"], *cells])
    return [*table(["products", "instruction", *cores], rows, "ll" + "r" * len(cores)),
            f"{data['date']}, {data['compiler']}, llvm-mca {data['models']}."]


# --- docs/kernels/ -----------------------------------------------------------

def layer_table(all_data: dict[str, dict], layer: str) -> list[str]:
    """One layer on one thread: f32 and 8-bit integers on each machine."""
    def cells(row: dict | None) -> list[str]:
        if row is None or "error" in row:
            return ["–", "–"]
        level = f"{share_text(row['of_bandwidth'])} of {row['level']}"
        return [cell_of(row), f"{share_text(row['of_peak'])} of the peak" if "of_peak" in row else level]

    rows = []
    for machine, data in all_data.items():
        of = {row["dtype"]: row for row in data["workloads"] if (row["workload"], row["threads"]) == (layer, 1)}
        rows.append([machine, data["machine"]["date"].split()[0], *cells(of.get("f32")), *cells(of.get("i8"))])
    return table([layer, "date", "f32", "", "8-bit integers", ""], rows, "llrrrr")[:-1]


# --- documents ---------------------------------------------------------------

def blocks() -> Iterator[tuple[Path, str, str]]:
    """Each generated part: its document, the mark before it, its text. It ends at the mark `END`."""
    all_data = machines()
    readme, page = ROOT / "README.md", ROOT / "docs" / "benchmarks.md"
    yield readme, "<!-- bench/summary.py -->\n", "\n".join(readme_table(all_data[README_MACHINE])) + "\n"
    of_page = {"machines": machines_table(all_data), "networks": workloads_tables(all_data, "network"),
               "layers": workloads_tables(all_data, "layer"), "threads": threads_table(all_data),
               "processes": processes_table(all_data), "peers": peers_list(all_data), "arm": arm_table()}
    for name, lines in of_page.items():
        yield page, f"<!-- bench/summary.py {name} -->\n", "\n" + "\n".join(lines) + "\n\n"
    for of_family in sorted((ROOT / "docs" / "kernels").glob("*.md")):
        for layer in re.findall(r"^<!-- bench/summary.py layer (.+) -->$", of_family.read_text(encoding="utf-8"), re.M):
            lines = layer_table(all_data, layer)
            yield of_family, f"<!-- bench/summary.py layer {layer} -->\n", "\n" + "\n".join(lines) + "\n\n"


END = "<!-- end of it -->\n"


def update(document: Path, mark: str, made: str, writes: bool) -> str:
    """What is wrong with one part of a document; nothing where it is as it should be, or was written."""
    text = document.read_text(encoding="utf-8")
    before, found, rest = text.partition(mark)
    old, ended, after = rest.partition(END)
    name = document.relative_to(ROOT)
    if not found or not ended:
        return f"{name}: the marks {mark.strip()} and {END.strip()} are missing"
    if old == made:
        return ""
    if not writes:
        return f"{name}: the table at {mark.strip()} differs from the data; run bench/summary.py --write:\n{made}"
    document.write_text(before + mark + made + END + after, encoding="utf-8")
    return ""


def main() -> int:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if sys.argv[1:] not in ([], ["--write"], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not sys.argv[1:]:
        print("\n".join(readme_table(machines()[README_MACHINE])))
        return 0
    wrong = [said for part in blocks() if (said := update(*part, writes=sys.argv[1] == "--write"))]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
