/* `warpbeam run WORKLOAD`. */
#ifndef CLI_RUN_WORKLOAD_H
#define CLI_RUN_WORKLOAD_H

/* Returns the exit status. */
int run_workload(int argument_count, char **arguments);

#endif
