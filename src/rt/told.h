/* What has been said on stderr: a sentence that a program causes again and again is said once. */
#ifndef RT_TOLD_H
#define RT_TOLD_H

#include <stdbool.h>
#include <stdint.h>

/* Notes what the call says; false: it has said the same before. */
bool told_first(const char *call, const char *sentence);
/* How many sentences were held back. */
uint64_t told_again(void);

#endif
