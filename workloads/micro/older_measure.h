/* The measurements behind the rows of older.c; all have the type of Micro's member `measure`. Kernels come in
 * pairs, KERNEL_8 and KERNEL_16, whose difference is eight steps a trip. */
#ifndef WORKLOADS_OLDER_MEASURE_H
#define WORKLOADS_OLDER_MEASURE_H

#include "micro/measure.h"

enum { FEW_STEPS = 8, MORE_STEPS = 16 };

typedef struct KernelName {
    char text[48];
} KernelName;
/* The kernel of the pair with so many steps. */
KernelName kernel_of(const Micro *micro, int steps);
/* Cycles or other units of one step, from both kernels' totals. */
double of_one_step(const double totals[2], int trips);
/* A knob of the GPU; 0 with the host's error set: there is none. */
uint64_t knob_of(Host *host, const char *name);

MEASUREMENT(measure_older_chain);    /* cycles of one instruction that needs the one before */
MEASUREMENT(measure_older_load);     /* the same for loads in a ring of memory; parameter: LoadFrom */
MEASUREMENT(measure_older_constant); /* parameter: bytes of the ring */
MEASUREMENT(measure_older_local);
MEASUREMENT(measure_older_shared);   /* parameter: lanes whose words are in one bank */
MEASUREMENT(measure_older_conflict); /* cycles that each further lane of a bank costs */
MEASUREMENT(measure_older_texture);
MEASUREMENT(measure_older_shared_atomic); /* cycles that each further lane at one word costs */
MEASUREMENT(measure_older_global_atomic); /* cycles of an atomic at a word that all SMs add to */
MEASUREMENT(measure_older_barrier);       /* cycles that each further warp costs */
MEASUREMENT(measure_older_rate);          /* results a cycle and SM */
MEASUREMENT(measure_older_read);          /* bytes a cycle and SM of shared memory or L1 */
MEASUREMENT(measure_older_read_l2);       /* bytes a cycle and slice */
MEASUREMENT(measure_older_read_dram);     /* per cent of what the pins carry */

typedef enum LoadFrom { LOAD_L1, LOAD_L2, LOAD_DRAM } LoadFrom;

#endif
