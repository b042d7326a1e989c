/* Searches over a graph from one source, in rounds [sync-thesis §4.5.1.2, §6.1.2]: a vertex of the frontier
 * looks at its neighbours and puts those into the next frontier whose values it improves. A thread has one
 * vertex or a few, a block has vertices side by side, and their numbers are by chance.
 *
 * What a search computes is a class `Cells` with
 *   bool begins(vertex, round)                       whether the vertex is in that round's frontier
 *   unsigned value(vertex)
 *   bool relax(value, weights, edge, to, round)      whether the neighbour is in the next one
 *
 * How rounds follow each other is the mode; the macros at the end make a kernel for each. */
#ifndef SYNC_SEARCH_CUH
#define SYNC_SEARCH_CUH

#include "barriers.cuh"

constexpr unsigned BLOCK = 512, WARP = 32; /* as the host has it [§6.4.2] */

/* As the host has it. */
struct Neighbours {
    const unsigned *starts, *columns, *weights;
    unsigned vertices;
    unsigned shift; /* a block has 1 << shift vertices, a multiple of BLOCK */
};

/* Calls found(to) for each neighbour that comes into the next frontier. */
template <class Cells, class Found>
__device__ __forceinline__ void expand(const Neighbours &graph, const Cells &cells, unsigned from,
                                       unsigned round, Found found)
{
    const unsigned value = cells.value(from), end = graph.starts[from + 1];
    for (unsigned edge = graph.starts[from]; edge < end; edge++) {
        const unsigned to = graph.columns[edge];
        if (cells.relax(value, graph.weights, edge, to, round))
            found(to);
    }
}

/* Calls visit(vertex) for the thread's vertices of the frontier. */
template <class Cells, class Visit>
__device__ __forceinline__ void each_of_frontier(const Neighbours &graph, const Cells &cells, unsigned round,
                                                 Visit visit)
{
    const unsigned end = min((blockIdx.x + 1) << graph.shift, graph.vertices);
    for (unsigned vertex = (blockIdx.x << graph.shift) + threadIdx.x; vertex < end; vertex += BLOCK)
        if (cells.begins(vertex, round))
            visit(vertex);
}

template <class Cells>
__device__ __forceinline__ void search_round(const Neighbours &graph, const Cells &cells, unsigned round,
                                             unsigned *found)
{
    each_of_frontier(graph, cells, round, [&](unsigned vertex) {
        expand(graph, cells, vertex, round, [&](unsigned) { *found = 1; });
    });
}

/* ---- dynamic parallelism ---- */

/* A kernel for each vertex of the frontier, "which tends to overly launch kernels", in a stream each; the
 * block then waits for them. Nothing is lost silently: a launch that is refused ends the run. */
template <class Cells>
__device__ __forceinline__ void search_nested(void (*child)(Neighbours, Cells, unsigned, unsigned, unsigned *),
                                              const Neighbours &graph, const Cells &cells, unsigned round,
                                              unsigned *found)
{
    each_of_frontier(graph, cells, round, [&](unsigned vertex) {
        wb_stream stream;
        if (wb_stream_create(&stream) != 0)
            __trap();
        char *buffer = (char *)wb_get_parameter_buffer(
            8, parameter_end<Neighbours, Cells, unsigned, unsigned, unsigned *>(0));
        if (!buffer)
            __trap();
        put_parameters(buffer, 0, graph, cells, vertex, round, found);
        if (wb_launch_device((const void *)child, buffer, dim3(1), dim3(WARP), 0, stream) != 0)
            __trap();
    });
    if (wb_device_sync() != 0)
        __trap();
}

/* The neighbours of one vertex, a thread each. */
template <class Cells>
__device__ __forceinline__ void search_vertex(const Neighbours &graph, const Cells &cells, unsigned from,
                                              unsigned round, unsigned *found)
{
    const unsigned value = cells.value(from), end = graph.starts[from + 1];
    for (unsigned edge = graph.starts[from] + threadIdx.x; edge < end; edge += WARP)
        if (cells.relax(value, graph.weights, edge, graph.columns[edge], round))
            *found = 1;
}

/* One thread that launches round after round, as the host does in the mode REKL. */
template <class Cells>
__device__ __forceinline__ void search_levels(void (*kernel)(Neighbours, Cells, unsigned, unsigned *),
                                              const Neighbours &graph, const Cells &cells, unsigned *found)
{
    const unsigned blocks = (graph.vertices + (1u << graph.shift) - 1) >> graph.shift;
#pragma unroll 1
    for (unsigned round = 0, more = 1; more; round++) {
        *(volatile unsigned *)found = 0;
        launch_and_wait(kernel, dim3(blocks), dim3(BLOCK), graph, cells, round, found);
        more = poll(found);
    }
}

/* ---- a barrier of all blocks between rounds, and the check for the end in the kernel ---- */

/* `found` has three words, zeroed before, of which rounds use one after the other. That of round r is read
 * between the barriers of rounds r and r + 1 and cleared behind the latter; round r + 3, which writes to it
 * again, begins behind one more. */
template <Mode mode, class Cells>
__device__ __forceinline__ void search_barriers(const Neighbours &graph, const Cells &cells, unsigned *found,
                                                Barrier barrier)
{
    for (unsigned round = 0;; round++) {
        search_round(graph, cells, round, &found[round % 3]);
        if (mode == GSYNC)
            wb_global_sync();
        else
            grid_barrier<mode>(barrier, round + 1);
        if (!poll(&found[round % 3]))
            return;
        if (blockIdx.x == 0 && threadIdx.x == 0)
            *(volatile unsigned *)&found[(round + 2) % 3] = 0;
    }
}

/* ---- only blocks with vertices in the frontier are awake [fig. 38] ---- */

/* Words of one launch. `left` begins with 1, since the block of the source is at work; all others are 0. */
struct Waking {
    unsigned *left;  /* blocks of the frontier that have not finished their part */
    unsigned *round; /* of the frontier */
    unsigned *over;  /* nothing was found any more */
    unsigned *marks; /* of each block: it has vertices in the next frontier */
    unsigned *calls; /* of each block, for FLAGS_WS: it is called, which it polls and takes back */
};

template <Mode mode> __device__ __forceinline__ void sleep(const Waking &waking)
{
    if (mode == WS) {
        wb_wait(blockIdx.x, 2);
    } else {
        if (threadIdx.x == 0) {
            while (!poll(&waking.calls[blockIdx.x])) {
            }
            *(volatile unsigned *)&waking.calls[blockIdx.x] = 0;
            __threadfence();
        }
        __syncthreads();
    }
}

template <Mode mode> __device__ __forceinline__ void call(const Waking &waking, unsigned block)
{
    if (mode == WS) {
        wb_signal_each(block, 2);
    } else {
        __threadfence();
        *(volatile unsigned *)&waking.calls[block] = 1;
    }
}

/* Whether the block is the last of its frontier to finish. */
__device__ __forceinline__ bool finish_last(const Waking &waking)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicSub(waking.left, 1) == 1;
    __syncthreads();
    return last;
}

/* By the last block of a frontier: calls those of the next, or all if there is none. Whether there is one. */
template <Mode mode> __device__ __forceinline__ bool call_next(const Waking &waking, unsigned round)
{
    __shared__ unsigned marked;
    if (threadIdx.x == 0)
        marked = 0;
    __syncthreads();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += BLOCK)
        if (poll(&waking.marks[block]))
            atomicAdd(&marked, 1);
    __syncthreads();
    const bool more = marked != 0;
    if (threadIdx.x == 0) {
        *(volatile unsigned *)waking.left = marked;
        *(volatile unsigned *)waking.round = round + 1;
        *(volatile unsigned *)waking.over = !more;
        __threadfence();
    }
    __syncthreads();
    for (unsigned block = threadIdx.x; block < gridDim.x; block += BLOCK)
        if (more ? poll(&waking.marks[block]) != 0 : block != blockIdx.x) {
            *(volatile unsigned *)&waking.marks[block] = 0;
            call<mode>(waking, block);
        }
    return more;
}

template <Mode mode, class Cells>
__device__ __forceinline__ void search_awake(const Neighbours &graph, const Cells &cells, unsigned source,
                                             const Waking &waking)
{
    if (blockIdx.x != source >> graph.shift)
        sleep<mode>(waking);
    while (!poll(waking.over)) {
        const unsigned round = poll(waking.round);
        each_of_frontier(graph, cells, round, [&](unsigned vertex) {
            expand(graph, cells, vertex, round, [&](unsigned to) { waking.marks[to >> graph.shift] = 1; });
        });
        if (finish_last(waking) && !call_next<mode>(waking, round))
            return;
        sleep<mode>(waking);
    }
}

/* name_rekl, name_dp_levels, name_flags_ws and name_ws. */
#define SEARCH(name, Cells)                                                                                  \
    extern "C" __global__ void __launch_bounds__(BLOCK, 4)                                                   \
        name##_rekl(Neighbours graph, Cells cells, unsigned round, unsigned *found)                          \
    {                                                                                                        \
        search_round(graph, cells, round, found);                                                            \
    }                                                                                                        \
    extern "C" __global__ void name##_dp_levels(Neighbours graph, Cells cells, unsigned *found)              \
    {                                                                                                        \
        search_levels(name##_rekl, graph, cells, found);                                                     \
    }                                                                                                        \
    SEARCH_AWAKE(name, flags_ws, FLAGS_WS, Cells)                                                            \
    SEARCH_AWAKE(name, ws, WS, Cells)

#define SEARCH_AWAKE(name, suffix, mode, Cells)                                                              \
    extern "C" __global__ void __launch_bounds__(BLOCK, 4)                                                   \
        name##_##suffix(Neighbours graph, Cells cells, unsigned source, Waking waking)                       \
    {                                                                                                        \
        search_awake<mode>(graph, cells, source, waking);                                                    \
    }

/* name_dp, and name_child that it launches. */
#define SEARCH_NESTED(name, Cells)                                                                           \
    extern "C" __global__ void name##_child(Neighbours graph, Cells cells, unsigned from, unsigned round,    \
                                            unsigned *found)                                                 \
    {                                                                                                        \
        search_vertex(graph, cells, from, round, found);                                                     \
    }                                                                                                        \
    extern "C" __global__ void __launch_bounds__(BLOCK, 4)                                                   \
        name##_dp(Neighbours graph, Cells cells, unsigned round, unsigned *found)                            \
    {                                                                                                        \
        search_nested(name##_child, graph, cells, round, found);                                             \
    }

/* name_suffix, for MUTEX, FLAGS and GSYNC. */
#define SEARCH_BARRIERS(name, suffix, mode, Cells)                                                           \
    extern "C" __global__ void __launch_bounds__(BLOCK, 4)                                                   \
        name##_##suffix(Neighbours graph, Cells cells, unsigned *found, Barrier barrier)                     \
    {                                                                                                        \
        search_barriers<mode>(graph, cells, found, barrier);                                                 \
    }

#endif
