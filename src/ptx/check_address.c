/* What stands in brackets: an address, in an integer register or as a variable of the instruction's space. */
#include <string.h>

#include "ptx/check.h"

static bool is_image(const Check *check)
{
    switch (check->row->action) {
    case ACTION_TEXTURE: case ACTION_TEXTURE_QUERY: case ACTION_SURFACE_LOAD: case ACTION_SURFACE_STORE:
        return true;
    default: return false;
    }
}

/* The space of an access with one address; SPACE_REG where there are several or it is none's business. */
static Space space_of_insn(const Check *check)
{
    static const struct { Mod mod; Space space; } spaces[] = {
        {MOD_global, SPACE_GLOBAL},         {MOD_shared, SPACE_SHARED},     {MOD_shared_cta, SPACE_SHARED},
        {MOD_shared_cluster, SPACE_SHARED}, {MOD_local, SPACE_LOCAL},       {MOD_const_, SPACE_CONST},
        {MOD_param, SPACE_PARAM},           {MOD_param_entry, SPACE_PARAM}, {MOD_param_func, SPACE_PARAM}};
    switch (check->row->action) {
    case ACTION_LOAD: case ACTION_STORE: case ACTION_ATOMIC: case ACTION_PREFETCH: case ACTION_MBARRIER:
    case ACTION_LDMATRIX: case ACTION_WMMA_LOAD: case ACTION_WMMA_STORE: break;
    default: return SPACE_REG;
    }
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (check_has(check, spaces[i].mod))
            return spaces[i].space;
    return check->insn->row == ROW_ldu ? SPACE_GLOBAL : SPACE_GENERIC;
}

/* A generic access that names a variable means its space. */
static bool spaces_agree(Space insn, Space variable)
{
    /* ptxas lets a generic access name a variable only where a generic address can lead. */
    if (insn == SPACE_GENERIC)
        return variable == SPACE_GLOBAL || variable == SPACE_SHARED || variable == SPACE_LOCAL;
    return insn == SPACE_REG || insn == variable;
}

static void check_variable(const Check *check, unsigned number, const PtxOperand *base)
{
    const Variable *variable = &check->parser->variables.items[base->index];
    const Space space = space_of_insn(check);
    if (is_image(check) || spaces_agree(space, variable->space))
        return;
    parser_fail(check->parser, check->places[number], "'%s' lies in .%s, but '%s' accesses %s%s",
                variable->name, space_name(variable->space), check->opcode->text,
                space == SPACE_GENERIC ? "" : ".",
                space == SPACE_GENERIC ? "generic addresses" : space_name(space));
}

static void check_base(const Check *check, unsigned number, const PtxOperand *base)
{
    Parser *parser = check->parser;
    const Place place = check->places[number];
    const char *text = check->opcode->text;
    if (base->kind == PTX_REGISTER) {
        const Register *reg = &parser->registers.items[base->index];
        const unsigned bits = type_bits(reg->type);
        if (reg->type == TYPE_pred || type_is_float(reg->type) || bits > 64)
            parser_fail(parser, place,
                        "register '%s' has type .%s, which cannot be an address; '%s' takes an "
                        "integer", reg->name, mod_name(reg->type), text);
        if (is_image(check) && bits != 64)
            parser_fail(parser, place,
                        "register '%s' has type .%s, but the handle of a texture or surface that "
                        "'%s' takes has 64 bits", reg->name, mod_name(reg->type), text);
    } else if (base->kind == PTX_SPECIAL) {
        if (special_bits((SpecialRegister)base->index) != 64)
            parser_fail(parser, place, "the address of '%s' cannot be a special register of 32 bits", text);
    } else if (base->kind == PTX_VARIABLE) {
        check_variable(check, number, base);
    } else if (base->kind == PTX_INTEGER && space_of_insn(check) != SPACE_LOCAL) {
        parser_fail(parser, place, "'%s' cannot access a constant address; only .local ones can be", text);
    }
}

/* Coordinates of textures and surfaces: integers, or of the type of tex's last suffix. */
static void check_coordinate(const Check *check, unsigned number, const PtxOperand *coordinate)
{
    const bool is_float = check->row->action == ACTION_TEXTURE && check->opcode->last_type == TYPE_f32;
    if (coordinate->kind == PTX_REGISTER) {
        const Register *reg = &check->parser->registers.items[coordinate->index];
        const bool is_other = is_float ? !type_is_float(reg->type) && mod_name(reg->type)[0] != 'b'
                                       : type_is_float(reg->type) && reg->type != TYPE_f16x2;
        if (type_bits(reg->type) == 32 && !is_other)
            return;
        parser_fail(check->parser, check->places[number],
                    "register '%s' has type .%s, but a coordinate of '%s' "
                    "is %s of 32 bits", reg->name, mod_name(reg->type), check->opcode->text,
                    is_float ? "a float" : "an integer");
    }
    if (coordinate->kind == PTX_SINK || coordinate->kind == PTX_VARIABLE || coordinate->kind == PTX_FUNCTION)
        parser_fail(check->parser, check->places[number], "a coordinate of '%s' cannot be %s",
                    check->opcode->text, check_kind_name(coordinate));
}

static void check_coordinates(const Check *check, unsigned number)
{
    const PtxOperand *address = &check->operands[number];
    const PtxOperand *elements = check_elements(check, address);
    if (!is_image(check))
        parser_fail(check->parser, check->places[number], "'%s' takes one address, not a list",
                    check->opcode->text);
    for (unsigned i = 1; i < address->count; i++) {
        const PtxOperand *each = &elements[i];
        const unsigned count = each->kind == PTX_VECTOR ? each->count : 1;
        if (count & (count - 1))
            parser_fail(check->parser, check->places[number],
                        "coordinates are 1, 2 or 4 in number, padded where fewer are used; found %u", count);
        if (each->kind == PTX_SPECIAL) /* inside of braces it may be */
            parser_fail(check->parser, check->places[number],
                        "a coordinate of '%s' cannot be a special register without braces around it",
                        check->opcode->text);
        const PtxOperand *first = each->kind == PTX_VECTOR ? check_elements(check, each) : each;
        /* Only the last element of an image's address holds coordinates; a sampler may stand before it. */
        for (unsigned k = 0; k < count && i + 1 == address->count; k++)
            check_coordinate(check, number, &first[k]);
    }
}

void check_addresses(const Check *check)
{
    for (unsigned i = 0; i < check->insn->operand_count; i++) {
        if (check->operands[i].kind != PTX_ADDRESS)
            continue;
        if (is_image(check) && check->operands[i].value)
            parser_fail(check->parser, check->places[i], "a texture or surface has no offset");
        if (check->operands[i].count > 1)
            check_coordinates(check, i);
        check_base(check, i, check_elements(check, &check->operands[i]));
    }
}
