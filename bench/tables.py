#!/usr/bin/env python3
"""tables.py: the measurements of one machine as Markdown tables.

usage: tables.py DATA   prints all tables of a data file, such as docs/benchmarks/zen5.json

Flow: bench/report.py condenses what the benches wrote into a data file; bench/run.sh prints its tables;
bench/summary.py makes those of README.md and docs/benchmarks.md with the functions here. Only the standard library.
"""
import json
import sys
from pathlib import Path

LEVELS = ["L1", "L2", "L3", "memory"]
PEERS = {"eigen": "Eigen", "onednn": "oneDNN", "onnxruntime": "ONNX Runtime", "opencv": "OpenCV",
         "tflite": "TensorFlow Lite", "xnnpack": "XNNPACK"}
CORE_FOR_EACH = 1.8  # two executors of one thread each, side by side, do at least this much more where each has a core


# --- numbers as text ---------------------------------------------------------

def time_text(seconds: float) -> str:
    if seconds < 0:
        return "-" + time_text(-seconds)
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9)):
        if seconds * factor >= 1 or unit == "ns":
            return f"{seconds * factor:.3g} {unit}" if seconds * factor < 1000 else f"{seconds * factor:.0f} {unit}"
    return ""


def share_text(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def bytes_text(count: float) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} KB" if count >= 1e3 else f"{count:.0f} B"


def table(head: list[str], rows: list[list[str]], align: str) -> list[str]:
    """A Markdown table; align has l or r for each column."""
    rule = ["---:" if a == "r" else "---" for a in align]
    return ["| " + " | ".join(cells) + " |" for cells in (head, rule, *rows)] + [""]


def load(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def text_of(data: dict) -> str:
    """A data file: JSON with one line for each row of a table, so that changes are readable."""
    def row(value) -> str:
        return json.dumps(value, ensure_ascii=False)

    def section(value) -> str:
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return "[\n" + ",\n".join("  " + row(one) for one in value) + "\n ]"
        return row(value)

    return "{\n" + ",\n".join(f" {row(name)}: {section(value)}" for name, value in data.items()) + "\n}\n"


# --- the machine -------------------------------------------------------------

def head(data: dict) -> list[str]:
    machine = data["machine"]
    lines = [f"* {machine['date']}, {machine['processor']}, {machine['cores']} cores, {machine['system']}",
             f"* {'; '.join(machine['compilers'])}; flags of the programs: {machine['flags']}",
             f"* load average {machine['load']:.2f} before the benches began; measured by `{data['made_by']}`"]
    if machine.get("others", 0) > 0.05:
        lines += [f"* **Other programs used {share_text(machine['others'])} of the cores meanwhile:"
                  " caches and clock were shared, times of 2 threads are not reliable.**"]
    return [*lines, ""]


def limits_table(data: dict) -> list[str]:
    if not data.get("limits"):
        return []
    rows = [[str(one["threads"]), f"{one['gflops']:.0f}", f"{one['byte_gops']:.0f}",
             *(f"{one[level]:.0f}" for level in LEVELS)] for one in data["limits"]]
    columns = ["threads", "FMA, GFLOP/s", "int8 products, Gop/s", *(f"read {level}, GB/s" for level in LEVELS)]
    return ["## Limits of the machine", "", *table(columns, rows, "rrrrrrr"), *round_trip(data), *counted(data)]


def round_trip_text(data: dict) -> str:
    least, most = data.get("round_trip_ns") or (0, 0)
    return f"{least} ns" if least == most else f"{least} to {most} ns"


def round_trip(data: dict) -> list[str]:
    if not data.get("round_trip_ns"):
        return []
    return [f"A cache line takes {round_trip_text(data)} from one core to the other and back.", ""]


def counted(data: dict) -> list[str]:
    """How many repetitions had a core for each thread."""
    lines = []
    for one in data.get("counted", []):
        threads = f"{one['threads']} thread{'s' if one['threads'] > 1 else ''}"
        lines += [f"* {one['alone']} of {one['repetitions']} repetitions on {threads} had a core for each and count"
                  + (f"; {one['rows_without']} rows had none of these." if one["rows_without"] else ".")]
    return lines + [""] if lines else []


# --- networks and layers -----------------------------------------------------

def peers_of(data: dict) -> list[str]:
    """Peers that have a result, in order of their names."""
    return sorted({name for row in data.get("workloads", []) for name in row.get("peers", {})})


def best_peer(row: dict) -> tuple[str, float, float] | None:
    """Name, time and time relative to nnrt of the fastest peer."""
    found = [(name, seconds, ratio) for name, (seconds, ratio) in row.get("peers", {}).items()]
    return min(found, key=lambda one: one[2]) if found and "seconds" in row else None


def own_cells(row: dict) -> list[str]:
    if "error" in row:
        return [row["error"], "", "", "", "", ""]
    cells = [time_text(row["seconds"]), f"±{100 * row['spread']:.1f} %"]
    cells += [f"{row['gflops']:.1f}", share_text(row["of_peak"])] if "gflops" in row else ["", ""]
    return cells + [f"{row['gigabytes']:.1f}", f"{share_text(row['of_bandwidth'])} of {row['level']}"]


def cells_of(row: dict, peers: list[str]) -> list[str]:
    cells = [row["workload"], row["dtype"], str(row["threads"]), *own_cells(row)]
    for name in peers:
        seconds, ratio = row.get("peers", {}).get(name, (0, 0))
        cells.append(f"{time_text(seconds)} ({ratio:.2f}×)" if seconds else "–")
    best = best_peer(row)
    return cells + ([f"{best[2]:.2f}×" if best else "–"] if peers else [])


def workload_tables(data: dict) -> list[str]:
    if not data.get("workloads"):
        return []
    lines = ["## Peers", "", *(f"* {name}: {title}" for name, title in data["peers"].items())]
    lines += [f"* {name}: missing" for name in PEERS if name not in data["peers"]] + [""]
    peers = peers_of(data)
    columns = ["workload", "dtype", "threads", "nnrt", "spread", "GFLOP/s", "of peak", "GB/s"]
    columns += ["of read bandwidth"] + peers + ["best peer / nnrt"] * bool(peers)
    for group, title in (("network", "Networks"), ("layer", "Layers")):
        rows = [cells_of(row, peers) for row in data["workloads"] if row["group"] == group]
        if rows:
            lines += [f"## {title}", "", *table(columns, rows, "l" + "r" * (len(columns) - 1))]
    if data.get("not_run"):
        lines += ["What peers did not run, in their own words:", ""]
        lines += [f"* {one['peer']}: {one['error']} ({', '.join(one['workloads'])})" for one in data["not_run"]] + [""]
    return lines


def threads_table(data: dict) -> list[str]:
    """The speedup of a second thread, and the largest that the machine allows."""
    rows = [[one["network"], one["dtype"], f"{one['speedup']:.2f}×", f"{one['at_most']:.2f}×",
             share_text(one["of_most"]), f"{one['counted']} of {one['repetitions']}"]
            for one in data.get("second_thread", [])]
    columns = ["network", "dtype", "2 threads over 1", "at most", "of that", "repetitions"]
    return ["## Speedup of a second thread", "", *table(columns, rows, "lrrrrr")] if rows else []


def process_table(data: dict) -> list[str]:
    rows = [[one["who"], time_text(one["seconds"]), time_text(one["fastest"]), f"{one['peak_bytes'] / 2**20:.1f} MiB",
             f"{one['private_bytes'] / 2**20:.1f} MiB", bytes_text(one["program_bytes"]),
             bytes_text(one["library_bytes"]) if one["library_bytes"] else ""] for one in data.get("process", [])]
    columns = ["process", "start to end", "fastest", "peak memory", "private memory", "stripped program",
               "its shared libraries"]
    title = "## One MobileNetV2 result from a fresh process (f32, 1 thread)"
    return [title, "", *table(columns, rows, "lrrrrrr")] if rows else []


def kernels_table(data: dict) -> list[str]:
    """Time by kernel: where a network is slower than its matrix products."""
    rows = []
    for one in data.get("profile", []):
        speed = [f"{one['gflops']:.0f}", share_text(one["of_peak"])] if "gflops" in one else ["", ""]
        rows.append([one["network"], one["kernel"], str(one["steps"]), time_text(one["seconds"]),
                     share_text(one["share"]), *speed, f"{one['gigabytes']:.0f}"])
    columns = ["network", "operator, kernel", "steps", "time", "of the network", "GFLOP/s", "of peak", "GB/s"]
    return ["## Time by kernel (1 thread)", "", *table(columns, rows, "llrrrrrr")] if rows else []


# --- compilers ---------------------------------------------------------------

def units_table(found: dict) -> list[str]:
    rows = []
    for cost in found["units"]:
        allowed = f"≤ {cost['allowed']:.1f} s" if "allowed" in cost else ""
        name = cost["unit"] + (", more constexpr steps allowed" if cost["more_steps"] else "")
        rows.append([name, cost["compiler"], " ".join(cost["flags"][1:]), f"{cost['seconds']:.2f} s",
                     f"{cost['worst']:.2f} s", allowed, f"{cost['passed']:.2f} s", f"{cost['bytes'] / 2**20:.0f} MiB"])
    columns = ["translation unit", "compiler", "flags", "time", "slowest", "budget", "passed", "memory"]
    runs = max(cost["runs"] for cost in found["units"])
    return ["## Compiling", "",
            f"Processor time (user and system), best of up to {runs} runs; budgets are for g++ and -O2 alone.",
            "", *table(columns, rows, "lllrrrrr")]


def code_table(found: dict) -> list[str]:
    sections = [".text", ".rodata", ".data.rel.ro"]
    rows = [[code["network"], code["compiler"], bytes_text(code["bytes"]), f"≤ {bytes_text(code['allowed'])}",
             *(bytes_text(code["sections"].get(section, 0)) for section in sections)] for code in found["code"]]
    return ["## Code of a stripped program, less that of an empty one", "",
            *table(["network", "compiler", "size", "budget", *sections], rows, "llrrrrr")]


def start_table(found: dict) -> list[str]:
    rows = [[start["compiler"], *(time_text(start[which]) for which in ("empty", "micro", "added")),
             f"≤ {time_text(start['allowed'])}"] for start in found["start"]]
    columns = ["compiler", "`int main() {}`", "one run of a micro network", "difference", "budget"]
    times = found["start"][0]["times"]
    return ["## From start to end of a process", "", f"Medians of {times} starts of each, in alternation.", "",
            *table(columns, rows, "lrrrr")]


def compile_tables(data: dict) -> list[str]:
    found = data.get("compile")
    tables = {"units": units_table, "code": code_table, "start": start_table}
    return [line for part, make in tables.items() if found[part] for line in make(found)] if found else []


def tables_of(data: dict) -> list[str]:
    made_by = [head, limits_table, workload_tables, threads_table, process_table, kernels_table, compile_tables]
    return ["# Measurements", "", *(line for make in made_by for line in make(data))]


def main() -> int:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    print("\n".join(tables_of(load(Path(sys.argv[1])))).rstrip("\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
