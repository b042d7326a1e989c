/* Growing arrays without a type: any struct with the three fields `items`, `count`, `capacity`.
 *
 *     struct { Edge *items; uint32_t count, capacity; } edges = {0};
 *     VEC_PUSH(&edges, ((Edge){from, to}));
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/alloc.h"

#define VEC(Type) struct { Type *items; uint32_t count, capacity; }

#define VEC_RESERVE(vec, needed)                                                                       \
    do {                                                                                               \
        if ((vec)->capacity < (needed)) {                                                              \
            (vec)->capacity = (needed) > 2 * (vec)->capacity ? (needed) : 2 * (vec)->capacity;         \
            if ((vec)->capacity < 8)                                                                   \
                (vec)->capacity = 8;                                                                   \
            (vec)->items = xrealloc((vec)->items, (vec)->capacity * sizeof *(vec)->items);             \
        }                                                                                              \
    } while (0)

#define VEC_PUSH(vec, value)                                                                           \
    do {                                                                                               \
        VEC_RESERVE((vec), (vec)->count + 1);                                                          \
        (vec)->items[(vec)->count++] = (value);                                                        \
    } while (0)

/* The vector begins as a copy of an array; needs <string.h>. */
#define VEC_FILL(vec, array, length)                                                                   \
    do {                                                                                               \
        VEC_RESERVE((vec), (length) + 1);                                                              \
        if (length)                                                                                    \
            memcpy((vec)->items, (array), (length) * sizeof *(vec)->items);                            \
        (vec)->count = (length);                                                                       \
    } while (0)

#define VEC_FREE(vec)                                                                                  \
    do {                                                                                               \
        xfree((vec)->items);                                                                           \
        (vec)->items = NULL;                                                                           \
        (vec)->count = (vec)->capacity = 0;                                                            \
    } while (0)

#endif
