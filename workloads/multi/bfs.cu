/* Breadth-first search in a graph whose vertices are parted among GPUs, those of a GPU side by side. In every
 * level a thread looks at its vertices; the neighbours of those that were reached in the level before are
 * reached now, whichever GPU has them: their levels are read and written where they lie. Whoever comes first
 * writes the same as others would. Levels on other nodes cannot be read or written: a GPU has a copy of them,
 * in which it writes what it reaches there, and sends that behind every level. */
#include "group.cuh"

/* Of one GPU, in its memory; as the host has it. */
struct Search {
    const unsigned *offsets;    /* of its vertices, and one more */
    const unsigned *neighbours; /* by their numbers in the whole graph */
    unsigned *levels[GPUS];     /* of each GPU's vertices */
    unsigned each, count;       /* vertices of a GPU, of this one */
    unsigned self;
    unsigned gpus;
    /* Of each GPU on another node; null: it is on this one. Levels of the GPU's vertices are a copy then. */
    const unsigned *reached[GPUS]; /* what it has reached of this GPU's vertices */
    unsigned *sent[GPUS];          /* in its memory: where it looks for the same of this one */
};

constexpr unsigned UNREACHED = 0xffffffffu; /* as the host has it */

/* Whether the thread has reached a vertex. */
__device__ __forceinline__ bool expand(const Search &search, unsigned level)
{
    const unsigned threads = block_count() * thread_count();
    const unsigned *own = search.levels[search.self];
    bool has_reached = false;
    for (unsigned v = block_rank() * thread_count() + thread_rank(); v < search.count; v += threads) {
        if (__ldcg(&own[v]) != level)
            continue;
        const unsigned end = search.offsets[v + 1];
        for (unsigned i = search.offsets[v]; i < end; i++) {
            const unsigned neighbour = search.neighbours[i], gpu = neighbour / search.each;
            unsigned *at = search.levels[gpu] + (neighbour - gpu * search.each);
            if (__ldcg(at) == UNREACHED) {
                __stcg(at, level + 1);
                has_reached = true;
            }
        }
    }
    return has_reached;
}

/* Whether a GPU of another node has reached the vertex in the level before. */
__device__ __forceinline__ bool is_reached(const Search &search, unsigned vertex, unsigned level)
{
    for (unsigned gpu = 0; gpu < search.gpus; gpu++)
        if (search.reached[gpu] && __ldcg(&search.reached[gpu][vertex]) == level)
            return true;
    return false;
}

/* Vertices that others have reached have that level from now on. Meanwhile GPUs of the node may write the
 * next level there: the lower one stays. */
__device__ __forceinline__ bool expand_network(const Search &search, unsigned level)
{
    const unsigned threads = block_count() * thread_count();
    unsigned *own = search.levels[search.self];
    bool has_reached = false;
    for (unsigned v = block_rank() * thread_count() + thread_rank(); v < search.count; v += threads) {
        const unsigned found = __ldcg(&own[v]);
        if (found > level && is_reached(search, v, level))
            atomicMin(&own[v], level);
        else if (found != level)
            continue;
        const unsigned end = search.offsets[v + 1];
        for (unsigned i = search.offsets[v]; i < end; i++) {
            const unsigned neighbour = search.neighbours[i], gpu = neighbour / search.each;
            unsigned *at = search.levels[gpu] + (neighbour - gpu * search.each);
            if (__ldcg(at) == UNREACHED) {
                atomicMin(at, level + 1);
                has_reached = true;
            }
        }
    }
    return has_reached;
}

extern "C" __global__ void bfs_network(const Search *search, const Group *group)
{
    for (unsigned level = 0;; level++) {
        const bool has_reached = expand_network(*search, level);
        /* The copies are written again in the next level: not before they have been sent. */
        const auto send = [&](unsigned lane) {
            if (lane < search->gpus && search->sent[lane])
                wb_put(search->sent[lane], search->levels[lane], search->each * sizeof(unsigned));
            __syncwarp();
            if (lane == 0)
                wb_wait_remote();
            __syncwarp();
        };
        if (!group_sync<NETWORK, true>(*group, level + 1, has_reached, [] {}, send))
            return;
    }
}

/* One level; the host lets GPUs meet, and looks whether there is another one. */
extern "C" __global__ void bfs_host(const Search *search, unsigned level, unsigned *has_reached)
{
    if (expand(*search, level))
        *has_reached = 1;
}

template <Mode mode> __device__ __forceinline__ void bfs(const Search &search, const Group &group)
{
    for (unsigned level = 0;; level++) {
        const bool has_reached = expand(search, level);
        if (!group_sync<mode, true>(group, level + 1, has_reached, [] {}))
            return;
    }
}

extern "C" __global__ void bfs_flags(const Search *search, const Group *group)
{
    bfs<FLAGS>(*search, *group);
}
extern "C" __global__ void bfs_push(const Search *search, const Group *group) { bfs<PUSH>(*search, *group); }
extern "C" __global__ void bfs_hardware(const Search *search, const Group *group)
{
    bfs<HARDWARE>(*search, *group);
}
