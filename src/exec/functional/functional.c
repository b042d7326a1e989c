/* One launch in functional mode: its blocks in flight, whose turn it is, and what they launch. */
#include "exec/functional/run.h"

#include <string.h>

#include "exec/divergence.h"
#include "exec/engine.h"
#include "exec/hang/hang.h"

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

static void on_resume(void *context, Block *block)
{
    (void)context;
    block_wait_end_all(block, WAITS_FOR_LAUNCHED, 0, 0);
}

/* The block, which is aside, gets a slot again when one is free. */
static void come_back(FunctionalRun *run, Block *block)
{
    Block *last = run->aside.items[--run->aside.count];
    run->aside.items[block->slot] = last;
    last->slot = block->slot;
    block->slot = NO_INDEX;
    block->wait.leaves = block->is_aside = false;
    if (run->first_resumed == run->resumed.count)
        run->first_resumed = run->resumed.count = 0;
    VEC_PUSH(&run->resumed, block);
}

/* A wait has been ended, of a block that is aside, in its slot, or just being visited; or of one that has no
 * slot again yet, whose other warps' waits end after the block's own. A run that has waited for another one
 * is not behind it. */
static void wake(void *context, Warp *warp, Cycle now, Cycle time)
{
    (void)context, (void)time;
    Block *block = warp->block;
    FunctionalRun *run = grid_of(block)->run;
    if (block->is_aside) {
        if (!block_wait_is_open(&block->wait))
            come_back(run, block);
    } else if (block->slot == NO_INDEX) {
        /* it is on its way back */
    } else if (run->slots.items[block->slot].is_waiting) {
        run->slots.items[block->slot].is_waiting = false;
        run->waiting_slots--;
    } else if (!block_wait_is_open(&block->wait)) {
        block->wait.leaves = false; /* it has not, and need not */
    }
    if (run->clock < now)
        run->clock = now;
}

/* A block that yields makes room at once: nobody knows who else would need it. */
static void yield(void *context, Warp *warp, Cycle now)
{
    (void)context, (void)now;
    warp->block->wait.leaves = true;
}

static const BlockWaker waker = {.begins = yield, .ends = wake};

static uint64_t launch_blocks(const Launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

void functional_add(FunctionalRun *run, FunctionalGrid *grid)
{
    grid->total = launch_blocks(&grid->launch);
    grid->launch.family = &grid->family;
    grid->run = run;
    grid->place = run->launched.count;
    run->moves++;
    VEC_PUSH(&run->launched, grid);
    family_arrived(&grid->family, &run->events);
}

/* -- blocks -- */

/* One turn of every warp of the block. A warp that cannot run lets lanes go that wait at a join for those
 * that wait elsewhere. False: every warp waits for something that only this block could bring, or that
 * somebody else ends. */
static bool block_round(FunctionalRun *run, Block *block)
{
    bool goes_on = false;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        if (run->error->status != WB_OK || block_wait_is_open(&block->wait))
            break;
        Warp *warp = &block->warps[i];
        if (!warp->live)
            continue;
        uint64_t ran = engine_run_warp(warp, run->limits.turn);
        run->instructions += ran;
        goes_on |= ran || (!warp->wait.is_open && divergence_release(warp));
    }
    return goes_on;
}

/* Rounds of a block before other residents get theirs; a block that only waits for memory written by
 * others costs no more than this. */
enum { ROUNDS = 16 };

/* `only_waits` is set where no warp can go on before somebody ends a wait. */
static WbStatus run_block(FunctionalRun *run, Block *block, bool *only_waits)
{
    for (uint32_t round = 0; round < ROUNDS && block->live_warps; round++) {
        if (block_wait_is_open(&block->wait))
            break;
        bool goes_on = block_round(run, block);
        if (run->error->status != WB_OK)
            return run->error->status;
        if (!goes_on && block->live_warps) {
            *only_waits = block_wait_first(block) != NULL;
            return *only_waits ? WB_OK : hang_report_deadlock(block);
        }
        if (run->limits.instructions && run->instructions > run->limits.instructions)
            return hang_report_limit(block, run->limits.instructions);
    }
    *only_waits = block_wait_is_open(&block->wait);
    return WB_OK;
}

static bool suits(const Slot *slot, const Launch *launch)
{
    return slot->block && slot->program == launch->program && slot->shared_bytes == launch->shared_bytes &&
           slot->local_bytes == launch->local_bytes && slot->warps == launch->warps_per_block;
}

static void put_block(const FunctionalRun *run, Slot *slot, Block *block, FunctionalGrid *grid)
{
    const Launch *launch = &grid->launch;
    slot->block = block;
    block->slot = (uint32_t)(slot - run->slots.items);
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
        block_restart(slot->block, linear, sm);
    } else {
        block_free(slot->block);
        slot->block = block_create(launch, linear, sm);
    }
    put_block(run, slot, slot->block, grid);
    run->moves++;
    grid->next++;
}

static bool has_work(const FunctionalRun *run)
{
    return run->first < run->queue.count || run->first_resumed < run->resumed.count ||
           ready_has_block(&run->graph) || run->task.block.count;
}

/* -- tasks of a flow graph -- */

/* Has the next task at hand, if there is one. */
static void look_for_task(FunctionalRun *run)
{
    FunctionalTask *task = &run->task;
    if (run->tasks && !task->block.count &&
        !run->tasks->next(run->tasks->context, &task->node, &task->block))
        task->block.count = 0;
}

static void begin_task(FunctionalRun *run, Slot *slot, uint32_t number)
{
    FunctionalGrid *grid = &run->grids[run->task.node];
    begin_block(run, slot, grid, grid->next, number % grid->launch.machine->sm_count);
    block_give_task(slot->block, &run->task.block);
    run->task.block.count = 0;
}

static bool has_no_more_tasks(const FunctionalRun *run)
{
    return !run->tasks || run->tasks->is_over(run->tasks->context);
}

/* The aggregator's turn. When it has stopped it is known how many blocks the grids have. */
static void give_tasks_turn(FunctionalRun *run)
{
    if (has_no_more_tasks(run))
        return;
    run->clock++;
    run->moves += run->tasks->turn(run->tasks->context, run->clock, run->error);
    for (uint32_t i = 0; has_no_more_tasks(run) && i < run->grid_count; i++) {
        FunctionalGrid *grid = &run->grids[i];
        grid->total = grid->next;
        if (grid->ended == grid->total)
            family_ended(&grid->family, &run->events);
    }
}

/* -- the next block -- */

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
        put_block(run, slot, block, grid_of(block));
        run->moves++;
        return;
    }
    if (ready_has_block(&run->graph)) {
        begin_node(run, slot, number);
        return;
    }
    if (run->task.block.count) {
        begin_task(run, slot, number);
        return;
    }
    FunctionalGrid *grid = run->queue.items[run->first];
    if (grid->next == 0 && grid->buffer)
        runtime_begun(run->runtime);
    const uint64_t block = launch_order_block(grid->launch.order, grid->next);
    begin_block(run, slot, grid, block, number % grid->launch.machine->sm_count);
    if (grid->next == grid->total)
        run->first++;
}

static void end_block(FunctionalRun *run, Slot *slot)
{
    FunctionalGrid *grid = slot->grid;
    run->moves++;
    grid->launch.machine->statistics.blocks++;
    end_node(run, slot);
    if (slot->block->task.count)
        run->tasks->ended(run->tasks->context, &slot->block->task, run->clock);
    slot->grid = NULL;
    run->busy_slots--;
    if (slot->block->family)
        block_family_ended(slot->block->family);
    slot->block->family = NULL;
    if (++grid->ended == grid->total)
        family_ended(&grid->family, &run->events);
}

/* The block leaves its slot until its waits are over. */
static void put_aside(FunctionalRun *run, Slot *slot)
{
    run->moves++;
    Block *block = slot->block;
    block->slot = run->aside.count;
    block->is_aside = true;
    VEC_PUSH(&run->aside, block);
    *slot = (Slot){0};
    run->busy_slots--;
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
        standing.total += run->tasks ? grid->next : grid->total;
        if (!standing.kernel && grid->ended < (run->tasks ? grid->next : grid->total))
            standing.kernel = grid->launch.program->name;
    }
    run->next_look = run->instructions + LOOK_INTERVAL;
    return run->limits.look(run->limits.look_context, &standing) ? WB_OK : run->error->status;
}

/* The block stays in its slot, which is not visited meanwhile. */
static void wait_in_place(FunctionalRun *run, Slot *slot)
{
    run->moves++;
    slot->is_waiting = true;
    run->waiting_slots++;
}

static WbStatus visit(FunctionalRun *run, uint32_t number)
{
    for (;;) {
        Slot *slot = &run->slots.items[number];
        look_for_task(run);
        if (slot->is_waiting || (!slot->grid && !has_work(run)))
            return WB_OK;
        if (!slot->grid) {
            fill(run, slot, number);
            run->busy_slots++;
        }
        bool only_waits;
        if (run_block(run, slot->block, &only_waits) || look(run))
            return run->error->status;
        if (!slot->block->live_warps) {
            end_block(run, slot);
        } else if (only_waits && slot->block->wait.leaves) {
            put_aside(run, slot);
        } else {
            if (only_waits)
                wait_in_place(run, slot);
            return WB_OK;
        }
    }
}

/* Slots are made when blocks are there to fill them. */
static bool has_next_slot(const FunctionalRun *run)
{
    return run->next_slot < run->slots.count ||
           (has_work(run) && run->next_slot < run->limits.resident_blocks);
}

WbStatus functional_visit(FunctionalRun *run)
{
    Machine *machine = run->grids->launch.machine;
    machine->clock = run->clock;
    machine->memory = run->memory;
    machine->waker = &waker;
    if (run->next_slot == run->slots.count)
        VEC_PUSH(&run->slots, (Slot){0});
    const WbStatus status = visit(run, run->next_slot++);
    run->clock = machine->clock;
    look_for_task(run);
    if (!has_next_slot(run)) {
        run->next_slot = 0;
        run->rounds++;
        give_tasks_turn(run);
    }
    return run->error->status != WB_OK ? run->error->status : status;
}

bool functional_is_over(const FunctionalRun *run)
{
    return !run->busy_slots && !run->aside.count && !has_work(run) && has_no_more_tasks(run);
}

bool functional_is_stuck(const FunctionalRun *run)
{
    const bool has_room = run->busy_slots < run->limits.resident_blocks;
    return run->busy_slots == run->waiting_slots && !(has_work(run) && has_room) && has_no_more_tasks(run) &&
           !functional_is_over(run);
}

FunctionalRun *functional_create(FunctionalGrid *grids, uint32_t count, FunctionalOrder order,
                                 const FunctionalLimits *limits, DeviceRuntime *runtime, uint64_t clock)
{
    FunctionalRun *run = xcalloc(1, sizeof *run);
    run->events = (FamilyEvents){on_ready, on_complete, on_resume, run};
    run->limits = *limits;
    run->runtime = runtime;
    run->memory = limits->memory;
    run->error = grids->launch.error;
    run->grids = grids;
    run->grid_count = count;
    run->clock = clock;
    for (uint32_t i = 0; i < count; i++) {
        FunctionalGrid *grid = &grids[i];
        grid->total = order.tasks ? UINT64_MAX : launch_blocks(&grid->launch);
        grid->launch.family = &grid->family;
        grid->run = run;
        grid->launch.machine->statistics.launches++;
    }
    run->tasks = order.tasks;
    if (order.graph)
        ready_init(&run->graph, order.graph);
    else if (!order.tasks)
        VEC_PUSH(&run->queue, grids);
    return run;
}

uint64_t functional_clock(const FunctionalRun *run) { return run->clock; }

/* After a failure blocks are left, and grids with what their blocks knew of them. */
void functional_free(FunctionalRun *run)
{
    for (uint32_t i = 0; i < run->grid_count && !functional_is_over(run); i++)
        family_give_up(&run->grids[i].family);
    for (uint32_t i = 0; i < run->launched.count; i++)
        family_give_up(&run->launched.items[i]->family);
    for (uint32_t i = 0; i < run->launched.count; i++)
        free_launched(run, run->launched.items[i]);
    for (uint32_t i = run->first_resumed; i < run->resumed.count; i++)
        block_free(run->resumed.items[i]);
    for (uint32_t i = 0; i < run->aside.count; i++)
        block_free(run->aside.items[i]);
    for (uint32_t i = 0; i < run->slots.count; i++)
        block_free(run->slots.items[i].block);
    ready_free(&run->graph);
    VEC_FREE(&run->slots);
    VEC_FREE(&run->queue);
    VEC_FREE(&run->aside);
    VEC_FREE(&run->resumed);
    VEC_FREE(&run->launched);
    xfree(run);
}
