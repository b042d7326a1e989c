/* One instruction: guard, opcode, operands. What an opcode's spelling means is found out once per module and
 * remembered. */
#include <string.h>

#include "ptx/parser.h"

enum { MAX_OPCODE = 1000 };

static bool opcode_has(const Parser *parser, const Opcode *opcode, Mod mod)
{
    for (unsigned i = 0; i < opcode->mod_count; i++)
        if (parser->opcode_mods.items[opcode->first_mod + i] == mod)
            return true;
    return false;
}

/* A suffix that the text leaves out, where a row takes it. */
static void imply(Parser *parser, Opcode *opcode, Mod mod)
{
    if (opcode->mod_count == UINT8_MAX)
        return;
    VEC_PUSH(&parser->opcode_mods, mod);
    const RowId row = isa_match(opcode->mnemonic, strlen(opcode->mnemonic),
                                parser->opcode_mods.items + opcode->first_mod, opcode->mod_count + 1u);
    if (row == ROW_UNKNOWN) {
        parser->opcode_mods.count--;
        return;
    }
    opcode->mod_count++;
    opcode->row = row;
}

/* mad.f32 before sm_30 rounds to nearest. For .target sm_1x, which has no subnormals of f32, all that reads
 * or writes f32 flushes them, with conversions from and to f64 since PTX 1.5; mad.f32, which cut its product
 * there, is a fused one on every later GPU. This is what NVIDIA's assembler makes of such PTX for those: the
 * same code as for fma.rn.ftz. */
static void imply_suffixes(Parser *parser, Opcode *opcode)
{
    const Module *module = parser->module;
    const bool has_f64 = opcode_has(parser, opcode, TYPE_f64);
    if (!opcode_has(parser, opcode, TYPE_f32))
        return;
    if (opcode->row == ROW_UNKNOWN && !strcmp(opcode->mnemonic, "mad") && module->target < 30)
        imply(parser, opcode, MOD_rn);
    if (module->target < 20 && opcode->row != ROW_UNKNOWN && !opcode_has(parser, opcode, MOD_ftz) &&
        !(has_f64 && module->version < 15))
        imply(parser, opcode, MOD_ftz);
}

/* Splits "ld.global.L1::no_allocate.b32" at its dots. A suffix that no instruction has makes the row unknown;
 * it is not remembered, since the text is. */
static void split_opcode(Parser *parser, Opcode *opcode)
{
    const char *text = opcode->text;
    const size_t mnemonic_length = strcspn(text, ".");
    bool known = true;
    opcode->mnemonic = arena_strndup(&parser->module->arena, text, mnemonic_length);
    opcode->first_mod = parser->opcode_mods.count;
    for (const char *at = text + mnemonic_length; *at;) {
        const size_t length = strcspn(at + 1, ".");
        Mod mod;
        if (opcode->mod_count < UINT8_MAX && mod_find(at + 1, length, &mod)) {
            VEC_PUSH(&parser->opcode_mods, mod);
            opcode->mod_count++;
        } else {
            known = false;
        }
        at += 1 + length;
    }
    if (known) {
        opcode->row = isa_match(opcode->mnemonic, mnemonic_length,
                                parser->opcode_mods.items + opcode->first_mod, opcode->mod_count);
        imply_suffixes(parser, opcode);
    }
    const Mod *mods = parser->opcode_mods.items + opcode->first_mod;
    for (unsigned i = 0; i < opcode->mod_count; i++) {
        if (!mod_is_type(mods[i]))
            continue;
        if (opcode->first_type == MOD_NONE)
            opcode->first_type = mods[i];
        opcode->last_type = mods[i];
    }
    if (opcode->row != ROW_UNKNOWN) {
        opcode->rule = check_rule(opcode->mnemonic, mods, opcode->mod_count);
        opcode->problem = check_suffixes(opcode->mnemonic, (RowId)opcode->row, mods, opcode->mod_count);
    }
}

/* A module has thousands of instructions and some dozens of opcodes, so matching is done once for each
 * spelling. */
static uint32_t opcode_number(Parser *parser, const char *text, size_t length)
{
    uint32_t number;
    if (map_get(&parser->opcodes, text, length, &number))
        return number;
    Opcode opcode = {.text = arena_strndup(&parser->module->arena, text, length)};
    split_opcode(parser, &opcode);
    number = parser->opcode_list.count;
    VEC_PUSH(&parser->opcode_list, opcode);
    map_put(&parser->opcodes, opcode.text, length, number);
    return number;
}

const Opcode *find_opcode(Parser *parser, const char *text, size_t length)
{
    /* The number first: finding it may move the list. */
    const uint32_t number = opcode_number(parser, text, length);
    return &parser->opcode_list.items[number];
}

/* The mnemonic was read; its suffixes follow, normally without blanks between. */
static uint32_t parse_opcode(Parser *parser, const Token *mnemonic)
{
    const char *start = mnemonic->start, *end = token_end(mnemonic);
    size_t length = mnemonic->length;
    while (parser->token.kind == TOKEN_DIRECTIVE) {
        const Token *suffix = &parser->token;
        if (suffix->start == end) {
            end = token_end(suffix);
        } else {
            /* Blanks between suffixes: the opcode gets a copy of its own. Without them it is a slice of the
             * text. */
            start = arena_printf(&parser->module->arena, "%.*s%.*s", (int)length, start, (int)suffix->length,
                                 suffix->start);
            end = NULL;
        }
        length += suffix->length;
        if (length > MAX_OPCODE)
            parser_fail(parser, mnemonic->place, "an opcode has at most %d characters", MAX_OPCODE);
        parser_advance(parser);
    }
    return opcode_number(parser, start, length);
}

static PtxOperand parse_operand_of(Parser *parser, const Opcode *opcode, unsigned number)
{
    const char *mnemonic = opcode->mnemonic;
    if (!strcmp(mnemonic, "call"))
        return parse_call_operand(parser, opcode);
    if (!strcmp(mnemonic, "bra") || (number > 0 && !strcmp(mnemonic, "brx")))
        return parse_label_operand(parser);
    return parse_operand(parser, opcode);
}

static void add_operand(Parser *parser, const PtxOperand *operand, bool wants_table, Place place)
{
    if (operand->kind == PTX_LABEL)
        scope_refer(parser, (Fixup){.name = operand->index, .operand = parser->operands.count,
                                    .wants_table = wants_table, .place = place});
    VEC_PUSH(&parser->operands, *operand);
}

/* mov.v2 and mov.v4, which the table does not have: parse_short.c. */
static bool is_vector_move(const Parser *parser, const Opcode *opcode)
{
    const Mod *mods = parser->opcode_mods.items + opcode->first_mod;
    return !strcmp(opcode->mnemonic, "mov") && opcode->mod_count == 2 && type_bits(mods[1]) >= 16 &&
           (mods[0] == MOD_v2 || mods[0] == MOD_v4) && isa_match("mov", 3, &mods[1], 1) != ROW_UNKNOWN;
}

/* Operands up to the semicolon. Those of an instruction that no row knows may have a form that is not known.
 * */
static unsigned parse_operands(Parser *parser, uint32_t number, PtxOperand *operands, Place *places)
{
    unsigned count = 0;
    const Opcode *opcode = &parser->opcode_list.items[number];
    parser->is_unknown = opcode->row == ROW_UNKNOWN && !is_vector_move(parser, opcode);
    /* A semicolon right away: no operands. Behind a comma one must come. */
    while (parser->token.kind != ';' || count) {
        if (count == MAX_OPERANDS)
            parser_fail(parser, parser->token.place, "an instruction has at most %d operands", MAX_OPERANDS);
        places[count] = parser->token.place;
        /* Looked up anew for each operand: reading one may add opcodes and move the list. */
        operands[count] = parse_operand_of(parser, &parser->opcode_list.items[number], count);
        count++;
        if (!parser_accept(parser, ','))
            break;
    }
    parser_expect(parser, ';', "';' after the instruction");
    parser->is_unknown = false;
    return count;
}

static void keep_insn(Parser *parser, PtxInsn *insn, const Opcode *opcode, const PtxOperand *operands,
                      const Place *places)
{
    const bool wants_table = !strcmp(opcode->mnemonic, "brx");
    insn->first_operand = parser->operands.count;
    insn->first_mod = parser->mods.count;
    for (unsigned i = 0; i < insn->operand_count; i++)
        add_operand(parser, &operands[i], wants_table, places[i]);
    VEC_RESERVE(&parser->mods, parser->mods.count + opcode->mod_count);
    for (unsigned i = 0; i < opcode->mod_count; i++)
        parser->mods.items[parser->mods.count++] = parser->opcode_mods.items[opcode->first_mod + i];
    if (insn->row != ROW_UNKNOWN)
        check_insn(parser, insn, opcode, places);
    VEC_PUSH(&parser->insns, *insn);
}

void parse_insn(Parser *parser, const Token *mnemonic, uint32_t guard, bool guard_negated)
{
    PtxOperand operands[MAX_OPERANDS];
    Place places[MAX_OPERANDS];
    const uint32_t number = parse_opcode(parser, mnemonic);
    const unsigned count = parse_operands(parser, number, operands, places);
    const Opcode *opcode = &parser->opcode_list.items[number];
    PtxInsn insn = {
        .row = opcode->row,
        .operand_count = (uint8_t)count,
        .mod_count = opcode->mod_count,
        .guard_negated = guard_negated,
        .guard = guard,
        .place = mnemonic->place,
        .source = {.line = parser->location},
        .mnemonic = opcode->mnemonic,
        .opcode = opcode->text,
    };
    if (is_vector_move(parser, opcode)) {
        const Opcode short_form = *opcode; /* the moves look up opcodes of their own */
        parse_vector_move(parser, &short_form, operands, places, count, &insn);
    } else {
        keep_insn(parser, &insn, opcode, operands, places);
    }
}

/* "@p" or "@!p" before the opcode. */
void parse_guarded_insn(Parser *parser)
{
    parser_advance(parser);
    const bool negated = parser_accept(parser, '!');
    const Token guard = parser->token;
    const Symbol *symbol = scope_find(parser, parser_expect_name(parser, "a predicate register"));
    if (!symbol)
        parser_fail(parser, guard.place, "'%.*s' is not declared", (int)guard.length, guard.start);
    if (symbol->kind != SYMBOL_REGISTER || symbol->type != TYPE_pred)
        parser_fail(parser, guard.place, "the guard '%.*s' is not a predicate register", (int)guard.length,
                    guard.start);
    /* Read before the next look-up, which may move the table. */
    const uint32_t index = symbol->index;
    const Token mnemonic = parser->token;
    if (mnemonic.kind != TOKEN_NAME)
        parser_expected(parser, "an instruction after the guard");
    parser_advance(parser);
    parse_insn(parser, &mnemonic, index, negated);
}
