#include "api/gpu.h"

/* Samples of all kernels together, more or less: a picture is no wider. */
enum { SAMPLES = 2000, FIRST_INTERVAL = 128 };

/* What of the knob timeline_events each kind of events may take: 1 / so many. */
enum { BLOCKS_SHARE = 2, LAUNCHES_SHARE = 8, COPIES_SHARE = 32, EDGES_SHARE = 32 };

void kept_reset(Kept *kept)
{
    VEC_FREE(&kept->copies);
    VEC_FREE(&kept->edges);
    *kept = (Kept){.block_stride = 1,
                   .launch_stride = 1,
                   .copy_stride = 1,
                   .edge_stride = 1,
                   .interval = FIRST_INTERVAL};
}

static uint64_t most(const WbGpu *gpu, unsigned share) { return gpu->config.timeline_events / share; }

void kept_begin(WbGpu *gpu, KernelRecord *record)
{
    if (!gpu->config.timeline)
        return;
    record->log = log_create(record->name, record->block_count, (uint32_t)most(gpu, BLOCKS_SHARE),
                             gpu->kept.block_stride, gpu->kept.launch_stride);
}

Cycle kept_interval(const WbGpu *gpu)
{
    if (gpu->config.sample_interval || !gpu->config.timeline)
        return gpu->config.sample_interval;
    return gpu->kept.interval;
}

/* -- logs -- */

static void count_logs(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    kept->blocks = kept->launches = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        EventLog *log = gpu->records.items[i]->log;
        if (!log)
            continue;
        log_thin(log, kept->block_stride, kept->launch_stride);
        kept->blocks += log->stays.count + log->waits.count;
        kept->launches += log->launches.count;
    }
}

/* Until there is no more than a block and a launch of each kernel, if need be. */
static void bound_logs(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    for (;;) {
        const bool blocks = kept->blocks > most(gpu, BLOCKS_SHARE) + gpu->records.count &&
                            kept->block_stride < LOG_MOST_STRIDE;
        const bool launches = kept->launches > most(gpu, LAUNCHES_SHARE) + gpu->records.count;
        if (!blocks && !launches)
            return;
        kept->block_stride *= blocks ? 2 : 1;
        kept->launch_stride *= launches ? 2 : 1;
        count_logs(gpu);
    }
}

/* -- samples -- */

/* Those of all records and of what runs, after the interval has doubled. */
static void merge_samples(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    kept->samples = 0;
    for (uint32_t i = 0; i < gpu->records.count; i++) {
        series_coarsen(&gpu->records.items[i]->series, kept->interval, true);
        kept->samples += gpu->records.items[i]->series.ends.count;
    }
    for (uint32_t i = 0; i < gpu->cycle->running.count; i++) {
        KernelRecord *record = gpu->cycle->running.items[i]->record;
        if (!record) /* it was interrupted, and is among the records */
            continue;
        series_coarsen(&record->series, kept->interval, false);
        kept->samples += record->series.ends.count;
    }
}

static bool adapts(const WbGpu *gpu) { return gpu->config.timeline && !gpu->config.sample_interval; }

void kept_sampled(WbGpu *gpu)
{
    Kept *kept = &gpu->kept;
    if (!adapts(gpu))
        return;
    kept->samples++;
    if (kept->samples <= SAMPLES + gpu->records.count)
        return;
    kept->interval *= 2;
    merge_samples(gpu);
}

void kept_end(WbGpu *gpu, KernelRecord *record)
{
    Kept *kept = &gpu->kept;
    if (!record->log)
        return;
    log_sort(record->log);
    kept->blocks += record->log->stays.count + record->log->waits.count;
    kept->launches += record->log->launches.count;
    bound_logs(gpu);
    kept_sampled(gpu); /* the last one, which is shorter */
}

/* -- copies and edges -- */

void kept_copy(WbGpu *gpu, KeptCopy copy)
{
    Kept *kept = &gpu->kept;
    if (!gpu->config.timeline)
        return;
    copy.number = kept->copy_count++;
    if (copy.number % kept->copy_stride)
        return;
    VEC_PUSH(&kept->copies, copy);
    if (kept->copies.count <= most(gpu, COPIES_SHARE))
        return;
    uint32_t count = 0;
    kept->copy_stride *= 2;
    for (uint32_t i = 0; i < kept->copies.count; i++)
        if (kept->copies.items[i].number % kept->copy_stride == 0)
            kept->copies.items[count++] = kept->copies.items[i];
    kept->copies.count = count;
}

static void keep_edge(WbGpu *gpu, KeptEdge edge)
{
    Kept *kept = &gpu->kept;
    edge.number = kept->edge_count++;
    if (edge.number % kept->edge_stride)
        return;
    VEC_PUSH(&kept->edges, edge);
    if (kept->edges.count <= most(gpu, EDGES_SHARE))
        return;
    uint32_t count = 0;
    kept->edge_stride *= 2;
    for (uint32_t i = 0; i < kept->edges.count; i++)
        if (kept->edges.items[i].number % kept->edge_stride == 0)
            kept->edges.items[count++] = kept->edges.items[i];
    kept->edges.count = count;
}

/* Edges from and to joins are no blocks' and are left out. */
void kept_graph(WbGpu *gpu, const KernelLaunch *launch)
{
    if (!gpu->config.timeline)
        return;
    const DependencyGraph *graph = launch->graph->graph;
    for (uint32_t id = 0; id < graph->node_count; id++) {
        if (graph_is_join(graph, id))
            continue;
        const uint32_t task = graph->tasks[id], grid = graph_grid_of(graph, task);
        for (uint32_t e = graph->starts[id]; e < graph->starts[id + 1]; e++) {
            if (graph_is_join(graph, graph->children[e]))
                continue;
            const uint32_t child = graph->tasks[graph->children[e]], other = graph_grid_of(graph, child);
            keep_edge(gpu, (KeptEdge){
                               .parent_kernel = launch->orders[grid].running->record->number,
                               .child_kernel = launch->orders[other].running->record->number,
                               .parent = task - graph->grids[grid].first,
                               .child = child - graph->grids[other].first,
                           });
        }
    }
}
