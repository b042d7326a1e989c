/* Pages are looked for from the lowest, so that addresses do not depend on anything but what was taken and
 * given back, and a kernel that finds the GPU empty finds all pages free. */
#include "sm/context_pool.h"

#include <inttypes.h>

#include "sm/stages.h"

static const uint64_t line_mask = LINE_BYTES - 1;

static uint64_t whole_lines(uint64_t bytes) { return (bytes + line_mask) & ~line_mask; }

uint64_t context_stride(const Launch *launch, const GpuConfig *config)
{
    return whole_lines(context_most_bytes(launch, config));
}

void context_pool_free(ContextPool *pool)
{
    VEC_FREE(&pool->small.pages);
    VEC_FREE(&pool->large.pages);
    VEC_FREE(&pool->regions);
    VEC_FREE(&pool->rooms);
}

/* -- what it takes of global memory -- */

/* Room that has been taken in this window. */
typedef struct TakenRoom {
    Sm *sm;
    SmKernel *kernel;
    uint64_t bytes;
    bool is_region; /* of a kernel: counted once */
} TakenRoom;

static const SmKernel *root_of(const SmKernel *kernel) { return kernel->root ? kernel->root : kernel; }

static void note_bytes(Sm *sm, uint64_t bytes)
{
    ContextPool *pool = context_engine_pool(sm->context);
    pool->bytes += bytes;
    if (pool->bytes > sm->statistics.context_memory_peak)
        sm->statistics.context_memory_peak = pool->bytes;
}

static void note_region(Sm *sm, SmKernel *kernel, uint64_t bytes)
{
    kernel->has_region = true;
    VEC_PUSH(&context_engine_pool(sm->context)->regions,
             ((ContextRegion){root_of(kernel)->number + 1, bytes}));
    note_bytes(sm, bytes);
}

static void reserve(void *context, Cycle time)
{
    const TakenRoom taken = *(TakenRoom *)context;
    xfree(context);
    if (taken.is_region && taken.kernel->has_region)
        return;
    if (taken.is_region)
        note_region(taken.sm, taken.kernel, taken.bytes);
    const Launch *launch = &taken.kernel->launch;
    SmKernel *root = (SmKernel *)(uintptr_t)root_of(taken.kernel);
    if (space_reserve(launch->space, taken.bytes)) {
        root->reserved += taken.bytes;
        return;
    }
    const uint64_t used = launch->space->used, limit = launch->space->limit;
    Error error = {0};
    error_set(&error, WB_ERROR_OUT_OF_MEMORY,
              "Kernel %s: blocks that leave their SM need %" PRIu64
              " more bytes of global memory for their contexts, but only %" PRIu64 " of %" PRIu64
              " are free: free some%s.",
              launch->program->name, taken.bytes, used < limit ? limit - used : 0, limit,
              taken.is_region ? ", raise global_bytes, or set context_memory to demand"
                              : " or raise global_bytes");
    sm_fail_kernel_late(taken.sm, taken.kernel, &error, time);
}

static void note_taken(Sm *sm, const SmKernel *kernel, uint64_t bytes, bool is_region)
{
    TakenRoom *taken = xmalloc(sizeof *taken);
    *taken = (TakenRoom){sm, (SmKernel *)(uintptr_t)kernel, bytes, is_region};
    shard_defer(&sm->shard, sm->now, reserve, taken);
}

/* -- pages -- */

static uint32_t take_page(Sm *sm, const SmKernel *kernel, ContextPages *pages, uint32_t bits)
{
    uint32_t number = pages->first_free;
    while (number < pages->pages.count && pages->pages.items[number].owner)
        number++;
    if (number == pages->pages.count)
        VEC_PUSH(&pages->pages, ((ContextPage){0}));
    pages->first_free = number + 1;
    pages->pages.items[number] = (ContextPage){root_of(kernel)->number + 1, 0};
    sm->statistics.context_pages++;
    note_bytes(sm, 1ull << bits);
    note_taken(sm, kernel, 1ull << bits, false);
    return number;
}

/* The part of a page that begins behind what is used of it, if that is the kernel's and has room; else of
 * another. */
static uint64_t take_part(Sm *sm, const SmKernel *kernel, ContextPages *pages, uint64_t bytes)
{
    const uint64_t size = 1ull << CONTEXT_LARGE_BITS;
    const ContextPage *open = pages->open < pages->pages.count ? &pages->pages.items[pages->open] : NULL;
    if (!open || open->owner != root_of(kernel)->number + 1 || open->used + bytes > size)
        pages->open = take_page(sm, kernel, pages, CONTEXT_LARGE_BITS);
    ContextPage *page = &pages->pages.items[pages->open];
    const uint64_t offset = pages->open * size + page->used;
    page->used += (uint32_t)bytes;
    return offset;
}

static void take_on_demand(Sm *sm, const SmKernel *kernel, BlockContext *context, uint64_t bytes)
{
    ContextPool *pool = context_engine_pool(sm->context);
    const uint64_t base =
        CONTEXT_BASE + CONTEXT_PAGES + ((uint64_t)sm->number << CONTEXT_SM_BITS);
    if (bytes <= 1ull << CONTEXT_SMALL_BITS) {
        const uint64_t page = take_page(sm, kernel, &pool->small, CONTEXT_SMALL_BITS);
        context->address = base + (page << CONTEXT_SMALL_BITS);
        context->room = 1ull << CONTEXT_SMALL_BITS;
        return;
    }
    context->room = whole_lines(bytes);
    context->address =
        base + (1ull << (CONTEXT_SM_BITS - 1)) + take_part(sm, kernel, &pool->large, context->room);
}

/* -- wavefronts -- */

/* A room of the same kernel and size is almost always the last. */
static bool take_room(ContextPool *pool, uint32_t owner, uint64_t bytes, BlockContext *context)
{
    for (uint32_t i = pool->rooms.count; i-- > 0;) {
        WaveRoom *room = &pool->rooms.items[i];
        if (room->owner != owner || room->bytes < bytes)
            continue;
        context->address = room->address;
        context->room = room->bytes;
        *room = pool->rooms.items[--pool->rooms.count];
        return true;
    }
    return false;
}

static void take_wave(Sm *sm, const SmKernel *kernel, BlockContext *context, uint64_t bytes)
{
    ContextPool *pool = context_engine_pool(sm->context);
    if (!take_room(pool, root_of(kernel)->number + 1, bytes, context))
        take_on_demand(sm, kernel, context, bytes);
    pool->wave_bytes += context->room;
    if (pool->wave_bytes > sm->statistics.yield_memory_peak)
        sm->statistics.yield_memory_peak = pool->wave_bytes;
}

void context_pool_take_wave(Sm *sm, const SmKernel *kernel, Block *block)
{
    take_wave(sm, kernel, &block->context, context_stride(&kernel->launch, sm->config));
}

void context_pool_give_wave(Sm *sm, const SmKernel *kernel, Block *block)
{
    BlockContext *context = &block->context;
    ContextPool *pool = context_engine_pool(sm->context);
    if (!context->room)
        return;
    VEC_PUSH(&pool->rooms, ((WaveRoom){root_of(kernel)->number + 1, context->address, context->room}));
    pool->wave_bytes -= context->room;
    context->room = 0;
}

/* -- blocks -- */

void context_pool_take(Sm *sm, const SmKernel *kernel, Block *block, uint64_t bytes)
{
    BlockContext *context = &block->context;
    if (context->room >= bytes && context->room)
        return;
    if (kernel->launch.flow) {
        context_pool_give_wave(sm, kernel, block);
        take_wave(sm, kernel, context, bytes);
        return;
    }
    if (sm->config->context_memory == CONTEXT_MEMORY_DEMAND) {
        take_on_demand(sm, kernel, context, bytes);
        return;
    }
    const uint32_t *grid = kernel->launch.grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    context->room = context_stride(&kernel->launch, sm->config);
    context->address = CONTEXT_BASE + kernel->region + block->linear * context->room;
    note_taken(sm, kernel, blocks * context->room, true);
}

static void give_back(ContextPool *pool, ContextPages *pages, uint32_t bits, uint32_t owner)
{
    for (uint32_t i = 0; i < pages->pages.count; i++)
        if (pages->pages.items[i].owner == owner) {
            pages->pages.items[i].owner = 0;
            pages->first_free = i < pages->first_free ? i : pages->first_free;
            pool->bytes -= 1ull << bits;
        }
}

void context_pool_give_back(ContextPool *pool, uint32_t number)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pool->regions.count; i++)
        if (pool->regions.items[i].owner == number + 1)
            pool->bytes -= pool->regions.items[i].bytes;
        else
            pool->regions.items[kept++] = pool->regions.items[i];
    pool->regions.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < pool->rooms.count; i++)
        if (pool->rooms.items[i].owner != number + 1)
            pool->rooms.items[kept++] = pool->rooms.items[i];
    pool->rooms.count = kept;
    give_back(pool, &pool->small, CONTEXT_SMALL_BITS, number + 1);
    give_back(pool, &pool->large, CONTEXT_LARGE_BITS, number + 1);
}
