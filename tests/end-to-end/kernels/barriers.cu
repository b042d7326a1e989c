// Barriers of a block as CUDA writes them.
extern "C" __global__ void predicates(const int *in, int *out)
{
    int t = (int)threadIdx.x, count = (int)blockDim.x, x = in[t];
    int even = __syncthreads_count(x % 2 == 0);
    int any = __syncthreads_or(x == 77);
    int all = __syncthreads_and(x < 1000);
    out[t] = even;
    out[count + t] = any != 0;
    out[2 * count + t] = all != 0;
}

// Halves of a tree: threads leave, the others go on meeting.
extern "C" __global__ void leaving(int *out)
{
    __shared__ int round;
    unsigned t = threadIdx.x;
    if (t == 0)
        round = 0;
    __syncthreads();
    for (unsigned width = blockDim.x; width > 32; width -= 32) {
        if (t >= width - 32) {
            out[t] = round;
            return;
        }
        __syncthreads();
        if (t == 0)
            round++;
        __syncthreads();
    }
    out[t] = round;
}

// Two ways to the same barrier.
extern "C" __global__ void either_way(int *out)
{
    __shared__ int values[128];
    unsigned t = threadIdx.x;
    if (t % 3 == 0) {
        values[t] = (int)t * 2;
        __syncthreads();
        out[t] = values[(t + 1) % blockDim.x];
    } else {
        values[t] = (int)t + 500;
        __syncthreads();
        out[t] = values[(t + 2) % blockDim.x];
    }
}
