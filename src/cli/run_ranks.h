/* A program that mpirun or srun has started through `warpbeam run`, once for each rank. */
#ifndef CLI_RUN_RANKS_H
#define CLI_RUN_RANKS_H

#include "cli/running.h"

/* This process's rank as its environment says; -1: it is not one of several. */
int ranks_own(void);
/* Files of the rank's own: out.json becomes out.rank2.json. What is made is added to `made`, as the
 * caller's. */
typedef VEC(char *) RankPaths;
void ranks_name_files(int rank, Running *running, RankPaths *made);
/* The GPU's knobs of the network, in the environment of the program. */
void ranks_pass_network(WbGpu *gpu);
/* Puts the library for MPI programs before all others, and says which rank it is; ranks share processors.
 * False: the library is not in the folder, which has been told. */
bool ranks_preload(int rank, const char *libraries);

#endif
