/* The lookup of an L2 slice: tags, misses and evictions.
 *
 * A lookup first works out what it would need (LookupPlan) without changing anything, and is carried out only
 * if all of that is there. */
#include "mem/l2.h"

/* What a lookup does. Sets of sectors are bit masks. */
typedef struct LookupPlan {
    uint64_t address; /* of the line in its slice, by which the tags know it */
    uint32_t index;   /* of the line, or of the one that must go */
    bool is_there;
    bool waits; /* for sectors that are or will be on their way */
    uint8_t hits, pending, misses;
    uint8_t fetch;   /* from DRAM: misses, and what the fetch granularity adds to them */
    uint8_t partial; /* of a store: not wholly written */
} LookupPlan;

/* Sectors rounded up to aligned groups of the fetch granularity. */
static uint8_t widen(uint8_t sectors, uint64_t fetch_bytes)
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
    plan.fetch = widen(plan.misses & (uint8_t)~present, slice->config->l2_fetch_bytes) & (uint8_t)~present;
    const bool returns_data =
        request->kind == REQUEST_LOAD || (request->kind == REQUEST_ATOMIC && request->atomic->returns);
    plan.waits = returns_data && (plan.pending | plan.misses);
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
        slice->statistics.write_backs += (unsigned)__builtin_popcount(victim.dirty);
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
    slice->statistics.fetches += (unsigned)__builtin_popcount(plan->fetch);
    const uint32_t ticket = l2_ticket(slice->place, line->note, plan->fetch);
    use_dram(slice, plan->address, plan->fetch, false, sm, ticket, now);
}

static void count_lookup(L2Slice *slice, const Request *request, const LookupPlan *plan)
{
    L2Statistics *counts = &slice->statistics;
    const unsigned hits = (unsigned)__builtin_popcount(plan->hits);
    const unsigned pending = (unsigned)__builtin_popcount(plan->pending);
    const unsigned misses = (unsigned)__builtin_popcount(plan->misses);
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

/* The writing unit begins within the lookup's tick, or when it is done with the one before. Returns the first
 * tick after its work. */
static uint64_t occupy_writer(L2Slice *slice, const Request *request, uint64_t tick)
{
    const uint64_t time = l2_writing_time(slice->config, request, request->line == slice->written_line);
    const uint64_t start = tick * 100 > slice->writer_free ? tick * 100 : slice->writer_free;
    slice->writer_free = start + time;
    slice->written_line = request->line;
    slice->wrote_atomic = request->kind == REQUEST_ATOMIC;
    slice->statistics.writer_busy += time;
    return (slice->writer_free + 99) / 100;
}

/* Sectors that go to the other half are copies from now on; copies of what is written must go, unless the
 * store has come by them and changed them. */
static void keep_coherent(L2Slice *slice, const Request *request, TagLine *line, uint64_t address, Cycle now)
{
    const bool is_linked = request->slice != slice->number;
    if (request->kind == REQUEST_LOAD) {
        line->copied |= is_linked ? request->sectors : 0;
    } else if (request->kind == REQUEST_ATOMIC || !is_linked) {
        if (line->copied & request->sectors)
            l2_recall(slice, address, line->copied & request->sectors, now);
        line->copied &= (uint8_t)~request->sectors;
    }
}

L2Wait l2_lookup(L2Slice *slice, Request *request, uint64_t tick, Cycle now)
{
    const SlicePlace place = interleave_locate(&slice->shared->interleave, request->line);
    if (request->is_foreign)
        return l2_lookup_foreign(slice, request, place, now);
    const LookupPlan plan = make_plan(slice, request, place);
    const L2Wait lacks = what_lacks(slice, &plan);
    if (lacks != L2_WAIT_NONE)
        return lacks;

    slice->moved = request->sectors;
    const bool merges = plan.waits && plan.is_there && slice->tags.lines[plan.index].pending;
    slice->statistics.mshr_merges += merges;
    count_lookup(slice, request, &plan);
    if (!plan.is_there)
        l2_make_room(slice, plan.index, plan.address, request->sm, now);
    if (plan.fetch)
        fetch(slice, &plan, request->sm, now);
    TagLine *line = tags_use(&slice->tags, plan.index);
    if (request->kind != REQUEST_LOAD) {
        line->valid |= request->sectors & (uint8_t)~line->pending;
        line->dirty |= request->sectors;
    }
    if (slice->copies)
        keep_coherent(slice, request, line, plan.address, now);
    l2_move_data(slice, request);

    const Cycle latency = slice->config->l2_latency;
    Cycle done = now;
    bool behind_atomic = slice->wrote_atomic && request->line == slice->written_line;
    if (request->kind != REQUEST_LOAD) {
        const Cycle after = clock_cycle(slice->clock, occupy_writer(slice, request, tick));
        behind_atomic = request->kind == REQUEST_ATOMIC;
        if (behind_atomic)
            slice->atomic_done = done = after + slice->config->l2_atomic_latency;
    } else if (behind_atomic && slice->atomic_done > done) {
        done = slice->atomic_done;
    }
    if (plan.waits)
        request_list_append(&slice->misses[line->note].waiting, request);
    else
        l2_ring_push(&slice->delays[behind_atomic ? L2_DELAY_ATOMIC : L2_DELAY_HIT], request, done + latency);
    return L2_WAIT_NONE;
}
