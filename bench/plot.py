#!/usr/bin/env python3
"""plot.py: pictures of what the benches measured, as SVG.

usage: plot.py FOLDER   reads FOLDER/workloads.json,
                        writes FOLDER/times-<dtype>-<threads>.svg and FOLDER/peak-<dtype>.svg

Flow: bench/run.sh calls it after report.py, whose reader it shares. Needs matplotlib; without it there are no pictures.
"""
import sys
from pathlib import Path

import report
import tables

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
except ImportError:
    print("plot.py: no matplotlib, no pictures", file=sys.stderr)
    sys.exit(0)


def compared(found: dict, dtype: str, threads: int) -> list:
    return [(ours, others) for ours, others in report.comparisons(found)
            if ours.dtype == dtype and ours.threads == threads and report.has_result(ours)]


def finish(figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def plot_times(found: dict, dtype: str, threads: int, path: Path) -> None:
    """For each workload how many times as long as nnrt the peers take, on a logarithmic axis."""
    rows = compared(found, dtype, threads)[::-1]
    names = report.peer_names(found)
    if not rows or not names:
        return
    height = 0.8 / len(names)
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.55 * len(rows)))
    for i, name in enumerate(names):
        bars = [(y, report.ratio_of(others[name], ours)) for y, (ours, others) in enumerate(rows)
                if name in others and report.has_result(others[name])]
        axes.barh([y + 0.4 - height * (i + 0.5) for y, _ in bars], [ratio - 1 for _, ratio in bars], height, left=1,
                  label=name)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)),
                    [f"{ours.name}\n{tables.time_text(ours.median('seconds'))}" for ours, _ in rows], fontsize=8)
    axes.set_xlabel("time of a peer / time of nnrt")
    axes.set_title(f"{dtype}, {threads} thread{'s' if threads > 1 else ''}")
    axes.legend(fontsize=8)
    finish(figure, path)


def plot_peak(found: dict, dtype: str, path: Path) -> None:
    """For each workload nnrt's share of the machine's peak, with 1 and 2 threads."""
    rows = [(ours.name, threads, ours.median("share_of_peak")) for threads in (1, 2)
            for ours, _ in compared(found, dtype, threads) if ours.median("gflops") > 0]
    names = list(dict.fromkeys(name for name, _, _ in rows))[::-1]
    if not names:
        return
    figure, axes = pyplot.subplots(figsize=(8, 1 + 0.4 * len(names)))
    for threads in (1, 2):
        bars = [(names.index(name), share) for name, of, share in rows if of == threads]
        axes.barh([y + 0.4 - 0.4 * (threads - 0.5) for y, _ in bars], [100 * share for _, share in bars], 0.4,
                  label=f"{threads} thread{'s' if threads > 1 else ''}")
    axes.axvline(100, color="black", linewidth=1)
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.set_xlabel("share of the machine's peak, % (above 100: fewer multiplications than the direct form)")
    axes.set_title(f"nnrt, {dtype}")
    axes.legend(fontsize=8)
    finish(figure, path)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    found = report.load(folder, "workloads")
    if found is None:
        return 0
    for dtype in ("f32", "i8"):
        plot_peak(found, dtype, folder / f"peak-{dtype}.svg")
        for threads in (1, 2):
            plot_times(found, dtype, threads, folder / f"times-{dtype}-{threads}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
