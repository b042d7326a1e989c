/* List scheduling: cycle by cycle, of the instructions whose operands are there, the one that begins the
 * longest chain.
 *
 * That issues loads early and what hangs on them late, and so makes values live longer. Before more words are
 * live than there is room for, an instruction is taken only if it leaves no more of them live, even if the
 * warp has to wait for it; where there is none, the text's order is followed, whose need is known. A window
 * keeps the room from being filled by what is needed last, such as the addresses of loads far behind. A
 * reserve keeps words for loads from afar that are not ready yet. */
#include "ptx/schedule_region.h"

typedef struct Lister {
    ScheduleRegion *region;
    uint32_t *ready; /* nodes of which all predecessors are placed; in no order */
    uint32_t ready_count;
    uint32_t room; /* words */
    uint32_t window;
    uint32_t reserve; /* words kept for loads from afar that are not placed yet */
    uint32_t first;   /* the first node of the text that is not placed */
    uint32_t live;
    uint32_t now;
    ScheduleResult result;
} Lister;

static const FlowAccess *accesses_of(const ScheduleRegion *region, uint32_t node, uint32_t *count,
                                     const uint32_t **values)
{
    const uint32_t *begin = region->accesses->begin + region->first;
    *count = begin[node + 1] - begin[node];
    *values = region->value_of.items + (begin[node] - begin[0]);
    return region->accesses->items + begin[node];
}

/* -- what is live -- */

static void start_values(ScheduleRegion *region)
{
    for (uint32_t v = 0; v < region->values.count; v++) {
        region->values.items[v].reads_left = 0;
        region->values.items[v].is_live = region->values.items[v].is_live_in;
    }
    for (uint32_t n = 0; n < region->count; n++) {
        uint32_t count;
        const uint32_t *values;
        const FlowAccess *accesses = accesses_of(region, n, &count, &values);
        for (uint32_t k = 0; k < count; k++)
            region->values.items[values[k]].reads_left += !accesses[k].is_write;
    }
}

static bool is_needed(const ScheduleValue *value) { return value->reads_left > 0 || value->is_live_out; }

static void place_values(Lister *lister, uint32_t node)
{
    const ScheduleRegion *region = lister->region;
    uint32_t count;
    const uint32_t *values;
    const FlowAccess *accesses = accesses_of(region, node, &count, &values);
    uint32_t needed = lister->live + region->nodes[node].temporaries;
    for (uint32_t k = 0; k < count; k++) {
        ScheduleValue *value = &region->values.items[values[k]];
        value->reads_left -= !accesses[k].is_write;
        const bool is_live = is_needed(value) && (value->is_live || accesses[k].is_write);
        if (is_live && !value->is_live)
            lister->live += region->words_of[value->reg];
        if (!is_live && value->is_live)
            lister->live -= region->words_of[value->reg];
        value->is_live = is_live;
    }
    needed = lister->live > needed ? lister->live : needed;
    lister->result.words = needed > lister->result.words ? needed : lister->result.words;
}

static uint32_t reads_of(const FlowAccess *accesses, const uint32_t *values, uint32_t count, uint32_t value)
{
    uint32_t reads = 0;
    for (uint32_t k = 0; k < count && !accesses[k].is_write; k++)
        reads += values[k] == value;
    return reads;
}

/* Words that live on because of the node, less those that end with it. */
static int32_t growth(const ScheduleRegion *region, uint32_t node)
{
    uint32_t count;
    const uint32_t *values;
    const FlowAccess *accesses = accesses_of(region, node, &count, &values);
    int32_t words = 0;
    for (uint32_t k = 0; k < count; k++) {
        const ScheduleValue *value = &region->values.items[values[k]];
        const int32_t size = region->words_of[value->reg];
        if (accesses[k].is_write) {
            words += !value->is_live && is_needed(value) ? size : 0;
            continue;
        }
        /* An instruction may read a value twice; it ends once. */
        const bool is_first = !reads_of(accesses, values, k, values[k]);
        const bool is_last = reads_of(accesses, values, count, values[k]) == value->reads_left;
        words -= is_first && is_last && !value->is_live_out ? size : 0;
    }
    return words;
}

/* From the cheap bound to the exact one: growth() has to look at every value. */
static bool fits(const Lister *lister, uint32_t node)
{
    const ScheduleNode *needs = &lister->region->nodes[node];
    const uint32_t kept = needs->latency >= SCHEDULE_FAR ? 0 : lister->reserve;
    const uint32_t room = lister->room > kept ? lister->room - kept : 0;
    if (needs->temporaries && lister->live + needs->temporaries > lister->room)
        return false;
    if (lister->live + needs->words <= room)
        return true;
    const int32_t words = growth(lister->region, node);
    return words <= 0 || lister->live + (uint32_t)words <= room;
}

/* -- the choice -- */

static bool is_better(const Lister *lister, uint32_t a, uint32_t b)
{
    const ScheduleNode *x = &lister->region->nodes[a], *y = &lister->region->nodes[b];
    const uint32_t when_x = x->ready > lister->now ? x->ready : lister->now;
    const uint32_t when_y = y->ready > lister->now ? y->ready : lister->now;
    if (when_x != when_y)
        return when_x < when_y;
    return x->height != y->height ? x->height > y->height : a < b;
}

/* An index into `ready`. The first node of the text is always there: nothing is left that it waits for. */
static uint32_t choose(const Lister *lister)
{
    uint32_t best = NO_INDEX, first = 0;
    for (uint32_t i = 0; i < lister->ready_count; i++) {
        const uint32_t node = lister->ready[i];
        if (node == lister->first)
            first = i;
        if (node - lister->first >= lister->window ||
            (best != NO_INDEX && !is_better(lister, node, lister->ready[best])))
            continue;
        if (fits(lister, node))
            best = i;
    }
    return best == NO_INDEX ? first : best;
}

static void place(Lister *lister, uint32_t node)
{
    ScheduleNode *nodes = lister->region->nodes;
    const uint32_t issued = nodes[node].ready > lister->now ? nodes[node].ready : lister->now;
    for (uint32_t e = nodes[node].first_edge; e != NO_INDEX; e = lister->region->edges.items[e].next) {
        const ScheduleEdge *edge = &lister->region->edges.items[e];
        ScheduleNode *to = &nodes[edge->to];
        to->ready = issued + edge->cycles > to->ready ? issued + edge->cycles : to->ready;
        if (--to->waits == 0)
            lister->ready[lister->ready_count++] = edge->to;
    }
    /* The order is as good as its last result is early. */
    if (issued + nodes[node].latency > lister->result.cycles)
        lister->result.cycles = issued + nodes[node].latency;
    place_values(lister, node);
    if (nodes[node].latency >= SCHEDULE_FAR)
        lister->reserve -= nodes[node].words < lister->reserve ? nodes[node].words : lister->reserve;
    lister->now = issued + nodes[node].cost;
    nodes[node].is_placed = true;
    while (lister->first < lister->region->count && nodes[lister->first].is_placed)
        lister->first++;
}

static void start_nodes(Lister *lister)
{
    ScheduleRegion *region = lister->region;
    for (uint32_t n = 0; n < region->count; n++) {
        region->nodes[n].ready = region->nodes[n].waits = 0;
        region->nodes[n].is_placed = false;
    }
    for (uint32_t e = 0; e < region->edges.count; e++)
        region->nodes[region->edges.items[e].to].waits++;
    for (uint32_t n = 0; n < region->count; n++)
        if (!region->nodes[n].waits)
            lister->ready[lister->ready_count++] = n;
    start_values(region);
}

ScheduleResult schedule_list(ScheduleRegion *region, uint32_t room, uint32_t window, uint32_t reserve)
{
    uint32_t ready[SCHEDULE_REGION];
    Lister lister = {.region = region,
                     .ready = ready,
                     .room = room,
                     .window = window,
                     .reserve = reserve,
                     .live = region->live_in,
                     .result.words = region->live_in};
    start_nodes(&lister);
    for (uint32_t n = 0; n < region->count; n++) {
        const uint32_t chosen = choose(&lister);
        const uint32_t node = ready[chosen];
        /* The list has no order: choose() compares all, so removing needs none either. */
        ready[chosen] = ready[--lister.ready_count];
        place(&lister, node);
        region->order[n] = node;
    }
    return lister.result;
}
