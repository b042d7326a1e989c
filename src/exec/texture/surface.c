/* suld and sust: loads and stores at places of a surface. Once the addresses are known they are ordinary
 * accesses to global memory, and as such take effect in the order of all others.
 *
 * The first coordinate counts bytes. Outside of the surface .trap ends the kernel, .clamp takes the nearest
 * place, .zero reads 0 and writes nothing. */
#include <inttypes.h>
#include <stdio.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/texture/texture.h"

/* Moves an index into 0 .. size - 1 if it may, a layer always to the last; false: it lies outside and cannot
 * stay. */
static bool settle(int64_t *index, int64_t size, Boundary boundary, bool is_layer)
{
    if (*index >= 0 && *index < size)
        return true;
    if (boundary != BOUNDARY_CLAMP)
        return false;
    *index = *index < 0 && !is_layer ? 0 : size - 1;
    return true;
}

/* The address of a lane's bytes; false: they lie outside. */
static bool find_address(Step *step, const TextureObject *object, unsigned memory, unsigned lane,
                         uint64_t *address)
{
    const TextureForm *form = step->insn->detail;
    const WbTexture *surface = &object->texture;
    const Operand *operand = step_operand(step, memory) + 1;
    const int64_t bytes = (int64_t)step->insn->element_bytes * step->insn->vector;
    const Boundary boundary = (Boundary)form->boundary;
    int64_t x, y = 0, z = 0;
    if (form->is_layered)
        z = (int32_t)step_value(step, operand++, lane);
    x = (int32_t)step_value(step, operand++, lane);
    if (form->axes > 1)
        y = (int32_t)step_value(step, operand++, lane);
    if (form->axes > 2)
        z = (int32_t)step_value(step, operand, lane);
    /* In 64 bits: a coordinate and a size near 2^31 must not meet in an overflow. */
    const int64_t row = (int64_t)(surface->width * object->element_bytes);
    if (x < 0 || x > row - bytes) {
        if (boundary != BOUNDARY_CLAMP)
            return false;
        x = x < 0 ? 0 : row - bytes;
    }
    if (!settle(&y, form->axes > 1 ? (int64_t)surface->height : 1, boundary, false) ||
        !settle(&z, form->is_layered || form->axes > 2 ? (int64_t)surface->depth : 1, boundary,
                form->is_layered))
        return false;
    *address = surface->address + (uint64_t)z * surface->slice_pitch + (uint64_t)y * surface->row_pitch +
               (uint64_t)x;
    return true;
}

static StepResult refuse(Step *step, const TextureObject *object, unsigned memory, unsigned lane)
{
    const TextureForm *form = step->insn->detail;
    const Operand *operand = step_operand(step, memory) + 1;
    const unsigned count = (unsigned)form->axes + form->is_layered;
    char places[64];
    int length = 0;
    for (unsigned i = 0; i < count; i++)
        length += snprintf(places + length, sizeof places - (size_t)length, "%s%d", i ? ", " : "",
                           (int)(int32_t)step_value(step, &operand[i], lane));
    return step_error(
        step, WB_ERROR_ADDRESS, lane,
        "%u bytes at {%s} are outside of the surface, which has %zu x %zu x %zu elements of %u bytes (%sx "
        "counts bytes)",
        (unsigned)step->insn->element_bytes * step->insn->vector, places, object->texture.width,
        object->texture.height, object->texture.depth, object->element_bytes,
        form->is_layered ? "the layer comes first, " : "");
}

static void clear_lane(Step *step, unsigned lane)
{
    for (unsigned i = 0; i < step->insn->vector; i++)
        step_write(step, step_operand(step, 0) + i, lane, 0);
}

static StepResult run(Step *step, AccessKind kind, unsigned memory, unsigned values)
{
    static const Operand no_base = {.kind = OPERAND_NONE};
    const TextureForm *form = step->insn->detail;
    uint64_t addresses[MAX_WIDTH] = {0};
    Mask inside = 0;
    for (Mask rest = step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        const TextureObject *object = texture_of_lane(step, memory, lane);
        if (!object)
            return STEP_ERROR;
        if (find_address(step, object, memory, lane, &addresses[lane]))
            inside |= rest & -rest;
        else if (form->boundary == BOUNDARY_TRAP)
            return refuse(step, object, memory, lane);
        else if (kind == ACCESS_LOAD)
            clear_lane(step, lane);
    }
    if (!inside)
        return STEP_NEXT;
    AccessLanes lanes;
    Access access;
    access_init(&access, &lanes, step, kind, memory, values);
    /* An ordinary access from here on, of the lanes that are inside. */
    access.space = SPACE_GLOBAL;
    access.mask = inside;
    access.base = &no_base;
    access.displacement = 0;
    access.offsets = addresses;
    if (access_prepare(step, &access) == STEP_ERROR)
        return STEP_ERROR;
    return access_carry_out(step, &access, access_perform);
}

StepResult exec_surface_load(Step *step) { return run(step, ACCESS_LOAD, 1, 0); }

StepResult exec_surface_store(Step *step) { return run(step, ACCESS_STORE, 0, 1); }
