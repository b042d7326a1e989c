"""What both files of together.cu say: together.py LAUNCHES SECTORS > h200-together.csv"""
import csv
import sys

with open(sys.argv[2]) as file:
    rows = list(csv.DictReader(line for line in file if not line.startswith("==")))
counts = {}
for row in rows:
    counts.setdefault(int(row["ID"]), {})[row["Metric Name"]] = int(row["Metric Value"].replace(",", ""))
with open(sys.argv[1]) as file:
    launches = file.read().splitlines()
print(launches[0] + ",l2_sectors,l2_requests")
for number, launch in enumerate(launches[1:]):
    of = counts[number]
    print(f"{launch},{of['lts__t_sectors_srcunit_tex_op_read.sum']},{of['lts__t_requests_srcunit_tex_op_read.sum']}")
