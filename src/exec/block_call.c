/* The list of a block's open calls. It is the block's own: calls that wait join it between windows, posted
 * calls and the ends of warps within one, when the SM has its turn. Both come to the same: a call is complete
 * in the cycle of the last arrival or end, whichever is noticed first. */
#include "exec/block_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/machine.h"

struct BlockCalls {
    VEC(BlockCall *) open;
};

static struct BlockCalls *calls_of(Block *block)
{
    if (!block->calls)
        block->calls = xcalloc(1, sizeof *block->calls);
    return block->calls;
}

void block_calls_free(Block *block)
{
    if (!block->calls)
        return;
    for (uint32_t i = 0; i < block->calls->open.count; i++)
        xfree(block->calls->open.items[i]);
    VEC_FREE(&block->calls->open);
    xfree(block->calls);
    block->calls = NULL;
}

const BlockCall *block_call_open(const Block *block)
{
    return block->calls && block->calls->open.count ? block->calls->open.items[0] : NULL;
}

static uint64_t bit_of(const Warp *warp) { return (uint64_t)1 << warp->index; }

static bool is_complete(const Block *block, const BlockCall *call)
{
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].live && !(call->warps & bit_of(&block->warps[i])))
            return false;
    return true;
}

/* The call that the warp is not in yet; a new one if it is in all of them. */
static BlockCall *join(Warp *warp, const BlockCallKind *kind, void *context, uint64_t event, uint64_t target)
{
    struct BlockCalls *calls = calls_of(warp->block);
    for (uint32_t i = 0; i < calls->open.count; i++)
        if (!(calls->open.items[i]->warps & bit_of(warp)))
            return calls->open.items[i];
    BlockCall *call = xcalloc(1, sizeof *call);
    *call = (BlockCall){.kind = kind,
                        .context = context,
                        .event = event,
                        .target = target,
                        .pc = warp->groups[warp->current].pc};
    VEC_PUSH(&calls->open, call);
    return call;
}

static void remove_first(Block *block)
{
    struct BlockCalls *calls = block->calls;
    calls->open.count--;
    memmove(calls->open.items, calls->open.items + 1, calls->open.count * sizeof *calls->open.items);
}

static void complete(void *context, Cycle time)
{
    BlockCall *call = context;
    call->kind->complete(call, time);
    xfree(call);
}

/* The last warp missing has ended: the block yields with the warp that came last. */
static void complete_by_end(void *context, Cycle time)
{
    BlockCall *call = context;
    if (call->kind->waits)
        block_wait_yield(call->last, time);
    complete(call, time);
}

void block_call_warp_ended(Block *block)
{
    Machine *machine = block->launch->machine;
    while (block->calls->open.count && is_complete(block, block->calls->open.items[0])) {
        BlockCall *call = block->calls->open.items[0];
        remove_first(block);
        machine_put_off(machine, complete_by_end, call);
    }
}

static const char *put_arguments(const BlockCallKind *kind, uint64_t event, uint64_t target, char *text,
                                 size_t size)
{
    if (kind->put)
        kind->put(event, target, text, size);
    else
        snprintf(text, size, "event %" PRIu64 " and target %" PRIu64, event, target);
    return text;
}

static StepResult differs(Step *step, const BlockCall *call, const BlockCallKind *kind, uint64_t event,
                          uint64_t target)
{
    char place[512];
    const Program *program = step->warp->block->launch->program;
    const Insn *first = &program->code[call->pc];
    module_place_text(program->functions[first->function].module, first->ptx, place, sizeof place);
    const unsigned lane = mask_first(step->mask);
    if (call->kind != kind)
        return step_error(step, WB_ERROR_EXECUTION, lane,
                          "this warp calls %s while another warp of its block calls %s at %s; all warps of a "
                          "block have to make the same calls",
                          kind->name, call->kind->name, place);
    char mine[96], others[96];
    return step_error(step, WB_ERROR_EXECUTION, lane,
                      "this warp calls %s with %s, another warp of its block with %s at %s; all warps of a "
                      "block have to name the same",
                      kind->name, put_arguments(kind, event, target, mine, sizeof mine),
                      put_arguments(kind, call->event, call->target, others, sizeof others), place);
}

StepResult block_call(IntrinsicCall *made, const BlockCallKind *kind, void *context, uint64_t event,
                      uint64_t target)
{
    Warp *warp = made->step->warp;
    Block *block = warp->block;
    Machine *machine = block->launch->machine;
    BlockCall *call = join(warp, kind, context, event, target);
    if (call->kind != kind || call->event != event || call->target != target)
        return differs(made->step, call, kind, event, target);
    call->warps |= bit_of(warp);
    call->last = warp;
    call->time = machine->clock;
    const bool is_last = is_complete(block, call);
    /* By a warp that has ended later in the same window, and has not been noticed then: as if it had. */
    const bool by_end = is_last && block->warp_ended > call->time;
    if (kind->waits)
        block_wait_begin(warp, kind->reason, is_last && !by_end ? BLOCK_YIELDS : WARP_WAITS);
    if (kind->waits && by_end)
        block_wait_yield(warp, block->warp_ended);
    if (!is_last)
        return STEP_NEXT;
    remove_first(block);
    if (made->call->intrinsic->posted)
        machine_put_off(machine, complete, call);
    else
        complete(call, block->warp_ended > call->time ? block->warp_ended : call->time);
    return STEP_NEXT;
}
