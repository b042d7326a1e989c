/* The set of live handles: open addressing over kind and address. */
#include "rt/rt.h"

#include "base/alloc.h"

/* A removed slot keeps its place in the row of probes. */
typedef enum SlotState { SLOT_EMPTY, SLOT_LIVE, SLOT_REMOVED } SlotState;
typedef struct Slot {
    const void *object;
    RtHandle kind;
    SlotState state;
} Slot;

/* Invariant: capacity is a power of two or 0; at most 3/4 of the slots are not empty. */
static struct {
    Slot *slots;
    size_t used, capacity;
} set;

static size_t first_slot(RtHandle kind, const void *object)
{
    uint64_t hash = ((uint64_t)(uintptr_t)object + (uint64_t)kind) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 32) & (set.capacity - 1);
}

static Slot *find(RtHandle kind, const void *object)
{
    if (set.capacity == 0)
        return NULL;
    for (size_t i = first_slot(kind, object); set.slots[i].state != SLOT_EMPTY;
         i = (i + 1) & (set.capacity - 1)) {
        Slot *slot = &set.slots[i];
        if (slot->state == SLOT_LIVE && slot->object == object && slot->kind == kind)
            return slot;
    }
    return NULL;
}

static void insert(RtHandle kind, const void *object)
{
    size_t i = first_slot(kind, object);
    while (set.slots[i].state != SLOT_EMPTY)
        i = (i + 1) & (set.capacity - 1);
    set.slots[i] = (Slot){object, kind, SLOT_LIVE};
    set.used++;
}

/* Makes room for one more, and drops removed slots. */
static void grow(void)
{
    Slot *old = set.slots;
    size_t count = set.capacity, live = 0;
    for (size_t i = 0; i < count; i++)
        live += old[i].state == SLOT_LIVE;
    set.capacity = 64;
    /* Removed slots are not carried over, so it may shrink as well as grow. */
    while (set.capacity < live * 2 + 2)
        set.capacity *= 2;
    set.slots = xcalloc(set.capacity, sizeof *set.slots);
    set.used = 0;
    for (size_t i = 0; i < count; i++) {
        if (old[i].state == SLOT_LIVE)
            insert(old[i].kind, old[i].object);
    }
    xfree(old);
}

void rt_handle_add(RtHandle kind, const void *object)
{
    if (find(kind, object))
        return;
    if ((set.used + 1) * 4 > set.capacity * 3)
        grow();
    insert(kind, object);
}

void rt_handle_remove(RtHandle kind, const void *object)
{
    Slot *slot = find(kind, object);
    if (slot)
        slot->state = SLOT_REMOVED;
}

bool rt_handle_is_live(RtHandle kind, const void *object) { return find(kind, object) != NULL; }

void *rt_handle_any(RtHandle kind, bool (*wanted)(const void *object))
{
    for (size_t i = 0; i < set.capacity; i++) {
        if (set.slots[i].state == SLOT_LIVE && set.slots[i].kind == kind && wanted(set.slots[i].object))
            return (void *)(uintptr_t)set.slots[i].object;
    }
    return NULL;
}
