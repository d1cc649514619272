#!/usr/bin/env python3
"""report.py: what the benches measured, as Markdown.

usage: report.py machine FLAGS   the machine as JSON: called before the benches run
       report.py others FOLDER   the share of the cores that others used since then as JSON; reads bash's `times`
       report.py tables FOLDER   the tables of all JSON files in FOLDER that are there; fails when a result was wrong
       report.py steps FOLDER    each step of the profiled networks

Flow: the last part of bench/run.sh. Only the standard library.
"""
import datetime
import json
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

LEVELS = ["L1", "L2", "L3", "memory"]
PEERS = ["eigen", "onednn", "onnxruntime", "opencv", "tflite", "xnnpack"]


# --- the machine -------------------------------------------------------------

def core_seconds() -> tuple[float, float]:
    """Seconds of all cores since the start of the system: all of them, and those in use."""
    ticks = [int(n) for n in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    unit = os.sysconf("SC_CLK_TCK")
    return sum(ticks) / unit, (sum(ticks) - ticks[3] - ticks[4]) / unit


def share_of_others(before: dict, times: str) -> float:
    """How much of all cores others than the benches used while these ran, 0 to 1."""
    ours = sum(60 * int(minutes) + float(seconds) for minutes, seconds in re.findall(r"(\d+)m([\d.]+)s", times))
    all_after, used_after = core_seconds()
    return max(0.0, used_after - before["used_seconds"] - ours) / max(1.0, all_after - before["all_seconds"])


def first_line_of(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return ""


def processor() -> str:
    """Its name and, as names of virtual ones say little, family and model."""
    first = Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n\n", 1)[0]
    facts = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}
    name = facts.get("model name", platform.machine())
    return f"{name} (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else name


def machine(flags: str) -> dict:
    return {
        "date": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "all_seconds": core_seconds()[0],
        "used_seconds": core_seconds()[1],
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "compilers": [line for line in (first_line_of([c, "--version"]) for c in ("g++", "clang++-16")) if line],
        "flags": flags,
    }


# --- tables ------------------------------------------------------------------

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


def load(folder: Path, name: str):
    path = folder / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


class Workload:
    """The repetitions of one benchmark "group/name/who/dtype/threads:n": medians, quartiles, or why it did not run."""

    def __init__(self, run_name: str):
        parts = run_name.removesuffix("/real_time").split("/")
        self.group, self.who, self.dtype, self.threads = parts[0], parts[-3], parts[-2], int(parts[-1].split(":")[1])
        self.name = "/".join(parts[1:-3])
        self.repetitions: list[dict] = []
        self.error = ""

    def has_cores(self, repetition: dict) -> bool:
        """Whether the host gave each thread a core of its own: two virtual ones may be the two threads of one, and one may share a core."""
        return repetition["cores"] >= (0.93 if self.threads == 1 else 0.75 * self.threads)

    def counted(self) -> list[dict]:
        """The repetitions that count: those with a core for each thread; if there are none all of them, of those on one thread the nearest two."""
        alone = [r for r in self.repetitions if self.has_cores(r)]
        if alone or self.threads > 1:
            return alone or self.repetitions
        return sorted(self.repetitions, key=lambda r: r["cores"])[-2:]

    def quantile(self, counter: str, at: float) -> float:
        values = sorted(r[counter] for r in self.counted())
        return values[int(at * (len(values) - 1) + 0.5)]

    def median(self, counter: str) -> float:
        return statistics.median(r[counter] for r in self.counted())

    def spread(self) -> str:
        """Half the distance of the quartiles, relative to the median."""
        half = (self.quantile("seconds", 0.75) - self.quantile("seconds", 0.25)) / 2
        return f"±{100 * half / self.median('seconds'):.1f} %"


def give_shares_of_cores(repetitions: list[dict]) -> None:
    """On one thread: of a core that it had for itself it has 1, "cores", by the additions that it made; less while another worked on the core's other thread.

    The most are those of all but a hundredth: one wrong reading of the clock would count all others out."""
    alone = [r for r in repetitions if "additions" in r]
    counts = sorted(r["additions"] for r in alone)
    for r in alone:
        r["cores"] = r["additions"] / counts[int(0.99 * (len(counts) - 1))]


def workloads(found: dict) -> list[Workload]:
    all_of: dict[str, Workload] = {}
    for entry in found["benchmarks"]:
        one = all_of.setdefault(entry["run_name"], Workload(entry["run_name"]))
        if entry.get("error_occurred"):
            one.error = entry["error_message"]
        elif "aggregate_name" not in entry:
            one.repetitions.append(entry)
    give_shares_of_cores([r for w in all_of.values() for r in w.repetitions])
    # Interleaving shuffles the order of the file; families are numbered as they were added.
    order = {entry["run_name"]: entry["family_index"] for entry in found["benchmarks"]}
    return [all_of[name] for name in sorted(all_of, key=lambda name: order[name])]


def key_of(w: Workload) -> tuple[str, str, str, int]:
    return (w.group, w.name, w.dtype, w.threads)


def has_result(w: Workload) -> bool:
    return not w.error and bool(w.repetitions)


def ratio_of(peer: Workload, ours: Workload) -> float:
    """How many times as long as nnrt the peer took."""
    return peer.median("seconds") / ours.median("seconds")


def peer_cell(peer: Workload | None, ours: Workload) -> str:
    if peer is None or not has_result(peer):
        return "–"
    return f"{time_text(peer.median('seconds'))} ({ratio_of(peer, ours):.2f}×)"


def own_cells(w: Workload) -> list[str]:
    if not has_result(w):
        return [w.error or "was not repeated", "", "", "", "", ""]
    has_macs = w.median("gflops") > 0
    cells = [time_text(w.median("seconds")), w.spread()]
    cells += [f"{w.median('gflops'):.1f}", share_text(w.median("share_of_peak"))] if has_macs else ["", ""]
    level = LEVELS[int(w.median("level"))]
    return cells + [f"{w.median('gigabytes'):.1f}", f"{share_text(w.median('share_of_bandwidth'))} of {level}"]


def peer_names(found: dict) -> list[str]:
    """Peers that have a result, in order of their names."""
    return sorted({w.who for w in workloads(found) if w.who != "nnrt" and has_result(w)})


def comparisons(found: dict) -> list[tuple[Workload, dict[str, Workload]]]:
    """nnrt's workloads, each with those of the peers that ran the same."""
    peers: dict[tuple, dict[str, Workload]] = {}
    for w in workloads(found):
        if w.who != "nnrt":
            peers.setdefault(key_of(w), {})[w.who] = w
    return [(w, peers.get(key_of(w), {})) for w in workloads(found) if w.who == "nnrt"]


def best_of(ours: Workload, beside: dict[str, Workload]) -> Workload | None:
    ran = [w for w in beside.values() if has_result(w)]
    return min(ran, key=lambda w: w.median("seconds")) if ran and has_result(ours) else None


def row_of(ours: Workload, beside: dict[str, Workload], names: list[str]) -> list[str]:
    best = best_of(ours, beside)
    cells = [ours.name, ours.dtype, str(ours.threads), *own_cells(ours)]
    cells += [peer_cell(beside.get(name), ours) if has_result(ours) else "–" for name in names]
    return cells + ([f"{ratio_of(best, ours):.2f}×" if best else "–"] if names else [])


def reasons(found: dict) -> list[str]:
    """Why peers have no figure, each reason once."""
    of: dict[tuple[str, str], list[str]] = {}
    for w in workloads(found):
        if w.who != "nnrt" and w.error:
            what = f"{w.name} {w.dtype}"
            listed = of.setdefault((w.who, " ".join(w.error.split())[:160]), [])
            if what not in listed:
                listed.append(what)
    if not of:
        return []
    lines = ["What peers did not run, in their own words:", ""]
    return lines + [f"* {who}: {error} ({', '.join(names)})" for (who, error), names in sorted(of.items())] + [""]


def run_tables(folder: Path) -> list[str]:
    found = load(folder, "workloads")
    if found is None:
        return []
    names = peer_names(found)
    lines = ["## Peers", ""]
    titles = {key.removeprefix("peer_"): value for key, value in found["context"].items() if key.startswith("peer_")}
    lines += [f"* {name}: {title}" for name, title in sorted(titles.items())] or ["None is installed."]
    lines += [f"* {name}: missing" for name in PEERS if name not in titles] + [""]
    columns = ["workload", "dtype", "threads", "nnrt", "spread", "GFLOP/s", "of peak", "GB/s", "of read bandwidth"]
    columns += names + ["best peer / nnrt"] * bool(names)
    for group, title in (("network", "Networks"), ("layer", "Layers")):
        rows = [row_of(ours, beside, names) for ours, beside in comparisons(found) if ours.group == group]
        if rows:
            lines += [f"## {title}", "", *table(columns, rows, "l" + "r" * (len(columns) - 1))]
    return lines + reasons(found)


CORE_FOR_EACH = 1.8  # times as much as one of them is what two executors do side by side who have a core each


def threads_table(folder: Path) -> list[str]:
    """What a second thread brings, beside what the machine's two cores do at most."""
    found = load(folder, "workloads")
    if found is None:
        return []
    rows, counted, measured = [], 0, 0
    for two, _ in comparisons(found):
        if two.threads != 2 or two.group != "network" or not has_result(two):
            continue
        repetitions = sorted(two.repetitions, key=lambda r: r["speedup_at_most"])
        undisturbed = [r for r in repetitions if r["speedup_at_most"] >= CORE_FOR_EACH]
        counted, measured = counted + len(undisturbed), measured + len(repetitions)
        of_these = undisturbed or repetitions[-2:]
        speedup, at_most = (statistics.median(r[counter] for r in of_these) for counter in ("speedup", "speedup_at_most"))
        rows.append([two.name, two.dtype, f"{speedup:.2f}×", f"{at_most:.2f}×", share_text(speedup / at_most), f"{len(undisturbed)} of {len(repetitions)}"])
    if not rows:
        return []
    columns = ["network", "dtype", "2 threads over 1", "at most", "of that", "repetitions"]
    return ["## What a second thread brings", "",
            "Inferences of two threads in place of one, both measured by turns in each repetition: the tables above compare medians of different moments.",
            "At most: two executors of one thread each, at the same time, one on each core, where nobody waits and nothing travels between cores: what both",
            f"do while both work. Of {measured} repetitions those {counted} count in which that is at least {CORE_FOR_EACH} times as much; in the others the host had both virtual",
            "cores on one real one, or others worked beside them. Where there was none, the two with the most count.", "",
            *table(columns, rows, "lrrrrr")]


def process_table(folder: Path) -> list[str]:
    found = load(folder, "process")
    if found is None:
        return []
    rows = [[row["who"], time_text(row["seconds"]), time_text(row["fastest"]), f"{row['peak_bytes'] / 2**20:.1f} MiB",
             f"{row['private_bytes'] / 2**20:.1f} MiB", bytes_text(row["program_bytes"]),
             bytes_text(row["library_bytes"]) if row["library_bytes"] else ""] for row in found]
    columns = ["process", "start to end", "fastest", "peak memory", "private memory", "stripped program", "its shared libraries"]
    lines = ["## One MobileNetV2 result from a fresh process (f32, 1 thread)", "",
             "nnrt's program holds the weights as its kernels read them, and is linked statically, for it needs no library when it runs; the others\nread weights from a file of their own form. Programs and files are copied first, as an installation does: a linker's own\noutput lies page by page in the system's cache, and takes longer to map.", ""]
    return lines + table(columns, rows, "lrrrrrr")


def limits_table(folder: Path) -> list[str]:
    found = load(folder, "limits")
    if found is None:
        return []
    rows = [[str(one["threads"]), f"{one['gflops']:.0f}", f"{one['byte_gops']:.0f}", *(f"{one[level]:.0f}" for level in LEVELS)]
            for one in found]
    columns = ["threads", "FMA, GFLOP/s", "int8 products, Gop/s", *(f"read {level}, GB/s" for level in LEVELS)]
    return ["## What the machine can do at most", "", *table(columns, rows, "rrrrrrr"), *round_trips(folder), *cores_counted(folder)]


def round_trips(folder: Path) -> list[str]:
    """What bench_machine --round-trip said before, between and after the benches."""
    told = folder / "round_trips.txt"
    if not told.exists():
        return []
    found = sorted({int(line) for line in told.read_text(encoding="utf-8").split()})
    if not found:
        return []
    span = f"{found[0]} ns" if len(found) == 1 else f"{found[0]} to {found[-1]} ns"
    return [f"A line of the cache takes {span} from one core to the other and back, measured before and after the benches: what two",
            "threads do together cannot begin and end in less.", ""]


def cores_counted(folder: Path) -> list[str]:
    """How many repetitions had a core for each thread."""
    found = load(folder, "workloads")
    ran = [w for w in workloads(found) if has_result(w)] if found else []
    lines: list[str] = []
    for threads, how, others in ((1, "the core for themselves, by the additions that it makes just before and after (at least 93 % of the most)",
                                  "shared it with the host's other programs, and do not count"),
                                 (2, "a core for each, by the peak of both just before and after (at least 1.5 times one's)",
                                  "ran on the two threads of one core, where the host had put them, and do not count")):
        rows = [w for w in ran if w.threads == threads]
        had = [w.has_cores(r) for w in rows for r in w.repetitions]
        without = sum(not any(w.has_cores(r) for r in w.repetitions) for w in rows)
        if not had:
            continue
        instead = "the two nearest to that count there" if threads == 1 else "all count there"
        lines += [f"Of {len(had)} repetitions on {threads} thread{'s' if threads > 1 else ''} {sum(had)} had {how};",
                  f"the others {others}." + (f" {without} rows had no other: {instead}." if without else ""), ""]
    return lines


def speed_cells(seconds: float, macs: float, size: float, peak: float) -> list[str]:
    """GFLOP/s and share of the peak, where there are multiply-accumulates; GB/s."""
    gflops = 2e-9 * macs / seconds
    return [*([f"{gflops:.0f}", share_text(gflops / peak)] if macs else ["", ""]), f"{1e-9 * size / seconds:.0f}"]


def kernels_table(folder: Path) -> list[str]:
    """Time by kernel: where a network loses against its matrix products."""
    found = load(folder, "profile")
    if found is None:
        return []
    rows = []
    for network in found:
        whole = sum(step["seconds"] for step in network["steps"])
        kernels: dict[str, list[float]] = {}
        for step in network["steps"]:
            sums = kernels.setdefault(f"{step['op']}, {step['kernel']}", [0, 0, 0, 0])
            for i, value in enumerate((1, step["seconds"], step["macs"], step["bytes"])):
                sums[i] += value
        for kernel, (count, seconds, macs, size) in sorted(kernels.items(), key=lambda item: -item[1][1]):
            cells = speed_cells(seconds, macs, size, network["peak_gflops"])
            share = share_text(seconds / whole)
            rows.append([network["network"], kernel, f"{count}", time_text(seconds), share, *cells])
    columns = ["network", "operator, kernel", "steps", "time", "of the network", "GFLOP/s", "of peak", "GB/s"]
    return ["## Where networks spend their time (1 thread)", "", *table(columns, rows, "llrrrrrr")]


def steps_tables(folder: Path) -> list[str]:
    lines = []
    for network in load(folder, "profile") or []:
        whole = sum(step["seconds"] for step in network["steps"])
        rows = []
        for step in network["steps"]:
            cells = speed_cells(step["seconds"], step["macs"], step["bytes"], network["peak_gflops"])
            title = f"{step['op']} {step['name']}".strip()
            share = share_text(step["seconds"] / whole)
            rows.append([title, step["kernel"], step["output"], time_text(step["seconds"]), share, *cells])
        columns = ["step", "kernel", "output", "time", "of all", "GFLOP/s", "of peak", "GB/s"]
        peak = f"{network['peak_gflops']:.0f} GFLOP/s"
        lines += [f"## {network['network']}: {time_text(whole)}, 1 thread, peak {peak}", ""]
        lines += table(columns, rows, "lllrrrrr")
    return lines


def units_table(found: dict) -> list[str]:
    rows = []
    for cost in found["units"]:
        allowed = f"≤ {cost['allowed']:.1f} s" if "allowed" in cost else ""
        name = cost["unit"] + (", more constexpr steps allowed" if cost["more_steps"] else "")
        rows.append([name, cost["compiler"], " ".join(cost["flags"][1:]), f"{cost['seconds']:.2f} s", f"{cost['worst']:.2f} s", allowed,
                     f"{cost['passed']:.2f} s", f"{cost['bytes'] / 2**20:.0f} MiB"])
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
    return ["## From start to end of a process", "", f"Medians of {times} starts of each, by turns.", "",
            *table(columns, rows, "lrrrr")]


def compile_tables(folder: Path) -> list[str]:
    found = load(folder, "compile")
    if found is None:
        return []
    tables = {"units": units_table, "code": code_table, "start": start_table}
    return [line for part, make in tables.items() if found[part] for line in make(found)]


METHOD = """\
Each result was checked against the operators' references before it was timed: floats within 1e-4 of the largest
number, stored numbers of one layer within one step (nnrt's are the same bits). Times are medians over repetitions that
ran in random order; spread is half the distance of the quartiles. On 1 thread time is that of the core (what other
programs took is left out), on 2 threads it is the time that passed, after 20 ms of runs that do not count; a spread of more
than a tenth there is a host that moves its virtual cores about (where they share no cache, what one has written costs the other several times as much). The
peak, of FMA or of products of bytes (dot products, or matrix registers where kernels use them), is measured beside every repetition, so clocks of
different moments are never compared; bandwidth is that of reading inputs and weights and writing outputs once, against reading from the cache (or
memory) that holds them all. GFLOP/s count a convolution as the direct one. Peers have the same weights and inputs, in
the layouts that they prefer; in brackets stands how many times as long as nnrt they take.""".splitlines()


def head(folder: Path) -> list[str]:
    found = load(folder, "machine")
    if found is None:
        return []
    lines = ["# Benchmarks", "", f"Made by `{os.environ.get('NNRT_BENCH_CALL', 'bench/run.sh')}`; not edited by hand.", "",
             f"* {found['date']}, {found['processor']}, {found['cores']} cores, {found['system']}",
             f"* {'; '.join(found['compilers'])}; programs that run: {found['flags']}",
             f"* load average {found['load']:.2f} before the benches began"]
    others = (load(folder, "others") or {"share": 0})["share"]
    if others > 0.05:
        lines += [f"* **Other programs used {share_text(others)} of the cores meanwhile: caches and clock were shared,",
                  "  and times of 2 threads say little.**"]
    return [*lines, "", *METHOD, ""]


def main() -> int:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(sys.argv) != 3 or sys.argv[1] not in ("machine", "others", "tables", "steps"):
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "machine":
        print(json.dumps(machine(sys.argv[2]), indent=1))
        return 0
    folder = Path(sys.argv[2])
    if sys.argv[1] == "others":
        print(json.dumps({"share": share_of_others(load(folder, "machine"), sys.stdin.read())}))
        return 0
    made_by = [head, limits_table, run_tables, threads_table, process_table, kernels_table, compile_tables]
    if sys.argv[1] == "steps":
        made_by = [steps_tables]
    print("\n".join(line for make in made_by for line in make(folder)).rstrip("\n"))
    ran = workloads(load(folder, "workloads") or {"benchmarks": []})
    return 1 if any(w.error for w in ran if w.who == "nnrt") else 0


if __name__ == "__main__":
    sys.exit(main())
