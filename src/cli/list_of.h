/* Lists of what belongs to something: to a workload, a paper, a knob or a PTX file that --of names. They are
 * what --mode, --size, --only, --set and --kernel take, and shells complete these by them. */
#ifndef CLI_LIST_OF_H
#define CLI_LIST_OF_H

#include "cli/list.h"

int list_modes(Listing *listing);
int list_sizes(Listing *listing);
int list_benchmarks(Listing *listing);
int list_values(Listing *listing);
int list_kernels(Listing *listing);

#endif
