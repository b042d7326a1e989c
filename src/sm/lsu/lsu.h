/* The load/store unit of an SM, as the pipeline sees it.
 *
 * When a memory instruction issues, its handler (exec/) prepares the access and hands it over through the
 * machine's memory hook, lsu_carry_out(). Shared, local, constant and parameter data moves at once: the
 * unit calls the access's second phase and only takes its time. Global data moves in the L1 (hits) or at
 * the L2:
 *   - a load's second phase runs when its bytes have come from L1 or L2; if they come at different times,
 *     they are gathered in staging bytes first;
 *   - a store runs its second phase at issue, into its requests, which carry the bytes;
 *   - an atomic's operands travel in the request's AtomicWork, and old values come back with it.
 * The unit works through the lines or bank passes of one instruction after the other, and calls
 * scoreboard_arrived() when an instruction's last register is there. */
#ifndef SM_LSU_LSU_H
#define SM_LSU_LSU_H

#include "exec/access.h"
#include "mem/l1.h"
#include "sm/sm.h"

typedef struct LsuStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "sm/lsu/statistics.def"
#undef COUNT
} LsuStatistics;

extern const StatTable lsu_statistics;

/* What lsu_advance() returns while the crossbar has no credit and cannot say when: ask again in the next
 * window. */
#define LSU_ASK_AGAIN (CYCLE_NEVER - 1)

Lsu *lsu_create(Sm *sm);
void lsu_free(Lsu *lsu);
/* Whether the queue has room for another instruction; the pipeline looks at sm->lsu_full, which says the
 * same. */
bool lsu_has_room(const Lsu *lsu);
/* The hook (MemoryHook). Whether registers come later, and as what, is put into step->issue. */
int lsu_carry_out(Step *step, Access *access, SecondPhase *perform);
/* Does what is due in cycle `now`; returns the next cycle in which it has something to do (CYCLE_NEVER:
 * only when a reply comes; or LSU_ASK_AGAIN). Must also be called, after everything else, in a cycle in
 * which a reply came or an instruction was handed over. */
Cycle lsu_advance(Lsu *lsu, Cycle now);
/* Whether a request waits for a credit of which nothing is known yet: ask again in the next window. */
bool lsu_asks(const Lsu *lsu);
/* A reply has arrived: it enters through the SM's port behind those before it. sm->lsu_reply is when the
 * first of them is wholly in; in that cycle lsu_deliver() does what has come. */
void lsu_take(Lsu *lsu, Request *reply, Cycle now);
void lsu_deliver(Lsu *lsu, Cycle now);
/* What one reply brings; it is wholly in. */
void lsu_reply(Lsu *lsu, Request *request, Cycle now);
/* When the SM has the kernel's parameters, for an instruction that looks for them now. */
Cycle lsu_parameters_come(Lsu *lsu, const SmKernel *kernel, const Launch *launch);
/* Whether any instruction, request or store is still under way. */
bool lsu_is_idle(const Lsu *lsu);
/* Counters, for reports, with all that was before cycle `now`; both may be reset between kernels. */
LsuStatistics *lsu_counters(Lsu *lsu, Cycle now);
L1Statistics *lsu_l1_counters(Lsu *lsu);
/* Flash-invalidates the L1 (kernel start, acquire, fence), unless it is coherent. */
void lsu_invalidate(Lsu *lsu);
/* Empties a coherent L1, as all others and the directory are emptied; nothing may be under way. */
void lsu_forget(Lsu *lsu);
/* Pages that it has walked for are known from now on, and it asks this translation. Between windows. */
void lsu_learn_pages(Lsu *lsu, Translation *translation, Cycle now);
/* The L1's part of memory that it shares with shared memory, when that part changes. */
void lsu_set_shared_bytes(Lsu *lsu, uint32_t bytes);

/* -- what the unit calls, in scoreboard.c and stores.c -- */

/* All registers of a memory instruction of warp slot `warp` that issued as pending (Issue) are there
 * and can be read from cycle `time` on; wakes the warp if it waits for them. Called once for such an
 * instruction. */
void scoreboard_arrived(Sm *sm, uint32_t warp, const InsnTiming *insn, Cycle time);
/* The arrival of one of the warp's stores or reductions at L2 is confirmed (the unit has counted it in
 * pending_stores); with the last one a fence or an ended warp goes on. */
void stores_visible(Sm *sm, uint32_t warp);
/* The warp's store leaves the unit; returns what its reply gives to stores_confirmed(). The warp may be
 * gone by then, and even now. */
uint32_t stores_sent(Sm *sm, uint32_t warp);
void stores_confirmed(Sm *sm, uint32_t ticket);

#endif
