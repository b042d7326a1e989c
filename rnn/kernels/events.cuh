/* Events of the simulated GPU in place of flags: one wait a cell, for all that it needs.
 *
 * Blocks with the same work are a group: those of a layer, or with job.split those of its S W and those of
 * its O U. A group works in turns, S W of cell c in turn c + 1 and O U of cell c in turn c; a block that does
 * both has S W of one cell and O U of the next in one turn. All blocks of a group wait for the event of the
 * turn, and all blocks that compute something for it signal to that event: those of the group itself the
 * state of the step before, those of another one the input or the sums of O U. */
#ifndef WBRNN_EVENTS_CUH
#define WBRNN_EVENTS_CUH

#include "job.h"
#include "warpbeam_device_sync.h"

/* The events of a group's turns. Invariant: an event is used again only where all who signal to it have
 * waited for its last use. Another group may be far ahead: where one signals, each turn has its own event.
 * Numbers stay below 2^20: a slot has at least 1 KiB a tile, and the planner gives a launch 2^30 bytes of
 * slots, those of layers + 1 sequences, with split at least of 2 layers + 1 (plan.c, limit_chunk). */
struct Turns {
    uint32_t blocks;     /* of any group */
    uint32_t first;      /* event */
    uint32_t own_from;   /* from this turn on the group signals to itself */
    uint32_t others_end; /* before this turn another group does; 0: never */

    __device__ __forceinline__ Turns(const RnnJob &job, uint32_t layer, bool is_input)
        : blocks(job.blocks), own_from(is_input ? ~0u : job.tiles + 1), others_end(0)
    {
        const uint32_t cells = job.steps * job.tiles;
        const bool is_state = job.split && !is_input;
        first = (job.split ? layer * 2 + is_input : layer) * (cells + 1);
        if (job.layer[layer].w_input && (is_state || layer > 0))
            others_end = is_state ? cells + 1 : cells;
    }

    __device__ __forceinline__ uint32_t signalling(uint32_t turn) const
    {
        return (turn >= own_from) + (turn < others_end);
    }

    /* Waits count, too. */
    __device__ __forceinline__ uint32_t target(uint32_t turn) const
    {
        return (1 + signalling(turn)) * blocks;
    }

    __device__ __forceinline__ uint32_t event(uint32_t turn, uint32_t tile) const
    {
        return first + (others_end ? turn : tile);
    }
};

/* What a block waits for, and whom it tells: two of its threads signal at the same time, one to the own layer
 * and one to the next. They know early what to say, for it is on the critical path. */
struct Events {
    const Turns own;
    const Turns told;   /* by this thread */
    uint32_t told_turn; /* that a cell is for, less the cell's number */
    uint32_t told_end;  /* there are no such turns from here on */

    __device__ __forceinline__ Events(const RnnJob &job, uint32_t layer, bool is_input)
        : own(job, layer, is_input),
          told(threadIdx.x == 1 && layer + 1 < job.layers ? Turns(job, layer + 1, job.split)
                                                          : Turns(job, layer, false)),
          told_turn(threadIdx.x == 1 ? 0 : is_input ? 1 : job.tiles + 1), told_end(0)
    {
        if (threadIdx.x == 0)
            told_end = job.steps * job.tiles + 1;
        else if (threadIdx.x == 1 && !is_input && layer + 1 < job.layers)
            told_end = told.others_end;
    }

    /* All threads of the block call it. `tile` is that of the cell whose S W this turn has. */
    __device__ __forceinline__ void wait(uint32_t turn, uint32_t tile) const
    {
        if (own.signalling(turn))
            wb_wait(own.event(turn, tile), own.target(turn));
    }

    /* Says that the block has finished its part of a cell. All threads call it. */
    __device__ __forceinline__ void signal(uint32_t cell, uint32_t tile) const
    {
        const uint32_t turn = cell + told_turn;
        __syncthreads();
        if (turn < told_end)
            wb_signal_each(told.event(turn, tile), told.target(turn));
    }
};

#endif
