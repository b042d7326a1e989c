/* Lookups, miss records, grants and probes. A unit's tag has valid = 1 while there is a copy, and its state
 * as the note. */
#include "mem/coherent.h"

#include <string.h>

enum { TAG_SHIFT = 7, FIRST_BUCKETS = 16 };

/* The address by which the tags know the unit: a multiple of 128, local memory (bit 63) apart. */
static uint64_t tag_of(const CoherentCache *cache, uint64_t unit)
{
    return (unit << 1 >> 1 >> cache->unit_shift << TAG_SHIFT) | unit >> 63 << 62;
}

static uint64_t unit_of_tag(const CoherentCache *cache, uint64_t tag)
{
    return (tag & ~(1ull << 62)) >> TAG_SHIFT << cache->unit_shift | tag >> 62 << 63;
}

static uint32_t sets_of(const CoherentCache *cache, uint64_t bytes, uint32_t ways)
{
    const uint64_t sets = (bytes >> cache->unit_shift) / ways;
    return sets ? (uint32_t)sets : 1;
}

void coherent_init(CoherentCache *cache, const GpuConfig *config, uint64_t max_bytes, uint32_t ways)
{
    *cache = (CoherentCache){
        .unit_shift = (uint32_t)__builtin_ctzll(config->coherence_bytes),
        .mshrs = (uint32_t)config->l1_mshrs,
        .merges = (uint32_t)config->l1_merges,
        .free_miss = L1_NONE,
        .free_target = L1_NONE,
        .bucket_count = FIRST_BUCKETS,
    };
    tags_init(&cache->tags, sets_of(cache, max_bytes, ways), ways);
    while (cache->bucket_count < 2 * cache->mshrs)
        cache->bucket_count *= 2;
    cache->buckets = xmalloc(cache->bucket_count * sizeof *cache->buckets);
    memset(cache->buckets, 0xFF, cache->bucket_count * sizeof *cache->buckets);
}

void coherent_free(CoherentCache *cache)
{
    tags_free(&cache->tags);
    xfree(cache->buckets);
    VEC_FREE(&cache->misses);
    VEC_FREE(&cache->targets);
    VEC_FREE(&cache->leaving);
}

void coherent_resize(CoherentCache *cache, uint64_t bytes)
{
    tags_resize(&cache->tags, sets_of(cache, bytes, cache->tags.ways));
}

void coherent_forget(CoherentCache *cache) { tags_invalidate(&cache->tags); }

static bool is_changed(uint32_t state) { return state == UNIT_OWNED || state == UNIT_MODIFIED; }

static bool may_write(uint32_t state) { return state == UNIT_EXCLUSIVE || state == UNIT_MODIFIED; }

/* The unit's tag, null if there is no copy. */
static TagLine *find_unit(CoherentCache *cache, uint64_t unit)
{
    const uint32_t index = tags_find(&cache->tags, tag_of(cache, unit));
    return index != TAGS_NONE && cache->tags.lines[index].valid ? &cache->tags.lines[index] : NULL;
}

static void leave(CoherentCache *cache, uint64_t unit, CoherentAsk *leaves)
{
    *leaves = (CoherentAsk){unit, ASK_LEAVE, UNIT_NONE};
    VEC_PUSH(&cache->leaving, unit);
    cache->statistics.write_backs++;
}

bool coherent_take_changed(CoherentCache *cache, CoherentAsk *leaves)
{
    TagArray *tags = &cache->tags;
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++) {
        TagLine *line = &tags->lines[i];
        if (tags->generations[i / tags->ways] != tags->generation || !line->valid || !is_changed(line->note))
            continue;
        line->valid = 0;
        leave(cache, unit_of_tag(cache, tags->addresses[i]), leaves);
        return true;
    }
    return false;
}

/* -- miss records -- */

static uint32_t *bucket_of(CoherentCache *cache, uint64_t unit)
{
    const uint64_t mixed = (unit >> cache->unit_shift) * 0x9E3779B97F4A7C15u;
    return &cache->buckets[mixed >> 40 & (cache->bucket_count - 1)];
}

static uint32_t find_miss(CoherentCache *cache, uint64_t unit)
{
    uint32_t number = cache->used ? *bucket_of(cache, unit) : L1_NONE;
    while (number != L1_NONE && cache->misses.items[number].unit != unit)
        number = cache->misses.items[number].next;
    return number;
}

static uint32_t new_miss(CoherentCache *cache, uint64_t unit)
{
    uint32_t number = cache->free_miss;
    if (number == L1_NONE) {
        number = cache->misses.count;
        VEC_PUSH(&cache->misses, (CoherentMiss){0});
    } else {
        cache->free_miss = cache->misses.items[number].next;
    }
    uint32_t *bucket = bucket_of(cache, unit);
    cache->misses.items[number] =
        (CoherentMiss){.unit = unit, .next = *bucket, .first = L1_NONE, .last = L1_NONE};
    *bucket = number;
    cache->used++;
    return number;
}

static void free_miss(CoherentCache *cache, uint32_t number)
{
    uint32_t *link = bucket_of(cache, cache->misses.items[number].unit);
    while (*link != number)
        link = &cache->misses.items[*link].next;
    *link = cache->misses.items[number].next;
    cache->misses.items[number].next = cache->free_miss;
    cache->free_miss = number;
    cache->used--;
}

static void add_target(CoherentCache *cache, uint32_t number, const CoherentAccess *access)
{
    uint32_t target = cache->free_target;
    if (target == L1_NONE) {
        target = cache->targets.count;
        VEC_PUSH(&cache->targets, (CoherentTarget){0});
    } else {
        cache->free_target = cache->targets.items[target].next;
    }
    cache->targets.items[target] = (CoherentTarget){*access, L1_NONE};
    CoherentMiss *miss = &cache->misses.items[number];
    *(miss->first == L1_NONE ? &miss->first : &cache->targets.items[miss->last].next) = target;
    miss->last = target;
    miss->count++;
}

static CoherentAccess take_target(CoherentCache *cache, uint32_t number)
{
    CoherentMiss *miss = &cache->misses.items[number];
    const uint32_t target = miss->first;
    const CoherentAccess access = cache->targets.items[target].access;
    miss->first = cache->targets.items[target].next;
    miss->count--;
    cache->targets.items[target].next = cache->free_target;
    cache->free_target = target;
    return access;
}

/* -- accesses -- */

static void count_access(CoherentCache *cache, const CoherentAccess *access, CoherentStatus status,
                         UnitState state)
{
    L1Statistics *counts = &cache->statistics;
    const unsigned sectors = count_sectors(access->sectors);
    const bool hits = status == COHERENT_HIT, misses = status == COHERENT_MISS;
    if (access->writes) {
        counts->store_hits += hits;
        counts->store_misses += !hits;
        counts->ownership_misses += misses;
        counts->ownership_upgrades += misses && state != UNIT_NONE;
        return;
    }
    counts->loads++;
    counts->load_hits += hits;
    counts->load_misses += misses;
    counts->load_merges += !hits && !misses;
    counts->sector_hits += hits ? sectors : 0;
    counts->sector_misses += misses ? sectors : 0;
    counts->sector_merges += !hits && !misses ? sectors : 0;
}

CoherentStatus coherent_access(CoherentCache *cache, const CoherentAccess *access, CoherentAsk *ask)
{
    uint32_t number = find_miss(cache, access->unit);
    if (number != L1_NONE) {
        if (cache->misses.items[number].count >= cache->merges)
            return COHERENT_FULL;
        add_target(cache, number, access);
        count_access(cache, access, COHERENT_MERGED, UNIT_NONE);
        return COHERENT_MERGED;
    }
    TagLine *line = find_unit(cache, access->unit);
    const UnitState state = line ? (UnitState)line->note : UNIT_NONE;
    if (access->writes ? may_write(state) : state != UNIT_NONE) {
        line->used = ++cache->tags.clock;
        if (access->writes)
            line->note = UNIT_MODIFIED;
        count_access(cache, access, COHERENT_HIT, state);
        return COHERENT_HIT;
    }
    if (cache->used >= cache->mshrs)
        return COHERENT_FULL;
    if (!access->can_send)
        return COHERENT_CANNOT_SEND;
    add_target(cache, new_miss(cache, access->unit), access);
    *ask = (CoherentAsk){access->unit, access->writes ? ASK_OWN : ASK_READ, (uint8_t)state};
    count_access(cache, access, COHERENT_MISS, state);
    return COHERENT_MISS;
}

/* -- grants -- */

/* A place for the unit; what had to go is put into the grant. */
static TagLine *place_unit(CoherentCache *cache, CoherentGrant *grant)
{
    const uint64_t tag = tag_of(cache, grant->unit);
    uint32_t index = tags_find(&cache->tags, tag);
    if (index == TAGS_NONE) {
        index = tags_choose(&cache->tags, tag);
        const uint32_t state = cache->tags.lines[index].note;
        const TagVictim victim = tags_replace(&cache->tags, index, tag);
        cache->statistics.evictions += victim.valid != 0;
        grant->leaves = victim.valid && is_changed(state);
        if (grant->leaves)
            leave(cache, unit_of_tag(cache, victim.address), &grant->victim);
    }
    TagLine *line = tags_use(&cache->tags, index);
    if (!line->valid)
        cache->statistics.fills += 1u << cache->unit_shift >> 5;
    line->valid = 1;
    line->note = grant->state;
    return line;
}

void coherent_granted(CoherentCache *cache, CoherentGrant *grant, CoherentPerform *perform, void *context)
{
    const uint32_t number = find_miss(cache, grant->unit);
    TagLine *line = place_unit(cache, grant);
    while (cache->misses.items[number].count) {
        const CoherentMiss *miss = &cache->misses.items[number];
        const bool writes = cache->targets.items[miss->first].access.writes;
        if (writes && !may_write(line->note)) {
            grant->asks = true;
            grant->again = (CoherentAsk){grant->unit, ASK_OWN, (uint8_t)line->note};
            cache->statistics.ownership_misses++;
            cache->statistics.ownership_upgrades++;
            return;
        }
        if (writes)
            line->note = UNIT_MODIFIED;
        const CoherentAccess access = take_target(cache, number);
        perform(context, &access);
    }
    free_miss(cache, number);
}

void coherent_left(CoherentCache *cache, uint64_t unit)
{
    uint32_t i = 0;
    while (cache->leaving.items[i] != unit)
        i++;
    cache->leaving.items[i] = cache->leaving.items[--cache->leaving.count];
}

/* -- probes -- */

static bool is_leaving(const CoherentCache *cache, uint64_t unit)
{
    for (uint32_t i = 0; i < cache->leaving.count; i++)
        if (cache->leaving.items[i] == unit)
            return true;
    return false;
}

void coherent_probe(CoherentCache *cache, Request *probe)
{
    const unsigned first = (unsigned)__builtin_ctz(probe->sectors);
    const uint64_t unit = probe->line + first * SECTOR_BYTES;
    TagLine *line = find_unit(cache, unit);
    probe->state = line ? (uint8_t)line->note : UNIT_NONE;
    const bool supplies = line ? line->note != UNIT_SHARED : is_leaving(cache, unit);
    probe->has_data &= supplies;
    cache->statistics.probes++;
    cache->statistics.probe_misses += !line;
    cache->statistics.probe_transfers += probe->has_data;
    if (!line)
        return;
    if (probe->ask == ASK_OWN) {
        line->valid = 0;
        cache->statistics.units_given_up++;
    } else {
        line->note = is_changed(line->note) ? UNIT_OWNED : UNIT_SHARED;
    }
}

void coherent_fill_request(const GpuConfig *config, const CoherentAsk *ask, Request *request)
{
    request->line = ask->unit & ~(uint64_t)(LINE_BYTES - 1);
    request->sectors = coherent_sectors(config, ask->unit);
    request->kind = ask->ask == ASK_LEAVE ? REQUEST_STORE : REQUEST_LOAD;
    request->ask = ask->ask;
    request->state = ask->state;
    request->has_data = false;
    if (ask->ask == ASK_LEAVE)
        request_mark_written(request, (unsigned)(ask->unit % LINE_BYTES), (unsigned)config->coherence_bytes);
}
