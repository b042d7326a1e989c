"""What both files of joined.cu say: joined.py LAUNCHES SECTORS > h200-joined.csv

A row for each launch, with the sectors that all L1s got and the sectors that L2's slices read for them."""
import csv
import sys

with open(sys.argv[2]) as file:
    rows = list(csv.DictReader(line for line in file if not line.startswith("==")))
counts = {}
for row in rows:
    counts.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
with open(sys.argv[1]) as file:
    launches = file.read().splitlines()
print(launches[0] + ",l1_sectors,l2_sectors")
for number, launch in enumerate(launches[1:]):
    of = counts[number]
    print(f"{launch},{of['l1tex__m_xbar2l1tex_read_sectors.sum']},{of['lts__t_sectors_srcunit_tex_op_read.sum']}")
