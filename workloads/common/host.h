/* What the host side of every workload needs: a GPU with one module, buffers that are copied there, and
 * launches, all checked; the first failure is remembered and the rest does nothing. */
#ifndef WORKLOADS_HOST_H
#define WORKLOADS_HOST_H

#include "warpbeam_flow.h"

typedef struct Host {
    WbGpu *gpu;
    WbModule *module;
    WbStatus status;  /* the first that was not WB_OK */
    char error[2048]; /* its sentence */
    double seconds;   /* of processor time spent in launches, for benchmarks */
    double wall;      /* seconds by the clock spent in them, with any number of threads */

    bool measured_size;    /* set by the user: workloads take the size that was measured elsewhere */
    bool cold;             /* set by the user: caches are dropped before every launch, as a profiler does */
    uint64_t cycles;       /* of the last launch; in functional mode its warp instructions, as %clock has */
    uint64_t total_cycles; /* of all launches */
    double total_time;     /* simulated nanoseconds from the call of each launch until all has ended */
    double begun;          /* the simulated time of the first launch that nobody has waited for */
    size_t waiting;        /* launches that nobody has waited for */
    double timed;          /* set by workloads that time more than their launches: when that began */
} Host;

/* A module of `directory`/`file` on an open GPU. */
Host host_begin(WbGpu *gpu, const char *directory, const char *file);
/* Unloads the module. Buffers made by host_buffer are freed by host_free, as on a real GPU. */
void host_end(Host *host);

/* Remembers a failure of the GPU's, unless there was one before. */
void host_keep(Host *host, WbStatus status);
/* Device memory of `bytes`; filled from `data` unless null. */
uint64_t host_buffer(Host *host, const void *data, size_t bytes);
void host_free(Host *host, uint64_t address);
/* Where a variable of the module lies, of constant memory for example. */
uint64_t host_symbol(Host *host, const char *name);
void host_read(Host *host, void *to, uint64_t from, size_t bytes);
void host_write(Host *host, uint64_t to, const void *from, size_t bytes);
/* The same in simulated time, which passes: a copy behind all that was launched, which the host waits for. */
void host_fetch(Host *host, void *to, uint64_t from, size_t bytes);
/* A copy to the device in simulated time, which nobody waits for: what is launched behind it does. */
void host_send(Host *host, uint64_t to, const void *from, size_t bytes);
/* Fills a variable of the module, in constant or global memory. */
void host_set(Host *host, const char *variable, const void *from, size_t bytes);
/* Gives a kernel so many registers a thread, where a published program had more than our compiler takes. */
void host_registers(Host *host, const char *kernel, uint32_t registers);
/* A buffer's `count` elements of 32 bits as a texture, for tex1Dfetch(). */
uint64_t host_texture(Host *host, uint64_t buffer, size_t count, WbChannel channel);
void host_texture_free(Host *host, uint64_t texture);
/* Launches and waits. */
void host_launch(Host *host, const char *kernel, WbDim3 grid, WbDim3 block, const WbArgument *arguments,
                 uint32_t count);
/* The same, with all that a launch can have. */
void host_launch_as(Host *host, const char *kernel, const WbLaunch *launch);
/* Launches without waiting. */
void host_enqueue(Host *host, const char *kernel, const WbLaunch *launch);
/* Launches a flow graph, and waits. */
void host_launch_flow(Host *host, WbFlow *flow);
/* Waits for what was launched so; without that it does nothing. */
void host_finish(Host *host);

#define HOST_LAUNCH(host, kernel, grid, block, ...)                                                          \
    do {                                                                                                     \
        const WbArgument launch_arguments[] = {__VA_ARGS__};                                                 \
        host_launch((host), (kernel), (grid), (block), launch_arguments,                                     \
                    sizeof launch_arguments / sizeof *launch_arguments);                                     \
    } while (0)

static inline WbDim3 dim(uint32_t x, uint32_t y, uint32_t z) { return (WbDim3){x, y, z}; }

/* Deterministic inputs: the 32-bit generator of Numerical Recipes; the state advances before use. */
static inline uint32_t random_next(uint32_t *state) { return *state = *state * 1664525u + 1013904223u; }
static inline float random_float(uint32_t *state)
{
    return (float)(random_next(state) >> 8) * (1.0f / 16777216.0f);
}

/* Zeroed memory for so many items, for free(). Null: there is none, and the host keeps the sentence. */
void *host_array(Host *host, size_t count, size_t size);
/* Random values from 0 to below 1, for free(). Null as above. */
float *host_floats(Host *host, size_t count, uint32_t seed);
/* Whether the device has these bytes at this address. */
bool host_equals(Host *host, uint64_t address, const void *expected, size_t bytes);

#endif
