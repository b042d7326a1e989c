/* One place decides that the simulator's own tables have got their memory: callers need no check, and the
 * process ends with a sentence instead of a null pointer somewhere later. */
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A null block of no bytes is what malloc() may give; it is not an error. */
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

char *xcopy_part(const char *text, size_t length)
{
    char *copy = memcpy(xmalloc(length + 1), text, length);
    copy[length] = '\0';
    return copy;
}

char *xcopy_text(const char *text) { return text ? xcopy_part(text, strlen(text)) : NULL; }
