/* The kernels' common part: barriers between all blocks of a launch, by what GPUs have and by global sync.
 *
 * A kernel is a template over its mode; a kernel of each mode gets its name, as sync_kernel() has it, by
 *
 *     KERNEL(stencil2d, gsync, GSYNC, (float *from, float *to), (from, to))
 *
 * which makes stencil2d_gsync of `template <Mode mode> __device__ void stencil2d(...)`.
 * Compiled by: ../build_ptx.sh sync
 *
 * Barriers of MUTEX and FLAGS poll, and need all blocks of the launch on the GPU at once: with more blocks
 * than fit they never end [sync-thesis §3.1.2]. What other blocks have written is read past the L1 cache,
 * which does not see their writes: __ldcg(). */
#ifndef SYNC_BARRIERS_CUH
#define SYNC_BARRIERS_CUH

#include "../common/parameters.cuh"

/* What a source sets before it includes this: __launch_bounds__ of its kernels. */
#ifndef KERNEL_BOUNDS
#define KERNEL_BOUNDS
#endif

enum Mode {
    REKL,
    DP,
    DP_LEVELS,
    MUTEX,
    FLAGS,
    FLAGS_WS,
    PT_NEIGHBOUR,
    PT_INTERLEAVED,
    PT_QUEUE,
    PEERWAVE,
    GSYNC,
    WS,
    WS_ORDER
};

#define KERNEL(name, suffix, mode, parameters, arguments)                                                    \
    extern "C" __global__ void KERNEL_BOUNDS name##_##suffix parameters { name<mode> arguments; }

__device__ __forceinline__ unsigned block_rank()
{
    return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}
__device__ __forceinline__ unsigned block_count() { return gridDim.x * gridDim.y * gridDim.z; }
__device__ __forceinline__ unsigned thread_rank()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ unsigned thread_count() { return blockDim.x * blockDim.y * blockDim.z; }

__device__ __forceinline__ unsigned poll(const unsigned *at) { return *(const volatile unsigned *)at; }

/* Memory of one launch's barriers, zeroed before: a count, a flag in and a flag out for each block
 * (sync_barrier()). The `turn`s of barriers of a launch are 1, 2, 3 and so on. */
struct Barrier {
    unsigned *memory;

    __device__ unsigned *count() const { return memory; }
    __device__ unsigned *in() const { return memory + 1; }
    __device__ unsigned *out() const { return memory + 1 + block_count(); }
};

/* Xiao and Feng, Inter-Block GPU Communication via Fast Barrier Synchronization, 2010, section 5.1. */
__device__ __forceinline__ void mutex_barrier(Barrier barrier, unsigned turn)
{
    __threadfence();
    __syncthreads();
    if (thread_rank() == 0) {
        atomicAdd(barrier.count(), 1);
        while (poll(barrier.count()) < turn * block_count()) {
        }
        __threadfence();
    }
    __syncthreads();
}

/* The same, section 5.3: blocks raise their flags in, the first block sees them all and raises the flags
 * out. */
__device__ __forceinline__ void flags_barrier(Barrier barrier, unsigned turn)
{
    __threadfence();
    __syncthreads();
    if (thread_rank() == 0)
        *(volatile unsigned *)&barrier.in()[block_rank()] = turn;
    if (block_rank() == 0) {
        for (unsigned i = thread_rank(); i < block_count(); i += thread_count())
            while (poll(&barrier.in()[i]) < turn) {
            }
        __syncthreads();
        for (unsigned i = thread_rank(); i < block_count(); i += thread_count())
            *(volatile unsigned *)&barrier.out()[i] = turn;
    }
    if (thread_rank() == 0) {
        while (poll(&barrier.out()[block_rank()]) < turn) {
        }
        __threadfence();
    }
    __syncthreads();
}

/* Persistent threads use the flags. */
template <Mode mode> __device__ __forceinline__ void grid_barrier(Barrier barrier, unsigned turn)
{
    if (mode == GSYNC)
        wb_global_sync();
    else if (mode == MUTEX)
        mutex_barrier(barrier, turn);
    else
        flags_barrier(barrier, turn);
}

/* Launches a kernel from the device and waits for it, by one thread of a launch of one. Nothing is lost
 * silently: a launch that is refused ends the run. */
template <typename... Parameters>
__device__ __forceinline__ void launch_and_wait(void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                                                Parameters... parameters)
{
    char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<Parameters...>(0));
    if (!buffer)
        __trap();
    put_parameters(buffer, 0, parameters...);
    if (wb_launch_device((const void *)kernel, buffer, blocks, threads, 0, WB_STREAM_BLOCK) != 0 ||
        wb_device_sync() != 0)
        __trap();
}

/* All that the block has written is seen by who sees the number. */
__device__ __forceinline__ void raise(unsigned *flag, unsigned number)
{
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *(volatile unsigned *)flag = number;
}

#endif
