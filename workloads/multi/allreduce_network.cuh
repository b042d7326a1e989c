/* All-reduce between nodes: as PUSH, but data goes to who needs it, too. To a GPU of the same node the block
 * stores it, to one of another node it is a message, and the flag one behind it. A message has elements that
 * lie side by side, so a block's do here. Sums that are passed on may be written to when the same elements
 * come back: these were made of them. */
#ifndef MULTI_ALLREDUCE_NETWORK_CUH
#define MULTI_ALLREDUCE_NETWORK_CUH

/* Of one GPU, in its memory; as the host has it. */
struct Route {
    float4 *arrivals[GPUS]; /* in each GPU's memory: [2][elements], sums that come in and are added to */
    unsigned node_gpus;     /* of a node */
};

/* What the block has of `count` elements from `at` on. */
struct Chunk {
    size_t at;
    unsigned count;

    __device__ Chunk(size_t first, unsigned all)
    {
        const unsigned each = (all + block_count() - 1) / block_count();
        const unsigned begin = min(block_rank() * each, all);
        at = first + begin;
        count = min(each, all - begin);
    }
};

/* Sends a chunk, and word that the block is so far, to the block of the same number there. */
__device__ __forceinline__ void deliver(const Reduction &reduction, const Route &route, unsigned gpu,
                                        float4 *to, const float4 *from, const Chunk &chunk, unsigned turn)
{
    unsigned *flag = reduction.inboxes[gpu] + (reduction.self * block_count() + block_rank()) * SECTOR;
    const bool is_near = gpu / route.node_gpus == reduction.self / route.node_gpus;
    if (is_near)
        for (unsigned i = thread_rank(); i < chunk.count; i += thread_count())
            __stcg(&to[chunk.at + i], __ldcg(&from[chunk.at + i]));
    __threadfence_system();
    __syncthreads();
    if (thread_rank() != 0)
        return;
    if (is_near) {
        put(flag, turn);
    } else {
        wb_put(to + chunk.at, from + chunk.at, chunk.count * sizeof *from);
        wb_signal_remote(flag, turn);
    }
}

/* to[i] = a[i] + b[i] of the chunk. */
__device__ __forceinline__ void add(float4 *to, const float4 *a, const float4 *b, const Chunk &chunk)
{
    for (unsigned i = thread_rank(); i < chunk.count; i += thread_count())
        __stcg(&to[chunk.at + i], __ldcg(&a[chunk.at + i]) + __ldcg(&b[chunk.at + i]));
    __threadfence_system();
    __syncthreads();
}

/* In a step a GPU sends the part that it has got in the one before: sums first, then what is summed up. */
extern "C" __global__ void ring_network(const Reduction *pointer, const Route *route)
{
    const Reduction &reduction = *pointer;
    const unsigned gpus = reduction.gpus, self = reduction.self, right = (self + 1) % gpus;
    const float4 *data = reduction.data[self];
    float4 *sums = reduction.sums[self];
    unsigned part = self;
    for (unsigned step = 0; step < 2 * (gpus - 1); step++) {
        const bool makes_sums = step < gpus - 1;
        const Chunk sent((size_t)part * reduction.part(), reduction.part());
        deliver(reduction, *route, right, makes_sums ? route->arrivals[right] : reduction.sums[right],
                step ? sums : data, sent, step + 1);
        part = (part + gpus - 1) % gpus;
        await<NETWORK>(reduction, step + 1, 1u << reduction.left());
        if (makes_sums)
            add(sums, data, route->arrivals[self], Chunk((size_t)part * reduction.part(), reduction.part()));
    }
}

/* Where a GPU's sums come in at its parent: two children have a place each. */
__device__ __forceinline__ float4 *place_of(const Reduction &reduction, const Route &route, unsigned child)
{
    return route.arrivals[(child - 1) / 2] + (size_t)((child - 1) % 2) * reduction.count;
}

__device__ __forceinline__ void tree_network_up(const Reduction &reduction, const Route &route,
                                                unsigned piece)
{
    const unsigned size = reduction.count / reduction.pieces, self = reduction.self;
    const Chunk chunk((size_t)piece * size, size);
    const float4 *mine = reduction.data[self];
    for (unsigned child = 2 * self + 1; child <= 2 * self + 2 && child < reduction.gpus; child++) {
        await<NETWORK>(reduction, piece + 1, 1u << child);
        add(reduction.sums[self], mine, place_of(reduction, route, child), chunk);
        mine = reduction.sums[self];
    }
    if (self)
        deliver(reduction, route, (self - 1) / 2, place_of(reduction, route, self), mine, chunk, piece + 1);
}

extern "C" __global__ void tree_network(const Reduction *pointer, const Route *route)
{
    const Reduction &reduction = *pointer;
    const unsigned size = reduction.count / reduction.pieces, self = reduction.self;
    for (unsigned piece = 0; piece < reduction.pieces; piece++)
        tree_network_up(reduction, *route, piece);
    for (unsigned piece = 0; piece < reduction.pieces; piece++) {
        const unsigned turn = reduction.pieces + piece + 1;
        const Chunk chunk((size_t)piece * size, size);
        if (self)
            await<NETWORK>(reduction, turn, 1u << (self - 1) / 2);
        for (unsigned child = 2 * self + 1; child <= 2 * self + 2 && child < reduction.gpus; child++)
            deliver(reduction, *route, child, reduction.sums[child], reduction.sums[self], chunk, turn);
    }
}

/* A GPU alone. */
extern "C" __global__ void oneshot_network(const Reduction *reduction, const Route *)
{
    sum_all(*reduction, 0, reduction->count);
}

#endif
