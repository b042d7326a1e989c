/* A buffer in parts, one of each rank. */
#ifndef MPI_PARTS_H
#define MPI_PARTS_H

#include "mpi/buffer.h"

/* A buffer that holds a part of every rank: part i has counts[i] elements from displacements[i] on. Where
 * all are alike counts is null, and each has `count`. */
typedef struct Parts {
    Buffer buffer;
    const int *counts, *displacements;
    int count;
} Parts;

static inline Buffer part(const Parts *parts, int rank)
{
    return parts->counts ? buffer_from(&parts->buffer, parts->displacements[rank], parts->counts[rank])
                         : buffer_from(&parts->buffer, (int64_t)rank * parts->count, parts->count);
}

#endif
