/* An arena is a list of chunks that are filled from their beginning. Only the newest chunk takes allocations;
 * what is left at the end of an older one stays unused. Nothing is freed before all is, so a pointer into an
 * arena is good for as long as the arena lives. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = 16 };

/* Invariant: used <= size, a multiple of ALIGNMENT; the bytes behind `used` are zero. */
struct ArenaChunk {
    ArenaChunk *next;
    size_t used, size;
    _Alignas(ALIGNMENT) unsigned char data[];
};

void *arena_alloc(Arena *arena, size_t size)
{
    size = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    ArenaChunk *chunk = arena->chunks;
    if (!chunk || chunk->size - chunk->used < size) {
        /* A larger allocation gets a chunk of its own size, so no size is too large. */
        size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        chunk = xcalloc(1, sizeof *chunk + bytes);
        chunk->size = bytes;
        chunk->next = arena->chunks;
        arena->chunks = chunk;
    }
    void *result = chunk->data + chunk->used;
    chunk->used += size;
    return result;
}

char *arena_strndup(Arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    /* The byte behind is zero already. */
    memcpy(copy, text, length);
    return copy;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    /* The first pass only measures, and uses up its list. */
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = arena_alloc(arena, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void *arena_copy(Arena *arena, const void *data, size_t size)
{
    void *copy = arena_alloc(arena, size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

void arena_take(Arena *arena, Arena *from)
{
    /* They go behind our own: the first chunk is the one that takes allocations. */
    ArenaChunk **end = &arena->chunks;
    while (*end)
        end = &(*end)->next;
    *end = from->chunks;
    from->chunks = NULL;
}

void arena_free(Arena *arena)
{
    for (ArenaChunk *chunk = arena->chunks; chunk;) {
        ArenaChunk *next = chunk->next;
        xfree(chunk);
        chunk = next;
    }
    arena->chunks = NULL;
}
