/* Counters in few bytes: most are zero or small, and there are many of them. */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* To be given to xfree(). */
uint8_t *packed_make(const uint64_t *values, size_t count);
/* Reads `count` values; returns where the next ones are. */
const uint8_t *packed_read(const uint8_t *packed, uint64_t *values, size_t count);

#endif
