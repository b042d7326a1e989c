/* Exclusive prefix sums of large arrays, as scan of NVIDIA's SDK makes them: every block scans 1,024
 * elements, four a thread; then the blocks' sums of each array are scanned; then each block adds what lies
 * before it. */

constexpr int THREADS = 256, EACH = 4;

/* The sum over the threads before this one, of `size` threads that belong together. Shared memory has zeros
 * below each of these groups, so that no thread has to ask whether there is something before it. */
__device__ __forceinline__ unsigned scan_threads(unsigned own, unsigned *sums, unsigned size)
{
    unsigned at = 2 * threadIdx.x - (threadIdx.x & (size - 1));
    sums[at] = 0;
    at += size;
    sums[at] = own;
#pragma unroll 1
    for (unsigned offset = 1; offset < size; offset *= 2) {
        __syncthreads();
        const unsigned sum = sums[at] + sums[at - offset];
        __syncthreads();
        sums[at] = sum;
    }
    return sums[at] - own;
}

extern "C" __global__ void __launch_bounds__(THREADS) scan_blocks(uint4 *to, const uint4 *from)
{
    __shared__ unsigned sums[2 * THREADS];
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    const uint4 four = from[at];
    const unsigned two = four.x + four.y, three = two + four.z;
    const unsigned before = scan_threads(three + four.w, sums, THREADS);
    to[at] = make_uint4(before, before + four.x, before + two, before + three);
}

/* A block for each array, which has at most as many blocks as this one has threads, and a power of two. */
extern "C" __global__ void __launch_bounds__(THREADS)
    scan_sums(unsigned *offsets, const unsigned *scanned, const unsigned *from, unsigned blocks)
{
    __shared__ unsigned sums[2 * THREADS];
    const unsigned block = blockIdx.x * blocks + threadIdx.x;
    unsigned own = 0;
    if (threadIdx.x < blocks) {
        const unsigned last = (block + 1) * THREADS * EACH - 1;
        own = scanned[last] + from[last];
    }
    const unsigned before = scan_threads(own, sums, blocks);
    if (threadIdx.x < blocks)
        offsets[block] = before;
}

extern "C" __global__ void __launch_bounds__(THREADS) add_offsets(uint4 *sums, const unsigned *offsets)
{
    __shared__ unsigned offset;
    const unsigned at = blockIdx.x * THREADS + threadIdx.x;
    if (threadIdx.x == 0)
        offset = offsets[blockIdx.x];
    __syncthreads();
    uint4 four = sums[at];
    four.x += offset, four.y += offset, four.z += offset, four.w += offset;
    sums[at] = four;
}
