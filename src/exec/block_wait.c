/* The record of a warp's wait and the counts of its block's; where they are and what follows from an end is
 * the machine's business. */
#include "exec/block_wait.h"

#include "exec/machine.h"

const WaitText wait_texts[WAIT_REASONS] = {
#define BLOCK_WAIT(identifier, name, singular, plural) {#name, singular, plural},
#include "exec/block_wait.def"
#undef BLOCK_WAIT
};

static void tell_begin(Warp *warp, Cycle now)
{
    const BlockWaker *waker = warp->block->wait.waker;
    if (waker->begins)
        waker->begins(waker->context, warp, now);
}

void block_wait_begin(Warp *warp, WaitReason reason, WaitKind kind)
{
    BlockWait *wait = &warp->block->wait;
    if (warp->wait.is_open)
        return;
    warp->wait = (WarpWait){.reason = (uint8_t)reason,
                            .kind = (uint8_t)kind,
                            .is_open = true,
                            .is_of_block = kind != WARP_WAITS,
                            .group = warp->current};
    if (warp->current < warp->group_count)
        warp->wait.pc = warp->groups[warp->current].pc;
    wait->begun += kind != WARP_WAITS;
    wait->leaves |= kind == BLOCK_LEAVES;
    wait->waker = warp->block->launch->machine->waker;
    if (kind == BLOCK_YIELDS)
        tell_begin(warp, warp->block->launch->machine->clock);
}

/* The SM may have looked at the wait: for it the kind stays as it is. */
void block_wait_yield(Warp *warp, Cycle now)
{
    warp->wait.is_of_block = true;
    warp->block->wait.begun++;
    tell_begin(warp, now);
}

bool block_wait_end(Warp *warp, Cycle now, Cycle latency)
{
    BlockWait *wait = &warp->block->wait;
    if (!warp->wait.is_open || latency < wait->waker->least)
        return false;
    warp->wait.is_open = false;
    warp->wait.over = now + latency;
    if (warp->wait.is_of_block) {
        wait->ended++;
        wait->over = wait->over > now + latency ? wait->over : now + latency;
    }
    wait->waker->ends(wait->waker->context, warp, now, now + latency);
    return true;
}

bool block_wait_end_all(Block *block, WaitReason reason, Cycle now, Cycle latency)
{
    bool found = false;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].wait.is_open && block->warps[i].wait.reason == reason)
            found |= block_wait_end(&block->warps[i], now, latency);
    return found;
}

const WarpWait *block_wait_first(const Block *block)
{
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].wait.is_open)
            return &block->warps[i].wait;
    return NULL;
}
