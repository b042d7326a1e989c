/* Runs that were measured before, from the table runs.csv that `--out` has written: tables, verdicts and pages
 * can be made anew without running anything. */
#ifndef PAPERS_REREAD_H
#define PAPERS_REREAD_H

#include "papers/runs.h"

/* Fills in the results that the options' file has; of the others nothing is known. False: the error says why;
 * rows of benchmarks or modes that the experiment does not have are such a reason. */
bool reread_runs(Experiment *experiment, Error *error);

#endif
