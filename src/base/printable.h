/* Names that users give, of files, kernels, programs, may hold anything, also what a terminal obeys. In what
 * people read, control characters are written out: \x1b. */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at `text`, which is not the end; 0: that is none. */
unsigned printable_character(const char *text);
/* Whether the text has a control character, or, unless lines are kept, a line's end or a tab. */
bool printable_is(const char *text, bool keeps_lines);
/* The text with such characters written out, as much as fits; returns `buffer`. */
const char *printable_text(const char *text, bool keeps_lines, char *buffer, size_t size);
/* The same of a name, which is one line. */
enum { PRINTABLE_NAME_SIZE = 1024 };
const char *printable_name(const char *name, char buffer[PRINTABLE_NAME_SIZE]);

#endif
