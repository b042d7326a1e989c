/* Breadth-first search as Rodinia's: two kernels for each level, a thread for each node. Nodes of the
 * frontier are marked by a byte each; threads of other nodes leave at once. Several nodes may reach another
 * one at a time: all write the same. */

/* As the host has it. */
struct Node {
    int first, count; /* edges */
};

/* At most 20 registers: 3 blocks of 512 threads on Fermi. */
extern "C" __global__ __maxnreg__(20) void bfs_expand(const Node *nodes, const int *edges, bool *frontier,
                                                      bool *reached, const bool *visited, int *levels,
                                                      int count)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= count || !frontier[node])
        return;
    frontier[node] = false;
    const int end = nodes[node].first + nodes[node].count;
    for (int i = nodes[node].first; i < end; i++) {
        const int next = edges[i];
        if (!visited[next]) {
            levels[next] = levels[node] + 1;
            reached[next] = true;
        }
    }
}

extern "C" __global__ __maxnreg__(20) void bfs_advance(bool *frontier, bool *reached, bool *visited,
                                                       bool *more, int count)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= count || !reached[node])
        return;
    frontier[node] = true;
    visited[node] = true;
    *more = true;
    reached[node] = false;
}
