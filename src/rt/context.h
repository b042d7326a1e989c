/* Contexts of the driver API. All of them share the one GPU and its memory: a context is only what a program
 * pushes, pops, asks about and destroys. The runtime works in the primary one. */
#ifndef RT_CONTEXT_H
#define RT_CONTEXT_H

#include "rt/rt.h"

/* What CUcontext points to. Invariant: live ones are RT_HANDLE_CONTEXT; the primary one is live while it is
 * retained or the runtime has used it. */
typedef struct RtContext {
    unsigned flags;         /* CUDA's: 0 to 4 how the host waits, 8 map host, ... */
    uint64_t id;
    int cache_preference, bank_size; /* cuCtxSetCacheConfig, cuCtxSetSharedMemConfig */
    bool peer_enabled;
} RtContext;

/* cuInit. May be asked without the lock. */
void rt_initialize(void);
bool rt_is_initialized(void);

/* The context that is current in this thread, or null. rt_context_check() says whether there is one and it
 * lives. */
RtContext *rt_context_current(void);
RtError rt_context_check(void);
/* A handle as a program passes it; null is an error, too. */
RtError rt_context_get(const void *handle, RtContext **context);

/* Creates a context and pushes it. */
RtError rt_context_create(unsigned flags, RtContext **context);
/* Pops it, too, if it is current in this thread. */
RtError rt_context_destroy(void *handle);
RtError rt_context_push(void *handle);
RtError rt_context_pop(RtContext **context);
/* Replaces the thread's current context; null only pops it. */
RtError rt_context_set(void *handle);

RtContext *rt_primary(void);
bool rt_primary_is_active(void);
RtContext *rt_primary_retain(void);
RtError rt_primary_release(void);
void rt_primary_reset(void);
/* What a call of the runtime does before all else: it initializes, and makes the primary context current in a
 * thread that has none. */
void rt_primary_use(void);

#endif
