/* The out-of-order designs, for the files order_*.c.
 *
 *   fetch    follows the program by what the predictor says, `width` instructions in a tick
 *   rename   gives each a place in the reorder buffer, and finds whom its sources come from
 *   issue    the oldest of the queue whose sources are there are worked out
 *   memory   loads leave when they may, stores when they have been committed
 *   commit   in program order: what an instruction did becomes what the program sees
 *
 * An instruction has a number, one more than that of the one before it; its slot is the number modulo the
 * size of the reorder buffer. A branch that went another way than foretold undoes all behind it, and their
 * numbers are given again. Renaming is done by numbers: the map says which instruction gives each register
 * its value; that is in the instruction's slot while it is under way, and in the core's values behind. So
 * physical registers are counted, and none are stored. */
#ifndef CORE_ORDER_H
#define CORE_ORDER_H

#include <string.h>

#include "core/predict.h"
#include "core/state.h"

enum { ORDER_SLOTS = 128, ORDER_STORES = 64, ORDER_FETCHED = 32, ORDER_REQUESTS = 256 };

/* A set of slots. */
typedef struct SlotSet { uint64_t words[ORDER_SLOTS / 64]; } SlotSet;

#define SLOT_NONE UINT32_MAX

static inline void slots_add(SlotSet *set, uint32_t slot)
{
    set->words[slot / 64] |= (uint64_t)1 << (slot % 64);
}

static inline void slots_remove(SlotSet *set, uint32_t slot)
{
    set->words[slot / 64] &= ~((uint64_t)1 << (slot % 64));
}

static inline bool slots_have(const SlotSet *set, uint32_t slot)
{
    return set->words[slot / 64] >> (slot % 64) & 1;
}

static inline bool slots_any(const SlotSet *set) { return set->words[0] | set->words[1]; }

static inline uint32_t slots_lowest(const SlotSet *set)
{
    return set->words[0]   ? (uint32_t)__builtin_ctzll(set->words[0])
           : set->words[1] ? 64 + (uint32_t)__builtin_ctzll(set->words[1])
                           : SLOT_NONE;
}

/* The first of the set from slot `head` on, going round: the oldest, if `head` is the oldest's slot. */
static inline uint32_t slots_oldest(const SlotSet *set, uint32_t head)
{
    SlotSet behind = *set;
    if (head >= 64)
        behind.words[0] = 0;
    behind.words[head / 64] &= UINT64_MAX << (head % 64);
    const uint32_t found = slots_lowest(&behind);
    return found == SLOT_NONE ? slots_lowest(set) : found;
}

/* An instruction on its way from the instruction cache. */
typedef struct Fetched {
    uint32_t pc, next;       /* next: foretold */
    uint32_t history;        /* of branches before it */
    uint64_t ready;          /* tick from which it can be renamed */
} Fetched;

/* An instruction under way. Invariant: `pending` counts the instructions whose `waiters` have its slot;
 * values are there from is_done on. A source is number * CORE_DESTINATIONS + place among that instruction's
 * destinations; one of an instruction that has been committed means core->values. */
typedef struct Slot {
    const CoreInsn *insn;
    uint64_t number;
    uint64_t birth;          /* differs for all that ever were */
    uint32_t pc, foretold, next;
    uint32_t history;
    uint32_t store;          /* of a store: its place in the store queue */
    uint8_t pending;
    bool is_queued;          /* in the instruction queue */
    bool is_done;
    bool is_off;             /* its guard is false */
    bool is_wrong;           /* it fails if it is committed */
    bool is_at_device, is_reaching; /* reaches for the unit's register; has begun to */
    CorePlace place;
    uint64_t address;        /* of an access; the index of a jump */
    uint64_t done;           /* tick in which its values are there */
    uint64_t source[CORE_SOURCES];
    uint64_t before[CORE_DESTINATIONS]; /* what the map had for its destinations */
    uint64_t values[CORE_DESTINATIONS];
    SlotSet waiters;
} Slot;

/* A store from rename until the cache has taken it. */
typedef struct OrderStore {
    uint64_t number;
    uint64_t address;
    uint8_t *place;
    uint32_t bytes;          /* 0: it writes nothing */
    bool is_home, is_release, is_committed, is_sent;
    uint64_t taken;          /* tick in which it leaves the queue; CORE_TICK_NEVER: not known */
    uint8_t data[CORE_ACCESS_BYTES];
} OrderStore;

/* An access that the memory has been given. Loads of paths that were undone stay until they are back. */
typedef struct OrderRequest {
    bool is_store;
    uint32_t next_free;
    uint32_t slot;           /* of a load; of a store: its place in the store queue */
    uint64_t birth;          /* of the load */
    uint8_t data[CORE_ACCESS_BYTES];
} OrderRequest;

/* Invariant: numbers [head, tail) are under way; stores [store_head, store_tail) of the ring, in program
 * order, those before the first that is not committed being committed. */
typedef struct Order {
    Core *core;
    const CoreDesign *design;
    uint64_t tick;           /* that is being worked on, or is next */
    uint64_t birth;
    uint64_t head, tail;
    uint32_t slot_mask;
    uint64_t *map;           /* by register: who gives it its value, as Slot.source; 0: nobody under way */
    SlotSet ready;           /* of the queue, those whose sources are there */
    SlotSet executing;       /* have a tick in which they are done */
    SlotSet loads;           /* loads that have an address and have not left */
    SlotSet strong;          /* strong loads that have not left */
    SlotSet barriers;        /* fences and acquiring loads that are not done */
    SlotSet unknown;         /* stores whose address is not known */
    uint32_t queued, renamed, loads_used;
    bool memory_changed;     /* a load that could not leave may be able to */
    bool has_moved;          /* something has happened in this tick */
    bool is_behind_branch;   /* nothing has been renamed since a branch went another way */
    uint32_t store_head, store_tail, free_request;
    /* fetch */
    uint32_t pc;
    uint32_t fetched_head, fetched_tail;
    bool waits_for_code;
    uint64_t fetch_from;     /* not before that tick */
    Predictor predictor;
    /* statistics */
    uint64_t charged;        /* ticks before it are in the statistics */
    uint64_t *reason;        /* of the ticks from there on, while nothing happens */
    Fetched fetched[ORDER_FETCHED];
    OrderStore stores[ORDER_STORES];
    OrderRequest requests[ORDER_REQUESTS];
    Slot slots[ORDER_SLOTS];
} Order;

static inline Slot *order_slot(Order *order, uint64_t number)
{
    return &order->slots[number & order->slot_mask];
}

static inline uint32_t order_head_slot(const Order *order)
{
    return (uint32_t)order->head & order->slot_mask;
}

static inline OrderStore *order_store(Order *order, uint32_t place)
{
    return &order->stores[place % ORDER_STORES];
}

/* Whether an older one of the set is under way than that number. */
static inline bool order_has_older(const Order *order, const SlotSet *set, uint64_t number)
{
    const uint32_t oldest = slots_any(set) ? slots_oldest(set, order_head_slot(order)) : SLOT_NONE;
    return oldest != SLOT_NONE && order->slots[oldest].number < number;
}

void order_fetch(Order *order);
void order_rename(Order *order);
void order_issue(Order *order);
/* Works out an instruction whose sources are there. */
void order_execute(Order *order, Slot *slot);
/* What is done in this tick wakes those that wait for it. */
void order_complete(Order *order);
void order_memory(Order *order);
uint32_t order_commit(Order *order);

/* Its values are there in that tick. */
static inline void order_done_at(Order *order, Slot *slot, uint64_t tick)
{
    slot->done = tick;
    slots_add(&order->executing, (uint32_t)slot->number & order->slot_mask);
}

/* Undoes all behind the number, and goes on at that instruction. */
void order_undo(Order *order, uint64_t number, uint32_t pc);
/* The memory has made the access. */
void order_access_done(Order *order, uint32_t tag, uint64_t tick);
/* The first tick after this one in which a store leaves the store queue. */
uint64_t order_next_store(const Order *order);
/* Something happens in that tick, or in the next one if it has passed; returns which. */
uint64_t order_wake(Order *order, uint64_t tick);

#endif
