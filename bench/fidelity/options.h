/* What the command line asks for. */
#ifndef FIDELITY_OPTIONS_H
#define FIDELITY_OPTIONS_H

#include <stdbool.h>

#include "set.h"

enum { MAX_KNOBS = 32 };

typedef struct Options {
    const char *gpu, *only, *write, *csv, *html;
    const char *knobs[MAX_KNOBS]; /* name=value */
    int knob_count, threads, jobs;
    unsigned limit;               /* seconds */
    bool functional, sets[SET_COUNT];
    bool seen, unseen; /* halves of sets that have some */
} Options;

/* Does not return where the command line is wrong. */
Options options_parse(int argc, char **argv);

#endif
