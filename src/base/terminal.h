/* How wide lines may be where they are shown, and texts that keep to it. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

/* COLUMNS of the environment, else the terminal's, else 100; never less than 60, where tables are at their
 * narrowest, nor more than 400. */
unsigned terminal_columns(FILE *to);
/* Of the terminal as it is now, for what is drawn in place; 0: it is none, or does not tell. */
unsigned terminal_width(FILE *to);
/* Whether a terminal shows it. */
bool terminal_is(FILE *to);
/* Whether a line can be drawn again there: a terminal that does not call itself dumb. */
bool terminal_can_redraw(FILE *to);

/* The text and a line feed; no line is wider than `columns`, unless a word is. The first one begins at column
 * `at`, where the cursor is; those that the text or its wrapping begins have `indent` spaces before them.
 * Spaces within a line stay as they are. */
void terminal_wrap(const char *text, unsigned at, unsigned indent, unsigned columns, FILE *to);

#endif
