/* `warpbeam run FILE.ptx`. */
#ifndef CLI_RUN_PTX_H
#define CLI_RUN_PTX_H

/* Returns the exit status. */
int run_ptx(int argument_count, char **arguments);

#endif
