/* Memory of a CUDA program: device, host, managed; copies between all of them. */
#ifndef RT_MEMORY_H
#define RT_MEMORY_H

#include "rt/allocation.h"
#include "rt/operation.h"
#include "rt/stream.h"

/* Of size 0: success and address 0, as cudaMalloc says. */
RtError rt_memory_alloc(size_t size, uint64_t *address);
/* cudaFree: of any device memory, that of pools and managed one, too. Waits for everything before. */
RtError rt_memory_free(uint64_t address);
/* Whether the address is in memory that cudaFreeAsync has freed, which is an error of whoever uses it as
 * `what`; that of a graph may be used by its nodes. */
RtError rt_memory_check_freed(uint64_t address, const char *what);
RtError rt_memory_info(size_t *free, size_t *total);
/* Rows padded to the pitch that the GPU likes (512 bytes, as texturePitchAlignment and coalescing want). */
RtError rt_memory_alloc_pitched(size_t width, size_t height, uint64_t *address, size_t *pitch);

/* `flags` are CUDA's, kept for cudaHostGetFlags. Managed memory is freed by rt_memory_free(). */
RtError rt_host_alloc(size_t size, WbMemory memory, unsigned flags, void **pointer);
RtError rt_host_free(void *pointer);
RtError rt_host_register(void *pointer, size_t size, unsigned flags);
RtError rt_host_unregister(void *pointer);
/* The page-locked memory that a pointer points into. */
RtError rt_host_find(const void *pointer, const RtAllocation **found);
/* Frees what rt_host_alloc() gave, without checks and without waiting. */
RtError rt_host_drop(uint64_t address);

/* Where a pointer that a program passes points: into device memory, into host memory that the GPU knows,
 * or into any other host memory (is_host is set then). */
WbRegion rt_region(const void *pointer, size_t row_pitch, size_t slice_pitch);
/* Copies between regions, checked: `kind` is cudaMemcpyKind (0 host to host, 1 to the device, 2 to the host,
 * 3 on the device, 4 as the pointers say). `waits`: the call returns when the copy has happened. A copy from
 * ordinary host memory reads it at once; one into it always waits, as CUDA does. */
RtError rt_copy(const WbCopy *copy, int kind, RtStream *stream, bool waits);
/* The same checks, but for a node of a graph: only the operation is made. */
RtError rt_copy_prepare(const WbCopy *copy, int kind, RtOperation *operation);
RtError rt_fill_prepare(const WbFill *fill, RtOperation *operation);
RtError rt_copy_bytes(void *destination, const void *source, size_t size, int kind, RtStream *stream,
                      bool waits);
RtError rt_fill(const WbFill *fill, RtStream *stream, bool waits);

#endif
