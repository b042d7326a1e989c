/* A fetch of a whole warp at once: row.c. */
#ifndef EXEC_TEXTURE_ROW_H
#define EXEC_TEXTURE_ROW_H

#include "exec/texture/texture.h"

/* What the registers get, by channel and lane. */
typedef struct TextureRows {
    uint32_t of[TEXTURE_CHANNELS][MAX_WIDTH];
} TextureRows;

/* As texture_place() for all lanes of the mask, which read the same object; the others get no texel. `axes`
 * are the bits of their coordinates. False: nothing can be said of it here, and nothing is. */
bool texture_place_row(TextureFetch *fetch, const TextureObject *object, const uint32_t *const axes[3],
                       Mask mask);
/* As texture_value() for all lanes that have the object; false: not here. */
bool texture_value_row(TextureFetch *fetch, const TextureObject *object, TextureRows *value);

#endif
