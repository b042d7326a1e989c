"""What both files of a program say, its own and Nsight Compute's: counts.py LAUNCHES COUNTS NAME=METRIC... > table.csv

A row for each launch, with what the profiler counted for it in a column NAME for each METRIC."""
import csv
import sys

launches_file, counts_file, *columns = sys.argv[1:]
with open(counts_file) as file:
    rows = list(csv.DictReader(line for line in file if not line.startswith("==")))
counts = {}
for row in rows:
    counts.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
names, metrics = zip(*(column.split("=") for column in columns))
with open(launches_file) as file:
    launches = file.read().splitlines()
print(launches[0] + "," + ",".join(names))
for number, launch in enumerate(launches[1:]):
    print(launch + "," + ",".join(str(counts[number][metric]) for metric in metrics))
