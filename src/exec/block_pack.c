/* Packing and unpacking go over the same live slots: groups and joins, which say what is live, stay. */
#include "exec/block_pack.h"

#include <string.h>

#include "exec/context.h"

static const ProgramFunction *function_of(const Warp *warp, const Frame *frame)
{
    return &warp->block->launch->program->functions[frame->function];
}

/* Slots of the frame that are live, to be freed. */
static uint64_t *live_slots(const Warp *warp, uint32_t index)
{
    const uint32_t slots = function_of(warp, &warp->frames.items[index])->slot_count;
    uint64_t *bits = xcalloc(slots / 64 + 1, sizeof *bits);
    context_live_slots(warp, index, bits);
    return bits;
}

/* The words of all slots and those of the live ones alone, which are copied from the one to the other. */
static void copy_live(const Warp *warp, uint32_t index, uint32_t *whole, uint32_t *packed, bool packs)
{
    const uint32_t slots = function_of(warp, &warp->frames.items[index])->slot_count;
    const size_t bytes = warp->width * sizeof *whole;
    uint64_t *bits = live_slots(warp, index);
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (!(bits[slot / 64] >> slot % 64 & 1))
            continue;
        uint32_t *const there = &whole[(size_t)slot * warp->width];
        memcpy(packs ? packed : there, packs ? there : packed, bytes);
        packed += warp->width;
    }
    xfree(bits);
}

static size_t count_live(const Warp *warp, uint32_t index)
{
    const uint32_t slots = function_of(warp, &warp->frames.items[index])->slot_count;
    uint64_t *bits = live_slots(warp, index);
    size_t count = 0;
    for (uint32_t i = 0; i <= slots / 64; i++)
        count += (size_t)__builtin_popcountll(bits[i]);
    xfree(bits);
    return count;
}

static void pack_frame(Warp *warp, uint32_t index)
{
    Frame *frame = &warp->frames.items[index];
    uint32_t *packed = frame_alloc_words(count_live(warp, index) * warp->width);
    copy_live(warp, index, frame->words, packed, true);
    frame_free_words(frame->words);
    frame->words = packed;
}

static void unpack_frame(Warp *warp, uint32_t index)
{
    Frame *frame = &warp->frames.items[index];
    uint32_t *packed = frame->words;
    frame->words = frame_new_words(warp, function_of(warp, frame));
    copy_live(warp, index, frame->words, packed, false);
    frame_free_words(packed);
}

static void pack_warp(Warp *warp)
{
    for (uint32_t i = 0; i < warp->frames.count; i++)
        if (warp->frames.items[i].words)
            pack_frame(warp, i);
    if (warp->frames.count) {
        warp->frames.capacity = warp->frames.count;
        warp->frames.items = xrealloc(warp->frames.items, warp->frames.count * sizeof *warp->frames.items);
    }
    if (warp->group_count)
        warp->groups = xrealloc(warp->groups, warp->group_count * sizeof *warp->groups);
}

void block_pack(Block *block)
{
    for (uint32_t i = 0; i < block->warp_count; i++)
        pack_warp(&block->warps[i]);
    for (uint32_t i = 0; i < MAX_BARRIERS; i++)
        if (!block->barriers[i].in_use) {
            xfree(block->barriers[i].lanes);
            block->barriers[i].lanes = NULL;
        }
    block->is_packed = true;
}

void block_unpack(Block *block)
{
    if (!block->is_packed)
        return;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        Warp *warp = &block->warps[i];
        for (uint32_t frame = 0; frame < warp->frames.count; frame++)
            if (warp->frames.items[frame].words)
                unpack_frame(warp, frame);
        if (warp->group_count)
            warp->groups = xrealloc(warp->groups, warp->width * sizeof *warp->groups);
    }
    for (uint32_t i = 0; i < MAX_BARRIERS; i++)
        if (!block->barriers[i].lanes)
            block->barriers[i].lanes = xcalloc(block->warp_count, sizeof(Mask));
    block->is_packed = false;
}
