/* Structures that describe what a node does. */
#ifndef LIBCUDA_GRAPH_NODE_H
#define LIBCUDA_GRAPH_NODE_H

#include "rt/operation.h"

/* Layout of CUDA_KERNEL_NODE_PARAMS; the older one ends before `kernel`. */
typedef struct KernelParameters {
    void *function;
    WbDim3 grid, block;
    unsigned shared;
    void **pointers, **extra;
    void *kernel, *context;
} KernelParameters;
/* Layout of CUDA_MEMSET_NODE_PARAMS. */
typedef struct FillParameters {
    uint64_t address;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} FillParameters;
/* Layout of CUDA_HOST_NODE_PARAMS. */
typedef struct HostParameters { WbHostFunction *function; void *context; } HostParameters;
/* Layout of CUDA_MEM_ALLOC_NODE_PARAMS: pool properties, accesses, size and the address that comes back. */
typedef struct AllocParameters {
    int allocation_type, handle_types, location_type, device;
    uint8_t properties[72];
    const void *accesses;
    size_t access_count, size;
    uint64_t address;
} AllocParameters;
_Static_assert(sizeof(KernelParameters) == 72 && sizeof(FillParameters) == 40, "as CUDA has it");
_Static_assert(sizeof(AllocParameters) == 120, "as CUDA has it");

#endif
