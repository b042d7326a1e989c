/* The context of a block: what has to be kept of it while it is off its SM.
 *
 * That is registers, shared memory and, for each warp, what its SIMT stack holds. Local memory is in global
 * memory anyway. Of the registers only those count that are live where the warps' groups stand [thesis
 * §4.4.2]: those that an instruction may still read before something else is written there. A part of shared
 * memory may be read-only, and lie in global memory as well; then that is read again instead.
 *
 * A wavefront that yields saves another kind of context [channels §6, 7]: all its registers by their kinds,
 * live and dead, and a fixed number of bytes for program counters, masks and indices. */
#ifndef EXEC_CONTEXT_H
#define EXEC_CONTEXT_H

#include "config/config.h"
#include "exec/warp.h"
#include "ptx/flow_kinds.h"

/* Measures the block as it stands, none of whose instructions is under way. Registers are counted by warps: a
 * word of all lanes is kept or not. */
void context_measure(const Block *block, const GpuConfig *config, ContextSize *size);

/* What is saved of it and restored, in bytes: `live_registers`, shared memory that is not read-only, stacks.
 * Both differ only by what is read again, shared_read_only. */
static inline uint64_t context_saved_bytes(const ContextSize *size)
{
    return size->live_registers + (size->shared - size->shared_read_only) + size->stacks;
}

/* All of it, as if nothing were skipped. */
static inline uint64_t context_full_bytes(const ContextSize *size)
{
    return size->registers + size->shared + size->stacks;
}

/* The most that blocks of the launch can have. */
uint64_t context_most_bytes(const Launch *launch, const GpuConfig *config);

/* The most that is saved of a block that has called that extern function and stands behind the call. 0: no
 * kernel or function of the launch calls it. */
uint64_t context_call_bytes(const Launch *launch, const GpuConfig *config, const char *name);

/* -- registers that are live, of a program -- */

/* Slots of the frame that are live where lanes of the warp stand in it, or will come back to it, also those
 * that hardware has elsewhere. bits[] is as long as the function's slots, and zero. */
void context_live_slots(const Warp *warp, uint32_t frame, uint64_t *bits);

/* Registers of a function of the program by their kinds. */
RegisterKinds context_register_kinds(const Program *program, uint32_t function);
/* Those of all its functions together. */
RegisterKinds context_program_kinds(const Program *program);

/* The table of a program's code, which fills as it is asked for; threads may ask at once. */
struct LiveTable *live_table_create(const Program *program);
void live_table_free(struct LiveTable *table);

#endif
