/* How many blocks of a function an SM holds at once, and which block size fills it best. */
#include "rt/device.h"
#include "rt/libcuda/function.h"
#include "rt/libcuda/libcuda.h"

enum { DISABLE_CACHING_OVERRIDE = 1 }; /* the only flag; the L1 cache has no say in occupancy here */
/* Numbers of CUdevice_attribute. */
enum { WARP_SIZE = 10, SM_COUNT = 16, MAX_THREADS_PER_SM = 39 };

typedef size_t SharedOfBlock(int threads); /* CUoccupancyB2DSize */

static RtError check_flags(unsigned flags)
{
    return flags <= DISABLE_CACHING_OVERRIDE ? RT_SUCCESS
                                             : rt_fail(RT_INVALID_VALUE, "%u are no flags.", flags);
}

static RtError max_blocks(int *blocks, void *handle, int threads, size_t shared, unsigned flags)
{
    NEED(blocks);
    RtFunction *function = NULL;
    RtError error = check_flags(flags);
    if (!error)
        error = libcuda_function(handle, &function);
    return error ? error : rt_function_occupancy(function, threads, shared, blocks);
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads,
                                                       size_t shared)
{
    return LIBCUDA(max_blocks(blocks, function, threads, shared, 0));
}

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function, int threads,
                                                                size_t shared, unsigned flags)
{
    return LIBCUDA(max_blocks(blocks, function, threads, shared, flags));
}

/* The block size, of whole warps and at most `limit` threads, with the most resident threads; the largest of
 * equal ones. */
static RtError find_block_size(RtFunction *function, SharedOfBlock *shared_of, size_t shared, int limit,
                               int *threads, int *blocks)
{
    const int warp = rt_device_value(WARP_SIZE), enough = rt_device_value(MAX_THREADS_PER_SM);
    RtError error = RT_SUCCESS;
    *threads = *blocks = 0;
    for (int tried = limit; tried > 0 && *threads * *blocks < enough; tried = (tried - 1) / warp * warp) {
        int fitting;
        error = rt_function_occupancy(function, tried, shared_of ? shared_of(tried) : shared, &fitting);
        if (error)
            break;
        if (fitting * tried > *threads * *blocks) {
            *threads = tried;
            *blocks = fitting;
        }
    }
    return error;
}

static RtError potential_block_size(int *grid, int *block, void *handle, SharedOfBlock *shared_of,
                                    size_t shared, int limit, unsigned flags)
{
    NEED(grid);
    NEED(block);
    RtFunction *function = NULL;
    WbKernelInfo info;
    int blocks;
    RtError error = check_flags(flags);
    if (!error)
        error = libcuda_function(handle, &function);
    if (!error)
        error = rt_function_info(function, &info);
    if (error)
        return error;
    const int most = (int)info.max_threads;
    error = find_block_size(function, shared_of, shared, limit > 0 && limit < most ? limit : most, block,
                            &blocks);
    *grid = blocks * rt_device_value(SM_COUNT);
    return error;
}

EXPORT int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, SharedOfBlock *shared_of,
                                            size_t shared, int limit)
{
    return LIBCUDA(potential_block_size(grid, block, function, shared_of, shared, limit, 0));
}

EXPORT int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *function,
                                                     SharedOfBlock *shared_of, size_t shared, int limit,
                                                     unsigned flags)
{
    return LIBCUDA(potential_block_size(grid, block, function, shared_of, shared, limit, flags));
}

static RtError available_shared(size_t *bytes, void *handle, int blocks, int threads)
{
    NEED(bytes);
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    return error ? error : rt_function_available_shared(function, blocks, threads, bytes);
}

EXPORT int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks, int threads)
{
    return LIBCUDA(available_shared(bytes, function, blocks, threads));
}
