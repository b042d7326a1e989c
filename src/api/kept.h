/* What a GPU keeps for timelines (knob timeline), beside the logs of its kernels: copies, and how coarse it
 * all is.
 *
 * Everything is bounded over all kernels by the knob timeline_events. Where there would be more blocks,
 * launches or copies, only every second that has been kept stays, and of later ones the same choice is
 * made; where there would be more samples, neighbours become one. That is so of samples without a timeline,
 * too (knob sample_interval), but of very many. */
#ifndef API_KEPT_H
#define API_KEPT_H

#include <stdbool.h>

#include "base/vec.h"
#include "sim/clock.h"

struct WbGpu;
struct KernelRecord;

/* A copy or fill on its engine. Of a copy between two GPUs of a system, `from` and `to` are their indices; of
 * others both are the same. */
typedef struct KeptCopy {
    uint32_t stream, engine; /* CopyEngine */
    uint32_t from, to;
    bool is_fill;
    uint64_t number, bytes;
    Cycle started, ended;
} KeptCopy;

/* Invariant: strides are powers of two; copies have numbers that are multiples of theirs; blocks, launches,
 * barriers and samples count those of all records. */
typedef struct Kept {
    uint64_t block_stride, launch_stride, copy_stride;
    uint64_t barrier_stride, barrier_kernels; /* of blocks and kernels whose barriers are kept */
    Cycle interval;          /* of samples, where the knob sample_interval does not say it */
    Cycle intervals;         /* that are one sample, where it does: a power of two */
    uint64_t blocks, launches, barriers, samples;
    VEC(KeptCopy) copies;
    uint64_t copy_count;     /* all, kept or not */
} Kept;

/* Nothing is kept, and everything will be. */
void kept_reset(Kept *kept);

/* -- all of these do nothing unless the GPU has the knob -- */

/* A kernel begins: gives the record a log. */
void kept_begin(struct WbGpu *gpu, struct KernelRecord *record);
/* The interval of its samples; 0: none. */
Cycle kept_interval(const struct WbGpu *gpu);
/* Its record has been put among those of the GPU. */
void kept_end(struct WbGpu *gpu, struct KernelRecord *record);
/* The kernel is being cut off in the present cycle: its blocks, and those that it launched, have been on
 * their SMs until then. */
void kept_cut_off(const struct WbGpu *gpu, const struct KernelRecord *record);
/* A kernel that runs has one more sample. */
void kept_sampled(struct WbGpu *gpu);
void kept_copy(struct WbGpu *gpu, KeptCopy copy);

#endif
