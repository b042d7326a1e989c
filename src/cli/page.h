/* The page of `warpbeam report`: web/dist/report.html with the data of runs and papers put in. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stddef.h>

#include "base/error.h"

/* A statistics file of a run, or the folder of `warpbeam paper --out`. */
typedef struct PageInput {
    const char *path;
    const char *label; /* what the page calls it; null: after its path */
} PageInput;

/* Reads and checks the inputs and writes the page. False: an error stands, and nothing was written. */
bool page_write(const PageInput *inputs, size_t count, const char *path, Error *error);

#endif
