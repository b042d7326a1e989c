// Compares the layouts that Warpbeam's runtime takes apart (abi.h, graph_abi.h and properties.def of
// src/rt/cudart, and src/rt/launch_attribute.h) with those of CUDA 13's own headers. Prints PASS, or every
// difference; needs no GPU.
// nvcc: -I../../include -I../../src -DCUDART_MAJOR=13
#include <cstddef>
#include <cstdio>
#include <cuda_runtime.h>

// The headers are C's.
#define _Static_assert static_assert
#include "rt/cudart/abi.h"
#include "rt/cudart/graph_abi.h"
#include "rt/launch_attribute.h"

static int differences;

static void compare(const char *what, size_t ours, size_t theirs)
{
    if (ours == theirs)
        return;
    printf("%s: ours %zu, CUDA's %zu\n", what, ours, theirs);
    differences++;
}

#define SIZE_OF(Ours, Theirs) compare("size of " #Theirs, sizeof(Ours), sizeof(Theirs))
#define FIELD(Ours, our_field, Theirs, their_field)                                                       \
    do {                                                                                                  \
        compare("offset of " #Theirs "." #their_field, offsetof(Ours, our_field),                         \
                offsetof(Theirs, their_field));                                                           \
        compare("size of " #Theirs "." #their_field, sizeof(((Ours *)0)->our_field),                      \
                sizeof(((Theirs *)0)->their_field));                                                      \
    } while (0)

static void check_boxes()
{
    SIZE_OF(Extent, cudaExtent);
    FIELD(Extent, depth, cudaExtent, depth);
    SIZE_OF(Position, cudaPos);
    FIELD(Position, z, cudaPos, z);
    SIZE_OF(PitchedPointer, cudaPitchedPtr);
    FIELD(PitchedPointer, pitch, cudaPitchedPtr, pitch);
    FIELD(PitchedPointer, width, cudaPitchedPtr, xsize);
    FIELD(PitchedPointer, height, cudaPitchedPtr, ysize);
    SIZE_OF(BoxCopy, cudaMemcpy3DParms);
    FIELD(BoxCopy, source_position, cudaMemcpy3DParms, srcPos);
    FIELD(BoxCopy, source, cudaMemcpy3DParms, srcPtr);
    FIELD(BoxCopy, destination_array, cudaMemcpy3DParms, dstArray);
    FIELD(BoxCopy, destination_position, cudaMemcpy3DParms, dstPos);
    FIELD(BoxCopy, destination, cudaMemcpy3DParms, dstPtr);
    FIELD(BoxCopy, extent, cudaMemcpy3DParms, extent);
    FIELD(BoxCopy, kind, cudaMemcpy3DParms, kind);
    SIZE_OF(PeerCopy, cudaMemcpy3DPeerParms);
    FIELD(PeerCopy, source_device, cudaMemcpy3DPeerParms, srcDevice);
    FIELD(PeerCopy, destination_array, cudaMemcpy3DPeerParms, dstArray);
    FIELD(PeerCopy, destination, cudaMemcpy3DPeerParms, dstPtr);
    FIELD(PeerCopy, destination_device, cudaMemcpy3DPeerParms, dstDevice);
    FIELD(PeerCopy, extent, cudaMemcpy3DPeerParms, extent);
}

static void check_memory()
{
    SIZE_OF(PointerAttributes, cudaPointerAttributes);
    FIELD(PointerAttributes, device, cudaPointerAttributes, device);
    FIELD(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
    FIELD(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
    SIZE_OF(Location, cudaMemLocation);
    FIELD(Location, id, cudaMemLocation, id);
    SIZE_OF(AccessDescription, cudaMemAccessDesc);
    FIELD(AccessDescription, flags, cudaMemAccessDesc, flags);
    SIZE_OF(PoolProperties, cudaMemPoolProps);
    FIELD(PoolProperties, handle_types, cudaMemPoolProps, handleTypes);
    FIELD(PoolProperties, location, cudaMemPoolProps, location);
    FIELD(PoolProperties, security_attributes, cudaMemPoolProps, win32SecurityAttributes);
    FIELD(PoolProperties, maximum_bytes, cudaMemPoolProps, maxSize);
    SIZE_OF(ChannelFormat, cudaChannelFormatDesc);
    FIELD(ChannelFormat, w, cudaChannelFormatDesc, w);
    FIELD(ChannelFormat, kind, cudaChannelFormatDesc, f);
    SIZE_OF(ArrayRequirements, cudaArrayMemoryRequirements);
    FIELD(ArrayRequirements, alignment, cudaArrayMemoryRequirements, alignment);
    SIZE_OF(Exported, cudaIpcMemHandle_t);
    SIZE_OF(Exported, cudaIpcEventHandle_t);
    SIZE_OF(Exported, cudaMemPoolPtrExportData);
    compare("cudaMemLocationTypeDevice", LOCATION_DEVICE, cudaMemLocationTypeDevice);
    compare("cudaMemLocationTypeHost", LOCATION_HOST, cudaMemLocationTypeHost);
    compare("cudaMemLocationTypeHostNumaCurrent", LOCATION_THIS_NUMA, cudaMemLocationTypeHostNumaCurrent);
}

static void check_launches_and_graphs()
{
    SIZE_OF(RtLaunchAttribute, cudaLaunchAttribute);
    FIELD(RtLaunchAttribute, value, cudaLaunchAttribute, val);
    SIZE_OF(KernelParameters, cudaKernelNodeParams);
    FIELD(KernelParameters, block, cudaKernelNodeParams, blockDim);
    FIELD(KernelParameters, shared_bytes, cudaKernelNodeParams, sharedMemBytes);
    FIELD(KernelParameters, arguments, cudaKernelNodeParams, kernelParams);
    FIELD(KernelParameters, extra, cudaKernelNodeParams, extra);
    SIZE_OF(FillParameters, cudaMemsetParams);
    FIELD(FillParameters, value, cudaMemsetParams, value);
    FIELD(FillParameters, element_bytes, cudaMemsetParams, elementSize);
    FIELD(FillParameters, width, cudaMemsetParams, width);
    FIELD(FillParameters, height, cudaMemsetParams, height);
    SIZE_OF(HostParameters, cudaHostNodeParams);
    FIELD(HostParameters, context, cudaHostNodeParams, userData);
    SIZE_OF(AllocationParameters, cudaMemAllocNodeParams);
    FIELD(AllocationParameters, access, cudaMemAllocNodeParams, accessDescs);
    FIELD(AllocationParameters, access_count, cudaMemAllocNodeParams, accessDescCount);
    FIELD(AllocationParameters, size, cudaMemAllocNodeParams, bytesize);
    FIELD(AllocationParameters, pointer, cudaMemAllocNodeParams, dptr);
    SIZE_OF(NodeParameters, cudaGraphNodeParams);
    FIELD(NodeParameters, kernel.function, cudaGraphNodeParams, kernel.func);
    FIELD(NodeParameters, copy.box, cudaGraphNodeParams, memcpy.copyParams);
    FIELD(NodeParameters, fill.destination, cudaGraphNodeParams, memset.dst);
    FIELD(NodeParameters, child.graph, cudaGraphNodeParams, graph.graph);
    FIELD(NodeParameters, event, cudaGraphNodeParams, eventWait.event);
    FIELD(NodeParameters, allocation.pointer, cudaGraphNodeParams, alloc.dptr);
    FIELD(NodeParameters, pointer, cudaGraphNodeParams, free.dptr);
    SIZE_OF(EdgeData, cudaGraphEdgeData);
    FIELD(EdgeData, type, cudaGraphEdgeData, type);
    SIZE_OF(InstantiateParameters, cudaGraphInstantiateParams);
    FIELD(InstantiateParameters, upload_stream, cudaGraphInstantiateParams, uploadStream);
    FIELD(InstantiateParameters, error_node, cudaGraphInstantiateParams, errNode_out);
    FIELD(InstantiateParameters, result, cudaGraphInstantiateParams, result_out);
    SIZE_OF(UpdateInfo, cudaGraphExecUpdateResultInfo);
    FIELD(UpdateInfo, error_node, cudaGraphExecUpdateResultInfo, errorNode);
    FIELD(UpdateInfo, error_from_node, cudaGraphExecUpdateResultInfo, errorFromNode);
    compare("cudaGraphNodeTypeMemFree", NODE_RELEASE, cudaGraphNodeTypeMemFree);
    compare("cudaGraphNodeTypeConditional", NODE_CONDITIONAL, cudaGraphNodeTypeConditional);
}

// Walks properties.def as src/rt/cudart/properties.c does: each field behind the last one, at its natural
// alignment.
static size_t place(size_t *offset, size_t size)
{
    *offset = (*offset + size - 1) / size * size;
    const size_t at = *offset;
    *offset += size;
    return at;
}

#define IS_THERE(type, field) \
    compare("offset of cudaDeviceProp." #field, place(&offset, sizeof(type)),     \
            offsetof(cudaDeviceProp, field));
#define IS_NOT_THERE(type, field)

// By the first and the last major version that has the field.
#define FIELD_11_13 IS_THERE
#if CUDART_MAJOR >= 13
#define FIELD_13_13 IS_THERE
#define FIELD_11_12 IS_NOT_THERE
#else
#define FIELD_13_13 IS_NOT_THERE
#define FIELD_11_12 IS_THERE
#endif
#if CUDART_MAJOR >= 12
#define FIELD_12_13 IS_THERE
#else
#define FIELD_12_13 IS_NOT_THERE
#endif

static void check_properties()
{
    typedef int INT;
    typedef size_t SIZE;
    const size_t reserved = CUDART_MAJOR == 13 ? 56 : CUDART_MAJOR == 12 ? 63 : 0;
    size_t offset = 288;
    compare("offset of totalGlobalMem", offset, offsetof(cudaDeviceProp, totalGlobalMem));
    offset += sizeof(size_t);
#define PROPERTY(type, field, attribute, first, last) FIELD_##first##_##last(type, field)
#include "rt/cudart/properties.def"
#undef PROPERTY
    compare("size of cudaDeviceProp", (offset + reserved * sizeof(int) + 7) / 8 * 8, sizeof(cudaDeviceProp));
}

int main()
{
    check_boxes();
    check_memory();
    check_launches_and_graphs();
    check_properties();
    puts(differences ? "DIFFERENT" : "PASS");
    return differences != 0;
}
