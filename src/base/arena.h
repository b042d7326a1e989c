/* Memory that is freed all at once: a module, a program, a configuration. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;

/* A zeroed Arena is ready for use. Allocations are zeroed, aligned to 16 bytes, and never move. */
typedef struct Arena {
    ArenaChunk *chunks; /* newest first */
} Arena;

void *arena_alloc(Arena *arena, size_t size);
char *arena_strndup(Arena *arena, const char *text, size_t length);
char *arena_printf(Arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));
void *arena_copy(Arena *arena, const void *data, size_t size);
/* The same of a vector's items (base/vec.h). */
#define ARENA_KEEP(arena, vec) arena_copy((arena), (vec)->items, (vec)->count * sizeof *(vec)->items)
/* All that `from` holds now belongs to `arena`; `from` is empty. */
void arena_take(Arena *arena, Arena *from);
void arena_free(Arena *arena);

#define ARENA_NEW(arena, Type) ((Type *)arena_alloc((arena), sizeof(Type)))
#define ARENA_ARRAY(arena, Type, count) ((Type *)arena_alloc((arena), sizeof(Type) * (size_t)(count)))

#endif
