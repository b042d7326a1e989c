/* The buffer's arrays are rings: whatever comes goes to its number modulo the size, so no entry is ever
 * looked for. A node that waits for nothing is in the bit map of the ready ones, which is what the order
 * chooses from. */
#include "grid/graph_buffer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/policy.h"
#include "mem/request.h"

void graph_buffer_init(GraphBuffer *buffer, uint32_t local_nodes, uint32_t local_edges, uint32_t pending)
{
    const uint32_t words = (local_nodes + 63) / 64;
    *buffer = (GraphBuffer){
        .nodes = xcalloc(local_nodes, sizeof *buffer->nodes),
        .local_nodes = local_nodes,
        .edges = xcalloc(local_edges, sizeof *buffer->edges),
        .local_edges = local_edges,
        .pending = xcalloc(pending ? pending : 1, sizeof *buffer->pending),
        .pending_capacity = pending,
        .ready = xcalloc(words, sizeof *buffer->ready),
        .processing = xcalloc(words, sizeof *buffer->processing),
    };
}

void graph_buffer_free(GraphBuffer *buffer)
{
    xfree(buffer->nodes);
    xfree(buffer->edges);
    xfree(buffer->pending);
    xfree(buffer->ready);
    xfree(buffer->processing);
    *buffer = (GraphBuffer){0};
}

void graph_buffer_reset(GraphBuffer *buffer, uint32_t node_count, uint32_t edge_count)
{
    const size_t words = (buffer->local_nodes + 63) / 64;
    memset(buffer->ready, 0, words * sizeof *buffer->ready);
    memset(buffer->processing, 0, words * sizeof *buffer->processing);
    buffer->node_count = node_count;
    buffer->edge_count = edge_count;
    buffer->tail = buffer->head = buffer->edge_tail = buffer->edge_head = buffer->pending_count = 0;
    buffer->insertion = (InsertionBuffer){0};
}

static uint32_t place_of(const GraphBuffer *buffer, uint32_t id) { return id % buffer->local_nodes; }

GraphNode *graph_buffer_node(const GraphBuffer *buffer, uint32_t id)
{
    return &buffer->nodes[place_of(buffer, id)];
}

static void set_bit(uint64_t *bits, uint32_t place) { bits[place / 64] |= (uint64_t)1 << place % 64; }
static void clear_bit(uint64_t *bits, uint32_t place) { bits[place / 64] &= ~((uint64_t)1 << place % 64); }

/* The first node from `id` on, below head, whose bit is set, or head. */
static uint32_t find_bit(const GraphBuffer *buffer, const uint64_t *bits, uint32_t id)
{
    while (id < buffer->head) {
        const uint32_t place = place_of(buffer, id), left = buffer->local_nodes - place;
        const uint64_t word = bits[place / 64] >> place % 64;
        if (word) {
            id += (uint32_t)__builtin_ctzll(word);
            return id < buffer->head ? id : buffer->head;
        }
        const uint32_t step = 64 - place % 64;
        id += step < left ? step : left;
    }
    return buffer->head;
}

/* The last node from tail on, below head, whose bit is set; there is one. */
static uint32_t find_last_bit(const GraphBuffer *buffer, const uint64_t *bits)
{
    uint32_t id = buffer->head - 1;
    for (;;) {
        const uint32_t place = place_of(buffer, id);
        const uint64_t word = bits[place / 64] << (63 - place % 64);
        if (word)
            return id - (uint32_t)__builtin_clzll(word);
        id -= place % 64 + 1;
    }
}

/* -- loading -- */

static bool has_insertion(const GraphBuffer *buffer)
{
    return buffer->insertion.next < buffer->insertion.count;
}

/* Whether the node with the highest ID that is here is known to have all its edges here, too: it is if the
 * next node's entry has been seen, and the edges before that one's have come. */
static void count_head(GraphBuffer *buffer)
{
    if (buffer->head == buffer->tail)
        return;
    GraphNode *node = graph_buffer_node(buffer, buffer->head - 1);
    const bool is_last = buffer->head == buffer->node_count;
    if (node->is_counted || (!is_last && !has_insertion(buffer)))
        return;
    const uint32_t end =
        is_last ? buffer->edge_count : buffer->insertion.entries[buffer->insertion.next].edge_start;
    if (buffer->edge_head < end)
        return;
    node->edge_count = end - node->first_edge;
    node->is_counted = true;
}

void graph_buffer_take_nodes(GraphBuffer *buffer, uint32_t first, const NodeEntry *entries, uint32_t count)
{
    buffer->insertion = (InsertionBuffer){.first = first, .count = count};
    memcpy(buffer->insertion.entries, entries, count * sizeof *entries);
    count_head(buffer);
}

void graph_buffer_take_edges(GraphBuffer *buffer, uint32_t first, const uint32_t *children, uint32_t count)
{
    const uint64_t room = (uint64_t)buffer->edge_tail + buffer->local_edges;
    for (; buffer->edge_head < first + count && buffer->edge_head < room; buffer->edge_head++)
        buffer->edges[buffer->edge_head % buffer->local_edges] = children[buffer->edge_head - first];
    count_head(buffer);
}

/* Whether edges up to `end` are here, could be, or have no room. */
static Insertion edges_up_to(const GraphBuffer *buffer, uint32_t end)
{
    if (buffer->edge_head >= end)
        return INSERTION_POSSIBLE;
    return (uint64_t)buffer->edge_tail + buffer->local_edges >= end ? INSERTION_NO_EDGES : INSERTION_NO_ROOM;
}

/* The last node of a line is inserted without its edges: how many it has shows in the next line, which comes
 * only when this one has gone. Those of the others must be here. */
Insertion graph_buffer_can_insert(const GraphBuffer *buffer)
{
    const InsertionBuffer *insertion = &buffer->insertion;
    const bool is_empty = !has_insertion(buffer);
    if (is_empty && buffer->head < buffer->node_count)
        return INSERTION_EMPTY;
    if (buffer->head > buffer->tail && !graph_buffer_node(buffer, buffer->head - 1)->is_counted)
        return edges_up_to(buffer,
                           is_empty ? buffer->edge_count : insertion->entries[insertion->next].edge_start);
    if (is_empty)
        return INSERTION_EMPTY;
    if (buffer->head - buffer->tail == buffer->local_nodes)
        return INSERTION_NO_PLACE;
    if (insertion->next + 1 < insertion->count)
        return edges_up_to(buffer, insertion->entries[insertion->next + 1].edge_start);
    return INSERTION_POSSIBLE;
}

/* Takes the node's updates out of the Pending Update Buffer. */
static uint32_t take_pending(GraphBuffer *buffer, uint32_t id)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffer->pending_count; i++)
        if (buffer->pending[i] != id)
            buffer->pending[kept++] = buffer->pending[i];
    const uint32_t taken = buffer->pending_count - kept;
    buffer->pending_count = kept;
    return taken;
}

uint32_t graph_buffer_insert(GraphBuffer *buffer)
{
    InsertionBuffer *insertion = &buffer->insertion;
    const NodeEntry entry = insertion->entries[insertion->next++];
    const uint32_t id = buffer->head++, place = place_of(buffer, id), updates = take_pending(buffer, id);
    const uint32_t parents = entry.parents - updates;
    buffer->nodes[place] = (GraphNode){
        .id = id,
        .task = entry.task,
        .parents = parents,
        .level = entry.level,
        .edge_start = entry.edge_start % buffer->local_edges,
        .first_edge = entry.edge_start,
        .state = parents ? NODE_WAITING : NODE_READY,
    };
    if (!parents)
        set_bit(buffer->ready, place);
    count_head(buffer);
    return updates;
}

/* -- running -- */

const GraphNode *graph_buffer_next_ready(const GraphBuffer *buffer, uint32_t from)
{
    uint32_t id = find_bit(buffer, buffer->ready, from < buffer->tail ? buffer->tail : from);
    for (; id < buffer->head; id = find_bit(buffer, buffer->ready, id + 1)) {
        const GraphNode *node = graph_buffer_node(buffer, id);
        if (node->is_counted && (!buffer->may_run || buffer->may_run(buffer->context, node->task)))
            return node;
    }
    return NULL;
}

uint32_t graph_buffer_lowest_level(const GraphBuffer *buffer)
{
    return buffer->tail < buffer->head ? graph_buffer_node(buffer, buffer->tail)->level : 0;
}

/* IDs ascend with levels. */
uint32_t graph_buffer_level_range(const GraphBuffer *buffer)
{
    const uint32_t lowest = find_bit(buffer, buffer->processing, buffer->tail);
    if (lowest == buffer->head)
        return 0;
    const uint32_t highest = find_last_bit(buffer, buffer->processing);
    return graph_buffer_node(buffer, highest)->level - graph_buffer_node(buffer, lowest)->level;
}

void graph_buffer_start(GraphBuffer *buffer, uint32_t id)
{
    const uint32_t place = place_of(buffer, id);
    clear_bit(buffer->ready, place);
    set_bit(buffer->processing, place);
    buffer->nodes[place].state = NODE_PROCESSING;
}

Update graph_buffer_update(GraphBuffer *buffer, uint32_t child)
{
    if (child >= buffer->head) {
        if (buffer->pending_count == buffer->pending_capacity)
            return UPDATE_OVERFLOW;
        buffer->pending[buffer->pending_count++] = child;
        return UPDATE_PENDING;
    }
    GraphNode *node = graph_buffer_node(buffer, child);
    if (--node->parents)
        return UPDATE_LOCAL;
    node->state = NODE_READY;
    set_bit(buffer->ready, place_of(buffer, child));
    return UPDATE_READY;
}

bool graph_buffer_update_insertion(GraphBuffer *buffer, uint32_t child)
{
    InsertionBuffer *insertion = &buffer->insertion;
    if (child < insertion->first + insertion->next || child >= insertion->first + insertion->count)
        return false;
    insertion->entries[child - insertion->first].parents--;
    return true;
}

void graph_buffer_finish(GraphBuffer *buffer, uint32_t id)
{
    clear_bit(buffer->processing, place_of(buffer, id));
    graph_buffer_node(buffer, id)->state = NODE_DONE;
    while (buffer->tail < buffer->head && graph_buffer_node(buffer, buffer->tail)->state == NODE_DONE)
        buffer->edge_tail += graph_buffer_node(buffer, buffer->tail++)->edge_count;
}

/* -- its size in bytes -- */

enum { STATE_BITS = 2 };

static uint64_t bytes_with(uint64_t node_bits, uint32_t local_nodes, uint32_t local_edges, uint32_t pending,
                           uint32_t id_bits)
{
    return local_nodes * ((node_bits + 7) / 8) + ((uint64_t)local_edges + pending) * (id_bits / 8) +
           LINE_BYTES;
}

/* Global node, parent count and level; where its edges begin. */
static uint64_t node_bits(uint32_t local_edges, uint32_t id_bits)
{
    return STATE_BITS + 3 * (uint64_t)id_bits + bits_for(local_edges - 1);
}

uint64_t graph_buffer_bytes(uint32_t local_nodes, uint32_t local_edges, uint32_t pending, uint32_t id_bits)
{
    return bytes_with(node_bits(local_edges, id_bits), local_nodes, local_edges, pending, id_bits);
}

uint64_t graph_buffer_bytes_in_full(uint32_t local_nodes, uint32_t local_edges, uint32_t pending,
                                    uint32_t id_bits)
{
    const uint64_t bits = node_bits(local_edges, id_bits) + id_bits + bits_for(local_edges);
    return bytes_with(bits, local_nodes, local_edges, pending, id_bits);
}
