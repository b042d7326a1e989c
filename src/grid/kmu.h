/* The kernel management unit: kernels that are ready and wait for an entry of the kernel distributor
 * [DTBL §2.2, §2.4].
 *
 * Kernels of the host (the heads of the hardware queues), kernels that kernels launched and kernels whose
 * blocks are all suspended wait in one line, by priority and arrival. While an entry is free the next one is
 * sent there, which takes kernel_launch_cycles (of kernels' launches nothing, where launch_latencies is
 * off). */
#ifndef GRID_KMU_H
#define GRID_KMU_H

#include "grid/distributor.h"

/* Invariant: kernels from first_waiting on wait; of `sent`, by the cycle in which they arrive (their own
 * `sent`), each has an entry. */
typedef struct Kmu {
    const GpuConfig *config;
    Distributor distributor;
    VEC(GridKernel *) waiting;
    uint32_t first_waiting;
    VEC(GridKernel *) sent;
} Kmu;

void kmu_init(Kmu *kmu, const GpuConfig *config);
void kmu_free(Kmu *kmu);
/* As many entries as the configuration says now; no kernel is there. */
void kmu_resize(Kmu *kmu);
void kmu_put(Kmu *kmu, GridKernel *kernel);
/* Sends kernels on while entries are free. */
void kmu_send(Kmu *kmu, Cycle now);
/* The next kernel that has arrived at the distributor by `now`; null: none. */
GridKernel *kmu_take_arrived(Kmu *kmu, Cycle now);
/* When the next one arrives; CYCLE_NEVER: none is on its way. */
Cycle kmu_next(const Kmu *kmu);
bool kmu_is_idle(const Kmu *kmu);

#endif
