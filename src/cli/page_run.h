/* A run's statistics as the page of `warpbeam report` gets them: checked, without what it does
 * not show, and with shorter counts of lines (web/src/types.ts). */
#ifndef CLI_PAGE_RUN_H
#define CLI_PAGE_RUN_H

#include <jansson.h>

#include "base/error.h"

/* Reads the file. Null: an error stands; else the caller owns it. */
json_t *page_run_read(const char *path, Error *error);

/* Takes blocks out of the report, evenly, then samples, until its text has at most `limit` bytes; says so in
 * `notes`, an array of sentences. What is left then is kept whatever its size. */
void page_run_shrink(json_t *report, size_t limit, json_t *notes);

#endif
