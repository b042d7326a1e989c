#!/usr/bin/env python3
"""Makes tables of what run.sh recorded: table.py FOLDER WORKLOAD TABLE [HALF]

TABLE gets one row for each kernel of the workload, in the order of their runs; with HALF (seen or unseen),
for those of that half."""
import csv
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FIRST_COLUMNS = ["name", "class", "launches", "grid", "block", "cycles", "cycles_cold", "spread_pct",
                 "cold_spread_pct"]
CYCLES = "sm__cycles_elapsed.max"


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def launches(path):
    """The rows of one of the profiler's files, one for each launch in their order; one more has units."""
    with open(path, newline="") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))
    return [row for row in rows if row["ID"]]


def counters():
    """(column, rule, kind, names) of each line of counters.txt."""
    with open(os.path.join(HERE, "counters.txt")) as file:
        for line in file:
            if not line.startswith("#"):
                column, rule, kind, names = line.split()
                yield column, rule, kind, names.split("|")


class Recording:
    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "index.txt")) as file:
            self.index = [line.split() for line in file]
        self.runs = {name: self.repeated(name) for name in ("cycles", "cold")}
        self.cycles = [statistics.median(values) for values in zip(*self.runs["cycles"])]
        self.counted = {kind: self.read(kind + ".csv") for kind in ("kernel", "program")}

    def read(self, name):
        path = os.path.join(self.folder, name)
        rows = launches(path) if os.path.exists(path) else []
        if rows and len(rows) != len(self.index):
            sys.exit(f"{path} has {len(rows)} launches, and index.txt {len(self.index)}")
        return rows

    def repeated(self, name):
        """Cycles of each launch, for each file of the name."""
        files = []
        while os.path.exists(os.path.join(self.folder, f"{name}-{len(files) + 1}.csv")):
            files.append([number(row[CYCLES]) for row in self.read(f"{name}-{len(files) + 1}.csv")])
        return files

    def total(self, name, at):
        """The median over runs of these launches' cycles together, and how far runs are apart, in percent."""
        sums = [sum(run[i] for i in at) for run in self.runs[name]]
        median = statistics.median(sums)
        return median, 100 * (max(sums) - min(sums)) / median

    def value(self, at, rule, kind, names):
        """What launches of these numbers counted together; none: the machine has no such counter."""
        rows = self.counted[kind]
        name = next((name for name in names if rows and name in rows[0]), None)
        if name is None:
            return None
        values = [number(rows[i][name]) for i in at]
        if None in values:
            return None
        if rule == "sum":
            return sum(values)
        if rule == "max":
            return max(values)
        weights = [self.cycles[i] for i in at]
        return sum(v * w for v, w in zip(values, weights)) / sum(weights)

    def shape(self, at, column):
        """The grid or block of the launch that takes longest, as 8x4x1."""
        longest = max(at, key=lambda i: self.cycles[i])
        text = self.counted["kernel"][longest][column]
        return text.strip("()").replace(" ", "").replace(",", "x")


def written(value):
    """Whole numbers in full, others with four digits or two behind the point."""
    if value is None:
        return ""
    return f"{value:.0f}" if value == int(value) else f"{value:.4g}" if abs(value) < 100 else f"{value:.2f}"


def head(folder, workload):
    with open(os.path.join(folder, "machine.txt")) as file:
        gpu, nvcc, profiler = file.read().strip().split("\n")
    name, driver, clock, memory = gpu.split(", ")
    return f"""\
# Counters of an {name} (driver {driver}, SM clock {clock}, memory {memory}) for kernels of
# workloads/{workload}: workloads/record/run.sh FOLDER {workload}, then workloads/record/table.py, which see.
# {nvcc}, nvcc -O3 -arch=sm_90. Nsight Compute
# {profiler} with --clock-control none.
# cycles: caches as the copies to the device left them (--cache-control none), as for all counters;
# cycles_cold: flushed before each launch. Both are medians of several runs, summed over a kernel's launches,
# and contain the cost of each launch; the spreads are how far runs were apart, in percent. warp_inst counts
# machine instructions, not PTX. grid and block are those of the longest launch. What each column is:
# workloads/record/counters.txt.
"""


def main(folder, workload, table, half=None):
    recording = Recording(folder)
    rows = {}
    for i, (of, name, kind, drawn) in enumerate(recording.index):
        if of == workload and half in (None, drawn):
            rows.setdefault((name, kind), []).append(i)
    with open(table, "w") as file:
        file.write(head(folder, workload))
        columns = list(counters())
        file.write(",".join(FIRST_COLUMNS + [column for column, *_ in columns]) + "\n")
        for (name, kind), at in rows.items():
            (warm, spread), (cold, cold_spread) = recording.total("cycles", at), recording.total("cold", at)
            fields = [name, kind, str(len(at))]
            fields += [recording.shape(at, "Grid Size"), recording.shape(at, "Block Size"),
                       written(warm), written(cold), written(spread), written(cold_spread)]
            fields += [written(recording.value(at, *how)) for _, *how in columns]
            file.write(",".join(fields) + "\n")


if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
main(*sys.argv[1:])
