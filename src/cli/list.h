/* What the parts of `warpbeam list` share. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "cli/command.h"

/* Prints an entry, or only its name, unless it lacks the word that was asked for. */
void list_entry(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
