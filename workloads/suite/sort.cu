// Sorting and its steps; host code: sort.c.

// 512 threads, 1024 keys.
extern "C" __global__ void bitonic_block(unsigned *keys)
{
    __shared__ unsigned s[1024];
    const int t = threadIdx.x;
    unsigned *mine = keys + blockIdx.x * 1024;
    s[t] = mine[t];
    s[t + 512] = mine[t + 512];
    for (int size = 2; size <= 1024; size *= 2)
        for (int o = size / 2; o > 0; o >>= 1) {
            __syncthreads();
            const int i = 2 * t - (t & (o - 1));
            const bool up = (i & size) == 0;
            const unsigned a = s[i], b = s[i + o];
            if ((a > b) == up) {
                s[i] = b;
                s[i + o] = a;
            }
        }
    __syncthreads();
    mine[t] = s[t];
    mine[t + 512] = s[t + 512];
}

extern "C" __global__ void bitonic_steps(unsigned *keys, int size, int o)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ o;
    if (other <= i)
        return;
    const unsigned a = keys[i], b = keys[other];
    if ((a > b) == ((i & size) == 0)) {
        keys[i] = b;
        keys[other] = a;
    }
}

// 256 threads, a key each; sorts by the four bits from `shift` on and keeps the order of equal ones.
extern "C" __global__ void radix_split(unsigned *keys, int shift)
{
    __shared__ unsigned s[256];
    __shared__ int zeros[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned key = keys[blockIdx.x * 256 + t];
    for (int bit = shift; bit < shift + 4; bit++) {
        const bool one = key >> bit & 1;
        const unsigned votes = __ballot_sync(0xffffffffu, !one);
        if (lane == 0)
            zeros[warp] = __popc(votes);
        __syncthreads();
        int before = __popc(votes & ((1u << lane) - 1)), all = 0;
        for (int i = 0; i < 8; i++) {
            before += i < warp ? zeros[i] : 0;
            all += zeros[i];
        }
        s[one ? all + t - before : before] = key;
        __syncthreads();
        key = s[t];
        __syncthreads();
    }
    keys[blockIdx.x * 256 + t] = key;
}

// Each thread finds by bisection where its eight items begin in both vectors of n, and merges them.
extern "C" __global__ void merge_path(const int *a, const int *b, int *out, int n)
{
    const int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    int low = max(0, diagonal - n), high = min(diagonal, n);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    int i = low, k = diagonal - low;
    for (int o = 0; o < 8; o++) {
        const bool from_a = k >= n || (i < n && a[i] <= b[k]);
        out[diagonal + o] = from_a ? a[i++] : b[k++];
    }
}
