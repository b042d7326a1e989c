/* The counts of a block's waits; where the block is and what follows is the machine's business. */
#include "exec/block_wait.h"

#include "exec/machine.h"

const WaitText wait_texts[WAIT_REASONS] = {
#define BLOCK_WAIT(identifier, name, singular, plural) {#name, singular, plural},
#include "exec/block_wait.def"
#undef BLOCK_WAIT
};

void block_wait_begin(Block *block, WaitReason reason, WaitPlace place)
{
    BlockWait *wait = &block->wait;
    wait->begun++;
    wait->open[reason]++;
    wait->reason = (uint8_t)reason;
    wait->leaves |= place == WAITS_AWAY;
    wait->waker = block->launch->machine->waker;
}

bool block_wait_end(Block *block, WaitReason reason, Cycle now, Cycle latency)
{
    BlockWait *wait = &block->wait;
    const BlockWaker *waker = wait->waker;
    if (latency < waker->least)
        return false;
    wait->ended++;
    wait->open[reason]--;
    if (wait->over < now + latency)
        wait->over = now + latency;
    if (!block_wait_is_open(wait))
        waker->ends(waker->context, block, wait->over);
    return true;
}
