/* The page of `warpbeam report`: web/dist/report.html with the data of runs and papers put in. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/* A statistics file of a run, or the folder of `warpbeam paper --out`. */
typedef struct PageInput {
    const char *path;
    const char *label; /* what the page calls it; null: after its path */
} PageInput;

/* What browsers open without delay. */
enum { PAGE_BYTES = 20 * 1000 * 1000 };

/* Reads and checks the inputs and writes the page; runs that together take more than `bytes` lose blocks, and
 * the page says so. False: an error stands, and nothing was written. */
bool page_write(const PageInput *inputs, size_t count, size_t bytes, const char *path, Error *error);
/* The same for statistics that were written just now: unless they take too much, they stand in the page as
 * they are, which is faster than to read, check and pack them. */
bool page_write_own(const char *statistics, const char *path, Error *error);

/* A page of studies (web/src/types.ts), an array that this function releases. */
bool page_write_studies(json_t *studies, const char *path, Error *error);

#endif
