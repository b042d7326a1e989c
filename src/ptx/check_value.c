/* Constants that must be in a range, and suffixes that ask for operands. These are rules of single
 * instructions that no letter of a row can say; ptxas has the same ones. */
#include <string.h>

#include "ptx/check.h"

static bool is_constant(const Check *check, unsigned number)
{
    return number < check->insn->operand_count && check->operands[number].kind == PTX_INTEGER;
}

static void check_range(const Check *check, unsigned number, int64_t most)
{
    if (!is_constant(check, number))
        return;
    const int64_t value = check->operands[number].value;
    if (value < 0 || value > most)
        parser_fail(check->parser, check->places[number], "operand %u of '%s' is 0 to %lld, found %lld",
                    number + 1, check->opcode->text, (long long)most, (long long)value);
}

/* Barriers are 0 to 15; a number of threads is one of whole warps. */
static void check_barrier(const Check *check)
{
    const unsigned first = strchr("DP", check->row->operands[0]) != NULL;
    const unsigned threads = first + 1;
    check_range(check, first, 15);
    /* A reduction writes its result first, so a count of threads is there only with all four operands. */
    const bool has_threads = !first || check->insn->operand_count == 4;
    if (has_threads && is_constant(check, threads) &&
        (!check->operands[threads].value || check->operands[threads].value % 32))
        parser_fail(check->parser, check->places[threads],
                    "the threads of a barrier are a multiple of a warp's 32, found %lld",
                    (long long)check->operands[threads].value);
}

/* "ld [a], policy": the last operand is there exactly with .L2::cache_hint. */
static void check_hint(const Check *check)
{
    const char *letters = check->row->operands;
    const size_t length = strlen(letters);
    unsigned most = 0;
    if (length < 2 || strcmp(letters + length - 2, "s?"))
        return;
    for (const char *at = letters; *at; at++)
        most += *at != '?';
    const bool has_operand = check->insn->operand_count == most;
    if (has_operand != check_has(check, MOD_l2_cache_hint))
        parser_fail(check->parser, check->insn->place,
                    has_operand ? "'%s' has a cache policy, which takes the suffix .L2::cache_hint"
                                : "'%s' needs a cache policy as its last operand",
                    check->opcode->text);
}

/* Exchanges between lanes name their members since .sync is there; since PTX 6.4 they must on sm_70. */
static void check_members(const Check *check)
{
    const Module *module = check->parser->module;
    const bool has_sync = check_has(check, MOD_sync);
    const unsigned with_mask = check->row->action == ACTION_SHUFFLE ? 5 : 3;
    if (!has_sync && module->version >= 64 && module->target >= 70)
        parser_fail(check->parser, check->insn->place, "'%s' needs .sync on sm_70 and later",
                    check->opcode->text);
    if (has_sync != (check->insn->operand_count == with_mask))
        parser_fail(check->parser, check->insn->place,
                    has_sync ? "'%s' needs a mask of its lanes as its last operand"
                             : "'%s' has a mask of its lanes, which takes the suffix .sync",
                    check->opcode->text);
}

static void check_copy(const Check *check)
{
    if (check->insn->row != ROW_cp_async || !is_constant(check, 2))
        return;
    const int64_t bytes = check->operands[2].value;
    const bool is_large = check_has(check, MOD_cg);
    if (bytes != 16 && (is_large || (bytes != 4 && bytes != 8)))
        parser_fail(check->parser, check->places[2], "'%s' copies %s bytes, found %lld", check->opcode->text,
                    is_large ? "16" : "4, 8 or 16", (long long)bytes);
    check_range(check, 3, bytes);
}

/* A video instruction that joins its result with c, or puts it into a part of c, has a c; none does both. */
static void check_video(const Check *check)
{
    const bool joins = check_has(check, MOD_add) || check_has(check, MOD_min) || check_has(check, MOD_max);
    const bool selects = check->operands[0].selector != 0;
    if (strchr("24", check->opcode->mnemonic[strlen(check->opcode->mnemonic) - 1]))
        return;
    if (joins && selects)
        parser_fail(check->parser, check->places[0],
                    "'%s' cannot both select a part of its result and join it with another operand",
                    check->opcode->text);
    if ((joins || selects) && check->insn->operand_count < 4)
        parser_fail(check->parser, check->insn->place, "'%s' needs a third source", check->opcode->text);
}

/* vmad negates its product, by one of its factors, or c; with .po nothing. */
static void check_signs(const Check *check)
{
    const unsigned signs = check->operands[1].minus + check->operands[2].minus;
    const unsigned all = signs + (check->insn->operand_count > 3 && check->operands[3].minus);
    if (all > signs && signs == 1)
        parser_fail(check->parser, check->insn->place, "'%s' can negate its product or its sum, not both",
                    check->opcode->text);
    if (all && check_has(check, MOD_po))
        parser_fail(check->parser, check->insn->place, "'%s' has .po and cannot negate an operand",
                    check->opcode->text);
}

/* set and setp join a predicate with .and, .or, .xor, and only with one of them. */
static void check_joined(const Check *check)
{
    const bool joins = check_has(check, MOD_and) || check_has(check, MOD_or) || check_has(check, MOD_xor);
    if (joins != (check->insn->operand_count == 4))
        parser_fail(check->parser, check->insn->place,
                    joins ? "'%s' needs a predicate to join the comparison with"
                          : "'%s' has a predicate, which takes .and, .or or .xor",
                    check->opcode->text);
}

void check_values(const Check *check)
{
    const char *mnemonic = check->opcode->mnemonic;
    switch (check->row->action) {
    case ACTION_BARRIER: check_barrier(check); break;
    case ACTION_LOAD: case ACTION_STORE: case ACTION_ATOMIC: check_hint(check); break;
    case ACTION_SHUFFLE: case ACTION_VOTE: check_members(check); break;
    case ACTION_COPY_ASYNC: check_copy(check); break;
    case ACTION_LANE:
        if (!strcmp(mnemonic, "bfe") || !strcmp(mnemonic, "bfi")) {
            check_range(check, check->insn->operand_count - 2u, 255);
            check_range(check, check->insn->operand_count - 1u, 255);
        } else if (!strcmp(mnemonic, "setp") || !strcmp(mnemonic, "set")) {
            check_joined(check);
        } else if (!strcmp(mnemonic, "vmad")) {
            check_signs(check);
        } else if (strchr(check->row->operands, 'V')) {
            check_video(check);
        }
        break;
    default: break;
    }
}
