/* The kernel management unit and the kernel distributor: which kernels' blocks can be dispatched
 * [DTBL §2.2, §2.4].
 *
 * Kernels of the host (the heads of the hardware queues), kernels that kernels launched and kernels whose
 * blocks are all suspended wait in the management unit, in one line, by priority and arrival. While an entry
 * of the distributor is free the next one is sent there, which takes kernel_launch_cycles; of a kernel that
 * was prepared while others ran kernel_prepared_cycles, the part that has to wait for their end; of kernels'
 * launches nothing, where launch_latencies is off. Any number of kernels may be on their way, or, where
 * kernel_launch_serial is set, one after the other: DTBL's authors count down the 283 cycles of table 3 for
 * one kernel at a time (their extension of GPGPU-Sim: a stream's launch is looked at once a cycle, and only
 * then its latency falls by one). A kernel keeps its entry until all its blocks have ended, those
 * of groups that joined it included. So the number of entries bounds the kernels that run at once (knob
 * concurrent_kernels; 32 on a K20c). */
#ifndef GRID_KMU_H
#define GRID_KMU_H

#include "grid/grid_kernel.h"

/* -- the distributor -- */

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

/* -- the kernel management unit -- */

/* Invariant: kernels from first_waiting on wait; of `sent`, by the cycle in which they arrive (their own
 * `sent`), each has an entry. */
typedef struct Kmu {
    const GpuConfig *config;
    Distributor distributor;
    VEC(GridKernel *) waiting;
    uint32_t first_waiting;
    VEC(GridKernel *) sent;
    bool is_flushed; /* caches have been emptied since a kernel was sent last */
} Kmu;

void kmu_init(Kmu *kmu, const GpuConfig *config);
void kmu_free(Kmu *kmu);
/* As many entries as the configuration says now; no kernel is there. */
void kmu_resize(Kmu *kmu);
void kmu_put(Kmu *kmu, GridKernel *kernel);
/* Sends kernels on while entries are free and, of a serial unit, none is on its way. */
void kmu_send(Kmu *kmu, Cycle now);
/* The next kernel that has arrived at the distributor by `now`; null: none. */
GridKernel *kmu_take_arrived(Kmu *kmu, Cycle now);
/* When the next one arrives; CYCLE_NEVER: none is on its way. */
Cycle kmu_next(const Kmu *kmu);
bool kmu_is_idle(const Kmu *kmu);

#endif
