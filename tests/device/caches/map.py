"""What map.bin of map.cu says: map.py FILE > h200-map.csv

A row for each piece of 256 bytes: its pair of opposite slices, in the order of their finding, and its half of L2, 0 for
that of SM 0."""
import sys

import numpy as np

LINES = 1 << 15
LIMIT = 620  # cycles; without a queue none takes 600
NEAR = 400  # from SM 0, near lines take at most 348, far ones at least 445

times = np.fromfile(sys.argv[1], dtype=np.uint16).reshape(-1, LINES)
alone, hot = times[0], times[1:]
waits, sums, words = [], [], []
for row in hot:
    waiting = row >= LIMIT
    # The lines that wait with two words are nearly the same, or have nothing in common.
    pair = next((i for i, w in enumerate(waits) if (waiting & w).sum() > (waiting | w).sum() / 2), len(waits))
    if pair == len(waits):
        waits.append(waiting)
        sums.append(np.zeros(LINES))
        words.append(0)
    sums[pair] += row
    words[pair] += 1
pairs = np.argmax([total / count for total, count in zip(sums, words)], axis=0)
print("piece,pair,half")
for piece in range(LINES // 2):
    print(f"{piece},{pairs[2 * piece]},{int(alone[2 * piece] > NEAR)}")
