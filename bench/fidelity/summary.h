/* Small tables on a set as a whole: a row for each counter, and one for each class. */
#ifndef FIDELITY_SUMMARY_H
#define FIDELITY_SUMMARY_H

#include <stdio.h>

#include "figures.h"

enum { SUMMARY_GROUPS = 2 };

/* The groups of rows that figures are given for: the halves that have rows, or all rows of the set. */
size_t summary_groups(const Run *run, const Set *set, Selection groups[SUMMARY_GROUPS]);
/* In Markdown, with its columns below each other where it is read as it is. Nothing of a set without
 * counters. */
void summary_write(const Run *run, const Set *set, bool is_aligned, FILE *out);

#endif
