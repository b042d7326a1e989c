/* What the planner's parts share: a task, the cut of matrices into tiles, the model that compares plans. */
#ifndef WBRNN_PLAN_PARTS_H
#define WBRNN_PLAN_PARTS_H

#include "plan.h"
#include "kernels/job.h"

/* What is planned: a shape that has been checked, on the SMs that it may use. */
typedef struct PlanTask {
    const WbRnnShape *shape;
    const RnnGpu *gpu;
    uint32_t groups; /* at least 1 */
    uint32_t width;  /* hidden / groups: of a state's group */
    uint32_t sms;
    bool half;
} PlanTask;

static inline uint32_t up_to(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit; }
static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Writes plan->why, and returns the status. */
WbRnnStatus plan_refuse(RnnPlan *plan, WbRnnStatus status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* plan_check.c: whether shape and options can work at all. */
WbRnnStatus check_shape(const WbRnnShape *shape, RnnPlan *plan);
WbRnnStatus check_options(const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan);
WbRnnStatus check_half(const WbRnnOptions *options, const RnnGpu *gpu, RnnPlan *plan); /* of halves besides */
WbRnnStatus check_registers(const RnnGpu *gpu, RnnPlan *plan);

/* plan_cut.c: how matrices of single precision are cut into tiles. plan_cut_whole() takes 32 lanes and the
 * depth that covers a group. */
void plan_cut(const PlanTask *task, uint32_t lanes, uint32_t depth, RnnPlan *plan);
void plan_cut_whole(const PlanTask *task, RnnPlan *plan);
bool plan_is_basic(WbRnnKind kind);
const char *plan_cell(WbRnnKind kind); /* in kernels' names */

/* plan_half.c: the same for halves; sums of a tile are split over `warps`, so many k16 steps each. */
void plan_cut_half(const PlanTask *task, uint32_t warps, uint32_t steps, RnnPlan *plan);
void plan_cut_half_whole(const PlanTask *task, RnnPlan *plan);
/* The n-th compiled kernel of wait-signal: its cut, its place of U and its name. False behind the last. */
bool plan_half_instance(const PlanTask *task, uint32_t n, RnnPlan *plan);

/* plan_model.c: memory on chip, blocks an SM, cycles. */
size_t plan_tile_bytes(const PlanTask *task, const RnnPlan *plan); /* of a packed tile of one matrix */
/* From tiles, places and stages; `layers`: whose weights and states a block keeps, 1 unless persistent.
 * False: no block fits on an SM. */
bool plan_occupy(const PlanTask *task, uint32_t layers, RnnPlan *plan);
/* What shared memory a plan leaves, with as many blocks on an SM as are needed: gives it to weights that are
 * read from global memory otherwise, W first. plan_occupy() counts it. */
void plan_keep(const PlanTask *task, RnnPlan *plan);
/* Cycles of one cell: both matrices, or only the part that waits for the step before. */
uint32_t plan_cell_cycles(const PlanTask *task, const RnnPlan *plan, bool state_only);
/* Sets step_cycles of a wait-signal plan; the time of a run of nominal length. */
uint64_t plan_wait_time(const PlanTask *task, RnnPlan *plan);
void plan_other_time(const PlanTask *task, RnnPlan *plan); /* sets it for the other methods */

/* The methods. */
WbRnnStatus plan_wait(const PlanTask *task, const WbRnnOptions *options, RnnPlan *plan);
WbRnnStatus plan_persistent(const PlanTask *task, RnnPlan *plan);
WbRnnStatus plan_persistent_single(const PlanTask *task, RnnPlan *plan); /* plan_persistent.c */
WbRnnStatus plan_stream(const PlanTask *task, RnnPlan *plan);
/* The most warps, a power of two, that tiles of a block can have each; at most `limit`. */
uint32_t plan_warps_per_tile(uint32_t block_tiles, uint32_t limit);

#endif
