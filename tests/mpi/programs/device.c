/* CUDA's driver API and messages from and to device memory: a ring of ranks, each with a kernel between. Two
 * ranks or more. */
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "driver.h"

/* add(p, value): p[i] += value, of a block */
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 value) {\n"
    ".reg .u64 %a<4>;\n.reg .u32 %r<4>;\n"
    "ld.param.u64 %a0, [p];\nld.param.u32 %r0, [value];\n"
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %a1, %r1, 4;\nadd.u64 %a0, %a0, %a1;\n"
    "ld.global.u32 %r2, [%a0];\nadd.u32 %r2, %r2, %r0;\nst.global.u32 [%a0], %r2;\nret;\n}\n";

enum { COUNT = 256 };

static void *device(CUdeviceptr address) { return (void *)(uintptr_t)address; }

static void add(void *kernel, CUdeviceptr to, unsigned value)
{
    void *arguments[] = {&to, &value};
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, COUNT, 1, 1, 0, NULL, arguments, NULL), 0);
    CHECK(cuCtxSynchronize(), 0);
}

/* A value goes around; every rank adds its number. */
static void around(void *kernel, CUdeviceptr a, CUdeviceptr b)
{
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    if (rank == 0) {
        add(kernel, a, 1000);
        MPI_Send(device(a), COUNT, MPI_UINT32_T, right, 0, MPI_COMM_WORLD);
    }
    const long before = now();
    MPI_Recv(device(b), COUNT, MPI_UINT32_T, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(now() > before, 1);
    const long received = now();
    add(kernel, b, (unsigned)rank);
    CHECK(now() > received, 1); /* the kernel takes its time from there on */
    if (rank)
        MPI_Send(device(b), COUNT, MPI_UINT32_T, right, 0, MPI_COMM_WORLD);
}

static void columns(CUdeviceptr a)
{
    static uint32_t host[COUNT];
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 16, MPI_UINT32_T, &column);
    MPI_Type_commit(&column);
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = (unsigned)rank * 1000 + i;
    CHECK(cuMemcpyHtoD_v2(a, host, sizeof host), 0);
    MPI_Sendrecv(device(a), 1, column, (rank + 1) % size, 1, device(a + 4), 1, column,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(cuMemcpyDtoH_v2(host, a, sizeof host), 0);
    CHECK(host[49], (rank + size - 1) % size * 1000 + 48);
    CHECK(host[50], rank * 1000 + 50);
    MPI_Type_free(&column);
}

/* The last rank dies in the way that the argument says, with all work of all ranks done. */
static void die(const char *how)
{
    if (strcmp(how, "exit") == 0)
        exit(0);
    raise(strcmp(how, "kill") == 0 ? SIGKILL : strcmp(how, "abort") == 0 ? SIGABRT : SIGSEGV);
}

/* A sum of all ranks' device memory goes on beside a kernel. */
static void beside_kernel(void *kernel, CUdeviceptr a, CUdeviceptr b)
{
    static uint32_t host[COUNT];
    MPI_Request request;
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = i * (unsigned)(rank + 1);
    CHECK(cuMemcpyHtoD_v2(a, host, sizeof host), 0);
    MPI_Iallreduce(device(a), device(b), COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD, &request);
    add(kernel, a, 1); /* what is summed has been read */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(cuMemcpyDtoH_v2(host, b, sizeof host), 0);
    CHECK(host[7], 7 * size * (size + 1) / 2);
}

int main(int argc, char **argv)
{
    static uint32_t host[COUNT];
    CUdeviceptr a, b;
    void *context, *module, *kernel;
    int number;
    begin(&argc, &argv);
    CHECK(cuInit(0) || cuDeviceGet(&number, 0) || cuCtxCreate_v2(&context, 0, number), 0);
    CHECK(cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&kernel, module, "add"), 0);
    CHECK(cuMemAlloc_v2(&a, sizeof host) || cuMemAlloc_v2(&b, sizeof host), 0);
    CHECK(cuMemcpyHtoD_v2(a, host, sizeof host), 0);
    around(kernel, a, b);
    CHECK(cuMemcpyDtoH_v2(host, b, sizeof host), 0);
    CHECK(host[COUNT - 1], 1000 + (rank ? rank * (rank + 1) / 2 : size * (size - 1) / 2));
    columns(a);
    if (argc == 1)
        beside_kernel(kernel, a, b);
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = i + (unsigned)rank;
    CHECK(cuMemcpyHtoD_v2(b, host, sizeof host), 0);
    MPI_Allreduce(MPI_IN_PLACE, device(b), COUNT, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(cuMemcpyDtoH_v2(host, b, sizeof host), 0);
    CHECK(host[7], 7 * size + size * (size - 1) / 2);
    if (argc > 1 && rank == size - 1)
        die(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d is good, at %ld ns\n", rank, now());
    MPI_Finalize();
    return 0;
}
