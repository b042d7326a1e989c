/* Texture and surface objects, and how a warp reads a texture.
 *
 * A fetch has three steps. texture_place() turns a lane's coordinates into the texels that it needs, by
 * address, and the weights between them; their bytes are then brought, by the memory or by a timing model
 * when it has them; texture_value() turns the bytes into what the registers get. So a TextureFetch carries
 * everything but the registers, as an Access does, of which it is a part. */
#ifndef EXEC_TEXTURE_TEXTURE_H
#define EXEC_TEXTURE_TEXTURE_H

#include <string.h>

#include "base/vec.h"
#include "exec/step.h"
#include "warpbeam.h"

/* What a handle stands for. bytes: from the first texel to behind the last one. A .texref or .surfref
 * variable is an object, too, that its module owns and that shows now this and now that. */
typedef struct TextureObject {
    WbTexture texture;
    bool is_surface;
    bool is_unbound;        /* a reference that shows nothing; there is no texture */
    const char *reference;  /* the variable's name; null: no reference */
    bool is_destroyed;      /* but operations that were in streams then may still use it */
    uint32_t element_bytes;
    uint64_t bytes;
} TextureObject;

/* Handles are TEXTURE_HANDLE_BASE and a number, which is that of the object in the table and never given
 * again; null: no more. They lie above all addresses. */
#define TEXTURE_HANDLE_BASE 0x7E00000000000000ull
typedef struct TextureTable { VEC(TextureObject *) objects; } TextureTable;

/* The object of a handle, or null. */
static inline const TextureObject *texture_find(const TextureTable *table, uint64_t handle)
{
    const uint64_t number = handle - TEXTURE_HANDLE_BASE;
    return table && number < table->objects.count ? table->objects.items[number] : NULL;
}

typedef enum Boundary { BOUNDARY_TRAP, BOUNDARY_CLAMP, BOUNDARY_ZERO } Boundary;

/* What the suffixes of an instruction say; Insn.detail. */
typedef struct TextureForm {
    uint8_t shape;          /* WbTextureShape; buffers are read as 1D ones */
    uint8_t axes;           /* coordinates besides the layer */
    bool is_layered;
    bool has_integers;      /* coordinates are integers */
    bool gathers;           /* one channel of the four texels around the place */
    uint8_t channel;        /* of those */
    uint8_t boundary;       /* of surfaces */
    uint16_t query;         /* Mod that names what is asked for */
} TextureForm;

/* Null where the operands are not what the suffixes ask for; *problem says why. */
const TextureForm *texture_decode(const Function *function, const PtxInsn *ptx, Arena *arena,
                                  const char **problem);
/* The object that operand number `memory` names for the lane; null after step_error(). */
const TextureObject *texture_of_lane(Step *step, unsigned memory, unsigned lane);
const char *texture_shape_name(WbTextureShape shape);
/* Whether instructions of that form can use the object. */
bool texture_fits(const TextureForm *form, const TextureObject *object);

enum { TEXTURE_TEXELS = 8, TEXTURE_CHANNELS = 4, TEXTURE_ELEMENT = 16, FRACTION_ONE = 256 };

/* Invariant: address is 0 for a texel that is none (a border or outside of a buffer), else that of
 * element_bytes bytes inside the object's memory. */
typedef struct TextureTexel {
    uint64_t address;
    uint8_t data[TEXTURE_ELEMENT];
} TextureTexel;

/* Coordinates of a lane as the instruction gives them. */
typedef struct TexturePlace {
    float at[3];
    int32_t index[3];       /* in place of `at` where the form has integers */
    int32_t layer;
} TexturePlace;

typedef struct TextureLane {
    const TextureObject *object; /* null: the lane does not execute */
    const uint8_t *host;         /* where its first texel's bytes are in host memory */
    uint16_t fraction[3];        /* along x, y, z: weight of the texel with the higher index, in 256ths */
} TextureLane;

/* One instruction of a warp: `width` lanes, then `texels` rows of `width` texels: the corners of the
 * footprint, bit 0 of the row's number the one with the higher x, bit 1 y, bit 2 z. It holds no pointers into
 * itself. */
typedef struct TextureFetch {
    const TextureForm *form;
    const TextureObject *common; /* of all executing lanes; null: they have several */
    uint32_t width, texels;
} TextureFetch;

static inline TextureLane *fetch_lanes(TextureFetch *fetch) { return (TextureLane *)(fetch + 1); }
static inline TextureTexel *fetch_texels(TextureFetch *fetch, uint32_t row)
{
    return (TextureTexel *)(fetch_lanes(fetch) + fetch->width) + (size_t)row * fetch->width;
}
static inline size_t fetch_bytes(const TextureFetch *fetch)
{
    return sizeof *fetch + fetch->width * sizeof(TextureLane) +
           (size_t)fetch->texels * fetch->width * sizeof(TextureTexel);
}

/* Normalized coordinates are cut to so many parts of the texture. */
#define TEXTURE_UNITS 0x1p21

size_t texture_axis_size(const WbTexture *texture, unsigned axis);
bool texture_is_cube(const WbTexture *texture);
/* Addressing that repeats the texture is defined for normalized coordinates only. */
WbAddressing texture_addressing(const WbTexture *texture, unsigned axis);
/* A line that is filtered is the only row of a plane, half of it beyond the border if that has one. */
unsigned texture_filtered_axes(const TextureForm *form, const WbTexture *texture);
/* Rows of texels that a lane of this object needs. */
uint32_t texture_footprint(const TextureForm *form, const TextureObject *object);
/* Sets the lane's fractions and the addresses of its texels; `texels` are those of the lane in the first row,
 * further rows `stride` entries on. */
void texture_place(const TextureForm *form, const TextureObject *object, const TexturePlace *place,
                   uint16_t *fraction, TextureTexel *texels, uint32_t stride);
/* The intensity that a byte of sRGB stands for, and the last bit that it has. */
float texture_srgb(uint32_t byte);
double texture_srgb_unit(uint32_t byte);
/* What the registers get, from texels whose bytes are there. */
void texture_value(const TextureForm *form, const TextureLane *lane, const TextureTexel *texels,
                   uint32_t stride, uint32_t value[TEXTURE_CHANNELS]);

#endif
