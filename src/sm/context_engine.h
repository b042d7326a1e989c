/* The context switch engine of an SM: moves the contexts of blocks that leave and come back [thesis §4.4].
 *
 * It stands beside the load/store unit. A context is moved line by line: a store for each line of 128 bytes
 * that is saved, a load for each that is restored, coalesced from the first byte of the context on. They
 * pass by the L1 and go through the crossbar to L2 and DRAM as all others do; they wait for the SM's port in
 * the same queue as those of the load/store unit, in which each of the two may have as many. A context is
 * saved when its last store is confirmed, and restored when its last line is wholly in.
 *
 * A line a cycle is made of registers or shared memory. Of several contexts that are to be moved one goes
 * before the others, in the order in which they came, or lines of all take turns (Fig 21; knob
 * context_order). No more than context_outstanding lines are on their way at once. */
#ifndef SM_CONTEXT_ENGINE_H
#define SM_CONTEXT_ENGINE_H

#include "mem/request.h"
#include "sm/context_pool.h"
#include "sm/sm.h"

ContextEngine *context_engine_create(Sm *sm);
void context_engine_free(ContextEngine *engine);
ContextPool *context_engine_pool(ContextEngine *engine);
/* The context of the block in that slot is to be moved: block->context says what, and where to or from.
 * suspend_moved() hears of the end. */
void context_engine_begin(ContextEngine *engine, uint32_t index, bool saves);
/* Hands over what the load/store unit may have in cycle `now`; returns the next cycle in which it can do
 * more, CYCLE_NEVER: not before one of its requests is sent or answered. Called when the unit advances. */
Cycle context_engine_advance(ContextEngine *engine, Cycle now);
/* The reply to one of its requests is wholly in. */
void context_engine_reply(ContextEngine *engine, const Request *request);
/* Brings the count of throttled cycles up to `now`. */
void context_engine_account(ContextEngine *engine, Cycle now);

#endif
