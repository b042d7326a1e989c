/* Structures of graphs: the layouts are CUDA's, the names are ours. */
#ifndef CUDART_GRAPH_ABI_H
#define CUDART_GRAPH_ABI_H

#include "rt/cudart/abi.h"
#include "rt/operation.h"

/* Layout of cudaKernelNodeParams and its second version. */
typedef struct KernelParameters {
    void *function;
    WbDim3 grid, block;
    unsigned shared_bytes;
    void **arguments, **extra;
} KernelParameters;

/* Layout of cudaMemsetParams and its second version. */
typedef struct FillParameters {
    void *destination;
    size_t pitch;
    unsigned value, element_bytes;
    size_t width, height;
} FillParameters;

/* Layout of cudaHostNodeParams and its second version. */
typedef struct HostParameters { WbHostFunction *function; void *context; } HostParameters;

/* Layout of cudaMemAllocNodeParams and its second version. */
typedef struct AllocationParameters {
    PoolProperties pool;
    const AccessDescription *access;
    size_t access_count, size;
    void *pointer; /* the answer */
} AllocationParameters;

/* cudaGraphNodeType. */
typedef enum NodeType {
    NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_HOST, NODE_GRAPH, NODE_EMPTY, NODE_WAIT_EVENT, NODE_RECORD_EVENT,
    NODE_SIGNAL_SEMAPHORE, NODE_WAIT_SEMAPHORE, NODE_ALLOCATE, NODE_RELEASE, NODE_CONDITIONAL = 13
} NodeType;

/* Layout of cudaGraphNodeParams. */
typedef struct NodeParameters {
    int type, reserved[3];
    union {
        long long words[29];
        KernelParameters kernel;
        struct { int flags, reserved[3]; BoxCopy box; } copy;
        FillParameters fill;
        HostParameters host;
        struct { void *graph; int ownership; } child; /* 0: copied, 1: moved */
        void *event;
        AllocationParameters allocation;
        void *pointer; /* of NODE_RELEASE */
        struct { uint64_t handle; int type; unsigned count; RtGraph **graphs; /* the answer */ } conditional;
    };
    long long reserved_at_the_end;
} NodeParameters;
_Static_assert(sizeof(NodeParameters) == 256, "as CUDA has it");

/* Layout of cudaGraphEdgeData: all zero is the plain edge. */
typedef struct EdgeData { unsigned char from_port, to_port, type, reserved[5]; } EdgeData;

/* Layout of cudaGraphInstantiateParams. */
typedef struct InstantiateParameters {
    unsigned long long flags;
    void *upload_stream, *error_node;
    int result;
} InstantiateParameters;

/* Layout of cudaGraphExecUpdateResultInfo. */
typedef struct UpdateInfo { int result; void *error_node, *error_from_node; } UpdateInfo;

#endif
