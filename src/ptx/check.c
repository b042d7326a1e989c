/* Checks one instruction against its row: how many operands, of which kinds, in registers of which
 * sizes. */
#include <string.h>

#include "ptx/parser.h"

/* Sizes of register operands, one letter an operand:
 *   t  the instruction's first type          T  the same, or wider
 *   u  its last type                         U  the same, or wider
 *   w  twice the first type                  4  32 bits
 *   .  anything
 * A row of the table applies to instructions with that many types, the first that fits. */
typedef struct SizeRule { const char *mnemonics; unsigned types; const char *sizes; } SizeRule;

static const SizeRule rules[] = {
    {" ld ldu ", 1, "T"},
    {" st ", 1, ".T"},
    {" mov ", 1, "TT"},
    {" cvt ", 2, "TUU"},
    {" add sub mul div rem min max abs neg fma mad addc subc madc mul24 mad24 sad ", 1, "ttttt"},
    {" rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign ", 1, "ttt"},
    {" and or xor not cnot lop3 brev bmsk prmt ", 1, "ttttt"},
    {" shl shr szext ", 1, "tt4"},
    {" shf ", 1, "ttt4"},
    {" bfe ", 1, "tt44"},
    {" bfi ", 1, "ttt44"},
    {" popc clz bfind ", 1, "4t"},
    {" setp ", 1, ".tt"},
    {" set slct ", 2, NULL},
    {" selp ", 1, "ttt"},
    {" testp ", 1, ".t"},
    {" atom ", 1, "t.tt"},
    {" red ", 1, ".t"},
    {" shfl ", 1, "tt444"},
    {" redux ", 1, "tt4"},
    {" activemask nanosleep ", 1, "4"},
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

const char *check_sizes(const char *mnemonic, const Mod *mods, unsigned mod_count)
{
    unsigned types = 0;
    bool is_wide = false;
    for (unsigned i = 0; i < mod_count; i++) {
        types += mod_is_type(mods[i]);
        is_wide |= mods[i] == MOD_wide;
    }
    if (is_wide)
        return "wttw";
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (rules[i].types == types && has_word(rules[i].mnemonics, mnemonic))
            return rules[i].sizes ? rules[i].sizes : !strcmp(mnemonic, "set") ? "tuu" : "tttu";
    return NULL;
}

/* The instruction being checked. */
typedef struct Check {
    Parser *parser;
    const PtxInsn *insn;
    const Opcode *opcode;
    const PtxOperand *operands;
    const Place *places;   /* of the operands */
} Check;

static const char *kind_name(PtxOperandKind kind)
{
    static const char *const names[] = {
        [PTX_REGISTER] = "a register",
        [PTX_INTEGER] = "a constant",
        [PTX_FLOAT32] = "a constant",
        [PTX_FLOAT64] = "a constant",
        [PTX_SPECIAL] = "a special register",
        [PTX_VARIABLE] = "a variable's address",
        [PTX_FUNCTION] = "a function",
        [PTX_LABEL] = "a label",
        [PTX_TABLE] = "a table",
        [PTX_ADDRESS] = "an address in brackets",
        [PTX_VECTOR] = "a vector",
        [PTX_PAIR] = "a pair",
        [PTX_LIST] = "a list",
        [PTX_SINK] = "'_'",
    };
    return names[kind];
}

static const char *found_name(const PtxOperand *operand)
{
    if (operand->kind == PTX_REGISTER && operand->selector)
        return "a part of a register that it cannot take";
    return operand->kind == PTX_REGISTER && operand->minus ? "a negated register" : kind_name(operand->kind);
}

static bool is_predicate(const Check *check, const PtxOperand *operand)
{
    return operand->kind == PTX_REGISTER && check->parser->registers.items[operand->index].type == TYPE_pred;
}

static bool is_plain_register(const Check *check, const PtxOperand *operand)
{
    return operand->kind == PTX_REGISTER && !is_predicate(check, operand) && !operand->negated &&
           !operand->minus && !operand->selector;
}

static bool is_written(const Check *check, const PtxOperand *operand, bool wants_predicate)
{
    if (operand->kind == PTX_SINK)
        return true;
    return wants_predicate ? is_predicate(check, operand) && !operand->negated
                           : is_plain_register(check, operand);
}

/* Whether an operand is a register of which the row can take the part that the text selects. */
static bool is_selection(const Check *check, const PtxOperand *operand, bool may_be_negated)
{
    PtxOperand whole = *operand;
    LaneMods mods;
    whole.selector = 0;
    whole.minus &= !may_be_negated;
    const unsigned number = (unsigned)(operand - check->operands);
    return is_plain_register(check, &whole) &&
           (!operand->selector || isa_select(&isa_rows[check->insn->row], number, operand->selector, &mods));
}

/* Whether an operand is of the kind that a letter of IsaRow.operands names. */
static bool is_of_kind(const Check *check, const PtxOperand *operand, char letter)
{
    const PtxOperand *elements = check->parser->operands.items + operand->first;
    switch (letter) {
    case 'V': return operand->kind == PTX_SINK || is_selection(check, operand, false);
    case 'v':
    case 'n':
        if (operand->kind == PTX_REGISTER)
            return is_selection(check, operand, letter == 'n');
        return is_of_kind(check, operand, 's');
    case 'D':
        if (operand->kind == PTX_PAIR)
            return is_written(check, &elements[0], false) && is_written(check, &elements[1], true);
        if (operand->kind == PTX_VECTOR) {
            for (unsigned i = 0; i < operand->count; i++)
                if (!is_written(check, &elements[i], false))
                    return false;
            return operand->count > 0;
        }
        return is_written(check, operand, false);
    case 'P':
        if (operand->kind == PTX_PAIR)
            return is_written(check, &elements[0], true) && is_written(check, &elements[1], true);
        return is_written(check, operand, true);
    case 'p':
        return is_predicate(check, operand) || operand->kind == PTX_INTEGER || operand->kind == PTX_SPECIAL;
    case 's':
        switch (operand->kind) {
        case PTX_REGISTER: return is_plain_register(check, operand);
        case PTX_VECTOR: return operand->count > 0;
        case PTX_INTEGER:
        case PTX_FLOAT32:
        case PTX_FLOAT64:
        case PTX_SPECIAL:
        case PTX_VARIABLE:
        case PTX_FUNCTION: return true;
        default: return false;
        }
    case 'm': return operand->kind == PTX_ADDRESS;
    case 'l': return operand->kind == PTX_LABEL || operand->kind == PTX_TABLE;
    default: return true; /* f, * */
    }
}

static const char *letter_name(char letter)
{
    switch (letter) {
    case 'D': return "a register to write";
    case 'V': return "a register to write";
    case 'v':
    case 'n': return "a register or a constant";
    case 'P': return "a predicate register to write";
    case 'p': return "a predicate register";
    case 's': return "a register or a constant";
    case 'm': return "an address in brackets";
    default: return "a label";
    }
}

/* Fits operands from `number` on to the letters; *reached is the furthest operand that did not fit, or
 * the operand count if all did but some are missing. */
static bool fit_operands(const Check *check, const char *letters, unsigned number, unsigned *reached)
{
    const unsigned count = check->insn->operand_count;
    if (*letters == '*')
        return true;
    if (!*letters) {
        if (number > *reached)
            *reached = number;
        return number == count;
    }
    const bool optional = letters[1] == '?';
    if (number > *reached)
        *reached = number;
    if (number < count && is_of_kind(check, &check->operands[number], *letters) &&
        fit_operands(check, letters + 1 + optional, number + 1, reached))
        return true;
    return optional && fit_operands(check, letters + 2, number, reached);
}

/* The letter of the operand that did not fit, counted as if no optional one was left out. */
static char letter_at(const char *letters, unsigned number)
{
    for (; *letters && *letters != '*'; letters++)
        if (*letters != '?' && !number--)
            return *letters;
    return 0;
}

static void check_kinds(const Check *check)
{
    const char *letters = isa_rows[check->insn->row].operands;
    unsigned reached = 0, least = 0, most = 0;
    if (fit_operands(check, letters, 0, &reached))
        return;
    for (const char *at = letters; *at; at++) {
        most += *at != '?';
        least += *at != '?' && *at != '*' && at[1] != '?';
    }
    const unsigned count = check->insn->operand_count;
    const Place place = check->insn->place;
    const char letter = letter_at(letters, reached);
    if (reached < count && letter)
        parser_fail(check->parser, check->places[reached], "operand %u of '%s' must be %s, found %s",
                    reached + 1, check->opcode->text, letter_name(letter),
                    found_name(&check->operands[reached]));
    const char *text = check->opcode->text;
    if (least == most)
        parser_fail(check->parser, place, "'%s' takes %u operand%s, found %u", text, least,
                    least == 1 ? "" : "s", count);
    if (strchr(letters, '*'))
        parser_fail(check->parser, place, "'%s' takes at least %u operand%s, found %u", text, least,
                    least == 1 ? "" : "s", count);
    parser_fail(check->parser, place, "'%s' takes %u to %u operands, found %u", text, least, most, count);
}

/* The size that operand `number` must have, or the elements of that operand. */
static void check_size(const Check *check, unsigned number, const PtxOperand *operand, unsigned bits,
                       bool may_be_wider)
{
    if (operand->kind != PTX_REGISTER)
        return;
    const Register *reg = &check->parser->registers.items[operand->index];
    const unsigned found = type_bits(reg->type);
    if ((found == 1) == (bits == 1) && (found == bits || (may_be_wider && found > bits)))
        return;
    parser_fail(check->parser, check->places[number],
                "register '%s' has type .%s, but '%s' takes %s%u bits there", reg->name, mod_name(reg->type),
                check->opcode->text, may_be_wider ? "at least " : "", bits);
}

/* mov packs and unpacks: the elements of a vector together are as wide as the type. */
static void check_pack(const Check *check, unsigned number, unsigned bits)
{
    const PtxOperand *vector = &check->operands[number];
    const PtxOperand *elements = check->parser->operands.items + vector->first;
    unsigned sum = 0;
    for (unsigned i = 0; i < vector->count; i++) {
        if (elements[i].kind != PTX_REGISTER)
            return;
        sum += type_bits(check->parser->registers.items[elements[i].index].type);
    }
    if (sum != bits)
        parser_fail(check->parser, check->places[number], "the vector has %u bits, but '%s' takes %u", sum,
                    check->opcode->text, bits);
}

static void check_registers(const Check *check)
{
    const Opcode *opcode = check->opcode;
    const bool is_move = !strcmp(opcode->mnemonic, "mov");
    for (unsigned i = 0; i < check->insn->operand_count && opcode->sizes[i]; i++) {
        const PtxOperand *operand = &check->operands[i];
        const PtxOperand *elements = check->parser->operands.items + operand->first;
        const char rule = opcode->sizes[i];
        if (rule == '.')
            continue;
        const Type type = rule == 'u' || rule == 'U' ? opcode->last_type : opcode->first_type;
        const unsigned bits = rule == '4' ? 32 : rule == 'w' ? 2 * type_bits(type) : type_bits(type);
        const bool may_be_wider = rule == 'T' || rule == 'U';
        if (operand->kind == PTX_PAIR) {
            check_size(check, i, &elements[0], bits, may_be_wider);
        } else if (operand->kind != PTX_VECTOR) {
            check_size(check, i, operand, bits, may_be_wider);
        } else if (is_move) {
            check_pack(check, i, bits);
        } else {
            for (unsigned k = 0; k < operand->count; k++)
                check_size(check, i, &elements[k], bits, may_be_wider);
        }
    }
}

static unsigned list_count(const PtxOperand *list) { return list ? list->count : 0; }

static void check_call_counts(const Check *check, const char *name, const PtxOperand *results,
                              const PtxOperand *arguments, uint32_t result_count, uint32_t parameter_count)
{
    if (list_count(results) != result_count)
        parser_fail(check->parser, check->insn->place, "'%s' gives %u results, but the call takes %u", name,
                    result_count, list_count(results));
    if (list_count(arguments) != parameter_count)
        parser_fail(check->parser, check->insn->place, "'%s' takes %u arguments, but the call gives %u", name,
                    parameter_count, list_count(arguments));
}

/* "(results), target, (arguments), table": all but the target may be left out, but an indirect call
 * needs its table. */
static void check_call(const Check *check)
{
    const Parser *parser = check->parser;
    const PtxOperand *at = check->operands, *end = at + check->insn->operand_count;
    const PtxOperand *results = at < end && at->kind == PTX_LIST ? at++ : NULL;
    const PtxOperand *target = at < end ? at++ : NULL;
    const PtxOperand *arguments = at < end && at->kind == PTX_LIST ? at++ : NULL;
    const PtxOperand *table = at < end && at->kind == PTX_TABLE ? at++ : NULL;
    if (!target || (target->kind != PTX_FUNCTION && !is_plain_register(check, target)))
        parser_fail(check->parser, check->insn->place,
                    "a call needs a function or a register with its address");
    if (at < end)
        parser_fail(check->parser, check->places[at - check->operands], "expected ';', found %s",
                    kind_name(at->kind));
    if (target->kind == PTX_FUNCTION) {
        const Function *function = &parser->functions.items[target->index];
        check_call_counts(check, function->name, results, arguments, function->result_count,
                          function->parameter_count);
    } else if (!table) {
        parser_fail(check->parser, check->insn->place,
                    "an indirect call ends with the name of a .callprototype or .calltargets");
    } else if (!parser->tables.items[table->index].targets) {
        const Table *prototype = &parser->tables.items[table->index];
        check_call_counts(check, prototype->name, results, arguments, prototype->result_count,
                          prototype->parameter_count);
    }
}

/* "%r1.h0" and "-%r1" are for video instructions; their rows say where. */
static void check_parts(const Check *check)
{
    if (strpbrk(isa_rows[check->insn->row].operands, "Vvn"))
        return;
    for (unsigned i = 0; i < check->insn->operand_count; i++)
        if (check->operands[i].selector || check->operands[i].minus)
            parser_fail(check->parser, check->places[i],
                        "'%s' takes whole registers without a sign, not '.h0', '.b0' or '-'",
                        check->opcode->text);
}

void check_insn(Parser *parser, const PtxInsn *insn, const Opcode *opcode, const Place *places)
{
    const Check check = {parser, insn, opcode, parser->operands.items + insn->first_operand, places};
    check_parts(&check);
    check_kinds(&check);
    if (isa_rows[insn->row].action == ACTION_CALL)
        check_call(&check);
    if (opcode->sizes)
        check_registers(&check);
}
