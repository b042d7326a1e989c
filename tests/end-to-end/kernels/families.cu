/* Trees of launches that the host has drawn: every node is a launch, its threads launch its children in the
 * way that the child says, wait where it says so, and check that whatever CUDA's order promises has happened.
 *
 * Nodes are numbered in preorder, tail launches behind their siblings: so what a node waits for is a range of
 * numbers. Every warp leaves a mark by a plain store, and looks for those of others by plain loads: nothing
 * but the order of launches makes them visible. */
#include "warpbeam_device.h"

enum How { IN_BLOCK_STREAM, IN_THREAD_STREAM, IN_OWN_STREAM, FREE, TAIL, GROUP };

/* The same in test_launch_random.c. */
struct Node {
    int how, kernel, blocks, threads; /* how it is launched, and what */
    int end;                          /* one more than the last of its descendants */
    int first_child, sibling;         /* 0: none */
    int block, thread;                /* of its parent, which launch it */
    int waits;                        /* that thread waits then for what its block has launched */
    int needs, needs_end;             /* nodes that are complete when it begins */
    int meets;                        /* its blocks meet at a barrier before they end */
    int marks;                        /* where its warps leave theirs, block by block */
    int traps;
};

struct Tree {
    const Node *nodes;
    int *marks;
    int *faults; /* how many, and the first one's node and kind */
};

struct Parameters {
    Tree tree;
    int node;
};

enum { MARK = 0x5eed };

enum Fault { NO_STREAM = 1, NOT_LAUNCHED, WAITED_IN_VAIN, CAME_TOO_EARLY, RAN_TWICE };

__device__ void fault(const Tree &tree, int node, Fault kind)
{
    if (atomicAdd(tree.faults, 1) == 0) {
        tree.faults[1] = node;
        tree.faults[2] = kind;
    }
}

/* Whether all warps of the nodes have left their marks. */
__device__ bool have_ended(const Tree &tree, int from, int to)
{
    bool all = true;
    for (int node = from; node < to; node++)
        for (int i = 0; i < tree.nodes[node].blocks * tree.nodes[node].threads / 32; i++)
            all &= tree.marks[tree.nodes[node].marks + i] == MARK;
    return all;
}

__device__ const void *kernel_of(int number);

__device__ int launch(const Tree &tree, int child, wb_stream own)
{
    const Node &node = tree.nodes[child];
    Parameters *buffer = (Parameters *)wb_get_parameter_buffer(8, sizeof(Parameters));
    if (!buffer)
        return -1;
    *buffer = {tree, child};
    const wb_stream streams[] = {WB_STREAM_BLOCK, WB_STREAM_THREAD, own, WB_STREAM_FIRE_AND_FORGET,
                                 WB_STREAM_TAIL};
    if (node.how == GROUP)
        return wb_launch_agg_group(kernel_of(node.kernel), buffer, dim3(node.blocks), dim3(node.threads), 0);
    return wb_launch_device(kernel_of(node.kernel), buffer, dim3(node.blocks), dim3(node.threads), 0,
                            streams[node.how]);
}

__device__ void launch_children(const Tree &tree, int number)
{
    wb_stream own = 0;
    for (int child = tree.nodes[number].first_child; child; child = tree.nodes[child].sibling) {
        const Node &node = tree.nodes[child];
        if (node.block != blockIdx.x || node.thread != threadIdx.x)
            continue;
        if (node.how == IN_OWN_STREAM && !own && wb_stream_create(&own))
            fault(tree, child, NO_STREAM);
        if (launch(tree, child, own))
            fault(tree, child, NOT_LAUNCHED);
        if (!node.waits)
            continue;
        wb_device_sync();
        for (int earlier = tree.nodes[number].first_child; earlier; earlier = tree.nodes[earlier].sibling) {
            const Node &before = tree.nodes[earlier];
            if (before.block == blockIdx.x && before.thread == threadIdx.x && earlier <= child &&
                before.how < TAIL && !have_ended(tree, earlier, before.end))
                fault(tree, child, WAITED_IN_VAIN);
        }
    }
}

__device__ __forceinline__ void visit(const Tree &tree, int number)
{
    const Node &node = tree.nodes[number];
    if (threadIdx.x % 32 == 0 && !have_ended(tree, node.needs, node.needs_end))
        fault(tree, number, CAME_TOO_EARLY);
    if (node.traps)
        __trap();
    launch_children(tree, number);
    if (node.meets)
        __syncthreads();
    if (threadIdx.x % 32)
        return;
    int *mark = &tree.marks[node.marks + (blockIdx.x * node.threads + threadIdx.x) / 32];
    if (*mark)
        fault(tree, number, RAN_TWICE);
    *mark = MARK;
}

/* Kernels of which groups can join one or the other. */
extern "C" __global__ void family_a(Tree tree, int node) { visit(tree, node); }
extern "C" __global__ void family_b(Tree tree, int node) { visit(tree, node); }

__device__ const void *kernel_of(int number)
{
    return number ? (const void *)family_b : (const void *)family_a;
}
