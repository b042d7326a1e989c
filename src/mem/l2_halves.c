/* An L2 of two halves (knob l2_halves), as of an A100, H100 and H200.
 *
 * Every SM is at one half and sends all its requests there. A line belongs to one slice, its home, behind
 * which its memory is; what takes effect on it does so there. A request for a line whose home is in the other
 * half comes to the slice opposite the home. That slice passes stores and atomics on, over the link between
 * the halves; a store changes the copy that it passes, and leaves a copy of the sectors that it writes whole;
 * an atomic drops it. (On an H200 a load of what an SM of the same half has stored is near, wherever the
 * line's home is: store_line_by_same of tests/device/caches/h200-firsts.csv.) Loads it answers from a copy if
 * it has one; else it fetches the sectors from the home and keeps a copy beside its own lines. As from DRAM
 * it fetches l2_fetch_bytes at least: of a row that is read 32 bytes at a time a load finds every second
 * sector in its half of an H200, wherever the home is (h200-rounds.csv: 132 blocks, 8 rows each, 412 cycles
 * in the middle, where one that is in L2 takes 406 and one that is far 540). A load that
 * may see what others write meanwhile (strong) does not wait for a fetch that is under way, it asks itself:
 * 240 warps of an H200 that poll beside atomics of the other half slow those down as that many loads would
 * (atomics_beside_polls in h200-halves.csv). Replies go the same way back.
 *
 * Copies are coherent. The home notes which sectors it has given away (`copied`); when somebody of its own
 * half or an atomic writes one, or it evicts the line, word to drop them crosses the link. A fetch that is
 * under way when a drop comes, or when a store passes, serves those that wait for it and is not kept; later
 * loads ask again, behind the store. Whoever has seen a new value got it from the home or from a copy that a
 * store had changed in passing: before he can tell an SM of the other half, the drop is there or the store
 * has come to the home, because l2_check() demands a link that is faster than that and a slice takes all in
 * in the order of arrival. A drop for an older store may take a copy that a newer one has changed: the fetch
 * that follows is behind the newer one.
 *
 * A slice never waits for the other half: fetches need no MSHR of those that l2_mshrs counts, any number of
 * loads can wait for one, and they take at most half of the ways of a set while under way. */
#include <string.h>

#include "base/alloc.h"
#include "mem/l2.h"
#include "mem/space.h"

static uint32_t shard_of(const L2Slice *slice, uint32_t number)
{
    return (uint32_t)slice->config->sm_count + interleave_channel(&slice->shared->interleave, number);
}

static void cross(const L2Slice *slice, uint32_t to, uint32_t kind, Request *request, Cycle arrival)
{
    request->is_foreign = false;
    shard_send(slice->shared->shard, shard_of(slice, to), arrival, kind, 0, request);
}

static void copy_sectors(uint8_t *to, const uint8_t *from, uint8_t sectors)
{
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const size_t offset = (size_t)__builtin_ctz(sectors) * SECTOR_BYTES;
        memcpy(to + offset, from + offset, SECTOR_BYTES);
    }
}

/* -- dropping -- */

/* The line's fetch will not be kept. */
static void let_go(L2Slice *slice, TagLine *line)
{
    if (line->pending)
        slice->misses[line->note].generation = 0;
    line->pending = 0;
}

void l2_drop(L2Slice *slice, uint64_t address, uint8_t sectors)
{
    l2_end_joining(slice, address | L2_FOREIGN);
    const uint32_t index = tags_find(&slice->tags, address | L2_FOREIGN);
    if (index == TAGS_NONE)
        return;
    TagLine *line = &slice->tags.lines[index];
    line->valid &= (uint8_t)~sectors;
    if (line->pending & sectors)
        let_go(slice, line);
}

void l2_recall(L2Slice *slice, uint64_t address, uint8_t sectors, Cycle now)
{
    const uint32_t opposite = slice->number ^ 1;
    const uint64_t place = opposite % slice->shared->interleave.slices_per_channel;
    slice->statistics.recalls++;
    shard_send(slice->shared->shard, shard_of(slice, opposite), now + slice->config->l2_link_latency,
               MESSAGE_DROP, address >> 7 << 12 | place << 4 | sectors, NULL);
}

void l2_keep_coherent(L2Slice *slice, const Request *request, TagLine *line, uint64_t address, Cycle now)
{
    const bool is_linked = request->slice != slice->number;
    if (request->kind == REQUEST_LOAD) {
        line->copied |= is_linked ? request->sectors : 0;
    } else if (request->kind == REQUEST_STORE && is_linked) {
        line->copied |= request->copied;
    } else {
        if (line->copied & request->sectors)
            l2_recall(slice, address, line->copied & request->sectors, now);
        line->copied &= (uint8_t)~request->sectors;
    }
}

/* -- fetching -- */

static Request *new_fetch(L2Slice *slice)
{
    Request *fetch = slice->free_fetches;
    if (!fetch) {
        fetch = memset(xaligned(_Alignof(Request), sizeof *fetch), 0, sizeof *fetch);
        VEC_PUSH(&slice->fetches, fetch);
        return fetch;
    }
    slice->free_fetches = fetch->next;
    return fetch;
}

/* The line's place among the tags, for a fetch or a copy that may be kept; TAGS_NONE: none. */
static uint32_t place_for(L2Slice *slice, uint64_t address, uint32_t sm, Cycle now)
{
    uint32_t index = tags_find(&slice->tags, address);
    if (index != TAGS_NONE)
        return index;
    index = tags_choose(&slice->tags, address);
    if (index == TAGS_NONE)
        return index;
    const uint32_t first = index - index % slice->tags.ways;
    uint32_t under_way = 0;
    for (uint32_t way = first; way < first + slice->tags.ways; way++)
        under_way += slice->tags.addresses[way] & L2_FOREIGN && slice->tags.lines[way].pending;
    if (2 * (under_way + 1) > slice->tags.ways ||
        (slice->tags.lines[index].dirty && !dram_has_room(slice->shared->dram, true)))
        return TAGS_NONE;
    l2_make_room(slice, index, address, sm, now);
    return index;
}

/* Whether the half of whoever asks may keep a copy. The host may write its memory at any time without a word,
 * and memory that moves has its home elsewhere then. */
static bool may_copy(const Request *request) { return !request->moves && !space_is_host(request->line); }

/* Asks the home for sectors; the load waits for them and perhaps for others. */
static void fetch(L2Slice *slice, Request *request, SlicePlace place, uint8_t sectors, bool keep, Cycle now)
{
    const uint32_t index = keep && may_copy(request)
                               ? place_for(slice, place.local | L2_FOREIGN, request->sm, now)
                               : (uint32_t)TAGS_NONE;
    TagLine *line = index == TAGS_NONE ? NULL : tags_use(&slice->tags, index);
    uint32_t number;
    if (line)
        sectors |= l2_widen(sectors, slice->config->l2_fetch_bytes) & (uint8_t)~(line->valid | line->pending);
    if (line && line->pending) {
        number = line->note;
    } else {
        number = l2_new_miss(slice);
        slice->fetches_in_use++;
        slice->misses[number].index = index;
        slice->misses[number].generation = line ? slice->tags.generation : 0;
    }
    if (line) {
        line->note = number;
        line->pending |= sectors;
    }
    slice->misses[number].pending |= sectors;
    request_list_append(&slice->misses[number].waiting, request);
    if (!sectors)
        return;
    Request *fetch = new_fetch(slice);
    fetch->line = request->line;
    fetch->place = request->place;
    fetch->sm = request->sm;
    fetch->slice = slice->number;
    fetch->kind = REQUEST_LOAD;
    fetch->moves = request->moves;
    fetch->version = request->version;
    fetch->sectors = sectors;
    fetch->ticket = l2_ticket(slice->place, number, sectors);
    slice->statistics.link_fetches += count_sectors(sectors);
    cross(slice, place.slice, MESSAGE_LINKED, fetch, now + slice->config->l2_link_latency);
}

static L2Wait look_for_copy(L2Slice *slice, Request *request, SlicePlace place, Cycle now)
{
    if (slice->replies.count >= slice->config->l2_reply_queue)
        return L2_WAIT_REPLY;
    const uint32_t index = tags_find(&slice->tags, place.local | L2_FOREIGN);
    const TagLine none = {0}, *line = index == TAGS_NONE ? &none : tags_use(&slice->tags, index);
    const uint8_t hits = request->sectors & line->valid, pending = request->sectors & line->pending;
    const uint8_t misses = request->sectors & (uint8_t) ~(hits | pending);
    slice->shared->accesses[request->sm]++;
    slice->statistics.loads++;
    slice->statistics.load_hits += count_sectors(hits);
    slice->statistics.load_pending += count_sectors(pending);
    slice->statistics.load_misses += count_sectors(misses);
    if (request->place && hits)
        copy_sectors(request->data, l2_copy_bytes(slice, index), hits);
    const bool alone = request->strength != REQUEST_WEAK && pending;
    slice->moved = hits;
    if (request->leads && hits == request->sectors)
        l2_joint_hits(slice, request, now);
    if (hits == request->sectors)
        l2_ring_push(&slice->delays[L2_DELAY_HIT], request, now + slice->config->l2_latency);
    else
        fetch(slice, request, place, misses | (alone ? pending : 0), !alone, now);
    return L2_WAIT_NONE;
}

/* A store passes. What it writes whole is a copy from now on, if there is room; the home will know, since the
 * store tells it (`copied`). Of other sectors only those change that are there: the rest of their bytes is
 * at the home. */
static void leave_copy(L2Slice *slice, uint64_t address, Request *request, Cycle now)
{
    const uint8_t whole = request->sectors & (uint8_t)~l2_partial_sectors(request);
    const uint32_t index = whole && may_copy(request)
                               ? place_for(slice, address | L2_FOREIGN, request->sm, now)
                               : tags_find(&slice->tags, address | L2_FOREIGN);
    request->copied = 0;
    if (index == TAGS_NONE)
        return;
    TagLine *line = &slice->tags.lines[index];
    if (line->pending & request->sectors)
        let_go(slice, line);
    if (whole && may_copy(request)) {
        tags_use(&slice->tags, index)->valid |= whole;
        request->copied = whole;
    }
    if (request->place && line->valid & request->sectors)
        l2_store_bytes(request, l2_copy_bytes(slice, index));
}

L2Wait l2_lookup_foreign(L2Slice *slice, Request *request, SlicePlace place, Cycle now)
{
    if (request->kind == REQUEST_LOAD)
        return look_for_copy(slice, request, place, now);
    if (request->kind == REQUEST_STORE)
        leave_copy(slice, place.local, request, now);
    else
        l2_drop(slice, place.local, request->sectors);
    slice->moved = 0;
    slice->statistics.link_writes++;
    cross(slice, place.slice, MESSAGE_LINKED, request, now + slice->config->l2_link_latency);
    return L2_WAIT_NONE;
}

/* -- what comes back -- */

/* All that goes to the home takes the same time, and so keeps its order. What a load gets back may be faster
 * than word to drop a copy: it has spent l2_latency at the home, so that it does not overtake what was sent
 * before its lookup. */
void l2_send_back(L2Slice *slice, Request *request, Cycle now)
{
    const GpuConfig *config = slice->config;
    const bool is_fast = request->kind == REQUEST_LOAD && config->l2_link_load_latency;
    cross(slice, request->slice, MESSAGE_BACK, request,
          now + (is_fast ? config->l2_link_load_latency : config->l2_link_latency));
}

void l2_take_back(L2Slice *slice, Request *request, Cycle now)
{
    slice->next = now < slice->next ? now : slice->next;
    if (request->kind != REQUEST_LOAD) {
        const Cycle passed = l2_pass_back(slice, request, now);
        l2_ring_push(&slice->delays[passed > now ? L2_DELAY_BACK : L2_DELAY_FILL], request,
                     passed + slice->config->l2_fill_latency);
        return;
    }
    L2Miss *miss = &slice->misses[l2_ticket_miss(request->ticket)];
    if (request->moves == MOVES_STRAY) { /* so is the load that waits for it, alone: no copy is kept */
        RequestList waiting = miss->waiting;
        miss->waiting = (RequestList){0};
        while (waiting.first)
            l2_send_astray(slice, request_list_pop(&waiting), now);
    } else if (request->place) {
        for (Request *waiting = miss->waiting.first; waiting; waiting = waiting->next)
            copy_sectors(waiting->data, request->data, request->sectors & waiting->sectors);
        if (miss->generation == slice->tags.generation)
            copy_sectors(l2_copy_bytes(slice, miss->index), request->data, request->sectors);
    }
    slice->fetches_in_use -= miss->pending == request->sectors;
    l2_fill(slice, request->ticket, now);
    request->next = slice->free_fetches;
    slice->free_fetches = request;
}
