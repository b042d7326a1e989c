"""What slices.bin of slices.cu says: slices.py FILE > h200-slices.csv

A row for each word: its piece of 256 bytes; the number of its pair of slices, in the order of their finding; how many
of the 16,384 lines waited with it."""
import sys

import numpy as np

LINES = 1 << 14
LIMIT = 620  # cycles; without a queue none takes 600

times = np.fromfile(sys.argv[1], dtype=np.uint16).reshape(-1, LINES)
found = []
print("piece,pair,lines")
for piece, row in enumerate(times):
    waits = set(np.nonzero(row >= LIMIT)[0])
    # The sets of two words are nearly the same, or have nothing in common.
    pair = next((i for i, other in enumerate(found) if len(waits & other) > len(waits | other) / 2), len(found))
    if pair == len(found):
        found.append(waits)
    print(f"{piece},{pair},{len(waits)}")
