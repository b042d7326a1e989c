/* The module that mutants stand in: registers of all types, variables of all spaces, functions, labels. */
#ifndef TESTS_MUTANTS_FRAME_H
#define TESTS_MUTANTS_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* The text of a module that holds these lines, one line of text each; free it with free(). first_line is the
 * number of the first one's line. */
char *frame_text(const char *const *lines, uint32_t count, uint32_t *first_line);

#endif
