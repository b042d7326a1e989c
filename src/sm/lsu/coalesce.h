/* Coalescing: the lanes' addresses of one access to lines of 128 bytes and sectors of 32. */
#ifndef SM_LSU_COALESCE_H
#define SM_LSU_COALESCE_H

#include "exec/access.h"
#include "exec/texture/texture.h"

/* What an access touches of one line. Invariant: lanes and sectors are not 0. */
typedef struct AccessLine {
    uint64_t line;  /* address */
    uint8_t *place; /* its bytes in host memory; null: none */
    Mask lanes;     /* that have their bytes in it */
    uint8_t sectors;
} AccessLine;

/* Local memory is interleaved: word w of all lanes of a warp lies together. `base` is that of the warp. An
 * access of several words touches LOCAL_WORDS times as many lines at most. */
enum { LOCAL_WORDS = 8, MAX_LINES = MAX_WIDTH * LOCAL_WORDS };

/* Lines in the order of the lowest lanes; returns their number, at most MAX_WIDTH. A lane's bytes lie in one
 * line. */
uint32_t coalesce_global(const Access *access, unsigned width, AccessLine *lines);
/* The same for local memory, word by word; at most MAX_LINES. */
uint32_t coalesce_local(const Access *access, unsigned width, uint64_t base, AccessLine *lines);
/* The lines of all texels of a read; at most MAX_LINES, and none if no lane has a texel. */
uint32_t coalesce_texture(const TextureFetch *fetch, AccessLine *lines);

#endif
