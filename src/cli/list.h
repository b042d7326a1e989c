/* What the parts of `warpbeam list` share. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "cli/command.h"

/* What was asked for. */
typedef struct Listing {
    bool only_names;
    const char *of; /* what the entries belong to; null: not given */
    char **words; /* that an entry must have, all of them */
    int word_count;
    size_t count;     /* entries that were printed */
} Listing;

/* Prints an entry, or only its name, unless it lacks a word. */
void list_entry(Listing *listing, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
