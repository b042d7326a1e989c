/* Kernels that use the memory of other ranks' GPUs (knob network_ranks): a ring of puts with flags, and gets of
 * ranks that wait for a message of MPI meanwhile. Every rank has as many GPUs. With the argument "beyond", a
 * kernel reaches what is not there; with another, one waits for a flag that nobody sets. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "driver.h"

/* ring(to, from, bytes, flag there, flag here, round) puts, flags, and waits for its own flag; get(to, from,
 * bytes) gets. */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func wb_put(.param .u64 a, .param .u64 b, .param .u64 c);\n"
    ".extern .func wb_get(.param .u64 a, .param .u64 b, .param .u64 c);\n"
    ".extern .func wb_signal_remote(.param .u64 a, .param .u32 b);\n"
    ".extern .func wb_wait_remote();\n"
    ".visible .entry ring(.param .u64 to, .param .u64 from, .param .u64 bytes, .param .u64 flag,\n"
    "                     .param .u64 own, .param .u32 round) {\n"
    "  .reg .u64 %a, %b, %n, %f; .reg .u32 %r, %v; .reg .pred %p;\n"
    "  ld.param.u64 %a, [to]; ld.param.u64 %b, [from]; ld.param.u64 %n, [bytes]; ld.param.u64 %f, [flag];\n"
    "  ld.param.u32 %r, [round];\n"
    "  { .param .u64 x, y, z; st.param.u64 [x], %a; st.param.u64 [y], %b; st.param.u64 [z], %n;\n"
    "    call wb_put, (x, y, z); }\n"
    "  { .param .u64 x; .param .u32 y; st.param.u64 [x], %f; st.param.u32 [y], %r;\n"
    "    call wb_signal_remote, (x, y); }\n"
    "  ld.param.u64 %f, [own];\n"
    "Poll: ld.volatile.global.u32 %v, [%f]; setp.lt.u32 %p, %v, %r; @%p bra Poll;\n"
    "  { call wb_wait_remote; }\n  ret;\n}\n"
    ".visible .entry get(.param .u64 to, .param .u64 from, .param .u64 bytes) {\n"
    "  .reg .u64 %a, %b, %n;\n"
    "  ld.param.u64 %a, [to]; ld.param.u64 %b, [from]; ld.param.u64 %n, [bytes];\n"
    "  { .param .u64 x, y, z; st.param.u64 [x], %a; st.param.u64 [y], %b; st.param.u64 [z], %n;\n"
    "    call wb_get, (x, y, z); }\n"
    "  { call wb_wait_remote; }\n  ret;\n}\n";

enum { COUNT = 2000, ROUNDS = 5, MOST = 8 };

/* One of the rank's GPUs; all of them allocate the same in the same order. */
typedef struct Gpu {
    void *context, *ring, *get;
    CUdeviceptr values, taken, flag;
} Gpu;

static Gpu gpus[MOST];
static int each; /* GPUs of a rank */
static uint32_t host[COUNT];

/* As wb_remote() has it. */
static CUdeviceptr remote(CUdeviceptr address, int of)
{
    return (address & 0xFFFFFFFFFFull) | (uint64_t)of << 40 | (uint64_t)1 << 63;
}

static void open_gpu(int number)
{
    Gpu *gpu = &gpus[number];
    const uint32_t zero = 0;
    void *module;
    int device;
    CHECK(cuDeviceGet(&device, number) || cuCtxCreate_v2(&gpu->context, 0, device), 0);
    CHECK(cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&gpu->ring, module, "ring"), 0);
    CHECK(cuModuleGetFunction(&gpu->get, module, "get"), 0);
    CHECK(cuMemAlloc_v2(&gpu->values, sizeof host) || cuMemAlloc_v2(&gpu->taken, sizeof host), 0);
    CHECK(cuMemAlloc_v2(&gpu->flag, 4) || cuMemcpyHtoD_v2(gpu->flag, &zero, 4), 0);
    for (uint32_t i = 0; i < COUNT; i++)
        host[i] = (uint32_t)(rank * each + number) * 10000 + i;
    CHECK(cuMemcpyHtoD_v2(gpu->values, host, sizeof host), 0);
}

static void launch(const Gpu *gpu, void *kernel, void **arguments)
{
    CHECK(cuCtxSetCurrent(gpu->context), 0);
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), 0);
}

static void launch_ring(int number, uint32_t round)
{
    const Gpu *gpu = &gpus[number];
    const int right = (rank * each + number + 1) % (size * each);
    uint64_t bytes = sizeof host;
    CUdeviceptr to = remote(round % 2 ? gpu->taken : gpu->values, right);
    CUdeviceptr from = round % 2 ? gpu->values : gpu->taken;
    CUdeviceptr theirs = remote(gpu->flag, right), own = gpu->flag;
    launch(gpu, gpu->ring, (void *[]){&to, &from, &bytes, &theirs, &own, &round});
}

/* Each GPU passes on what it has got. */
static void go_around(void)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        for (int i = 0; i < each; i++)
            launch_ring(i, round);
        nap();
        for (int i = 0; i < each; i++)
            CHECK(cuCtxSetCurrent(gpus[i].context) || cuCtxSynchronize(), 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < each; i++) {
        const int all = size * each, first = ((rank * each + i - ROUNDS) % all + all) % all;
        CHECK(cuCtxSetCurrent(gpus[i].context) || cuMemcpyDtoH_v2(host, gpus[i].taken, sizeof host), 0);
        CHECK(host[COUNT - 1], first * 10000 + COUNT - 1);
    }
}

/* The last GPU gets from the first, whose rank waits for a message; the kernel is under way when it is sent. */
static void get_from_who_waits(void)
{
    uint64_t bytes = sizeof host;
    const Gpu *last = &gpus[each - 1], *first = &gpus[0];
    if (rank == size - 1) {
        CUdeviceptr from = remote(last->values, 0), to = last->taken;
        launch(last, last->get, (void *[]){&to, &from, &bytes});
        CHECK(cuCtxSynchronize(), 0);
        CHECK(cuMemcpyDtoH_v2(host, to, sizeof host), 0);
        MPI_Send(host, 1, MPI_UINT32_T, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 0) {
        uint32_t got;
        MPI_Recv(&got, 1, MPI_UINT32_T, size - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(cuCtxSetCurrent(first->context) || cuMemcpyDtoH_v2(host, first->values, sizeof host), 0);
        CHECK(got, host[0]);
    }
}

/* What fails, at rank 1: a get of what is not there, or a flag that nobody sets. */
static void fail(bool is_beyond)
{
    uint64_t bytes = sizeof host;
    CUdeviceptr from = remote(gpus[0].values, 0) + 4, to = gpus[0].taken;
    if (is_beyond)
        launch(&gpus[0], gpus[0].get, (void *[]){&to, &from, &bytes});
    else
        launch_ring(0, ROUNDS + 1);
    CHECK(cuCtxSynchronize() != 0, 1);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    CHECK(cuInit(0) || cuDeviceGetCount(&each) || each > MOST, 0);
    for (int i = 0; i < each; i++)
        open_gpu(i);
    MPI_Barrier(MPI_COMM_WORLD);
    go_around();
    get_from_who_waits();
    if (argc > 1 && rank == 1)
        fail(strcmp(argv[1], "beyond") == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d is good, at %ld ns\n", rank, now());
    MPI_Finalize();
    return 0;
}
