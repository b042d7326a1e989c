/* All values in full, for programs. */
#ifndef FIDELITY_VALUES_H
#define FIDELITY_VALUES_H

#include "row.h"

/* A table of comma-separated values: a line for each counter of each row that has one. False: stderr has why
 * not. */
bool values_write(const Run *run, const char *path);

#endif
