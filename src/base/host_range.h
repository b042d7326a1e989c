/* Whether the process can touch memory that a user names by pointer and size: asked of the host's kernel,
 * since to try would end the process. */
#ifndef BASE_HOST_RANGE_H
#define BASE_HOST_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether something is mapped at every byte, whatever may be done with it; takes the same time for any
 * size. */
bool host_range_is_mapped(uint64_t address, uint64_t size);
/* How many bytes from the address on can be read, or read and written: `size` at most. Nothing is touched. */
uint64_t host_range_reach(uint64_t address, uint64_t size, bool writes);
/* Whether all bytes can be read, or read and written. Their pages come into memory by this, so it is for
 * callers that are about to touch them all. */
bool host_range_prepare(uint64_t address, uint64_t size, bool writes);

#endif
