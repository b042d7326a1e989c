// Jacobi's iteration on all devices, each with some rows and a row of each neighbour: by copies that events
// order, by kernels that store into their neighbours, and by one kernel a device that waits for flags of its
// neighbours. The host's result is the same to the last bit.
// devices: 3
#include <utility>
#include <vector>

#include "check.h"

enum { WIDTH = 64, ROWS = 26, STEPS = 6 };

struct Part { // rows 1 to `rows` are its own; rows 0 and rows + 1 are those of neighbours, or fixed
    int first, rows;
    float *now, *next;
};

static std::vector<float> start()
{
    std::vector<float> grid(WIDTH * (ROWS + 2));
    for (int i = 0; i < WIDTH * (ROWS + 2); i++)
        grid[i] = float(i * 7 % 13);
    return grid;
}

static std::vector<float> on_host()
{
    std::vector<float> now = start(), next = now;
    for (int step = 0; step < STEPS; step++, now.swap(next))
        for (int y = 1; y <= ROWS; y++)
            for (int x = 1; x < WIDTH - 1; x++) {
                const float *at = &now[y * WIDTH + x];
                next[y * WIDTH + x] = 0.25f * (at[-1] + at[1] + at[-WIDTH] + at[WIDTH]);
            }
    return now;
}

// One row; `above` and `below`: where the neighbours keep a copy of the first and of the last row, or null.
__device__ void update(const volatile float *now, float *next, int y, int rows, float *above, float *below)
{
    const int x = threadIdx.x;
    if (x == 0 || x == WIDTH - 1)
        return;
    const volatile float *at = now + y * WIDTH + x;
    const float value = 0.25f * (at[-1] + at[1] + at[-WIDTH] + at[WIDTH]);
    next[y * WIDTH + x] = value;
    if (y == 1 && above)
        above[x] = value;
    if (y == rows && below)
        below[x] = value;
}

__global__ void step(const float *now, float *next, int rows, float *above, float *below)
{
    update(now, next, blockIdx.x + 1, rows, above, below);
}

struct Neighbour {
    float *rows[2]; // in its two arrays
    int *flag;      // null: there is none
};

// All steps. A flag counts the blocks that have come to the end of a step.
__global__ void all_steps(float *now, float *next, int rows, Neighbour above, Neighbour below, int *flag)
{
    for (int k = 0; k < STEPS; k++) {
        for (int y = blockIdx.x + 1; y <= rows; y += gridDim.x)
            update(now, next, y, rows, above.rows[(k + 1) % 2], below.rows[(k + 1) % 2]);
        __threadfence_system();
        __syncthreads();
        if (threadIdx.x == 0) {
            const int wanted = (k + 1) * gridDim.x;
            atomicAdd_system(flag, 1);
            const volatile int *flags[] = {flag, above.flag, below.flag};
            for (const volatile int *each : flags)
                while (each && *each < wanted)
                    ;
            __threadfence_system();
        }
        __syncthreads();
        float *other = now;
        now = next;
        next = other;
    }
}

static std::vector<Part> share_out(int devices)
{
    std::vector<Part> parts(devices);
    const std::vector<float> grid = start();
    int first = 1;
    for (int d = 0; d < devices; d++) {
        Part &part = parts[d];
        part.first = first;
        part.rows = ROWS / devices + (d < ROWS % devices);
        first += part.rows;
        const size_t bytes = WIDTH * (part.rows + 2) * sizeof(float);
        CUDA(cudaSetDevice(d));
        for (float **array : {&part.now, &part.next}) {
            CUDA(cudaMalloc(array, bytes));
            CUDA(cudaMemcpy(*array, &grid[(part.first - 1) * WIDTH], bytes, cudaMemcpyHostToDevice));
        }
    }
    return parts;
}

static void compare(std::vector<Part> &parts)
{
    const std::vector<float> expected = on_host();
    std::vector<float> found = start();
    for (size_t d = 0; d < parts.size(); d++) {
        CUDA(cudaSetDevice(int(d)));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaMemcpy(&found[parts[d].first * WIDTH], parts[d].now + WIDTH,
                        parts[d].rows * WIDTH * sizeof(float), cudaMemcpyDeviceToHost));
        CUDA(cudaFree(parts[d].now));
        CUDA(cudaFree(parts[d].next));
    }
    for (size_t i = 0; i < expected.size(); i++)
        CHECK_EQUAL(found[i], expected[i]);
}

static float *last_halo(const Part &part, float *array) { return array + (part.rows + 1) * WIDTH; }

// One thread of the host gives all devices their work; streams wait for events of their neighbours.
static void by_copies(int devices)
{
    std::vector<Part> parts = share_out(devices);
    std::vector<cudaStream_t> streams(devices);
    std::vector<cudaEvent_t> done[2] = {std::vector<cudaEvent_t>(devices), std::vector<cudaEvent_t>(devices)};
    for (int d = 0; d < devices; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
        for (std::vector<cudaEvent_t> &events : done)
            CUDA(cudaEventCreateWithFlags(&events[d], cudaEventDisableTiming));
    }
    for (int k = 0; k < STEPS; k++) {
        for (int d = 0; d < devices; d++) {
            Part &part = parts[d];
            CUDA(cudaSetDevice(d));
            for (int other = d - 1; k && other <= d + 1; other += 2)
                if (other >= 0 && other < devices)
                    CUDA(cudaStreamWaitEvent(streams[d], done[(k + 1) % 2][other], 0));
            step<<<part.rows, WIDTH, 0, streams[d]>>>(part.now, part.next, part.rows, nullptr, nullptr);
            CUDA(cudaGetLastError());
            if (d > 0)
                CUDA(cudaMemcpyPeerAsync(last_halo(parts[d - 1], parts[d - 1].next), d - 1, part.next + WIDTH,
                                         d, WIDTH * sizeof(float), streams[d]));
            if (d < devices - 1)
                CUDA(cudaMemcpyPeerAsync(parts[d + 1].next, d + 1, part.next + part.rows * WIDTH, d,
                                         WIDTH * sizeof(float), streams[d]));
            CUDA(cudaEventRecord(done[k % 2][d], streams[d]));
        }
        for (Part &part : parts)
            std::swap(part.now, part.next);
    }
    compare(parts);
}

static void by_stores(int devices)
{
    std::vector<Part> parts = share_out(devices);
    for (int k = 0; k < STEPS; k++) {
        for (int d = 0; d < devices; d++) {
            CUDA(cudaSetDevice(d));
            step<<<parts[d].rows, WIDTH>>>(parts[d].now, parts[d].next, parts[d].rows,
                                           d > 0 ? last_halo(parts[d - 1], parts[d - 1].next) : nullptr,
                                           d < devices - 1 ? parts[d + 1].next : nullptr);
            CUDA(cudaGetLastError());
        }
        for (int d = 0; d < devices; d++) {
            CUDA(cudaSetDevice(d));
            CUDA(cudaDeviceSynchronize());
            std::swap(parts[d].now, parts[d].next);
        }
    }
    compare(parts);
}

// The flags are in memory of their devices, or of the host.
static void by_flags(int devices, bool at_host)
{
    enum { BLOCKS = 3 };
    std::vector<Part> parts = share_out(devices);
    std::vector<int *> flags(devices);
    for (int d = 0; d < devices; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(at_host ? cudaMallocHost(&flags[d], sizeof(int)) : cudaMalloc(&flags[d], sizeof(int)));
        CUDA(cudaMemset(flags[d], 0, sizeof(int)));
        CUDA(cudaDeviceSynchronize());
    }
    for (int d = 0; d < devices; d++) {
        Neighbour above = {}, below = {};
        if (d > 0)
            above = {{last_halo(parts[d - 1], parts[d - 1].now), last_halo(parts[d - 1], parts[d - 1].next)},
                     flags[d - 1]};
        if (d < devices - 1)
            below = {{parts[d + 1].now, parts[d + 1].next}, flags[d + 1]};
        CUDA(cudaSetDevice(d));
        all_steps<<<BLOCKS, WIDTH>>>(parts[d].now, parts[d].next, parts[d].rows, above, below, flags[d]);
        CUDA(cudaGetLastError());
    }
    compare(parts); // an even number of steps: the result is where it began
    for (int *flag : flags)
        CUDA(at_host ? cudaFreeHost(flag) : cudaFree(flag));
}

int main()
{
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    by_copies(devices);
    for (int d = 0; d < devices; d++) {
        CUDA(cudaSetDevice(d));
        for (int peer = 0; peer < devices; peer++)
            if (peer != d)
                CUDA(cudaDeviceEnablePeerAccess(peer, 0));
    }
    by_stores(devices);
    by_flags(devices, false);
    by_flags(devices, true);
    return check_result();
}
