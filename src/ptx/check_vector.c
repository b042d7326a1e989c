/* How many registers stand in braces: as many as .v2, .v4 or .v8 say, and none where an instruction has no
 * vectors. */
#include <string.h>

#include "ptx/check.h"

static unsigned suffix_count(const Check *check)
{
    return check_has(check, MOD_v8) ? 8 : check_has(check, MOD_v4) ? 4 : check_has(check, MOD_v2) ? 2 : 1;
}

static unsigned element_count(const PtxOperand *operand)
{
    return operand->kind == PTX_VECTOR ? operand->count : 1;
}

/* No instruction but those of memory, images and matrices has vectors; mov packs them. */
static bool takes_vectors(const Check *check)
{
    switch (check->row->action) {
    case ACTION_LANE: return !strcmp(check->opcode->mnemonic, "mov");
    case ACTION_MOVE: case ACTION_LOAD: case ACTION_STORE: case ACTION_ATOMIC: case ACTION_CALL:
    case ACTION_LDMATRIX: case ACTION_MMA: case ACTION_WMMA_LOAD: case ACTION_WMMA_STORE:
    case ACTION_TEXTURE: case ACTION_SURFACE_LOAD: case ACTION_SURFACE_STORE:
        return true;
    default: return false;
    }
}

static void check_sinks(const Check *check, unsigned number)
{
    const PtxOperand *vector = &check->operands[number];
    const PtxOperand *elements = check_elements(check, vector);
    unsigned sinks = 0;
    for (unsigned i = 0; i < vector->count; i++)
        sinks += elements[i].kind == PTX_SINK;
    if (sinks && check->row->operands[number] != 'D')
        parser_fail(check->parser, check->places[number], "'_' discards a result; it cannot be read");
    if (sinks == vector->count)
        parser_fail(check->parser, check->places[number], "a vector of '_' alone has no type");
}

/* Data of loads, stores, atomics and vector moves: as many registers as .v2, .v4 or .v8 say. */
static void check_count(const Check *check, unsigned number, unsigned wanted)
{
    const unsigned found = element_count(&check->operands[number]);
    const bool is_vector = check->operands[number].kind == PTX_VECTOR;
    /* ld and st take "{%r1}" for a single register; ptxas refuses it of atomics. */
    const bool may_be_braced = check->row->action != ACTION_ATOMIC;
    if (found == wanted && (wanted > 1 ? is_vector : may_be_braced || !is_vector))
        return;
    parser_fail(check->parser, check->places[number], "'%s' takes %s%u register%s there, found %u",
                check->opcode->text, wanted > 1 ? "a vector of " : "", wanted, wanted == 1 ? "" : "s", found);
}

static unsigned data_operand(const Check *check) { return check->row->operands[0] == 'm' ? 1 : 0; }

static void check_data(const Check *check)
{
    const unsigned wanted = suffix_count(check), first = data_operand(check);
    const bool is_result = check->row->operands[first] == 'D';
    const unsigned bits = wanted * type_bits(check->opcode->last_type);
    if (first < check->insn->operand_count && check->operands[first].kind != PTX_SINK)
        check_count(check, first, wanted);
    for (unsigned i = 2; check->row->action == ACTION_ATOMIC && is_result &&
         i < check->insn->operand_count; i++)
        if (i == 2 || check_has(check, MOD_cas))
            check_count(check, i, wanted);
    if (wanted > 1 && bits > 256)
        parser_fail(check->parser, check->insn->place, "'%s' moves %u bits, which is too much at once",
                    check->opcode->text, bits);
    if (wanted > 1 && bits > 128 && check->row->action != ACTION_ATOMIC &&
        check->parser->module->target < 100)
        parser_fail(check->parser, check->insn->place,
                    "'%s' moves %u bits at once, which takes .target sm_100",
                    check->opcode->text, bits);
}

static bool is_vector_move(const Check *check)
{
    return !strcmp(check->opcode->mnemonic, "mov") && suffix_count(check) > 1;
}

void check_vectors(const Check *check)
{
    for (unsigned i = 0; i < check->insn->operand_count; i++) {
        if (check->operands[i].kind != PTX_VECTOR)
            continue;
        if (!takes_vectors(check))
            parser_fail(check->parser, check->places[i], "'%s' takes no vectors", check->opcode->text);
        check_sinks(check, i);
    }
    switch (check->row->action) {
    case ACTION_LOAD: case ACTION_STORE: case ACTION_ATOMIC: check_data(check); break;
    case ACTION_MOVE:
        if (is_vector_move(check)) {
            check_count(check, 0, suffix_count(check));
            check_count(check, 1, suffix_count(check));
        }
        break;
    default: break;
    }
}
