// Memory, events, file descriptors and pools of one process in another. Both use CUDA only after the fork. Some
// of the memory is the last device's, and is used by kernels of the first.
// devices: 2
// nvcc: -lcuda
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { COUNT = 1000 };

struct Message {
    cudaIpcMemHandle_t memory, second;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData pointer;
    int device; // that has `memory`
};

__global__ void fill(int *values, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < COUNT)
        values[i] = first + i;
}

static void start(int *values, int first) { fill<<<(COUNT + 255) / 256, 256>>>(values, first); }

static void check_values(const int *values, int first)
{
    static int host[COUNT];
    CUDA(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(host[i], first + i);
}

static void must(bool condition, const char *what)
{
    if (condition)
        return;
    printf("%s failed\n", what);
    exit(1);
}

static void send_files(int to, const int *files)
{
    char byte = 'f', control[CMSG_SPACE(2 * sizeof *files)] = {};
    iovec data = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof *files);
    memcpy(CMSG_DATA(header), files, 2 * sizeof *files);
    must(sendmsg(to, &message, 0) == 1, "sendmsg");
}

static void receive_files(int from, int *files)
{
    char byte, control[CMSG_SPACE(2 * sizeof *files)] = {};
    iovec data = {&byte, 1};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    must(recvmsg(from, &message, 0) == 1, "recvmsg");
    memcpy(files, CMSG_DATA(CMSG_FIRSTHDR(&message)), 2 * sizeof *files);
}

static CUmemAllocationProp exportable()
{
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    return properties;
}

static int *map(CUmemGenericAllocationHandle handle, size_t size)
{
    CUdeviceptr address;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CHECK_EQUAL(cuMemAddressReserve(&address, size, 0, 0, 0), CUDA_SUCCESS);
    CHECK_EQUAL(cuMemMap(address, size, 0, handle, 0), CUDA_SUCCESS);
    CHECK_EQUAL(cuMemSetAccess(address, size, &access, 1), CUDA_SUCCESS);
    return (int *)address;
}

static void wait_for_word(int from)
{
    char byte;
    must(read(from, &byte, 1) == 1, "read");
}

static void give_word(int to) { must(write(to, "x", 1) == 1, "write"); }

static int child(int line)
{
    Message message;
    must(read(line, &message, sizeof message) == sizeof message, "read");
    int *memory, *again, *second, *pooled, files[2];
    cudaEvent_t event;
    CUDA(cudaIpcOpenMemHandle((void **)&memory, message.memory, cudaIpcMemLazyEnablePeerAccess));
    CUDA(cudaIpcOpenMemHandle((void **)&again, message.memory, cudaIpcMemLazyEnablePeerAccess));
    CUDA(cudaIpcOpenMemHandle((void **)&second, message.second, cudaIpcMemLazyEnablePeerAccess));
    CHECK(again == memory);
    CUDA(cudaIpcOpenEventHandle(&event, message.event));
    CUDA(cudaEventSynchronize(event));
    check_values(memory, 100);
    check_values(second, 200);
    start(memory, 1100);
    cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, memory));
    CHECK_EQUAL(attributes.type, cudaMemoryTypeDevice);
    CHECK_EQUAL(attributes.device, message.device);
    CUDA_FAILS(cudaErrorInvalidValue, cudaFree(memory));
    CUDA_FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&message.memory, memory));

    receive_files(line, files);
    CUmemGenericAllocationHandle handle;
    CHECK_EQUAL(cuMemImportFromShareableHandle(&handle, (void *)(intptr_t)files[0],
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
                CUDA_SUCCESS);
    int *mapped = map(handle, 2 << 20);
    check_values(mapped, 300);
    start(mapped, 1300);
    cudaMemPool_t pool;
    CUDA(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)files[1],
                                              cudaMemHandleTypePosixFileDescriptor, 0));
    CUDA(cudaMemPoolImportPointer((void **)&pooled, pool, &message.pointer));
    check_values(pooled, 400);
    start(pooled, 1400);
    CUDA(cudaEventRecord(event, 0));
    give_word(line);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFreeAsync(pooled, 0));
    CUDA(cudaIpcCloseMemHandle(memory));
    CUDA(cudaIpcCloseMemHandle(memory));
    CUDA(cudaIpcCloseMemHandle(second));
    CUDA(cudaDeviceSynchronize());
    return check_failures;
}

static void finish_parent(int line, Message &message, cudaEvent_t event, const int *memory, const int *second)
{
    int *pooled, files[2];
    CUmemAllocationProp properties = exportable();
    CUmemGenericAllocationHandle handle;
    CHECK_EQUAL(cuMemCreate(&handle, 2 << 20, &properties, 0), CUDA_SUCCESS);
    CHECK_EQUAL(cuMemExportToShareableHandle(&files[0], handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
                CUDA_SUCCESS);
    int *mapped = map(handle, 2 << 20);
    start(mapped, 300);
    cudaMemPool_t pool;
    cudaMemPoolProps pool_properties = {};
    pool_properties.allocType = cudaMemAllocationTypePinned;
    pool_properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    pool_properties.location = {cudaMemLocationTypeDevice, 0};
    CUDA(cudaMemPoolCreate(&pool, &pool_properties));
    CUDA(cudaMemPoolExportToShareableHandle(&files[1], pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CUDA(cudaMallocFromPoolAsync((void **)&pooled, COUNT * sizeof *pooled, pool, 0));
    start(pooled, 400);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemPoolExportPointer(&message.pointer, pooled));
    CUDA(cudaEventRecord(event, 0));
    must(write(line, &message, sizeof message) == sizeof message, "write");
    send_files(line, files);

    wait_for_word(line);
    CUDA(cudaStreamWaitEvent(0, event, 0));
    CUDA(cudaDeviceSynchronize());
    check_values(memory, 1100);
    check_values(second, 200);
    check_values(mapped, 1300);
    check_values(pooled, 1400);
    CHECK_EQUAL(cudaEventQuery(event), cudaSuccess);
}

static void parent(int line)
{
    Message message = {};
    int *memory, *second;
    cudaEvent_t event, plain;
    CUDA(cudaGetDeviceCount(&message.device));
    CUDA(cudaSetDevice(--message.device));
    CUDA(cudaMalloc(&memory, COUNT * sizeof *memory));
    start(memory, 100);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaSetDevice(0));
    CUDA(cudaMalloc(&second, COUNT * sizeof *second)); // on one device it shares pages with the first
    CUDA(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    CUDA(cudaEventCreate(&plain));
    CUDA(cudaIpcGetMemHandle(&message.memory, memory));
    CUDA(cudaIpcGetMemHandle(&message.second, second + 10));
    start(second, 200);
    CUDA(cudaIpcGetEventHandle(&message.event, event));
    void *host;
    cudaIpcMemHandle_t unused;
    cudaIpcEventHandle_t no_event;
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&no_event, plain));
    CUDA(cudaMallocHost(&host, 64));
    CUDA_FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&unused, host));
    CUDA_FAILS(cudaErrorDeviceUninitialized,
               cudaIpcOpenMemHandle(&host, message.memory, cudaIpcMemLazyEnablePeerAccess));
    finish_parent(line, message, event, memory, second);
}

int main()
{
    int line[2], status = 0;
    must(socketpair(AF_UNIX, SOCK_STREAM, 0, line) == 0, "socketpair");
    const pid_t process = fork();
    if (process == 0) {
        const int failures = child(line[1]);
        fflush(stdout);
        _exit(failures != 0);
    }
    parent(line[0]);
    waitpid(process, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return check_result();
}
