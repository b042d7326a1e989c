#include "mutate.h"

#include <stdio.h>
#include <string.h>

#include "isa/isa.h"

enum { MOST_SUFFIXES = 24, MOST_OPERANDS = 24, PART_BYTES = 160 };

/* An instruction in its parts. */
typedef struct Parts {
    char guard[PART_BYTES], mnemonic[PART_BYTES];
    char suffixes[MOST_SUFFIXES][PART_BYTES];
    char operands[MOST_OPERANDS][PART_BYTES];
    uint32_t suffix_count, operand_count;
} Parts;

uint32_t dice_below(Dice *dice, uint32_t bound)
{
    dice->state += 0x9e3779b97f4a7c15u;
    uint64_t mixed = dice->state;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((mixed ^ mixed >> 31) >> 32) % bound;
}

/* What stands in an operand's place. */
static const char *const operand_pool[] = {
    "%p1", "%p2", "!%p1", "%h1", "%r1", "%r2", "%rd1", "%rd2", "%q1", "%f1", "%fd1", "%u1", "%s1", "%uh1",
    "%sh1", "%ul1", "%sl1", "%hf1", "%hx1", "%c1", "%uc1", "%v2r", "%v4f", "%v2r.x", "%v4f.w", "0", "1", "-1",
    "7", "33", "0x1ffffffff", "1.5", "0f3F800000", "0d3FF0000000000000", "%tid.x", "%tid", "%clock64",
    "%laneid", "%envreg1", "WARP_SZ", "L1", "f1", "gvar", "svar", "lvar", "cvar", "pvar", "gvar+4", "_",
    "{%r1, %r2}", "{%r1, %r2, %r3, %r4}", "{%r1}", "{%rd1, %rd2}", "{%h1, %h2}", "{%f1, %f2}", "{%r1, _}",
    "[%rd1]", "[%rd1+4]", "[%r1]", "[%u1]", "[%ul1]", "[gvar]", "[svar]", "[lvar]", "[cvar]", "[pvar]",
    "[value]", "[svar+4]", "[%f1]", "[%fd1]", "[%p1]", "[%h1]", "[%q1]", "[64]", "[%rd1+%r1]", "%p1|%p2",
    "%r1|%p1", "-%r1", "-%f1", "~%r1", "(%r1)", "table", "proto", "gtex", "[gtex, {%r1}]", "[%rd1, {%f1, "
                                                                                           "%f2}]",
    "%r1.h0", "%r1.b3", "%undeclared", "dynamic", "-%p1", "value",
};

/* What stands in a suffix's place most often; else it is any that the table knows. */
static const char *const suffix_pool[] = {
    "b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2",
    "bf16", "f32", "f64", "pred", "v2", "v4", "rn", "rz", "ftz", "sat", "global", "shared", "local", "const",
    "param", "lo", "hi", "wide", "approx", "cc", "gpu", "cta", "relaxed", "volatile", "sync", "uni", "rni",
};

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* Up to the comma, semicolon or end that is in no brackets. */
static size_t operand_length(const char *at)
{
    int depth = 0;
    size_t length = 0;
    for (; at[length] && (depth || !strchr(",;", at[length])); length++)
        depth += strchr("[{(", at[length]) ? 1 : strchr("]})", at[length]) ? -1 : 0;
    return length;
}

static void copy_part(char to[PART_BYTES], const char *from, size_t length)
{
    snprintf(to, PART_BYTES, "%.*s", (int)length, from);
}

static void split_line(const char *at, Parts *parts)
{
    *parts = (Parts){0};
    if (*at == '@') {
        const size_t length = strcspn(at, " ");
        copy_part(parts->guard, at, length);
        at += length + (at[length] == ' ');
    }
    size_t length = strcspn(at, ". ;");
    copy_part(parts->mnemonic, at, length);
    for (at += length; *at == '.' && parts->suffix_count < MOST_SUFFIXES; at += 1 + length) {
        length = strcspn(at + 1, ". ;");
        copy_part(parts->suffixes[parts->suffix_count++], at + 1, length);
    }
    while (*at && *at != ';' && parts->operand_count < MOST_OPERANDS) {
        at += strspn(at, " ,");
        length = operand_length(at);
        copy_part(parts->operands[parts->operand_count++], at, length);
        at += length;
    }
}

static void join_parts(const Parts *parts, char text[MUTANT_BYTES])
{
    size_t used = 0;
#define ADD(...)                                                                                             \
    do {                                                                                                     \
        if (used < MUTANT_BYTES)                                                                             \
            used += (size_t)snprintf(text + used, MUTANT_BYTES - used, __VA_ARGS__);                         \
    } while (0)
    ADD("%s%s%s", parts->guard, *parts->guard ? " " : "", parts->mnemonic);
    for (uint32_t i = 0; i < parts->suffix_count; i++)
        ADD(".%s", parts->suffixes[i]);
    for (uint32_t i = 0; i < parts->operand_count; i++)
        ADD("%s%s", i ? ", " : " ", parts->operands[i]);
    ADD(";");
#undef ADD
}

static const char *any_suffix(Dice *dice)
{
    if (dice_below(dice, 3))
        return suffix_pool[dice_below(dice, COUNT(suffix_pool))];
    return mod_name((Mod)(1 + dice_below(dice, MOD_COUNT - 1)));
}

static const char *any_operand(Dice *dice) { return operand_pool[dice_below(dice, COUNT(operand_pool))]; }

/* A list of parts with one taken out, or one put in before `place`. */
static void remove_part(char list[][PART_BYTES], uint32_t *count, uint32_t place)
{
    memmove(list[place], list[place + 1], (--*count - place) * sizeof *list);
}

static void insert_part(char list[][PART_BYTES], uint32_t *count, uint32_t most, uint32_t place,
                        const char *part)
{
    char copy[PART_BYTES];
    if (*count == most)
        return;
    copy_part(copy, part, strlen(part));
    memmove(list[place + 1], list[place], ((*count)++ - place) * sizeof *list);
    memcpy(list[place], copy, sizeof copy);
}

static void swap_parts(char list[][PART_BYTES], uint32_t first, uint32_t second)
{
    char copy[PART_BYTES];
    memcpy(copy, list[first], sizeof copy);
    memcpy(list[first], list[second], sizeof copy);
    memcpy(list[second], copy, sizeof copy);
}

static void change_suffix(Parts *parts, Dice *dice)
{
    const uint32_t count = parts->suffix_count, place = count ? dice_below(dice, count) : 0;
    switch (count ? dice_below(dice, 5) : 4) {
    case 0: remove_part(parts->suffixes, &parts->suffix_count, place); break;
    case 1: swap_parts(parts->suffixes, place, dice_below(dice, count)); break;
    case 2:
        insert_part(parts->suffixes, &parts->suffix_count, MOST_SUFFIXES, dice_below(dice, count + 1),
                    any_suffix(dice));
        break;
    case 3: insert_part(parts->suffixes, &parts->suffix_count, MOST_SUFFIXES, place,
                        parts->suffixes[place]); break;
    default:
        copy_part(parts->suffixes[place], any_suffix(dice), PART_BYTES);
        parts->suffix_count += !count;
    }
}

/* The vector, list or address `text` with one element gone, doubled or another. */
static void change_elements(char text[PART_BYTES], Dice *dice)
{
    char list[MOST_OPERANDS][PART_BYTES], result[PART_BYTES - 2];
    uint32_t count = 0;
    const char open = text[0], close = text[strlen(text) - 1];
    for (const char *at = text + 1; *at && *at != close && count < MOST_OPERANDS - 1;) {
        at += strspn(at, " ,");
        size_t length = 0;
        for (int depth = 0; at[length] && (depth || (at[length] != ',' && at[length] != close)); length++)
            depth += at[length] == '{' ? 1 : at[length] == '}' ? -1 : 0;
        copy_part(list[count++], at, length);
        at += length;
    }
    if (!count)
        return;
    const uint32_t place = dice_below(dice, count);
    switch (dice_below(dice, 3)) {
    case 0: remove_part(list, &count, place); break;
    case 1: insert_part(list, &count, MOST_OPERANDS, place, list[place]); break;
    default: copy_part(list[place], any_operand(dice), PART_BYTES);
    }
    int used = snprintf(result, sizeof result, "%c", open);
    for (uint32_t i = 0; i < count && used < (int)sizeof result; i++)
        used += snprintf(result + used, sizeof result - (size_t)used, "%s%s", i ? ", " : "", list[i]);
    snprintf(text, PART_BYTES, "%s%c", result, close);
}

/* Another addend. */
static void change_address(char text[PART_BYTES], Dice *dice)
{
    static const char *const addends[] = {"+1", "-8", "+0x7fffffff", "+0x100000000", "+%r1", "+gvar", "+4+4",
                                          "*2"};
    const size_t length = strcspn(text, "+,]");
    char result[PART_BYTES * 2];
    snprintf(result, sizeof result, "%.*s%s%s", (int)length, text, addends[dice_below(dice, COUNT(addends))],
             text + strcspn(text, ",]"));
    copy_part(text, result, strlen(result));
}

static void change_operand(Parts *parts, Dice *dice)
{
    const uint32_t count = parts->operand_count, place = count ? dice_below(dice, count) : 0;
    char *operand = parts->operands[place], copy[PART_BYTES];
    switch (count ? dice_below(dice, 10) : 2) {
    case 0: remove_part(parts->operands, &parts->operand_count, place); break;
    case 1: swap_parts(parts->operands, place, dice_below(dice, count)); break;
    case 2:
        insert_part(parts->operands, &parts->operand_count, MOST_OPERANDS, place, any_operand(dice));
        break;
    case 3:
        memcpy(copy, operand, sizeof copy);
        snprintf(operand, PART_BYTES, "%c%.*s", "!-"[dice_below(dice, 2)], PART_BYTES - 2, copy);
        break;
    case 4: case 5:
        if (strchr("[{(", *operand) && *operand) {
            if (*operand == '[' && dice_below(dice, 2))
                change_address(operand, dice);
            else
                change_elements(operand, dice);
            break;
        } /* fall through */
    default: copy_part(operand, any_operand(dice), PART_BYTES);
    }
}

void mutate_line(const char *line, Dice *dice, char mutant[MUTANT_BYTES])
{
    static const char *const guards[] = {"@%p1", "@!%p1", "@%r1", "@!!%p1", "@p"};
    Parts parts;
    split_line(line, &parts);
    for (uint32_t i = 0; i <= !dice_below(dice, 5); i++) {
        const uint32_t kind = dice_below(dice, 20);
        if (kind == 0)
            copy_part(parts.guard, guards[dice_below(dice, COUNT(guards))], PART_BYTES);
        else if (kind < 8)
            change_suffix(&parts, dice);
        else
            change_operand(&parts, dice);
    }
    join_parts(&parts, mutant);
}
