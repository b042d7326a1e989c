/* Counts are kept by instruction and SM, so that threads never share one, and are added up when the kernel
 * has ended. A program's table is made when it is first asked for, an SM's array in it when the first block
 * comes there. */
#include "sm/line_profile.h"

LineProfile *line_profile_create(uint32_t sm_count)
{
    LineProfile *profile = xcalloc(1, sizeof *profile);
    profile->sm_count = sm_count;
    return profile;
}

void line_profile_free(LineProfile *profile)
{
    if (!profile)
        return;
    for (uint32_t i = 0; i < profile->codes.count; i++) {
        CodeProfile *code = profile->codes.items[i];
        for (uint32_t sm = 0; sm < profile->sm_count; sm++)
            xfree(code->by_sm[sm]);
        xfree(code->by_sm);
        xfree(code);
    }
    VEC_FREE(&profile->codes);
    xfree(profile);
}

CodeProfile *line_profile_of(LineProfile *profile, const Program *program)
{
    for (uint32_t i = 0; i < profile->codes.count; i++)
        if (profile->codes.items[i]->program == program)
            return profile->codes.items[i];
    CodeProfile *code = xcalloc(1, sizeof *code);
    code->whole = profile;
    code->program = program;
    code->by_sm = xcalloc(profile->sm_count, sizeof *code->by_sm);
    VEC_PUSH(&profile->codes, code);
    return code;
}

InsnProfile *code_profile_sum(const CodeProfile *code)
{
    const uint32_t count = code->program->code_count;
    InsnProfile *sum = xcalloc(count, sizeof *sum);
    for (uint32_t sm = 0; sm < code->whole->sm_count; sm++) {
        const InsnProfile *part = code->by_sm[sm];
        for (uint32_t i = 0; part && i < count; i++) {
            sum[i].issued += part[i].issued;
            sum[i].threads += part[i].threads;
            for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
                sum[i].waited[wait] += part[i].waited[wait];
        }
    }
    return sum;
}

/* -- for the stages -- */

void profile_begin(Sm *sm, WarpSlot *slot, CodeProfile *code, uint32_t at)
{
    slot->profile = NULL;
    if (!code)
        return;
    InsnProfile **mine = &code->by_sm[sm->number];
    if (!*mine)
        *mine = xcalloc(code->program->code_count, sizeof **mine);
    sm->is_profiled = true;
    slot->profile = *mine;
    slot->issued_pc = slot->done_pc = at;
    slot->charged = sm->now;
}

/* Whether the wait is for what the last instruction asked for, and not for what the next one needs. A
 * .release waits as a fence before it issues. */
static bool is_of_last(const WarpSlot *slot)
{
    switch ((Wait)slot->wait) {
    case WAIT_BARRIER:
    case WAIT_UNIT:
    case WAIT_BLOCK:
    case WAIT_SUSPEND:
    case WAIT_DRAIN:
        return true;
    case WAIT_FENCE:
        return !slot->has_released;
    default:
        return false;
    }
}

void profile_charge_slow(const Sm *sm, WarpSlot *slot)
{
    if (sm->now <= slot->charged)
        return;
    const uint32_t pc = is_of_last(slot) ? slot->issued_pc : slot->pc;
    slot->profile[pc].waited[slot->wait] += sm->now - slot->charged;
    slot->charged = sm->now;
}

/* One without a slot of its own makes no warp wait: what it stands behind goes on being waited for. */
void profile_issue_slow(const Sm *sm, WarpSlot *slot, Cycle cycles)
{
    profile_charge_slow(sm, slot);
    slot->profile[slot->pc].issued++;
    slot->done_pc = slot->pc;
    if (!cycles)
        return;
    slot->issued_pc = slot->pc;
    slot->charged = sm->now + cycles;
}
