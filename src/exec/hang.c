#include "exec/hang.h"

#include <stdio.h>

/* Appends "warp 3 lanes 0x0000ffff at k.ptx:12 (k.cu:4): waits at barrier 0 (96 of 128 threads came)". */
static int describe_group(const Warp *warp, const Group *group, const char *ready, char *text, size_t size)
{
    const Block *block = warp->block;
    const Program *program = block->launch->program;
    const Insn *insn = &program->code[group->pc];
    char place[256] = "the end of the function", wait[128];
    snprintf(wait, sizeof wait, "%s", ready);
    if (insn->ptx)
        module_place_text(program->functions[insn->function].module, insn->ptx, place, sizeof place);
    if (group->state == GROUP_BARRIER) {
        const Barrier *barrier = &block->barriers[group->barrier];
        uint32_t came = 0;
        for (uint32_t i = 0; i < block->warp_count; i++)
            came += (uint32_t)__builtin_popcountll(barrier->lanes[i]);
        snprintf(wait, sizeof wait, "waits at barrier %u, where %u of %u threads have come", group->barrier,
                 came, barrier->all ? block->live_threads : barrier->expected);
    } else if (group->state == GROUP_WARP_SYNC) {
        snprintf(wait, sizeof wait, "waits for lanes 0x%llx of its warp to reach the same .sync instruction",
                 (unsigned long long)(group->sync_mask & warp->live & ~group->mask));
    }
    return snprintf(text, size, "\n    warp %u, lanes 0x%llx, %s: %s", warp->index,
                    (unsigned long long)group->mask, place, wait);
}

/* As many groups as fit; a warp has few places where its lanes can be. */
size_t hang_describe_warp(const Warp *warp, const char *ready, char *text, size_t size)
{
    size_t used = 0;
    for (uint32_t k = 0; warp->live && k < warp->group_count; k++) {
        const Group *group = &warp->groups[k];
        if (group->state == GROUP_FREE || used + 200 > size)
            continue;
        int written = describe_group(warp, group, ready, text + used, size - used);
        used += written > 0 ? (size_t)written : 0;
    }
    return used;
}

static void describe_block(const Block *block, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < block->warp_count; i++)
        used += hang_describe_warp(&block->warps[i], "can run", text + used, size - used);
}

/* -- why -- */

static void survey_warp(HangFacts *facts, const Warp *warp)
{
    bool runs = false, waits = false;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const uint8_t state = warp->groups[i].state;
        runs |= state == GROUP_READY;
        waits |= state == GROUP_BARRIER || state == GROUP_WARP_SYNC;
        facts->at_barrier += state == GROUP_BARRIER;
        facts->at_sync += state == GROUP_WARP_SYNC;
    }
    bool arrived = false;
    for (uint32_t i = 0; i < warp->joins.count; i++)
        arrived |= warp->joins.items[i].expected && warp->joins.items[i].arrived;
    for (uint32_t i = 0; runs && i < warp->group_count; i++)
        arrived |= warp->groups[i].state == GROUP_READY && warp->groups[i].mask != warp->live;
    facts->apart += runs && arrived;
    if (runs && !facts->runner)
        facts->runner = warp;
    if (waits && !facts->waiter)
        facts->waiter = warp;
}

void hang_survey(HangFacts *facts, const Block *block)
{
    facts->blocks++;
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].live)
            survey_warp(facts, &block->warps[i]);
}

static void put_place(const Warp *warp, uint32_t pc, char *text, size_t size)
{
    const Program *program = warp->block->launch->program;
    const Insn *insn = &program->code[pc];
    snprintf(text, size, "the end of the function");
    if (insn->ptx)
        module_place_text(program->functions[insn->function].module, insn->ptx, text, size);
}

/* "at k.ptx:12 (k.cu:4), until global memory at 0x200 is not 0 any more" */
static void put_spin(const Warp *warp, char *text, size_t size)
{
    char place[256];
    uint32_t pc = warp->polled_pc;
    for (uint32_t i = 0; pc == NO_INDEX && i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_READY)
            pc = warp->groups[i].pc;
    put_place(warp, pc == NO_INDEX ? 0 : pc, place, sizeof place);
    if (warp->polled_pc == NO_INDEX) {
        snprintf(text, size, "go round in a loop without an end at %s", place);
        return;
    }
    const bool is_shared = warp->polled_space == SPACE_SHARED;
    const Allocation *found =
        is_shared ? NULL : space_find(warp->block->launch->space, warp->polled_address, 1);
    char name[128] = "";
    if (found && found->name)
        snprintf(name, sizeof name, " ('%.80s' + %llu)", found->name,
                 (unsigned long long)(warp->polled_address - found->base));
    snprintf(text, size, "spin at %s until %s memory at 0x%llx%s changes", place,
             is_shared ? "shared" : "global", (unsigned long long)warp->polled_address, name);
}

static size_t put_spin_cause(const HangFacts *facts, char *text, size_t size)
{
    char spin[512], fit[64] = "";
    const Launch *launch = facts->runner->block->launch;
    put_spin(facts->runner, spin, sizeof spin);
    if (facts->resident)
        snprintf(fit, sizeof fit, " (%llu)", (unsigned long long)facts->resident);
    int written;
    if (facts->apart && launch->divergence == DIVERGENCE_STACK)
        written =
            snprintf(text, size,
                     " Likely cause: threads %s, and those that could change it are lanes of the same warp: "
                     "on this GPU, as on those before Volta, they do not run before the ones that spin "
                     "have come to the end of the branch.",
                     spin);
    else if (facts->undispatched)
        written =
            snprintf(text, size,
                     " Likely cause: threads %s; %llu blocks have not been dispatched, because all places "
                     "are taken by blocks that wait: more blocks synchronize with each other than fit on "
                     "the GPU at once%s. Launch no more of them, or cooperatively.",
                     spin, (unsigned long long)facts->undispatched, fit);
    else if (facts->waiter)
        written =
            snprintf(text, size,
                     " Likely cause: threads %s; all others have ended, spin, too, or wait at a barrier for "
                     "those that spin.",
                     spin);
    else
        written = snprintf(text, size,
                           " Likely cause: threads %s; all others have ended or spin, too: a lock was not "
                           "released, or a signal was missed or never given.",
                           spin);
    return written > 0 ? (size_t)written : 0;
}

size_t hang_put_cause(const HangFacts *facts, char *text, size_t size)
{
    int written = 0;
    text[0] = '\0';
    if (facts->is_spinning)
        return facts->runner ? put_spin_cause(facts, text, size) : 0;
    if (facts->at_barrier)
        written =
            snprintf(text, size,
                     " Likely cause: not all threads of a block come to the same barrier: a "
                     "__syncthreads() in a branch that some do not take, or a barrier with a wrong count.");
    else if (facts->at_sync)
        written = snprintf(
            text, size, " Likely cause: the mask of a .sync instruction names lanes that never come there.");
    return written > 0 ? (size_t)written : 0;
}

static WbStatus report(const Block *block, const HangFacts *facts, const char *what)
{
    char groups[1000], cause[800];
    describe_block(block, groups, sizeof groups);
    hang_put_cause(facts, cause, sizeof cause);
    return error_set(block->launch->error, WB_ERROR_DEADLOCK, "kernel '%.200s', block (%u,%u,%u): %s.%s%s",
                     block->launch->program->name, block->index[0], block->index[1], block->index[2], what,
                     cause, groups);
}

WbStatus hang_report_deadlock(Block *block)
{
    HangFacts facts = {0};
    hang_survey(&facts, block);
    return report(block, &facts, "deadlock: every thread of the block waits for another one of it");
}

WbStatus hang_report_limit(Block *block, uint64_t instructions)
{
    char what[160];
    snprintf(what, sizeof what,
             "the launch has run %llu warp instructions, the limit (knob functional_limit), and has not "
             "ended; this block",
             (unsigned long long)instructions);
    return report(block, &(HangFacts){0}, what);
}

WbStatus hang_report_spin(const Block *first, const HangFacts *facts, uint64_t instructions)
{
    char what[300];
    snprintf(
        what, sizeof what,
        "the launch spins: in %llu warp instructions no block has begun or ended, and the warps of all %u "
        "blocks on the GPU come back to the states that they had, with nothing left that could change "
        "(knob watchdog_cycles)",
        (unsigned long long)instructions, facts->blocks);
    return report(first, facts, what);
}
