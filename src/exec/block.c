/* Blocks and warps coming into being and going. */
#include <string.h>

#include "exec/block_call.h"
#include "exec/shared_copies.h"

static size_t frame_words(const Warp *warp, const ProgramFunction *function)
{
    return (size_t)function->slot_count * warp->width;
}

/* Aligned for vector code, with what was allocated noted before it. Memory that is aligned by the C library
 * has gaps that no other of the same size fits into: blocks that come and go would leave more and more. */
enum { WORDS_ALIGNMENT = 64 };

uint32_t *frame_alloc_words(size_t count)
{
    char *memory = xcalloc(1, count * sizeof(uint32_t) + sizeof memory + WORDS_ALIGNMENT);
    const uintptr_t first = (uintptr_t)(memory + sizeof memory);
    const size_t gap = (WORDS_ALIGNMENT - first % WORDS_ALIGNMENT) % WORDS_ALIGNMENT;
    uint32_t *words = (uint32_t *)(memory + sizeof memory + gap);
    memcpy((char *)words - sizeof memory, &memory, sizeof memory);
    return words;
}

void frame_free_words(uint32_t *words)
{
    void *memory;
    memcpy(&memory, (const char *)words - sizeof memory, sizeof memory);
    xfree(memory);
}

uint32_t *frame_new_words(const Warp *warp, const ProgramFunction *function)
{
    return frame_alloc_words(frame_words(warp, function));
}

uint32_t warp_new_frame(Warp *warp, uint32_t function, uint32_t local_base)
{
    const ProgramFunction *code = &warp->block->launch->program->functions[function];
    uint32_t index = 0;
    while (index < warp->frames.count && warp->frames.items[index].words)
        index++;
    if (index == warp->frames.count)
        VEC_PUSH(&warp->frames, (Frame){0});
    Frame *frame = &warp->frames.items[index];
    frame->words = frame_new_words(warp, code);
    frame->predicates = xcalloc(code->predicate_count + 1, sizeof(Mask));
    frame->params = xcalloc(warp->width, code->param_bytes + 1);
    frame->carry = 0;
    frame->function = function;
    frame->local_base = local_base;
    return index;
}

void warp_free_frame(Warp *warp, uint32_t index)
{
    Frame *frame = &warp->frames.items[index];
    frame_free_words(frame->words);
    xfree(frame->predicates);
    xfree(frame->params);
    *frame = (Frame){0};
}

/* The kernel's own frame, which stays with the warp's memory: cleared, not made anew. */
static void reset_frame(Warp *warp)
{
    const ProgramFunction *kernel = &warp->block->launch->program->functions[0];
    Frame *frame = &warp->frames.items[0];
    memset(frame->words, 0, frame_words(warp, kernel) * sizeof(uint32_t));
    memset(frame->predicates, 0, kernel->predicate_count * sizeof(Mask));
    frame->carry = 0;
}

static void warp_start(Warp *warp)
{
    Block *block = warp->block;
    uint32_t first = warp->index * warp->width;
    uint32_t lanes = block->thread_count - first < warp->width ? block->thread_count - first : warp->width;
    warp->live = mask_of_width(lanes);
    for (uint32_t i = 1; i < warp->frames.count; i++)
        if (warp->frames.items[i].words)
            warp_free_frame(warp, i);
    reset_frame(warp);
    warp->joins.count = 0;
    warp->group_count = 1;
    warp->current = warp->last = 0;
    warp->turn = 0;
    warp->polled = 0;
    warp->next_order = 1;
    warp->wait = (WarpWait){0};
    warp->groups[0] = (Group){.mask = warp->live, .join = NO_INDEX, .state = GROUP_READY};
}

static void warp_init(Warp *warp, Block *block, uint32_t index)
{
    const Launch *launch = block->launch;
    warp->block = block;
    warp->index = index;
    warp->width = launch->width;
    warp->groups = xmalloc(warp->width * sizeof *warp->groups);
    warp->local = xcalloc(warp->width, (size_t)launch->local_bytes + 1);
    warp_new_frame(warp, 0, launch->program->static_local_bytes);
}

static void warp_destroy(Warp *warp)
{
    for (uint32_t i = 0; i < warp->frames.count; i++)
        if (warp->frames.items[i].words)
            warp_free_frame(warp, i);
    VEC_FREE(&warp->frames);
    VEC_FREE(&warp->joins);
    xfree(warp->groups);
    xfree(warp->local);
}

void block_restart(Block *block, uint64_t linear, uint32_t sm)
{
    const Launch *launch = block->launch;
    block->linear = linear;
    block->sm = sm;
    block->index[0] = (uint32_t)(linear % launch->grid[0]);
    block->index[1] = (uint32_t)(linear / launch->grid[0] % launch->grid[1]);
    block->index[2] = (uint32_t)(linear / launch->grid[0] / launch->grid[1]);
    block->live_warps = block->warp_count;
    block->thread_count = launch->block[0] * launch->block[1] * launch->block[2];
    block->live_threads = block->thread_count;
    block->task = (BlockTask){0};
    block->warp_ended = 0;
    block->family = NULL;
    block_calls_free(block);
    shared_copies_free(block->copies);
    block->copies = NULL;
    block->grid_arrivals = block->grid_waits = 0;
    block->wait = (BlockWait){0};
    block->context.lines.count = 0;
    block->context.place = CONTEXT_NONE;
    block->context.room = 0;
    block->yield = (BlockYield){0};
    memset(block->shared, 0, launch->shared_bytes);
    for (uint32_t i = 0; i < block->warp_count; i++)
        warp_start(&block->warps[i]);
    for (uint32_t i = 0; i < MAX_BARRIERS; i++) {
        Mask *lanes = block->barriers[i].lanes;
        memset(lanes, 0, block->warp_count * sizeof *lanes);
        block->barriers[i] = (Barrier){.lanes = lanes};
    }
}

void block_give_task(Block *block, const BlockTask *task)
{
    Warp *warp = block->warps;
    block->task = *task;
    block->thread_count = block->live_threads = task->count;
    warp->live = warp->groups[0].mask = mask_of_width(task->count);
}

Block *block_create(Launch *launch, uint64_t linear, uint32_t sm)
{
    Block *block = xcalloc(1, sizeof *block);
    block->launch = launch;
    block->warp_count = launch->warps_per_block;
    block->shared = xcalloc(1, (size_t)launch->shared_bytes + 1);
    block->warps = xcalloc(block->warp_count, sizeof *block->warps);
    for (uint32_t i = 0; i < MAX_BARRIERS; i++)
        block->barriers[i].lanes = xcalloc(block->warp_count, sizeof(Mask));
    for (uint32_t i = 0; i < block->warp_count; i++)
        warp_init(&block->warps[i], block, i);
    block_restart(block, linear, sm);
    return block;
}

void block_free(Block *block)
{
    if (!block)
        return;
    for (uint32_t i = 0; i < block->warp_count; i++)
        warp_destroy(&block->warps[i]);
    for (uint32_t i = 0; i < MAX_BARRIERS; i++)
        xfree(block->barriers[i].lanes);
    shared_copies_free(block->copies);
    block_calls_free(block);
    VEC_FREE(&block->context.lines);
    xfree(block->warps);
    xfree(block->shared);
    if (block->family)
        block->free_family(block->family);
    xfree(block);
}
