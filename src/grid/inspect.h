/* What may be asked of the front end by those who report on it: what it has counted, what it has under way,
 * and why blocks of a kernel have not been dispatched. All of it is for between windows, and changes
 * nothing. */
#ifndef GRID_INSPECT_H
#define GRID_INSPECT_H

#include "grid/front_end.h"

/* -- counters -- */

const GridStatistics *front_end_counters(const FrontEnd *front_end);
/* How blocks are spread: of one SM, up to the cycles before `now`. */
const LoadStatistics *front_end_load_counters(FrontEnd *front_end, uint32_t sm, Cycle now);
/* Of these the one that needs no time. */
uint64_t front_end_blocks_started(const FrontEnd *front_end, uint32_t sm);
/* Of the scheduler of dependency graphs, up to the cycles before `now`. */
const DatsStatistics *front_end_graph_counters(FrontEnd *front_end, Cycle now);
/* What the policy of that table has counted; null: it is none of the front end's. */
const void *front_end_policy_counters(const FrontEnd *front_end, const StatTable *table);
/* Grows whenever a block comes to an SM or leaves one, or something else becomes known that will happen. */
uint64_t front_end_moves(const FrontEnd *front_end);

/* -- what is under way -- */

/* What kernels have launched and is not complete. */
uint32_t front_end_device_count(const FrontEnd *front_end);
const GridKernel *front_end_device(const FrontEnd *front_end, uint32_t index);
/* Their blocks that have not been dispatched. */
uint64_t front_end_waiting_blocks(const FrontEnd *front_end);
/* Blocks of a dependency graph that could run. */
uint32_t front_end_ready_nodes(const FrontEnd *front_end);
/* The flow graph that runs; null: none does. */
const struct FlowRun *front_end_flow(const FrontEnd *front_end);
/* Blocks of the kernel, and of groups that joined it, that are off the SMs, one after the other: *at is 0 at
 * first. Null: there are no more. */
const Block *front_end_next_away(const FrontEnd *front_end, const GridKernel *kernel, uint32_t *at);
/* Whether the dispatcher keeps that block off the SMs. */
bool front_end_holds(const Block *block);
/* Kernels that wait for an entry of the distributor, and how many entries there are. */
uint32_t front_end_waiting_kernels(const FrontEnd *front_end);
uint32_t front_end_entries(const FrontEnd *front_end);

/* -- why blocks wait -- */

/* What is free on an SM, by what the front end knows. */
const Resources *front_end_free_on(const FrontEnd *front_end, uint32_t sm);
/* Whether the kernel's blocks can be dispatched: its launch has arrived at the distributor. */
bool front_end_is_active(const FrontEnd *front_end, const GridKernel *kernel);
/* Whether a block finds no room because those that would give up their places find none in the queues of
 * blocks that have. */
bool front_end_queues_are_full(const FrontEnd *front_end);
/* Which policy keeps the next block of that active kernel from an SM that has room for it, and its name. */
Refusal front_end_refusal(const FrontEnd *front_end, const GridKernel *kernel, const char **name);
/* "a", or "a+b" of several policies that admit blocks. */
const char *front_end_admit_names(const FrontEnd *front_end, char *text, size_t size);
/* Why the graph that runs does not go on, in a sentence; false: that is not because of the scheduler. */
bool front_end_describe_graph(const FrontEnd *front_end, char *text, size_t size);

#endif
