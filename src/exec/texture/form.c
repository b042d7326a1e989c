/* What the suffixes of texture and surface instructions say, worked out once while linking. */
#include "exec/texture/texture.h"

/* What a suffix names, how many coordinates it takes besides the layer, and how many the text has to give at
 * least. */
typedef struct Geometry {
    Mod mod;
    WbTextureShape shape;
    uint8_t axes;
    bool is_layered;
} Geometry;

static const Geometry geometries[] = {
    {MOD_image_1d, WB_TEXTURE_1D, 1, false},       {MOD_image_2d, WB_TEXTURE_2D, 2, false},
    {MOD_image_3d, WB_TEXTURE_3D, 3, false},       {MOD_a1d, WB_TEXTURE_1D_LAYERED, 1, true},
    {MOD_a2d, WB_TEXTURE_2D_LAYERED, 2, true},     {MOD_cube, WB_TEXTURE_CUBE, 3, false},
    {MOD_acube, WB_TEXTURE_CUBE_LAYERED, 3, true},
};

static const PtxOperand *object_operand(const Function *function, const PtxInsn *ptx)
{
    for (unsigned k = 0; k < ptx->operand_count; k++) {
        const PtxOperand *operand = &function->operands[ptx->first_operand + k];
        if (operand->kind == PTX_ADDRESS)
            return operand;
    }
    return NULL;
}

static void decode_suffix(TextureForm *form, Mod mod)
{
    for (size_t i = 0; i < sizeof geometries / sizeof *geometries; i++)
        if (geometries[i].mod == mod) {
            form->shape = (uint8_t)geometries[i].shape;
            form->axes = geometries[i].axes;
            form->is_layered = geometries[i].is_layered;
        }
    /* The last type is that of the coordinates, so it wins. */
    form->has_integers = mod_is_type(mod) ? mod != TYPE_f32 : form->has_integers;
    switch ((int)mod) {
    case MOD_g:
        form->channel = 1;
        break;
    case MOD_b:
        form->channel = 2;
        break;
    case MOD_a:
        form->channel = 3;
        break;
    case MOD_clamp:
        form->boundary = BOUNDARY_CLAMP;
        break;
    case MOD_zero:
        form->boundary = BOUNDARY_ZERO;
        break;
    case MOD_width:
    case MOD_height:
    case MOD_depth:
        form->query = (uint16_t)mod;
        break;
    default:
        break;
    }
}

/* Registers that are read into or written from. */
static unsigned data_count(const Function *function, const PtxInsn *ptx)
{
    const PtxOperand *first = &function->operands[ptx->first_operand];
    const PtxOperand *data = first->kind == PTX_ADDRESS ? first + 1 : first;
    return data->kind == PTX_VECTOR ? data->count : 1;
}

static unsigned wanted_count(const Function *function, const PtxInsn *ptx)
{
    return function_has_mod(function, ptx, MOD_v4) ? 4 : function_has_mod(function, ptx, MOD_v2) ? 2 : 1;
}

static const char *check_operand(const Function *function, const PtxInsn *ptx, const TextureForm *form)
{
    const PtxOperand *operand = object_operand(function, ptx);
    if (data_count(function, ptx) != wanted_count(function, ptx))
        return "has not as many registers for its data as its suffixes say";
    const uint8_t base = (uint8_t)function->operands[operand->first].kind;
    if (base != PTX_REGISTER && base != PTX_VARIABLE)
        return "takes a texture or surface from where none is: it is a reference's name, or a handle in a "
               "register";
    if (isa_rows[ptx->row].action == ACTION_TEXTURE_QUERY)
        return operand->count == 1 ? NULL : "has coordinates, but a query takes the object alone";
    if (operand->count > 2)
        return "names a sampler of its own, which is not executed; texture objects and references hold their "
               "sampler";
    const PtxOperand *places = operand->count == 2 ? &function->operands[operand->first + 1] : NULL;
    const unsigned needed = (unsigned)form->axes + form->is_layered;
    if (!places || (places->kind == PTX_VECTOR ? places->count : 1) < needed)
        return "has fewer coordinates than its shape";
    return NULL;
}

const TextureForm *texture_decode(const Function *function, const PtxInsn *ptx, Arena *arena,
                                  const char **problem)
{
    TextureForm *form = ARENA_NEW(arena, TextureForm);
    for (unsigned i = 0; i < ptx->mod_count; i++)
        decode_suffix(form, function->mods[ptx->first_mod + i]);
    form->gathers = ptx->row == ROW_tld4;
    *problem = check_operand(function, ptx, form);
    return *problem ? NULL : form;
}

const char *texture_shape_name(WbTextureShape shape)
{
    static const char *const names[] = {
        [WB_TEXTURE_BUFFER] = "a buffer",
        [WB_TEXTURE_1D] = "1D",
        [WB_TEXTURE_2D] = "2D",
        [WB_TEXTURE_3D] = "3D",
        [WB_TEXTURE_1D_LAYERED] = "layered 1D",
        [WB_TEXTURE_2D_LAYERED] = "layered 2D",
        [WB_TEXTURE_CUBE] = "a cube",
        [WB_TEXTURE_CUBE_LAYERED] = "layered cubes",
    };
    return names[shape];
}

/* A cube is six layers to a surface, and a buffer is a line to integer coordinates. */
bool texture_fits(const TextureForm *form, const TextureObject *object)
{
    const WbTextureShape shape = object->texture.shape;
    if (shape == form->shape)
        return true;
    if (shape == WB_TEXTURE_BUFFER)
        return form->shape == WB_TEXTURE_1D && form->has_integers;
    return object->is_surface && form->shape == WB_TEXTURE_2D_LAYERED &&
           (shape == WB_TEXTURE_CUBE || shape == WB_TEXTURE_CUBE_LAYERED);
}
