/* The record of a warp's wait and the counts of its block's; where they are and what follows from an end is
 * the machine's business. */
#include "exec/block_wait.h"

#include "exec/machine.h"

const WaitText wait_texts[WAIT_REASONS] = {
#define BLOCK_WAIT(identifier, name, singular, plural) {#name, singular, plural},
#include "exec/block_wait.def"
#undef BLOCK_WAIT
};

void block_wait_begin(Warp *warp, WaitReason reason, WaitKind kind)
{
    BlockWait *wait = &warp->block->wait;
    if (warp->wait.is_open)
        return;
    warp->wait = (WarpWait){
        .reason = (uint8_t)reason, .kind = (uint8_t)kind, .is_open = true, .group = warp->current};
    if (warp->current < warp->group_count)
        warp->wait.pc = warp->groups[warp->current].pc;
    wait->begun += kind != WARP_WAITS;
    wait->leaves |= kind == BLOCK_LEAVES;
    wait->waker = warp->block->launch->machine->waker;
}

bool block_wait_end(Warp *warp, Cycle now, Cycle latency)
{
    BlockWait *wait = &warp->block->wait;
    if (!warp->wait.is_open || latency < wait->waker->least)
        return false;
    warp->wait.is_open = false;
    warp->wait.over = now + latency;
    if (warp->wait.kind != WARP_WAITS) {
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
