// Steps of graph algorithms over compressed rows; host code: graph.c.

extern "C" __global__ void bfs_queue(const int *begins, const int *targets, int *distances, const int *queue,
                                     int count, int *next, int *next_count, int level)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const int v = queue[i];
    for (int e = begins[v]; e < begins[v + 1]; e++)
        if (atomicCAS(&distances[targets[e]], -1, level) == -1)
            next[atomicAdd(next_count, 1)] = targets[e];
}

extern "C" __global__ void sssp_relax(const int *begins, const int *targets, const int *weights,
                                      const int *from, int *to, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    const int distance = from[v];
    if (distance == 0x7fffffff)
        return;
    for (int e = begins[v]; e < begins[v + 1]; e++)
        atomicMin(&to[targets[e]], distance + weights[e]);
}

// share[u] is u's rank over its number of edges.
extern "C" __global__ void pagerank_pull(const int *begins, const int *sources, const float *share,
                                         float *rank, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    float sum = 0;
    for (int e = begins[v]; e < begins[v + 1]; e++)
        sum += share[sources[e]];
    rank[v] = 0.15f / n + 0.85f * sum;
}

// One thread an edge; lists of targets are sorted.
extern "C" __global__ void triangles_merge(const int *begins, const int *targets, const int *sources,
                                           int *counts, int edges)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    const int u = sources[e], v = targets[e];
    int i = begins[u], k = begins[v], count = 0;
    const int i_end = begins[u + 1], k_end = begins[v + 1];
    while (i < i_end && k < k_end) {
        const int a = targets[i], b = targets[k];
        count += a == b;
        i += a <= b;
        k += b <= a;
    }
    counts[e] = count;
}
