/* What a running instruction may ask of the GPU around it: the clock, the device heap, the output of
 * printf, and the counters. The functional engine and the timing model each provide one. */
#ifndef EXEC_MACHINE_H
#define EXEC_MACHINE_H

#include "exec/statistics.h"
#include "exec/stray.h"
#include "exec/warp.h"

/* The device heap, one for the whole GPU. */
typedef struct DeviceHeap {
    uint64_t limit, used;
} DeviceHeap;

struct AnswerList;
struct TextureTable;
struct DeviceRuntime;
struct OuterUnits;
typedef struct Step Step;
typedef struct Access Access;
typedef void SecondPhase(Step *step, Access *access);
/* Takes over a prepared access whose second phase is `perform`; returns STEP_NEXT or STEP_ERROR. */
typedef int MemoryHook(Step *step, Access *access, SecondPhase *perform);
/* All that the block's barrier waits for have arrived; those who wait there are about to be let go. */
typedef void BarrierHook(Block *block, uint32_t name);

/* The warp waits from this instruction on: grid_sync_wait() is to be called between windows. */
typedef void HoldHook(Step *step);

struct Machine;
/* Calls action(context, time of now) where what all SMs share may be changed. */
typedef void DeferHook(struct Machine *machine, void (*action)(void *context, Cycle time), void *context);

typedef struct Machine {
    void *owner;               /* of a timing model; null in functional mode */
    DeferHook *defer;          /* of a timing model; null: that is at once */
    MemoryHook *memory;        /* of a timing model; null: the second phase follows at once */
    BarrierHook *barrier;      /* of a timing model that wants to know; or null */
    const BlockWaker *waker;   /* finds blocks whose waits are ended */
    struct AnswerList *answers; /* of a timing model: where an intrinsic's go (exec/answer.h); or null */
    HoldHook *hold;            /* of a timing model; null: the wait begins at once */
    uint64_t clock;            /* cycles: %clock; in functional mode, warp instructions issued so far */
    uint32_t clock_khz;        /* turns cycles into the nanoseconds of %globaltimer */
    uint32_t sm_count;
    uint32_t warps_per_sm;     /* %nwarpid */
    DeviceHeap *heap;
    const struct TextureTable *textures; /* exec/texture/texture.h */
    struct OuterUnits *units;       /* beside the SMs (grid/unit.h); null: none */
    struct DeviceRuntime *runtime; /* exec/runtime/device_runtime.h; null: kernels cannot launch */
    WbOutput *output;
    void *output_context;
    WbOutput *assertion_output; /* null: `output` tells of them, too */
    void *assertion_context;
    bool is_watched;           /* accesses to memory are looked at for `changes` */
    uint64_t changes;          /* that make warps go on which wait for them, and looks at the clock: spin.h */
    ExecStatistics statistics;
    AllocationCache allocations;
    Strays strays;             /* that nobody has taken yet */
} Machine;

/* Calls action(context, time of now) where what SMs share may be changed; without a timing model, here. */
static inline void machine_put_off(Machine *machine, void (*action)(void *context, Cycle time), void *context)
{
    if (machine->defer)
        machine->defer(machine, action, context);
    else
        action(context, machine->clock);
}

#endif
