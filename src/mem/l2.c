/* A request's way through an L2 slice: into the queue, looked up, and out again as a reply.
 *
 * A lookup first works out what it would need (LookupPlan) without changing anything, and is carried out only
 * if all of that is there; until then the head of the queue waits, and all behind it. Its data moves at the
 * lookup, hit or miss. A request that waits for sectors is in the list of their miss record until they have
 * come from DRAM (or from the other half); then, as after a hit, a fixed time passes before its reply may
 * leave. */
#include "mem/l2.h"

#include <string.h>

#include "base/alloc.h"
#include "mem/coherent.h"
#include "mem/directory.h"

/* -- in -- */

void l2_arrive(L2Slice *slice, Request *request, Cycle now)
{
    const bool is_answer = request->kind == REQUEST_PROBE;
    if (slice->joints && request->slice == slice->number && l2_join(slice, request, now)) {
        crossbar_pass(slice->shared->crossbar, TO_SLICE, request, now);
        return;
    }
    request_list_append(is_answer ? &slice->directory->arrived : &slice->arrived, request);
}

/* What is looked up next: one that is looked up again, or the first of the queue. */
static L2Entry head_of(const L2Slice *slice)
{
    if (slice->again.first)
        return (L2Entry){slice->again.first, 0};
    return slice->queue.count ? slice->queue.entries[slice->queue.first] : (L2Entry){NULL, 0};
}

/* Works out when the head of the queue can be looked up, but not before `from`. */
static void schedule_head(L2Slice *slice, Cycle from)
{
    const L2Entry entry = head_of(slice), *head = &entry;
    if (!head->request) {
        slice->head_at = CYCLE_NEVER;
        return;
    }
    const uint64_t ready = clock_tick(slice->clock, head->ready > from ? head->ready : from);
    const uint64_t tick = ready > slice->next_tick ? ready : slice->next_tick;
    const uint64_t unit_free = head->request->is_foreign ? 0 : l2_unit_free(slice, head->request);
    slice->head_tick = unit_free > tick ? unit_free : tick;
    slice->head_unit = slice->head_tick - tick;
    slice->head_at = clock_cycle(slice->clock, slice->head_tick);
}

static bool is_linked(const L2Slice *slice, const Request *request)
{
    return slice->copies && request->slice != slice->number;
}

/* The list whose first request is the next to be taken in; null: there is none, or it is held. */
static RequestList *next_list(L2Slice *slice, Cycle now)
{
    if (slice->held.first && slice->held_until <= now)
        return &slice->held;
    while (slice->held.first && slice->arrived.first && !is_linked(slice, slice->arrived.first))
        request_list_append(&slice->held, request_list_pop(&slice->arrived));
    return slice->arrived.first ? &slice->arrived : NULL;
}

/* When a request from the crossbar can be taken in. */
static Cycle port_free(const L2Slice *slice, Cycle now)
{
    return clock_later(l2_port_free(slice),
                       crossbar_in_free(slice->shared->crossbar, TO_SLICE, slice->number, now));
}

static void take(L2Slice *slice, Request *request, Cycle now)
{
    Cycle ready = now;
    if (!is_linked(slice, request)) {
        l2_occupy_port(slice, request, now);
        request->is_foreign =
            slice->copies && interleave_slice(&slice->shared->interleave, request->line) != slice->number;
        ready = crossbar_take(slice->shared->crossbar, TO_SLICE, request, now);
    } else {
        l2_note_rival(slice, request, now);
    }
    l2_ring_push(&slice->queue, request, ready);
    if (slice->queue.count == 1 && !slice->again.first)
        schedule_head(slice, 0);
}

/* Takes in what has come through the crossbar and from the other half, in the order of arrival, but for what
 * is held; returns when the next one can be. */
static Cycle take_in(L2Slice *slice, Cycle now)
{
    RequestList *list;
    while (slice->queue.count < slice->config->l2_queue && (list = next_list(slice, now))) {
        const bool is_near = !is_linked(slice, list->first);
        const Cycle free = is_near ? port_free(slice, now) : now;
        if (free > now)
            return free;
        Request *request = request_list_pop(list);
        if (is_near && l2_must_hold(slice, request, now))
            request_list_prepend(&slice->held, request);
        else
            take(slice, request, now);
    }
    const bool has_room = slice->queue.count < slice->config->l2_queue;
    return slice->held.first && has_room ? slice->held_until : CYCLE_NEVER;
}

/* -- what a lookup needs -- */

/* What a lookup does. Sets of sectors are bit masks. */
typedef struct LookupPlan {
    uint64_t address; /* of the line in its slice, by which the tags know it */
    uint32_t index;   /* of the line, or of the one that must go */
    bool is_there;
    bool waits; /* for sectors that are or will be on their way */
    uint8_t hits, pending, misses;
    uint8_t fetch;    /* from DRAM: misses, and what the fetch granularity adds to them */
    uint8_t recalled; /* from a cache, for this request */
    uint8_t partial;  /* of a store: not wholly written */
} LookupPlan;

uint8_t l2_widen(uint8_t sectors, uint64_t fetch_bytes)
{
    if (fetch_bytes <= SECTOR_BYTES || !sectors)
        return sectors;
    if (fetch_bytes >= LINE_BYTES)
        return 0xF;
    return (uint8_t)((sectors & 0x3 ? 0x3 : 0) | (sectors & 0xC ? 0xC : 0));
}

static LookupPlan make_plan(L2Slice *slice, const Request *request, SlicePlace place)
{
    LookupPlan plan = {.address = place.local};
    plan.index = tags_find(&slice->tags, plan.address);
    plan.is_there = plan.index != TAGS_NONE;
    uint8_t valid = 0, pending = 0;
    if (plan.is_there) {
        valid = slice->tags.lines[plan.index].valid;
        pending = slice->tags.lines[plan.index].pending;
    } else {
        plan.index = tags_choose(&slice->tags, plan.address);
    }
    plan.hits = request->sectors & valid;
    plan.pending = request->sectors & pending;
    plan.misses = request->sectors & (uint8_t) ~(valid | pending);

    uint8_t present = valid | pending;
    if (request->kind == REQUEST_STORE) {
        plan.partial = l2_partial_sectors(request);
        present |= request->sectors & (uint8_t) ~(slice->config->l2_partial_fetch ? plan.partial : 0);
    }
    if (slice->directory && !request->ask && request->has_data) {
        plan.recalled = coherent_sectors(slice->config, coherent_unit_of(slice->config, request));
        present |= plan.recalled;
    }
    plan.fetch = l2_widen(plan.misses & (uint8_t)~present, slice->config->l2_fetch_bytes) & (uint8_t)~present;
    const bool returns_data =
        request->kind == REQUEST_LOAD || (request->kind == REQUEST_ATOMIC && request->atomic->returns);
    plan.waits = returns_data && ((plan.pending | plan.misses) & (uint8_t)~plan.recalled);
    return plan;
}

/* What the plan lacks. */
static L2Wait what_lacks(L2Slice *slice, const LookupPlan *plan)
{
    if (slice->replies.count >= slice->config->l2_reply_queue)
        return L2_WAIT_REPLY;
    if (plan->index == TAGS_NONE)
        return L2_WAIT_WAYS;
    const TagLine *line = &slice->tags.lines[plan->index];
    const bool has_miss = plan->is_there && line->pending;
    if (plan->waits && has_miss && slice->misses[line->note].waiting.count >= slice->config->l2_merges) {
        slice->wait_miss = line->note;
        return L2_WAIT_MERGE;
    }
    if (plan->fetch && !has_miss && !l2_may_miss(slice))
        return L2_WAIT_MSHR;
    if (plan->fetch && !dram_has_room(slice->shared->dram, false))
        return L2_WAIT_READ;
    if (!plan->is_there && line->dirty && !dram_has_room(slice->shared->dram, true))
        return L2_WAIT_WRITE;
    return L2_WAIT_NONE;
}

/* -- what it does -- */

/* Fetches from the other half may make more of them than there are MSHRs. */
uint32_t l2_new_miss(L2Slice *slice)
{
    if (slice->free_miss == L2_NO_MISS) {
        const uint32_t count = slice->miss_count;
        slice->miss_count = 2 * count;
        slice->misses = xrealloc(slice->misses, slice->miss_count * sizeof *slice->misses);
        for (uint32_t i = count; i < 2 * count; i++)
            slice->misses[i] = (L2Miss){.next_free = i + 1 < 2 * count ? i + 1 : L2_NO_MISS};
        slice->free_miss = count;
    }
    const uint32_t number = slice->free_miss;
    slice->free_miss = slice->misses[number].next_free;
    slice->misses_in_use++;
    return number;
}

static void use_dram(L2Slice *slice, uint64_t address, uint8_t sectors, bool write, uint32_t sm,
                     uint32_t ticket, Cycle now)
{
    const SlicePlace place = {slice->number, address};
    const uint64_t local = interleave_channel_local(&slice->shared->interleave, place);
    dram_take(slice->shared->dram, local, sectors, write, sm, ticket, now);
    slice->used_dram = true;
}

void l2_make_room(L2Slice *slice, uint32_t index, uint64_t address, uint32_t sm, Cycle now)
{
    const TagVictim victim = tags_replace(&slice->tags, index, address);
    slice->statistics.evictions += victim.valid != 0;
    if (victim.copied)
        l2_recall(slice, victim.address, victim.copied, now);
    if (victim.dirty) {
        slice->statistics.write_backs += count_sectors(victim.dirty);
        use_dram(slice, victim.address, victim.dirty, true, sm, 0, now);
    }
}

static void fetch(L2Slice *slice, const LookupPlan *plan, uint32_t sm, Cycle now)
{
    TagLine *line = &slice->tags.lines[plan->index];
    if (!line->pending) {
        line->note = l2_new_miss(slice);
        L2Miss *miss = &slice->misses[line->note];
        miss->index = plan->index;
        miss->generation = slice->tags.generation;
    }
    line->pending |= plan->fetch;
    slice->misses[line->note].pending |= plan->fetch;
    slice->statistics.fetches += count_sectors(plan->fetch);
    const uint32_t ticket = l2_ticket(slice->place, line->note, plan->fetch);
    use_dram(slice, plan->address, plan->fetch, false, sm, ticket, now);
}

static void count_lookup(L2Slice *slice, const Request *request, const LookupPlan *plan)
{
    L2Statistics *counts = &slice->statistics;
    const unsigned hits = count_sectors(plan->hits);
    const unsigned pending = count_sectors(plan->pending);
    const unsigned misses = count_sectors(plan->misses);
    if (slice->copies && request->slice != slice->number) {
        counts->linked_loads += request->kind == REQUEST_LOAD;
        counts->linked_writes += request->kind != REQUEST_LOAD;
        if (request->kind == REQUEST_LOAD) /* counted at the half that asks */
            return;
    }
    slice->shared->accesses[request->sm]++;
    switch (request->kind) {
    case REQUEST_LOAD:
        counts->loads++;
        counts->load_hits += hits;
        counts->load_pending += pending;
        counts->load_misses += misses;
        break;
    case REQUEST_STORE:
        counts->stores++;
        counts->store_hits += hits;
        counts->store_pending += pending;
        counts->store_misses += misses;
        break;
    default:
        counts->atomics++;
        counts->atomic_hits += hits;
        counts->atomic_pending += pending;
        counts->atomic_misses += misses;
        break;
    }
}

static void load_sectors(Request *request)
{
    for (uint8_t left = request->sectors; left; left &= (uint8_t)(left - 1)) {
        const unsigned offset = (unsigned)__builtin_ctz(left) * SECTOR_BYTES;
        memcpy(request->data + offset, request->place + offset, SECTOR_BYTES);
    }
}

void l2_perform(Request *request, AtomicPerform *atomic)
{
    if (!request->place)
        return;
    if (request->kind == REQUEST_ATOMIC)
        atomic(request->atomic, request->place);
    else if (request->kind == REQUEST_STORE)
        l2_store_bytes(request, request->place);
    else
        load_sectors(request);
}

/* After the lookup: the request waits for its sectors, or its reply for its time. */
static void go_on_after(L2Slice *slice, Request *request, const LookupPlan *plan, uint64_t tick, Cycle now)
{
    const Cycle latency = slice->config->l2_latency;
    Cycle done = now;
    bool behind_atomic = slice->wrote_atomic && request->line == slice->written_line;
    if (request->kind != REQUEST_LOAD) {
        const Cycle after = clock_cycle(slice->clock, l2_occupy_writer(slice, request, tick));
        behind_atomic = request->kind == REQUEST_ATOMIC;
        if (behind_atomic)
            slice->atomic_done = done = after + slice->config->l2_atomic_latency;
    } else if (behind_atomic && slice->atomic_done > done) {
        done = slice->atomic_done;
    }
    if (plan->waits)
        request_list_append(&slice->misses[slice->tags.lines[plan->index].note].waiting, request);
    else
        l2_ring_push(&slice->delays[behind_atomic ? L2_DELAY_ATOMIC : L2_DELAY_HIT], request, done + latency);
    if (request->leads && !plan->waits)
        l2_joint_hits(slice, request, done);
}

/* Looks a request up in L2 clock `tick`, which is in cycle `now`. Either does all of it and returns
 * L2_WAIT_NONE, or changes nothing and says what is lacking. `again`: the directory has kept it before. */
static L2Wait look_up_request(L2Slice *slice, Request *request, bool again, uint64_t tick, Cycle now)
{
    const SlicePlace place = interleave_locate(&slice->shared->interleave, request->line);
    if (request->is_foreign)
        return l2_lookup_foreign(slice, request, place, now);
    if (request->moves && l2_is_stray(slice, request, now)) {
        slice->moved = 0;
        l2_send_astray(slice, request, now);
        return L2_WAIT_NONE;
    }
    if (slice->directory) {
        slice->moved = 0;
        const DirectoryAnswer answer = directory_look_up(slice, request, again, now);
        if (answer != DIRECTORY_PASSES)
            return answer == DIRECTORY_WAITS ? L2_WAIT_REPLY : L2_WAIT_NONE;
    }
    const LookupPlan plan = make_plan(slice, request, place);
    const L2Wait lacks = what_lacks(slice, &plan);
    if (lacks != L2_WAIT_NONE)
        return lacks;

    slice->moved = request->sectors;
    const bool merges = plan.waits && plan.is_there && slice->tags.lines[plan.index].pending;
    slice->statistics.mshr_merges += merges;
    count_lookup(slice, request, &plan);
    if (slice->directory)
        directory_commit(slice, request, again, now);
    if (!plan.is_there)
        l2_make_room(slice, plan.index, plan.address, request->sm, now);
    if (plan.fetch)
        fetch(slice, &plan, request->sm, now);
    TagLine *line = tags_use(&slice->tags, plan.index);
    if (request->kind != REQUEST_LOAD || plan.recalled) {
        const uint8_t changed = request->sectors | plan.recalled;
        line->valid |= changed & (uint8_t)~line->pending;
        line->dirty |= changed;
    }
    if (slice->copies)
        l2_keep_coherent(slice, request, line, plan.address, now);
    l2_perform(request, slice->shared->atomic);
    go_on_after(slice, request, &plan, tick, now);
    return L2_WAIT_NONE;
}

/* -- the head of the queue -- */

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

void l2_look_up_again(L2Slice *slice, Request *request, Cycle now)
{
    request_list_append(&slice->again, request);
    if (slice->again.count > 1)
        return;
    set_wait(slice, L2_WAIT_NONE, now); /* of the queue's head, whose turn is later now */
    schedule_head(slice, now);
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

/* How many ticks the lookup just done takes of the slice. */
static uint64_t busy_ticks(L2Slice *slice, const Request *request)
{
    const uint32_t busy = slice->data_ticks[count_sectors(slice->moved)];
    slice->statistics.data_busy += busy;
    const uint64_t loads = 1 + request->joined.count; /* each takes its own time */
    if (request->strength != REQUEST_SYSTEM || loads * slice->config->l2_system_load <= 100 * busy)
        return busy;
    slice->system_rest += loads * slice->config->l2_system_load;
    const uint64_t ticks = slice->system_rest / 100;
    slice->system_rest %= 100;
    return ticks;
}

static void look_up(L2Slice *slice, Cycle now)
{
    if (slice->wait != L2_WAIT_NONE && l2_can_go_on(slice))
        schedule_head(slice, now);
    while (slice->head_at <= now) {
        Request *request = head_of(slice).request;
        const bool again = request == slice->again.first;
        const uint64_t tick = slice->head_tick, unit = slice->head_unit;
        if (again) /* before, since it may go into another list */
            request_list_pop(&slice->again);
        set_wait(slice, look_up_request(slice, request, again, tick, now), now);
        if (slice->wait != L2_WAIT_NONE) {
            if (again)
                request_list_prepend(&slice->again, request);
            slice->head_at = CYCLE_NEVER;
            return;
        }
        slice->statistics.stall_writer += unit;
        slice->next_tick = tick + busy_ticks(slice, request);
        if (!again)
            l2_ring_pop(&slice->queue);
        schedule_head(slice, 0);
    }
}

/* -- out -- */

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
        if (request->leads && l2_joint_waits(slice, request))
            l2_ring_push(&slice->delays[L2_DELAY_JOINT], request, now + slice->config->l2_join_latency);
        else if (slice->copies && request->slice != slice->number)
            l2_send_back(slice, request, now);
        else
            request_list_append(&slice->replies, request);
    }
    slice->asks = false;
    while (slice->replies.first) {
        Request *request = slice->replies.first;
        const Cycle when = crossbar_when_reply(slice->shared->crossbar, request, now);
        if (when > now) {
            slice->asks = when == CYCLE_NEVER;
            return when;
        }
        request_list_pop(&slice->replies);
        crossbar_send(slice->shared->crossbar, TO_SM, request, slice->shared->shard,
                      crossbar_shard_of(slice->config, request->sm), now);
        slice->statistics.replies++;
        if (request->joined.first)
            l2_joint_answered(slice, request);
        if (slice->directory)
            directory_sent(slice, request, now);
    }
    return CYCLE_NEVER;
}

/* -- time -- */

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
    const Cycle answer = slice->directory ? directory_advance(slice, now) : CYCLE_NEVER;
    const Cycle send = send_replies(slice, now);
    look_up(slice, now);
    const Cycle take = take_in(slice, now);
    account_full(slice, now);
    /* Replies that come after one that cannot be sent change nothing, but for those to the other half, which
     * do not go through the crossbar. */
    const Cycle due =
        slice->replies.first && !slice->copies ? CYCLE_NEVER : l2_ring_ready(first_delay(slice));
    slice->next = clock_earlier(clock_earlier(clock_earlier(send, due), take), slice->head_at);
    slice->next = clock_earlier(slice->next, answer);
}
