/* Checks one instruction against its row: how many operands, and of which kinds. The other files check_*.c
 * look closer. */
#include <string.h>

#include "ptx/check.h"

bool check_has(const Check *check, Mod mod)
{
    const Mod *mods = check->parser->opcode_mods.items + check->opcode->first_mod;
    for (unsigned i = 0; i < check->opcode->mod_count; i++)
        if (mods[i] == mod)
            return true;
    return false;
}

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

const char *check_kind_name(const PtxOperand *operand)
{
    if (operand->kind == PTX_REGISTER && operand->selector)
        return "a part of a register that it cannot take";
    return operand->kind == PTX_REGISTER && operand->minus ? "a negated register" : kind_name(operand->kind);
}

bool check_is_predicate(const Check *check, const PtxOperand *operand)
{
    return operand->kind == PTX_REGISTER && check->parser->registers.items[operand->index].type == TYPE_pred;
}

static bool is_plain_register(const Check *check, const PtxOperand *operand)
{
    return operand->kind == PTX_REGISTER && !check_is_predicate(check, operand) && !operand->negated &&
           !operand->minus && !operand->selector;
}

static bool is_written(const Check *check, const PtxOperand *operand, bool wants_predicate)
{
    if (operand->kind == PTX_SINK)
        return true;
    return wants_predicate ? check_is_predicate(check, operand) && !operand->negated
                           : is_plain_register(check, operand);
}

/* Whether an operand is a register of which the row can take the part that the text selects. */
static bool is_selection(const Check *check, const PtxOperand *operand, bool may_be_negated)
{
    PtxOperand whole = *operand;
    LaneMods mods;
    whole.selector = 0;
    whole.minus &= !may_be_negated;
    /* Only an operand of the instruction can select, never an element of one, so this is its number. */
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
        return check_is_predicate(check, operand) || operand->kind == PTX_INTEGER ||
               (operand->kind == PTX_SPECIAL && special_bits((SpecialRegister)operand->index) == 1);
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

/* Fits operands from `number` on to the letters; *reached is the furthest operand that did not fit, or the
 * operand count if all did but some are missing. */
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
    /* An optional operand is tried with and without: rows have few of them, so the tries are few. */
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
                    check_kind_name(&check->operands[reached]));
    const char *text = check->opcode->text;
    if (least == most)
        parser_fail(check->parser, place, "'%s' takes %u operand%s, found %u", text, least,
                    least == 1 ? "" : "s", count);
    if (strchr(letters, '*'))
        parser_fail(check->parser, place, "'%s' takes at least %u operand%s, found %u", text, least,
                    least == 1 ? "" : "s", count);
    parser_fail(check->parser, place, "'%s' takes %u to %u operands, found %u", text, least, most, count);
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

/* "(results), target, (arguments), table": all but the target may be left out, but an indirect call needs its
 * table. */
static void check_call(const Check *check)
{
    const Parser *parser = check->parser;
    const PtxOperand *at = check->operands, *end = at + check->insn->operand_count;
    /* A list first can only be the results: the target is no list. */
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
    const Check check = {parser, insn, opcode, &isa_rows[insn->row],
                         parser->operands.items + insn->first_operand, places};
    if (opcode->problem)
        parser_fail(parser, insn->place, "'%s' %s", opcode->text, opcode->problem);
    check_parts(&check);
    /* From coarse to fine: each check may rely on what those before it have found right. */
    check_kinds(&check);
    if (isa_rows[insn->row].action == ACTION_CALL)
        check_call(&check);
    check_vectors(&check);
    check_types(&check);
    check_addresses(&check);
    check_values(&check);
}
