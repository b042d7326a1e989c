/* Who has come and who waits is counted by block: a read waits once for each arrival, so that one which finds
 * the word unchanged after that, because the last addition is still on its way, reads again as ever. */
#include "exec/grid_sync.h"

#include "exec/machine.h"

enum { WORDS_BYTES = 8 }; /* of the workspace: the size that it says it has, and the barrier */

/* Whether other lanes of the block can run: those may have to do something before it may wait. */
static bool others_run(const Step *step)
{
    const Block *block = step->warp->block;
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; block->warps[w].live && i < block->warps[w].group_count; i++)
            if (block->warps[w].groups[i].state == GROUP_READY && &block->warps[w].groups[i] != step->group)
                return true;
    return false;
}

bool grid_sync_accessed(Step *step, const Access *access)
{
    Block *block = step->warp->block;
    const Launch *launch = block->launch;
    const uint64_t address = access->address[mask_first(access->mask)];
    const uint32_t pc = (uint32_t)(step->insn - launch->program->code);
    if (access->space != SPACE_GLOBAL || address - launch->sync_words >= WORDS_BYTES)
        return false;
    if (access->kind == ACCESS_ATOMIC) {
        block->grid_arrivals++;
        launch->sync->arrived(block, pc);
        return false;
    }
    if (block->grid_waits == block->grid_arrivals || others_run(step))
        return false;
    block->grid_waits = block->grid_arrivals;
    block->grid_wait_pc = pc;
    if (launch->machine->hold) {
        launch->machine->hold(step);
        return false;
    }
    grid_sync_wait(step->warp, launch->machine->clock);
    return step->warp->wait.is_open;
}

void grid_sync_wait(Warp *warp, Cycle time)
{
    warp->block->launch->sync->waits(warp, warp->block->grid_waits, warp->block->grid_wait_pc, time);
}
