/* Files that are to be written when something long has run: whether they can be is found out before. */
#ifndef BASE_OUTPUTS_H
#define BASE_OUTPUTS_H

#include <stddef.h>

#include "base/error.h"

/* A file to write, or one that is read and must stay as it is. */
typedef struct OutputPath {
    const char *what; /* the option that names it: "--stats"; of an input, what it is: "the configuration" */
    const char *path; /* null: not wanted */
    bool is_input;
} OutputPath;

/* False: one cannot be written, two are the same file, or one is an input; the error names it. Nothing is
 * left behind, and what there was is as it was. */
bool outputs_check(const OutputPath *paths, size_t count, Error *error);

#endif
