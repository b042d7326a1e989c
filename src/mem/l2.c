/* The slice's queues, tick by tick; what a lookup does to data and tags is in l2_lookup.c. */
#include "mem/l2.h"

#include <inttypes.h>

#include "base/alloc.h"

enum { NO_MISS = UINT32_MAX };

#define COUNT(field, unit, description) {#field, unit, description, offsetof(L2Statistics, field)},
static const Stat rows[] = {
#include "mem/l2_statistics.def"
};
#undef COUNT
const StatTable l2_statistics = {rows, sizeof rows / sizeof *rows};

void l2_ring_grow(L2Ring *ring)
{
    const uint32_t capacity = ring->capacity ? 2 * ring->capacity : 16;
    L2Entry *entries = xmalloc(capacity * sizeof *entries);
    for (uint32_t i = 0; i < ring->count; i++)
        entries[i] = ring->entries[(ring->first + i) & (ring->capacity - 1)];
    xfree(ring->entries);
    *ring = (L2Ring){entries, 0, ring->count, capacity};
}

WbStatus l2_check(const GpuConfig *config, Error *error)
{
    const uint64_t row = config->l2_slices * config->l2_ways * LINE_BYTES;
    if (config->l2_bytes % row || config->l2_bytes / row > UINT32_MAX / config->l2_ways)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l2_bytes is %" PRIu64 ", but it must be a multiple of %" PRIu64
                         ", one line in each of l2_ways ways of each of l2_slices slices.",
                         config->l2_bytes, row);
    if (config->l2_slices / config->dram_channels > L2_SLICES_PER_CHANNEL)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l2_slices is %" PRIu64 " and dram_channels %" PRIu64
                         ", but a channel can have at most %d slices.",
                         config->l2_slices, config->dram_channels, L2_SLICES_PER_CHANNEL);
    if (config->l2_halves > 1 && config->l2_link_latency >= config->l2_latency + 4 * config->crossbar_latency)
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "l2_link_latency is %" PRIu64 ", but a value must not get to the other half of L2 by way "
            "of SMs first: it must be less than l2_latency and four times crossbar_latency, %" PRIu64 ".",
            config->l2_link_latency, config->l2_latency + 4 * config->crossbar_latency);
    return WB_OK;
}

void l2_init(L2Slice *slice, const L2Shared *shared, uint32_t number, uint32_t place)
{
    const GpuConfig *config = shared->config;
    *slice = (L2Slice){
        .shared = shared,
        .config = config,
        .number = number,
        .place = place,
        .clock = clock_of(config->l2_khz, config->clock_khz),
        .next = CYCLE_NEVER,
        .head_at = CYCLE_NEVER,
        .wait_since = CYCLE_NEVER,
        .full_since = CYCLE_NEVER,
        .misses = xcalloc(config->l2_mshrs, sizeof *slice->misses),
    };
    const uint64_t sets = config->l2_bytes / (config->l2_slices * config->l2_ways * LINE_BYTES);
    tags_init(&slice->tags, (uint32_t)sets, (uint32_t)config->l2_ways);
    for (uint32_t sectors = 0; sectors <= LINE_SECTORS; sectors++) {
        const uint64_t ticks =
            (sectors * SECTOR_BYTES + config->l2_bytes_per_tick - 1) / config->l2_bytes_per_tick;
        slice->data_ticks[sectors] = ticks ? (uint32_t)ticks : 1;
    }
    if (config->l2_halves > 1)
        slice->copies = xcalloc(sets * config->l2_ways, LINE_BYTES);
    slice->miss_count = (uint32_t)config->l2_mshrs;
    for (uint32_t i = 0; i < config->l2_mshrs; i++)
        slice->misses[i].next_free = i + 1 < config->l2_mshrs ? i + 1 : NO_MISS;
}

/* Fetches from the other half may make more of them than there are MSHRs. */
uint32_t l2_new_miss(L2Slice *slice)
{
    if (slice->free_miss == NO_MISS) {
        const uint32_t count = slice->miss_count;
        slice->miss_count = 2 * count;
        slice->misses = xrealloc(slice->misses, slice->miss_count * sizeof *slice->misses);
        for (uint32_t i = count; i < 2 * count; i++)
            slice->misses[i] = (L2Miss){.next_free = i + 1 < 2 * count ? i + 1 : NO_MISS};
        slice->free_miss = count;
    }
    const uint32_t number = slice->free_miss;
    slice->free_miss = slice->misses[number].next_free;
    slice->misses_in_use++;
    return number;
}

void l2_free(L2Slice *slice)
{
    tags_free(&slice->tags);
    xfree(slice->misses);
    xfree(slice->copies);
    for (uint32_t i = 0; i < slice->fetches.count; i++) /* also those that a failed run left under way */
        xfree(slice->fetches.items[i]);
    VEC_FREE(&slice->fetches);
    xfree(slice->queue.entries);
    for (int i = 0; i < L2_DELAYS; i++)
        xfree(slice->delays[i].entries);
}

void l2_invalidate(L2Slice *slice) { tags_invalidate(&slice->tags); }

bool l2_is_idle(const L2Slice *slice)
{
    uint32_t delayed = 0;
    for (int i = 0; i < L2_DELAYS; i++)
        delayed += slice->delays[i].count;
    return !(slice->arrived.count | slice->queue.count | slice->misses_in_use | delayed |
             slice->replies.count);
}

void l2_arrive(L2Slice *slice, Request *request) { request_list_append(&slice->arrived, request); }

/* -- replies -- */

/* The way whose first reply is due first. */
static L2Ring *first_delay(L2Slice *slice)
{
    L2Ring *first = &slice->delays[0];
    for (int i = 1; i < L2_DELAYS; i++)
        if (l2_ring_ready(&slice->delays[i]) < l2_ring_ready(first))
            first = &slice->delays[i];
    return first;
}

/* Sends what can be sent. Returns when the first of the replies that cannot could; CYCLE_NEVER if there is
 * none, or that is not known. */
static Cycle send_replies(L2Slice *slice, Cycle now)
{
    for (L2Ring *delay; delay = first_delay(slice), l2_ring_ready(delay) <= now;) {
        Request *request = l2_ring_pop(delay);
        if (slice->copies && request->slice != slice->number)
            l2_send_back(slice, request, now);
        else
            request_list_append(&slice->replies, request);
    }
    slice->asks = false;
    while (slice->replies.first) {
        Request *request = slice->replies.first;
        const Cycle when = crossbar_when(slice->shared->crossbar, TO_SM, request->sm, slice->number, now);
        if (when > now) {
            slice->asks = when == CYCLE_NEVER;
            return when;
        }
        request_list_pop(&slice->replies);
        crossbar_send(slice->shared->crossbar, TO_SM, request, slice->shared->shard,
                      crossbar_shard_of(slice->config, request->sm), now);
        slice->statistics.replies++;
    }
    return CYCLE_NEVER;
}

void l2_fill(L2Slice *slice, uint32_t ticket, Cycle now)
{
    L2Miss *miss = &slice->misses[l2_ticket_miss(ticket)];
    const uint8_t sectors = l2_ticket_sectors(ticket);
    tags_fill(&slice->tags, miss->index, miss->generation, sectors);
    miss->pending &= (uint8_t)~sectors;
    RequestList waiting = miss->waiting;
    miss->waiting = (RequestList){0};
    while (waiting.first) {
        Request *request = request_list_pop(&waiting);
        if (request->sectors & miss->pending)
            request_list_append(&miss->waiting, request);
        else
            l2_ring_push(&slice->delays[L2_DELAY_FILL], request, now + slice->config->l2_fill_latency);
    }
    if (!miss->pending) {
        miss->next_free = slice->free_miss;
        slice->free_miss = l2_ticket_miss(ticket);
        slice->misses_in_use--;
        slice->line_came = true;
    }
    slice->next = clock_earlier(slice->next, now);
}

/* -- lookups -- */

static uint64_t *wait_counter(L2Slice *slice)
{
    L2Statistics *counts = &slice->statistics;
    switch (slice->wait) {
    case L2_WAIT_MSHR:
        return &counts->stall_mshr;
    case L2_WAIT_MERGE:
        return &counts->stall_merge;
    case L2_WAIT_WAYS:
        return &counts->stall_ways;
    case L2_WAIT_REPLY:
        return &counts->stall_reply;
    default:
        return &counts->stall_dram;
    }
}

static void set_wait(L2Slice *slice, L2Wait wait, Cycle now)
{
    if (slice->wait != L2_WAIT_NONE)
        *wait_counter(slice) += now - slice->wait_since;
    slice->wait = wait;
    slice->wait_since = wait == L2_WAIT_NONE ? CYCLE_NEVER : now;
    slice->line_came = false;
}

bool l2_can_go_on(const L2Slice *slice)
{
    switch (slice->wait) {
    case L2_WAIT_MSHR:
        return l2_may_miss(slice);
    case L2_WAIT_MERGE:
        return slice->misses[slice->wait_miss].waiting.count < slice->config->l2_merges;
    case L2_WAIT_WAYS:
        return slice->line_came;
    case L2_WAIT_READ:
        return dram_has_room(slice->shared->dram, false);
    case L2_WAIT_WRITE:
        return dram_has_room(slice->shared->dram, true);
    case L2_WAIT_REPLY:
        return slice->replies.count < slice->config->l2_reply_queue;
    default:
        return true;
    }
}

/* Works out when the head of the queue can be looked up, but not before `from`. */
static void schedule_head(L2Slice *slice, Cycle from)
{
    if (!slice->queue.count) {
        slice->head_at = CYCLE_NEVER;
        return;
    }
    const L2Entry *head = &slice->queue.entries[slice->queue.first];
    const uint64_t ready = clock_tick(slice->clock, head->ready > from ? head->ready : from);
    const uint64_t tick = ready > slice->next_tick ? ready : slice->next_tick;
    const uint64_t unit_free = head->request->is_foreign ? 0 : l2_unit_free(slice, head->request);
    slice->head_tick = unit_free > tick ? unit_free : tick;
    slice->head_unit = slice->head_tick - tick;
    slice->head_at = clock_cycle(slice->clock, slice->head_tick);
}

/* How many ticks the lookup just done takes of the slice. */
static uint64_t busy_ticks(L2Slice *slice, const Request *request)
{
    const uint32_t busy = slice->data_ticks[__builtin_popcount(slice->moved)];
    slice->statistics.data_busy += busy;
    if (request->strength != REQUEST_SYSTEM || slice->config->l2_system_load <= 100 * busy)
        return busy;
    slice->system_rest += slice->config->l2_system_load;
    const uint64_t ticks = slice->system_rest / 100;
    slice->system_rest %= 100;
    return ticks;
}

static void look_up(L2Slice *slice, Cycle now)
{
    if (slice->wait != L2_WAIT_NONE && l2_can_go_on(slice))
        schedule_head(slice, now);
    while (slice->head_at <= now) {
        Request *request = slice->queue.entries[slice->queue.first].request;
        set_wait(slice, l2_lookup(slice, request, slice->head_tick, now), now);
        if (slice->wait != L2_WAIT_NONE) {
            slice->head_at = CYCLE_NEVER;
            return;
        }
        slice->statistics.stall_writer += slice->head_unit;
        slice->next_tick = slice->head_tick + busy_ticks(slice, request);
        l2_ring_pop(&slice->queue);
        schedule_head(slice, 0);
    }
}

/* Takes in what has come through the crossbar and from the other half, in the order of arrival; returns when
 * the next one can be. */
static Cycle take_in(L2Slice *slice, Cycle now)
{
    while (slice->arrived.first && slice->queue.count < slice->config->l2_queue) {
        const bool is_linked = slice->copies && slice->arrived.first->slice != slice->number;
        const Cycle free =
            is_linked ? now : crossbar_in_free(slice->shared->crossbar, TO_SLICE, slice->number, now);
        if (free > now)
            return free;
        Request *request = request_list_pop(&slice->arrived);
        if (slice->copies && !is_linked)
            request->is_foreign =
                interleave_slice(&slice->shared->interleave, request->line) != slice->number;
        l2_ring_push(&slice->queue, request,
                     is_linked ? now : crossbar_take(slice->shared->crossbar, TO_SLICE, request, now));
        if (slice->queue.count == 1)
            schedule_head(slice, 0);
    }
    return CYCLE_NEVER;
}

static void account_full(L2Slice *slice, Cycle now)
{
    if (slice->full_since != CYCLE_NEVER)
        slice->statistics.queue_full += now - slice->full_since;
    const bool is_full = slice->arrived.first && slice->queue.count >= slice->config->l2_queue;
    slice->full_since = is_full ? now : CYCLE_NEVER;
}

void l2_account(L2Slice *slice, Cycle now)
{
    if (slice->wait != L2_WAIT_NONE) {
        *wait_counter(slice) += now - slice->wait_since;
        slice->wait_since = now;
    }
    account_full(slice, now);
}

void l2_advance(L2Slice *slice, Cycle now)
{
    const Cycle send = send_replies(slice, now);
    look_up(slice, now);
    const Cycle take = take_in(slice, now);
    account_full(slice, now);
    /* Replies that come after one that cannot be sent change nothing, but for those to the other half, which
     * do not go through the crossbar. */
    const Cycle due =
        slice->replies.first && !slice->copies ? CYCLE_NEVER : l2_ring_ready(first_delay(slice));
    slice->next = clock_earlier(clock_earlier(clock_earlier(send, due), take), slice->head_at);
}
