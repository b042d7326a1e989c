#include "exec/functional.h"

#include "exec/divergence.h"
#include "exec/engine.h"
#include "exec/hang.h"

/* Blocks in flight. A slot is made when it is first needed: a grid whose blocks end within their turn
 * uses the memory of one block again and again, which stays in the host's caches. */
typedef struct Residents {
    Launch *launch;
    const FunctionalLimits *limits;
    Block **slots;
    uint32_t slot_count;
    uint64_t next, total; /* blocks of the grid */
    uint64_t instructions;
} Residents;

/* One turn of every warp of the block. A warp that cannot run lets lanes go that wait at a join for those
 * that wait elsewhere. False: every warp waits for something that only this block could bring. */
static bool block_round(Residents *residents, Block *block)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < block->warp_count && residents->launch->error->status == WB_OK; i++) {
        Warp *warp = &block->warps[i];
        if (!warp->live)
            continue;
        uint64_t ran = engine_run_warp(warp, residents->limits->turn);
        residents->instructions += ran;
        goes_on |= ran || divergence_release(warp);
    }
    return goes_on;
}

/* Rounds of a block before other residents get theirs; a block that only waits for memory written by
 * others costs no more than this. */
enum { ROUNDS = 16 };

static WbStatus run_block(Residents *residents, Block *block)
{
    Error *error = residents->launch->error;
    for (uint32_t round = 0; round < ROUNDS && block->live_warps; round++) {
        bool goes_on = block_round(residents, block);
        if (error->status != WB_OK)
            return error->status;
        if (!goes_on && block->live_warps)
            return hang_report_deadlock(block);
        if (residents->limits->instructions && residents->instructions > residents->limits->instructions)
            return hang_report_limit(block, residents->limits->instructions);
    }
    return WB_OK;
}

static void begin_block(Residents *residents, Block **slot, uint32_t number)
{
    Launch *launch = residents->launch;
    uint32_t sm = number % launch->machine->sm_count;
    if (*slot)
        block_restart(*slot, residents->next, sm);
    else
        *slot = block_create(launch, residents->next, sm);
    residents->next++;
}

/* A slot's visit: its block goes on; while blocks end, the next of the grid takes its place. */
static WbStatus visit(Residents *residents, uint32_t number, bool *busy)
{
    Block **slot = &residents->slots[number];
    for (;;) {
        if (!*slot || !(*slot)->live_warps) {
            if (residents->next == residents->total)
                return WB_OK;
            begin_block(residents, slot, number);
        }
        WbStatus status = run_block(residents, *slot);
        if (status != WB_OK)
            return status;
        if ((*slot)->live_warps) {
            *busy = true;
            return WB_OK;
        }
        residents->launch->machine->statistics.blocks++;
    }
}

WbStatus functional_run(Launch *launch, const FunctionalLimits *limits)
{
    Residents residents = {.launch = launch, .limits = limits};
    residents.total = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    residents.slot_count =
        limits->resident_blocks < residents.total ? limits->resident_blocks : (uint32_t)residents.total;
    residents.slots = xcalloc(residents.slot_count, sizeof *residents.slots);
    launch->machine->statistics.launches++;
    WbStatus status = WB_OK;
    for (bool busy = true; busy && status == WB_OK;) {
        busy = residents.next < residents.total;
        for (uint32_t i = 0; i < residents.slot_count && status == WB_OK; i++)
            status = visit(&residents, i, &busy);
    }
    for (uint32_t i = 0; i < residents.slot_count; i++)
        block_free(residents.slots[i]);
    xfree(residents.slots);
    return status;
}
