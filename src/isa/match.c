/* Finding the row of an instruction.
 *
 * Every row's pattern is compiled once into items; an item is a list of choices, a choice a sequence
 * of suffixes. An instruction fits a row if its suffixes can be shared out among the items so that
 * none is left over: types in the order of the text, the others in any order. Two sets per row, of the
 * suffixes it must and may have, turn most rows away before that search. */
#include <pthread.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "isa/isa.h"

enum { MOST_SUFFIXES = 32 };

typedef struct Choice { uint32_t first, count; } Choice; /* in mods */

typedef struct Item {
    uint32_t first, count; /* in choices */
    bool optional;
} Item;

/* Invariant: valid is false for a pattern that is not well formed; such a row matches nothing. */
typedef struct Pattern {
    uint32_t first, count; /* in items */
    ModSet required, allowed;
    uint32_t next;         /* the next row with this mnemonic, 0: none */
    bool valid;
} Pattern;

static struct {
    VEC(Mod) mods;
    VEC(Choice) choices;
    VEC(Item) items;
    Pattern patterns[ROW_COUNT];
    Map mnemonics;         /* to their first row */
    Map mod_names;
} compiled;
static pthread_once_t compiled_once = PTHREAD_ONCE_INIT;

static bool is_word_end(char c) { return strchr(".(){}|", c) != NULL; } /* also of the terminating null */

/* Reads "a.b" or ".a.b" up to the end of a choice; null if a word is no modifier. */
static const char *compile_choice(const char *at)
{
    Choice choice = {compiled.mods.count, 0};
    while (*at && *at != '|' && *at != ')' && *at != '}') {
        at += *at == '.';
        const char *end = at;
        while (!is_word_end(*end))
            end++;
        uint32_t mod;
        if (!map_get(&compiled.mod_names, at, (size_t)(end - at), &mod))
            return NULL;
        VEC_PUSH(&compiled.mods, (Mod)mod);
        choice.count++;
        at = end;
    }
    VEC_PUSH(&compiled.choices, choice);
    return at;
}

/* Reads "(a|b)" or "{.a|.b}" with its brackets, or one ".a". */
static const char *compile_item(const char *at, Item *item)
{
    at += *at == '.' && (at[1] == '(' || at[1] == '{');
    *item = (Item){compiled.choices.count, 0, *at == '{'};
    if (*at != '(' && *at != '{') {
        const char *end = at + 1;
        while (!is_word_end(*end))
            end++;
        uint32_t mod;
        if (*at != '.' || !map_get(&compiled.mod_names, at + 1, (size_t)(end - at - 1), &mod))
            return NULL;
        VEC_PUSH(&compiled.choices, ((Choice){compiled.mods.count, 1}));
        VEC_PUSH(&compiled.mods, (Mod)mod);
        item->count = 1;
        return end;
    }
    const char close = *at == '(' ? ')' : '}';
    do {
        at = compile_choice(at + 1);
        item->count++;
    } while (at && *at == '|');
    return at && *at == close ? at + 1 : NULL;
}

static void compile_pattern(const char *at, Pattern *pattern)
{
    pattern->first = compiled.items.count;
    while (*at) {
        Item item;
        at = compile_item(at, &item);
        if (!at)
            return;
        VEC_PUSH(&compiled.items, item);
        pattern->count++;
        for (uint32_t c = item.first; c < item.first + item.count; c++) {
            const Choice *choice = &compiled.choices.items[c];
            for (uint32_t m = choice->first; m < choice->first + choice->count; m++) {
                modset_add(&pattern->allowed, compiled.mods.items[m]);
                if (item.count == 1 && !item.optional)
                    modset_add(&pattern->required, compiled.mods.items[m]);
            }
        }
    }
    pattern->valid = true;
}

static void compile_all(void)
{
    for (uint32_t mod = 1; mod < MOD_COUNT; mod++)
        map_put(&compiled.mod_names, mod_name((Mod)mod), strlen(mod_name((Mod)mod)), mod);
    /* From the last row to the first, so that each list of rows ends up in the order of the table. */
    for (uint32_t row = ROW_COUNT - 1; row > 0; row--) {
        const char *pattern = isa_rows[row].pattern;
        const size_t length = strcspn(pattern, ".({");
        uint32_t next = 0;
        map_get(&compiled.mnemonics, pattern, length, &next);
        compiled.patterns[row].next = next;
        map_put(&compiled.mnemonics, pattern, length, row);
        compile_pattern(pattern + length, &compiled.patterns[row]);
    }
}

/* An instruction's suffixes; those given out to items so far are the set bits of a mask. */
typedef struct Suffixes { const Mod *mods; unsigned count; } Suffixes;

/* Gives one suffix to a pattern's mod: the first type still there if it is a type, else the first equal
 * one (equal ones are interchangeable). */
static bool take(const Suffixes *suffixes, Mod wanted, uint32_t *used)
{
    const bool wants_type = mod_is_type(wanted);
    for (unsigned i = 0; i < suffixes->count; i++) {
        if (*used >> i & 1)
            continue;
        if (suffixes->mods[i] == wanted) {
            *used |= 1u << i;
            return true;
        }
        if (wants_type && mod_is_type(suffixes->mods[i]))
            return false;
    }
    return false;
}

static bool share_out(const Suffixes *suffixes, const Pattern *pattern, uint32_t item_number, uint32_t used)
{
    if (item_number == pattern->count)
        return used == (uint32_t)(((uint64_t)1 << suffixes->count) - 1);
    const Item *item = &compiled.items.items[pattern->first + item_number];
    for (uint32_t c = item->first; c < item->first + item->count; c++) {
        const Choice *choice = &compiled.choices.items[c];
        uint32_t taken = used;
        uint32_t m = 0;
        while (m < choice->count && take(suffixes, compiled.mods.items[choice->first + m], &taken))
            m++;
        if (m == choice->count && share_out(suffixes, pattern, item_number + 1, taken))
            return true;
    }
    return item->optional && share_out(suffixes, pattern, item_number + 1, used);
}

static bool is_subset(const ModSet *part, const ModSet *whole)
{
    for (unsigned i = 0; i < sizeof part->words / sizeof part->words[0]; i++)
        if (part->words[i] & ~whole->words[i])
            return false;
    return true;
}

bool mod_find(const char *text, size_t length, Mod *mod)
{
    uint32_t value = 0;
    pthread_once(&compiled_once, compile_all);
    if (!map_get(&compiled.mod_names, text, length, &value))
        return false;
    *mod = (Mod)value;
    return true;
}

bool isa_mnemonic_known(const char *text, size_t length)
{
    uint32_t row;
    pthread_once(&compiled_once, compile_all);
    return map_get(&compiled.mnemonics, text, length, &row);
}

RowId isa_match(const char *mnemonic, size_t length, const Mod *mods, unsigned mod_count)
{
    uint32_t row = ROW_UNKNOWN;
    pthread_once(&compiled_once, compile_all);
    if (mod_count > MOST_SUFFIXES || !map_get(&compiled.mnemonics, mnemonic, length, &row))
        return ROW_UNKNOWN;
    const Suffixes suffixes = {mods, mod_count};
    ModSet present = {{0}};
    for (unsigned i = 0; i < mod_count; i++)
        modset_add(&present, mods[i]);
    for (; row != ROW_UNKNOWN; row = compiled.patterns[row].next) {
        const Pattern *pattern = &compiled.patterns[row];
        if (pattern->valid && is_subset(&pattern->required, &present) &&
            is_subset(&present, &pattern->allowed) && share_out(&suffixes, pattern, 0, 0))
            return (RowId)row;
    }
    return ROW_UNKNOWN;
}
