/* Lanes that stand at one place for one reason are told together, of all warps of which it is true. */
#include "exec/hang/hang.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/block_call.h"

static void put_place(const Warp *warp, uint32_t pc, char *text, size_t size)
{
    const Program *program = warp->block->launch->program;
    const Insn *insn = &program->code[pc];
    snprintf(text, size, "the end of the function");
    if (insn->ptx)
        module_place_text(program->functions[insn->function].module, insn->ptx, text, size);
}

/* What a group waits for, from its state alone: everything is in the block and its barriers. */
static void put_wait(const Warp *warp, const Group *group, const char *ready, char *text, size_t size)
{
    const Block *block = warp->block;
    const Barrier *barrier = &block->barriers[group->barrier];
    uint32_t came = 0;
    switch ((GroupState)group->state) {
    case GROUP_BARRIER:
        for (uint32_t i = 0; i < block->warp_count; i++)
            came += (uint32_t)__builtin_popcountll(barrier->lanes[i]);
        snprintf(text, size, "waits at barrier %u, where %u of %u threads have come", group->barrier, came,
                 barrier->all ? block->live_threads : barrier->expected);
        break;
    case GROUP_WARP_SYNC:
        snprintf(text, size, "waits for lanes 0x%llx of its warp to reach the same .sync instruction",
                 (unsigned long long)(group->sync_mask & warp->live & ~group->mask));
        break;
    case GROUP_CALL:
        snprintf(text, size, "waits for the other lanes of its warp to make the same call");
        break;
    default:
        snprintf(text, size, "%c%s", tolower((unsigned char)ready[0]), ready + 1);
        break;
    }
}

static bool is_same(const HangLanes *lanes, uint32_t warp, Mask mask, const char *place, const char *wait)
{
    /* Neighbouring warps only, so that "warps 0-3" is true of all of them. */
    return lanes->last_warp + 1 == warp && lanes->lanes == mask && !strcmp(lanes->place, place) &&
           !strcmp(lanes->wait, wait);
}

static void add_lanes(HangList *list, uint32_t warp, Mask mask, const char *place, const char *wait,
                      Arena *arena)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (is_same(&list->items[i], warp, mask, place, wait)) {
            list->items[i].last_warp = warp;
            return;
        }
    VEC_PUSH(list, ((HangLanes){warp, warp, mask, arena_strndup(arena, place, strlen(place)),
                                arena_strndup(arena, wait, strlen(wait))}));
}

/* Where a group stands; of one whose call began a wait, the call. */
static uint32_t place_of(const Warp *warp, uint32_t group)
{
    return warp->wait.is_open && warp->wait.group == group ? warp->wait.pc : warp->groups[group].pc;
}

void hang_list_warp(HangList *list, const Warp *warp, const char *ready, Arena *arena)
{
    char place[512], wait[160];
    for (uint32_t i = 0; warp->live && i < warp->group_count; i++) {
        const Group *group = &warp->groups[i];
        if (group->state == GROUP_FREE)
            continue;
        put_place(warp, place_of(warp, i), place, sizeof place);
        put_wait(warp, group, ready, wait, sizeof wait);
        add_lanes(list, warp->index, group->mask, place, wait, arena);
    }
    /* Lanes that wait at a join belong to no group. */
    for (uint32_t i = 0; warp->live && i < warp->joins.count; i++) {
        const Join *join = &warp->joins.items[i];
        if (!join->expected || !join->arrived)
            continue;
        put_place(warp, join->pc, place, sizeof place);
        add_lanes(list, warp->index, join->arrived, place,
                  "waits for the other lanes of its warp to come to the end of a branch", arena);
    }
    if (!warp->live)
        add_lanes(list, warp->index, 0, "", ready, arena);
}

size_t hang_put_lanes(const HangLanes *lanes, char *text, size_t size)
{
    char warps[40], where[600] = "";
    if (lanes->first_warp < lanes->last_warp)
        snprintf(warps, sizeof warps, "warps %u-%u", lanes->first_warp, lanes->last_warp);
    else
        snprintf(warps, sizeof warps, "warp %u", lanes->first_warp);
    if (lanes->lanes)
        snprintf(where, sizeof where, ", lanes 0x%llx, %s", (unsigned long long)lanes->lanes, lanes->place);
    const int length = snprintf(text, size, "\n    %s%s: %s", warps, where, lanes->wait);
    if (length > 0 && (size_t)length < size)
        return (size_t)length;
    text[0] = '\0';
    return 0;
}

const char *hang_describe_wait(const Warp *warp, const char *otherwise, char *text, size_t size)
{
    if (warp->wait.is_open)
        snprintf(text, size, "waits for %s", wait_texts[warp->wait.reason].singular);
    else
        snprintf(text, size, "%s",
                 block_wait_is_open(&warp->block->wait) ? "waits with its block" : otherwise);
    return text;
}

static void describe_block(const Block *block, char *text, size_t size)
{
    char wait[160];
    Arena arena = {0};
    HangList list = {0};
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].live)
            hang_list_warp(&list, &block->warps[i],
                           hang_describe_wait(&block->warps[i], "can run", wait, sizeof wait), &arena);
    for (uint32_t i = 0; i < list.count; i++)
        used += hang_put_lanes(&list.items[i], text + used, size - used);
    VEC_FREE(&list);
    arena_free(&arena);
}

/* -- why -- */

/* Whether lanes that go on there can write to memory before they have to wait for their block. */
static bool may_write_from(const Program *program, uint32_t start)
{
    bool *seen = xcalloc(program->code_count, sizeof *seen), found = false;
    VEC(uint32_t) rest = {0};
    VEC_PUSH(&rest, start);
    /* A search over code indices; each is visited once, so it ends. */
    while (rest.count && !found) {
        const uint32_t pc = rest.items[--rest.count];
        if (pc >= program->code_count || seen[pc])
            continue;
        seen[pc] = true;
        const Insn *insn = &program->code[pc];
        const bool is_sure = insn->guard == NO_INDEX;
        switch ((Action)insn->action) {
        case ACTION_STORE:
        case ACTION_ATOMIC:
        /* What is called may write. */
        case ACTION_CALL:
        case ACTION_BRANCH_TABLE:
        case ACTION_COPY_ASYNC:
        case ACTION_MBARRIER:
        case ACTION_WMMA_STORE:
        case ACTION_SURFACE_STORE:
            found = true;
            break;
        case ACTION_BRANCH:
            VEC_PUSH(&rest, insn->target);
            break;
        default:
            break;
        }
        const bool ends = insn->action == ACTION_BRANCH || insn->action == ACTION_EXIT ||
                          insn->action == ACTION_RETURN || insn->action == ACTION_BARRIER;
        /* Guarded, control may fall through. */
        if (!ends || !is_sure)
            VEC_PUSH(&rest, pc + 1);
    }
    VEC_FREE(&rest);
    xfree(seen);
    return found;
}

/* Whether lanes that wait until others of their warp have come to them would write something then. */
static bool has_held_up_writers(const Warp *warp)
{
    const Program *program = warp->block->launch->program;
    bool found = false;
    for (uint32_t i = 0; !found && i < warp->joins.count; i++)
        if (warp->joins.items[i].expected && warp->joins.items[i].arrived)
            found = may_write_from(program, warp->joins.items[i].pc);
    /* Before Volta a ready group that is not the current one waits for it to come to its join. */
    for (uint32_t i = 0; !found && i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_READY && i != warp->current)
            found = may_write_from(program, warp->groups[i].pc);
    return found;
}

/* The first of each kind is kept as an example for the sentence; the others are only counted. */
static void survey_warp(HangFacts *facts, const Warp *warp)
{
    bool runs = false, waits = false;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const uint8_t state = warp->groups[i].state;
        runs |= state == GROUP_READY;
        waits |= state == GROUP_BARRIER || state == GROUP_WARP_SYNC;
        if (state == GROUP_BARRIER && !facts->at_barrier)
            facts->at_barrier = warp;
        if (state == GROUP_WARP_SYNC && !facts->at_sync)
            facts->at_sync = warp;
    }
    facts->apart += runs && has_held_up_writers(warp);
    if (runs && !facts->runner)
        facts->runner = warp;
    if (waits && !facts->waiter)
        facts->waiter = warp;
}

void hang_count_waits(HangWaits *waits, const Block *block)
{
    bool found[WAIT_REASONS] = {0};
    for (uint32_t i = 0; i < block->warp_count; i++)
        if (block->warps[i].wait.is_open)
            found[block->warps[i].wait.reason] = true;
    for (uint32_t i = 0; i < WAIT_REASONS; i++)
        waits->blocks[i] += found[i];
}

size_t hang_put_waits(const HangWaits *waits, const char *before, const char *where, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < WAIT_REASONS; i++) {
        if (waits->blocks[i] && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%u %s %s for %s", before, waits->blocks[i],
                                     waits->blocks[i] == 1 ? "waits" : "wait", where,
                                     waits->blocks[i] == 1 ? wait_texts[i].singular : wait_texts[i].plural);
    }
    return used < size ? used : size - 1;
}

static const Group *find_group(const Warp *warp, GroupState state)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == state)
            return &warp->groups[i];
    return NULL;
}

/* A warp of the block that waits at a barrier, for warps that wait for it at a call of the whole block. */
static const Warp *find_split(const Block *block)
{
    for (uint32_t i = 0; block_call_open(block) && i < block->warp_count; i++)
        if (block->warps[i].live && find_group(&block->warps[i], GROUP_BARRIER))
            return &block->warps[i];
    return NULL;
}

/* A block that waits for others keeps its own warps from meeting: those are not why. */
void hang_survey(HangFacts *facts, const Block *block)
{
    facts->blocks++;
    if (!facts->split)
        facts->split = find_split(block);
    hang_count_waits(block->wait.leaves ? &facts->away : &facts->in_place, block);
    for (uint32_t i = 0; i < block->warp_count && !block_wait_first(block); i++)
        if (block->warps[i].live)
            survey_warp(facts, &block->warps[i]);
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

/* That the signal may be that of a kernel which cannot begin before these have ended. */
static void put_behind(const HangFacts *facts, char *text, size_t size)
{
    char which[60] = "the launch that has";
    text[0] = '\0';
    if (facts->waiting_launches > 1)
        snprintf(which, sizeof which, "one of the %u launches that have", facts->waiting_launches);
    /* Nothing is said if no launch of the host is left. */
    if (facts->waiting_launches)
        snprintf(
            text, size,
            " If it is for %s not begun: a kernel begins beside others only in another stream that waits "
            "for none of them, on a hardware queue of its own (knob hardware_queues), as long as not too "
            "many run (knob concurrent_kernels), and if all are timed or none is (knob timed_kernels).",
            which);
}

static size_t put_spin_cause(const HangFacts *facts, char *text, size_t size)
{
    char spin[512], fit[64] = "", behind[400];
    const Launch *launch = facts->runner->block->launch;
    put_spin(facts->runner, spin, sizeof spin);
    put_behind(facts, behind, sizeof behind);
    if (facts->resident)
        snprintf(fit, sizeof fit, " (%llu)", (unsigned long long)facts->resident);
    int written;
    /* From the most particular cause to the most general one. */
    if (facts->apart && launch->divergence == DIVERGENCE_STACK)
        written = snprintf(
            text, size,
            "Threads %s, and those that could change it are lanes of the same warp: "
            "on this GPU, as on those before Volta, they do not run before the ones that spin "
            "have come to the end of the branch. Do what needs the lock, and release it, inside of the loop.",
            spin);
    else if (facts->undispatched)
        written =
            snprintf(text, size,
                     "Threads %s; %llu %s not been dispatched, because all places "
                     "are taken by blocks that wait: more blocks synchronize with each other than fit on "
                     "the GPU at once%s. Launch no more than that, or cooperatively, which is checked.",
                     spin, (unsigned long long)facts->undispatched,
                     facts->undispatched == 1 ? "block has" : "blocks have", fit);
    else if (facts->waiter)
        written =
            snprintf(text, size,
                     "Threads %s; all others have ended, spin, too, or wait at a barrier for those that "
                     "spin: nobody is left to change it. Whoever does must come before that barrier.%s",
                     spin, behind);
    else
        written =
            snprintf(text, size,
                     "Threads %s; all others%s have ended or spin, too: a lock was not "
                     "released, or a signal was missed or never given. Look who should have changed it.%s",
                     spin, facts->kernels > 1 ? ", of all kernels," : "", behind);
    return written > 0 ? (size_t)written : 0;
}

/* ", 32 have ended and others wait at k.ptx:12:3": where threads are that do not come to the barrier. */
static void put_absent(const Block *block, uint32_t barrier, char *text, size_t size)
{
    char place[512];
    size_t used = 0;
    const uint32_t ended = block->thread_count - block->live_threads;
    text[0] = '\0';
    if (ended)
        used = (size_t)snprintf(text, size, ", %u have ended", ended);
    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; block->warps[w].live && i < block->warps[w].group_count; i++) {
            const Group *group = &block->warps[w].groups[i];
            if (group->state == GROUP_FREE || (group->state == GROUP_BARRIER && group->barrier == barrier))
                continue;
            put_place(&block->warps[w], group->pc, place, sizeof place);
            /* One place is enough to show where to look. */
            snprintf(text + used, size - used, "%s others wait at %s", used ? " and" : ",", place);
            return;
        }
}

static int put_barrier_cause(const Warp *warp, const Group *group, char *text, size_t size)
{
    const Block *block = warp->block;
    const Barrier *barrier = &block->barriers[group->barrier];
    char place[512], absent[600];
    uint32_t came = 0;
    for (uint32_t i = 0; i < block->warp_count; i++)
        came += (uint32_t)__builtin_popcountll(barrier->lanes[i]);
    put_place(warp, group->pc, place, sizeof place);
    put_absent(block, group->barrier, absent, sizeof absent);
    return snprintf(
        text, size,
        "Not all threads of block (%u,%u,%u) come to the same barrier: %u of %u are at barrier %u at %s%s. A "
        "__syncthreads() has to stand where every thread of the block comes by, not in a branch and not "
        "behind a return; a barrier with a count, as many as come.",
        block->index[0], block->index[1], block->index[2], came,
        barrier->all ? block->live_threads : barrier->expected, group->barrier, place, absent);
}

static int put_sync_cause(const Warp *warp, const Group *group, char *text, size_t size)
{
    char place[512];
    put_place(warp, group->pc, place, sizeof place);
    return snprintf(
        text, size,
        "The mask of the .sync instruction at %s names lanes 0x%llx, which do not come there: it may "
        "name only threads of the warp that take the same way through the code.",
        place, (unsigned long long)(group->sync_mask & warp->live & ~group->mask));
}

/* Nobody is left to end the waits. */
static int put_wait_cause(const HangFacts *facts, WaitReason reason, char *text, size_t size)
{
    char behind[400];
    put_behind(facts, behind, sizeof behind);
    if (facts->undispatched)
        return snprintf(text, size,
                        "Blocks wait for %s, and %llu %s not been dispatched because all places are taken "
                        "by blocks that wait in place: more blocks wait for each other than fit on the GPU "
                        "at once.",
                        wait_texts[reason].plural, (unsigned long long)facts->undispatched,
                        facts->undispatched == 1 ? "block has" : "blocks have");
    return snprintf(text, size,
                    "Blocks wait for %s, and nobody is left who could end that: it was missed, or never "
                    "given.%s",
                    wait_texts[reason].plural, behind);
}

/* Waits for launches end by themselves: what keeps those from ending is the cause. */
static WaitReason first_wait(const HangFacts *facts)
{
    uint32_t reason = 0;
    while (reason < WAIT_REASONS &&
           (reason == WAITS_FOR_LAUNCHED || !(facts->in_place.blocks[reason] + facts->away.blocks[reason])))
        reason++;
    return (WaitReason)reason;
}

static int put_split_cause(const Warp *warp, char *text, size_t size)
{
    char barrier[256], call[256];
    const BlockCall *open = block_call_open(warp->block);
    put_place(warp, find_group(warp, GROUP_BARRIER)->pc, barrier, sizeof barrier);
    put_place(warp, open->pc, call, sizeof call);
    return snprintf(text, size,
                    "Warps of block (%u,%u,%u) wait for each other: some at %s, a call of %s that all warps "
                    "of a block make together, others at a barrier at %s. All of them have to come to both.",
                    warp->block->index[0], warp->block->index[1], warp->block->index[2], call,
                    open->kind->name, barrier);
}

size_t hang_put_cause(const HangFacts *facts, char *text, size_t size)
{
    int written = 0;
    text[0] = '\0';
    if (facts->is_spinning)
        return facts->runner ? put_spin_cause(facts, text, size) : 0;
    if (facts->split)
        written = put_split_cause(facts->split, text, size);
    else if (facts->at_barrier)
        written =
            put_barrier_cause(facts->at_barrier, find_group(facts->at_barrier, GROUP_BARRIER), text, size);
    else if (facts->at_sync)
        written = put_sync_cause(facts->at_sync, find_group(facts->at_sync, GROUP_WARP_SYNC), text, size);
    else if (first_wait(facts) != WAIT_REASONS)
        written = put_wait_cause(facts, first_wait(facts), text, size);
    return written > 0 ? (size_t)written : 0;
}

static WbStatus report(const Block *block, const HangFacts *facts, const char *what)
{
    char groups[1000], cause[HANG_CAUSE_SIZE], gpu[SPACE_GPU_TEXT];
    describe_block(block, groups, sizeof groups);
    hang_put_cause(facts, cause, sizeof cause);
    return error_set(block->launch->error, WB_ERROR_DEADLOCK,
                     "kernel '%.200s'%s, block (%u,%u,%u): %s.%s%s%s", block->launch->program->name,
                     space_gpu_text(block->launch->space, gpu, sizeof gpu), block->index[0], block->index[1],
                     block->index[2], what, *cause ? "\nLikely cause: " : "", cause, groups);
}

WbStatus hang_report_waits(const Block *first, const HangFacts *facts)
{
    char what[400], waits[300];
    size_t used = hang_put_waits(&facts->in_place, ", ", "in place", waits, sizeof waits);
    used += hang_put_waits(&facts->away, ", ", "off the SMs", waits + used, sizeof waits - used);
    if (facts->undispatched)
        snprintf(waits + used, sizeof waits - used, ", %llu find no place",
                 (unsigned long long)facts->undispatched);
    snprintf(what, sizeof what, "no block of the launch can go on%s", waits);
    return report(first, facts, what);
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
             "ended",
             (unsigned long long)instructions);
    return report(block, &(HangFacts){0}, what);
}

WbStatus hang_report_spin(const Block *first, const HangFacts *facts, uint64_t instructions)
{
    char what[340], beside[60] = "";
    if (facts->kernels > 1)
        snprintf(beside, sizeof beside, ", and so do the kernels beside it (%u)", facts->kernels - 1);
    snprintf(
        what, sizeof what,
        "the launch spins%s: in %llu warp instructions no block has begun or ended, and the warps of all "
        "blocks on the GPU (%u) come back to the states that they had, with nothing left that could change "
        "(knob watchdog_cycles)",
        beside, (unsigned long long)instructions, facts->blocks);
    return report(first, facts, what);
}
