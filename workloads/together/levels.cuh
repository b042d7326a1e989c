/* Problems whose tasks and dependencies are known before the launch: a task of a level needs tasks of earlier
 * levels. DAG(name, Problem, Fine) makes their kernels, one for each mechanism, of a class with
 *
 *   int levels(), in_level(int level), task_at(int level, int index)
 *   int parents(int task)                  how many there are
 *   int children(int task, int *to)        writes them, MOST_CHILDREN at most
 *   void run(int task)                     by all threads of a block of THREADS
 *   void run_alone(int task)               by one thread
 *
 * `Fine` is the same problem cut finer: its tasks are done by one lane each, in channels. What other blocks
 * may have written is read past the L1 cache. Compiled by: ../build_ptx.sh together */
#ifndef TOGETHER_LEVELS_CUH
#define TOGETHER_LEVELS_CUH

#include "../common/parameters.cuh"

constexpr int SIDE = 16, THREADS = SIDE * SIDE, MOST_CHILDREN = 5;

template <typename... Parameters>
__device__ __forceinline__ void launch_group(void (*kernel)(Parameters...), Parameters... parameters)
{
    char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<Parameters...>(0));
    if (!buffer)
        __trap();
    put_parameters(buffer, 0, parameters...);
    if (wb_launch_agg_group((const void *)kernel, buffer, dim3(1), dim3(THREADS), 0) != 0)
        __trap();
}

/* One thread launches a kernel for each level, and waits for it. */
template <class P> __device__ __forceinline__ void launch_levels(void (*kernel)(P, int), P p)
{
#pragma unroll 1
    for (int level = 0; level < p.levels(); level++) {
        char *buffer = (char *)wb_get_parameter_buffer(8, parameter_end<P, int>(0));
        if (!buffer)
            __trap();
        put_parameters(buffer, 0, p, level);
        if (wb_launch_device((const void *)kernel, buffer, dim3(p.in_level(level)), dim3(THREADS), 0,
                             WB_STREAM_BLOCK) != 0 ||
            wb_device_sync() != 0)
            __trap();
    }
}

/* As many blocks as the widest level has tasks. */
template <class P> __device__ __forceinline__ void meet_levels(P p)
{
#pragma unroll 1
    for (int level = 0; level < p.levels(); level++) {
        if ((int)blockIdx.x < p.in_level(level))
            p.run(p.task_at(level, blockIdx.x));
        if (level + 1 < p.levels())
            wb_global_sync();
    }
}

/* The block waits for its parents; waits and signals of an event are its parents and itself. */
template <class P> __device__ __forceinline__ void wait_and_signal(P p)
{
    int to[MOST_CHILDREN];
    const int task = blockIdx.x;
    if (p.parents(task))
        wb_wait(task, p.parents(task) + 1);
    p.run(task);
    const int count = p.children(task, to);
#pragma unroll 1
    for (int i = 0; i < count; i++)
        wb_signal(to[i], p.parents(to[i]) + 1);
}

/* Whether this was the last parent that the task needs. */
template <class P> __device__ __forceinline__ bool arrive(P p, unsigned *arrived, int task)
{
    return (int)atomicAdd(&arrived[task], 1) + 1 == p.parents(task);
}

/* The block that was the last parent of a task launches it. */
template <class P>
__device__ __forceinline__ void run_and_launch(void (*kernel)(P, unsigned *, int), P p, unsigned *arrived,
                                               int first)
{
    int to[MOST_CHILDREN];
    const int task = first + blockIdx.x;
    p.run(task);
    __threadfence();
    __syncthreads();
    if (threadIdx.x)
        return;
    const int count = p.children(task, to);
#pragma unroll 1
    for (int i = 0; i < count; i++)
        if (arrive(p, arrived, to[i])) {
            __threadfence();
            launch_group(kernel, p, arrived, to[i]);
        }
}

/* The same for a lane and its channel. */
template <class P> __device__ __forceinline__ void run_and_enqueue(P p, unsigned *arrived)
{
    int to[MOST_CHILDREN];
    const unsigned channel = wb_source(), offset = wb_source_offset();
    const int *element = deq(channel, offset);
    const int task = *element;
    p.run_alone(task);
    __threadfence();
    const int count = p.children(task, to);
#pragma unroll 1 /* one talloc() in the code: it is long */
    for (int i = 0; i < count; i++)
        if (arrive(p, arrived, to[i])) {
            __threadfence();
            int *next = talloc(channel, 1);
            *next = to[i];
            enq_n(channel, next, 1);
        }
    tfree(channel, offset);
}

#define DAG(name, Problem, Fine)                                                                             \
    extern "C" __global__ void __launch_bounds__(THREADS) name##_level(Problem p, int level)                 \
    {                                                                                                        \
        p.run(p.task_at(level, blockIdx.x));                                                                 \
    }                                                                                                        \
    extern "C" __global__ void name##_nested(Problem p) { launch_levels(name##_level, p); }                  \
    extern "C" __global__ void __launch_bounds__(THREADS) name##_task(Problem p) { p.run(blockIdx.x); }      \
    extern "C" __global__ void __launch_bounds__(THREADS) name##_gsync(Problem p) { meet_levels(p); }        \
    extern "C" __global__ void __launch_bounds__(THREADS) name##_ws(Problem p) { wait_and_signal(p); }       \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                    \
        name##_dtbl(Problem p, unsigned *arrived, int first)                                                 \
    {                                                                                                        \
        run_and_launch(name##_dtbl, p, arrived, first);                                                      \
    }                                                                                                        \
    extern "C" __global__ void name##_flow(Fine p, unsigned *arrived) { run_and_enqueue(p, arrived); }

#endif
