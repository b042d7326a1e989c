#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

static void *checked(void *block, size_t size)
{
    if (!block && size) {
        fprintf(stderr, "warpbeam: the host has no memory left for %zu bytes of simulator tables\n", size);
        abort();
    }
    return block;
}

void *xmalloc(size_t size) { return checked(malloc(size), size); }
void *xcalloc(size_t count, size_t size) { return checked(calloc(count, size), count * size); }
void *xaligned(size_t alignment, size_t size) { return checked(aligned_alloc(alignment, size), size); }
void *xrealloc(void *block, size_t size) { return checked(realloc(block, size), size); }
void xfree(void *block) { free(block); }
