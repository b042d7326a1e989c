/* Virtual memory management: physical memory that a program makes, ranges of addresses that it reserves, and
 * what is mapped where.
 *
 * Physical memory is a file in memory of the host, and addresses are the host's: the host's own page tables
 * do the mapping, so that one piece of memory can be seen at several addresses, move to others, or be handed
 * to another process. What is mapped without a gap is registered with the GPU as one range. */
#ifndef RT_VIRTUAL_H
#define RT_VIRTUAL_H

#include "rt/rt.h"

enum { RT_GRANULARITY = 2 << 20 }; /* addresses and sizes are multiples of it */

/* What CUmemGenericAllocationHandle is; RT_HANDLE_MEMORY while the program or a mapping refers to it. */
typedef struct RtPhysical {
    int device;
    int file;
    size_t size;
    unsigned handles;       /* that the program has: cuMemCreate, cuMemRetainAllocationHandle */
    unsigned mappings;
    int handle_types;       /* CUmemAllocationHandleType that it may be exported as */
    int compression;        /* CUmemAllocationCompType, where asked for and had by the GPU; no effect */
} RtPhysical;

RtError rt_physical_get(uint64_t handle, RtPhysical **physical);
RtError rt_physical_create(size_t size, int handle_types, RtPhysical **physical);
RtError rt_physical_release(RtPhysical *physical);
/* The memory that is mapped at an address, with one more handle to it. */
RtError rt_physical_at(uint64_t address, RtPhysical **physical);
/* A file descriptor that another process can import. */
RtError rt_physical_export(RtPhysical *physical, int *file);
RtError rt_physical_import(int file, RtPhysical **physical);
/* Bytes of all physical memory of the device: wb_memory_size() does not count them. */
uint64_t rt_physical_total(void);

/* `wanted`: where the range should be if that is free; 0: anywhere. */
RtError rt_virtual_reserve(size_t size, size_t alignment, uint64_t wanted, uint64_t *address);
RtError rt_virtual_free(uint64_t address, size_t size);
RtError rt_virtual_map(uint64_t address, size_t size, size_t offset, RtPhysical *physical);
RtError rt_virtual_unmap(uint64_t address, size_t size);
/* Access of the device. `access` is CUmemAccess_flags: 0 none, 1 read, 3 read and write. Kernels may
 * write what is mapped for reading. */
RtError rt_virtual_set_access(uint64_t address, size_t size, int access);
RtError rt_virtual_get_access(uint64_t address, int *access);

#endif
