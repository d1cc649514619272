#!/usr/bin/env python3
"""report.py: condenses what the benches measured into one data file.

usage: report.py machine FLAGS   the machine as JSON: called before the benches run
       report.py others FOLDER   the share of the cores that others used since then as JSON; reads bash's `times`
       report.py data FOLDER     medians of all JSON files in FOLDER as one data file; fails when a result was wrong
       report.py steps FOLDER    each step of the profiled networks as Markdown

Flow: bench/run.sh calls it last; bench/tables.py makes tables of the data file. Only the standard library.
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

from tables import CORE_FOR_EACH, LEVELS, share_text, table, text_of, time_text


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


# --- what the benches wrote -------------------------------------------------

def figures(value: float) -> float:
    """Five significant digits, more than tables show."""
    return float(f"{value:.5g}")


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
        """Whether each thread had a core: two virtual cores may be the two threads of one, and one may be shared."""
        return repetition["cores"] >= (0.93 if self.threads == 1 else 0.75 * self.threads)

    def counted(self) -> list[dict]:
        """The repetitions that count: those with a core for each thread. If there are none, all of them on two threads,
        and the best two on one."""
        alone = [r for r in self.repetitions if self.has_cores(r)]
        if alone or self.threads > 1:
            return alone or self.repetitions
        return sorted(self.repetitions, key=lambda r: r["cores"])[-2:]

    def quantile(self, counter: str, at: float) -> float:
        values = sorted(r[counter] for r in self.counted())
        return values[int(at * (len(values) - 1) + 0.5)]

    def median(self, counter: str) -> float:
        return statistics.median(r[counter] for r in self.counted())

    def spread(self) -> float:
        """Half the distance of the quartiles, relative to the median."""
        return (self.quantile("seconds", 0.75) - self.quantile("seconds", 0.25)) / 2 / self.median("seconds")


def give_shares_of_cores(repetitions: list[dict]) -> None:
    """On one thread: sets "cores" to the additions that it made relative to the most of all repetitions. It is below 1
    where another program used the core's other thread.

    The most is the 99th percentile: one wrong reading of the clock would count all others out."""
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


# --- the data file -----------------------------------------------------------

def row_of(ours: Workload, others: dict[str, Workload]) -> dict:
    """A workload of nnrt: seconds, shares of the machine's limits; seconds and seconds over nnrt's of each peer."""
    row = {"group": ours.group, "workload": ours.name, "dtype": ours.dtype, "threads": ours.threads}
    if not has_result(ours):
        return {**row, "error": ours.error or "was not repeated"}
    row |= {"seconds": figures(ours.median("seconds")), "spread": figures(ours.spread())}
    if ours.median("gflops") > 0:
        row |= {"gflops": figures(ours.median("gflops")), "of_peak": figures(ours.median("share_of_peak"))}
    row |= {"gigabytes": figures(ours.median("gigabytes")), "of_bandwidth": figures(ours.median("share_of_bandwidth")),
            "level": LEVELS[int(ours.median("level"))]}
    return {**row, "peers": {name: [figures(peer.median("seconds")), figures(ratio_of(peer, ours))]
                             for name, peer in sorted(others.items()) if has_result(peer)}}


def not_run(found: dict) -> list[dict]:
    """Why peers have no figure, each reason once."""
    of: dict[tuple[str, str], list[str]] = {}
    for w in workloads(found):
        if w.who != "nnrt" and w.error:
            what = f"{w.name} {w.dtype}"
            listed = of.setdefault((w.who, " ".join(w.error.split())[:160]), [])
            if what not in listed:
                listed.append(what)
    return [{"peer": who, "error": error, "workloads": names} for (who, error), names in sorted(of.items())]


def second_thread(found: dict) -> list[dict]:
    """The speedup of a second thread, and the largest that the machine allows."""
    rows = []
    for two, _ in comparisons(found):
        if two.threads != 2 or two.group != "network" or not has_result(two):
            continue
        repetitions = sorted(two.repetitions, key=lambda r: r["speedup_at_most"])
        undisturbed = [r for r in repetitions if r["speedup_at_most"] >= CORE_FOR_EACH]
        speedup, at_most = (statistics.median(r[counter] for r in undisturbed or repetitions[-2:])
                            for counter in ("speedup", "speedup_at_most"))
        rows.append({"network": two.name, "dtype": two.dtype,
                     "speedup": figures(speedup), "at_most": figures(at_most), "of_most": figures(speedup / at_most),
                     "counted": len(undisturbed), "repetitions": len(repetitions)})
    return rows


def counted(found: dict) -> list[dict]:
    """How many repetitions had a core for each thread."""
    ran = [w for w in workloads(found) if has_result(w)]
    rows = []
    for threads in (1, 2):
        of_these = [w for w in ran if w.threads == threads]
        had = [w.has_cores(r) for w in of_these for r in w.repetitions]
        if had:
            without = sum(not any(w.has_cores(r) for r in w.repetitions) for w in of_these)
            rows.append({"threads": threads, "repetitions": len(had), "alone": sum(had), "rows_without": without})
    return rows


def round_trip_ns(folder: Path) -> list[int]:
    """Least and most of what bench_machine --round-trip printed before, between and after the benches."""
    told = folder / "round_trips.txt"
    found = sorted(int(line) for line in told.read_text(encoding="utf-8").split()) if told.exists() else []
    return [found[0], found[-1]] if found else []


def speeds(step: dict, peak_gflops: float) -> dict:
    """GFLOP/s and share of the peak, where there are multiply-accumulates; GB/s."""
    gflops = 2e-9 * step["macs"] / step["seconds"]
    speed = {"gflops": figures(gflops), "of_peak": figures(gflops / peak_gflops)} if step["macs"] else {}
    return {**speed, "gigabytes": figures(1e-9 * step["bytes"] / step["seconds"])}


def kernels_of(network: dict) -> list[dict]:
    """Time by kernel: where a network is slower than its matrix products."""
    whole = sum(step["seconds"] for step in network["steps"])
    kernels: dict[str, dict] = {}
    for step in network["steps"]:
        sums = kernels.setdefault(f"{step['op']}, {step['kernel']}", {"steps": 0, "seconds": 0, "macs": 0, "bytes": 0})
        for name, value in {"steps": 1, **{name: step[name] for name in ("seconds", "macs", "bytes")}}.items():
            sums[name] += value
    return [{"network": network["network"], "kernel": kernel, "steps": sums["steps"],
             "seconds": figures(sums["seconds"]), "share": figures(sums["seconds"] / whole),
             **speeds(sums, network["peak_gflops"])}
            for kernel, sums in sorted(kernels.items(), key=lambda item: -item[1]["seconds"])]


def data_of(folder: Path) -> dict:
    """All that the benches wrote, condensed; parts that did not run are missing."""
    machine = load(folder, "machine")
    keep = ("date", "processor", "cores", "system", "compilers", "flags", "load")
    others = (load(folder, "others") or {"share": 0})["share"]
    data = {"made_by": os.environ.get("NNRT_BENCH_CALL", "bench/run.sh"),
            "machine": {**{name: machine[name] for name in keep}, "others": figures(others)}}
    if (limits := load(folder, "limits")) is not None:
        names = ("gflops", "byte_gops", *LEVELS)
        data["limits"] = [{"threads": one["threads"], **{name: figures(one[name]) for name in names}} for one in limits]
        data["round_trip_ns"] = round_trip_ns(folder)
    if (found := load(folder, "workloads")) is not None:
        titles = {key[5:]: value for key, value in sorted(found["context"].items()) if key.startswith("peer_")}
        data |= {"counted": counted(found), "peers": titles,
                 "workloads": [row_of(ours, others) for ours, others in comparisons(found)],
                 "not_run": not_run(found), "second_thread": second_thread(found)}
    if (processes := load(folder, "process")) is not None:
        data["process"] = processes
    if (profile := load(folder, "profile")) is not None:
        data["profile"] = [row for network in profile for row in kernels_of(network)]
    if (compilers := load(folder, "compile")) is not None:
        data["compile"] = compilers
    return data


def steps_tables(folder: Path) -> list[str]:
    lines = []
    for network in load(folder, "profile") or []:
        whole = sum(step["seconds"] for step in network["steps"])
        rows = []
        for step in network["steps"]:
            speed = speeds(step, network["peak_gflops"])
            cells = [f"{speed['gflops']:.0f}", share_text(speed["of_peak"])] if "gflops" in speed else ["", ""]
            title, share = f"{step['op']} {step['name']}".strip(), share_text(step["seconds"] / whole)
            rows.append([title, step["kernel"], step["output"], time_text(step["seconds"]), share, *cells,
                         f"{speed['gigabytes']:.0f}"])
        columns = ["step", "kernel", "output", "time", "of all", "GFLOP/s", "of peak", "GB/s"]
        peak = f"{network['peak_gflops']:.0f} GFLOP/s"
        lines += [f"## {network['network']}: {time_text(whole)}, 1 thread, peak {peak}", ""]
        lines += table(columns, rows, "lllrrrrr")
    return lines


def main() -> int:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    if len(sys.argv) != 3 or sys.argv[1] not in ("machine", "others", "data", "steps"):
        print(__doc__, file=sys.stderr)
        return 2
    if sys.argv[1] == "machine":
        print(json.dumps(machine(sys.argv[2]), indent=1))
        return 0
    folder = Path(sys.argv[2])
    if sys.argv[1] == "others":
        print(json.dumps({"share": share_of_others(load(folder, "machine"), sys.stdin.read())}))
        return 0
    if sys.argv[1] == "steps":
        print("\n".join(steps_tables(folder)).rstrip("\n"))
        return 0
    print(text_of(data_of(folder)), end="")
    ran = workloads(load(folder, "workloads") or {"benchmarks": []})
    return 1 if any(w.error for w in ran if w.who == "nnrt") else 0


if __name__ == "__main__":
    sys.exit(main())
