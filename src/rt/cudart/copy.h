/* Copies as the runtime describes them, taken apart; graphs' copy nodes have the same descriptions. */
#ifndef CUDART_COPY_H
#define CUDART_COPY_H

#include "rt/cudart/abi.h"
#include "rt/cudart/cudart.h"
#include "rt/memory.h"

/* The copy of cudaMemcpy3DParms, checked except for the ranges that rt_copy() checks. An empty one has
 * width 0. */
RtError cudart_box_copy(const BoxCopy *box, WbCopy *copy);
/* The place in a symbol's variable for `size` bytes. */
RtError cudart_symbol_place(const void *symbol, size_t size, size_t offset, void **place);

/* The four functions of one kind of copy: one that waits and one that does not, each with its variant for
 * programs whose default stream is the thread's; EXPORT_TWO makes those that wait. The expression sees
 * `stream` and `waits`. */
#define EXPORT_WAITING(name, default_stream, expression, ...) \
    EXPORT int name(__VA_ARGS__)                              \
    {                                                         \
        void *const stream = default_stream;                  \
        const bool waits = true;                              \
        return CUDART(expression);                            \
    }
#define EXPORT_ASYNC(name, default_stream, expression, ...)   \
    EXPORT int name(__VA_ARGS__, void *handle)                \
    {                                                         \
        void *const stream = handle ? handle : default_stream;\
        const bool waits = false;                             \
        return CUDART(expression);                            \
    }
#define EXPORT_TWO(name, expression, ...)                                               \
    EXPORT_WAITING(name, RT_STREAM_DEFAULT, expression, __VA_ARGS__)                    \
    EXPORT_WAITING(name##_ptds, RT_STREAM_PER_THREAD, expression, __VA_ARGS__)
#define EXPORT_FOUR(name, expression, ...)                                              \
    EXPORT_TWO(name, expression, __VA_ARGS__)                                           \
    EXPORT_ASYNC(name##Async, RT_STREAM_DEFAULT, expression, __VA_ARGS__)               \
    EXPORT_ASYNC(name##Async_ptsz, RT_STREAM_PER_THREAD, expression, __VA_ARGS__)

#endif
