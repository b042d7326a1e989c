/* The kernel distributor: an entry for each kernel whose blocks can be dispatched [DTBL §2.2].
 *
 * Entries are reserved when the kernel management unit sends a kernel, and released when all its blocks have
 * ended, those of groups that joined it included. The number of entries bounds the kernels that run at once
 * (knob concurrent_kernels; 32 on a K20c). */
#ifndef GRID_DISTRIBUTOR_H
#define GRID_DISTRIBUTOR_H

#include "grid/grid_kernel.h"

/* Invariant: used entries hold a kernel whose `entry` is their index; is_here[i] is set from when the kernel
 * has arrived. */
typedef struct Distributor {
    GridKernel **entries;
    bool *is_here;
    uint32_t count, used;
} Distributor;

void distributor_init(Distributor *distributor, uint32_t count);
void distributor_free(Distributor *distributor);
/* Reserves the lowest free entry; false: there is none. */
bool distributor_reserve(Distributor *distributor, GridKernel *kernel);
void distributor_arrived(Distributor *distributor, const GridKernel *kernel);
void distributor_release(Distributor *distributor, GridKernel *kernel);
/* The first entry whose kernel the group may join: same entry point, blocks of the same shape and needs
 * [DTBL §4.2]. *searched is the number of entries that were looked at, a cycle each. Null: none. */
GridKernel *distributor_search(const Distributor *distributor, const GridKernel *group, uint32_t *searched);

#endif
