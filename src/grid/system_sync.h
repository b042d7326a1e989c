/* A barrier of the kernels of several GPUs, as one GPU's global sync unit knows it [sync thesis §8.1]: in
 * hardware what the thesis does with flags in memory.
 *
 * A group is a set of GPUs. When all blocks of a GPU's kernel have come to a sync of the group, the unit
 * sends word of it to the others, and when it knows that all have come it lets its blocks go on. Who tells
 * whom is the group's fan. With 0 every GPU tells every other one. Otherwise the GPUs of the group, in the
 * order of their numbers, are a tree: each has up to `fan` children, tells its parent when it has come itself
 * and has had word of all its children, and the first of them, when it has had word of all, tells its
 * children to go on, which tell theirs.
 *
 * Words are counted, not numbered: between two GPUs they stay in their order. A GPU can be one sync ahead of
 * another, no more. So groups outlast kernels: a GPU may come while the kernel of another one has not begun.
 * This is bookkeeping without time; whose words take how long is the unit's business. */
#ifndef GRID_SYSTEM_SYNC_H
#define GRID_SYSTEM_SYNC_H

#include <stdbool.h>

#include "base/vec.h"
#include "mem/space.h"
#include "sim/clock.h"

typedef enum SystemWord { SYSTEM_CAME, SYSTEM_GO } SystemWord;

/* Invariant: gone <= came <= gone + 1, and heard[i] <= gone + 1 of those that tell this GPU. */
typedef struct SyncGroup {
    uint32_t gpus;        /* bit i: GPU i is in it; this one is */
    uint32_t fan;
    uint64_t came, gone;  /* syncs that this GPU has come to, and gone on from */
    uint64_t told;        /* of a tree: that it and all below have come to, as it has said */
    uint64_t let_go;      /* of a tree: that all have come to, as it knows */
    uint64_t heard[SPACE_MOST]; /* of each GPU: syncs that it, or all of its part of the tree, has come to */
    Cycle since;          /* when this GPU came to the last one */
    bool has_kernel;
    uint64_t kernel;      /* the one that takes part, from its first arrival to its end */
} SyncGroup;

typedef struct SystemSyncHooks {
    void (*tell)(void *context, uint32_t gpu, SystemWord word, uint32_t gpus, Cycle now);
    /* All GPUs of the group have come. */
    void (*release)(void *context, const SyncGroup *group, Cycle now);
    void *context;
} SystemSyncHooks;

typedef struct SystemSync {
    uint32_t gpu;
    VEC(SyncGroup) groups;
    SystemSyncHooks hooks;
} SystemSync;

void system_sync_free(SystemSync *sync);
/* The group of these GPUs, made if need be; others may move it. */
SyncGroup *system_sync_group(SystemSync *sync, uint32_t gpus, uint32_t fan);
/* All blocks of this GPU's kernel have come. */
void system_sync_arrive(SystemSync *sync, SyncGroup *group, Cycle now);
/* Word of another GPU of the group. */
void system_sync_told(SystemSync *sync, SyncGroup *group, uint32_t from, SystemWord word, Cycle now);

#endif
