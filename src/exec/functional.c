#include "exec/functional.h"

#include <string.h>

#include "depend/ready.h"
#include "exec/divergence.h"
#include "exec/engine.h"
#include "exec/hang.h"
#include "exec/spin.h"

/* Where a block runs. Its memory is used again for the next block, if that has the same needs: a grid whose
 * blocks end within their turn uses the memory of one block again and again, which stays in the host's
 * caches. Invariant: grid is null exactly while no block runs; block may be there for its memory. */
typedef struct Slot {
    Block *block;
    FunctionalGrid *grid;
    const Program *program; /* of the memory, as are the next three */
    uint32_t shared_bytes, local_bytes, warps;
} Slot;

/* Looks for warps that spin. Invariant: marks is null exactly while nobody is watched. */
typedef struct SpinWatch {
    uint64_t moves;            /* of the run, as last seen */
    uint64_t quiet_from, next; /* instructions of the run at the last move; from which on it watches */
    uint64_t changes;          /* of the machine, as last seen */
    uint32_t rounds, strikes;  /* since it watches; of these, those with changes */
    SpinMark *marks;           /* [slot][MAX_WIDTH] */
    SpinPrograms programs;     /* that were watched */
} SpinWatch;

struct FunctionalRun {
    FunctionalLimits limits;
    DeviceRuntime *runtime;
    Error *error;
    FunctionalGrid *grids; /* of the graph, in its order */
    uint32_t grid_count;
    ReadyBlocks graph; /* without a graph, empty */
    VEC(Slot) slots;
    VEC(FunctionalGrid *) queue; /* grids that are ready, from `first` on those with blocks left */
    uint32_t first;
    VEC(Block *) resumed; /* blocks that have waited, from first_resumed on */
    uint32_t first_resumed;
    VEC(FunctionalGrid *) launched; /* by kernels, not complete */
    uint64_t instructions;
    uint64_t next_look; /* instructions after which somebody looks at the run again */
    FamilyEvents events;
    uint64_t moves; /* blocks that have begun, ended, gone aside or come back, and grids that came */
    SpinWatch watch;
};

static FunctionalGrid *grid_of(const Block *block) { return (FunctionalGrid *)block->launch; }

/* -- what follows from completions -- */

static void on_ready(void *context, Family *family)
{
    FunctionalRun *run = context;
    FunctionalGrid *grid = (FunctionalGrid *)((char *)family - offsetof(FunctionalGrid, family));
    if (run->first == run->queue.count)
        run->first = run->queue.count = 0;
    VEC_PUSH(&run->queue, grid);
}

static void free_launched(FunctionalRun *run, FunctionalGrid *grid)
{
    buffer_give_back(&run->runtime->buffers, grid->buffer);
    xfree(grid);
}

static void on_complete(void *context, Family *family)
{
    FunctionalRun *run = context;
    FunctionalGrid *grid = (FunctionalGrid *)((char *)family - offsetof(FunctionalGrid, family));
    if (!grid->buffer)
        return;
    FunctionalGrid *last = run->launched.items[--run->launched.count];
    run->launched.items[grid->place] = last;
    last->place = grid->place;
    free_launched(run, grid);
}

static void on_resume(void *context, BlockFamily *block)
{
    FunctionalRun *run = context;
    if (run->first_resumed == run->resumed.count)
        run->first_resumed = run->resumed.count = 0;
    VEC_PUSH(&run->resumed, (Block *)block->waiting);
}

void functional_add(FunctionalRun *run, FunctionalGrid *grid)
{
    grid->total = (uint64_t)grid->launch.grid[0] * grid->launch.grid[1] * grid->launch.grid[2];
    grid->launch.family = &grid->family;
    grid->place = run->launched.count;
    run->moves++;
    VEC_PUSH(&run->launched, grid);
    family_arrived(&grid->family, &run->events);
}

/* -- blocks -- */

/* One turn of every warp of the block. A warp that cannot run lets lanes go that wait at a join for those
 * that wait elsewhere. False: every warp waits for something that only this block could bring. */
static bool block_round(FunctionalRun *run, Block *block)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < block->warp_count && run->error->status == WB_OK && !block->must_wait; i++) {
        Warp *warp = &block->warps[i];
        if (!warp->live)
            continue;
        uint64_t ran = engine_run_warp(warp, run->limits.turn);
        run->instructions += ran;
        goes_on |= ran || divergence_release(warp);
    }
    return goes_on;
}

/* Rounds of a block before other residents get theirs; a block that only waits for memory written by
 * others costs no more than this. */
enum { ROUNDS = 16 };

static WbStatus run_block(FunctionalRun *run, Block *block)
{
    for (uint32_t round = 0; round < ROUNDS && block->live_warps && !block->must_wait; round++) {
        bool goes_on = block_round(run, block);
        if (run->error->status != WB_OK)
            return run->error->status;
        if (!goes_on && block->live_warps)
            return hang_report_deadlock(block);
        if (run->limits.instructions && run->instructions > run->limits.instructions)
            return hang_report_limit(block, run->limits.instructions);
    }
    return WB_OK;
}

static bool suits(const Slot *slot, const Launch *launch)
{
    return slot->block && slot->program == launch->program && slot->shared_bytes == launch->shared_bytes &&
           slot->local_bytes == launch->local_bytes && slot->warps == launch->warps_per_block;
}

static void put_block(Slot *slot, Block *block, FunctionalGrid *grid)
{
    const Launch *launch = &grid->launch;
    slot->block = block;
    slot->grid = grid;
    slot->program = launch->program;
    slot->shared_bytes = launch->shared_bytes;
    slot->local_bytes = launch->local_bytes;
    slot->warps = launch->warps_per_block;
}

static void begin_block(FunctionalRun *run, Slot *slot, FunctionalGrid *grid, uint64_t linear, uint32_t sm)
{
    Launch *launch = &grid->launch;
    if (suits(slot, launch)) {
        slot->block->launch = launch;
        slot->block->thread_count = launch->block[0] * launch->block[1] * launch->block[2];
        block_restart(slot->block, linear, sm);
    } else {
        block_free(slot->block);
        slot->block = block_create(launch, linear, sm);
    }
    put_block(slot, slot->block, grid);
    run->moves++;
    grid->next++;
}

static bool has_work(const FunctionalRun *run)
{
    return run->first < run->queue.count || run->first_resumed < run->resumed.count ||
           ready_has_block(&run->graph);
}

static void begin_node(FunctionalRun *run, Slot *slot, uint32_t number)
{
    const DependencyGraph *graph = run->graph.graph;
    const uint32_t block = ready_take_block(&run->graph), place = graph_grid_of(graph, block);
    FunctionalGrid *grid = &run->grids[place];
    begin_block(run, slot, grid, block - graph->grids[place].first, number % grid->launch.machine->sm_count);
}

/* The block, which has ended, may be a node of the graph: what kernels launch is not. */
static void end_node(FunctionalRun *run, const Slot *slot)
{
    const DependencyGraph *graph = run->graph.graph;
    if (graph && !slot->grid->buffer)
        ready_block_ended(&run->graph,
                          graph->grids[slot->grid - run->grids].first + (uint32_t)slot->block->linear);
}

/* Gives an empty slot what is to run next: blocks that have waited go first, then the host's. */
static void fill(FunctionalRun *run, Slot *slot, uint32_t number)
{
    if (run->first_resumed < run->resumed.count) {
        Block *block = run->resumed.items[run->first_resumed++];
        block_free(slot->block);
        put_block(slot, block, grid_of(block));
        run->moves++;
        return;
    }
    if (ready_has_block(&run->graph)) {
        begin_node(run, slot, number);
        return;
    }
    FunctionalGrid *grid = run->queue.items[run->first];
    if (grid->next == 0 && grid->buffer)
        runtime_begun(run->runtime);
    begin_block(run, slot, grid, grid->next, number % grid->launch.machine->sm_count);
    if (grid->next == grid->total)
        run->first++;
}

static void end_block(FunctionalRun *run, Slot *slot)
{
    FunctionalGrid *grid = slot->grid;
    run->moves++;
    grid->launch.machine->statistics.blocks++;
    end_node(run, slot);
    slot->grid = NULL;
    if (slot->block->family)
        block_family_ended(slot->block->family);
    slot->block->family = NULL;
    if (++grid->ended == grid->total)
        family_ended(&grid->family, &run->events);
}

/* The block leaves its slot until what it has launched is complete. */
static void put_aside(FunctionalRun *run, Slot *slot)
{
    run->moves++;
    Block *block = slot->block;
    block->must_wait = false;
    block->family->waiting = block;
    *slot = (Slot){0};
}

/* Warp instructions between looks: some milliseconds. */
enum { LOOK_INTERVAL = 1 << 17 };

static WbStatus look(FunctionalRun *run)
{
    if (run->instructions < run->next_look || !run->limits.look)
        return WB_OK;
    FunctionalStanding standing = {.error = run->error};
    for (uint32_t i = 0; i < run->grid_count; i++) {
        const FunctionalGrid *grid = &run->grids[i];
        standing.ended += grid->ended;
        standing.total += grid->total;
        if (!standing.kernel && grid->ended < grid->total)
            standing.kernel = grid->launch.program->name;
    }
    run->next_look = run->instructions + LOOK_INTERVAL;
    return run->limits.look(run->limits.look_context, &standing) ? WB_OK : run->error->status;
}

/* A slot's visit: its block goes on; while blocks end, others take its place. */
static WbStatus visit(FunctionalRun *run, uint32_t number)
{
    for (;;) {
        Slot *slot = &run->slots.items[number];
        if (!slot->grid && !has_work(run))
            return WB_OK;
        if (!slot->grid)
            fill(run, slot, number);
        if (run_block(run, slot->block) || look(run))
            return run->error->status;
        if (slot->block->must_wait)
            put_aside(run, slot);
        else if (!slot->block->live_warps)
            end_block(run, slot);
        else
            return WB_OK;
    }
}

/* One visit of every slot that is in use or can be. */
static WbStatus go_round(FunctionalRun *run)
{
    for (uint32_t i = 0; i < run->slots.count || (has_work(run) && i < run->limits.resident_blocks); i++) {
        if (i == run->slots.count)
            VEC_PUSH(&run->slots, (Slot){0});
        if (visit(run, i))
            return run->error->status;
    }
    return WB_OK;
}

static bool is_busy(const FunctionalRun *run)
{
    bool busy = has_work(run);
    for (uint32_t i = 0; i < run->slots.count && !busy; i++)
        busy = run->slots.items[i].grid != NULL;
    return busy;
}

/* -- the watchdog -- */

/* Rounds that it watches for a loop, and those with changes after which it gives up: then it waits twice as
 * long. */
enum { WATCHED_ROUNDS = 200, STRIKES = 3 };

static void end_watch(FunctionalRun *run)
{
    SpinWatch *watch = &run->watch;
    run->grids->launch.machine->is_watched = false;
    xfree(watch->marks);
    watch->marks = NULL;
    spin_programs_free(&watch->programs);
    watch->next = run->instructions + 2 * (run->instructions - watch->quiet_from);
}

static void begin_watch(FunctionalRun *run)
{
    Machine *machine = run->grids->launch.machine;
    SpinWatch *watch = &run->watch;
    machine->is_watched = true;
    watch->changes = machine->changes;
    watch->rounds = watch->strikes = 0;
    watch->marks = xcalloc((size_t)run->slots.count * MAX_WIDTH, sizeof *watch->marks);
    for (uint32_t i = 0; i < run->slots.count; i++)
        for (uint32_t w = 0; run->slots.items[i].grid && w < run->slots.items[i].block->warp_count; w++)
            run->slots.items[i].block->warps[w].polled_pc = NO_INDEX;
}

/* Whether every warp has come back to where it was. All are compared, also behind one that has not. */
static bool all_spin(FunctionalRun *run)
{
    bool all = true;
    for (uint32_t i = 0; i < run->slots.count; i++) {
        const Slot *slot = &run->slots.items[i];
        for (uint32_t w = 0; slot->grid && w < slot->block->warp_count; w++) {
            const Warp *warp = &slot->block->warps[w];
            if (warp->live)
                all &= spin_compare(&run->watch.marks[i * MAX_WIDTH + w], warp,
                                    spin_fingerprint(warp, &run->watch.programs), run->watch.rounds,
                                    !spin_can_run(warp));
        }
    }
    return all;
}

static WbStatus report_spin(FunctionalRun *run)
{
    HangFacts facts = {.is_spinning = true, .resident = run->limits.resident_blocks};
    const Block *first = NULL;
    for (uint32_t i = 0; i < run->slots.count; i++)
        if (run->slots.items[i].grid) {
            first = first ? first : run->slots.items[i].block;
            hang_survey(&facts, run->slots.items[i].block);
        }
    const FunctionalGrid *grid = grid_of(first);
    if (!run->graph.graph || grid->buffer) /* others may wait for their parents */
        facts.undispatched = grid->total - grid->next;
    return hang_report_spin(first, &facts, run->instructions - run->watch.quiet_from);
}

/* Between rounds. */
static WbStatus watch_over(FunctionalRun *run)
{
    SpinWatch *watch = &run->watch;
    const Machine *machine = run->grids->launch.machine;
    if (run->moves != watch->moves) {
        if (watch->marks)
            end_watch(run);
        watch->moves = run->moves;
        watch->quiet_from = run->instructions;
        watch->next = run->instructions + run->limits.watchdog;
    } else if (!watch->marks) {
        if (run->limits.watchdog && run->instructions >= watch->next)
            begin_watch(run);
    } else if (machine->changes != watch->changes) {
        watch->changes = machine->changes;
        memset(watch->marks, 0, (size_t)run->slots.count * MAX_WIDTH * sizeof *watch->marks);
        if (++watch->strikes == STRIKES)
            end_watch(run);
    } else if (all_spin(run)) {
        return report_spin(run);
    } else if (++watch->rounds == WATCHED_ROUNDS) {
        end_watch(run);
    }
    return WB_OK;
}

static void drop_block(BlockFamily *block) { block_free(block->waiting); }

FunctionalRun *functional_run_create(void)
{
    FunctionalRun *run = xcalloc(1, sizeof *run);
    run->events = (FamilyEvents){on_ready, on_complete, on_resume, run};
    return run;
}

WbStatus functional_run(FunctionalRun *run, FunctionalGrid *grids, uint32_t count,
                        const DependencyGraph *graph, const FunctionalLimits *limits, DeviceRuntime *runtime)
{
    run->limits = *limits;
    run->runtime = runtime;
    run->error = grids->launch.error;
    run->grids = grids;
    run->grid_count = count;
    for (uint32_t i = 0; i < count; i++) {
        FunctionalGrid *grid = &grids[i];
        grid->total = (uint64_t)grid->launch.grid[0] * grid->launch.grid[1] * grid->launch.grid[2];
        grid->launch.family = &grid->family;
        grid->launch.machine->statistics.launches++;
    }
    if (graph)
        ready_init(&run->graph, graph);
    else
        VEC_PUSH(&run->queue, grids);
    WbStatus status = WB_OK;
    while (status == WB_OK && is_busy(run)) {
        status = go_round(run);
        if (status == WB_OK)
            status = watch_over(run);
    }
    if (run->watch.marks)
        end_watch(run);
    for (uint32_t i = 0; i < count && status != WB_OK; i++)
        family_give_up(&grids[i].family, drop_block);
    return status;
}

/* After a failure blocks are left, and grids with what their blocks knew of them. */
void functional_run_free(FunctionalRun *run)
{
    for (uint32_t i = 0; i < run->launched.count; i++)
        family_give_up(&run->launched.items[i]->family, drop_block);
    for (uint32_t i = 0; i < run->launched.count; i++)
        free_launched(run, run->launched.items[i]);
    for (uint32_t i = run->first_resumed; i < run->resumed.count; i++)
        block_free(run->resumed.items[i]);
    for (uint32_t i = 0; i < run->slots.count; i++)
        block_free(run->slots.items[i].block);
    ready_free(&run->graph);
    VEC_FREE(&run->slots);
    VEC_FREE(&run->queue);
    VEC_FREE(&run->resumed);
    VEC_FREE(&run->launched);
    xfree(run);
}
