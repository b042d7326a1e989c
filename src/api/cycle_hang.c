/* Sentences about launches in cycle mode that do not end. */
#include "api/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/hang/hang.h"
#include "grid/inspect.h"
#include "sm/inspect.h"

const char *const cycle_wait_descriptions[WAIT_COUNT] = {
#define WAIT(identifier, description) [WAIT_##identifier] = description,
#include "sm/wait.def"
#undef WAIT
};

/* What is kept of kernels and of the blocks of one: a reader looks at no more. */
enum { KERNELS_KEPT = 64, BLOCKS_KEPT = 64 };

bool cycle_is_of(const HostKernel *kernel, const SmKernel *seen)
{
    return grid_kernel_root(grid_kernel_of(seen)) == kernel->grid;
}

static const char *const phases[] = {
    [PHASE_RUNS] = "runs",
    [PHASE_WAITS] = "waits in place",
    [PHASE_SETTLES] = "is about to leave its SM",
    [PHASE_SAVES] = "is being saved",
    [PHASE_RESTORES] = "is being restored",
};

/* What the warp waits for. */
static void keep_warp(HangList *lanes, const SeenWarp *seen, Arena *arena)
{
    const char *wait = cycle_wait_descriptions[seen->wait];
    char text[160];
    if (seen->is_refused)
        wait = "Ready, but the policy of its scheduler lets none issue";
    else if (seen->wait == WAIT_BLOCK)
        wait = hang_describe_wait(seen->warp, wait, text, sizeof text);
    hang_list_warp(lanes, seen->warp, wait, arena);
}

static void keep_block(HangRecord *hang, const CycleMachine *machine, uint32_t number, const SeenBlock *seen)
{
    const Block *block = seen->block;
    const char *name = seen->kernel->launch.program->name;
    char names[KNOB_STRING_SIZE];
    if (hang->blocks.count == BLOCKS_KEPT) {
        hang->left_out++;
        return;
    }
    HangBlock kept = {.kernel = arena_strndup(&hang->arena, name, strlen(name)),
                      .index = {block->index[0], block->index[1], block->index[2]},
                      .sm = number,
                      .state = phases[seen->phase]};
    if (seen->phase == PHASE_RUNS && seen->is_paused)
        kept.state = arena_printf(&hang->arena, "is paused by block_admit=%s",
                                  front_end_admit_names(machine->front_end, names, sizeof names));
    SeenWarp warp;
    for (uint32_t w = 0; w < block->warp_count; w++)
        if (sm_find_warp(machine->sms[number], &block->warps[w], &warp))
            keep_warp(&kept.lanes, &warp, &hang->arena);
    VEC_PUSH(&hang->blocks, kept);
}

/* -- blocks that have not been dispatched -- */

/* "registers and warps": what SMs have not enough of, none of them having all. False: one has room. */
static bool put_shortage(const CycleMachine *machine, const Resources *need, char *text, size_t size)
{
    static const char *const names[] = {"places for blocks", "warps", "registers", "shared memory",
                                        "barriers"};
    bool is_short[5] = {0}, has_room = false;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        const Resources *free = front_end_free_on(machine->front_end, i);
        const bool lacks[5] = {free->blocks < need->blocks, free->warps < need->warps,
                               free->registers < need->registers, free->shared_bytes < need->shared_bytes,
                               free->barriers < need->barriers};
        has_room |= !memchr(lacks, true, sizeof lacks);
        for (unsigned r = 0; r < 5; r++)
            is_short[r] |= lacks[r];
    }
    size_t used = 0;
    for (unsigned r = 0; r < 5; r++)
        if (is_short[r] && !has_room)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " and " : "", names[r]);
    return used > 0;
}

/* Whether the node of the graph is a block that has ended; joins end with their parents, and are not told. */
static bool has_ended(const GraphRun *run, uint32_t id)
{
    const DependencyGraph *graph = run->graph;
    if (graph_is_join(graph, id))
        return true;
    const uint32_t task = graph->tasks[id], grid = graph_grid_of(graph, task);
    const GridKernel *kernel = run->kernels[grid];
    return !kernel || !kernel->blocks || kernel->blocks[task - graph->grids[grid].first].ended;
}

/* The first node that waits for a block that has not ended, and that block. */
static bool find_waiting(const GraphRun *run, uint32_t *waiting, uint32_t *parent)
{
    const DependencyGraph *graph = run->graph;
    for (uint32_t id = 0; id < graph->node_count; id++) {
        if (has_ended(run, id) || graph->starts[id] == graph->starts[id + 1])
            continue;
        *parent = graph->tasks[id];
        *waiting = graph->tasks[graph->children[graph->starts[id]]];
        return true;
    }
    return false;
}

static bool is_refused(const CycleMachine *machine, const GridKernel *kernel)
{
    const char *name;
    return front_end_is_active(machine->front_end, kernel) &&
           front_end_refusal(machine->front_end, kernel, &name) != REFUSED_BY_NONE;
}

/* The kernel, or one that it launched, whose blocks a policy keeps from SMs with room; null: none. */
static const GridKernel *find_refused(const CycleMachine *machine, const GridKernel *kernel)
{
    if (is_refused(machine, kernel))
        return kernel;
    for (uint32_t i = 0; i < front_end_device_count(machine->front_end); i++) {
        const GridKernel *launch = front_end_device(machine->front_end, i);
        if (grid_kernel_root(launch) == kernel && is_refused(machine, launch))
            return launch;
    }
    return NULL;
}

/* SMs have room for a block of the active kernel. */
static void put_refusal(const CycleMachine *machine, const GridKernel *kernel, char *text, size_t size)
{
    const char *name, *what = kernel->resumable.count ? "The blocks that may go on"
                                                      : "The blocks that have not been dispatched";
    switch (front_end_refusal(machine->front_end, kernel, &name)) {
    case REFUSED_BY_NONE:
        snprintf(
            text, size,
            "SMs have room for blocks that have not been dispatched, to which the dispatcher had not come: "
            "it dispatches one a tick.");
        break;
    case REFUSED_BY_SOURCE:
        snprintf(text, size,
                 "%s wait for their turn: SMs have room, but the policy block_source=%s names "
                 "none that is ready.",
                 what, name);
        break;
    case REFUSED_BY_ADMIT:
        snprintf(text, size,
                 "%s wait for a place: SMs have room for more, but the policy block_admit=%s lets "
                 "none in.",
                 what, name);
        break;
    case REFUSED_BY_PLACE:
        snprintf(text, size,
                 "%s wait for a place: SMs have room for more, but the policy block_place=%s chooses "
                 "none of them.",
                 what, name);
        break;
    }
}

static void put_undispatched(const CycleMachine *machine, const GridKernel *kernel, char *text, size_t size)
{
    char names[2][160];
    uint32_t waiting, parent;
    text[0] = '\0';
    const GridKernel *refused = find_refused(machine, kernel);
    if (refused)
        put_refusal(machine, refused, text, size);
    else if (kernel->dispatched_blocks == kernel->block_count && !kernel->resumable.count)
        return;
    else if (kernel->graph && find_waiting(kernel->graph, &waiting, &parent))
        snprintf(text, size, "Of the graph, %s waits for %s, which has not ended.",
                 graph_name_task(kernel->graph->graph, waiting, names[0], sizeof names[0]),
                 graph_name_task(kernel->graph->graph, parent, names[1], sizeof names[1]));
    else if (kernel->entry == NO_ENTRY)
        snprintf(text, size,
                 "The kernel waits for an entry of the kernel distributor, whose %u entries are taken (knob "
                 "concurrent_kernels).",
                 front_end_entries(machine->front_end));
    else if (!kernel->graph && put_shortage(machine, &kernel->need, names[0], sizeof names[0]))
        snprintf(text, size,
                 "The blocks that have not been dispatched wait for a place: no SM has enough %s free.",
                 names[0]);
    else if (!kernel->graph && !front_end_is_active(machine->front_end, kernel))
        snprintf(text, size, "The kernel has not begun: its launch is on its way.");
    else if (!kernel->graph)
        put_refusal(machine, kernel, text, size);
}

/* -- all together -- */

/* Looks at the blocks on SMs, its own and those of kernels that it has launched. */
static HangFacts look_at_blocks(const CycleMachine *machine, const HostKernel *kernel, bool is_spinning,
                                HangRecord *hang)
{
    const Resources sm = resources_of_sm(&machine->config);
    const bool waits_for_place = !kernel->grid->graph && kernel->grid->entry != NO_ENTRY;
    HangFacts facts = {.is_spinning = is_spinning,
                       .waiting_launches = machine->waiting_launches,
                       .undispatched = waits_for_place ? hang->not_dispatched : 0,
                       .resident = resources_fit(&sm, &kernel->grid->need) * machine->sm_count};
    SeenBlock seen;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        for (uint32_t at = 0; sm_next_block(machine->sms[i], &at, &seen);) {
            if (!cycle_is_of(kernel, seen.kernel))
                continue;
            hang_survey(&facts, seen.block);
            hang->paused += seen.is_paused;
            keep_block(hang, machine, i, &seen);
        }
    hang->on_sms = facts.blocks;
    hang->in_place = facts.in_place;
    facts.away = hang->away;
    return facts;
}

/* Blocks of the kernel off the SMs by what they wait for; returns how many cannot come back now. */
static uint32_t count_away(const FrontEnd *front_end, const GridKernel *kernel, HangRecord *hang)
{
    uint32_t at = 0, count = 0;
    for (const Block *block; (block = front_end_next_away(front_end, kernel, &at));) {
        const bool waits = block_wait_first(block) != NULL, is_held = front_end_holds(block) && !waits;
        hang_count_waits(&hang->away, block);
        hang->held += is_held;
        count += waits || is_held;
    }
    return count;
}

static const char *keep_text(HangRecord *hang, const char *text)
{
    return arena_strndup(&hang->arena, text, strlen(text));
}

static const char *have(uint64_t count) { return count == 1 ? "has" : "have"; }

/* `ready`: blocks off the SMs that may come back. */
static void put_sentence(HangRecord *hang, const char *what, uint32_t ready)
{
    char waits[400] = "", cause[HANG_CAUSE_SIZE + 20] = "";
    size_t used = hang_put_waits(&hang->in_place, ", ", "there", waits, sizeof waits);
    used += hang_put_waits(&hang->away, ", ", "off the SMs", waits + used, sizeof waits - used);
    if (hang->held)
        used += (size_t)snprintf(waits + used, sizeof waits - used,
                                 ", %u are held off the SMs by the dispatcher", hang->held);
    if (ready && used < sizeof waits)
        snprintf(waits + used, sizeof waits - used, ", %u off the SMs wait for a place", ready);
    if (*hang->cause)
        snprintf(cause, sizeof cause, "\nLikely cause: %s", hang->cause);
    hang->sentence = arena_printf(
        &hang->arena,
        "kernel '%.200s' %s.%s\n%" PRIu64 " of its %" PRIu64 " blocks %s ended, %" PRIu64
        " %s not been dispatched, %u %s on SMs%s.%s%s%s%s%s%s",
        hang->kernel, what, cause, hang->ended, hang->block_count, have(hang->ended), hang->not_dispatched,
        have(hang->not_dispatched), hang->on_sms, hang->on_sms == 1 ? "is" : "are", waits,
        *hang->undispatched ? " " : "", hang->undispatched, *hang->graph ? " " : "", hang->graph,
        *hang->units ? " " : "", hang->units);
}

/* That it is the warp schedulers' policy. False: it holds up no warp. */
static bool put_policy_cause(const CycleMachine *machine, char *text, size_t size)
{
    unsigned warps = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        warps += (unsigned)__builtin_popcountll(sm_refused(machine->sms[i]));
    if (warps)
        snprintf(text, size,
                 "the policy '%s' of the warp schedulers lets no warp issue, though %u could. Correct it, or "
                 "choose another one (knob warp_scheduler).",
                 sm_policy_name(machine->sms[0]), warps);
    return warps != 0;
}

/* Of blocks that are not held up by each other: what the machine lacks, and what to do. */
static void put_machine_cause(const CycleMachine *machine, HangRecord *hang, bool is_graph_stuck)
{
    const uint32_t waiting = front_end_waiting_kernels(machine->front_end);
    if (waiting) {
        hang->cause = arena_printf(&hang->arena,
                                   "%u launched %s no entry of the kernel distributor: all %" PRIu64
                                   " (knob concurrent_kernels) are held by kernels that cannot go on before. "
                                   "Raise the knob, or launch fewer kernels at once that wait for others.",
                                   waiting, waiting == 1 ? "kernel finds" : "kernels find",
                                   machine->config.concurrent_kernels);
        return;
    }
    const char **const source = is_graph_stuck ? &hang->graph : &hang->undispatched;
    hang->cause = *source;
    *source = "";
}

static HangRecord *make_record(const CycleMachine *machine, const HostKernel *kernel, const char *what,
                               RecordStatus status)
{
    const GridKernel *grid = kernel->grid;
    char text[HANG_CAUSE_SIZE] = "", names[KNOB_STRING_SIZE];
    HangRecord *hang = xcalloc(1, sizeof *hang);
    hang->kernel = keep_text(hang, grid->seen.launch.program->name);
    hang->block_count = grid->block_count;
    hang->ended = grid->ended_blocks;
    hang->not_dispatched = grid->block_count - grid->dispatched_blocks;
    hang->suspended = grid->suspended;
    const uint32_t waiting = count_away(machine->front_end, grid, hang);
    const HangFacts facts = look_at_blocks(machine, kernel, status == RECORD_SPINS, hang);
    if (status == RECORD_LIMIT) /* who waits may have had reason to */
        snprintf(text, sizeof text, "It may only need longer: raise the knob, or set it to 0 for no limit.");
    else if (hang->paused) /* whatever others wait for */
        snprintf(
            text, sizeof text,
            "%u of the blocks on SMs are paused by the policy block_admit=%s, which does not let them go on.",
            hang->paused, front_end_admit_names(machine->front_end, names, sizeof names));
    else if (hang->held)
        snprintf(
            text, sizeof text,
            "%u blocks are kept off the SMs by the policy block_admit=%s, which does not bring them back.",
            hang->held, front_end_admit_names(machine->front_end, names, sizeof names));
    else if (front_end_queues_are_full(machine->front_end))
        snprintf(text, sizeof text,
                 "blocks find no place, and those that wait for them cannot leave: as many have left as can "
                 "be kept account of, %" PRIu64 " (knob preempted_global) besides those with contexts on "
                 "their SMs (knob preempted_local). Raise preempted_global.",
                 machine->config.preempted_global);
    else if (!put_policy_cause(machine, text, sizeof text))
        hang_put_cause(&facts, text, sizeof text);
    hang->cause = keep_text(hang, text);
    put_undispatched(machine, grid, text, sizeof text);
    hang->undispatched = keep_text(hang, text);
    text[0] = '\0';
    const bool is_graph_stuck =
        grid->graph && front_end_describe_graph(machine->front_end, text, sizeof text);
    hang->graph = keep_text(hang, text);
    outer_units_describe(machine->units, text, sizeof text);
    hang->units = keep_text(hang, text);
    if (!*hang->cause && status == RECORD_DEADLOCK)
        put_machine_cause(machine, hang, is_graph_stuck);
    put_sentence(hang, what, grid->suspended - waiting);
    return hang;
}

WbStatus cycle_report_hang(CycleMachine *machine, HostKernel *kernel, RecordStatus status, const char *what,
                           Error *error)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        HostKernel *other = machine->running.items[i];
        if (other != kernel && (status == RECORD_LIMIT || other->grid->ended != CYCLE_NEVER))
            continue;
        other->record->status = status;
        if (other == kernel || kept++ < KERNELS_KEPT)
            other->record->hang = make_record(machine, other, what, status);
    }
    return hang_record_tell(kernel->record->hang, error);
}
