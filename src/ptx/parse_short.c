/* What PTX writes in short: "%r1 + 8" where an operand stands is an addition before the instruction, and
 * mov.v2 and mov.v4 are as many moves. The module holds what they stand for. */
#include <string.h>

#include "ptx/parser.h"

/* An instruction that the text does not have, at the place of the one that stands for it. */
static void emit(Parser *parser, const char *text, const PtxOperand *operands, const Place *places,
                 unsigned count, const PtxInsn *from)
{
    const Opcode *opcode = find_opcode(parser, text, strlen(text));
    PtxInsn insn = *from;
    insn.row = opcode->row;
    insn.first_operand = parser->operands.count;
    insn.first_mod = parser->mods.count;
    insn.operand_count = (uint8_t)count;
    insn.mod_count = opcode->mod_count;
    insn.mnemonic = opcode->mnemonic;
    insn.opcode = opcode->text;
    for (unsigned i = 0; i < count; i++)
        VEC_PUSH(&parser->operands, operands[i]);
    for (unsigned i = 0; i < opcode->mod_count; i++)
        VEC_PUSH(&parser->mods, parser->opcode_mods.items[opcode->first_mod + i]);
    check_insn(parser, &insn, opcode, places);
    VEC_PUSH(&parser->insns, insn);
}

static PtxOperand new_register(Parser *parser, Type type)
{
    const PtxOperand operand = {.kind = PTX_REGISTER, .index = parser->registers.count};
    VEC_PUSH(&parser->registers, ((Register){"(a value between)", type}));
    return operand;
}

static const char *with_type(Parser *parser, const char *name, Type type)
{
    return arena_printf(&parser->module->arena, "%s.%s", name, mod_name(type));
}

PtxOperand parse_sum(Parser *parser, PtxOperand operand)
{
    const Place place = parser->token.place;
    const Type type = parser->registers.items[operand.index].type;
    const bool is_number = type != TYPE_pred && !type_is_float(type) && type_bits(type) >= 16 &&
                           type_bits(type) <= 64;
    if (!is_number || operand.minus || operand.negated || operand.selector)
        parser_fail(parser, place, "a constant can only be added to an integer register of 16 to 64 bits");
    const int64_t addend = (int64_t)parse_expression(parser).bits;
    static const Type sums[] = {[2] = TYPE_u16, [4] = TYPE_u32, [8] = TYPE_u64};
    const PtxOperand sum = new_register(parser, type);
    const PtxOperand operands[] = {sum, operand, {.kind = PTX_INTEGER, .value = addend}};
    const Place places[] = {place, place, place};
    /* The sum is computed whether or not the instruction's guard holds: nobody else reads it. */
    const PtxInsn at = {.guard = NO_INDEX, .place = place, .source = {.line = parser->location}};
    emit(parser, with_type(parser, "add", sums[type_bits(type) / 8]), operands, places, 3, &at);
    return sum;
}

/* Whether a register that is written is read by a later move. */
static bool overlaps(const PtxOperand *to, const PtxOperand *from, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = i + 1; k < count; k++)
            if (to[i].kind == PTX_REGISTER && from[k].kind == PTX_REGISTER && to[i].index == from[k].index)
                return true;
    return false;
}

enum { MOST_ELEMENTS = 4 };

/* As many elements as the suffix says, of both operands. */
static void read_elements(Parser *parser, const PtxOperand *vectors, const Place *places, unsigned count,
                          PtxOperand elements[2][MOST_ELEMENTS], const char *text)
{
    for (unsigned v = 0; v < 2; v++) {
        if (vectors[v].kind != PTX_VECTOR || vectors[v].count != count)
            parser_fail(parser, places[v], "'%s' takes a vector of %u registers there", text, count);
        for (unsigned i = 0; i < count; i++) {
            elements[v][i] = parser->operands.items[vectors[v].first + i];
            if (elements[v][i].kind == PTX_VARIABLE || elements[v][i].kind == PTX_FUNCTION)
                parser_fail(parser, places[v], "'%s' moves no addresses", text);
        }
    }
}

void parse_vector_move(Parser *parser, const Opcode *opcode, const PtxOperand *operands, const Place *places,
                       unsigned operand_count, const PtxInsn *from)
{
    PtxOperand elements[2][MOST_ELEMENTS];
    const Type type = opcode->last_type;
    const char *text = opcode->text;
    const unsigned count = strstr(text, ".v4") ? 4 : 2;
    if (operand_count != 2)
        parser_fail(parser, from->place, "'%s' takes 2 operands, found %u", text, operand_count);
    if (count * type_bits(type) > 128)
        parser_fail(parser, from->place, "'%s' moves more than 128 bits", text);
    read_elements(parser, operands, places, count, elements, text);
    /* The moves of one vector happen at once. Where one would overwrite what a later one reads, all values go
     * through registers of their own first. */
    const char *move = with_type(parser, "mov", type);
    const bool is_parallel = overlaps(elements[0], elements[1], count);
    for (unsigned i = 0; i < count && is_parallel; i++) {
        const PtxOperand between[] = {new_register(parser, type), elements[1][i]};
        emit(parser, move, between, places, 2, from);
        elements[1][i] = between[0];
    }
    for (unsigned i = 0; i < count; i++) {
        const PtxOperand pair[] = {elements[0][i], elements[1][i]};
        if (pair[0].kind != PTX_SINK)
            emit(parser, move, pair, places, 2, from);
    }
}
