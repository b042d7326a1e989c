// Where memory is that all devices reach: its own device serves it fast, another one over links, the host's
// slowest of all, whichever call made it.
// nvcc: -lcuda
// devices: 2
#include <cuda.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { STEPS = 24, STRIDE = 4096 / sizeof(unsigned) };

// A chain of loads past L1; the second time its lines are in the L2 of their device.
__global__ void chase(const unsigned *chain, long long *cycles)
{
    for (int round = 0; round < 2; round++) {
        unsigned at = 0;
        const long long begin = clock64();
        for (int i = 0; i < STEPS; i++)
            at = __ldcg(chain + at);
        cycles[0] = clock64() - begin;
        cycles[1] = at;
    }
}

// How long a kernel of the device takes for a step.
static long long step(int device, unsigned *chain)
{
    long long *cycles, value[2];
    CUDA(cudaSetDevice(device));
    CUDA(cudaMalloc(&cycles, sizeof value));
    chase<<<1, 1>>>(chain, cycles);
    CUDA(cudaMemcpy(value, cycles, sizeof value, cudaMemcpyDefault));
    CHECK_EQUAL(value[1], (long long)STEPS * STRIDE);
    CUDA(cudaFree(cycles));
    return value[0] / STEPS;
}

static void fill(unsigned *chain)
{
    static unsigned values[STEPS * STRIDE];
    for (int i = 0; i < STEPS; i++)
        values[i * STRIDE] = (i + 1) * STRIDE;
    CUDA(cudaMemcpy(chain, values, sizeof values, cudaMemcpyDefault));
}

// What is told in the order of speed. Without timing all take the same.
static void check_order(const char *what, long long local, long long link, long long host)
{
    printf("%s: %lld cycles a step, of the peer's memory %lld, of the host's %lld\n", what, local, link, host);
    if (!getenv("WARPBEAM_FUNCTIONAL")) {
        CHECK(link > local + local / 2);
        CHECK(host > link + link / 8);
    }
}

static long long host_step()
{
    unsigned *chain;
    CUDA(cudaMallocHost(&chain, STEPS * STRIDE * sizeof *chain));
    fill(chain);
    const long long taken = step(0, chain);
    CUDA(cudaFreeHost(chain));
    return taken;
}

// Device memory that is mapped at addresses of the program's choice, for both devices.
static void mapped(int home, long long host)
{
    CUmemAllocationProp properties = {};
    CUmemGenericAllocationHandle handle;
    CUmemAccessDesc accesses[2] = {};
    CUdeviceptr address;
    size_t size = 0;
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, home};
    CHECK_EQUAL(int(cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM)), 0);
    CHECK_EQUAL(int(cuMemCreate(&handle, size, &properties, 0)), 0);
    CHECK_EQUAL(int(cuMemAddressReserve(&address, size, 0, 0, 0)), 0);
    CHECK_EQUAL(int(cuMemMap(address, size, 0, handle, 0)), 0);
    for (int d = 0; d < 2; d++) {
        accesses[d].location = {CU_MEM_LOCATION_TYPE_DEVICE, d};
        accesses[d].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    CHECK_EQUAL(int(cuMemSetAccess(address, size, accesses, 2)), 0);
    fill((unsigned *)address);
    const long long local = step(home, (unsigned *)address), link = step(1 - home, (unsigned *)address);
    check_order("mapped", local, link, host);
    CHECK_EQUAL(int(cuMemUnmap(address, size)), 0);
    CHECK_EQUAL(int(cuMemAddressFree(address, size)), 0);
    CHECK_EQUAL(int(cuMemRelease(handle)), 0);
}

static void prefetch(unsigned *chain, int device)
{
    cudaMemLocation place = {device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, 0};
    place.id = device < 0 ? 0 : device;
    CUDA(cudaMemPrefetchAsync(chain, STEPS * STRIDE * sizeof *chain, place, 0, 0));
    CUDA(cudaDeviceSynchronize());
}

// Managed memory is where the program puts it; a device that is said to use it reaches it there.
static void managed(long long host)
{
    unsigned *chain;
    const cudaMemLocation first = {cudaMemLocationTypeDevice, 0};
    CUDA(cudaSetDevice(0));
    CUDA(cudaMallocManaged(&chain, STEPS * STRIDE * sizeof *chain));
    fill(chain);
    CUDA(cudaMemAdvise(chain, STEPS * STRIDE * sizeof *chain, cudaMemAdviseSetAccessedBy, first));
    prefetch(chain, 0);
    const long long local = step(0, chain);
    prefetch(chain, 1);
    const long long link = step(0, chain), own = step(1, chain);
    prefetch(chain, -1);
    const long long away = step(0, chain);
    check_order("managed", local, link, away);
    if (!getenv("WARPBEAM_FUNCTIONAL")) {
        CHECK(own < link);
        CHECK(away > host / 2 && away < host * 2);
    }
    CUDA(cudaFree(chain));
}

__global__ void add(unsigned *words, int count, int rounds)
{
    for (int r = 0; r < rounds; r++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
            atomicAdd_system(words + i, 1);
}

// A thread's own accesses keep their order while the memory moves to and fro.
__global__ void follow(unsigned *words, int count, int rounds, unsigned *wrong)
{
    volatile unsigned *own = words + blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 1; r <= rounds; r++)
        for (int at = 0; at < count; at += 256) {
            own[at] = r;
            if (own[at] != r)
                atomicAdd(wrong, 1);
        }
}

// Both devices use the same managed memory at once, without advice, preferred at one, and mostly read.
static void shared(int advice)
{
    enum { COUNT = 64 * 1024, ROUNDS = 3 };
    unsigned *words, *wrong, value[2] = {};
    const cudaMemLocation second = {cudaMemLocationTypeDevice, 1};
    CUDA(cudaMallocManaged(&words, 2 * COUNT * sizeof *words));
    CUDA(cudaMallocManaged(&wrong, 2 * 65536));
    memset(words, 0, 2 * COUNT * sizeof *words);
    wrong[0] = wrong[65536 / sizeof *wrong] = 0;
    if (advice)
        CUDA(cudaMemAdvise(words, 2 * COUNT * sizeof *words, cudaMemoryAdvise(advice), second));
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        add<<<8, 128>>>(words, COUNT, ROUNDS);
        // In every 256 words 128 are each device's.
        follow<<<1, 128>>>(words + COUNT + 128 * d, COUNT, ROUNDS, wrong + d * 65536 / sizeof *wrong);
    }
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaDeviceSynchronize());
        value[d] = wrong[d * 65536 / sizeof *wrong];
    }
    CHECK_EQUAL(value[0], 0u);
    CHECK_EQUAL(value[1], 0u);
    for (int i = 0; i < COUNT; i++)
        if (words[i] != 2 * ROUNDS || words[COUNT + i] != ROUNDS) {
            printf("word %d: %u and %u\n", i, words[i], words[COUNT + i]);
            CHECK(!"all have been counted");
            break;
        }
    CUDA(cudaFree(words));
    CUDA(cudaFree(wrong));
}

int main()
{
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        printf("PASS\n"); // there is nobody to be a peer
        return 0;
    }
    const long long host = host_step();
    for (int d = 0; d < 2; d++)
        mapped(d, host);
    managed(host);
    shared(0);
    shared(cudaMemAdviseSetReadMostly);
    shared(cudaMemAdviseSetPreferredLocation);
    shared(cudaMemAdviseSetAccessedBy);
    return check_result();
}
