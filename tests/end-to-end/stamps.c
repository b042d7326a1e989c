#include "stamps.h"

#include <stdlib.h>
#include <string.h>

/* out: the counter, then of every block begin, end and how often it ran. Blocks take different times. */
static const char ptx[] =
    PTX_HEADER ".visible .entry stamp(.param .u64 out, .param .u32 first) {\n"
               "  .reg .u64 %o, %m; .reg .u32 %n, %t, %x, %r, %s; .reg .pred %p;\n"
               "  ld.param.u64 %o, [out]; ld.param.u32 %n, [first];\n"
               "  atom.global.add.u32 %s, [%o], 1;\n"
               "  mov.u32 %t, %ctaid.z; mov.u32 %x, %nctaid.y; mul.lo.u32 %t, %t, %x; mov.u32 %x, %ctaid.y;\n"
               "  add.u32 %t, %t, %x; mov.u32 %x, %nctaid.x; mul.lo.u32 %t, %t, %x; mov.u32 %x, %ctaid.x;\n"
               "  add.u32 %t, %t, %x; add.u32 %n, %n, %t; mul.wide.u32 %m, %n, 12; add.u64 %m, %m, %o;\n"
               "  st.global.u32 [%m+4], %s;\n"
               "  mul.lo.u32 %r, %n, 0x9E3779B1; shr.u32 %r, %r, 27; add.u32 %r, %r, 1;\n"
               "LOOP: sub.u32 %r, %r, 1; setp.ne.u32 %p, %r, 0; @%p bra LOOP;\n"
               "  atom.global.add.u32 %x, [%m+12], 1;\n"
               "  atom.global.add.u32 %s, [%o], 1; st.global.u32 [%m+8], %s; ret; }\n";

typedef struct Stamp {
    uint32_t begin, end, runs;
} Stamp;

static void must(WbGpu *gpu, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

/* -- cases -- */

void stamps_free(StampCase *graph)
{
    free(graph->edges);
    *graph = (StampCase){.edges = NULL};
}

void stamps_add_edge(StampCase *graph, uint32_t parent, uint32_t child)
{
    if (graph->edge_count == graph->edge_capacity) {
        graph->edge_capacity = 2 * graph->edge_capacity + 16;
        graph->edges = realloc(graph->edges, graph->edge_capacity * sizeof *graph->edges);
    }
    graph->edges[graph->edge_count++] = (WbEdge){parent, child};
}

StampCase stamps_wavefront(uint32_t across, uint32_t down)
{
    StampCase graph = {.grids = {{across, down, 1}},
                       .grid_count = 1,
                       .block_count = across * down,
                       .node_count = across * down};
    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            if (x)
                stamps_add_edge(&graph, y * across + x - 1, y * across + x);
            if (y)
                stamps_add_edge(&graph, (y - 1) * across + x, y * across + x);
        }
    return graph;
}

static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(*seed >> 8) * below >> 24);
}

/* Nodes in an order in which edges go forwards: at random, so that numbers say nothing about it. */
static uint32_t *random_order(uint32_t *seed, uint32_t count)
{
    uint32_t *order = malloc(count * sizeof *order);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = draw(seed, i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    return order;
}

typedef enum Shape { CHAIN, OUT_STAR, IN_STAR, LAYERS, ISLANDS, SPARSE, DENSE, SHAPE_COUNT } Shape;

/* Whether there is an edge between the nodes at two places of the order. */
static bool has_edge(Shape shape, uint32_t *seed, uint32_t from, uint32_t to, uint32_t count)
{
    switch (shape) {
    case CHAIN:
        return to == from + 1;
    case OUT_STAR:
        return from == 0;
    case IN_STAR:
        return to == count - 1;
    case LAYERS:
        return to / 5 == from / 5 + 1 && draw(seed, 2);
    case ISLANDS:
        return to / 7 == from / 7 && draw(seed, 3) == 0;
    case SPARSE:
        return draw(seed, count) < 2;
    default:
        return draw(seed, 3) == 0;
    }
}

StampCase stamps_random(uint32_t seed, uint32_t most)
{
    StampCase graph = {.grid_count = 1 + draw(&seed, MOST_GRIDS)};
    for (uint32_t i = 0; i < graph.grid_count; i++) {
        const uint32_t blocks = 1 + draw(&seed, most / MOST_GRIDS), down = 1 + draw(&seed, 2);
        graph.grids[i] = (WbDim3){(blocks + down - 1) / down, down, 1};
        graph.block_count += graph.grids[i].x * down;
    }
    graph.node_count = graph.block_count + draw(&seed, 2) * draw(&seed, 6);
    const Shape shape = (Shape)draw(&seed, SHAPE_COUNT);
    uint32_t *order = random_order(&seed, graph.node_count);
    for (uint32_t to = 1; to < graph.node_count; to++)
        for (uint32_t from = 0; from < to; from++)
            for (uint32_t i = 0; i < 2 && has_edge(shape, &seed, from, to, graph.node_count); i++)
                if (i == 0 || draw(&seed, 16) == 0)
                    stamps_add_edge(&graph, order[from], order[to]);
    free(order);
    return graph;
}

WbGraph *stamps_graph(WbGpu *gpu, const StampCase *shape)
{
    WbGraph *graph;
    uint32_t join;
    must(gpu, wb_graph_create(gpu, &graph));
    for (uint32_t i = 0; i < shape->grid_count; i++)
        must(gpu, wb_graph_add_grid(graph, shape->grids[i], NULL));
    for (uint32_t i = shape->block_count; i < shape->node_count; i++)
        must(gpu, wb_graph_add_join(graph, &join));
    must(gpu, wb_graph_add_edges(graph, shape->edges, shape->edge_count));
    return graph;
}

/* -- runs -- */

/* What lies on the device. */
typedef struct Run {
    WbGpu *gpu;
    WbModule *module;
    WbKernel *kernel;
    uint64_t out;
    size_t bytes;
} Run;

static Run begin_run(WbGpu *gpu, const StampCase *shape)
{
    Run run = {.gpu = gpu, .bytes = 4 + shape->block_count * sizeof(Stamp)};
    must(gpu, wb_module_load(gpu, "stamp.ptx", ptx, strlen(ptx), &run.module));
    must(gpu, wb_module_kernel(run.module, "stamp", &run.kernel));
    must(gpu, wb_malloc(gpu, run.bytes, &run.out));
    must(gpu, wb_set_device(gpu, run.out, 0, run.bytes));
    return run;
}

static void end_run(Run *run)
{
    wb_free(run->gpu, run->out);
    wb_module_unload(run->module);
}

/* When everything that a join waits for has ended. */
static uint32_t *ends_of_joins(const StampCase *shape, const Stamp *stamps)
{
    uint32_t *ends = calloc(shape->node_count, sizeof *ends);
    for (uint32_t i = 0; i < shape->block_count; i++)
        ends[i] = stamps[i].end;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < shape->edge_count; i++) {
            const WbEdge edge = shape->edges[i];
            if (edge.child < shape->block_count || ends[edge.child] >= ends[edge.parent])
                continue;
            ends[edge.child] = ends[edge.parent];
            changed = true;
        }
    }
    return ends;
}

static void check_run(const Run *run, const StampCase *shape)
{
    uint32_t *out = malloc(run->bytes);
    must(run->gpu, wb_wait(run->gpu));
    must(run->gpu, wb_copy_from_device(run->gpu, out, run->out, run->bytes));
    const Stamp *stamps = (const Stamp *)(out + 1);
    for (uint32_t i = 0; i < shape->block_count; i++) {
        assert_int_equal(stamps[i].runs, 1);
        assert_true(stamps[i].begin < stamps[i].end);
    }
    uint32_t *ends = ends_of_joins(shape, stamps);
    for (size_t i = 0; i < shape->edge_count; i++) {
        const WbEdge edge = shape->edges[i];
        if (edge.child < shape->block_count && ends[edge.parent] &&
            ends[edge.parent] >= stamps[edge.child].begin)
            fail_msg("node %u begins (%u) before its parent, node %u, has ended (%u)", edge.child,
                     stamps[edge.child].begin, edge.parent, ends[edge.parent]);
    }
    free(ends);
    free(out);
}

/* One kernel for every grid. */
static WbStatus launch_all(const Run *run, WbGraph *graph, const StampCase *shape)
{
    WbGraphKernel kernels[MOST_GRIDS];
    uint32_t first[MOST_GRIDS] = {0};
    WbArgument arguments[MOST_GRIDS][2];
    for (uint32_t i = 0; i < shape->grid_count; i++) {
        const WbDim3 grid = shape->grids[i];
        arguments[i][0] = WB_ARG(run->out);
        arguments[i][1] = WB_ARG(first[i]);
        kernels[i] = (WbGraphKernel){
            run->kernel,
            {.grid = grid, .block = {1, 1, 1}, .arguments = arguments[i], .argument_count = 2},
        };
        if (i + 1 < MOST_GRIDS)
            first[i + 1] = first[i] + grid.x * grid.y * grid.z;
    }
    return wb_graph_launch(graph, NULL, kernels, shape->grid_count);
}

void stamps_run_graph(WbGpu *gpu, WbGraph *graph, const StampCase *meaning)
{
    Run run = begin_run(gpu, meaning);
    must(gpu, launch_all(&run, graph, meaning));
    wb_graph_destroy(graph); /* the launch does not need it any more */
    check_run(&run, meaning);
    end_run(&run);
}

void stamps_run(WbGpu *gpu, const StampCase *shape, const char *policy, uint32_t bound)
{
    WbGraph *graph = stamps_graph(gpu, shape);
    if (policy)
        must(gpu, wb_graph_set_policy_name(graph, policy, bound));
    stamps_run_graph(gpu, graph, shape);
}

void stamps_run_mapped(WbGpu *gpu, const StampCase *shape, WbMapping *mapping, void *context)
{
    Run run = begin_run(gpu, shape);
    uint32_t first = 0;
    const WbArgument arguments[] = {WB_ARG(run.out), WB_ARG(first)};
    must(gpu, wb_launch(run.kernel, &(WbLaunch){.grid = shape->grids[0],
                                                .block = {1, 1, 1},
                                                .arguments = arguments,
                                                .argument_count = 2,
                                                .mapping = mapping,
                                                .mapping_context = context}));
    check_run(&run, shape);
    end_run(&run);
}
