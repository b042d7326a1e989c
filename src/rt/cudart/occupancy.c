/* How many blocks of a kernel an SM holds at once, by the same rules by which blocks are dispatched. */
#include "rt/cudart/cudart.h"

#include "rt/module.h"

enum { DISABLE_CACHING_OVERRIDE = 1 }; /* the only flag; the L1 cache has no say in occupancy here */

static RtError max_blocks(int *blocks, const void *kernel, int threads, size_t shared, unsigned flags)
{
    RtFunction *function;
    if (!blocks || flags > DISABLE_CACHING_OVERRIDE)
        return rt_fail(RT_INVALID_VALUE,
                       "The place for the number of blocks is null, or the flags %u are unknown.", flags);
    RtError error = rt_host_function_find(kernel, &function);
    return error ? error : rt_function_occupancy(function, threads, shared, blocks);
}

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *kernel, int threads,
                                                         size_t shared)
{
    return CUDART(max_blocks(blocks, kernel, threads, shared, 0));
}

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *kernel,
                                                                  int threads, size_t shared, unsigned flags)
{
    return CUDART(max_blocks(blocks, kernel, threads, shared, flags));
}

static RtError available_shared(size_t *bytes, const void *kernel, int blocks, int threads)
{
    RtFunction *function;
    if (!bytes)
        return rt_fail(RT_INVALID_VALUE, "The place for the number of bytes is a null pointer.");
    RtError error = rt_host_function_find(kernel, &function);
    return error ? error : rt_function_available_shared(function, blocks, threads, bytes);
}

EXPORT int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *kernel, int blocks,
                                                     int threads)
{
    return CUDART(available_shared(bytes, kernel, blocks, threads));
}
