/* Types of operands.
 *
 * A register fits an instruction's type if it has as many bits and one of them is untyped (.b32), or both are
 * integers, or both the same float. Loads, stores and conversions take wider registers, too. Constants are
 * integers for integers and floats for floats; an untyped operand takes a float that is as wide. */
#include <string.h>

#include "ptx/check.h"

enum { ANY_TYPES = 255 };

#define ARITHMETIC " add sub mul div rem min max abs neg fma mad addc subc madc mul24 mad24 sad "
#define UNARY " rcp sqrt rsqrt sin cos lg2 ex2 tanh copysign "
#define VIDEO " vadd vsub vabsdiff vmin vmax vshl vshr vmad vset "
#define PACKED_VIDEO                                                                                         \
    " vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4 "

/* The first row that fits counts, so rows with a suffix stand before the one without. */
static const OperandRule rules[] = {
    {" ld ldu ", 1, MOD_NONE, "T.j", 0},
    {" st ", 1, MOD_NONE, ".Tj", 0},
    {" mov ", 1, MOD_NONE, "tt", 0},
    {" cvt ", 2, MOD_NONE, "TUU", 0},
    {" mul mad ", 1, MOD_wide, "wttw", 0},
    {ARITHMETIC, 1, MOD_NONE, "ttttt", 0},
    {UNARY, 1, MOD_NONE, "ttt", 0},
    {" and or xor not cnot prmt brev ", 1, MOD_NONE, "ttttt", 0},
    {" lop3 ", 1, MOD_and, "ttttc", RESULT_PAIR_NEEDED},
    {" lop3 ", 1, MOD_or, "ttttc", RESULT_PAIR_NEEDED},
    {" lop3 ", 1, MOD_xor, "ttttc", RESULT_PAIR_NEEDED},
    {" lop3 ", 1, MOD_NONE, "ttttc", RESULT_DISCARD},
    {" bmsk ", 1, MOD_NONE, "iii", 0},
    {" shl shr szext ", 1, MOD_NONE, "tti", 0},
    {" shf ", 1, MOD_NONE, "ttti", 0},
    {" bfe ", 1, MOD_NONE, "ttii", 0},
    {" bfi ", 1, MOD_NONE, "tttii", 0},
    {" popc clz bfind ", 1, MOD_NONE, "it", 0},
    {" fns ", 1, MOD_NONE, "tttt", 0},
    {" dp4a dp2a ", 2, MOD_NONE, "ttti", 0},
    {" setp ", 1, MOD_NONE, ".tt", RESULT_DISCARD | RESULT_PAIR},
    {" set ", 2, MOD_NONE, "tuu", 0},
    {" slct ", 2, MOD_NONE, "tttu", 0},
    {" selp ", 1, MOD_NONE, "ttt", 0},
    {" testp ", 1, MOD_NONE, ".t", 0},
    {VIDEO, ANY_TYPES, MOD_NONE, "tttt", 0},
    {PACKED_VIDEO, ANY_TYPES, MOD_NONE, "trrr", 0},
    {" atom ", 1, MOD_cas, "t.tt", RESULT_DISCARD},
    {" atom ", 1, MOD_NONE, "t.tj", RESULT_DISCARD},
    {" red ", 1, MOD_NONE, ".tj", 0},
    {" shfl ", 1, MOD_NONE, "tttti", RESULT_PAIR},
    {" redux ", 1, MOD_NONE, "iii", 0},
    {" vote ", 1, MOD_NONE, "t.i", 0},
    {" match ", 1, MOD_all, "iti", RESULT_DISCARD | RESULT_PAIR},
    {" match ", 1, MOD_NONE, "iti", 0},
    {" elect ", 0, MOD_NONE, "ii", RESULT_PAIR_NEEDED},
    {" activemask ", 1, MOD_NONE, "t", 0},
    {" nanosleep ", 1, MOD_NONE, "i", 0},
    {" pmevent ", 0, MOD_NONE, "c", 0},
    {" brx ", 0, MOD_NONE, "i", 0},
    {" cvta ", 1, MOD_NONE, "jj", 0},
    {" isspacep ", 0, MOD_NONE, ".a", 0},
    {" mapa ", 1, MOD_NONE, "tti", 0},
    {" getctarank ", 1, MOD_NONE, "it", 0},
    {" bar barrier ", ANY_TYPES, MOD_red, "tii", 0},
    {" bar barrier ", 0, MOD_NONE, "ii", 0},
    {" mbarrier ", 1, MOD_pending_count, "ij", 0},
    {" mbarrier ", 1, MOD_arrive, "j.i", RESULT_DISCARD},
    {" mbarrier ", 1, MOD_arrive_drop, "j.i", RESULT_DISCARD},
    {" mbarrier ", 1, MOD_parity, "..ii", 0},
    {" mbarrier ", 1, MOD_test_wait, "..j", 0},
    {" mbarrier ", 1, MOD_try_wait, "..ji", 0},
    {" mbarrier ", 1, MOD_NONE, ".i", 0},
    {" createpolicy ", 1, MOD_fractional, "jx", 0},
    {" createpolicy ", 1, MOD_range, "j.ii", 0},
    {" createpolicy ", 1, MOD_NONE, "jj", 0},
    {" applypriority discard ", 0, MOD_NONE, ".c", 0},
    {" cp ", 0, MOD_bulk, "....j", 0},
    {" cp ", 0, MOD_wait_group, "c", 0},
    {" cp ", 0, MOD_NONE, "..c", 0},
    {" tex tld4 ", 2, MOD_NONE, "t", 0},
    {" suld ", 1, MOD_NONE, "T", 0},
    {" sust ", 1, MOD_NONE, ".T", 0},
    {" txq suq ", 1, MOD_NONE, "t", 0},
    {" movmatrix ", 1, MOD_NONE, "bb", 0},
    {" ldmatrix stmatrix mma wmma ", ANY_TYPES, MOD_NONE, "", 0},
};

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    /* Lists begin and end with a blank, so there is a character on both sides. */
    for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool has_mod(const Mod *mods, unsigned mod_count, Mod wanted)
{
    for (unsigned i = 0; i < mod_count; i++)
        if (mods[i] == wanted)
            return true;
    return wanted == MOD_NONE;
}

const OperandRule *check_rule(const char *mnemonic, const Mod *mods, unsigned mod_count)
{
    unsigned types = 0;
    /* mul.wide and mul differ by a suffix; cvt and st by how many types they have. */
    for (unsigned i = 0; i < mod_count; i++)
        types += mod_is_type(mods[i]);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if ((rules[i].types == types || rules[i].types == ANY_TYPES) &&
            has_word(rules[i].mnemonics, mnemonic) && has_mod(mods, mod_count, rules[i].suffix))
            return &rules[i];
    return NULL;
}

static bool is_untyped(Type type) { return mod_name(type)[0] == 'b' && mod_name(type)[1] != 'f'; }

static bool is_integer(Type type)
{
    return !is_untyped(type) && !type_is_float(type) && type != TYPE_pred;
}

/* Whether a register's type goes with an instruction's, sizes apart. NVIDIA's assembler takes a register of
 * .f16x2 for an untyped one where integers are wanted. */
static bool types_agree(Type reg, Type wanted)
{
    /* Predicates are a file of registers of their own. */
    if ((reg == TYPE_pred) != (wanted == TYPE_pred))
        return false;
    if (is_untyped(reg) || is_untyped(wanted) || reg == wanted)
        return true;
    return is_integer(wanted) && (is_integer(reg) || reg == TYPE_f16x2);
}

/* What a letter of a rule asks for. */
typedef struct Want {
    Type type;
    unsigned bits;
    bool may_be_wider;  /* and then untyped or an integer */
    bool strict;        /* no address, no .f16x2 for an integer */
    bool no_constant, only_constant;
} Want;

/* Formats that only exist in registers of their size. */
static bool is_exact(Type type)
{
    return type_is_float(type) && type != TYPE_f16 && type != TYPE_f16x2 && type != TYPE_f32 &&
        type != TYPE_f64;
}

static Want want_of(const Check *check, char letter)
{
    const Opcode *opcode = check->opcode;
    switch (letter) {
    case 'u': return (Want){.type = opcode->last_type, .bits = type_bits(opcode->last_type)};
    case 'U':
        return (Want){.type = opcode->last_type, .bits = type_bits(opcode->last_type), .strict = true,
                      .may_be_wider = !is_exact(opcode->first_type)};
    case 'w': return (Want){.type = opcode->first_type, .bits = 2 * type_bits(opcode->first_type)};
    case 'b': return (Want){.type = TYPE_b32, .bits = 32};
    case 'i': return (Want){.type = TYPE_u32, .bits = 32, .strict = true};
    case 'j': return (Want){.type = TYPE_u64, .bits = 64, .strict = true};
    case 'x': return (Want){.type = TYPE_f32, .bits = 32, .strict = true};
    case 'c': return (Want){.type = TYPE_u32, .bits = 32, .strict = true, .only_constant = true};
    default:
        return (Want){.type = opcode->first_type, .bits = type_bits(opcode->first_type),
                      .may_be_wider = letter == 'T', .no_constant = letter == 'r'};
    }
}

static bool register_fits(Type type, const Want *want)
{
    const unsigned bits = type_bits(type);
    if (want->only_constant ||
        (want->strict && !want->may_be_wider && type == TYPE_f16x2 && is_integer(want->type)))
        return false;
    if (bits == want->bits)
        return types_agree(type, want->type);
    /* PTX: operands of ld, st and cvt may be wider than the type; never narrower. */
    if (!want->may_be_wider || bits < want->bits || is_exact(want->type))
        return false;
    return types_agree(type, want->type) &&
           (!type_is_float(type) || type == TYPE_f16x2 || is_untyped(want->type));
}

static void check_register(const Check *check, unsigned number, const PtxOperand *operand, const Want *want)
{
    const Register *reg = &check->parser->registers.items[operand->index];
    if (register_fits(reg->type, want))
        return;
    if (want->only_constant)
        parser_fail(check->parser, check->places[number], "operand %u of '%s' must be an integer constant",
                    number + 1, check->opcode->text);
    if (type_bits(reg->type) == want->bits || (want->may_be_wider && type_bits(reg->type) > want->bits))
        parser_fail(check->parser, check->places[number],
                    "register '%s' has type .%s, which does not go with the .%s of '%s' there", reg->name,
                    mod_name(reg->type), mod_name(want->type), check->opcode->text);
    parser_fail(check->parser, check->places[number],
                "register '%s' has type .%s, but '%s' takes %s%u bits there", reg->name, mod_name(reg->type),
                check->opcode->text, want->may_be_wider ? "at least " : "", want->bits);
}

static bool constant_fits(const PtxOperand *operand, const Want *want)
{
    if (want->no_constant)
        return false;
    if (is_integer(want->type) || want->type == TYPE_pred)
        return operand->kind == PTX_INTEGER && type_bits(want->type) != 0 &&
               want->type != TYPE_u16x2 && want->type != TYPE_s16x2;
    if (is_untyped(want->type))
        return operand->kind == PTX_INTEGER ||
               (operand->kind == PTX_FLOAT32 ? want->bits == 32 : want->bits == 64);
    return (want->type == TYPE_f32 || want->type == TYPE_f64) && operand->kind != PTX_INTEGER;
}

static void check_scalar(const Check *check, unsigned number, const PtxOperand *operand, const Want *want)
{
    bool fits = true;
    switch (operand->kind) {
    case PTX_REGISTER: check_register(check, number, operand, want); break;
    case PTX_INTEGER: case PTX_FLOAT32: case PTX_FLOAT64: fits = constant_fits(operand, want); break;
    case PTX_FUNCTION: fits = !want->strict && !want->no_constant; break;
    case PTX_SPECIAL: fits = false; break;
    case PTX_VARIABLE: fits = operand->value && !want->no_constant && !type_is_float(want->type); break;
    default: break;
    }
    if (!fits)
        parser_fail(check->parser, check->places[number], "operand %u of '%s' cannot be %s of this type",
                    number + 1, check->opcode->text, check_kind_name(operand));
}

/* Elements of one vector have one size; where one of them is untyped, all count as that. */
static void check_vector_types(const Check *check, unsigned number, const PtxOperand *vector,
                               const Want *want)
{
    const PtxOperand *elements = check_elements(check, vector);
    const Register *registers = check->parser->registers.items;
    const Register *first = NULL;
    Want each = *want;
    for (unsigned i = 0; i < vector->count; i++) {
        if (elements[i].kind != PTX_REGISTER)
            continue;
        const Register *reg = &registers[elements[i].index];
        first = first ? first : reg;
        if (type_bits(reg->type) != type_bits(first->type))
            parser_fail(check->parser, check->places[number],
                        "a vector's registers have one size, but '%s' has type .%s and '%s' .%s", first->name,
                        mod_name(first->type), reg->name, mod_name(reg->type));
        if (is_untyped(reg->type) && type_bits(reg->type) == want->bits)
            each.type = reg->type;
    }
    for (unsigned i = 0; i < vector->count; i++)
        check_scalar(check, number, &elements[i], elements[i].kind == PTX_REGISTER ? &each : want);
}

/* mov packs and unpacks: the elements of a vector together are as wide as the type. */
static void check_pack(const Check *check, unsigned number, unsigned bits)
{
    const PtxOperand *vector = &check->operands[number];
    const PtxOperand *elements = check_elements(check, vector);
    unsigned sum = 0, known = 0;
    for (unsigned i = 0; i < vector->count; i++)
        if (elements[i].kind == PTX_REGISTER) {
            const unsigned width = type_bits(check->parser->registers.items[elements[i].index].type);
            if (known && width != known)
                parser_fail(check->parser, check->places[number], "a vector's registers have one size");
            known = width;
        }
    sum = known * vector->count;
    if (known && sum != bits)
        parser_fail(check->parser, check->places[number], "the vector has %u bits, but '%s' takes %u", sum,
                    check->opcode->text, bits);
    if (!is_untyped(check->opcode->first_type) ||
        (check->operands[0].kind == PTX_VECTOR && check->operands[1].kind == PTX_VECTOR))
        parser_fail(check->parser, check->places[number],
                    "'%s' cannot pack or unpack a vector; that takes mov.b%u of a vector and a scalar",
                    check->opcode->text, bits);
}

static bool is_formal(const Parser *parser, uint32_t variable)
{
    const Function *function = &parser->functions.items[parser->function];
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i] == variable)
            return true;
    return false;
}

/* mov reads special registers of its size and takes addresses: of 64 bits, or less where the space is small.
 * */
static void check_move_source(const Check *check, const Want *want)
{
    const PtxOperand *source = &check->operands[1];
    if (source->kind == PTX_SPECIAL) {
        const unsigned bits = special_bits((SpecialRegister)source->index);
        if (!type_is_float(want->type) && (bits == want->bits || (bits == 32 && want->bits == 16)))
            return;
        parser_fail(check->parser, check->places[1],
                    "the special register has %u bits, which does not go with '%s'", bits,
                    check->opcode->text);
    }
    const Space space = check->parser->variables.items[source->index].space;
    if (space == SPACE_PARAM && !is_formal(check->parser, source->index))
        parser_fail(check->parser, check->places[1],
                    "the address of '%s', a value for a call, cannot be taken",
                    check->parser->variables.items[source->index].name);
    /* Addresses of shared and local memory fit into 32 bits; the others do not. */
    const bool is_wide = space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_TEXTURE;
    if (type_is_float(want->type) || (is_wide && want->bits == 32))
        parser_fail(check->parser, check->places[1], "the address of '%s' does not go with '%s'",
                    check->parser->variables.items[source->index].name, check->opcode->text);
}

static bool converts_integers(const Check *check)
{
    return is_integer(check->opcode->first_type) && is_integer(check->opcode->last_type);
}

/* Operands that follow rules of their own; true if this was one. */
static bool check_odd_operand(const Check *check, unsigned number, const PtxOperand *operand,
                              const Want *want)
{
    const char *mnemonic = check->opcode->mnemonic;
    const bool is_move = !strcmp(mnemonic, "mov");
    if (is_move && !check_has(check, MOD_v2) && !check_has(check, MOD_v4)) {
        if (operand->kind == PTX_VECTOR)
            check_pack(check, number, want->bits);
        else if (number == 1 && (operand->kind == PTX_SPECIAL || operand->kind == PTX_VARIABLE))
            check_move_source(check, want);
        else
            return false;
        return true;
    }
    if (operand->kind == PTX_SPECIAL)
        return number == 1 && !strcmp(mnemonic, "cvt") && converts_integers(check) &&
               special_bits((SpecialRegister)operand->index) >= want->bits;
    if (operand->kind == PTX_VARIABLE)
        return number == 1 && (!strcmp(mnemonic, "mapa") || !strcmp(mnemonic, "getctarank") ||
                               (!strcmp(mnemonic, "cvta") && !check_has(check, MOD_to)));
    return check_is_predicate(check, operand) && want->type != TYPE_pred && check_has(check, MOD_red);
}

static bool is_address_sized(const Check *check, const PtxOperand *operand)
{
    if (operand->kind != PTX_REGISTER)
        return operand->kind == PTX_INTEGER;
    const Type type = check->parser->registers.items[operand->index].type;
    return (type_bits(type) == 32 || type_bits(type) == 64) && !type_is_float(type);
}

static void check_operand(const Check *check, unsigned number, char letter)
{
    const PtxOperand *operand = &check->operands[number];
    if (letter == '.')
        return;
    if (letter == 'a') {
        if (!is_address_sized(check, operand))
            parser_fail(check->parser, check->places[number],
                        "operand %u of '%s' must be an address in an integer register of 32 or 64 bits",
                        number + 1, check->opcode->text);
        return;
    }
    const Want want = want_of(check, letter);
    if (check_odd_operand(check, number, operand, &want))
        return;
    if (operand->kind == PTX_VECTOR)
        check_vector_types(check, number, operand, &want);
    else
        check_scalar(check, number, operand->kind == PTX_PAIR ? check_elements(check, operand) : operand,
                     &want);
}

/* '_' and "d|p" where the instruction has none, or none where it must. */
static void check_result(const Check *check, unsigned results)
{
    const PtxOperand *result = &check->operands[0];
    const PtxOperand *elements = check_elements(check, result);
    const char *text = check->opcode->text;
    if (result->kind == PTX_SINK && !(results & RESULT_DISCARD))
        parser_fail(check->parser, check->places[0], "'%s' cannot discard its result with '_'", text);
    if (results & RESULT_PAIR_NEEDED &&
        (result->kind != PTX_PAIR || !check_is_predicate(check, &elements[1])))
        parser_fail(check->parser, check->places[0], "'%s' writes a register and a predicate: d|p", text);
    if (result->kind != PTX_PAIR)
        return;
    if (!(results & (RESULT_PAIR | RESULT_PAIR_NEEDED)) || check->opcode->first_type == TYPE_f16 ||
        check->opcode->first_type == TYPE_bf16)
        parser_fail(check->parser, check->places[0], "'%s' has one result, not a pair", text);
    if (elements[0].kind == PTX_SINK && !(results & (RESULT_DISCARD | RESULT_PAIR_NEEDED)))
        parser_fail(check->parser, check->places[0], "'%s' cannot discard its result with '_'", text);
}

void check_types(const Check *check)
{
    const OperandRule *rule = check->opcode->rule;
    const bool is_lane = check->row->action == ACTION_LANE;
    if (!rule && !is_lane)
        return;
    if (check->insn->operand_count && strchr("DPV", check->row->operands[0]) && check->row->operands[0])
        check_result(check, rule ? rule->results : 0);
    for (unsigned i = 0; rule && i < check->insn->operand_count && rule->letters[i]; i++)
        check_operand(check, i, rule->letters[i]);
}
