/* Variables of the environment as values. One that is empty counts as not set; one that means nothing is told
 * on stderr, by its name, and false is returned. */
#ifndef RT_VARIABLE_H
#define RT_VARIABLE_H

#include <stdbool.h>

const char *variable_text(const char *name, const char *otherwise);
/* As knobs that are true or false; false where it is not set. */
bool variable_switch(const char *name, bool *value);
/* A whole number from 0 to `most`. */
bool variable_number(const char *name, long otherwise, long most, long *value);
/* What reports hold besides (WB_REPORT_...): "details", "blocks", or both with a comma between them. */
bool variable_parts(const char *name, unsigned *parts);

#endif
