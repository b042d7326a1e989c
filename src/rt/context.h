/* Contexts of the driver API. All contexts of a device share its GPU and its memory: a context is only
 * what a program pushes, pops, asks about and destroys. The context that is current in a thread says on
 * which device its calls work. The runtime works in the primary one of each device. */
#ifndef RT_CONTEXT_H
#define RT_CONTEXT_H

#include "rt/rt.h"

/* What CUcontext points to. Invariant: live ones are RT_HANDLE_CONTEXT; the primary one of a device is live
 * while it is retained or the runtime has used it. */
typedef struct RtContext {
    int device;
    unsigned flags;         /* CUDA's: 0 to 4 how the host waits, 8 map host, ... */
    uint64_t id;
    int cache_preference, bank_size; /* cuCtxSetCacheConfig, cuCtxSetSharedMemConfig */
    bool peer_enabled;      /* for another context of the same device */
} RtContext;

/* cuInit. May be asked without the lock. */
void rt_initialize(void);
bool rt_is_initialized(void);

/* The context that is current in this thread, or null. rt_context_check() says whether there is one and it
 * lives. */
RtContext *rt_context_current(void);
RtError rt_context_check(void);
/* Its device; 0 where there is none. May be asked without the lock. */
int rt_context_device(void);
/* A handle as a program passes it; null is an error, too. */
RtError rt_context_get(const void *handle, RtContext **context);

/* Creates a context of the device and pushes it. */
RtError rt_context_create(int device, unsigned flags, RtContext **context);
/* Pops it, too, if it is current in this thread. */
RtError rt_context_destroy(void *handle);
RtError rt_context_push(void *handle);
RtError rt_context_pop(RtContext **context);
/* Replaces the thread's current context; null only pops it. */
RtError rt_context_set(void *handle);

RtContext *rt_primary(int device);
bool rt_primary_is_active(int device);
RtContext *rt_primary_retain(int device);
RtError rt_primary_release(int device);
void rt_primary_reset(int device);
/* What a call of the runtime does before all else: it initializes, and makes the first device's primary
 * context current in a thread that has none. */
void rt_primary_use(void);
/* cudaSetDevice: the device's primary context replaces the thread's current one. */
RtError rt_primary_set(int device);

#endif
