// Prefix sums; host code: scan.c.

// 256 threads, 512 items; exclusive within the block.
extern "C" __global__ void scan_blelloch(const int *in, int *out)
{
    __shared__ int s[512];
    const int t = threadIdx.x, base = blockIdx.x * 512;
    s[2 * t] = in[base + 2 * t];
    s[2 * t + 1] = in[base + 2 * t + 1];
    int o = 1;
    for (int d = 256; d > 0; d >>= 1, o *= 2) {
        __syncthreads();
        if (t < d)
            s[o * (2 * t + 2) - 1] += s[o * (2 * t + 1) - 1];
    }
    if (t == 0)
        s[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        o >>= 1;
        __syncthreads();
        if (t < d) {
            const int left = o * (2 * t + 1) - 1, right = o * (2 * t + 2) - 1, kept = s[left];
            s[left] = s[right];
            s[right] += kept;
        }
    }
    __syncthreads();
    out[base + 2 * t] = s[2 * t];
    out[base + 2 * t + 1] = s[2 * t + 1];
}

// What all threads before this one have together, and the sum of all; 256 threads.
__device__ int before_me(int value, int *total)
{
    __shared__ int sums[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int sum = value;
    for (int o = 1; o < 32; o *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, sum, o);
        sum += lane >= o ? other : 0;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    int before = 0, all = 0;
    for (int i = 0; i < 8; i++) {
        before += i < warp ? sums[i] : 0;
        all += sums[i];
    }
    *total = all;
    return before + sum - value;
}

// Adds up four items of this thread; they become inclusive sums within the block. Returns the block's.
__device__ int scan_four(int4 &v)
{
    int total;
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    const int before = before_me(v.w, &total);
    v.x += before;
    v.y += before;
    v.z += before;
    v.w += before;
    return total;
}

extern "C" __global__ void scan_shuffle(const int4 *in, int4 *out)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    int4 v = in[i];
    scan_four(v);
    out[i] = v;
}

extern "C" __global__ void scan_phases_blocks(const int4 *in, int4 *out, int *sums)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    int4 v = in[i];
    const int total = scan_four(v);
    out[i] = v;
    if (threadIdx.x == 0)
        sums[blockIdx.x] = total;
}

// One block; exclusive sums of up to 256 blocks.
extern "C" __global__ void scan_phases_sums(int *sums, int blocks)
{
    int total;
    const int value = threadIdx.x < blocks ? sums[threadIdx.x] : 0;
    const int before = before_me(value, &total);
    if (threadIdx.x < blocks)
        sums[threadIdx.x] = before;
}

extern "C" __global__ void scan_phases_add(int4 *out, const int *sums)
{
    const int i = blockIdx.x * 256 + threadIdx.x, before = sums[blockIdx.x];
    int4 v = out[i];
    v.x += before;
    v.y += before;
    v.z += before;
    v.w += before;
    out[i] = v;
}

// A block's state: 0, or 1 and its sum, or 2 and the sum up to its end; the sum is in the upper half.
extern "C" __global__ void scan_lookback(const int4 *in, int4 *out, volatile unsigned long long *states,
                                         int *ticket)
{
    __shared__ int number, before;
    if (threadIdx.x == 0)
        number = atomicAdd(ticket, 1);
    __syncthreads();
    const int i = number * 256 + threadIdx.x;
    int4 v = in[i];
    const int total = scan_four(v);
    if (threadIdx.x == 0) {
        states[number] = (unsigned long long)(unsigned)total << 32 | (number == 0 ? 2 : 1);
        int sum = 0;
        for (int other = number - 1; other >= 0;) {
            const unsigned long long state = states[other];
            if ((unsigned)state == 0)
                continue;
            sum += (int)(state >> 32);
            if ((unsigned)state == 2)
                break;
            other--;
        }
        if (number > 0)
            states[number] = (unsigned long long)(unsigned)(sum + total) << 32 | 2;
        before = sum;
    }
    __syncthreads();
    v.x += before;
    v.y += before;
    v.z += before;
    v.w += before;
    out[i] = v;
}
