"""What the file of refresh.cu says of refreshes: refresh.py FILE >> h200-refresh.csv

`waits` rows: cycles of a load, in steps of 20, and how many took so long. `period`: after how many cycles loads wait
again. `ends` rows: a 96th of the period, and how many loads that had waited came back in it."""
import sys

import numpy as np

loads = np.fromfile(sys.argv[1], dtype=np.uint32).reshape(-1, 3)
steps = np.diff(loads[:, 0].astype(np.int64))
start = np.concatenate([[0], np.cumsum(np.where(steps < 0, steps + 2**32, steps))])  # the clock wraps
took = loads[:, 1].astype(np.int64)
count, edges = np.histogram(took, bins=range(300, 1700, 20))
for edge, number in zip(edges, count):
    print(f"waits,{edge},{number}")

waited = (took > 870) & (took < 1310)
ends = (start + took)[waited].astype(float)
ends -= ends[0]


def strength(period, loads):
    return sum(abs(np.exp(2j * np.pi * k * ends[:loads] / period).mean()) for k in (1, 2, 3, 4))


# More and more loads tell more and more exactly; JEDEC's interval for HBM3 is 3.9 us, 7722 cycles.
period = max(np.arange(3700, 4000, 0.01), key=lambda p: strength(p, 6000))
period = max(np.arange(period - 0.02, period + 0.02, 0.0003), key=lambda p: strength(p, len(ends)))
print(f"period,{period:.4f}")
count, _ = np.histogram(ends % period, bins=96, range=(0, period))
for part, number in enumerate(count):
    print(f"ends,{part},{number}")
