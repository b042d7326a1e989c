/* Histories of bytes as shared sets. A set is a chain: a touch in front of an older set. Every pair (older
 * set, touch) is made once, so equal numbers mean equal histories; that is what lets touch_cells() treat a
 * run of cells at once and lets answers be remembered by set. Sets live as long as the shadow. */
#include "watch/shadow.h"

enum { WORD_SHIFT = 2, WORD_BYTES = 1 << WORD_SHIFT };

void shadow_init(Shadow *shadow, ShadowMeeting *meet, void *context)
{
    *shadow = (Shadow){.meet = meet, .context = context};
    shadow->unordered = xcalloc(SHADOW_MEMOS, sizeof *shadow->unordered);
    shadow->added = xcalloc(SHADOW_MEMOS, sizeof *shadow->added);
    /* Number 0 is the empty set. */
    VEC_PUSH(&shadow->sets, ((TouchSet){0}));
}

void shadow_free(Shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->pages.count; i++)
        xfree(shadow->pages.items[i].cells);
    VEC_FREE(&shadow->pages);
    VEC_FREE(&shadow->touchers);
    VEC_FREE(&shadow->sets);
    VEC_FREE(&shadow->kept);
    pair_map_free(&shadow->toucher_numbers);
    pair_map_free(&shadow->set_numbers);
    pair_map_free(&shadow->page_numbers);
    xfree(shadow->unordered);
    xfree(shadow->added);
}

uint32_t shadow_toucher(Shadow *shadow, uint32_t node, uint32_t place, Touch touch)
{
    bool is_new;
    /* The three kinds of touch fit into two bits. */
    uint32_t *number = pair_map_at(&shadow->toucher_numbers, node, place * 4 + touch, &is_new);
    if (is_new) {
        *number = shadow->touchers.count;
        VEC_PUSH(&shadow->touchers, ((Toucher){node, place, touch}));
    }
    return *number;
}

/* -- sets -- */

static uint32_t node_of(const Shadow *shadow, uint32_t toucher)
{
    return shadow->touchers.items[toucher].node;
}

/* Where something about the pair is remembered; another pair may have taken the place. */
static ShadowMemo *memo_of(ShadowMemo *memos, uint32_t set, uint32_t toucher)
{
    return &memos[pair_hash(set, toucher) >> 32 & (SHADOW_MEMOS - 1)];
}

static bool is_memo_of(const ShadowMemo *memo, uint32_t set, uint32_t toucher)
{
    return memo->set == set && memo->toucher == toucher;
}

/* The set with the toucher, whose node is not in it. */
static uint32_t larger_set(Shadow *shadow, uint32_t set, uint32_t toucher)
{
    bool is_new;
    uint32_t *number = pair_map_at(&shadow->set_numbers, set, toucher, &is_new);
    if (is_new) {
        *number = shadow->sets.count;
        VEC_PUSH(&shadow->sets, ((TouchSet){set, toucher}));
    }
    return *number;
}

static bool has_node(const Shadow *shadow, uint32_t set, uint32_t node)
{
    for (; set; set = shadow->sets.items[set].rest)
        if (node_of(shadow, shadow->sets.items[set].toucher) == node)
            return true;
    return false;
}

/* The set with the toucher, unless its node is there already. */
static uint32_t add_to_set(Shadow *shadow, uint32_t set, uint32_t toucher)
{
    if (!set)
        return larger_set(shadow, 0, toucher);
    ShadowMemo *memo = memo_of(shadow->added, set, toucher);
    if (!is_memo_of(memo, set, toucher)) {
        const bool is_there = has_node(shadow, set, node_of(shadow, toucher));
        *memo = (ShadowMemo){set, toucher, is_there ? set : larger_set(shadow, set, toucher)};
    }
    return memo->result;
}

/* Lets the toucher meet all of the set but its own node; returns those that are not over before it. */
static uint32_t meet_set(Shadow *shadow, uint32_t set, uint32_t toucher, uint64_t address)
{
    if (!set)
        return 0;
    ShadowMemo *memo = memo_of(shadow->unordered, set, toucher);
    if (is_memo_of(memo, set, toucher))
        return memo->result;
    const uint32_t node = node_of(shadow, toucher);
    /* Collected first and linked afterwards: a chain is walked from its latest touch, and is to be built from
     * its first, so that what is left has the same order and thus the same number. */
    shadow->kept.count = 0;
    for (uint32_t rest = set; rest; rest = shadow->sets.items[rest].rest) {
        const uint32_t earlier = shadow->sets.items[rest].toucher;
        if (node_of(shadow, earlier) != node && !shadow->meet(shadow->context, earlier, toucher, address))
            VEC_PUSH(&shadow->kept, earlier);
    }
    uint32_t kept = 0;
    for (uint32_t i = shadow->kept.count; i-- > 0;)
        kept = larger_set(shadow, kept, shadow->kept.items[i]);
    *memo = (ShadowMemo){set, toucher, kept};
    return kept;
}

/* -- cells -- */

static ShadowCell touch_cell(Shadow *shadow, ShadowCell cell, uint32_t toucher, uint64_t address)
{
    switch (shadow->touchers.items[toucher].touch) {
    case TOUCH_READ:
        meet_set(shadow, cell.writes, toucher, address);
        meet_set(shadow, cell.atomics, toucher, address);
        cell.reads = add_to_set(shadow, cell.reads, toucher);
        break;
    case TOUCH_ATOMIC:
        meet_set(shadow, cell.writes, toucher, address);
        meet_set(shadow, cell.reads, toucher, address);
        cell.atomics = add_to_set(shadow, cell.atomics, toucher);
        break;
    default:
        cell.writes = larger_set(shadow, meet_set(shadow, cell.writes, toucher, address), toucher);
        cell.atomics = meet_set(shadow, cell.atomics, toucher, address);
        cell.reads = meet_set(shadow, cell.reads, toucher, address);
        break;
    }
    return cell;
}

static bool is_same(const ShadowCell *a, const ShadowCell *b)
{
    return a->writes == b->writes && a->atomics == b->atomics && a->reads == b->reads;
}

/* Neighbours mostly have the same history, and get the same future. */
static void touch_cells(Shadow *shadow, const ShadowPage *page, uint32_t toucher, uint64_t address,
                        uint64_t bytes)
{
    const uint64_t first = address % SHADOW_PAGE_BYTES >> page->shift, count = bytes >> page->shift;
    ShadowCell *cells = page->cells + first;
    ShadowCell before = cells[0], after = touch_cell(shadow, before, toucher, address);
    for (uint64_t i = 0; i < count; i++) {
        if (!is_same(&cells[i], &before)) {
            before = cells[i];
            after = touch_cell(shadow, before, toucher, address + (i << page->shift));
        }
        cells[i] = after;
    }
}

/* -- pages -- */

static ShadowPage *page_of(Shadow *shadow, uint64_t address)
{
    const uint64_t number = address / SHADOW_PAGE_BYTES;
    if (shadow->pages.count && shadow->last_address == number)
        return &shadow->pages.items[shadow->last_page];
    bool is_new;
    uint32_t *page = pair_map_at(&shadow->page_numbers, (uint32_t)(number >> 32), (uint32_t)number, &is_new);
    if (is_new) {
        *page = shadow->pages.count;
        const ShadowPage made = {xcalloc(SHADOW_PAGE_BYTES >> WORD_SHIFT, sizeof(ShadowCell)), WORD_SHIFT};
        VEC_PUSH(&shadow->pages, made);
    }
    shadow->last_address = number;
    shadow->last_page = *page;
    return &shadow->pages.items[*page];
}

/* From now on every byte has its own cell. */
static void tell_bytes_apart(ShadowPage *page)
{
    ShadowCell *bytes = xmalloc(SHADOW_PAGE_BYTES * sizeof *bytes);
    for (uint32_t i = 0; i < SHADOW_PAGE_BYTES; i++)
        bytes[i] = page->cells[i >> WORD_SHIFT];
    xfree(page->cells);
    *page = (ShadowPage){bytes, 0};
}

void shadow_touch(Shadow *shadow, uint32_t toucher, uint64_t address, uint64_t bytes)
{
    while (bytes) {
        const uint64_t left = SHADOW_PAGE_BYTES - address % SHADOW_PAGE_BYTES;
        const uint64_t part = bytes < left ? bytes : left;
        ShadowPage *page = page_of(shadow, address);
        if (page->shift && (address | part) % WORD_BYTES)
            tell_bytes_apart(page);
        touch_cells(shadow, page, toucher, address, part);
        address += part;
        bytes -= part;
    }
}
