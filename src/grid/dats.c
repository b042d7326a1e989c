/* The scheduler's two engines, as steps that each take their time. A step looks at what the buffer holds now
 * and says when the next one is due; whatever may let an engine go on that stands still (a line has come, a
 * block has ended, a kernel has got its entry) sets `wake`. */
#include "grid/dats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/access.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(DatsStatistics, field)},
#include "grid/graph_statistics.def"
#undef COUNT
};

const StatTable dats_statistics = {rows, sizeof rows / sizeof *rows};

static void *find_counters(const Dats *dats, const StatTable *table)
{
    for (uint32_t i = 0; i < dats->counted.count; i++)
        if (dats->counted.items[i].table == table)
            return dats->counted.items[i].counters;
    return NULL;
}

/* An order's own counters are there from its first graph on; the knob's from the beginning. */
static void *count_order(Dats *dats, const GraphOrder *order)
{
    const StatTable *table = order->about.counters;
    void *found = find_counters(dats, table);
    if (found || !table)
        return found;
    const OrderCounters counted = {table, policy_count(table)};
    VEC_PUSH(&dats->counted, counted);
    return counted.counters;
}

const void *dats_order_counters(const Dats *dats, const StatTable *table)
{
    return find_counters(dats, table);
}

Dats *dats_create(const GpuConfig *config, MemoryPort *port)
{
    Dats *dats = xcalloc(1, sizeof *dats);
    dats->config = config;
    dats->port = port;
    Error error = {0};
    const GraphOrder *order = order_find(config->graph_order, &error);
    if (order)
        count_order(dats, order);
    return dats;
}

void dats_free(Dats *dats)
{
    graph_buffer_free(&dats->buffer);
    for (uint32_t i = 0; i < dats->counted.count; i++)
        xfree(dats->counted.items[i].counters);
    VEC_FREE(&dats->counted);
    VEC_FREE(&dats->ended);
    VEC_FREE(&dats->ready_joins);
    xfree(dats);
}

static void note_peak(uint64_t *peak, uint64_t value)
{
    if (value > *peak)
        *peak = value;
}

/* What may be dispatched has changed. */
static void tell_news(Dats *dats)
{
    dats->is_chosen = false;
    dats->has_news = true;
}

/* Ended nodes that found no room look again: a child may be here now, or the Pending Update Buffer have
 * room. */
static void unblock(Dats *dats)
{
    for (uint32_t i = 0; i < dats->ended.count; i++)
        dats->ended.items[i].is_blocked = false;
}

/* -- fetching -- */

typedef enum FetchKind { FETCH_NODES, FETCH_EDGES } FetchKind;

/* The next step may come now, unless the engine is at one. */
static void wake_insertion(Dats *dats, Cycle now)
{
    dats->insert_when = dats->insert_when > now ? dats->insert_when : now;
}

static void take_nodes(Dats *dats, Cycle now)
{
    const LineFetch *line = &dats->nodes;
    NodeEntry entries[LINE_NODES];
    for (uint32_t i = 0; i < line->count; i++)
        entries[i] = image_read_node(&dats->run->image, line->bytes + i * dats->run->image.node_bytes);
    graph_buffer_take_nodes(&dats->buffer, line->first, entries, line->count);
    wake_insertion(dats, now);
}

static void take_edges(Dats *dats, Cycle now)
{
    const LineFetch *line = &dats->edges;
    const uint32_t id_bytes = dats->run->image.id_bytes;
    uint32_t children[LINE_BYTES / 2];
    for (uint32_t i = 0; i < line->count; i++)
        children[i] = image_read_id(&dats->run->image, line->bytes + i * id_bytes);
    graph_buffer_take_edges(&dats->buffer, line->first, children, line->count);
    note_peak(&dats->statistics.edges_peak, dats->buffer.edge_head - dats->buffer.edge_tail);
    wake_insertion(dats, now);
}

/* A line is here. The tag tells which kind it is. */
static void end_fetch(void *context, uint64_t tag, Cycle now)
{
    Dats *dats = context;
    if (tag == FETCH_NODES) {
        dats->nodes.is_coming = false;
        take_nodes(dats, now);
    } else {
        dats->edges.is_coming = false;
        take_edges(dats, now);
    }
    unblock(dats);
    tell_news(dats);
    dats->wake = now;
}

static void begin_fetch(Dats *dats, FetchKind kind, LineFetch *line, uint64_t offset, uint32_t bytes,
                        Cycle now)
{
    uint8_t *const place = dats->run->memory + offset;
    line->is_coming = true;
    if (!dats->port || !dats->config->graph_fetches) {
        memcpy(line->bytes, place, bytes);
        end_fetch(dats, kind, now);
        return;
    }
    const MemoryAccess access = {
        .address = dats->run->address + offset,
        .bytes = bytes,
        .place = place,
        .data = line->bytes,
        .done = end_fetch,
        .context = dats,
        .tag = kind,
    };
    ++*(kind == FETCH_NODES ? &dats->statistics.node_fetches : &dats->statistics.edge_fetches);
    memory_port_read(dats->port, &access, now);
}

static uint32_t at_most(uint32_t value, uint32_t limit) { return value < limit ? value : limit; }

static void fetch_nodes(Dats *dats, Cycle now)
{
    const GraphBuffer *buffer = &dats->buffer;
    const GraphImage *image = &dats->run->image;
    const uint32_t first = dats->next_nodes;
    if (dats->nodes.is_coming || buffer->insertion.next < buffer->insertion.count ||
        first == buffer->node_count)
        return;
    const uint32_t count = at_most(image->nodes_per_line, buffer->node_count - first);
    dats->nodes.first = first;
    dats->nodes.count = count;
    dats->next_nodes = first + count;
    begin_fetch(dats, FETCH_NODES, &dats->nodes, image_node_offset(image, first), count * image->node_bytes,
                now);
}

/* The line with the next edge: ahead, if all of it has room; else if a node waits for what has. */
static void fetch_edges(Dats *dats, Cycle now)
{
    const GraphBuffer *buffer = &dats->buffer;
    const GraphImage *image = &dats->run->image;
    const uint32_t head = buffer->edge_head;
    if (dats->edges.is_coming || head == buffer->edge_count)
        return;
    const uint32_t first = head / image->edges_per_line * image->edges_per_line;
    const uint32_t count = at_most(image->edges_per_line, buffer->edge_count - first);
    const bool has_room = (uint64_t)buffer->edge_tail + buffer->local_edges >= (uint64_t)first + count;
    if (!has_room && graph_buffer_can_insert(buffer) != INSERTION_NO_EDGES)
        return;
    dats->edges.first = first;
    dats->edges.count = count;
    begin_fetch(dats, FETCH_EDGES, &dats->edges, image_edge_offset(image, first), count * image->id_bytes,
                now);
}

/* -- inserting -- */

/* A node has become ready. */
static void note_ready(Dats *dats, uint32_t id)
{
    if (graph_buffer_node(&dats->buffer, id)->task >= dats->run->graph->block_count)
        VEC_PUSH(&dats->ready_joins, id);
    tell_news(dats);
}

static void insert_node(Dats *dats)
{
    GraphBuffer *buffer = &dats->buffer;
    const uint32_t id = buffer->head;
    graph_buffer_insert(buffer);
    dats->statistics.nodes++;
    dats->statistics.joins += graph_buffer_node(buffer, id)->task >= dats->run->graph->block_count;
    note_peak(&dats->statistics.nodes_peak, buffer->head - buffer->tail);
    if (graph_buffer_node(buffer, id)->state == NODE_READY)
        note_ready(dats, id);
    unblock(dats);
    tell_news(dats); /* the node before it may be complete now */
}

/* Fetches and insertions make each other possible, so both are tried until neither goes on. */
static void load(Dats *dats, Cycle now)
{
    for (;;) {
        const uint32_t nodes = dats->next_nodes, edges = dats->buffer.edge_head;
        fetch_nodes(dats, now);
        fetch_edges(dats, now);
        const bool inserts =
            dats->insert_when <= now && graph_buffer_can_insert(&dats->buffer) == INSERTION_POSSIBLE;
        if (inserts) {
            insert_node(dats);
            dats->insert_when = now + dats->config->graph_update_cycles;
        } else if (nodes == dats->next_nodes && edges == dats->buffer.edge_head) {
            return;
        }
    }
}

/* -- ended nodes -- */

static void end_addition(void *context, uint64_t tag, Cycle now)
{
    (void)tag, (void)now;
    ((Dats *)context)->additions--;
}

/* A parent count in global memory goes down. The count takes a part of an aligned word, and is not 0: to add
 * to the word changes nothing beside it. */
static void decrement_in_memory(Dats *dats, uint32_t child, Cycle now)
{
    const GraphImage *image = &dats->run->image;
    const uint64_t at = image_node_offset(image, child) + image_parents_offset(image);
    const uint64_t word = at / 4 * 4;
    const uint32_t add = (uint32_t)-1 << (at - word) * 8;
    uint8_t *place = dats->run->memory + word;
    if (!dats->port || !dats->config->graph_fetches) {
        uint32_t value;
        memcpy(&value, place, sizeof value);
        value += add;
        memcpy(place, &value, sizeof value);
        return;
    }
    const MemoryAccess access = {
        .address = dats->run->address + word,
        .bytes = 4,
        .place = place,
        .done = end_addition,
        .context = dats,
    };
    dats->additions++;
    memory_port_add(dats->port, &access, ATOMIC_ADD << AUX_OP_SHIFT | TYPE_u32, add, now);
}

/* The Pending Update Buffer is full. False: the node must wait; its child's entry is on its way, and would
 * not know, or nothing may go to memory. */
static bool overflow(Dats *dats, uint32_t child, Cycle now)
{
    if (!dats->config->graph_overflow)
        return false;
    if (graph_buffer_update_insertion(&dats->buffer, child))
        return true;
    if (child < dats->next_nodes)
        return false;
    dats->statistics.overflow_requests++;
    decrement_in_memory(dats, child, now);
    return true;
}

/* Tells the next child of the node. False: it must wait. */
static bool tell_child(Dats *dats, EndedNode *ended, Cycle now)
{
    GraphBuffer *buffer = &dats->buffer;
    const GraphNode *node = graph_buffer_node(buffer, ended->id);
    const uint32_t child = buffer->edges[(node->edge_start + ended->told) % buffer->local_edges];
    switch (graph_buffer_update(buffer, child)) {
    case UPDATE_READY:
        note_ready(dats, child);
        dats->statistics.updates_local++;
        break;
    case UPDATE_LOCAL:
        dats->statistics.updates_local++;
        break;
    case UPDATE_PENDING:
        dats->statistics.updates_pending++;
        note_peak(&dats->statistics.pending_peak, buffer->pending_count);
        break;
    case UPDATE_OVERFLOW:
        dats->statistics.updates_overflowed += !ended->has_overflowed;
        ended->has_overflowed = true;
        if (!overflow(dats, child, now))
            return false;
        break;
    }
    ended->has_overflowed = false;
    ended->told++;
    return true;
}

static void finish_node(Dats *dats, uint32_t index)
{
    graph_buffer_finish(&dats->buffer, dats->ended.items[index].id);
    dats->ended.count--;
    memmove(dats->ended.items + index, dats->ended.items + index + 1,
            (dats->ended.count - index) * sizeof *dats->ended.items);
    tell_news(dats); /* the lowest level may be another one */
}

/* One step: the first ended node that need not wait tells a child, or is over. */
static bool tell(Dats *dats, Cycle now)
{
    for (uint32_t i = 0; i < dats->ended.count; i++) {
        EndedNode *ended = &dats->ended.items[i];
        if (ended->is_blocked)
            continue;
        const uint32_t children = graph_buffer_node(&dats->buffer, ended->id)->edge_count;
        if (ended->told < children && !tell_child(dats, ended, now)) {
            ended->is_blocked = true;
            continue;
        }
        if (children)
            dats->tell_when = now + dats->config->graph_update_cycles;
        if (ended->told == children)
            finish_node(dats, i);
        return true;
    }
    return false;
}

/* When an ended node that need not wait has its turn. */
static Cycle tell_next(const Dats *dats)
{
    for (uint32_t i = 0; i < dats->ended.count; i++)
        if (!dats->ended.items[i].is_blocked)
            return dats->tell_when;
    return CYCLE_NEVER;
}

/* Joins that are ready are over as soon as all is known of them. */
static bool run_joins(Dats *dats)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < dats->ready_joins.count; i++) {
        const uint32_t id = dats->ready_joins.items[i];
        if (!graph_buffer_node(&dats->buffer, id)->is_counted) {
            dats->ready_joins.items[kept++] = id;
            continue;
        }
        graph_buffer_start(&dats->buffer, id);
        VEC_PUSH(&dats->ended, ((EndedNode){.id = id}));
    }
    const bool ran = kept < dats->ready_joins.count;
    dats->ready_joins.count = kept;
    return ran;
}

/* -- time -- */

static const GraphNode *choose(Dats *dats)
{
    if (!dats->is_chosen)
        dats->chosen = dats->run->order->next(&dats->buffer, dats->run->bound, dats->order_counters);
    dats->is_chosen = true;
    return dats->chosen;
}

void dats_account(Dats *dats, Cycle now)
{
    DatsPhase *phase = &dats->phase;
    DatsStatistics *statistics = &dats->statistics;
    if (!dats->run || now <= phase->since)
        return;
    const Cycle cycles = now - phase->since;
    statistics->active_cycles += cycles;
    statistics->level_range_cycles += cycles * phase->level_range;
    statistics->starved_cycles += phase->is_starved ? cycles : 0;
    statistics->bound_cycles += phase->is_bound ? cycles : 0;
    statistics->halted_cycles += phase->is_halted ? cycles : 0;
    statistics->blocked_cycles += phase->is_blocked ? cycles : 0;
    phase->since = now;
}

static bool has_blocked(const Dats *dats)
{
    for (uint32_t i = 0; i < dats->ended.count; i++)
        if (dats->ended.items[i].is_blocked)
            return true;
    return false;
}

/* What holds from `now` on. */
static void begin_phase(Dats *dats, Cycle now)
{
    const bool has_ready = graph_buffer_next_ready(&dats->buffer, 0);
    dats_account(dats, now);
    dats->phase = (DatsPhase){
        .since = dats->phase.since,
        .level_range = graph_buffer_level_range(&dats->buffer),
        .is_starved = !has_ready && (dats->nodes.is_coming || dats->edges.is_coming),
        .is_bound = has_ready && !choose(dats),
        .is_halted = graph_buffer_can_insert(&dats->buffer) == INSERTION_NO_ROOM,
        .is_blocked = has_blocked(dats),
    };
    note_peak(&dats->statistics.level_range_peak, dats->phase.level_range);
}

bool dats_advance(Dats *dats, Cycle now)
{
    if (dats_next(dats) > now)
        return false;
    dats->wake = CYCLE_NEVER;
    do {
        while (tell_next(dats) <= now)
            tell(dats, now);
        load(dats, now);
    } while (run_joins(dats) || tell_next(dats) <= now);
    begin_phase(dats, now);
    const bool has_news = dats->has_news;
    dats->has_news = false;
    return has_news;
}

Cycle dats_next(const Dats *dats)
{
    if (!dats->run)
        return CYCLE_NEVER;
    const bool inserts = graph_buffer_can_insert(&dats->buffer) == INSERTION_POSSIBLE;
    Cycle next = inserts && dats->insert_when < dats->wake ? dats->insert_when : dats->wake;
    return tell_next(dats) < next ? tell_next(dats) : next;
}

/* -- graphs coming and going -- */

bool dats_may_run(void *context, uint32_t task)
{
    const Dats *dats = context;
    const DependencyGraph *graph = dats->run->graph;
    return task >= graph->block_count || dats->run->kernels[graph_grid_of(graph, task)]->resident;
}

void dats_begin(Dats *dats, GraphRun *run, Cycle now)
{
    const GpuConfig *config = dats->config;
    graph_buffer_free(&dats->buffer);
    graph_buffer_init(&dats->buffer, order_local_nodes(run->order, config),
                      order_local_edges(run->order, config), (uint32_t)config->graph_pending_updates);
    graph_buffer_reset(&dats->buffer, run->graph->node_count, run->graph->edge_count);
    if (run->graph->grid_count > 1) {
        dats->buffer.may_run = dats_may_run;
        dats->buffer.context = dats;
    }
    run->dats = dats;
    dats->order_counters = count_order(dats, run->order);
    dats->run = run;
    dats->blocks_left = run->graph->block_count;
    dats->additions = 0;
    dats->nodes = dats->edges = (LineFetch){0};
    dats->next_nodes = dats->ended.count = dats->ready_joins.count = 0;
    dats->insert_when = dats->tell_when = dats->wake = now;
    dats->phase = (DatsPhase){.since = now};
    dats->statistics.graphs++;
    tell_news(dats);
}

bool dats_keeps_kernels(const Dats *dats)
{
    return dats->run && !dats->blocks_left &&
           (dats->buffer.tail < dats->buffer.node_count || dats->additions);
}

void dats_end(Dats *dats, Cycle now)
{
    dats_account(dats, now);
    dats->run = NULL;
}

/* -- the source -- */

static uint32_t id_of(const GridKernel *kernel, uint64_t block)
{
    const DependencyGraph *graph = kernel->graph->graph;
    return graph->ids[graph->grids[kernel->graph_grid].first + block];
}

/* The kernel has come into the distributor: its blocks may run. */
static void *init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)counters;
    tell_news(kernel->graph->dats);
    return kernel->graph->dats;
}

static bool next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    (void)state, (void)view;
    const GraphNode *node = choose(kernel->graph->dats);
    const GraphGrid *grid = &kernel->graph->graph->grids[kernel->graph_grid];
    if (!node || node->task < grid->first || node->task - grid->first >= grid->count)
        return false;
    *block = node->task - grid->first;
    return true;
}

static void block_started(void *state, const DispatchView *view, const BlockRef *block)
{
    Dats *dats = state;
    graph_buffer_start(&dats->buffer, id_of(block->kernel, block->block));
    dats->is_chosen = false;
    begin_phase(dats, view->now);
}

static void block_ended(void *state, const DispatchView *view, const BlockRef *block)
{
    Dats *dats = state;
    dats->blocks_left--;
    VEC_PUSH(&dats->ended, ((EndedNode){.id = id_of(block->kernel, block->block)}));
    dats->wake = view->now;
}

const BlockSource dats_source = {
    .base =
        {
            .about =
                {
                    .name = "dependency-graph",
                    .description = "Blocks whose parents have ended",
                    .source = "Wireframe, section 4",
                },
            .init = init,
            .block_started = block_started,
            .block_ended = block_ended,
        },
    .next = next,
};
