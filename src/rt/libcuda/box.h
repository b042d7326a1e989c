/* Copies of boxes, described by structures: rows and slices of memory or of arrays. */
#ifndef LIBCUDA_BOX_H
#define LIBCUDA_BOX_H

#include "rt/operation.h"

/* One side of a copy in the layout of CUDA_MEMCPY2D. */
typedef struct FlatSide {
    size_t x, y; /* x in bytes */
    int memory;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} FlatSide;
typedef struct FlatCopy { FlatSide source, destination; size_t width, height; } FlatCopy;

/* One side in the layout of CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER. */
typedef struct BoxSide {
    size_t x, y, z, level;
    int memory;
    void *host;
    uint64_t device;
    void *array, *context;
    size_t pitch, height;
} BoxSide;
typedef struct BoxCopy { BoxSide source, destination; size_t width, height, depth; } BoxCopy;

_Static_assert(sizeof(FlatCopy) == 128 && sizeof(BoxCopy) == 200, "as CUDA has it");

/* What the structure describes; *kind is cudaMemcpyKind. */
RtError box_translate(const BoxCopy *box, WbCopy *copy, int *kind);

#endif
