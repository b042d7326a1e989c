/* Host memory. Running out of it for the simulator's own small tables is not recoverable in any useful
 * way, so these abort with a sentence; memory that a user asks for by size (device allocations) does
 * not go through here and fails with a code. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/* Not zeroed; size is a multiple of the alignment. */
void *xaligned(size_t alignment, size_t size);
void *xrealloc(void *block, size_t size);
void xfree(void *block);
/* A copy of the text, to be given to xfree(); of none, null. */
char *xcopy_text(const char *text);
/* The same of so many letters at its beginning. */
char *xcopy_part(const char *text, size_t length);

#endif
