/* Generated parts of a hand-written Markdown file. A part lies between two comment lines that name it; what
 * is outside of them is never touched. */
#ifndef WORKLOADS_MARKDOWN_H
#define WORKLOADS_MARKDOWN_H

#include <stdbool.h>

#include "base/error.h"

/* Replaces part `name` of the file by `text`; a part that is not there yet is added at the end, under
 * `heading`, and a file that is not there yet begins with `opening`. False: the error says why not. */
bool markdown_replace(const char *path, const char *name, const char *opening, const char *heading,
                      const char *text, Error *error);

#endif
