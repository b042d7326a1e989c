/* Blocks that wait for others and give up their places [thesis §4.3 and §6.3.2].
 *
 * A block whose wait yields (exec/block_wait.h) stays on its SM, in that SM's wait queue, until another block
 * could be dispatched and finds no room. Then a block of a wait queue is told to leave:
 *
 *   front_end_yields()     a wait has begun; word of it comes block_end_cycles later, as of a block's end
 *   front_end_make_room()  a tick: blocks of an SM are told to leave for one that wants a place
 *                          (front_end_room.c)
 *   front_end_suspended()  a block has left: its place is free (front_end_away.c)
 *   front_end_yield_over() the wait is over, in the cycle in which the SM hears of it, too
 *
 * A block that is woken while it is on its way out leaves all the same, and may come back at once. */
#include "grid/front_end.h"

#include "exec/context.h"

/* Whether the wait is one that yields, or was. */
static bool is_yielding(const WarpWait *wait)
{
    return wait->kind == BLOCK_YIELDS || (wait->kind == WARP_WAITS && wait->is_of_block);
}

static GridKernel *launch_of(const Block *block)
{
    return (GridKernel *)((char *)block->launch->family - offsetof(GridKernel, family));
}

/* Behind all other events of its cycle, by SM, kernel and block: a wait that a warp's end has made one of the
 * block may be told before others of its cycle or after them. */
static uint64_t number_of(const Block *block)
{
    return (uint64_t)1 << 63 | (uint64_t)(block->sm & 0xFFF) << 50 | (block->launch->grid_id & 0x3FF) << 40 |
           (block->linear & 0xFFFFFFFFFF);
}

/* Between windows, so that nobody changes the block while it is measured. */
void front_end_yields(void *context, Warp *warp, Cycle now)
{
    FrontEnd *front_end = context;
    Block *block = warp->block;
    ContextSize size;
    context_measure(block, front_end->config, &size);
    block->yield.context_bytes = (uint32_t)context_full_bytes(&size);
    block->yield.live_bytes = (uint32_t)context_saved_bytes(&size);
    if (!block->yield.open++)
        block->yield.since = now;
    front_end->next_event++;
    front_end_put_numbered(front_end, (FrontEvent){.time = now + front_end->config->block_end_cycles,
                                                   .number = number_of(block),
                                                   .kind = EVENT_YIELDS,
                                                   .launch = launch_of(block),
                                                   .block = block,
                                                   .sm = block->sm});
}

/* A wait of the warp has been ended, and is over then. */
void front_end_put_yield_over(FrontEnd *front_end, const Warp *warp, Cycle time)
{
    Block *block = warp->block;
    if (!is_yielding(&warp->wait))
        return;
    front_end_put_event(front_end, (FrontEvent){.time = time,
                                                .kind = EVENT_YIELD_OVER,
                                                .launch = launch_of(block),
                                                .block = block,
                                                .sm = block->sm});
}

/* Word of the wait has come. It may be over already. */
void front_end_yield_begun(FrontEnd *front_end, const FrontEvent *event, Cycle now)
{
    Yielding *yielding = &front_end->yielding;
    BlockYield *yield = &event->block->yield;
    front_end->statistics.blocks_yielded++;
    front_end->statistics.yield_context_bytes += yield->context_bytes;
    SmBlock *block = dispatcher_find(&front_end->dispatcher, event->launch, event->block->linear, event->sm);
    if (++yield->begun <= yield->over)
        front_end->statistics.yield_kept_bytes += yield->context_bytes;
    if (yield->begun <= yield->over || !block || block->yields)
        return;
    block->yields = ++yielding->last;
    block->context_bytes = yield->context_bytes;
    block->live_bytes = yield->live_bytes;
    yielding->sms[event->sm].count++;
    yielding->count++;
    dispatcher_uncount(&front_end->dispatcher, block);
    front_end_wake_dispatcher(front_end, now);
    if (!front_end->config->context_lazy)
        front_end_send_away(front_end, block, now);
}

void front_end_yield_over(FrontEnd *front_end, const FrontEvent *event, Cycle now)
{
    Yielding *yielding = &front_end->yielding;
    BlockYield *yield = &event->block->yield;
    if (!--yield->open)
        front_end->statistics.yield_cycles += now - yield->since;
    SmBlock *block = dispatcher_find(&front_end->dispatcher, event->launch, event->block->linear, event->sm);
    if (++yield->over < yield->begun || !block || !block->yields)
        return;
    block->yields = 0;
    dispatcher_recount(&front_end->dispatcher, block);
    if (block->leaves)
        return;
    front_end->statistics.yield_kept_bytes += block->context_bytes;
    yielding->sms[event->sm].count--;
    yielding->count--;
}
