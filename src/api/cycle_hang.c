/* Sentences about launches in cycle mode that do not end. */
#include "api/cycle.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/hang.h"

const char *const cycle_wait_descriptions[WAIT_COUNT] = {
#define WAIT(identifier, description) [WAIT_##identifier] = description,
#include "sm/wait.def"
#undef WAIT
};

/* Text that grows as far as there is room. */
typedef struct Description {
    char text[1400];
    size_t size, used; /* as much of it as there is room for */
    uint32_t left_out; /* blocks */
} Description;

static void describe_warp(Description *description, const WarpSlot *slot)
{
    char *end = description->text + description->used;
    const size_t room = description->size - description->used;
    if (slot->warp->live) {
        description->used += hang_describe_warp(slot->warp, cycle_wait_descriptions[slot->wait], end, room);
    } else if (room > 100) {
        const int written =
            snprintf(end, room, "\n    warp %u: %s", slot->warp->index, cycle_wait_descriptions[slot->wait]);
        description->used += (size_t)written;
    }
}

static void describe_block(Description *description, const Sm *sm, uint32_t index)
{
    const Block *block = sm->blocks[index].block;
    const size_t room = description->size - description->used;
    if (room < 300) {
        description->left_out++;
        return;
    }
    const int written = snprintf(description->text + description->used, room,
                                 "\n  block (%u,%u,%u) on SM %u:", block->index[0], block->index[1],
                                 block->index[2], sm->number);
    description->used += (size_t)written;
    for (uint32_t i = 0; i < MAX_WARPS; i++) {
        if (sm->warps[i].warp && sm->warps[i].block == index)
            describe_warp(description, &sm->warps[i]);
    }
}

/* A graph's kernels keep their entries of the distributor while their blocks wait: what these wait for may
 * find none. */
static void describe_graph(const FrontEnd *front_end, char *text, size_t size)
{
    const uint32_t waiting = front_end->kmu.waiting.count - front_end->kmu.first_waiting;
    text[0] = ' ';
    dats_describe(front_end->dats, text + 1, size - 1);
    const size_t used = strlen(text);
    if (waiting)
        snprintf(text + used, size - used,
                 " %u kernels wait for one of the kernel distributor's %" PRIu64
                 " entries (knob concurrent_kernels).",
                 waiting, front_end->config->concurrent_kernels);
}

static void describe_blocks(Description *description, const CycleMachine *machine, const GridKernel *kernel)
{
    for (uint32_t s = 0; s < machine->sm_count; s++) {
        const Sm *sm = machine->sms[s];
        for (uint32_t i = 0; i < sm->block_capacity; i++) {
            if (sm->blocks[i].block && sm->blocks[i].kernel == kernel->kernel)
                describe_block(description, sm, i);
        }
    }
}

/* -- blocks that have not been dispatched -- */

/* "registers and warps": what no SM has enough of. */
static void put_shortage(const CycleMachine *machine, const Resources *need, char *text, size_t size)
{
    static const char *const names[] = {"places for blocks", "warps", "registers", "shared memory",
                                        "barriers"};
    bool is_short[5] = {0};
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        const Resources *free = &machine->front_end->dispatcher.view.sms[i].free;
        const bool lacks[5] = {free->blocks < need->blocks, free->warps < need->warps,
                               free->registers < need->registers, free->shared_bytes < need->shared_bytes,
                               free->barriers < need->barriers};
        for (unsigned r = 0; r < 5; r++)
            is_short[r] |= lacks[r];
    }
    size_t used = 0;
    snprintf(text, size, "room by the policy block_admit");
    for (unsigned r = 0; r < 5; r++)
        if (is_short[r])
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " and " : "", names[r]);
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

static void put_undispatched(const CycleMachine *machine, const GridKernel *kernel, char *text, size_t size)
{
    char names[2][160];
    uint32_t waiting, parent;
    text[0] = '\0';
    if (kernel->dispatched_blocks == kernel->block_count)
        return;
    if (kernel->graph && find_waiting(kernel->graph, &waiting, &parent))
        snprintf(text, size, " Of the graph, %s waits for %s, which has not ended.",
                 graph_name_task(kernel->graph->graph, waiting, names[0], sizeof names[0]),
                 graph_name_task(kernel->graph->graph, parent, names[1], sizeof names[1]));
    else if (kernel->entry == NO_ENTRY)
        snprintf(text, size,
                 " It waits for an entry of the kernel distributor, whose %u entries are taken (knob "
                 "concurrent_kernels).",
                 machine->front_end->kmu.distributor.count);
    else if (!kernel->graph) {
        put_shortage(machine, &kernel->need, names[0], sizeof names[0]);
        snprintf(text, size, " They wait for a place: no SM has enough %s free.", names[0]);
    }
}

/* -- the sentence -- */

static HangFacts facts_of(const CycleMachine *machine, const GridKernel *kernel, bool is_spinning)
{
    const Resources sm = resources_of_sm(&machine->config);
    HangFacts facts = {.is_spinning = is_spinning,
                       .undispatched = kernel->block_count - kernel->dispatched_blocks,
                       .resident = resources_fit(&sm, &kernel->need) * machine->sm_count};
    for (uint32_t s = 0; s < machine->sm_count; s++)
        for (uint32_t i = 0; i < machine->sms[s]->block_capacity; i++) {
            const BlockSlot *slot = &machine->sms[s]->blocks[i];
            if (slot->block && slot->kernel == kernel->kernel)
                hang_survey(&facts, slot->block);
        }
    return facts;
}

WbStatus cycle_describe_hang(const CycleMachine *machine, const GridKernel *kernel, const char *what,
                             bool is_spinning, Error *error)
{
    const HangFacts facts = facts_of(machine, kernel, is_spinning);
    char more[64] = "", graph[640] = "", cause[700], places[400], suspended[96] = "",
         head[sizeof error->text];
    if (kernel->graph)
        describe_graph(machine->front_end, graph, sizeof graph);
    hang_put_cause(&facts, cause, sizeof cause);
    put_undispatched(machine, kernel, places, sizeof places);
    if (kernel->suspended)
        snprintf(suspended, sizeof suspended, ", %u wait off the SMs for what they launched",
                 kernel->suspended);
    const int length = snprintf(
        head, sizeof head,
        "kernel '%.200s' %s; %" PRIu64 " of its %" PRIu64 " blocks have ended, %" PRIu64
        " have not been dispatched, %u are on SMs%s.%s%s%s",
        kernel->kernel->launch.program->name, what, kernel->ended_blocks, kernel->block_count,
        kernel->block_count - kernel->dispatched_blocks, facts.blocks, suspended, cause, places, graph);
    Description description = {.text = ""};
    const size_t left =
        sizeof head - (size_t)length < sizeof more ? 0 : sizeof head - (size_t)length - sizeof more;
    description.size = left < sizeof description.text ? left : sizeof description.text;
    describe_blocks(&description, machine, kernel);
    if (description.left_out)
        snprintf(more, sizeof more, "\n  and %u blocks more", description.left_out);
    return error_set(error, WB_ERROR_DEADLOCK, "%s%s%s", head, description.text, more);
}
