/* Lookups, misses and fills. Whether a line may be found again is decided by its generation: an
 * invalidation makes a new one. */
#include "mem/l1.h"

#include <string.h>

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(L1Statistics, field)},
#include "mem/l1_statistics.def"
#undef COUNT
};
const StatTable l1_statistics = {rows, sizeof rows / sizeof *rows};

static uint32_t sets_of(uint64_t bytes, uint32_t ways)
{
    const uint64_t sets = bytes / ((uint64_t)ways * LINE_BYTES);
    return sets ? (uint32_t)sets : 1;
}

static bool is_local(uint64_t line) { return line >> 63; }

void l1_init(L1 *l1, const GpuConfig *config, uint64_t max_bytes)
{
    const uint32_t ways = (uint32_t)config->l1_ways, sets = sets_of(max_bytes, ways);
    *l1 = (L1){
        .data = xaligned(64, (size_t)sets * ways * LINE_BYTES),
        .write_hit = (WriteHit)config->l1_write_hit,
        .write_miss = (WriteMiss)config->l1_write_miss,
        .mshrs = (uint32_t)config->l1_mshrs,
        .merges = (uint32_t)config->l1_merges,
        .free_miss = L1_NONE,
        .free_target = L1_NONE,
        .bucket_count = 16,
    };
    tags_init(&l1->tags, sets, ways);
    while (l1->bucket_count < 2 * l1->mshrs)
        l1->bucket_count *= 2;
    l1->buckets = xmalloc(l1->bucket_count * sizeof *l1->buckets);
    memset(l1->buckets, 0xFF, l1->bucket_count * sizeof *l1->buckets);
}

void l1_free(L1 *l1)
{
    tags_free(&l1->tags);
    xfree(l1->data);
    xfree(l1->buckets);
    VEC_FREE(&l1->misses);
    VEC_FREE(&l1->targets);
}

/* Records in the table are of an older generation from here on: nobody finds them, and nothing they bring is
 * kept. */
static void forget_misses(L1 *l1)
{
    if (l1->used) /* else all have been hidden: a kernel may need few of many SMs */
        memset(l1->buckets, 0xFF, l1->bucket_count * sizeof *l1->buckets);
}

void l1_resize(L1 *l1, uint64_t bytes)
{
    tags_resize(&l1->tags, sets_of(bytes, l1->tags.ways));
    forget_misses(l1);
}

void l1_invalidate(L1 *l1)
{
    tags_invalidate(&l1->tags);
    forget_misses(l1);
    l1->statistics.invalidations++;
}

/* -- miss records -- */

static uint32_t *bucket_of(L1 *l1, uint64_t line)
{
    return &l1->buckets[((line / LINE_BYTES) * 0x9E3779B97F4A7C15u) >> 40 & (l1->bucket_count - 1)];
}

static uint32_t find_miss(L1 *l1, uint64_t line)
{
    uint32_t number = l1->used ? *bucket_of(l1, line) : L1_NONE;
    while (number != L1_NONE && l1->misses.items[number].line != line)
        number = l1->misses.items[number].next;
    return number;
}

static void hide_miss(L1 *l1, uint32_t number)
{
    L1Miss *miss = &l1->misses.items[number];
    if (!miss->is_findable)
        return;
    miss->is_findable = false;
    if (miss->generation != l1->tags.generation)
        return;
    uint32_t *link = bucket_of(l1, miss->line);
    while (*link != number)
        link = &l1->misses.items[*link].next;
    *link = miss->next;
}

static uint32_t new_miss(L1 *l1, const L1Load *load)
{
    uint32_t number = l1->free_miss;
    if (number == L1_NONE) {
        number = l1->misses.count;
        VEC_PUSH(&l1->misses, (L1Miss){0});
    } else {
        l1->free_miss = l1->misses.items[number].next;
    }
    L1Miss *miss = &l1->misses.items[number];
    *miss = (L1Miss){.line = load->line,
                     .generation = l1->tags.generation,
                     .first = L1_NONE,
                     .last = L1_NONE,
                     .is_findable = load->is_cached,
                     .is_cached = load->is_cached};
    if (load->is_cached) {
        uint32_t *bucket = bucket_of(l1, load->line);
        miss->next = *bucket;
        *bucket = number;
        l1->used++;
    }
    return number;
}

static void free_miss(L1 *l1, uint32_t number)
{
    hide_miss(l1, number);
    l1->used -= l1->misses.items[number].is_cached;
    l1->misses.items[number].next = l1->free_miss;
    l1->free_miss = number;
}

static void add_target(L1 *l1, uint32_t number, const L1Load *load, uint8_t missing)
{
    uint32_t target = l1->free_target;
    if (target == L1_NONE) {
        target = l1->targets.count;
        VEC_PUSH(&l1->targets, (L1Target){0});
    } else {
        l1->free_target = l1->targets.items[target].next;
    }
    l1->targets.items[target] = (L1Target){load->owner, load->index, L1_NONE, missing};
    L1Miss *miss = &l1->misses.items[number];
    if (miss->last == L1_NONE)
        miss->first = target;
    else
        l1->targets.items[miss->last].next = target;
    miss->last = target;
    miss->target_count++;
}

/* -- loads -- */

static L1Status load_past(L1 *l1, const L1Load *load, L1Answer *answer)
{
    if (!load->can_send)
        return L1_CANNOT_SEND;
    *answer = (L1Answer){.fetch = load->sectors, .ticket = new_miss(l1, load)};
    add_target(l1, answer->ticket, load, load->sectors);
    l1->misses.items[answer->ticket].pending = load->sectors;
    l1->misses.items[answer->ticket].requests = 1;
    l1->statistics.bypasses++;
    return L1_MISS;
}

static L1Status load_missing(L1 *l1, const L1Load *load, L1Answer *answer)
{
    const uint8_t missing = load->sectors & (uint8_t)~answer->hit;
    uint32_t number = find_miss(l1, load->line);
    const uint8_t pending = number == L1_NONE ? 0 : l1->misses.items[number].pending;
    answer->fetch = missing & (uint8_t)~pending;
    if (number == L1_NONE ? l1->used >= l1->mshrs : l1->misses.items[number].target_count >= l1->merges)
        return L1_FULL;
    if (answer->fetch && !load->can_send)
        return L1_CANNOT_SEND;
    if (number == L1_NONE)
        number = new_miss(l1, load);
    add_target(l1, number, load, missing);
    L1Miss *miss = &l1->misses.items[number];
    miss->pending |= answer->fetch;
    miss->requests = (uint16_t)(miss->requests + (answer->fetch != 0));
    answer->ticket = number;
    l1->statistics.load_misses += answer->fetch != 0;
    l1->statistics.load_merges += answer->fetch == 0;
    l1->statistics.sector_misses += count_sectors(answer->fetch);
    l1->statistics.sector_merges += count_sectors(missing) - count_sectors(answer->fetch);
    return answer->fetch ? L1_MISS : L1_MERGED;
}

L1Status l1_load(L1 *l1, const L1Load *load, L1Answer *answer)
{
    if (!load->is_cached)
        return load_past(l1, load, answer);
    const uint32_t index = tags_find(&l1->tags, load->line);
    *answer = (L1Answer){0};
    if (index != TAGS_NONE) {
        answer->hit = l1->tags.lines[index].valid & load->sectors;
        answer->data = l1->data + (size_t)index * LINE_BYTES;
    }
    L1Status status = L1_HIT;
    if (answer->hit != load->sectors)
        status = load_missing(l1, load, answer);
    if (status == L1_FULL || status == L1_CANNOT_SEND)
        return status;
    if (answer->hit)
        tags_use(&l1->tags, index);
    l1->statistics.loads++;
    l1->statistics.load_hits += status == L1_HIT;
    l1->statistics.sector_hits += count_sectors(answer->hit);
    return status;
}

/* -- what comes back -- */

/* The line's place, taken from another line if need be. Nothing is ever pending in the tags, so there is
 * one. */
static uint32_t place_of(L1 *l1, uint64_t line)
{
    uint32_t index = tags_find(&l1->tags, line);
    if (index == TAGS_NONE) {
        index = tags_choose(&l1->tags, line);
        l1->statistics.evictions += tags_replace(&l1->tags, index, line).valid != 0;
    }
    return index;
}

static void copy_sectors(uint8_t *to, const uint8_t *data, uint8_t sectors)
{
    if (sectors == (1 << LINE_SECTORS) - 1) {
        memcpy(to, data, LINE_BYTES);
        return;
    }
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const size_t offset = (size_t)__builtin_ctz(sectors) * SECTOR_BYTES;
        memcpy(to + offset, data + offset, SECTOR_BYTES);
    }
}

static void keep(L1 *l1, uint64_t line, uint8_t sectors, const uint8_t *data)
{
    const uint32_t index = place_of(l1, line);
    l1->tags.lines[index].valid |= sectors;
    l1->statistics.fills += count_sectors(sectors);
    if (!is_local(line))
        copy_sectors(l1->data + (size_t)index * LINE_BYTES, data, sectors);
}

/* Hands sectors to those that wait, in the order in which they came. */
static void deliver_all(L1 *l1, uint32_t number, uint8_t sectors, const uint8_t *data, L1Deliver *deliver,
                        void *context)
{
    uint32_t before = L1_NONE, next;
    for (uint32_t t = l1->misses.items[number].first; t != L1_NONE; t = next) {
        L1Target *target = &l1->targets.items[t];
        L1Miss *miss = &l1->misses.items[number];
        const L1Target waiting = *target;
        next = waiting.next;
        target->missing &= (uint8_t)~sectors;
        if (target->missing) {
            before = t;
        } else {
            *(before == L1_NONE ? &miss->first : &l1->targets.items[before].next) = next;
            if (miss->last == t)
                miss->last = before;
            miss->target_count--;
            target->next = l1->free_target;
            l1->free_target = t;
        }
        if (waiting.missing & sectors)
            deliver(context, waiting.owner, waiting.index, data, waiting.missing & sectors);
    }
}

bool l1_arrived(L1 *l1, uint32_t ticket, uint8_t sectors, const uint8_t *data, L1Deliver *deliver,
                void *context)
{
    L1Miss *miss = &l1->misses.items[ticket];
    const bool is_cached = miss->is_cached;
    miss->pending &= (uint8_t)~sectors;
    if (miss->is_findable && miss->generation == l1->tags.generation)
        keep(l1, miss->line, sectors, data);
    else if (is_cached)
        l1->statistics.dropped_fills += count_sectors(sectors);
    deliver_all(l1, ticket, sectors, data, deliver, context);
    if (--l1->misses.items[ticket].requests)
        return false;
    free_miss(l1, ticket);
    return is_cached;
}

/* -- stores and atomics -- */

/* Later loads must not get what was asked for before. */
static void overtake(L1 *l1, uint64_t line, uint8_t sectors)
{
    const uint32_t number = find_miss(l1, line);
    if (number != L1_NONE && l1->misses.items[number].pending & sectors)
        hide_miss(l1, number);
}

static void update(uint8_t *to, uint8_t sectors, const uint64_t written[2], const uint8_t *data)
{
    for (; sectors; sectors &= (uint8_t)(sectors - 1)) {
        const unsigned sector = (unsigned)__builtin_ctz(sectors);
        const size_t offset = (size_t)sector * SECTOR_BYTES;
        uint32_t bytes = (uint32_t)(written[sector / 2] >> (sector % 2 * SECTOR_BYTES));
        if (bytes == UINT32_MAX) {
            memcpy(to + offset, data + offset, SECTOR_BYTES);
            continue;
        }
        for (; bytes; bytes &= bytes - 1) {
            const size_t i = offset + (unsigned)__builtin_ctz(bytes);
            to[i] = data[i];
        }
    }
}

/* The store leaves sectors that it writes whole and that are not there. Other bytes of a sector that it
 * writes in part are not known, so that one is not kept. (An H200 keeps the words: store_wait_load and
 * store_wait_other_word of tests/device/caches/h200-l1.csv.) */
static void allocate(L1 *l1, uint64_t line, uint8_t sectors, const uint8_t *data)
{
    if (!sectors)
        return;
    const uint32_t index = place_of(l1, line);
    tags_use(&l1->tags, index)->valid |= sectors;
    copy_sectors(l1->data + (size_t)index * LINE_BYTES, data, sectors);
}

void l1_store(L1 *l1, uint64_t line, uint8_t sectors, const uint64_t written[2], const uint8_t *data)
{
    overtake(l1, line, sectors);
    const uint32_t index = tags_find(&l1->tags, line);
    const uint8_t there = index == TAGS_NONE ? 0 : l1->tags.lines[index].valid & sectors;
    l1->statistics.store_hits += there != 0;
    l1->statistics.store_misses += there == 0;
    l1->statistics.store_sector_hits += count_sectors(there);
    l1->statistics.store_sector_misses += count_sectors(sectors) - count_sectors(there);
    if (!data) {
        const uint8_t whole = whole_sectors(written);
        if (whole)
            tags_use(&l1->tags, place_of(l1, line))->valid |= whole;
        return;
    }
    if (there && l1->write_hit == WRITE_HIT_INVALIDATE) {
        l1->tags.lines[index].valid &= (uint8_t)~there;
    } else if (there) {
        update(l1->data + (size_t)index * LINE_BYTES, there, written, data);
        tags_use(&l1->tags, index);
    }
    if (there != sectors && l1->write_miss == WRITE_MISS_ALLOCATE)
        allocate(l1, line, whole_sectors(written) & (uint8_t)~there, data);
}

void l1_atomic(L1 *l1, uint64_t line, uint8_t sectors)
{
    overtake(l1, line, sectors);
    const uint32_t index = tags_find(&l1->tags, line);
    if (index != TAGS_NONE)
        l1->tags.lines[index].valid &= (uint8_t)~sectors;
    l1->statistics.atomics++;
}
