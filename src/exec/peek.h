/* Device memory as one thread sees it through a generic address, for intrinsics that read strings and
 * argument buffers, or answer through a pointer. */
#ifndef EXEC_PEEK_H
#define EXEC_PEEK_H

#include "exec/warp.h"

/* Copies `size` bytes to `to`; false where the thread may not read them all. */
bool peek(const Warp *warp, unsigned lane, uint64_t address, void *to, size_t size);
/* The other way; false where the thread may not write them all. */
bool poke(const Warp *warp, unsigned lane, uint64_t address, const void *from, size_t size);
/* Whether it would. */
bool poke_may(const Warp *warp, unsigned lane, uint64_t address, size_t size);
/* Writes at most size - 1 bytes of a terminated string; false where it is not readable. */
bool peek_string(const Warp *warp, unsigned lane, uint64_t address, char *to, size_t size);

#endif
