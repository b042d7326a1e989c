/* What the dispatcher knows of single blocks on SMs. */
#include "grid/dispatcher.h"

SmBlock *dispatcher_find(Dispatcher *dispatcher, const GridKernel *launch, uint64_t block, uint32_t sm)
{
    const SmView *there = &dispatcher->sms[sm];
    for (uint32_t i = 0; i < there->resident; i++) {
        const BlockRef *ref = &there->blocks[i].block;
        if (ref->block == block && (ref->group ? ref->group : ref->kernel) == launch)
            return &there->blocks[i];
    }
    return NULL;
}

bool dispatcher_bring_forward(const Dispatcher *dispatcher, GridKernel *kernel)
{
    Resumption **const items = kernel->resumable.items;
    uint32_t at = kernel->first_resumable;
    for (; at < kernel->resumable.count; at++) {
        const BlockRef block = {.kernel = kernel, .block = items[at]->linear, .sm = NO_SM, .returns = true};
        if (dispatcher_fits_home(dispatcher, &block, items[at]))
            break;
    }
    if (at == kernel->resumable.count)
        return false;
    Resumption *const found = items[at];
    for (; at > kernel->first_resumable; at--)
        items[at] = items[at - 1];
    items[at] = found;
    return true;
}

void dispatcher_uncount(Dispatcher *dispatcher, SmBlock *block)
{
    SmView *sm = &dispatcher->sms[block->block.sm];
    if (dispatcher->view.config->waiting_blocks_count || block->is_uncounted)
        return;
    block->is_uncounted = true;
    if (sm->beyond)
        sm->beyond--;
    else
        sm->free.blocks++;
}

void dispatcher_recount(Dispatcher *dispatcher, SmBlock *block)
{
    SmView *sm = &dispatcher->sms[block->block.sm];
    if (!block->is_uncounted)
        return;
    block->is_uncounted = false;
    if (sm->free.blocks)
        sm->free.blocks--;
    else
        sm->beyond++;
}
