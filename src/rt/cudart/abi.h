/* Structures that CUDA programs pass by pointer or by value: the layouts are CUDA's, the names are ours.
 * tests/cuda/abi.cu compares them with CUDA's headers. */
#ifndef CUDART_ABI_H
#define CUDART_ABI_H

#include <stddef.h>

/* Layout of cudaExtent: bytes, or elements where an array takes part; rows; slices. */
typedef struct Extent { size_t width, height, depth; } Extent;
/* Layout of cudaPos. */
typedef struct Position { size_t x, y, z; } Position;
/* Layout of cudaPitchedPtr. */
typedef struct PitchedPointer { void *pointer; size_t pitch, width, height; } PitchedPointer;

/* Layout of cudaMemcpy3DParms. */
typedef struct BoxCopy {
    void *source_array;
    Position source_position;
    PitchedPointer source;
    void *destination_array;
    Position destination_position;
    PitchedPointer destination;
    Extent extent;
    int kind;
} BoxCopy;

/* Layout of cudaMemcpy3DPeerParms. */
typedef struct PeerCopy {
    void *source_array;
    Position source_position;
    PitchedPointer source;
    int source_device;
    void *destination_array;
    Position destination_position;
    PitchedPointer destination;
    int destination_device;
    Extent extent;
} PeerCopy;

/* Layout of cudaPointerAttributes; the reserved words came with CUDA 13. */
typedef struct PointerAttributes {
    int type, device;
    void *device_pointer, *host_pointer;
#if CUDART_MAJOR >= 13
    long reserved[8];
#endif
} PointerAttributes;

/* Layout of cudaMemLocation. */
enum { LOCATION_DEVICE = 1, LOCATION_HOST, LOCATION_NUMA, LOCATION_THIS_NUMA };
typedef struct Location { int type, id; } Location;
/* Layout of cudaMemAccessDesc; `flags`: 0 none, 1 read, 3 read and write. */
typedef struct AccessDescription { Location location; int flags; } AccessDescription;
/* Layout of cudaMemPoolProps. */
typedef struct PoolProperties {
    int allocation_type, handle_types;
    Location location;
    void *security_attributes;
    size_t maximum_bytes;
    unsigned char reserved[56];
} PoolProperties;

/* Layout of cudaChannelFormatDesc: bits of each channel, and what they are (0 signed, 1 unsigned, 2
 * float). */
typedef struct ChannelFormat { int x, y, z, w, kind; } ChannelFormat;
/* Layout of cudaArrayMemoryRequirements. */
typedef struct ArrayRequirements { size_t size, alignment; unsigned reserved[4]; } ArrayRequirements;

/* Layout of cudaIpcMemHandle_t, cudaIpcEventHandle_t and cudaMemPoolPtrExportData. */
typedef struct Exported { char bytes[64]; } Exported;

#endif
