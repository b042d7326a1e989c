// One step waits for the one before; host code: latency.c.

extern "C" __global__ void list_walk(const int *next, const int *starts, int *ends, int steps)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = starts[i];
    for (int s = 0; s < steps; s++)
        at = next[at];
    ends[i] = at;
}

extern "C" __global__ void search_sorted(const int *sorted, const int *wanted, int *places, int n,
                                         int queries)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries)
        return;
    const int value = wanted[i];
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    places[i] = low;
}

// A block of 128 threads aligns two texts of 128 letters; `scores` has the last row of each.
extern "C" __global__ void align_wavefront(const unsigned char *a, const unsigned char *b, int *scores)
{
    __shared__ int diagonal[3][129];
    const int t = threadIdx.x;
    const int letter = a[blockIdx.x * 128 + t];
    const unsigned char *other = b + blockIdx.x * 128;
    int last = 0;
    for (int d = 0; d < 255; d++) {
        int *now = diagonal[d % 3];
        const int *before = diagonal[(d + 2) % 3], *older = diagonal[(d + 1) % 3], column = d - t;
        if (column >= 0 && column < 128) {
            const int up = t == 0 ? -(column + 1) : before[t - 1];
            const int left = column == 0 ? -(t + 1) : before[t];
            const int corner = t == 0 ? -column : column == 0 ? -t : older[t - 1];
            last = max(max(up, left) - 1, corner + (letter == other[column] ? 2 : -1));
            now[t] = last;
            if (t == 127)
                scores[blockIdx.x * 128 + column] = last;
        }
        __syncthreads();
    }
}

// A block of 256 columns, whose ends are walls.
extern "C" __global__ void path_rows(const int *cost, int *best, int rows)
{
    __shared__ int before[256], now[256];
    const int t = threadIdx.x, columns = gridDim.x * 256, x = blockIdx.x * 256 + t;
    before[t] = cost[x];
    __syncthreads();
    for (int r = 1; r < rows; r++) {
        int least = before[t];
        if (t > 0)
            least = min(least, before[t - 1]);
        if (t < 255)
            least = min(least, before[t + 1]);
        now[t] = least + cost[r * columns + x];
        __syncthreads();
        before[t] = now[t];
        __syncthreads();
    }
    best[x] = before[t];
}
