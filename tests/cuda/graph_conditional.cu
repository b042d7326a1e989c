// Conditional nodes of graphs: if, if and else, while, switch, one in the other; made by hand and captured.
// nvcc: -rdc=true -lcudadevrt
#include "check.h"

__global__ void add(int *cell, int number) { *cell += number; }
__global__ void set(cudaGraphConditionalHandle handle, unsigned value)
{
    cudaGraphSetConditional(handle, value);
}
__global__ void count_down(cudaGraphConditionalHandle handle, int *left)
{
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

enum { BODIES = 4, CELLS = 16 };

static int *cells;
static cudaStream_t stream;

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, void *function, void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams parameters = {};
    parameters.func = function;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    CUDA(cudaGraphAddKernelNode(&node, graph, after ? &after : nullptr, after ? 1 : 0, &parameters));
    return node;
}

static cudaGraphNode_t add_to_cell(cudaGraph_t graph, cudaGraphNode_t after, int cell, int number)
{
    int *place = cells + cell;
    void *arguments[] = {&place, &number};
    return add_kernel(graph, after, (void *)add, arguments);
}

static cudaGraphNode_t add_set(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle,
                               unsigned value)
{
    void *arguments[] = {&handle, &value};
    return add_kernel(graph, after, (void *)set, arguments);
}

static cudaGraphNode_t add_count_down(cudaGraph_t graph, cudaGraphNode_t after,
                                      cudaGraphConditionalHandle handle, int cell)
{
    int *place = cells + cell;
    void *arguments[] = {&handle, &place};
    return add_kernel(graph, after, (void *)count_down, arguments);
}

/* The graphs of the new node go to `bodies`. */
static cudaGraphNode_t add_conditional(cudaGraph_t graph, cudaGraphNode_t after,
                                       cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                       unsigned count, cudaGraph_t *bodies)
{
    cudaGraphNode_t node;
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = handle;
    parameters.conditional.type = type;
    parameters.conditional.size = count;
    CUDA(cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &parameters));
    for (unsigned i = 0; i < count; i++)
        bodies[i] = parameters.conditional.phGraph_out[i];
    return node;
}

static void run(cudaGraph_t graph, const int *begin, int *end)
{
    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaMemcpy(cells, begin, CELLS * sizeof *begin, cudaMemcpyHostToDevice));
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(end, cells, CELLS * sizeof *end, cudaMemcpyDeviceToHost));
    CUDA(cudaGraphExecDestroy(executable));
}

/* A kernel sets the value; behind the node a kernel adds to cell 8 what the bodies have done by then. */
__global__ void collect(int *cells)
{
    for (int i = 0; i < BODIES; i++)
        cells[8] = cells[8] * 10 + cells[i];
}

static int choose(cudaGraphConditionalNodeType type, unsigned count, unsigned value)
{
    cudaGraph_t graph, bodies[BODIES];
    cudaGraphConditionalHandle handle;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t node =
        add_conditional(graph, add_set(graph, nullptr, handle, value), handle, type, count, bodies);
    for (unsigned i = 0; i < count; i++)
        add_to_cell(bodies[i], add_to_cell(bodies[i], nullptr, i, 1), i, 1);
    cudaGraphNodeType kind;
    CUDA(cudaGraphNodeGetType(node, &kind));
    CHECK_EQUAL(kind, cudaGraphNodeTypeConditional);
    void *arguments[] = {&cells};
    add_kernel(graph, node, (void *)collect, arguments);
    int begin[CELLS] = {}, end[CELLS];
    run(graph, begin, end);
    CUDA(cudaGraphDestroy(graph));
    return end[8];
}

static void choices()
{
    CHECK_EQUAL(choose(cudaGraphCondTypeIf, 1, 0), 0);
    CHECK_EQUAL(choose(cudaGraphCondTypeIf, 1, 1), 2000);
    CHECK_EQUAL(choose(cudaGraphCondTypeIf, 1, 77), 2000);
    CHECK_EQUAL(choose(cudaGraphCondTypeIf, 2, 0), 200);
    CHECK_EQUAL(choose(cudaGraphCondTypeIf, 2, 5), 2000);
    CHECK_EQUAL(choose(cudaGraphCondTypeSwitch, 4, 0), 2000);
    CHECK_EQUAL(choose(cudaGraphCondTypeSwitch, 4, 3), 2);
    CHECK_EQUAL(choose(cudaGraphCondTypeSwitch, 4, 4), 0);
}

/* The default value comes back at every launch, and launches follow each other. */
static void defaults()
{
    cudaGraph_t graph, body;
    cudaGraphConditionalHandle handle;
    cudaGraphExec_t executable;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    add_conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 1, &body);
    add_set(body, add_to_cell(body, nullptr, 0, 1), handle, 0);
    CUDA(cudaMemset(cells, 0, CELLS * sizeof *cells));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < 3; i++)
        CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    int value = 0;
    CUDA(cudaMemcpy(&value, cells, sizeof value, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(value, 3);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
}

/* A loop with a loop in it. */
static void loops()
{
    cudaGraph_t graph, outer, inner;
    cudaGraphConditionalHandle outer_handle, inner_handle;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&outer_handle, graph, 1, cudaGraphCondAssignDefault));
    CUDA(cudaGraphConditionalHandleCreate(&inner_handle, graph, 0, 0));
    add_conditional(graph, nullptr, outer_handle, cudaGraphCondTypeWhile, 1, &outer);
    cudaGraphNode_t first = add_set(outer, add_to_cell(outer, nullptr, 5, 2), inner_handle, 1); // two turns
    cudaGraphNode_t node = add_conditional(outer, first, inner_handle, cudaGraphCondTypeWhile, 1, &inner);
    add_count_down(inner, add_to_cell(inner, nullptr, 0, 1), inner_handle, 5);
    add_count_down(outer, add_to_cell(outer, node, 1, 1), outer_handle, 4);
    int begin[CELLS] = {}, end[CELLS];
    begin[4] = 3;
    run(graph, begin, end);
    CHECK_EQUAL(end[0], 6);
    CHECK_EQUAL(end[1], 3);
    CHECK_EQUAL(end[4], 0);
    CHECK_EQUAL(end[5], 0);
    CUDA(cudaGraphDestroy(graph));
}

/* The body is captured from a stream. */
static void captured()
{
    cudaGraph_t graph, body, same;
    cudaGraphConditionalHandle handle;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    add_conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &body);
    CUDA(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, stream>>>(cells, 7);
    CUDA(cudaMemcpyAsync(cells + 1, cells, sizeof *cells, cudaMemcpyDeviceToDevice, stream));
    count_down<<<1, 1, 0, stream>>>(handle, cells + 4);
    CUDA(cudaStreamEndCapture(stream, &same));
    int begin[CELLS] = {}, end[CELLS];
    begin[4] = 10;
    run(graph, begin, end);
    CHECK_EQUAL(end[0], 70);
    CHECK_EQUAL(end[1], 70);
    CUDA(cudaGraphDestroy(graph));
}

/* Two branches of a graph, each with a loop; other streams go on meanwhile. */
static void side_by_side()
{
    cudaGraph_t graph, bodies[2];
    cudaGraphNode_t nodes[2];
    CUDA(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 2; i++) {
        cudaGraphConditionalHandle handle;
        CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
        nodes[i] = add_conditional(graph, nullptr, handle, cudaGraphCondTypeWhile, 1, &bodies[i]);
        add_count_down(bodies[i], add_to_cell(bodies[i], nullptr, i, 1), handle, 4 + i);
    }
    cudaGraphNode_t last;
    cudaKernelNodeParams parameters = {};
    void *arguments[] = {&cells};
    parameters.func = (void *)collect;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(1);
    parameters.kernelParams = arguments;
    CUDA(cudaGraphAddKernelNode(&last, graph, nodes, 2, &parameters));
    int begin[CELLS] = {}, end[CELLS];
    begin[4] = 3;
    begin[5] = 8;
    run(graph, begin, end);
    CHECK_EQUAL(end[8], 3800);
    CUDA(cudaGraphDestroy(graph));
}

static void wrong_uses()
{
    cudaGraph_t graph, other, body;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA_FAILS(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    CUDA(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeConditional;
    parameters.conditional.handle = handle;
    parameters.conditional.type = cudaGraphCondTypeWhile;
    parameters.conditional.size = 2;
    CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
    parameters.conditional.type = cudaGraphCondTypeIf;
    parameters.conditional.size = 3;
    CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &parameters));
    add_conditional(graph, nullptr, handle, cudaGraphCondTypeIf, 1, &body);
    CUDA(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph) != cudaSuccess);
    CHECK(cudaGraphClone(&other, graph) != cudaSuccess);
    (void)cudaGetLastError();
    CUDA(cudaGraphDestroy(graph));
}

int main()
{
    CUDA(cudaMalloc(&cells, CELLS * sizeof *cells));
    CUDA(cudaStreamCreate(&stream));
    choices();
    defaults();
    loops();
    captured();
    side_by_side();
    wrong_uses();
    return check_result();
}
