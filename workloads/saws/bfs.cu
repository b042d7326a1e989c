/* Breadth-first search as Parboil's bfs has it: a queue of the vertices of a level, and one of the next. A
 * block gathers what it finds in queues of its own in shared memory, eight of them so that fewer threads
 * count on one word. When all of it is there, one thread takes a piece of the next level's queue for them,
 * and all threads copy. */

constexpr int THREADS = 512, PARTS = 8, ROOM = 256 /* of a part */, UNSEEN = 0x7fffffff;

/* As the host has it. */
struct Search {
    const int *starts, *columns;
    int *levels;
};
struct State {
    int count, level; /* of vertices in the queue of this level */
};

/* What the block has found. Invariant between barriers: the first `counts` of each part are found vertices;
 * counts may be larger than the room, then the rest went straight to the next level's queue. */
struct Found {
    int counts[PARTS], begins[PARTS + 1];
    int vertices[PARTS][ROOM];

    __device__ void clear()
    {
        if (threadIdx.x < PARTS)
            counts[threadIdx.x] = 0;
    }
    __device__ void add(int vertex, int *queue, int *tail)
    {
        const int part = threadIdx.x % PARTS, place = atomicAdd(&counts[part], 1);
        if (place < ROOM)
            vertices[part][place] = vertex;
        else
            queue[atomicAdd(tail, 1)] = vertex;
    }
    /* Where each part begins among all of them, and how many there are. One thread does it. */
    __device__ int add_up(int first)
    {
        begins[0] = first;
        for (int i = 0; i < PARTS; i++)
            begins[i + 1] = begins[i] + min(counts[i], ROOM);
        return begins[PARTS] - first;
    }
    __device__ void copy(int *queue) const
    {
        const int part = threadIdx.x % PARTS, count = min(counts[part], ROOM);
        for (int i = threadIdx.x / PARTS; i < count; i += THREADS / PARTS)
            queue[begins[part] + i] = vertices[part][i];
    }
};

__device__ __forceinline__ void visit(const Search &search, int vertex, int level, Found &found, int *queue,
                                      int *tail)
{
    const int end = search.starts[vertex + 1];
    for (int i = search.starts[vertex]; i < end; i++) {
        const int to = search.columns[i];
        if (atomicMin(&search.levels[to], level + 1) == UNSEEN)
            found.add(to, queue, tail);
    }
}

/* A level: a vertex of its queue for each thread. */
extern "C" __global__ void __launch_bounds__(THREADS)
    bfs_level(Search search, const int *queue, int count, int level, int *next, int *tail)
{
    __shared__ Found found;
    found.clear();
    __syncthreads();
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    if (thread < count)
        visit(search, queue[thread], level, found, next, tail);
    __syncthreads();
    if (threadIdx.x == 0) {
        const int total = found.add_up(0);
        const int first = total ? atomicAdd(tail, total) : 0;
        found.add_up(first);
    }
    __syncthreads();
    found.copy(next);
}

/* One block does level after level while a thread is enough for each vertex of one. The vertices of a
 * level are in the queue `even` or `odd`, as its number is. In the end `state` tells the first level that
 * is not done. */
extern "C" __global__ void __launch_bounds__(THREADS)
    bfs_block(Search search, int *even, int *odd, int *tail, State *state)
{
    __shared__ Found found;
    __shared__ int total;
    int count = state->count, level = state->level;
    while (count > 0 && count <= THREADS) {
        int *const queue = level % 2 ? odd : even, *const next = level % 2 ? even : odd;
        found.clear();
        __syncthreads();
        if (threadIdx.x < count)
            visit(search, queue[threadIdx.x], level, found, next, tail);
        __syncthreads();
        if (threadIdx.x == 0) {
            const int before = atomicExch(tail, 0);
            total = before + found.add_up(before);
        }
        __syncthreads();
        found.copy(next);
        count = total;
        level++;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *state = {count, level};
}
