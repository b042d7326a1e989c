/* Running rows, each job in a process of its own on a GPU of its own. */
#ifndef FIDELITY_JOB_H
#define FIDELITY_JOB_H

#include "row.h"

/* Runs all rows and prints each as soon as all before it are done. */
void jobs_run_rows(Run *run);

#endif
