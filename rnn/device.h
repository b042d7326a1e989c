/* What the library needs of a GPU: a table of functions, so that the same host code drives a real GPU through
 * CUDA's driver and a simulated one through Warpbeam's C API. Functions return WBRNN_OK, or a status with the
 * sentence in device->error. */
#ifndef WBRNN_DEVICE_H
#define WBRNN_DEVICE_H

#include "plan.h"

enum { RNN_MODULE_NAME = 32, RNN_KERNEL_NAME = 48 }; /* characters, the 0 included */

typedef struct RnnDevice RnnDevice;
typedef struct RnnKernel RnnKernel; /* the backend's */

typedef struct RnnLaunch {
    uint32_t blocks, threads, shared_bytes;
    bool together;         /* all blocks are resident at once, or the launch fails */
    const void *arguments; /* one struct, by value */
    size_t bytes;
} RnnLaunch;

typedef struct RnnDeviceCalls {
    WbRnnStatus (*allocate)(RnnDevice *device, size_t bytes, uint64_t *address);
    void (*release)(RnnDevice *device, uint64_t address);
    /* Memory that kernels write, by its address, and the host reads without waiting for anything. */
    WbRnnStatus (*allocate_seen)(RnnDevice *device, size_t bytes, void **host, uint64_t *address);
    void (*release_seen)(RnnDevice *device, void *host);
    /* Synchronous, behind all that was enqueued in the default stream; `from` and `to` may be host or device
     * memory of the user's. */
    WbRnnStatus (*write)(RnnDevice *device, uint64_t to, const void *from, size_t bytes);
    WbRnnStatus (*read)(RnnDevice *device, void *to, const void *from, size_t bytes);
    /* On a stream, in its order. Streams and events are the backend's handles. */
    WbRnnStatus (*fill)(RnnDevice *device, uint64_t address, uint32_t word, size_t words, void *stream);
    WbRnnStatus (*kernel)(RnnDevice *device, const char *module, const char *name, uint32_t shared_bytes,
                          RnnKernel **kernel);
    WbRnnStatus (*launch)(RnnDevice *device, RnnKernel *kernel, const RnnLaunch *launch, void *stream);
    WbRnnStatus (*stream_create)(RnnDevice *device, void **stream);
    void (*stream_destroy)(RnnDevice *device, void *stream);
    WbRnnStatus (*event_create)(RnnDevice *device, void **event);
    void (*event_destroy)(RnnDevice *device, void *event);
    WbRnnStatus (*event_record)(RnnDevice *device, void *event, void *stream);
    WbRnnStatus (*event_wait)(RnnDevice *device, void *event, void *stream); /* the stream waits */
    WbRnnStatus (*event_finish)(RnnDevice *device, void *event);             /* the host waits */
    bool (*event_done)(RnnDevice *device, void *event);
    bool (*capturing)(RnnDevice *device, void *stream); /* what is enqueued goes into a graph of the user's */
    /* A graph of what `record` enqueues on `stream` and those that follow it; null: the backend has none. */
    WbRnnStatus (*graph_begin)(RnnDevice *device, void *stream);
    WbRnnStatus (*graph_end)(RnnDevice *device, void *stream, void **graph);
    WbRnnStatus (*graph_launch)(RnnDevice *device, void *graph, void *stream);
    void (*graph_destroy)(RnnDevice *device, void *graph);
    void (*close)(RnnDevice *device);
} RnnDeviceCalls;

struct RnnDevice {
    const RnnDeviceCalls *calls;
    uint64_t identity; /* of the GPU: networks whose devices have the same share its SMs */
    RnnGpu gpu;
    char error[512];
};

/* The GPU of the current CUDA context, by libcuda, which is opened at run time. */
WbRnnStatus device_cuda_open(const char *kernels, RnnDevice **device, char *error, size_t size);

/* A network on a device that the caller has opened; the network closes it. wbrnn_create() is this with
 * device_cuda_open(). */
WbRnnStatus network_create(RnnDevice *device, const WbRnnShape *shape, const WbRnnOptions *options,
                           WbRnn **rnn);

#endif
