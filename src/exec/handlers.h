/* The handlers of instructions that are not lane functions, by the action that names them; step.h says
 * how they are called. */
#ifndef EXEC_HANDLERS_H
#define EXEC_HANDLERS_H

#include "exec/step.h"

/* access.c, hint.c, atomic.c, async.c, address.c */
StepFn exec_load, exec_store, exec_prefetch, exec_fence;
StepFn exec_atomic;
StepFn exec_copy_async, exec_mbarrier;
StepFn exec_address;

/* mma.c, wmma.c, ldmatrix.c */
StepFn exec_mma;
StepFn exec_wmma_load, exec_wmma_store;
StepFn exec_ldmatrix;

/* texture.c, surface.c */
StepFn exec_texture, exec_texture_query;
StepFn exec_surface_load, exec_surface_store;

/* control.c, barrier.c, warp_sync.c, move.c */
StepFn exec_branch, exec_branch_table, exec_call, exec_return, exec_exit, exec_trap, exec_nop;
StepFn exec_barrier, exec_cluster_barrier;
StepFn exec_collective;
StepFn exec_move;

#endif
