/* tex, tld4, txq and suq: finding the objects of the lanes, and the way of a fetch. */
#include "exec/texture/texture.h"

#include <inttypes.h>
#include <stdio.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/texture/row.h"

enum {
    FETCH_BYTES =
        sizeof(TextureFetch) + MAX_WIDTH * (sizeof(TextureLane) + TEXTURE_TEXELS * sizeof(TextureTexel))
};

static bool is_for_surfaces(const Insn *insn)
{
    return insn->action == ACTION_SURFACE_LOAD || insn->action == ACTION_SURFACE_STORE ||
           insn->row == ROW_suq;
}

/* Says why the instruction cannot use the object, which is called a "texture object 0x7e00000000000001" or
 * a "surface reference 'image'". */
static const TextureObject *refuse(Step *step, unsigned lane, const TextureObject *object, uint64_t handle)
{
    const TextureForm *form = step->insn->detail;
    const char *kind = object->is_surface ? "surface" : "texture";
    char name[200];
    if (object->reference)
        snprintf(name, sizeof name, "%s reference '%.160s'", kind, object->reference);
    else
        snprintf(name, sizeof name, "%s object 0x%" PRIx64, kind, handle);
    if (object->is_surface != is_for_surfaces(step->insn))
        step_error(step, WB_ERROR_ADDRESS, lane, "this instruction does not take the %s, but a %s", name,
                   object->is_surface ? "texture" : "surface");
    else if (object->is_unbound)
        step_error(step, WB_ERROR_ADDRESS, lane,
                   "the %s shows nothing; bind an array or memory to it before the launch", name);
    else
        step_error(step, WB_ERROR_ADDRESS, lane, "the %s is %s, but the instruction reads %s", name,
                   texture_shape_name(object->texture.shape),
                   texture_shape_name((WbTextureShape)form->shape));
    return NULL;
}

const TextureObject *texture_of_lane(Step *step, unsigned memory, unsigned lane)
{
    const Machine *machine = step->warp->block->launch->machine;
    const TextureForm *form = step->insn->detail;
    const bool is_surface = is_for_surfaces(step->insn);
    const uint64_t handle = step_value(step, step_operand(step, memory), lane);
    const TextureObject *object = texture_find(machine->textures, handle);
    if (!object) {
        step_error(step, WB_ERROR_ADDRESS, lane, "0x%" PRIx64 " is no %s object, or one that was destroyed",
                   handle, is_surface ? "surface" : "texture");
        return NULL;
    }
    if (object->is_surface != is_surface || object->is_unbound ||
        (!form->query && !texture_fits(form, object)))
        return refuse(step, lane, object, handle);
    return object;
}

/* Where the object's memory is; null with the sentence if it is no more. */
static const uint8_t *find_host(Step *step, unsigned lane, const TextureObject *object)
{
    const AddressSpace *space = step->warp->block->launch->space;
    const Allocation *found = space_find(space, object->texture.address, object->bytes);
    if (found)
        return found->host + (object->texture.address - found->base);
    step_error(step, WB_ERROR_ADDRESS, lane,
               "the memory of the texture object, %" PRIu64 " bytes at 0x%" PRIx64 ", is no longer allocated",
               object->bytes, object->texture.address);
    return NULL;
}

/* Fills the fetch's lanes; false with the sentence. fetch->common: see there. */
static bool find_objects(Step *step, TextureFetch *fetch)
{
    const TextureLane *last = NULL;
    TextureLane *lanes = fetch_lanes(fetch);
    const uint64_t *handles = step_read64(step, step_operand(step, 1), 0);
    uint64_t handle = 0;
    memset(lanes, 0, fetch->width * sizeof *lanes);
    fetch->texels = 0;
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        TextureLane *to = &lanes[lane];
        if (last && handles[lane] == handle) { /* as of most lanes */
            to->object = last->object;
            to->host = last->host;
            continue;
        }
        handle = handles[lane];
        to->object = texture_of_lane(step, 1, lane);
        to->host = to->object ? find_host(step, lane, to->object) : NULL;
        if (!to->host)
            return false;
        const uint32_t texels = texture_footprint(fetch->form, to->object);
        fetch->texels = texels > fetch->texels ? texels : fetch->texels;
        fetch->common = last ? NULL : to->object;
        last = to;
    }
    return true;
}

/* The coordinates of all lanes; `layer` is null where there is none. */
typedef struct Coordinates {
    const uint32_t *layer, *axes[3];
} Coordinates;

static Coordinates read_coordinates(Step *step, const TextureForm *form)
{
    const Operand *operand = step_operand(step, 1) + 1;
    Coordinates coordinates = {0};
    if (form->is_layered)
        coordinates.layer = step_read32(step, operand++, 0);
    for (unsigned axis = 0; axis < form->axes; axis++)
        coordinates.axes[axis] = step_read32(step, operand++, axis + 1);
    return coordinates;
}

static TexturePlace read_place(const Coordinates *coordinates, unsigned axes, unsigned lane)
{
    TexturePlace place = {.layer = coordinates->layer ? (int32_t)coordinates->layer[lane] : 0};
    for (unsigned axis = 0; axis < axes; axis++) {
        const uint32_t bits = coordinates->axes[axis][lane];
        place.index[axis] = (int32_t)bits;
        memcpy(&place.at[axis], &bits, sizeof bits);
    }
    return place;
}

static void find_texels(Step *step, TextureFetch *fetch)
{
    TextureLane *lanes = fetch_lanes(fetch);
    TextureTexel *texels = fetch_texels(fetch, 0);
    const Coordinates coordinates = read_coordinates(step, fetch->form);
    if (fetch->common && texture_place_row(fetch, fetch->common, coordinates.axes, step->mask))
        return;
    /* Address 0 means none: lanes that do not execute, and places beyond a border. */
    for (uint32_t i = 0; i < fetch->texels * fetch->width; i++)
        texels[i].address = 0;
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const TexturePlace place = read_place(&coordinates, fetch->form->axes, lane);
        texture_place(fetch->form, lanes[lane].object, &place, lanes[lane].fraction, texels + lane,
                      fetch->width);
    }
}

/* The bytes of all texels from memory, where no timing model brings them. */
static void bring_texels(TextureFetch *fetch)
{
    const TextureLane *lanes = fetch_lanes(fetch);
    for (uint32_t row = 0; row < fetch->texels; row++) {
        TextureTexel *texels = fetch_texels(fetch, row);
        for (uint32_t lane = 0; lane < fetch->width; lane++)
            if (texels[lane].address)
                memcpy(texels[lane].data,
                       lanes[lane].host + (texels[lane].address - lanes[lane].object->texture.address),
                       lanes[lane].object->element_bytes);
    }
}

/* The executing lanes of the registers that a row is for. */
static void write_row(Step *step, const Operand *operand, Mask mask, const uint32_t *value)
{
    uint32_t *to =
        operand->kind == OPERAND_REGISTER && operand->bytes == 4 ? step_dest32(step, operand) : NULL;
    for (uint32_t lane = 0; to && lane < step->warp->width; lane++)
        to[lane] = mask >> lane & 1 ? value[lane] : to[lane];
    for (Mask rest = to ? 0 : mask; rest; rest &= rest - 1)
        step_write(step, operand, mask_first(rest), value[mask_first(rest)]);
}

static void texture_perform(Step *step, Access *access)
{
    TextureFetch *fetch = access->fetch;
    const TextureLane *lanes = fetch_lanes(fetch);
    TextureRows rows;
    if (!fetch->common || !texture_value_row(fetch, fetch->common, &rows))
        for (Mask rest = access->mask; rest; rest &= rest - 1) {
            const unsigned lane = mask_first(rest);
            uint32_t value[TEXTURE_CHANNELS];
            texture_value(fetch->form, &lanes[lane], fetch_texels(fetch, 0) + lane, fetch->width, value);
            for (unsigned channel = 0; channel < TEXTURE_CHANNELS; channel++)
                rows.of[channel][lane] = value[channel];
        }
    for (unsigned channel = 0; channel < TEXTURE_CHANNELS; channel++)
        write_row(step, step_operand(step, 0) + channel, access->mask, rows.of[channel]);
}

StepResult exec_texture(Step *step)
{
    _Alignas(16) uint8_t buffer[FETCH_BYTES];
    TextureFetch *fetch = (TextureFetch *)buffer;
    Access access;
    if (!step->mask)
        return STEP_NEXT;
    fetch->form = step->insn->detail;
    fetch->width = step->warp->width;
    fetch->common = NULL;
    if (!find_objects(step, fetch))
        return STEP_ERROR;
    find_texels(step, fetch);
    access.kind = ACCESS_TEXTURE;
    access.space = SPACE_GLOBAL;
    access.mask = step->mask;
    access.fetch = fetch;
    step->warp->block->launch->machine->statistics.texture_accesses++;
    /* A timing model brings the bytes itself, when they have come from L1 or L2. */
    if (!access_is_timed(step))
        bring_texels(fetch);
    return access_carry_out(step, &access, texture_perform);
}

/* Layers count as the axis behind those of a layer; cubes as one to textures and as six to surfaces. */
static size_t answer_height(const TextureObject *object)
{
    switch (object->texture.shape) {
    case WB_TEXTURE_BUFFER:
    case WB_TEXTURE_1D:
        return !object->is_surface;
    case WB_TEXTURE_1D_LAYERED:
        return object->texture.depth;
    default:
        return object->texture.height;
    }
}

static size_t answer_depth(const TextureObject *object)
{
    switch (object->texture.shape) {
    case WB_TEXTURE_3D:
    case WB_TEXTURE_2D_LAYERED:
        return object->texture.depth;
    case WB_TEXTURE_CUBE:
        return object->is_surface ? object->texture.depth : 0;
    case WB_TEXTURE_CUBE_LAYERED:
        return object->is_surface ? object->texture.depth : object->texture.depth / 6;
    default:
        return 0;
    }
}

static size_t answer(const TextureForm *form, const TextureObject *object)
{
    return form->query == MOD_width    ? object->texture.width
           : form->query == MOD_height ? answer_height(object)
                                       : answer_depth(object);
}

StepResult exec_texture_query(Step *step)
{
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const TextureObject *object = texture_of_lane(step, 1, lane);
        if (!object)
            return STEP_ERROR;
        step_write(step, step_operand(step, 0), lane, answer(step->insn->detail, object));
    }
    return STEP_NEXT;
}
