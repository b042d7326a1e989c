/* Every live piece of memory that a program has asked for, by address: what a pointer belongs to, and how
 * it was made. */
#ifndef RT_ALLOCATION_H
#define RT_ALLOCATION_H

#include "rt/rt.h"

typedef struct RtPool RtPool;

typedef enum RtAllocationKind {
    RT_DEVICE_MEMORY,     /* cudaMalloc and its pitched forms */
    RT_POOL_MEMORY,       /* cudaMallocAsync */
    RT_GRAPH_MEMORY,      /* of a graph's allocation node */
    RT_ARRAY_MEMORY,
    RT_MANAGED_MEMORY,
    RT_HOST_MEMORY,       /* cudaHostAlloc */
    RT_REGISTERED_MEMORY, /* cudaHostRegister */
    RT_MAPPED_MEMORY,     /* cuMemMap */
    RT_IMPORTED_MEMORY    /* of another process (ipc.h) */
} RtAllocationKind;

/* Invariant: pool is null exactly unless the kind is RT_POOL_MEMORY. */
typedef struct RtAllocation {
    uint64_t base;
    size_t size;
    int device;           /* that the call worked on which made it */
    RtAllocationKind kind;
    unsigned flags;       /* as the program gave them */
    RtPool *pool;
    bool released;        /* freed in a stream that has not come to it yet, or by a node of its graph */
} RtAllocation;

/* Its device is the one that the call works on. */
void rt_allocation_add(RtAllocation allocation);
/* `base` is that of a live one. */
void rt_allocation_remove(uint64_t base);
/* The allocation that holds the address, or null; valid until it is removed. */
RtAllocation *rt_allocation_find(uint64_t address);
/* The last that begins at the address or before it, and the first that begins behind it; null: none. */
RtAllocation *rt_allocation_before(uint64_t address);
RtAllocation *rt_allocation_after(uint64_t address);
/* "lies 16 bytes inside the 400 bytes at 0x...", "is no address that is allocated now": the end of a
 * sentence. */
const char *rt_allocation_describe(uint64_t address, char *buffer, size_t size);

#endif
