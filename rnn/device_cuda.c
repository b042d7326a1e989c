/* A GPU through CUDA's driver. Networks of one context share what is loaded there: modules are slow to
 * load, since a driver compiles PTX. Every call pushes the context and pops it, so that any thread may
 * use a network and no thread finds another context current than before. */
#include "cuda_modules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of CUDA. */
enum {
    NOT_READY = 600, OUT_OF_MEMORY = 2, COOPERATIVE_TOO_LARGE = 720,
    SM_COUNT = 16, L2_SIZE = 38, CAPABILITY_MAJOR = 75, CAPABILITY_MINOR = 76, SHARED_SM = 81,
    REGISTERS_SM = 82, COOPERATIVE = 95, SHARED_BLOCK = 97,
    LAUNCH_COOPERATIVE = 2,
    STREAM_NON_BLOCKING = 1, EVENT_NO_TIMING = 2, HOST_PORTABLE_MAPPED = 1 | 2, CAPTURE_THREAD_LOCAL = 1,
};
enum { REGISTERS_THREAD = 255 };

typedef struct CudaDevice {
    RnnDevice base; /* first */
    CudaShared *shared;
} CudaDevice;

static CudaShared *shared_of(RnnDevice *device)
{
    return ((CudaDevice *)device)->shared;
}

static const Cuda *enter(RnnDevice *device)
{
    const CudaShared *shared = shared_of(device);
    shared->cuda->cuCtxPushCurrent_v2(shared->context);
    return shared->cuda;
}

/* Pops the context, and makes a status and a sentence of what a call returned. */
static WbRnnStatus leave(RnnDevice *device, int error, const char *call)
{
    const Cuda *cuda = shared_of(device)->cuda;
    void *context;
    const char *text = NULL;
    cuda->cuCtxPopCurrent_v2(&context);
    if (!error)
        return WBRNN_OK;
    if (cuda->cuGetErrorString(error, &text) || !text)
        text = "an error without a name";
    snprintf(device->error, sizeof device->error, "%s() failed: %s (%d).", call, text, error);
    return error == OUT_OF_MEMORY           ? WBRNN_MEMORY
           : error == COOPERATIVE_TOO_LARGE ? WBRNN_TOO_SMALL
                                            : WBRNN_GPU;
}

/* -- memory -- */

static WbRnnStatus allocate(RnnDevice *device, size_t bytes, uint64_t *address)
{
    const WbRnnStatus status = leave(device, enter(device)->cuMemAlloc_v2(address, bytes ? bytes : 1),
                                     "cuMemAlloc");
    if (status == WBRNN_MEMORY)
        snprintf(device->error, sizeof device->error, "The GPU has no memory for %zu bytes.", bytes);
    return status;
}

static void release(RnnDevice *device, uint64_t address)
{
    leave(device, enter(device)->cuMemFree_v2(address), "cuMemFree");
}

static WbRnnStatus allocate_seen(RnnDevice *device, size_t bytes, void **host, uint64_t *address)
{
    const Cuda *cuda = enter(device);
    int error = cuda->cuMemHostAlloc(host, bytes, HOST_PORTABLE_MAPPED);
    if (!error)
        error = cuda->cuMemHostGetDevicePointer_v2(address, *host, 0);
    return leave(device, error, "cuMemHostAlloc");
}

static void release_seen(RnnDevice *device, void *host)
{
    leave(device, enter(device)->cuMemFreeHost(host), "cuMemFreeHost");
}

/* The driver knows by the addresses which is the host's. What it has copied from there may still be on
 * its way to the device when it returns, hence the wait. */
static WbRnnStatus copy(RnnDevice *device, uint64_t to, uint64_t from, size_t bytes)
{
    const Cuda *cuda = enter(device);
    int error = cuda->cuMemcpy(to, from, bytes);
    if (!error)
        error = cuda->cuStreamSynchronize(NULL);
    return leave(device, error, "cuMemcpy");
}

static WbRnnStatus write_bytes(RnnDevice *device, uint64_t to, const void *from, size_t bytes)
{
    return copy(device, to, (uintptr_t)from, bytes);
}

static WbRnnStatus read_bytes(RnnDevice *device, void *to, const void *from, size_t bytes)
{
    return copy(device, (uintptr_t)to, (uintptr_t)from, bytes);
}

static WbRnnStatus fill(RnnDevice *device, uint64_t address, uint32_t word, size_t words, void *stream)
{
    return leave(device, enter(device)->cuMemsetD32Async(address, word, words, stream), "cuMemsetD32Async");
}

/* -- kernels -- */

static WbRnnStatus find_kernel(RnnDevice *device, const char *module, const char *name, uint32_t shared_bytes,
                               RnnKernel **kernel)
{
    enter(device);
    const char *call = "";
    const int error = modules_kernel(shared_of(device), module, name, shared_bytes, kernel, &call,
                                     device->error, sizeof device->error);
    if (error == MODULES_SAID) {
        leave(device, 0, call);
        return WBRNN_GPU;
    }
    return leave(device, error, call);
}

/* Kernels whose blocks need not be resident together, and drivers before CUDA 11.6. */
static WbRnnStatus launch_plainly(RnnDevice *device, const RnnKernel *kernel, const RnnLaunch *launch,
                                  bool cooperative, void *stream)
{
    const Cuda *cuda = enter(device);
    void *arguments[] = {(void *)(uintptr_t)launch->arguments};
    if (cooperative)
        return leave(device,
                     cuda->cuLaunchCooperativeKernel(kernel->function, launch->blocks, 1, 1, launch->threads,
                                                     1, 1, launch->shared_bytes, stream, arguments),
                     "cuLaunchCooperativeKernel");
    return leave(device,
                 cuda->cuLaunchKernel(kernel->function, launch->blocks, 1, 1, launch->threads, 1, 1,
                                      launch->shared_bytes, stream, arguments, NULL),
                 "cuLaunchKernel");
}

static WbRnnStatus launch(RnnDevice *device, RnnKernel *kernel, const RnnLaunch *launch, void *stream)
{
    const CudaShared *shared = shared_of(device);
    const bool cooperative = launch->together && shared->cooperative;
    if (!shared->cuda->cuLaunchKernelEx || !cooperative)
        return launch_plainly(device, kernel, launch, cooperative, stream);
    CudaAttribute together = {.id = LAUNCH_COOPERATIVE, .value = {.number = 1}};
    const CudaConfig config = {.grid = {launch->blocks, 1, 1}, .block = {launch->threads, 1, 1},
                               .shared = launch->shared_bytes, .stream = stream, .attributes = &together,
                               .attribute_count = 1};
    void *arguments[] = {(void *)(uintptr_t)launch->arguments};
    return leave(device, enter(device)->cuLaunchKernelEx(&config, kernel->function, arguments, NULL),
                 "cuLaunchKernelEx");
}

/* -- streams and events -- */

static WbRnnStatus stream_create(RnnDevice *device, void **stream)
{
    return leave(device, enter(device)->cuStreamCreate(stream, STREAM_NON_BLOCKING), "cuStreamCreate");
}

static void stream_destroy(RnnDevice *device, void *stream)
{
    leave(device, enter(device)->cuStreamDestroy_v2(stream), "cuStreamDestroy");
}

static WbRnnStatus event_create(RnnDevice *device, void **event)
{
    return leave(device, enter(device)->cuEventCreate(event, EVENT_NO_TIMING), "cuEventCreate");
}

static void event_destroy(RnnDevice *device, void *event)
{
    leave(device, enter(device)->cuEventDestroy_v2(event), "cuEventDestroy");
}

static WbRnnStatus event_record(RnnDevice *device, void *event, void *stream)
{
    return leave(device, enter(device)->cuEventRecord(event, stream), "cuEventRecord");
}

static WbRnnStatus event_wait(RnnDevice *device, void *event, void *stream)
{
    return leave(device, enter(device)->cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
}

static WbRnnStatus event_finish(RnnDevice *device, void *event)
{
    return leave(device, enter(device)->cuEventSynchronize(event), "cuEventSynchronize");
}

/* One that fails is done as well: nothing runs any more. */
static bool event_done(RnnDevice *device, void *event)
{
    const int answer = enter(device)->cuEventQuery(event);
    leave(device, 0, "cuEventQuery");
    return answer != NOT_READY;
}

static bool capturing(RnnDevice *device, void *stream)
{
    int answer = 0;
    const int error = enter(device)->cuStreamIsCapturing(stream, &answer);
    leave(device, 0, "cuStreamIsCapturing");
    return !error && answer;
}

/* -- graphs -- */

static WbRnnStatus graph_begin(RnnDevice *device, void *stream)
{
    return leave(device, enter(device)->cuStreamBeginCapture_v2(stream, CAPTURE_THREAD_LOCAL),
                 "cuStreamBeginCapture");
}

static WbRnnStatus graph_end(RnnDevice *device, void *stream, void **graph)
{
    const Cuda *cuda = enter(device);
    const char *call = "cuStreamEndCapture";
    void *made = NULL;
    int error = cuda->cuStreamEndCapture(stream, &made);
    if (!error) {
        call = "cuGraphInstantiateWithFlags";
        error = cuda->cuGraphInstantiateWithFlags(graph, made, 0);
        cuda->cuGraphDestroy(made);
    }
    return leave(device, error, call);
}

static WbRnnStatus graph_launch(RnnDevice *device, void *graph, void *stream)
{
    return leave(device, enter(device)->cuGraphLaunch(graph, stream), "cuGraphLaunch");
}

static void graph_destroy(RnnDevice *device, void *graph)
{
    leave(device, enter(device)->cuGraphExecDestroy(graph), "cuGraphExecDestroy");
}

/* -- opening -- */

static void close_device(RnnDevice *device)
{
    modules_close(shared_of(device));
    free(device);
}

static const RnnDeviceCalls calls = {
    .allocate = allocate, .release = release, .allocate_seen = allocate_seen, .release_seen = release_seen,
    .write = write_bytes, .read = read_bytes, .fill = fill, .kernel = find_kernel, .launch = launch,
    .stream_create = stream_create, .stream_destroy = stream_destroy, .event_create = event_create,
    .event_destroy = event_destroy, .event_record = event_record, .event_wait = event_wait,
    .event_finish = event_finish, .event_done = event_done, .capturing = capturing,
    .graph_begin = graph_begin, .graph_end = graph_end, .graph_launch = graph_launch,
    .graph_destroy = graph_destroy, .close = close_device};

static uint32_t attribute(const CudaShared *shared, int number)
{
    int value = 0;
    return shared->cuda->cuDeviceGetAttribute(&value, number, shared->device) ? 0 : (uint32_t)value;
}

static void describe(CudaDevice *device)
{
    CudaShared *shared = device->shared;
    RnnGpu *gpu = &device->base.gpu;
    gpu->sms = attribute(shared, SM_COUNT);
    gpu->shared_block = attribute(shared, SHARED_BLOCK);
    gpu->shared_sm = attribute(shared, SHARED_SM);
    gpu->registers_sm = attribute(shared, REGISTERS_SM);
    gpu->registers_thread = REGISTERS_THREAD;
    gpu->l2_bytes = attribute(shared, L2_SIZE);
    gpu->capability = attribute(shared, CAPABILITY_MAJOR) * 10 + attribute(shared, CAPABILITY_MINOR);
    gpu->simulated = shared->cuda->simulated;
    shared->cooperative = attribute(shared, COOPERATIVE);
    shared->capability = gpu->capability;
    device->base.identity = (uint64_t)shared->device;
}

WbRnnStatus device_cuda_open(const char *kernels, RnnDevice **device, char *error, size_t size)
{
    *device = NULL;
    const Cuda *cuda = cuda_open(error, size);
    if (!cuda)
        return WBRNN_GPU;
    CudaDevice *opened = calloc(1, sizeof *opened);
    if (!opened) {
        snprintf(error, size, "There is no memory for a device.");
        return WBRNN_MEMORY;
    }
    opened->base.calls = &calls;
    opened->shared = modules_open(cuda, kernels, error, size);
    if (!opened->shared) {
        free(opened);
        return WBRNN_GPU;
    }
    describe(opened);
    *device = &opened->base;
    return WBRNN_OK;
}
