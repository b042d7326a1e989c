/* What all files of the driver API's stand-in share. Each exported function is one line or few: it translates
 * arguments and calls what rt/ declares, as in cudart/cudart.h; but the driver has no last error, and it
 * wants to be initialized and, for most calls, a context.
 *
 *     EXPORT int cuMemFree_v2(uint64_t address) { return LIBCUDA(rt_memory_free(address)); }
 *
 * Handles are void pointers, enumerations are int, CUdeviceptr is uint64_t: their layout is what counts. */
#ifndef LIBCUDA_LIBCUDA_H
#define LIBCUDA_LIBCUDA_H

#include "rt/stream.h"

#define EXPORT __attribute__((visibility("default")))
/* The same function under an older name, where only the name changed. */
#define SAME_AS(name) __attribute__((visibility("default"), alias(#name)))

/* Begins a call as rt_enter() does; before that, cuInit must have been called and, if `needs_context`, a
 * context be current in this thread. */
RtError libcuda_enter(const char *call, bool needs_context);
/* Ends a call: lets the lock go, and returns the error as the driver calls it (errors that only the runtime
 * has mostly become CUDA_ERROR_INVALID_VALUE). */
int libcuda_leave(RtError error);

#define LIBCUDA_CALL(needs_context, expression)                 \
    __extension__({                                             \
        RtError error_ = libcuda_enter(__func__, needs_context);\
        if (error_ == RT_SUCCESS)                               \
            error_ = (expression);                              \
        libcuda_leave(error_);                                  \
    })

/* A call from its beginning to its end; LIBCUDA_GLOBAL is for those that need no context. */
#define LIBCUDA(expression) LIBCUDA_CALL(true, expression)
#define LIBCUDA_GLOBAL(expression) LIBCUDA_CALL(false, expression)

/* In a function that returns RtError: a pointer that the program must give. */
#define NEED(pointer)                                                                     \
    do {                                                                                  \
        if (!(pointer))                                                                   \
            return rt_fail(RT_INVALID_VALUE, "The argument '%s' is null.", #pointer);     \
    } while (0)

/* A function whose parameters have a `void *stream`, and its variant for per-thread default streams. */
#define STREAM_CALL(name, parameters, expression)                           \
    EXPORT int name parameters { return LIBCUDA(expression); }              \
    EXPORT int name##_ptsz parameters                                       \
    {                                                                       \
        stream = rt_per_thread(stream);                                     \
        return LIBCUDA(expression);                                         \
    }

/* A function that waits for what it puts into the default stream, called `stream` in the expression. */
#define DEFAULT_STREAM_CALL(name, parameters, expression)                   \
    EXPORT int name parameters                                              \
    {                                                                       \
        void *const stream = RT_STREAM_LEGACY;                              \
        return LIBCUDA(expression);                                         \
    }                                                                       \
    EXPORT int name##_ptds parameters                                       \
    {                                                                       \
        void *const stream = RT_STREAM_PER_THREAD;                          \
        return LIBCUDA(expression);                                         \
    }

#endif
