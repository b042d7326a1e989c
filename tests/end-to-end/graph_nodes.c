#include "graph_nodes.h"

#include <stdlib.h>
#include <string.h>

/* values[b] = b * 2654435761 + 31 * (... + values[parent]) + 1, over the parents in their order. Loads are
 * plain ones, which the L1 may answer. */
static const char node_kernel[] = PTX_HEADER
    ".visible .entry node(.param .u64 values, .param .u64 starts, .param .u64 parents, .param .u64 sms,\n"
    "                     .param .u32 first)\n"
    "{\n"
    "    .reg .pred %p;\n"
    "    .reg .b32 %r<12>;\n"
    "    .reg .b64 %d<12>;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    setp.ne.u32 %p, %r1, 0;\n"
    "    @%p bra done;\n"
    "    ld.param.u64 %d1, [values];\n"
    "    ld.param.u64 %d2, [starts];\n"
    "    ld.param.u64 %d3, [parents];\n"
    "    ld.param.u64 %d4, [sms];\n"
    "    ld.param.u32 %r2, [first];\n"
    "    mov.u32 %r3, %ctaid.y;\n"
    "    mov.u32 %r4, %nctaid.x;\n"
    "    mov.u32 %r5, %ctaid.x;\n"
    "    mad.lo.u32 %r3, %r3, %r4, %r5;\n"
    "    add.u32 %r2, %r2, %r3;\n"
    "    mul.wide.u32 %d5, %r2, 4;\n"
    "    add.u64 %d6, %d2, %d5;\n"
    "    ld.global.u32 %r3, [%d6];\n"
    "    ld.global.u32 %r4, [%d6+4];\n"
    "    mul.lo.u32 %r6, %r2, 2654435761;\n"
    "next:\n"
    "    setp.ge.u32 %p, %r3, %r4;\n"
    "    @%p bra store;\n"
    "    mul.wide.u32 %d7, %r3, 4;\n"
    "    add.u64 %d7, %d3, %d7;\n"
    "    ld.global.u32 %r7, [%d7];\n"
    "    mul.wide.u32 %d8, %r7, 4;\n"
    "    add.u64 %d8, %d1, %d8;\n"
    "    ld.global.u32 %r8, [%d8];\n"
    "    mad.lo.u32 %r6, %r6, 31, %r8;\n"
    "    add.u32 %r3, %r3, 1;\n"
    "    bra next;\n"
    "store:\n"
    "    add.u32 %r6, %r6, 1;\n"
    "    add.u64 %d9, %d1, %d5;\n"
    "    st.global.u32 [%d9], %r6;\n"
    "    add.u64 %d10, %d4, %d5;\n"
    "    mov.u32 %r9, %smid;\n"
    "    st.global.u32 [%d10], %r9;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

void node_graph_edge(NodeGraph *graph, uint32_t parent, uint32_t child)
{
    if (graph->edge_count == graph->edge_capacity) {
        graph->edge_capacity = graph->edge_capacity ? 2 * graph->edge_capacity : 64;
        graph->edges = realloc(graph->edges, graph->edge_capacity * sizeof *graph->edges);
        assert_non_null(graph->edges);
    }
    graph->edges[graph->edge_count++] = (WbEdge){parent, child};
}

void node_graph_free(NodeGraph *graph) { free(graph->edges); }

NodeGraph node_graph_wavefront(uint32_t across, uint32_t down)
{
    NodeGraph graph = {.blocks = across * down};
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            if (x)
                node_graph_edge(&graph, y * across + x - 1, y * across + x);
            if (y)
                node_graph_edge(&graph, (y - 1) * across + x, y * across + x);
        }
    return graph;
}

WbGraph *node_graph_dependencies(WbGpu *gpu, const NodeGraph *graph)
{
    WbGraph *made;
    assert_int_equal(wb_graph_create(gpu, &made), WB_OK);
    assert_int_equal(wb_graph_add_grid(made, (WbDim3){graph->blocks, 1, 1}, NULL), WB_OK);
    assert_int_equal(wb_graph_add_edges(made, graph->edges, graph->edge_count), WB_OK);
    return made;
}

/* The parents of every block: parents[starts[b]] to parents[starts[b + 1] - 1]. */
typedef struct Parents {
    uint32_t *starts, *items;
} Parents;

static Parents parents_of(const NodeGraph *graph)
{
    Parents parents = {calloc(graph->blocks + 2, 4), calloc(graph->edge_count + 1, 4)};
    for (size_t i = 0; i < graph->edge_count; i++)
        parents.starts[graph->edges[i].child + 2]++;
    for (uint32_t b = 2; b < graph->blocks + 2; b++)
        parents.starts[b] += parents.starts[b - 1];
    for (size_t i = 0; i < graph->edge_count; i++)
        parents.items[parents.starts[graph->edges[i].child + 1]++] = graph->edges[i].parent;
    return parents;
}

/* Rounds over all blocks until each has its parents' numbers: as many as the longest path. */
static uint32_t *expected_values(const NodeGraph *graph, const Parents *parents)
{
    uint32_t *values = calloc(graph->blocks, 4), left = graph->blocks;
    char *known = calloc(graph->blocks, 1);
    while (left)
        for (uint32_t b = 0; b < graph->blocks; b++) {
            uint32_t value = b * 2654435761u, i = parents->starts[b];
            while (i < parents->starts[b + 1] && known[parents->items[i]])
                value = value * 31 + values[parents->items[i++]];
            if (known[b] || i < parents->starts[b + 1])
                continue;
            values[b] = value + 1;
            known[b] = 1;
            left--;
        }
    free(known);
    return values;
}

/* Device memory of so many words, filled from `from` or with zeros. */
static uint64_t words_on_device(WbGpu *gpu, const uint32_t *from, size_t count)
{
    uint64_t address;
    assert_int_equal(wb_malloc(gpu, (count + 1) * 4, &address), WB_OK);
    assert_int_equal(wb_set_device(gpu, address, 0, (count + 1) * 4), WB_OK);
    if (from && count)
        assert_int_equal(wb_copy_to_device(gpu, address, from, count * 4), WB_OK);
    return address;
}

enum { MOST_KERNELS = 64 };

static WbStatus launch(const NodeRun *run, WbKernel *kernel, const uint64_t memory[4])
{
    const uint32_t count = run->kernels ? run->kernels : 1;
    WbGraphKernel kernels[MOST_KERNELS];
    uint32_t firsts[MOST_KERNELS], first = 0;
    WbArgument arguments[MOST_KERNELS][5];
    assert_true(count <= MOST_KERNELS);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t blocks = run->kernel_blocks ? run->kernel_blocks[k] : run->graph->blocks;
        firsts[k] = first;
        first += blocks;
        for (uint32_t i = 0; i < 4; i++)
            arguments[k][i] = (WbArgument){&memory[i], 8};
        arguments[k][4] = WB_ARG(firsts[k]);
        kernels[k] = (WbGraphKernel){
            kernel,
            {.grid = {blocks, 1, 1}, .block = {32, 1, 1}, .arguments = arguments[k], .argument_count = 5}};
    }
    return wb_graph_launch(run->dependencies, NULL, kernels, count);
}

/* Runs it; the values and SMs that it leaves, or null after a failure, to be freed. */
static WbStatus run_on(const NodeRun *run, const Parents *parents, uint32_t **values)
{
    const uint32_t blocks = run->graph->blocks;
    WbModule *module;
    WbKernel *kernel;
    assert_int_equal(wb_module_load(run->gpu, "node.ptx", node_kernel, strlen(node_kernel), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "node", &kernel), WB_OK);
    const uint64_t memory[4] = {
        words_on_device(run->gpu, NULL, blocks),
        words_on_device(run->gpu, parents->starts, blocks + 1),
        words_on_device(run->gpu, parents->items, run->graph->edge_count),
        words_on_device(run->gpu, NULL, blocks),
    };
    WbStatus status = launch(run, kernel, memory);
    if (status == WB_OK)
        status = wb_wait(run->gpu);
    *values = calloc(blocks, 4);
    if (status == WB_OK)
        assert_int_equal(wb_copy_from_device(run->gpu, *values, memory[0], blocks * 4ull), WB_OK);
    if (status == WB_OK && run->sms)
        assert_int_equal(wb_copy_from_device(run->gpu, run->sms, memory[3], blocks * 4ull), WB_OK);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(wb_free(run->gpu, memory[i]), WB_OK);
    wb_module_unload(module);
    return status;
}

WbStatus node_run(const NodeRun *run)
{
    const Parents parents = parents_of(run->graph);
    uint32_t *values;
    const WbStatus status = run_on(run, &parents, &values);
    free(values);
    free(parents.starts);
    free(parents.items);
    return status;
}

void node_run_ok(const NodeRun *run)
{
    const Parents parents = parents_of(run->graph);
    uint32_t *expected = expected_values(run->graph, &parents), *values;
    if (run_on(run, &parents, &values) != WB_OK)
        fail_msg("%s", wb_error(run->gpu));
    for (uint32_t b = 0; b < run->graph->blocks; b++)
        if (values[b] != expected[b])
            fail_msg("block %u computed %08x instead of %08x", b, values[b], expected[b]);
    free(values);
    free(expected);
    free(parents.starts);
    free(parents.items);
}
