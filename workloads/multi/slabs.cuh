/* What stencils have in common: data that is parted into slabs, rows of a plane or planes of a space, each
 * GPU having some that are side by side. */
#ifndef MULTI_SLABS_CUH
#define MULTI_SLABS_CUH

#include "group.cuh"

/* A GPU's slabs, and those of its neighbours next to them: the last one of the GPU above and the first of the
 * one below; null: the data ends. An iteration reads the first of two, and writes the second. */
struct Slabs {
    float *own[2];
    const float *above[2], *below[2];
    unsigned above_gpu, below_gpu;
    int count, size; /* slabs, cells of a slab or of its side */

    __device__ void swap()
    {
        float *const from = own[0];
        const float *const up = above[0], *const down = below[0];
        own[0] = own[1], above[0] = above[1], below[0] = below[1];
        own[1] = from, above[1] = up, below[1] = down;
    }
};

/* Where a GPU's first and last slab go, in the memory of the GPUs above and below that are on other nodes and
 * cannot read them; null: nowhere. Each has two places, for iterations that read the first and the second. */
struct SlabEdges {
    float *to[2][2]; /* above, below; place */
    unsigned long long bytes;
};

/* A thread's cells of the two. */
struct Halo {
    float above, below;
};

__device__ __forceinline__ float load(const float *row, int x) { return row ? __ldcg(&row[x]) : 0.0f; }

/* By two lanes, an edge each. That it is there is known when the neighbour has set its next flag: before that
 * nobody writes to these slabs, nor to the place that the neighbour reads now. */
__device__ __forceinline__ void send_edge(const SlabEdges &edges, const Slabs &slabs, unsigned place,
                                          unsigned lane)
{
    const size_t last = (size_t)(slabs.count - 1) * (edges.bytes / sizeof(float));
    if (lane < 2 && edges.to[lane][place])
        wb_put(edges.to[lane][place], slabs.own[0] + (lane ? last : 0), edges.bytes);
}

/* All iterations. With PREFETCH, threads at the edge read their cells of the halo as soon as the neighbour's
 * flag is there, while the other GPUs are still waited for. `Share`: what a thread has of the data. */
template <Mode mode, typename Share>
__device__ __forceinline__ void iterate_all(Slabs slabs, int count, const Group &group,
                                            const SlabEdges *edges)
{
    const Share share(slabs);
    const bool has_top = mode == PREFETCH && share.has_top() && slabs.above[0];
    const bool has_bottom = mode == PREFETCH && share.has_bottom(slabs.count) && slabs.below[0];
    Halo halo = {has_top ? load(slabs.above[0], share.at) : 0.0f,
                 has_bottom ? load(slabs.below[0], share.at) : 0.0f};
    for (int i = 0; i < count; i++) {
        share.iterate(slabs, mode == PREFETCH ? &halo : nullptr);
        slabs.swap();
        if (i + 1 == count)
            break;
        const auto fetch = [&] {
            if (has_top) {
                await(group, slabs.above_gpu, i + 1);
                halo.above = load(slabs.above[0], share.at);
            }
            if (has_bottom) {
                await(group, slabs.below_gpu, i + 1);
                halo.below = load(slabs.below[0], share.at);
            }
        };
        group_sync<mode, false>(group, i + 1, false, fetch, [&](unsigned lane) {
            if (mode == NETWORK)
                send_edge(*edges, slabs, (i + 1) % 2, lane);
        });
    }
}

#define SLABS_KERNEL(name, suffix, mode)                                                                     \
    extern "C" __global__ void name##_##suffix(Slabs slabs, int count, const Group *group)                   \
    {                                                                                                        \
        iterate_all<mode, Share>(slabs, count, *group, nullptr);                                             \
    }
/* One iteration, behind which the host lets GPUs meet, and all of them by one launch. */
#define SLABS_KERNELS(name)                                                                                  \
    extern "C" __global__ void name##_host(Slabs slabs) { Share(slabs).iterate(slabs, nullptr); }            \
    SLABS_KERNEL(name, flags, FLAGS)                                                                         \
    SLABS_KERNEL(name, prefetch, PREFETCH)                                                                   \
    SLABS_KERNEL(name, push, PUSH)                                                                           \
    SLABS_KERNEL(name, hardware, HARDWARE)                                                                   \
    extern "C" __global__ void name##_network(Slabs slabs, int count, const Group *group, SlabEdges edges)   \
    {                                                                                                        \
        iterate_all<NETWORK, Share>(slabs, count, *group, &edges);                                           \
    }

#endif
