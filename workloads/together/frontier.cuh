/* Problems whose tasks are found by running: a level is a list of items, and what is done with an item makes
 * items of the next level. FRONTIER(name) makes their kernels, one for each mechanism, of a class Problem with
 *
 *   Item                                    unsigned or uint4
 *   LEAST                                   items that are so wide or wider are launched
 *   RECURSIVE                               what a launch makes is launched, not listed for the next level
 *   unsigned fixed()                        items 0 to fixed() - 1 of every level; 0: they are listed
 *   unsigned width(Item)                    parts of an item, which can be done apart
 *   void work(Item, unsigned begin, unsigned end, unsigned step, int level, Made made)    does every
 *                                           so-manyth part, by one thread; calls made(Item) for new items
 *
 * Where nothing is launched, the lanes of a warp share items that are as wide as a warp, as the flat kernels
 * of the DTBL paper do [DTBL §5.1].
 *
 * What other blocks may have written is read past the L1 cache. */
#ifndef TOGETHER_FRONTIER_CUH
#define TOGETHER_FRONTIER_CUH

#include "../common/parameters.cuh"

constexpr unsigned THREADS = 256, CHILD = 32;
enum Mode { CDP, DTBL };

/* As the host has it. Invariant: lists[level % 2] has counts[level] items of that level. */
template <class Item> struct Levels {
    Item *lists[2];
    unsigned *counts;
    int levels; /* of problems with fixed items, and of others the most that there may be */

    __device__ void add(Item item, int level) const
    {
        lists[level % 2][atomicAdd(&counts[level], 1)] = item;
    }
};

template <class P> using LevelsOf = Levels<typename P::Item>;
/* A kernel that does the parts of one item. */
template <class P> using Child = void (*)(P, LevelsOf<P>, typename P::Item, int);

template <class P> __device__ __forceinline__ unsigned count_of(P p, LevelsOf<P> levels, int level)
{
    return p.fixed() ? (level < levels.levels ? p.fixed() : 0) : __ldcg(&levels.counts[level]);
}

template <class Item> __device__ __forceinline__ Item item_at(const Item *list, unsigned index)
{
    return __ldcg(&list[index]);
}
__device__ __forceinline__ void item_of(unsigned index, unsigned &item) { item = index; }
__device__ __forceinline__ void item_of(unsigned, uint4 &) {}

template <class P>
__device__ __forceinline__ typename P::Item find_item(P p, LevelsOf<P> levels, int level,
                                                      unsigned index)
{
    typename P::Item item;
    if (p.fixed())
        item_of(index, item);
    else
        item = item_at(levels.lists[level % 2], index);
    return item;
}

/* Every thread that calls launches a thread for each part of the item. */
template <Mode mode, class P>
__device__ __forceinline__ void launch_item(Child<P> kernel,
                                            P p, LevelsOf<P> levels, typename P::Item item,
                                            int level)
{
    wb_stream stream = WB_STREAM_BLOCK;
    if (mode == CDP && wb_stream_create(&stream) != 0)
        __trap();
    char *buffer =
        (char *)wb_get_parameter_buffer(16, parameter_end<P, LevelsOf<P>, typename P::Item, int>(0));
    if (!buffer)
        __trap();
    put_parameters(buffer, 0, p, levels, item, level);
    const dim3 blocks((p.width(item) + CHILD - 1) / CHILD), threads(CHILD);
    const int error = mode == CDP ? wb_launch_device((const void *)kernel, buffer, blocks, threads, 0, stream)
                                  : wb_launch_agg_group((const void *)kernel, buffer, blocks, threads, 0);
    if (error != 0)
        __trap();
}

template <class P>
__device__ __forceinline__ void do_item(P p, LevelsOf<P> levels, typename P::Item item, int level)
{
    p.work(item, 0, p.width(item), 1, level, [=](typename P::Item made) { levels.add(made, level + 1); });
}

template <Mode mode, class P>
__device__ __forceinline__ void
do_or_launch(Child<P> kernel, P p,
             LevelsOf<P> levels, typename P::Item item, int level)
{
    if (p.width(item) >= P::LEAST)
        launch_item<mode>(kernel, p, levels, item, level);
    else
        do_item(p, levels, item, level);
}

/* A level, a thread for each of its items, which launches those that are wide. */
template <Mode mode, class P>
__device__ __forceinline__ void launch_level(Child<P> kernel,
                                             P p, LevelsOf<P> levels, int level, unsigned count)
{
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS)
        do_or_launch<mode>(kernel, p, levels, find_item(p, levels, level, i), level);
}

__device__ __forceinline__ unsigned take_from(unsigned item, int lane)
{
    return __shfl_sync(~0u, item, lane);
}
__device__ __forceinline__ uint4 take_from(uint4 item, int lane)
{
    return make_uint4(take_from(item.x, lane), take_from(item.y, lane), take_from(item.z, lane),
                      take_from(item.w, lane));
}

/* The item of that number of the level, if there is one. All lanes of a warp call together. */
template <class P>
__device__ __forceinline__ void do_shared(P p, LevelsOf<P> levels, int level, unsigned index,
                                          unsigned count)
{
    typename P::Item item = {};
    unsigned width = 0;
    if (index < count) {
        item = find_item(p, levels, level, index);
        width = p.width(item);
    }
    for (unsigned wide = __ballot_sync(~0u, width >= CHILD); wide; wide &= wide - 1) {
        const int owner = __ffs(wide) - 1;
        p.work(take_from(item, owner), threadIdx.x % CHILD, take_from(width, owner), CHILD, level,
               [=](typename P::Item made) { levels.add(made, level + 1); });
    }
    if (width && width < CHILD)
        do_item(p, levels, item, level);
}

/* A level, a thread for each of its items. */
template <class P>
__device__ __forceinline__ void do_level(P p, LevelsOf<P> levels, int level, unsigned count)
{
    for (unsigned first = blockIdx.x * THREADS; first < count; first += gridDim.x * THREADS)
        do_shared(p, levels, level, first + threadIdx.x, count);
}

/* One part of an item. */
template <Mode mode, class P>
__device__ __forceinline__ void do_part(Child<P> kernel, P p,
                                        LevelsOf<P> levels, typename P::Item item, int level)
{
    const unsigned part = blockIdx.x * CHILD + threadIdx.x;
    if (part >= p.width(item))
        return;
    p.work(item, part, part + 1, 1, level, [=](typename P::Item made) {
        if (P::RECURSIVE)
            do_or_launch<mode>(kernel, p, levels, made, level + 1);
        else
            levels.add(made, level + 1);
    });
}

#define LEVELS Levels<Problem::Item>
#define FRONTIER(name)                                                                                       \
    extern "C" __global__ void name##_child_cdp(Problem p, LEVELS levels, Problem::Item item, int level)     \
    {                                                                                                        \
        do_part<CDP>(name##_child_cdp, p, levels, item, level);                                              \
    }                                                                                                        \
    extern "C" __global__ void name##_child_dtbl(Problem p, LEVELS levels, Problem::Item item, int level)    \
    {                                                                                                        \
        do_part<DTBL>(name##_child_dtbl, p, levels, item, level);                                            \
    }                                                                                                        \
    extern "C" __global__ void name##_host(Problem p, LEVELS levels, int level, unsigned count)              \
    {                                                                                                        \
        do_level(p, levels, level, count);                                                                   \
    }                                                                                                        \
    extern "C" __global__ void name##_cdp(Problem p, LEVELS levels, int level, unsigned count)               \
    {                                                                                                        \
        launch_level<CDP>(name##_child_cdp, p, levels, level, count);                                        \
    }                                                                                                        \
    extern "C" __global__ void name##_dtbl(Problem p, LEVELS levels, int level, unsigned count)              \
    {                                                                                                        \
        launch_level<DTBL>(name##_child_dtbl, p, levels, level, count);                                      \
    }                                                                                                        \
    /* As many blocks as fit, which meet behind each level. */                                               \
    extern "C" __global__ void __launch_bounds__(THREADS) name##_gsync(Problem p, LEVELS levels)             \
    {                                                                                                        \
        unsigned count;                                                                                      \
        for (int level = 0; (count = count_of(p, levels, level)) != 0; level++) {                            \
            do_level(p, levels, level, count);                                                               \
            wb_global_sync();                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    /* The same by an event: waits of all blocks are as many calls as it needs. */                           \
    extern "C" __global__ void __launch_bounds__(THREADS) name##_ws(Problem p, LEVELS levels)                \
    {                                                                                                        \
        unsigned count;                                                                                      \
        for (int level = 0; (count = count_of(p, levels, level)) != 0; level++) {                            \
            do_level(p, levels, level, count);                                                               \
            wb_wait(0, gridDim.x);                                                                           \
        }                                                                                                    \
    }

#endif
