/* The general path of lane instructions: any mix of operands. Sources are brought into the layout that the
 * lane function expects, the function runs over 32 lanes, and results go into the lanes that execute. A warp
 * of 64 lanes is two chunks. */
#include "exec/lanes.h"

#include <string.h>

#include "exec/machine.h"
#include "exec/special.h"

/* A lane row's operands always have op[1] .. op[4] to look at: the linker pads with OPERAND_NONE. */
static bool is_plain_source(const Operand *operand, uint8_t bytes)
{
    if (operand->kind == OPERAND_IMMEDIATE)
        return true;
    return operand->kind == OPERAND_REGISTER && (bytes == 0 || operand->bytes == bytes);
}

bool lanes_use_carry(uint32_t row)
{
    const char *mnemonic = isa_rows[row].pattern;
    return strstr(mnemonic, ".cc") || !strncmp(mnemonic, "addc", 4) || !strncmp(mnemonic, "subc", 4) ||
           !strncmp(mnemonic, "madc", 4);
}

Shape lanes_shape(const Insn *insn)
{
    const IsaRow *row = &isa_rows[insn->row];
    const Operand *op = insn->op;
    unsigned entries = insn->begin[insn->operand_count];
    /* More entries than operands: a pair or a vector is among them. */
    if (lanes_use_carry(insn->row) || entries != insn->operand_count || entries > 5)
        return SHAPE_GENERAL;
    bool select = !strcmp(row->operands, "Dssp");
    unsigned plain = select ? 2 : entries - 1;
    for (unsigned i = 1; i <= plain; i++)
        if (!is_plain_source(&op[i], insn->bytes[i]))
            return SHAPE_GENERAL;
    if (op[0].kind == OPERAND_PREDICATE)
        return entries == 3 && row->operands[0] == 'P' && row->operands[1] == 's' ? SHAPE_COMPARE
                                                                                  : SHAPE_GENERAL;
    if (op[0].kind != OPERAND_REGISTER || (insn->bytes[0] && op[0].bytes != insn->bytes[0]) ||
        op[0].bytes > 8)
        return SHAPE_GENERAL;
    if (select && op[3].kind != OPERAND_PREDICATE)
        return SHAPE_GENERAL;
    if (op[0].bytes == 4)
        return select ? SHAPE_SELECT4 : SHAPE_PLAIN4;
    return select ? SHAPE_SELECT8 : SHAPE_PLAIN8;
}

/* Buffers for one chunk of one instruction. */
typedef struct General {
    Warp *warp;
    Frame *frame;
    const Insn *insn;
    uint32_t chunk;
    _Alignas(64) uint64_t source[4][MAX_WIDTH];
    uint32_t predicate[5]; /* of the four sources, and one after them */
} General;

/* A register of another size than the row works on: its low part, or extended with zeros. */
static const void *resized(General *g, unsigned k, const Operand *operand, uint8_t bytes)
{
    const char *lanes = (const char *)g->frame->words + operand->offset;
    uint64_t *wide = g->source[k];
    uint32_t *narrow = (uint32_t *)wide;
    for (unsigned i = 0; i < LANES; i++) {
        unsigned lane = g->chunk * LANES + i;
        if (bytes == 4)
            narrow[i] = (uint32_t)((const uint64_t *)lanes)[lane];
        else
            wide[i] = ((const uint32_t *)lanes)[lane];
    }
    return wide;
}

static const void *spread(General *g, unsigned k, uint64_t value, uint8_t bytes)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (bytes == 8)
            g->source[k][i] = value;
        else
            ((uint32_t *)g->source[k])[i] = (uint32_t)value;
    }
    return g->source[k];
}

static const void *general_source(General *g, unsigned k, const Operand *operand, uint8_t bytes)
{
    const Program *program = g->warp->block->launch->program;
    uint8_t wanted = bytes ? bytes : operand->bytes;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        if (wanted != operand->bytes)
            return resized(g, k, operand, wanted);
        return (const char *)g->frame->words + operand->offset + g->chunk * LANES * operand->bytes;
    case OPERAND_IMMEDIATE:
        return (const char *)program->constants + operand->offset;
    case OPERAND_SPECIAL:
        special_lanes(g->warp, (SpecialRegister)operand->slot, wanted, g->source[k]);
        return (const char *)g->source[k] + g->chunk * LANES * wanted;
    case OPERAND_LOCAL:
        return spread(g, k, g->frame->local_base + (uint64_t)operand->value, wanted);
    default:
        return g->source[k];
    }
}

/* Predicates come as one word of bits, already inverted for !p. */
static const void *predicate_source(General *g, unsigned k, const Operand *operand)
{
    Mask value = operand->kind == OPERAND_PREDICATE ? g->frame->predicates[operand->slot]
                                                    : (operand->value ? ~(Mask)0 : 0);
    g->predicate[k] = (uint32_t)((operand->negated ? ~value : value) >> (g->chunk * LANES));
    return &g->predicate[k];
}

static void write_predicate(const General *g, const Operand *operand, uint32_t bits, uint32_t mask)
{
    if (operand->kind != OPERAND_PREDICATE)
        return;
    unsigned shift = g->chunk * LANES;
    Mask *predicate = &g->frame->predicates[operand->slot];
    *predicate = (*predicate & ~((Mask)mask << shift)) | (Mask)(bits & mask) << shift;
}

static void write_register(const General *g, const Operand *operand, const uint64_t *result, uint32_t mask)
{
    uint8_t bytes = g->insn->bytes[0];
    if (operand->kind != OPERAND_REGISTER)
        return;
    char *d = (char *)g->frame->words + operand->offset + g->chunk * LANES * operand->bytes;
    if (!bytes || bytes == operand->bytes) {
        if (operand->bytes == 4)
            lanes_blend4(d, result, mask);
        else
            lanes_blend8(d, result, mask);
        return;
    }
    /* A result narrower than its register is extended by the sign of its type; lane functions have
     * extended it to 32 bits that way already. */
    _Alignas(64) uint64_t extended[LANES];
    bool is_signed = g->insn->sign_extend;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t low = ((const uint32_t *)result)[i];
        extended[i] = bytes == 8 ? result[i] : is_signed ? (uint64_t)(int64_t)(int32_t)low : low;
    }
    if (operand->bytes == 8) {
        lanes_blend8(d, extended, mask);
        return;
    }
    uint32_t *cut = (uint32_t *)extended;
    for (unsigned i = 0; i < LANES; i++)
        cut[i] = (uint32_t)extended[i];
    lanes_blend4(d, cut, mask);
}

static void general_chunk(General *g, Mask mask)
{
    const Insn *insn = g->insn;
    const IsaRow *row = &isa_rows[insn->row];
    unsigned shift = g->chunk * LANES;
    uint32_t active = (uint32_t)(mask >> shift);
    _Alignas(64) uint64_t result[MAX_WIDTH];
    LaneFrame lanes = {.d = result, .mods = insn->mods, .carry = (uint32_t)(g->frame->carry >> shift)};
    unsigned k = 0;
    for (unsigned i = 1; i < insn->operand_count && k < 4; i++, k++) {
        const Operand *operand = &insn->op[insn->begin[i]];
        bool is_predicate = operand->kind == OPERAND_PREDICATE || row->operands[i] == 'p';
        lanes.src[k] = is_predicate ? predicate_source(g, k, operand)
                                    : general_source(g, k, operand, insn->bytes[k + 1]);
    }
    /* A predicate that is not given is true, so that lane functions need not ask whether it is there. */
    for (; k < 4; k++) {
        g->predicate[k] = UINT32_MAX;
        lanes.src[k] = &g->predicate[k];
    }
    if (insn->operand_count > 5)
        lanes.p_in = *(const uint32_t *)predicate_source(g, 4, &insn->op[insn->begin[5]]);
    insn->lane(&lanes);
    if (row->operands[0] == 'P') {
        write_predicate(g, &insn->op[0], lanes.p, active);
        if (insn->begin[1] == 2)
            write_predicate(g, &insn->op[1], lanes.q, active);
    } else {
        write_register(g, &insn->op[0], result, active);
        if (insn->begin[1] == 2)
            write_predicate(g, &insn->op[1], lanes.p, active);
    }
    Mask carry_mask = (Mask)active << shift;
    /* Rows without a carry hand on what they were given, so this writes back the same bits. */
    g->frame->carry = (g->frame->carry & ~carry_mask) | ((Mask)lanes.carry << shift & carry_mask);
}

void lanes_run_general(Warp *warp, Frame *frame, const Insn *insn, Mask mask)
{
    General g; /* the buffers stay uninitialised: they are large, and written before they are read */
    g.warp = warp;
    g.frame = frame;
    g.insn = insn;
    for (g.chunk = 0; g.chunk * LANES < warp->width; g.chunk++)
        if ((uint32_t)(mask >> (g.chunk * LANES)))
            general_chunk(&g, mask);
}
