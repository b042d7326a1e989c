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

static WbStatus report(Block *block, const char *what)
{
    char groups[1500];
    describe_block(block, groups, sizeof groups);
    return error_set(block->launch->error, WB_ERROR_DEADLOCK, "kernel '%.200s', block (%u,%u,%u): %s:%s",
                     block->launch->program->name, block->index[0], block->index[1], block->index[2], what,
                     groups);
}

WbStatus hang_report_deadlock(Block *block)
{
    return report(block, "deadlock: every thread of the block waits for another one of it");
}

WbStatus hang_report_limit(Block *block, uint64_t instructions)
{
    char what[160];
    snprintf(what, sizeof what,
             "the launch has run %llu warp instructions, the limit (knob functional_limit), and has not "
             "ended; this block now",
             (unsigned long long)instructions);
    return report(block, what);
}
