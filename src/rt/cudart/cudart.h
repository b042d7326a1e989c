/* What all files of the runtime's stand-in share. Each exported function is one line or few: it translates
 * arguments and calls what rt/ declares.
 *
 *     EXPORT int cudaFree(void *pointer) { return CUDART(rt_memory_free((uint64_t)(uintptr_t)pointer)); }
 *
 * The folder is compiled once for each major version of CUDA (CUDART_MAJOR is 11, 12 or 13), because some
 * functions and structures differ between them. Handles are void pointers, enumerations are int: their
 * layout is what counts. */
#ifndef CUDART_CUDART_H
#define CUDART_CUDART_H

#include "rt/rt.h"
#include "rt/stream.h"

#define EXPORT __attribute__((visibility("default")))

/* Begins a call: rt_enter(), and the primary context becomes the thread's if it has none. */
RtError cudart_enter(const char *call);
/* Ends a call: remembers the thread's last error if there is one, lets the lock go, and returns the error. */
int cudart_leave(RtError error);

/* A call from its beginning to its end; the expression, an RtError, is evaluated only if there is a GPU
 * that has not failed. */
#define CUDART(expression)                         \
    __extension__({                                \
        RtError error_ = cudart_enter(__func__);   \
        if (error_ == RT_SUCCESS)                  \
            error_ = (expression);                 \
        cudart_leave(error_);                      \
    })

/* A function with a parameter called `stream`, and its variant for programs that are built with
 * --default-stream per-thread, in which a null stream is the thread's. */
#define EXPORT_BOTH(name, parameters, expression)  \
    EXPORT int name parameters                     \
    {                                              \
        return CUDART(expression);                 \
    }                                              \
    EXPORT int name##_ptsz parameters              \
    {                                              \
        stream = rt_per_thread(stream);            \
        return CUDART(expression);                 \
    }

/* In a function that returns RtError: a pointer that the program must give. */
#define NEED(pointer)                                                                     \
    do {                                                                                  \
        if (!(pointer))                                                                   \
            return rt_fail(RT_INVALID_VALUE, "The argument '%s' is null.", #pointer);     \
    } while (0)

#endif
